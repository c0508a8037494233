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
			Text: "repair: the split dimension major", Evidence: []string{"all_to_all"},
			Doc: "An all-to-all has its split dimension most major.",
			Ops: rule.Ops(hlo.OpAllToAll), Step: rule.InvalidStep, Sweep: rule.ReshapeSweep, Hint: e.repairAllToAll},
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
	mm := e.Orders.Get(e.OrderOf(n))
	if mm[len(mm)-1] == d {
		return nil
	}
	others := slices.DeleteFunc(slices.Clone(mm), func(q int) bool { return q == d })
	o := e.Orders.Of(append(others, d))
	return &rule.Hint{Operands: []rule.OperandHint{{K: 0, Has: o.Untiled(), DFS: true}}, Out: o}
}
