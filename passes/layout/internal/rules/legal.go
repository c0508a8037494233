package rules

import (
	"hlolayout/hlo"
	"hlolayout/passes/internal/flat"
	"hlolayout/passes/layout/internal/ordering"
	"hlolayout/passes/layout/internal/rule"
)

func legalRules(e *Set) rule.Rows {
	return rule.Rows{
		rule.Legal: {Name: "legal", Stage: rule.Copy, Evidence: []string{"legal"},
			Doc: "An operand is copied where an operation cannot make its result from it, though no constraint " +
				"requests another layout. No log shows this; it keeps random modules legal.",
			Ops:   rule.Ops(hlo.OpCustomCall, hlo.OpBroadcast, hlo.OpTranspose, hlo.OpReshape, hlo.OpSort),
			Legal: e.legalOrder},
	}
}

// legalOrder returns the order in which an instruction has to read an array operand that it would read in the order
// have:
// another one where that breaks what the operation needs. A conditional or a call gets its result's layout after its
// users were constrained, and the users' constraints then follow the value; where a user cannot follow, it takes a
// copy. No dump shows this; it keeps random modules legal.
func (e *Set) legalOrder(n flat.NodeID, k int, have ordering.Order) ordering.Order {
	nd := &e.G.Nodes[n]
	x := e.G.ShapeOf(e.G.Operand(n, k))
	if !x.IsArray() || nd.Tuple && nd.Op != hlo.OpSort {
		return have
	}
	out := e.OrderAt(n, 0)
	want := ordering.None
	switch {
	case nd.Op == hlo.OpCustomCall:
		if asked := e.G.Asked(n, k); asked != nil {
			want = e.Written(asked)[0]
		}
	case nd.Op == hlo.OpBroadcast:
		want = e.Orders.Restricted(out, e.G.DimsOf(nd))
	case nd.Op == hlo.OpTranspose:
		want = e.Orders.Mapped(out, e.G.DimsOf(nd))
	case nd.Op == hlo.OpReshape:
		in, to := e.Orders.Get(have), e.Orders.Get(out)
		if a, ok := ordering.Align(x.Dims, in, nd.In.Shape.Dims); (!ok || !ordering.SameDense(nd.In.Shape.Dims, a, to)) &&
			!e.isBitcast(x.DType, x.Dims, in, nd.In.Shape.Dims, to) {
			want = e.acrossReshape(nd.In.Shape, out, x)
		}
	case nd.Op == hlo.OpSort:
		want = out
	}
	if want == ordering.None {
		return have
	}
	return want
}
