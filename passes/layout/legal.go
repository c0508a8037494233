package layout

import (
	"hlolayout/hlo"
	"hlolayout/passes/layout/internal/ordering"
)

// legal returns the order in which an instruction has to read an array operand that it would read in the order have:
// another one where that breaks what the operation needs. A conditional or a call gets its result's layout after its
// users were constrained, and the users' constraints then follow the value; where a user cannot follow, it takes a
// copy. No dump shows this; it keeps random modules legal. Runs before the last one are left as they are, for their
// copies take names.
func (e *engine) legal(n int32, k int, have ordering.Order) ordering.Order {
	nd := &e.g.Nodes[n]
	x := e.g.ShapeOf(e.g.Operand(n, k))
	if !e.settled || e.off[ruleLegal] || !x.IsArray() || nd.Tuple && nd.Op != hlo.OpSort {
		return have
	}
	out := e.orderAt(n, 0)
	want := ordering.None
	switch {
	case nd.Op == hlo.OpCustomCall:
		if asked := e.asked(n, k); asked != nil {
			want = e.written(asked)[0]
		}
	case nd.Op == hlo.OpBroadcast:
		want = e.Orders.Restricted(out, e.g.DimsOf(nd))
	case nd.Op == hlo.OpTranspose:
		want = e.operandOrder(n, nd.FirstSlot, out)
	case nd.Op == hlo.OpReshape:
		in, to := e.Orders.Get(have), e.Orders.Get(out)
		if a, ok := ordering.Align(x.Dims, in, nd.In.Shape.Dims); (!ok || !ordering.SameDense(nd.In.Shape.Dims, a, to)) && !e.isBitcast(x.DType, x.Dims, in, nd.In.Shape.Dims, to) {
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
