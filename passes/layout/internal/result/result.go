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
		Doc: "The copy of a conditional's operand is inside the branch where the conditional is the " +
			"operand's only user."},
	rule.FusedWritten: {Name: "fused-written", Stage: rule.Copy,
		Text: "inside of a fusion: as written", Evidence: []string{"fused_written"},
		Doc: "Inside of a fusion nothing is assigned: a value keeps the order that is written (2342 of " +
			"2342)."},
	rule.FusedFree: {Name: "fused-descending", Stage: rule.Copy,
		Text: "inside of a fusion: descending", Evidence: []string{"fused_plain"},
		Doc: "Inside of a fusion a value without a written order is descending."},
	rule.FusedBoundary: {Name: "fused-boundary", Stage: rule.Copy,
		Text: "as outside of the fusion", Evidence: []string{"gather_transposed"},
		Doc: "A fusion's parameters and result have the layouts that its operands and result have outside. " +
			"So do the elements of a result that is a tuple, as XLA's verifier requires."},
	rule.GivenTile: {Name: "given-tile", Stage: rule.Copy, Evidence: []string{"given_tile"},
		Doc: "A tile that the entry layout gives a parameter, and that is not the device's, stays on it and " +
			"on the elementwise operations that read it without a copy."},
}

// Result is what is made of the last run.
type Result struct {
	*constraint.State
	made  map[layoutKey]*hlo.Layout
	given map[flat.ValueID]given         // by value
	moved map[flat.LeafID]ordering.Order // by leaf: branch parameters with another layout than their users want
}

func New(e *constraint.State) *Result {
	return &Result{State: e, made: map[layoutKey]*hlo.Layout{}, given: map[flat.ValueID]given{},
		moved: map[flat.LeafID]ordering.Order{}}
}

type layoutKey struct {
	shape *hlo.Shape
	order ordering.Order
}

// layout returns the layout that the target gives to an array in an order inside of a module. The shape's own memory
// space is kept.
func (e *Result) layout(s *hlo.Shape, o ordering.Order) *hlo.Layout {
	k := layoutKey{s, o}
	if x := e.made[k]; x != nil {
		return x
	}
	x := e.Target.Layout(s.DType, s.Dims, e.Orders.Get(o), false)
	if s.Layout != nil && s.Layout.MemorySpace != 0 {
		y := *x
		y.MemorySpace = s.Layout.MemorySpace
		x = &y
	}
	e.made[k] = x
	return x
}

// Plan returns what changes in the module.
func (e *Result) Plan(names *Namer, iface *entry.Interface) *plan.Plan {
	e.Finish()
	e.keepGiven(iface.Params)
	e.nameElements(names)
	p := &plan.Plan{Edits: append(e.elementEdits(), e.edits(names)...), Entry: e.entryLayout(iface)}
	e.Release()
	p.Decisions = e.decisions(0)
	for _, in := range names.changed {
		p.Changes = append(p.Changes, plan.Change{Instruction: in, Name: names.names[in]})
	}
	p.Changes = append(p.Changes, e.freedNames(names)...)
	return p
}

// Decide returns the decisions of the plan alone, those on arrays that could have another order.
func (e *Result) Decide(iface *entry.Interface) []plan.Decision {
	e.Finish()
	e.keepGiven(iface.Params)
	for n := range e.G.Nodes {
		if e.G.Nodes[n].Op == hlo.OpConditional {
			e.MismatchesOf(flat.NodeID(n), func(r constraint.Relayout) {
				if p := e.insideBranch(r); p >= 0 {
					e.move(r, p)
				}
			})
		}
	}
	e.Release()
	return e.decisions(2)
}

// decisions returns the layout of every array of the module that has so many dimensions, and of all in fusions.
func (e *Result) decisions(rank int) []plan.Decision {
	g := e.G
	leaves := 0
	for _, s := range g.LeafShape {
		if s.IsArray() && s.Rank() >= rank {
			leaves++
		}
	}
	for _, c := range g.Module.Computations {
		if g.CompOf(c) < 0 && (rank == 0 || c.IsFused()) {
			for _, in := range c.Instructions {
				leaves += len(g.Shape(in.Shape).Leaves)
			}
		}
	}
	out := make([]plan.Decision, 0, leaves)
	for n := range flat.NodeID(len(g.Nodes) - 1) {
		nd := &g.Nodes[n]
		info := g.Shape(nd.In.Shape)
		for i, s := range info.Leaves {
			if !s.IsArray() || s.Rank() < rank {
				continue
			}
			v := g.ValueAt(n, i)
			c := e.ConstraintOn(v)
			d := plan.Decision{Instruction: nd.In, Index: info.Indices[i], Layout: e.layoutAt(n, i, s),
				Reason: e.reason(c.Cause, c.Priority, c.Mandatory)}
			if h := e.Held.Value(v); h.Because != nil && c.Cause.Rule == rule.Pin {
				d.Reason = *h.Because
			} else if beat, refused := e.Overridden(v), e.Held.Refused[v]; len(beat)+len(refused) > 0 {
				d.Reason.Lost = &plan.Lost{Beat: e.lost(beat), Refused: e.lost(refused)}
			}
			out = append(out, d)
		}
	}
	for _, c := range g.Module.Computations {
		switch {
		case g.CompOf(c) >= 0:
		case c.IsFused():
			out = e.fusedDecisions(out, c)
		case rank == 0:
			out = e.scalarDecisions(out, c)
		}
	}
	return out
}

