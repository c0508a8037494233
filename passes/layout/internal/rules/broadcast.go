package rules

import (
	"hlolayout/hlo"
	"hlolayout/passes/internal/flat"
	"hlolayout/passes/layout/internal/ordering"
	"hlolayout/passes/layout/internal/rule"
)

func broadcastRules(e *Set) rule.Rows {
	return rule.Rows{
		rule.ThroughBroadcast: {Name: "through-broadcast", Stage: rule.Propagate, Evidence: []string{"layernorm"},
			Doc: "A broadcast's operand has the order, and the tile, of the result, of its own dimensions only.",
			Ops: rule.Ops(hlo.OpBroadcast), Up: e.broadcastUp, Mandatory: true, KeepsTile: true},
	}
}

// broadcastUp is the result's order, of the operand's dimensions only.
func (e *Set) broadcastUp(n flat.NodeID, _ flat.SlotID, o ordering.Order) ordering.Order {
	return e.Orders.Restricted(o, e.G.DimsOf(&e.G.Nodes[n]))
}
