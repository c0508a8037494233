// Package result makes a plan of the last run: copies and their names, the layout of every array, the reasons.
package result

import (
	"slices"

	"hlolayout/hlo"
	"hlolayout/passes/entry"
	"hlolayout/passes/internal/flat"
	"hlolayout/passes/layout/internal/constraint"
	"hlolayout/passes/layout/internal/ordering"
	"hlolayout/passes/layout/internal/rule"
	"hlolayout/passes/plan"
)

// Rules are what is decided once the last run is over.
var Rules = rule.Rows{
	rule.CopyInBranch: {Name: "copy-in-branch", Stage: rule.Copy, Evidence: []string{"cond_transpose"},
		Doc: "The copy of a conditional's operand is inside the branch where the conditional is the operand's only user."},
	rule.FusedWritten: {Name: "fused-written", Stage: rule.Copy,
		Text: "inside of a fusion: as written", Evidence: []string{"fused_written"},
		Doc: "Inside of a fusion nothing is assigned: a value keeps the order that is written (2342 of 2342)."},
	rule.FusedFree: {Name: "fused-descending", Stage: rule.Copy,
		Text: "inside of a fusion: descending", Evidence: []string{"fused_plain"},
		Doc: "Inside of a fusion a value without a written order is descending."},
	rule.FusedBoundary: {Name: "fused-boundary", Stage: rule.Copy,
		Text: "as outside of the fusion", Evidence: []string{"gather_transposed"},
		Doc: "A fusion's parameters and result have the layouts that its operands and result have outside. " +
			"So do the elements of a result that is a tuple, as XLA's verifier requires."},
	rule.GivenTile: {Name: "given-tile", Stage: rule.Copy, Evidence: []string{"given_tile"},
		Doc: "A tile that the entry layout gives a parameter, and that is not the device's, stays on it alone: what " +
			"reads the parameter, elementwise or not, has the device's (13 values of 7 programs on v5e and v7x)."},
}

// Result is what is made of the last run.
type Result struct {
	*constraint.State
	reasons bool                           // the decisions are to have them
	lowered bool                           // the module is lowered text, or what is made of it
	made    map[ordered]*hlo.Layout        // see layout
	shapes  map[laidOut]*hlo.Shape         // of the module, see with
	given   map[flat.ValueID]given         // by value
	moved   map[flat.LeafID]ordering.Order // by leaf: branch parameters with another layout than their users want
}

func New(e *constraint.State, opt plan.Options) *Result {
	lowered := e.G.Module.Simplified || opt.Stage != nil && opt.Stage.BeforeSimplification()
	return &Result{State: e, reasons: !opt.NoReasons, lowered: lowered,
		made: map[ordered]*hlo.Layout{}, shapes: map[laidOut]*hlo.Shape{}, given: map[flat.ValueID]given{},
		moved: map[flat.LeafID]ordering.Order{}}
}

// ordered is an array and an order of its dimensions.
type ordered struct {
	shape *hlo.Shape
	order ordering.Order
}

// laidOut is an array and the layout that it gets.
type laidOut struct {
	shape  *hlo.Shape
	layout *hlo.Layout
}

// with returns the module's shape of an array with a layout: one for each two, for many arrays are alike.
func (e *Result) with(s *hlo.Shape, l *hlo.Layout) *hlo.Shape {
	return ordering.Memo(e.shapes, laidOut{s, l}, func() *hlo.Shape { return e.G.Module.Intern(s.WithLayout(l)) })
}

// layout returns the layout that the target gives to an array in an order inside of a module. The shape's own memory
// space is kept.
func (e *Result) layout(s *hlo.Shape, o ordering.Order) *hlo.Layout {
	return ordering.Memo(e.made, ordered{s, o}, func() *hlo.Layout {
		x := e.Target.Layout(s.DType, s.Dims, e.Orders.Get(o), false)
		if s.Layout != nil {
			x.MemorySpace = s.Layout.MemorySpace
		}
		return x
	})
}

// Plan returns what changes in the module. It calls release when only the decisions are left to be made.
func (e *Result) Plan(names *Namer, iface *entry.Interface, release func()) *plan.Plan {
	e.keepGiven(iface.Params)
	e.nameElements(names)
	p := &plan.Plan{Edits: append(e.elementEdits(), e.edits(names)...)}
	p.Entry = e.entryLayout(iface)
	e.retile(names, p, iface.Result)
	release()
	p.Decisions = e.decisions()
	for _, c := range names.changed {
		p.Changes = append(p.Changes, *c)
	}
	p.Changes = append(p.Changes, e.freedNames(names)...)
	return p
}

// Decide prepares what Pins returns. It calls release as Plan does.
func (e *Result) Decide(release func()) {
	for n := range e.G.Nodes {
		if e.G.Nodes[n].Op == hlo.OpConditional {
			e.MismatchesOf(flat.NodeID(n), func(r constraint.Relayout) {
				if p := e.insideBranch(r); p != -1 {
					e.move(r, p)
				}
			})
		}
	}
	release()
}

// currentShape returns a node's shape with the layouts of the present run.
func (e *Result) currentShape(n flat.NodeID) *hlo.Shape {
	i := -1
	return e.G.ShapeOf(n).WithLeaves(func(_ hlo.Index, s *hlo.Shape) *hlo.Shape {
		i++
		if !s.IsArray() {
			return s
		}
		return e.with(s, e.layoutAt(n, i, s))
	})
}

