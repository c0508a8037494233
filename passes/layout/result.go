package layout

import (
	"hlolayout/hlo"
	"hlolayout/passes/entry"
	"hlolayout/passes/layout/internal/ordering"
	"hlolayout/passes/plan"
	"hlolayout/tpu"
	"slices"
)

// layoutMemo makes layouts from orders, one for each array shape and order.
type layoutMemo struct {
	t      *tpu.Target
	orders *ordering.Table
	made   map[layoutKey]*hlo.Layout
}

type layoutKey struct {
	shape *hlo.Shape
	order ordering.Order
}

// get returns the layout that the target gives to an array in an order inside of a module. The shape's own memory
// space is kept.
func (l *layoutMemo) get(s *hlo.Shape, o ordering.Order) *hlo.Layout {
	k := layoutKey{s, o}
	if x := l.made[k]; x != nil {
		return x
	}
	x := l.t.Layout(s.DType, s.Dims, l.orders.Get(o), false)
	if s.Layout != nil && s.Layout.MemorySpace != 0 {
		y := *x
		y.MemorySpace = s.Layout.MemorySpace
		x = &y
	}
	l.made[k] = x
	return x
}

// letGo drops what the decisions do not need, half of the pass's memory: when they are made, most is live (.ci/speed,
// peak memory).
func (e *engine) letGo() {
	g := e.g
	g.Release()
	e.hints, e.clusters, e.pins, e.windowAt, e.windows, e.outward, e.inward = nil, nil, nil, nil, nil, nil, nil
	e.shared, e.free, e.work, e.added, e.walk = nil, nil, deque{}, nil, clusterWalk{}
}

// decisions returns the layout of every array of the module.
func (e *engine) decisions(layouts *layoutMemo) []plan.Decision {
	g := e.g
	leaves := len(g.LeafShape)
	for c, i := range g.CompOf {
		if i < 0 {
			for _, in := range c.Instructions {
				leaves += len(g.Shape(in.Shape).Leaves)
			}
		}
	}
	out := make([]plan.Decision, 0, leaves)
	for n := range int32(len(g.Nodes) - 1) {
		nd := &g.Nodes[n]
		info := g.Shape(nd.In.Shape)
		for i, s := range info.Leaves {
			if !s.IsArray() {
				continue
			}
			c := &e.bufferC[g.ValueAt(n, i)]
			d := plan.Decision{Instruction: nd.In, Index: info.Indices[i], Layout: e.layoutAt(layouts, n, i, s),
				Reason: e.reason(c.cause, c.priority, c.mandatory, c.beat)}
			if h := e.held.values[g.ValueAt(n, i)]; h.because != nil && c.cause.rule == rulePin {
				d.Reason = *h.because
			}
			for _, b := range e.held.refused[g.ValueAt(n, i)] {
				if d.Reason.Lost == nil {
					d.Reason.Lost = &plan.Lost{}
				}
				d.Reason.Lost.Refused = append(d.Reason.Lost.Refused, e.lost(b))
			}
			out = append(out, d)
		}
	}
	for _, c := range g.Module.Computations {
		if g.CompOf[c] < 0 {
			out = e.fusedDecisions(out, c, layouts)
		}
	}
	return out
}

