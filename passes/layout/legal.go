package layout

import "hlolayout/hlo"

// legal returns the order in which an instruction has to read an array operand that it would read in the order have:
// another one where that breaks what the operation needs. A conditional or a call gets its result's layout after its
// users were constrained, and the users' constraints then follow the value; where a user cannot follow, it takes a
// copy. No dump shows this; it keeps random modules legal. Runs before the last one are left as they are, for their
// copies take names.
func (e *engine) legal(n int32, k int, have order) order {
	nd := &e.g.nodes[n]
	x := e.g.shapeOf(e.g.operand(n, k))
	if !e.settled || e.off[ruleLegal] || !x.IsArray() || nd.tuple && nd.op != hlo.OpSort {
		return have
	}
	out := e.orderAt(n, 0)
	want := none
	switch {
	case nd.op == hlo.OpCustomCall:
		if asked := e.asked(n, k); asked != nil {
			want = e.written(asked)[0]
		}
	case nd.op == hlo.OpBroadcast:
		want = e.restricted(out, e.g.dimsOf(nd))
	case nd.op == hlo.OpTranspose:
		want = e.operandOrder(n, nd.operand, out)
	case nd.op == hlo.OpReshape:
		in, to := e.orders.get(have), e.orders.get(out)
		if a, ok := align(x.Dims, in, nd.in.Shape.Dims); (!ok || !sameDense(nd.in.Shape.Dims, a, to)) && !e.isBitcast(x.DType, x.Dims, in, nd.in.Shape.Dims, to) {
			want = e.acrossReshape(nd.in.Shape, out, x)
		}
	case nd.op == hlo.OpSort:
		want = out
	}
	if want == none {
		return have
	}
	return want
}
