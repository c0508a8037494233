package rules

import (
	"hlolayout/hlo"
	"hlolayout/passes/internal/flat"
	"hlolayout/passes/layout/internal/ordering"
	"hlolayout/passes/layout/internal/rule"
)

func transposeRules(e *Set) rule.Rows {
	return rule.Rows{
		rule.ThroughTranspose: {Name: "through-transpose", Stage: rule.Propagate, Evidence: []string{"reshape_pixel_shuffle"},
			Doc: "Through a transpose goes the order with its dimensions renamed, so that nothing moves. It is " +
				"mandatory and followed depth first.",
			Ops: rule.Ops(hlo.OpTranspose), Down: e.transposeDown, Up: e.transposeUp, First: always, Mandatory: true},
	}
}

func (e *Set) transposeDown(n flat.NodeID, _ flat.SlotID, o ordering.Order) ordering.Order {
	perm := e.G.DimsOf(&e.G.Nodes[n])
	inverse := make([]int, len(perm))
	for i, p := range perm {
		inverse[p] = i
	}
	return e.Orders.Mapped(o, inverse)
}

func (e *Set) transposeUp(n flat.NodeID, _ flat.SlotID, o ordering.Order) ordering.Order {
	return e.Orders.Mapped(o, e.G.DimsOf(&e.G.Nodes[n]))
}
