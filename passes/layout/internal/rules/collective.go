package rules

import (
	"slices"

	"hlolayout/hlo"
	"hlolayout/passes/layout/internal/constraint"
	"hlolayout/passes/layout/internal/rule"
)

func collectiveRules(e *Set) rule.Rows {
	return rule.Rows{
		rule.Collective: {Name: "collective", Stage: rule.Given,
			Text: "the collective's own layouts", Evidence: []string{"collective"},
			Fixed: true, Sweep: rule.GivenSweep, Constrain: e.collective,
			Doc: "A collective with constrain_layout has the layouts that are written in its operands and " +
				"result. They are mandatory."},
		rule.ThroughAllReduce: {Name: "through-all-reduce", Stage: rule.Propagate, Evidence: []string{"coll_psum_tuple"},
			Doc: "An all-reduce of several arrays gives each the layout of its own operand.",
			Ops: rule.Ops(hlo.OpAllReduce), Paired: true},
		rule.RepairAllToAll: {Name: "repair-all-to-all", Stage: rule.Repair,
			Text: "repair: the split dimension major", Evidence: []string{"all_to_all", "all_to_all_later"},
			Doc: "When all reshapes are valid, an all-to-all gets the order of least size that has its split dimension " +
				"most major (18 of 4 programs).",
			Ops: rule.Ops(hlo.OpAllToAll), Step: rule.ReduceStep, Sweep: rule.ReshapeSweep, Hint: e.repairAllToAll},
	}
}

// collective sets the layouts that a collective carries.
func (e *Set) collective(n int32) {
	g := e.G
	nd := &g.Nodes[n]
	if carriers.Has(nd.Op) {
		return
	}
	e.SetLeaves(n, e.Written(nd.In.Shape), 0, constraint.Must, constraint.Because(rule.Collective, n))
	for s, hi := g.Slots(n); s < hi; s++ {
		e.SetWhole(n, s, e.Written(g.ShapeOf(g.Operands[s])), constraint.Must, constraint.Because(rule.Collective, n))
	}
}

// carriers are operations with layouts of their own that are not collectives.
var carriers = rule.Ops(hlo.OpInfeed, hlo.OpOutfeed, hlo.OpSend, hlo.OpRecv, hlo.OpRecvDone, hlo.OpCustomCall)

// repairAllToAll wants the split dimension most major.
func (e *Set) repairAllToAll(n int32) *rule.Hint {
	nd := &e.G.Nodes[n]
	if nd.Tuple || len(e.G.DimsOf(nd)) == 0 || nd.In.Shape.Rank() < 2 {
		return nil
	}
	d := e.G.DimsOf(nd)[0]
	mm := e.Orders.Get(e.MinorToMajor(n))
	if mm[len(mm)-1] == d {
		return nil
	}
	o := e.Orders.Of(e.leastWithMajor(nd.In.Shape, mm, d))
	return &rule.Hint{Operands: []rule.OperandHint{{K: 0, Has: o.Untiled(), DFS: true}}, Out: o}
}

// leastWithMajor returns the order with dimension d most major and the two minor dimensions with which the array takes
// least; the others stay in the sequence of mm. Among equals the longest minor dimension wins, then those of mm: a
// guess from one program.
func (e *Set) leastWithMajor(s *hlo.Shape, mm []int, d int) []int {
	var best []int
	least := int64(0)
	others := slices.DeleteFunc(slices.Clone(mm), func(q int) bool { return q == d })
	try := func(first ...int) {
		rest := slices.DeleteFunc(slices.Clone(others), func(q int) bool { return slices.Contains(first, q) })
		o := slices.Concat(first, rest, []int{d})
		n := e.PaddedDims(s.DType, s.Dims, o)
		if best == nil || n < least || n == least && s.Dims[o[0]] > s.Dims[best[0]] {
			best, least = o, n
		}
	}
	try()
	for _, a := range others {
		for _, b := range others {
			if a != b {
				try(a, b)
			}
		}
	}
	return best
}
