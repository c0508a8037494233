package rules

import (
	"hlolayout/hlo"
	"hlolayout/passes/internal/flat"
	"hlolayout/passes/layout/internal/ordering"
	"hlolayout/passes/layout/internal/rule"
)

// throughRules carry orders through operations that rename, add or drop dimensions.
func throughRules(e *Set) rule.Rows {
	return rule.Rows{
		rule.ThroughTranspose: {Name: "through-transpose", Stage: rule.Propagate, Evidence: []string{"reshape_pixel_shuffle"},
			Doc: "Through a transpose goes the order with its dimensions renamed, so that nothing moves. It is " +
				"mandatory and followed depth first.",
			Ops: hlo.Ops(hlo.OpTranspose), First: always, Mandatory: true,
			Down: func(n flat.NodeID, _ int, o ordering.Order) ordering.Order {
				return e.Orders.Restricted(o, e.G.DimsOf(n))
			},
			Up: func(n flat.NodeID, _ int, o ordering.Order) ordering.Order {
				return e.Orders.Mapped(o, e.G.DimsOf(n))
			}},
		rule.ThroughBroadcast: {Name: "through-broadcast", Stage: rule.Propagate, Evidence: []string{"layernorm"},
			Doc: "A broadcast's operand has the order, and the tile, of the result, of its own dimensions only.",
			Ops: hlo.Ops(hlo.OpBroadcast), Mandatory: true, KeepsTile: true,
			Up: func(n flat.NodeID, _ int, o ordering.Order) ordering.Order {
				return e.Orders.Restricted(o, e.G.DimsOf(n))
			}},
		rule.ThroughBitcastConvert: {Name: "through-bitcast-convert", Stage: rule.Propagate,
			Evidence: []string{"bitcast_ranks"},
			Doc:      "Between ranks a bitcast-convert drops its last dimension, or adds it as the minor one.",
			Ops:      hlo.Ops(hlo.OpBitcastConvert), First: always, Mandatory: true, KeepsTile: true,
			Up: func(n flat.NodeID, _ int, o ordering.Order) ordering.Order {
				mm := e.Orders.Get(o)
				if e.G.ShapeOf(e.G.Operand(n, 0)).Rank() > len(mm) {
					return e.Orders.Of(append([]int{len(mm)}, mm...))
				}
				return e.Orders.Natural(o, []int{len(mm) - 1})
			}},
		rule.Late: {Name: "late", Stage: rule.Propagate, Evidence: []string{"fuzz_095", "gather_scalar"},
			Doc: "What a reshape of a dynamic-slice wants of it, and what a dynamic-update-slice wants of its update, is " +
				"followed last, at one priority less.",
			Ops: hlo.Ops(hlo.OpReshape, hlo.OpDynamicUpdateSlice),
			Late: func(n flat.NodeID, k int, priority int16) bool {
				if e.G.Nodes[n].Op == hlo.OpReshape {
					return e.G.Nodes[e.G.Operand(n, 0)].Op == hlo.OpDynamicSlice
				}
				return k > 0 && priority > -2
			}},
	}
}
