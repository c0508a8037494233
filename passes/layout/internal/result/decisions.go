package result

import (
	"cmp"
	"slices"

	"hlolayout/hlo"
	"hlolayout/passes/internal/flat"
	"hlolayout/passes/layout/internal/constraint"
	"hlolayout/passes/layout/internal/ordering"
	"hlolayout/passes/layout/internal/rule"
	"hlolayout/passes/plan"
)

// decisions returns the layout of every array of the module.
func (e *Result) decisions() []plan.Decision {
	g := e.G
	leaves := len(g.LeafValue)
	for _, c := range g.Module.Computations {
		if g.CompOf(c) < 0 {
			for _, in := range c.Instructions {
				leaves += flat.CountLeaves(in.Shape)
			}
		}
	}
	out := make([]plan.Decision, 0, leaves)
	for n := range flat.NodeID(len(g.Nodes) - 1) {
		shape := g.Shape(g.ShapeOf(n))
		for i, s := range shape.Leaves {
			if !s.IsArray() {
				continue
			}
			d := plan.Decision{Instruction: g.Nodes[n].In, Index: shape.Indices[i], Layout: e.layoutAt(n, i, s)}
			if e.reasons {
				d.Reason = e.reasonOf(g.ValueAt(n, i))
			}
			out = append(out, d)
		}
	}
	for _, c := range g.Module.Computations {
		switch {
		case g.CompOf(c) >= 0:
		case c.IsFused():
			out = e.fusedDecisions(out, c)
		default:
			out = e.scalarDecisions(out, c)
		}
	}
	return out
}

// Arrays counts what Pins adds for all instructions.
func (e *Result) Arrays() (arrays int) {
	for _, v := range e.G.LeafValue {
		if e.G.Ranks[v] >= 2 {
			arrays++
		}
	}
	return arrays
}

// Pins adds a pin of a value to what was decided about each array of two dimensions or more that an instruction gives,
// with the reason, their orders being those of e.Orders; none in a computation that is applied to scalars.
func (e *Result) Pins(list []plan.SoftPin, value, in *hlo.Instruction) []plan.SoftPin {
	if e.G.CompOf(in.Computation) < 0 {
		return list
	}
	n := e.G.Node(in)
	for i, v := range e.G.ValuesOf(n) {
		if e.G.Ranks[v] < 2 {
			continue
		}
		p := plan.SoftPin{Value: value, Leaf: int32(i), Order: int32(e.orderAt(n, i))}
		if e.reasons {
			p.Because = e.reasonOf(v)
		}
		list = append(list, p)
	}
	return list
}

// reasonOf returns why a value has its layout.
func (e *Result) reasonOf(v flat.ValueID) *plan.Reason {
	c := e.ConstraintOn(v)
	if h := e.Held.Value(v); h.Because != nil {
		return h.Because
	}
	r := e.reason(c.Cause, c.Priority, c.Mandatory)
	if beat, refused := e.Overridden(v), e.Held.Refused[v]; len(beat)+len(refused) > 0 {
		r.Lost = &plan.Lost{Beat: e.lost(beat), Refused: e.lost(refused)}
	}
	return r
}

// scalarDecisions returns the layouts of a computation that is applied to scalars.
func (e *Result) scalarDecisions(out []plan.Decision, c *hlo.Computation) []plan.Decision {
	for _, in := range c.Instructions {
		why := rule.Free
		if in.Opcode == hlo.OpParameter {
			why = rule.ParameterDefault
		}
		d := plan.Decision{Instruction: in, Layout: e.layout(in.Shape, e.Orders.Descending(0))}
		if e.reasons {
			d.Reason = &plan.Reason{Rule: e.Row(why).Text, Source: in}
		}
		out = append(out, d)
	}
	return out
}

// fusedDecisions returns the layouts of a fusion's body: parameters and root as outside, everything else as written,
// descending where nothing is.
func (e *Result) fusedDecisions(out []plan.Decision, c *hlo.Computation) []plan.Decision {
	g := e.G
	fusion := flat.NodeID(-1)
	if callers := g.CallersOf(c, hlo.OpFusion); len(callers) > 0 {
		fusion = callers[0]
	}
	for _, in := range c.Instructions {
		info := g.Shape(in.Shape)
		for i, s := range info.Leaves {
			if !s.IsArray() {
				continue
			}
			o, why := e.BoundaryOrder(s), rule.None
			if e.On(rule.FusedFree) {
				o, why = e.Orders.Descending(s.Rank()), rule.FusedFree
			}
			outside := ordering.None
			if e.On(rule.FusedBoundary) && fusion != -1 {
				outside = e.outside(fusion, in, i)
			}
			switch {
			case outside != ordering.None:
				o, why = outside, rule.FusedBoundary
			case s.Layout != nil && e.On(rule.FusedWritten):
				o, why = e.Orders.Of(s.Layout.MinorToMajor), rule.FusedWritten
			}
			d := plan.Decision{Instruction: in, Index: info.Indices[i], Layout: e.layout(s, o)}
			if e.reasons {
				d.Reason = e.reason(constraint.Because(why, fusion), 0, false)
			}
			out = append(out, d)
		}
	}
	return out
}

// outside returns the order that a leaf of an instruction in a fusion's body has outside: a parameter's as the fusion
// reads the operand, the result's as it gives it, those of a tuple's elements included; None for other instructions.
func (e *Result) outside(fusion flat.NodeID, in *hlo.Instruction, leaf int) ordering.Order {
	g, root := e.G, in.Computation.Root
	if in.Opcode == hlo.OpParameter {
		k := int(in.Parameter)
		return cmp.Or(e.AsksFor(g.Slot(fusion, k)).Order, e.OrderAt(g.Operand(fusion, k), leaf))
	}
	if in == root {
		return e.OrderAt(fusion, leaf)
	}
	if k := slices.Index(root.Operands, in); k != -1 && root.Opcode == hlo.OpTuple {
		return e.OrderAt(fusion, int(g.Shape(root.Shape).Starts[k])+leaf)
	}
	return ordering.None
}

func (e *Result) reason(c constraint.Cause, priority int16, mandatory bool) *plan.Reason {
	row := e.Row(c.Rule)
	r := &plan.Reason{Rule: row.Text, Source: e.instruction(c), Priority: priority, Mandatory: mandatory,
		Chosen: uint8(c.Chosen)}
	if row.TextByDefault != "" && (c.Rule != rule.Pin && e.EntryDefault || c.Rule == rule.Pin && e.Holds(c.Node, true)) {
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
	if c.Rule == rule.None || c.Node < 0 {
		return nil
	}
	return e.G.Nodes[c.Node].In
}
