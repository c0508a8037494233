package rules

import (
	"slices"

	"hlolayout/hlo"
	"hlolayout/passes/internal/flat"
	"hlolayout/passes/layout/internal/rule"
)

func sortRules(e *Set) rule.Rows {
	return rule.Rows{
		rule.RepairSort: {Name: "repair-sort", Stage: rule.Repair, Text: "repair: the sorted dimension minor",
			Evidence: []string{"topk_bf16"},
			Doc: "A sort has one order for all operands and results, the first operand's: the sorted dimension changes places " +
				"with the minor one, or with the second-minor one where it has less than 128 elements (188 shapes).",
			Ops: hlo.Ops(hlo.OpSort), Step: rule.InvalidStep, Sweep: rule.SortSweep, Hint: e.repairSort, Required: true},
	}
}

// repairSort keeps the tile that the first operand carries (189 of 189 in the log; 145 others carry none; topk_bf16).
func (e *Set) repairSort(n flat.NodeID) *rule.Hint {
	nd := &e.G.Nodes[n]
	if e.G.ShapeOf(e.G.Operand(n, 0)).Rank() < 2 {
		return nil
	}
	has := e.TakenTiled(n, 0)
	d, at := e.sorted(n)
	mm := slices.Clone(e.Orders.Get(has.Order))
	k := slices.Index(mm, d)
	mm[at], mm[k] = mm[k], mm[at]
	has.Order = e.Orders.Of(mm)
	same := e.Gives(n, has.Order)
	for k := range nd.In.Operands {
		same = same && e.Taken(n, k) == has.Order
	}
	if same {
		return nil
	}
	return &rule.Hint{Operands: len(nd.In.Operands), In: has, First: true, Out: has}
}
