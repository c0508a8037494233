package rules

import (
	"hlolayout/hlo"
	"hlolayout/passes/internal/flat"
	"hlolayout/passes/layout/internal/constraint"
	"hlolayout/passes/layout/internal/rule"
)

func rngRules(e *Set) rule.Rows {
	return rule.Rows{
		rule.RandomBits: {Name: "random-bits", Stage: rule.Constrain,
			Text: "the compact order of random bits", Evidence: []string{"random_bits"},
			Doc: "Random bits have the compact order, whatever uses them (180 of 180 in probes, 32 of 32 in 4 programs).",
			Ops: hlo.Ops(hlo.OpRngBitGenerator), Sweep: rule.CollectiveSweep,
			Constrain: func(n flat.NodeID) {
				for _, v := range e.G.ValuesOf(n) {
					o := e.BoundaryOrder(e.G.Values[v].Shape).Untiled()
					e.SetBuffer(v, o, constraint.Must, constraint.Because(rule.RandomBits, n))
				}
			}},
	}
}
