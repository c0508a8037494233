package rules

import (
	"hlolayout/hlo"
	"hlolayout/passes/internal/flat"
	"hlolayout/passes/layout/internal/rule"
)

func sliceRules(e *Set) rule.Rows {
	return rule.Rows{
		rule.LateIndex: {Name: "late-index", Stage: rule.Propagate, Evidence: []string{"fuzz_095"},
			Doc: "What a dynamic-update-slice wants of its update is followed last, at one priority less.",
			Ops: rule.Ops(hlo.OpDynamicUpdateSlice), Late: func(n flat.NodeID, slot flat.SlotID, priority int16) bool {
				return slot > e.G.Nodes[n].FirstSlot && priority > -2
			}},
	}
}