// fusedDecisions returns the layouts of a fusion's body: parameters and root as outside, everything else as written,
// descending where nothing is.
func (e *engine) fusedDecisions(out []plan.Decision, c *hlo.Computation, layouts *layoutMemo) []plan.Decision {
	g := e.g
	fusion := int32(-1)
	for _, caller := range c.Callers() {
		if ci := g.CompOf[caller.Instruction.Computation]; ci >= 0 && caller.Instruction.Opcode == hlo.OpFusion {
			fusion = g.Comps[ci].First + caller.Instruction.Index
			break
		}
	}
	for _, in := range c.Instructions {
		info := g.Shape(in.Shape)
		for i, s := range info.Leaves {
			if !s.IsArray() {
				continue
			}
			o, why := e.Orders.Of(e.Target.BoundaryOrder(s.DType, s.Dims)), ruleNone
			if e.on(ruleFusedFree) {
				o, why = e.Orders.Descending(s.Rank()), ruleFusedFree
			}
			switch {
			case e.on(ruleFusedBoundary) && fusion >= 0 && in.Opcode == hlo.OpParameter && int(in.Parameter) < len(g.Nodes[fusion].In.Operands):
				slot := g.Nodes[fusion].FirstSlot + in.Parameter
				o, why = e.orderAt(g.Operands[slot], i), ruleFusedBoundary
				if x := &e.operandC[slot]; x.Order != ordering.None {
					o = x.Order
				}
			case e.on(ruleFusedBoundary) && fusion >= 0 && in == c.Root:
				o, why = e.orderAt(fusion, i), ruleFusedBoundary
			case s.Layout != nil && in.Opcode == hlo.OpConstant:
				o, why = e.Orders.Of(s.Layout.MinorToMajor), ruleLiteral
			case s.Layout != nil && e.on(ruleFusedWritten):
				o, why = e.Orders.Of(ordering.Written(s)), ruleFusedWritten
			}
			out = append(out, plan.Decision{Instruction: in, Index: info.Indices[i], Layout: layouts.get(s, o), Reason: e.reason(cause{why, fusion}, 0, false, 0)})
		}
	}
	return out
}

// lies returns the order in which a leaf lies once the copies are made.
func (e *engine) lies(n int32, leaf int) ordering.Order {
	if o, ok := e.moved[e.g.Nodes[n].FirstLeaf+int32(leaf)]; ok {
		return o
	}
	return e.orderAt(n, leaf)
}

// currentShape returns a node's shape with the layouts of the present run.
func (e *engine) currentShape(n int32, layouts *layoutMemo) *hlo.Shape {
	i := -1
	return e.g.ShapeOf(n).WithLeaves(func(_ hlo.Index, s *hlo.Shape) *hlo.Shape {
		i++
		if !s.IsArray() {
			return s
		}
		return s.WithLayout(e.layoutAt(layouts, n, i, s))
	})
}

func (e *engine) reason(c cause, priority int16, mandatory bool, beat int32) plan.Reason {
	row := &e.table[c.rule]
	r := plan.Reason{Rule: row.Text, Source: e.instruction(c), Priority: priority, Mandatory: mandatory}
	if row.TextByDefault != "" && (c.rule != rulePin && e.entryDefault || c.rule == rulePin && e.holdsSoftly(c.node)) {
		r.Rule, r.Mandatory = row.TextByDefault, false // no caller demands it
	}
	if beat > 0 {
		r.Lost = &plan.Lost{}
	}
	for beat > 0 {
		b := &e.beaten[beat-1]
		r.Lost.Beat = append(r.Lost.Beat, e.lost(*b))
		beat = b.prev
	}
	return r
}

// lost returns a constraint that does not hold, for a reason.
func (e *engine) lost(b beaten) plan.Beaten {
	return plan.Beaten{MinorToMajor: e.Orders.Get(b.order), Rule: e.table[b.cause.rule].Text, Source: e.instruction(b.cause)}
}

func (e *engine) instruction(c cause) *hlo.Instruction {
	if c.rule == ruleNone || c.node < 0 || int(c.node) >= len(e.g.Nodes)-1 {
		return nil
	}
	return e.g.Nodes[c.node].In
}

// entryLayout returns the module's interface after the pass, nil where nothing is to be added to what stands there.
func (e *engine) entryLayout(iface *entry.Interface) *plan.EntryLayout {
	c := &e.g.Comps[e.g.Entry]
	changed := !iface.AsWritten
	fill := func(s *hlo.Shape, n int32) *hlo.Shape {
		i := -1
		return s.WithLeaves(func(_ hlo.Index, leaf *hlo.Shape) *hlo.Shape {
			i++
			if !leaf.IsArray() {
				return leaf
			}
			o := e.orderAt(n, i)
			if leaf.Layout != nil {
				if len(leaf.Layout.Tiles) > 0 || slices.Contains(leaf.Dims, 0) {
					return leaf
				}
				o = e.Orders.Of(leaf.Layout.MinorToMajor)
			}
			l := *e.Target.Layout(leaf.DType, leaf.Dims, e.Orders.Get(o), true)
			if leaf.Layout != nil {
				l.MemorySpace = leaf.Layout.MemorySpace
			}
			if !l.Equal(leaf.Layout) {
				changed = true
			}
			return leaf.WithLayout(&l)
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
