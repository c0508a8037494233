package rules

import (
	"hlolayout/hlo"
	"hlolayout/passes/internal/flat"
	"hlolayout/passes/layout/internal/ordering"
	"hlolayout/passes/layout/internal/rule"
)

func convertRules(e *Set) rule.Rows {
	return rule.Rows{
		rule.ThroughBitcastConvert: {Name: "through-bitcast-convert", Stage: rule.Propagate,
			Evidence: []string{"bitcast_ranks"},
			Doc:      "Between ranks a bitcast-convert drops its last dimension, or adds it as the minor one.",
			Ops:      rule.Ops(hlo.OpBitcastConvert), Up: e.convertUp, First: always, Mandatory: true, KeepsTile: true},
	}
}

// convertUp drops or adds the minor dimension.
func (e *Set) convertUp(n flat.NodeID, slot flat.SlotID, o ordering.Order) ordering.Order {
	return e.Orders.Converted(o, e.G.ShapeOf(e.G.Operands[slot]).Rank())
}