// scalarDecisions returns the layouts of a computation that is applied to scalars.
func (e *Result) scalarDecisions(out []plan.Decision, c *hlo.Computation) []plan.Decision {
	for _, in := range c.Instructions {
		d := plan.Decision{Instruction: in, Layout: e.layout(in.Shape, e.Orders.Descending(0))}
		switch {
		case in.Opcode == hlo.OpConstant && in.Shape.Layout != nil && e.On(rule.Literal):
			d.Reason = e.reason(constraint.Because(rule.Literal, -1), 0, false)
		case in.Opcode == hlo.OpParameter && e.On(rule.ParameterDefault):
			d.Reason = e.reason(constraint.Because(rule.ParameterDefault, -1), 0, false)
		default:
			d.Reason = e.reason(constraint.Because(rule.Free, -1), 0, false)
		}
		d.Reason.Source = in
		out = append(out, d)
	}
	return out
}

// fusedDecisions returns the layouts of a fusion's body: parameters and root as outside, everything else as written,
// descending where nothing is.
func (e *Result) fusedDecisions(out []plan.Decision, c *hlo.Computation) []plan.Decision {
	g := e.G
	fusion := flat.NodeID(-1)
	for _, caller := range c.Callers() {
		if ci := g.CompOf(caller.Instruction.Computation); ci >= 0 && caller.Instruction.Opcode == hlo.OpFusion {
			fusion = g.Comps[ci].First + flat.NodeID(caller.Instruction.Index)
			break
		}
	}
	for _, in := range c.Instructions {
		info := g.Shape(in.Shape)
		for i, s := range info.Leaves {
			if !s.IsArray() {
				continue
			}
			o, why := e.Orders.Of(e.Target.BoundaryOrder(s.DType, s.Dims)), rule.None
			if e.On(rule.FusedFree) {
				o, why = e.Orders.Descending(s.Rank()), rule.FusedFree
			}
			outside := ordering.None
			if e.On(rule.FusedBoundary) && fusion >= 0 {
				outside = e.outside(fusion, in, i)
			}
			switch {
			case outside != ordering.None:
				o, why = outside, rule.FusedBoundary
			case s.Layout != nil && in.Opcode == hlo.OpConstant:
				o, why = e.Orders.Of(s.Layout.MinorToMajor), rule.Literal
			case s.Layout != nil && e.On(rule.FusedWritten):
				o, why = e.Orders.Of(ordering.Written(s)), rule.FusedWritten
			}
			out = append(out, plan.Decision{Instruction: in, Index: info.Indices[i], Layout: e.layout(s, o),
				Reason: e.reason(constraint.Because(why, fusion), 0, false)})
		}
	}
	return out
}

// outside returns the order that a leaf of an instruction in a fusion's body has outside: a parameter's as the fusion
// reads the operand, the result's as it gives it, those of a tuple's elements included; None for other instructions.
func (e *Result) outside(fusion flat.NodeID, in *hlo.Instruction, leaf int) ordering.Order {
	g, root := e.G, in.Computation.Root
	if in.Opcode == hlo.OpParameter && int(in.Parameter) < len(g.Nodes[fusion].In.Operands) {
		slot := g.Nodes[fusion].FirstSlot + flat.SlotID(in.Parameter)
		if x := e.AsksFor(slot); x.Order != ordering.None {
			return x.Order
		}
		return e.OrderAt(g.Operands[slot], leaf)
	}
	if in == root {
		return e.OrderAt(fusion, leaf)
	}
	if k := slices.Index(root.Operands, in); k >= 0 && root.Opcode == hlo.OpTuple {
		return e.OrderAt(fusion, int(g.Shape(root.Shape).Starts[k])+leaf)
	}
	return ordering.None
}

// lies returns the order of a leaf once the copies are made.
func (e *Result) lies(n flat.NodeID, leaf int) ordering.Order {
	if o, ok := e.moved[e.G.Nodes[n].FirstLeaf+flat.LeafID(leaf)]; ok {
		return o
	}
	return e.OrderAt(n, leaf)
}

// currentShape returns a node's shape with the layouts of the present run.
func (e *Result) currentShape(n flat.NodeID) *hlo.Shape {
	i := -1
	return e.G.ShapeOf(n).WithLeaves(func(_ hlo.Index, s *hlo.Shape) *hlo.Shape {
		i++
		if !s.IsArray() {
			return s
		}
		return s.WithLayout(e.layoutAt(n, i, s))
	})
}

func (e *Result) reason(c constraint.Cause, priority int16, mandatory bool) plan.Reason {
	row := e.Row(c.Rule)
	r := plan.Reason{Rule: row.Text, Source: e.instruction(c), Priority: priority, Mandatory: mandatory}
	if row.TextByDefault != "" && (c.Rule != rule.Pin && e.EntryDefault || c.Rule == rule.Pin && e.HoldsSoftly(c.Node)) {
		r.Rule, r.Mandatory = row.TextByDefault, false // no caller demands it
	}
	return r
}

// lost returns constraints that do not hold, for a reason.
func (e *Result) lost(list []constraint.Overridden) (out []plan.Overridden) {
	for _, b := range list {
		out = append(out, plan.Overridden{MinorToMajor: e.Orders.Get(b.Order), Rule: e.Row(b.Cause.Rule).Text,
			Source: e.instruction(b.Cause)})
	}
	return out
}

func (e *Result) instruction(c constraint.Cause) *hlo.Instruction {
	if c.Rule == rule.None || c.Node < 0 || int(c.Node) >= len(e.G.Nodes)-1 {
		return nil
	}
	return e.G.Nodes[c.Node].In
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
	made := map[layoutKey]*hlo.Shape{}
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
			k := layoutKey{leaf, o}
			if made[k] == nil {
				made[k] = leaf.WithLayout(e.entryLayoutOf(leaf, o))
			}
			changed = changed || !made[k].Layout.Equal(leaf.Layout)
			return made[k]
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
