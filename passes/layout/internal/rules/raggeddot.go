package rules

import (
	"slices"

	"hlolayout/hlo"
	"hlolayout/passes/internal/flat"
	"hlolayout/passes/layout/internal/constraint"
	"hlolayout/passes/layout/internal/ordering"
	"hlolayout/passes/layout/internal/rule"
)

func raggedDotRules(e *Set) rule.Rows {
	return rule.Rows{
		rule.RaggedDot: {Name: "ragged-dot", Stage: rule.Constrain,
			Text: "the order that a ragged dot needs", Evidence: []string{"ragged_dot"},
			Doc: "Where the ragged dimension is M, the left operand has K minor, then M, and the right one N, then K, the " +
				"group most major; one whose dimensions are group, N, K is descending. Where it is K, the right operand has N " +
				"minor, then K, and the left one any order. The result has N minor, then M. Of several N, it is the one that " +
				"wastes least. A ragged dot with batch dimensions or several contracting ones requests nothing (61 of 61 in " +
				"probes, 12 of 12 in a program).",
			Ops: hlo.Ops(hlo.OpRaggedDot), Sweep: rule.ScanSweep, Constrain: e.raggedDot},
	}
}

// raggedDot constrains a ragged dot's result and operands.
func (e *Set) raggedDot(n flat.NodeID) {
	in := e.G.Nodes[n].In
	lhs, rhs := in.Operands[0].Shape, in.Operands[1].Shape
	left, right := in.Ints("lhs_contracting_dims"), in.Ints("rhs_contracting_dims")
	group := in.Ints("rhs_group_dims") // none where K is ragged
	ms := hlo.OtherDims(lhs.Rank(), nil, left)
	ns := hlo.OtherDims(rhs.Rank(), group, right)
	if len(in.Ints("lhs_batch_dims")) > 0 || len(left) != 1 || len(right) != 1 || len(ms) != 1 || len(ns) == 0 {
		return
	}
	why := constraint.Because(rule.RaggedDot, n)
	order := func(s *hlo.Shape, minor, major []int) ordering.Tiled {
		return e.Orders.Of(ordering.WithMinor(s.Rank(), minor, major)).Untiled()
	}
	free := leastWaste(rhs.Dims, ns)
	m := in.Shape.Rank() - len(ns) - 1
	e.SetInstruction(n, order(in.Shape, []int{m + 1 + slices.Index(ns, free), m}, nil), constraint.Must, why)
	pair := []int{free, right[0]}
	if len(group) == 1 {
		e.SetOperand(n, 0, order(lhs, []int{left[0], ms[0]}, nil), constraint.Must, why)
		if rhs.Rank() == 3 && group[0] < free && free < right[0] {
			slices.Reverse(pair)
		}
	}
	e.SetOperand(n, 1, order(rhs, pair, group), constraint.Must, why)
}
