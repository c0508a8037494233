package rules

import (
	"hlolayout/hlo"
	"hlolayout/passes/internal/flat"
	"hlolayout/passes/layout/internal/constraint"
	"hlolayout/passes/layout/internal/rule"
)

func customcallRules(e *Set) rule.Rows {
	return rule.Rows{
		rule.CustomCall: {Name: "custom-call", Stage: rule.Given,
			Text: "the custom call's own layouts", Evidence: []string{"layout_constraint_same"},
			Ops: rule.Ops(hlo.OpCustomCall), Sweep: rule.CallSweep, Constrain: e.customCall,
			Doc: "A custom call with operand_layout_constraints reads its operands in these layouts and gives " +
				"the one written in its shape. LayoutConstraint requests its own written layout instead " +
				"(layout_constraint_same)."},
	}
}

// customCall sets the layouts that a custom call carries.
func (e *Set) customCall(n flat.NodeID) {
	g := e.G
	nd := &g.Nodes[n]
	if !nd.Fixed {
		return
	}
	why := constraint.Because(rule.CustomCall, n)
	e.SetLeaves(n, e.OrdersOf(nd.In.Shape), constraint.Must, why)
	for s, hi := g.Slots(n); s < hi; s++ {
		if shape := g.Asked(n, int(s-nd.FirstSlot)); shape != nil {
			e.SetWhole(n, s, e.Written(shape), constraint.Must, why)
		}
	}
}
