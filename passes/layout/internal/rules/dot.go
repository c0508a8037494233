package rules

import (
	"hlolayout/hlo"
	"hlolayout/passes/internal/flat"
	"hlolayout/passes/layout/internal/constraint"
	"hlolayout/passes/layout/internal/rule"
)

// dotRules are what dots request. Which rule decides the layout of a dot, in the order in which they are asked:
//
//  1. The free dimension of the left operand that is M, that of the right one that is N and the contracting one that is
//     K: those that waste least, but for dot-wide (dotdims.go).
//  2. Which of M and N is minor in the result: the first of the rules dot-constrained to dot-reduces that says so, else
//     N (dotminor.go, for convolutions, too).
//  3. The order of each operand, with K and M or N minor: dot, dot-contracted, dot-part; explore-cut,
//     explore-scaled and explore-collective say whether it is followed depth first. Matrices are read in any order
//     (dot), and so are tables (dot-gathered).
//  4. A dot whose result leads to another dot requests nothing in the first two runs, and for what these left after
//     them: the rules dot-group to dot-group-free; loose-group and group-lanes say which operands it requests before.
//  5. When all else is valid after a run, the dot reads its left operand as it is where that is as good: the rules
//     dot-takes-free to dot-takes-contracted; dot-takes-source, dot-takes-merged and dot-readers-through say what is
//     before and after it. A dot of matrices and vectors, which requests nothing, has those of dot-matrix to
//     dot-matrix-lanes (dotrepair.go).
func dotRules(e *Set) rule.Rows {
	d := e.dots
	return rule.Rows{
		rule.Dot: {Name: "dot", Stage: rule.Constrain,
			Text: "the matrix unit's order for a dot", Evidence: []string{"layout_auto_matmul"},
			Doc: "The two minor dimensions of a dot's result are M and N. The first of the rules dot-constrained to " +
				"dot-reduces that applies says which is minor, and a reason names it after this one; else N is. A dot reads " +
				"operands of more than a matrix with K and one free dimension minor. M, N and K are the dimensions that waste " +
				"least when they are padded to whole lanes. A dot without a free dimension on each side requests nothing (0 of " +
				"81).",
			Ops: hlo.Ops(hlo.OpDot), Sweep: rule.DotSweep, Constrain: d.constrain},
		rule.DotGroup: {Name: "dot-group", Stage: rule.Constrain, Evidence: []string{"mpnn"},
			Doc: "A dot whose chain of single users, of whatever operation but reshape, ends in another dot asks " +
				"for nothing in the first two runs (1174 walks; 151 of 160 and 0 of 42 runs)."},
		rule.DotGroupOrder: {Name: "dot-group-order", Stage: rule.Constrain, Evidence: []string{"dot_group_batch",
			"dot_group_pair", "dot_group_order"},
			Doc: "From the third run on, a dot of a group keeps its dimensions in the order that the result had after " +
				"the second, if the minor ones are the same (375 of 375 dots of programs and probes). The operands' other " +
				"dimensions follow, also in what loose-group requests before (80 of 80 probes, 47 without this).",
			Ran: d.settleGroups},
		rule.DotGroupPair: {Name: "dot-group-pair", Stage: rule.Constrain,
			Evidence: []string{"resize_rows", "dot_group_kept_k", "dot_group_kept_n", "dot_group_kept_m"},
			Doc: "From the third run on, a dot of a group also keeps those dimensions as M and N that the result had minor, " +
				"one of each side, unless another one is more than twice as long (N: 4 dots of 3 programs, against 5 of 5 " +
				"probes; M: 2 dots of a program and 6 of probes, against 4 of probes and 2 of 2 programs). So it does with K: " +
				"the contracting dimension that the left operand, else the right one, has minor next to M or N (540 of 540 " +
				"probes). Where the result does not have one of each side, and the left operand not M and K minor, N is the " +
				"free dimension that the right operand has minor with K, within the same bound (15 of 15 probes and a mask " +
				"decoder, against 15 of 15 where the left one has them; the bound: 2 programs)."},
		rule.DotWide: {Name: "dot-wide", Stage: rule.Constrain, Evidence: []string{"dots_free"},
			Doc: "Where K or N spans the lanes, M is the last free dimension of the left that fills whole lanes, " +
				"else the last one that none before it beats in lanes and in rows (440 dots)."},
		rule.DotContracted: {Name: "dot-contracted", Stage: rule.Constrain, Evidence: []string{"dot_contracted", "dot_lists"},
			Doc: "Contracting dimensions that are not minor are more minor than free ones, in the reverse of the order " +
				"in which the dot lists them; K is the last of those that waste alike (11 dots of a probe whose lists " +
				"do not ascend, one of a program)."},
		rule.DotPart: {Name: "dot-part", Stage: rule.Constrain, Evidence: []string{"dot_part"},
			Doc: "Which of the two minor dimensions of an operand that an all-gather gives is minor follows the size of " +
				"one device's part (18 probes, 5 dots of a program)."},
		rule.DotGathered: {Name: "dot-gathered", Stage: rule.Constrain, Evidence: []string{"dot_gathered"},
			Doc: "A dot does not request the order of a matrix that a gather reads as its table."},
		rule.ExploreCut: {Name: "explore-cut", Stage: rule.Constrain, Evidence: []string{"conv_depthwise"},
			Doc: "A dot's or convolution's operand is explored depth first where it is, before reshapes, transposes and " +
				"conversions, a constant, a part of an array or built from several (1573 operands, one exception)."},
		rule.ExploreScaled: {Name: "explore-scaled", Stage: rule.Constrain, Evidence: []string{"dot_scaled"},
			Doc: "What explore-cut says holds before elementwise operations, too, that read one array and otherwise broadcast " +
				"scalars, such as a negated part (99 operands, 7 of them in programs; with this rule all 2992 of probes and " +
				"programs)."},
		rule.ExploreCollective: {Name: "explore-collective", Stage: rule.Constrain, Evidence: []string{"dot_part"},
			Doc: "A dot's operand that is the result of a collective is explored depth first (76 operands; that of " +
				"collective-permutes and reduce-scatters is a guess)."},
	}
}

// constrain constrains a dot: of one of a group, in the first runs, only loose operands.
func (e *dots) constrain(n flat.NodeID) {
	x := e.list[e.place[n]]
	asks := &x.asks
	if e.isEarly(x) {
		asks = &x.early
	} else if !x.known {
		x.asks, x.known = e.orders(x, *e.dims(x)), true
	}
	e.SetInstruction(n, asks.out.Untiled(), constraint.Must,
		constraint.Cause{Rule: rule.Dot, Chosen: asks.chosen, Node: n})
	for k, o := range asks.operands {
		e.SetOperand(n, k, o.order.Untiled(), constraint.Flags{Mandatory: true, DFS: o.dfs},
			constraint.Because(rule.Dot, n))
	}
}

// settleGroups lets the dots of groups request what others do.
func (e *dots) settleGroups() {
	if int64(e.RunNumber()) != e.Limit(rule.GroupRuns)-1 {
		return
	}
	for _, x := range e.list {
		if e.isGroup(x) {
			d := *e.dims(x)
			e.keepPair(x.node, &d)
			e.keepN(x.node, &d)
			x.dims, x.settled, x.asks, x.known = &d, &d, e.orders(x, d), true
			e.keepPlaces(x)
		}
	}
}
