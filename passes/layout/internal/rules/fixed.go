package rules

import (
	"hlolayout/hlo"
	"hlolayout/passes/internal/flat"
	"hlolayout/passes/layout/internal/constraint"
	"hlolayout/passes/layout/internal/rule"
)

// fixedRules are those of operations that have one order, whatever is around them.
func fixedRules(e *Set) rule.Rows {
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
		rule.Linalg: {Name: "linalg", Stage: rule.Constrain,
			Text: "the descending order of a linear algebra operation", Evidence: []string{"linalg"},
			Doc: "Fft, cholesky and triangular-solve work in the descending order, as what they are expanded to does. " +
				"Layout assignment meets none of them, lowered and unoptimized text has them (of 894 orders of .ci/worth " +
				"outside of fusions 96.2 % are predicted, 95.3 % without the rule).",
			Ops: hlo.Ops(hlo.OpFft, hlo.OpCholesky, hlo.OpTriangularSolve), Sweep: rule.ScanSweep,
			Constrain: func(n flat.NodeID) {
				o := e.Orders.Descending(e.G.ShapeOf(n).Rank()).Untiled()
				e.SetInstruction(n, o, constraint.Must, constraint.Because(rule.Linalg, n))
			}},
	}
}
