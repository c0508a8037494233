package rules

import (
	"slices"

	"hlolayout/hlo"
	"hlolayout/passes/internal/flat"
	"hlolayout/passes/layout/internal/ordering"
	"hlolayout/passes/layout/internal/rule"
)

func sortRules(e *Set) rule.Rows {
	return rule.Rows{
		rule.RepairSort: {Name: "repair-sort", Stage: rule.Repair,
			Text: "repair: the sorted dimension minor", Evidence: []string{"topk_bf16"},
			Doc: "A sort has one order for all operands and results, the first operand's: the sorted dimension " +
				"changes places with the minor one, or with the second-minor one where it has less than 128 " +
				"elements (188 shapes).",
			Ops: rule.Ops(hlo.OpSort), Step: rule.InvalidStep, Sweep: rule.SortSweep, Hint: e.repairSort},
	}
}

// repairSort wants the sorted dimension minor, or second-minor where it is short, by changing places with the one
// there, and all operands and results to have the order of the first operand (188 shapes, no exception:
// testdata/sorts.hlo), with the tile that it carries (189 of 189 in the log; 145 others carry none; topk_bf16).
func (e *Set) repairSort(n flat.NodeID) *rule.Hint {
	nd := &e.G.Nodes[n]
	d := e.G.DimsOf(nd)[0]
	s := e.G.ShapeOf(e.G.Operand(n, 0))
	if s.Rank() < 2 {
		return nil
	}
	at := 1
	if s.Dims[d] >= e.Limit(rule.SortedMinor) {
		at = 0
	}
	has := e.TakenTiled(n, 0)
	o := has.Order
	if mm := slices.Clone(e.Orders.Get(o)); mm[at] != d {
		k := slices.Index(mm, d)
		mm[at], mm[k] = mm[k], mm[at]
		o = e.Orders.Of(mm)
	}
	same := true
	for k := range nd.In.Operands {
		same = same && e.Taken(n, k) == o
	}
	for l, hi := e.G.Leaves(n); l < hi; l++ {
		same = same && e.LayoutOf(e.G.LeafValue[l]).Order == o
	}
	if same {
		return nil
	}
	has.Order = o
	h := &rule.Hint{Out: ordering.None, Rows: has.Rows}
	for k := range nd.In.Operands {
		h.Operands = append(h.Operands, rule.OperandHint{K: k, Has: has, DFS: true})
		h.Leaves = append(h.Leaves, o)
	}
	return h
}
