package rules

import (
	"hlolayout/hlo"
	"hlolayout/passes/internal/flat"
	"hlolayout/passes/layout/internal/constraint"
	"hlolayout/passes/layout/internal/rule"
)

func linalgRules(e *Set) rule.Rows {
	return rule.Rows{
		rule.Linalg: {Name: "linalg", Stage: rule.Constrain,
			Text: "the descending order of a linear algebra operation", Evidence: []string{"linalg"},
			Doc: "Fft, cholesky and triangular-solve work in the descending order.",
			Ops: rule.Ops(hlo.OpFft, hlo.OpCholesky, hlo.OpTriangularSolve), Sweep: rule.ScanSweep, Constrain: e.linalg},
	}
}

// linalg constrains an operation that works in the descending order only.
func (e *Set) linalg(n flat.NodeID) {
	e.SetInstruction(n, e.Orders.Descending(e.G.ShapeOf(n).Rank()).Untiled(), constraint.Must,
		constraint.Because(rule.Linalg, n))
}
