package rules

import (
	"hlolayout/hlo"
	"hlolayout/passes/internal/flat"
	"hlolayout/passes/layout/internal/ordering"
	"hlolayout/passes/layout/internal/rule"
)

func unconstrainedRules(e *Set) rule.Rows {
	return rule.Rows{
		rule.Literal: {Name: "literal", Stage: rule.Default, Text: "the literal's own layout", Evidence: []string{"literal"},
			Doc: "A constant that nothing constrains has the layout of its literal.",
			Initial: func(v flat.ValueID) ordering.Tiled {
				val := &e.G.Values[v]
				if e.G.Nodes[val.Node].Op != hlo.OpConstant || val.Shape.Layout == nil {
					return ordering.Tiled{}
				}
				return e.Orders.Of(val.Shape.Layout.MinorToMajor).Untiled()
			}},
		rule.PassedParameter: {Name: "passed-parameter", Stage: rule.Default, Until: "0.0.50.1",
			Text: "the layout of the entry parameter that the loop is given", Evidence: []string{"loop_passed"},
			Doc: "A parameter of a loop that nothing in its computation constrains has the layout, with its tile, " +
				"of the parameter of the entry that is its initial value.",
			Initial: e.passedOrder},
		rule.LoopParameter: {Name: "loop-parameter", Stage: rule.Default,
			Text: "the compact order of a loop's parameter", Evidence: []string{"loop_minimal"},
			Doc: "A parameter of a loop that nothing constrains has the compact order, with its tile, if its last dimension " +
				"takes less than a quarter of the lanes (336 of 336 on v5e, 102 of 102 on v6e and v7x); else it is descending.",
			Initial: func(v flat.ValueID) ordering.Tiled {
				s := e.G.Values[v].Shape
				if s.Rank() < 2 || s.Dims[s.Rank()-1] >= e.Target.Lanes/e.Limit(rule.LoopLanes) {
					return ordering.Tiled{}
				}
				return e.compactParameter(v, true)
			}},
		rule.ParameterDefault: {Name: "parameter-default", Stage: rule.Default,
			Text: "the device default of an entry parameter", Evidence: []string{"layout_auto_matmul"},
			Doc:     "A parameter that nothing constrains has the compact order, in every computation but those of loops.",
			Initial: func(v flat.ValueID) ordering.Tiled { return e.compactParameter(v, false) }},
		rule.Free: {Name: "descending", Stage: rule.Default,
			Text: "nothing constrains it: descending", Evidence: []string{"soft_raster"},
			Doc: "Everything else that nothing constrains is descending.",
			Initial: func(v flat.ValueID) ordering.Tiled {
				return e.Orders.Descending(e.G.Values[v].Shape.Rank()).Untiled()
			}},
		rule.LargestFree: {Name: "largest-free", Stage: rule.Improve,
			Text: "the compact order for the array that wastes most", Evidence: []string{"tsne_step_grad", "free_reduced"},
			Doc: "The array that only a default decided and that wastes most requests the compact order where that saves " +
				"much, of equals the first. Operands of reduces are left to those (compact-reduce: 1 program and 12 probes).",
			Step: rule.FreeStep, Sweep: rule.PinSweep, Find: e.pinLargest},
	}
}

// compactParameter is the compact order of a parameter of a loop, or of another computation, with its tile.
func (e *Set) compactParameter(v flat.ValueID, ofLoop bool) ordering.Tiled {
	val := &e.G.Values[v]
	if nd := &e.G.Nodes[val.Node]; nd.Op != hlo.OpParameter || e.G.InLoop(nd.Comp) != ofLoop {
		return ordering.Tiled{}
	}
	l := e.Target.BoundaryLayout(val.Shape.DType, val.Shape.Dims)
	return e.Orders.Of(l.MinorToMajor).Carrying(ordering.RowsOf(l))
}

func (e *Set) passedOrder(v flat.ValueID) ordering.Tiled {
	val := &e.G.Values[v]
	c := e.G.Comps[e.G.Nodes[val.Node].Comp].Computation
	if e.G.Nodes[val.Node].Op != hlo.OpParameter {
		return ordering.Tiled{}
	}
	for _, while := range e.G.CallersOf(c, hlo.OpWhile) {
		given := &e.G.Values[e.G.ValueAt(e.G.Operand(while, 0), int(val.Leaf))]
		if e.G.IsEntryParameter(given.Node) {
			return e.EntryParams[e.G.Nodes[given.Node].In.Parameter][given.Leaf]
		}
	}
	return ordering.Tiled{}
}

// pinLargest is the log's "Bytes saveable".
func (e *Set) pinLargest() bool {
	at, largest := flat.NodeID(-1), e.Limit(rule.RiskBytes)
	for v := range flat.ValueID(len(e.G.Values)) {
		val := &e.G.Values[v]
		if !e.IsFree(v) || val.Shape.Rank() < 2 || e.G.Nodes[val.Node].Op == hlo.OpParameter ||
			e.G.IsReadBy(val.Node, hlo.OpReduce) {
			continue
		}
		saved := e.Padded(val.Shape, e.LayoutOf(v).Order) - e.Padded(val.Shape, e.CompactOrder(val.Shape, 0))
		if saved = ordering.Times(saved, int64(max(val.Shape.DType.Bits(), 8)/8)); saved > largest {
			at, largest = val.Node, saved
		}
	}
	if at == -1 {
		return false
	}
	e.AddHint(at, rule.Hint{Out: e.CompactOrder(e.G.ShapeOf(at), 0).Untiled(), May: true, Why: rule.LargestFree})
	return true
}