// entryLayoutOf returns the layout of an array of the interface in an order: what the target gives it, with the memory
// space and the tiles that are written.
func (e *Result) entryLayoutOf(leaf *hlo.Shape, o ordering.Order) *hlo.Layout {
	l := *e.Target.Layout(leaf.DType, leaf.Dims, e.Orders.Get(o), true)
	if leaf.Layout != nil {
		l.MemorySpace = leaf.Layout.MemorySpace
		if len(leaf.Layout.Tiles) > 0 { // written tiles stay; the bits of an element belong to its type
			bits := l.ElementBits
			l = *leaf.Layout
			l.ElementBits = bits
		}
	}
	return &l
}

// entryLayout returns the module's interface after the pass, nil where nothing is to be added to what is there.
func (e *Result) entryLayout(iface *entry.Interface) *plan.EntryLayout {
	c := &e.G.Comps[e.G.Entry]
	changed := !iface.AsWritten
	made := map[ordered]*hlo.Shape{} // an interface has thousands of arrays of few kinds
	fill := func(s *hlo.Shape, n flat.NodeID) *hlo.Shape {
		i := -1
		return s.WithLeaves(func(_ hlo.Index, leaf *hlo.Shape) *hlo.Shape {
			i++
			if !leaf.IsArray() || leaf.Layout != nil && slices.Contains(leaf.Dims, 0) {
				return leaf
			}
			o := e.OrderAt(n, i)
			if leaf.Layout != nil {
				o = e.Orders.Of(leaf.Layout.MinorToMajor)
			}
			return ordering.Memo(made, ordered{leaf, o}, func() *hlo.Shape {
				filled := leaf.WithLayout(e.entryLayoutOf(leaf, o))
				changed = changed || !filled.Layout.Equal(leaf.Layout)
				return filled
			})
		})
	}
	out := &plan.EntryLayout{}
	for k, p := range iface.Params {
		out.Params = append(out.Params, fill(p, c.Params[k]))
	}
	out.Result = fill(iface.Result, c.Root)
	if !changed {
		return nil
	}
	return out
}

// given is what the interface says of a value beyond its order, and the pass keeps: a tile that the target would not
// give, and a memory space.
type given struct {
	tiles []hlo.Tile
	space int64
}

// keepGiven notes the tiles and memory spaces that the caller wrote for entry parameters: a tile that is neither the
// boundary's nor the one inside of the module stays on the parameter. So does a memory space in lowered text, such as
// S(5) for the host, as in the compiled module, of what no loop takes; in the dump after the compiler's pass parameters
// have none (6 of 6 modules).
func (e *Result) keepGiven(params []*hlo.Shape) {
	if !e.On(rule.GivenTile) {
		return
	}
	of := map[*hlo.Shape]given{} // an interface has thousands of arrays of few kinds
	for k, p := range params {
		for i, s := range e.G.Shape(p).Leaves {
			if s.Layout == nil {
				continue
			}
			x := ordering.Memo(of, s, func() (x given) {
				if e.lowered {
					x.space = s.Layout.MemorySpace
				}
				if len(s.Layout.Tiles) > 0 && !e.hasTiles(s, true) && !e.hasTiles(s, false) {
					x.tiles = s.Layout.Tiles
				}
				return x
			})
			n := e.G.Comps[e.G.Entry].Params[k]
			if x.tiles != nil || x.space != 0 && !e.goesIn(n) {
				e.given[e.G.ValueAt(n, i)] = x
			}
		}
	}
}

// goesIn reports whether a parameter goes into what another computation takes, which is then not said to be elsewhere.
func (e *Result) goesIn(n flat.NodeID) bool {
	return slices.ContainsFunc(e.G.Users(n), func(u flat.Use) bool {
		in := e.G.Nodes[u.Node].In
		return in.Opcode == hlo.OpTuple && !in.IsRoot() || len(in.Called()) > 0
	})
}

// hasTiles reports whether an array has the tiles that the target gives it at the boundary or inside of the module.
func (e *Result) hasTiles(s *hlo.Shape, boundary bool) bool {
	tiles, _ := e.Target.Tiles(s.DType, s.Dims, s.Layout.MinorToMajor, boundary)
	return slices.EqualFunc(s.Layout.Tiles, tiles, slices.Equal[hlo.Tile])
}

// layoutAt returns the layout of a leaf once the copies are made.
func (e *Result) layoutAt(n flat.NodeID, leaf int, s *hlo.Shape) *hlo.Layout {
	l := e.layout(s, e.orderAt(n, leaf))
	x, ok := e.given[e.G.ValueAt(n, leaf)]
	if !ok {
		return l
	}
	kept := *l
	if x.tiles != nil {
		kept.Tiles = x.tiles
	}
	kept.MemorySpace = max(kept.MemorySpace, x.space)
	return &kept
}

// orderAt returns the order of a leaf once the copies are made.
func (e *Result) orderAt(n flat.NodeID, leaf int) ordering.Order {
	if o, moved := e.moved[e.G.Nodes[n].FirstLeaf+flat.LeafID(leaf)]; moved {
		return o
	}
	return e.OrderAt(n, leaf)
}
