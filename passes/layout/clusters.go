package layout

import (
	"slices"

	"hlolayout/hlo"
)

// A cluster is a set of operations that hang together and lie alike, and that move to the memory-minimizing order of
// their shape together where that gains more memory than the copies around them would cost (doc.go).
type cluster struct {
	ops      []int32 // from the first in the text on
	around   int     // how many instructions surround them
	units    int64   // the cost of what surrounds them, in copies
	anchored bool    // a reduce-window stands beside them: they stay where they are (clusters_users)
}

// moveClusters is regroup, once.
func (e *engine) moveClusters() bool { return !e.grouped && e.regroup() }

// regroup gives the operations that gain memory by it the compact order of their shape in the next run.
// It reports whether there are any.
func (e *engine) regroup() bool {
	w := &e.walk
	w.e, w.number = e, 0
	if w.member == nil {
		w.member, w.seen = make([]bool, len(e.g.nodes)), [2][]int32{make([]int32, len(e.g.nodes)), make([]int32, len(e.g.nodes))}
	} else {
		clear(w.member)
		clear(w.seen[0])
		clear(w.seen[1])
	}
	for ci := range e.g.comps {
		w.comp = &e.g.comps[ci]
		w.copied = e.copiesRoot(w.comp)
		for n := w.comp.first; n < w.comp.end; n++ {
			if w.member[n] || !w.canMove(n) {
				continue
			}
			if o := e.better(w.from(n)); o != none {
				// Only its first value is told; the others follow, or not.
				e.clusters[n], e.grouped = tiled{o, e.bufferC[e.g.whole(n)].rows}, true
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

// copiesRoot reports whether a copy stands between a computation's root, an array, and its result.
func (e *engine) copiesRoot(c *comp) bool {
	if !e.g.nodes[c.root].in.Shape.IsArray() {
		return false
	}
	want, _ := e.wantedRoot(c, nil)
	return len(want) == 1 && want[0] != none && want[0] != e.orderOf(c.root)
}

// canMove reports whether a node can be in a cluster: an elementwise operation, a constant or a trivial broadcast.
// Selects, copies and what is a computation's result cannot; a root that is copied is none (root_copied).
func (w *clusterWalk) canMove(n int32) bool {
	e := w.e
	nd := &e.g.nodes[n]
	switch {
	case n == w.comp.root && !w.copied || nd.tuple || nd.in.Shape.Rank() < 2:
		return false
	case nd.op == hlo.OpSelect || nd.op == hlo.OpCopy:
		return false
	}
	return nd.elemwise || nd.op == hlo.OpConstant || e.isTrivial(n)
}

// clusterWalk finds the clusters of a run.
type clusterWalk struct {
	e       *engine
	comp    *comp
	copied  bool       // the computation's root is copied
	member  []bool     // by node: it is in some cluster
	seen    [2][]int32 // by node: number of the cluster that counted it last, as operand and as user
	number  int32
	cluster cluster
}

// from collects what hangs together with a node and has its sizes and order, whatever the types, and counts what
// surrounds it.
func (w *clusterWalk) from(first int32) *cluster {
	e, g := w.e, w.e.g
	w.number++
	w.member[first] = true
	w.cluster = cluster{ops: []int32{first}}
	for i := 0; i < len(w.cluster.ops); i++ {
		x := w.cluster.ops[i]
		if e.isTrivial(x) && i > 0 {
			continue // only the first is asked for its users (ddpm_unet)
		}
		if !e.isTrivial(x) {
			for s, hi := g.slots(x); s < hi; s++ {
				if y := g.operands[s]; g.shapeOf(y).Rank() > 1 {
					w.visit(s, y, 0)
				}
			}
		}
		for _, u := range g.users(x) {
			w.visit(u.slot, u.node, 1)
		}
		if x == w.comp.root {
			w.countCopy()
		}
	}
	return &w.cluster
}

// visit takes a node in or counts it, reached through an operand slot: the operand itself (side 0) or its user (side
// 1). Every node counts once on each side (unet_nchw, gat), a copy in between counts instead of it.
func (w *clusterWalk) visit(slot, y int32, side int) {
	e, g, cl := w.e, w.e.g, &w.cluster
	have, want := e.orderOf(g.operands[slot]), e.operandC[slot].order
	if want != none && want != have && !e.readsThrough(g.slotNode[slot], slot, have, want) {
		w.countCopy()
		return
	}
	if first := cl.ops[0]; w.canMove(y) && slices.Equal(g.shapeOf(y).Dims, g.shapeOf(first).Dims) && e.orderOf(y) == e.orderOf(first) {
		if !w.member[y] {
			w.member[y] = true
			cl.ops = append(cl.ops, y)
		}
		return
	}
	if w.seen[side][y] == w.number {
		return
	}
	w.seen[side][y] = w.number
	op := g.nodes[y].op
	cl.around++
	cl.anchored = cl.anchored || op == hlo.OpReduceWindow
	cl.units += e.unitsOf(op, side)
}

// unitsOf is what a neighbour of a cluster counts in copies, once however many edges it has. A select counts more
// that reads the cluster than one that the cluster reads (133 and 47 neighbours in the log).
func (e *engine) unitsOf(op hlo.Opcode, side int) int64 {
	switch {
	case op == hlo.OpSelect && side == 1:
		return e.limits[selectUnits]
	case op == hlo.OpTuple || op == hlo.OpGetTupleElement:
		return e.limits[tupleUnits]
	case op == hlo.OpDot || op == hlo.OpConvolution || op == hlo.OpReshape:
		return e.limits[matrixUnits]
	case op == hlo.OpCopy:
		return e.limits[copyUnits] // it would be saved
	}
	return 1
}

// countCopy counts the copy between a cluster and a neighbour, which would be saved.
func (w *clusterWalk) countCopy() {
	w.cluster.around++
	w.cluster.units += w.e.limits[copyUnits]
}

// better returns the compact order of a cluster where moving to it gains more than what surrounds it costs, none
// otherwise.
func (e *engine) better(cl *cluster) order {
	first := cl.ops[0]
	shape, old := e.g.shapeOf(first), e.orderOf(first)
	rows := e.bufferC[e.g.whole(first)].rows
	compact := e.memoryOrder(shape, old, int64(rows))
	if compact == old || cl.anchored {
		return none
	}
	count := int64(0)
	for _, x := range cl.ops {
		if !e.isTrivial(x) {
			count++
		}
	}
	before, after := 4*e.wordsOf(shape, tiled{old, rows}), 4*e.wordsOf(shape, tiled{compact, rows})
	if after >= before {
		return none
	}
	gain, cost := count*(before-after), cl.units*(before+after)
	if e.weighed != nil {
		e.weighed(cl, compact, gain, cost)
	}
	if gain > cost {
		return compact
	}
	return none
}

// wordsOf returns the padded size with which clusters are compared, in 32-bit words whatever the type. Types of 32
// bits pad to the tile that the layout carries along, a full one where it carries none (logcumsum_assoc); smaller
// ones to the least power of two of rows, as long as they carry no full tile (norms_layer_rms_group; what full tiles
// do is a guess).
func (e *engine) wordsOf(s *hlo.Shape, l tiled) int64 {
	full, rows := e.t.Sublanes, int64(l.rows)
	if bits := int64(s.DType.Bits()); bits < 32 {
		if rows*max(bits, 8) < full*32 {
			full = 1
			for n := s.Dims[e.orders.get(l.order)[1]]; full < n && full < e.t.Sublanes; {
				full *= 2
			}
		}
	} else if rows != 0 {
		full = rows
	}
	return e.paddedRows(s, l.order, full)
}

// memoryOrder is the order of the smallest size under tiles of the given number of rows, 0 for the shape's own; among
// these the one of the smallest size under full tiles; among these the present one, and only then the highest minor,
// then the highest second-minor dimension (1063 shapes of the log).
func (e *engine) memoryOrder(s *hlo.Shape, present order, rows int64) order {
	key := memoryKey{s, present, rows}
	best, known := e.smallest[key]
	if known {
		return best
	}
	best = present
	size, full := e.paddedRows(s, best, rows), e.paddedRows(s, best, e.t.Sublanes)
	e.minorPairs(s, func(o order) {
		n, f := e.paddedRows(s, o, rows), e.paddedRows(s, o, e.t.Sublanes)
		if n < size || n == size && f < full {
			best, size, full = o, n, f
		}
	})
	e.smallest[key] = best
	return best
}

// memoryKey is what memoryOrder is asked: the same again in every run.
type memoryKey struct {
	shape   *hlo.Shape
	present order
	rows    int64
}
