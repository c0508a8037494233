package layout

import (
	"hlolayout/hlo"
	"hlolayout/passes/internal/flat"
	"hlolayout/passes/layout/internal/ordering"
	"slices"
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
		w.member, w.seen = make([]bool, len(e.g.Nodes)), [2][]int32{make([]int32, len(e.g.Nodes)), make([]int32, len(e.g.Nodes))}
	} else {
		clear(w.member)
		clear(w.seen[0])
		clear(w.seen[1])
	}
	for ci := range e.g.Comps {
		w.comp = &e.g.Comps[ci]
		w.copied = e.copiesRoot(w.comp)
		for n := w.comp.First; n < w.comp.End; n++ {
			if w.member[n] || !w.canMove(n) {
				continue
			}
			if o := e.better(w.from(n)); o != ordering.None {
				// Only its first value is told; the others follow, or not.
				e.clusters[n], e.grouped = o.Carrying(e.bufferC[e.g.Whole(n)].Rows), true
			}
		}
	}
	return e.grouped
}

// isTrivial reports whether a node is a broadcast of at most one dimension.
func (e *engine) isTrivial(n int32) bool {
	nd := &e.g.Nodes[n]
	return nd.Op == hlo.OpBroadcast && e.g.ShapeOf(e.g.Operand(n, 0)).Rank() <= 1
}

// copiesRoot reports whether a copy stands between a computation's root, an array, and its result.
func (e *engine) copiesRoot(c *flat.Comp) bool {
	if !e.g.Nodes[c.Root].In.Shape.IsArray() {
		return false
	}
	want, _ := e.wantedRoot(c, nil)
	return len(want) == 1 && want[0] != ordering.None && want[0] != e.orderOf(c.Root)
}

// canMove reports whether a node can be in a cluster: an elementwise operation, a constant or a trivial broadcast.
// Selects, copies and what is a computation's result cannot; a root that is copied is none (root_copied).
func (w *clusterWalk) canMove(n int32) bool {
	e := w.e
	nd := &e.g.Nodes[n]
	switch {
	case n == w.comp.Root && !w.copied || nd.Tuple || nd.In.Shape.Rank() < 2:
		return false
	case nd.Op == hlo.OpSelect || nd.Op == hlo.OpCopy:
		return false
	}
	return nd.Elemwise || nd.Op == hlo.OpConstant || e.isTrivial(n)
}

// clusterWalk finds the clusters of a run.
type clusterWalk struct {
	e       *engine
	comp    *flat.Comp
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
			for s, hi := g.Slots(x); s < hi; s++ {
				if y := g.Operands[s]; g.ShapeOf(y).Rank() > 1 {
					w.visit(s, y, 0)
				}
			}
		}
		for _, u := range g.Users(x) {
			w.visit(u.Slot, u.Node, 1)
		}
		if x == w.comp.Root {
			w.countCopy()
		}
	}
	return &w.cluster
}

// visit takes a node in or counts it, reached through an operand slot: the operand itself (side 0) or its user (side
// 1). Every node counts once on each side (unet_nchw, gat), a copy in between counts instead of it.
func (w *clusterWalk) visit(slot, y int32, side int) {
	e, g, cl := w.e, w.e.g, &w.cluster
	have, want := e.orderOf(g.Operands[slot]), e.operandC[slot].Order
	if want != ordering.None && want != have && !e.readsThrough(g.SlotNode[slot], slot, have, want) {
		w.countCopy()
		return
	}
	if first := cl.ops[0]; w.canMove(y) && slices.Equal(g.ShapeOf(y).Dims, g.ShapeOf(first).Dims) && e.orderOf(y) == e.orderOf(first) {
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
	op := g.Nodes[y].Op
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
func (e *engine) better(cl *cluster) ordering.Order {
	first := cl.ops[0]
	shape, old := e.g.ShapeOf(first), e.orderOf(first)
	rows := e.bufferC[e.g.Whole(first)].Rows
	compact := e.MemoryOrder(shape, old, int64(rows))
	if compact == old || cl.anchored {
		return ordering.None
	}
	count := int64(0)
	for _, x := range cl.ops {
		if !e.isTrivial(x) {
			count++
		}
	}
	before, after := 4*e.WordsOf(shape, old.Carrying(rows)), 4*e.WordsOf(shape, compact.Carrying(rows))
	if after >= before {
		return ordering.None
	}
	gain, cost := count*(before-after), cl.units*(before+after)
	if e.weighed != nil {
		e.weighed(cl, compact, gain, cost)
	}
	if gain > cost {
		return compact
	}
	return ordering.None
}
