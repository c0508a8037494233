package layout

import (
	"slices"

	"hlolayout/hlo"
)

// regroup gives the elementwise operations that gain memory by it the compact order of their shape in the next run (section 5).
// It reports whether there are any.
func (e *engine) regroup() bool {
	g := e.g
	seen := make([]bool, len(g.nodes))
	member := make([]int32, len(g.nodes)) // number of the cluster a node is in
	number := int32(0)
	for ci := range g.comps {
		c := &g.comps[ci]
		for n := c.first; n < c.end; n++ {
			nd := &g.nodes[n]
			if seen[n] || !nd.elemwise || nd.tuple || nd.in.Shape.Rank() < 2 || n == c.root {
				continue
			}
			number++
			ops := e.cluster(c, n, number, seen, member)
			if o := e.better(c, ops, number, member); o != none {
				// Only its first value is told; the others follow, or not (joints, mlp_mixer_train).
				e.clusters[slices.Min(ops)], e.grouped = o, true
			}
		}
	}
	return e.grouped
}

// isTrivial reports whether a node is a broadcast of at most one dimension.
func (e *engine) isTrivial(n int32) bool {
	nd := &e.g.nodes[n]
	return nd.op == hlo.OpBroadcast && e.g.shapeOf(e.g.operand(n, 0)).Rank() <= 1
}

// cluster collects the elementwise operations and trivial broadcasts of one size and type that hang together (layernorm, gat; the log
// lists pred members apart).
func (e *engine) cluster(c *comp, first, number int32, seen []bool, member []int32) []int32 {
	g := e.g
	dims := g.shapeOf(first).Dims
	var out []int32
	visit := func(y int32) {
		nd := &g.nodes[y]
		if !seen[y] && y != c.root && !nd.tuple && (nd.elemwise || e.isTrivial(y)) && slices.Equal(nd.in.Shape.Dims, dims) && nd.in.Shape.DType == g.shapeOf(first).DType {
			seen[y] = true
			member[y] = number
			out = append(out, y)
		}
	}
	visit(first)
	for i := 0; i < len(out); i++ {
		x := out[i]
		if !e.isTrivial(x) {
			for s, hi := g.slots(x); s < hi; s++ {
				visit(g.operands[s])
			}
		}
		for _, u := range g.users(x) {
			visit(u.node)
		}
	}
	return out
}

// better returns the compact order of a cluster where moving to it gains more than the copies around it cost, none otherwise.
func (e *engine) better(c *comp, ops []int32, number int32, member []int32) order {
	g := e.g
	shape := g.shapeOf(ops[0])
	old := e.orderOf(ops[0])
	count, bits := int64(0), 0
	for _, x := range ops {
		if e.isTrivial(x) {
			continue
		}
		if e.orderOf(x) != old {
			return none
		}
		count++
		bits = max(bits, g.shapeOf(x).DType.Bits())
	}
	// Sizes are compared under the tile that the layout carries along, a full one where it has none (logcumsum_assoc; 5).
	rows := e.bufferC[g.whole(ops[0])].rows
	if rows == 0 {
		rows = e.t.Sublanes
	}
	compact := e.compactOrder(shape, rows)
	if compact == old {
		return none
	}
	// Both sizes take the widest type (verified: 5).
	before := times(e.paddedRows(shape, old, rows), int64(max(bits, 8)/8))
	after := times(e.paddedRows(shape, compact, rows), int64(max(bits, 8)/8))
	if after >= before {
		return none
	}
	edges := int64(0)
	for _, x := range ops {
		edges += e.costlyEdges(c, x, old, compact, number, member)
	}
	if times(count, before-after) > times(edges, before+after) {
		return compact
	}
	return none
}

// costlyEdges counts the operands and uses of a cluster's operation that would need a copy once it has the compact order. What is
// copied from or to that order already counts nothing: the log counts -1 in fuzz_009 and +1 in resnet18_train_f32, open.
func (e *engine) costlyEdges(c *comp, x int32, old, compact order, number int32, member []int32) int64 {
	g := e.g
	edges := int64(0)
	if !e.isTrivial(x) {
		for s, hi := g.slots(x); s < hi; s++ {
			y := g.operands[s]
			yn := &g.nodes[y]
			if member[y] == number || yn.op == hlo.OpConstant || yn.in.Shape.Rank() < 2 {
				continue
			}
			if e.orderOf(y) == compact {
				if !e.isEntryParameter(y) {
					edges--
				}
				continue
			}
			edges++
		}
	}
	for _, u := range g.users(x) {
		if member[u.node] == number {
			continue
		}
		// The copy that the entry's result takes stands behind the root, which reads the old order.
		if u.node == c.root || e.operandC[u.slot].order != compact {
			edges++
		}
	}
	return edges
}
