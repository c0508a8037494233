package rules

import (
	"slices"

	"hlolayout/hlo"
	"hlolayout/passes/internal/flat"
	"hlolayout/passes/layout/internal/ordering"
	"hlolayout/passes/layout/internal/rule"
)

func clusterRules(e *Set) rule.Rows {
	d := &clusters{Set: e}
	return rule.Rows{
		rule.Cluster: {Name: "cluster", Stage: rule.Improve,
			Text: "the compact order pays for a group of elementwise operations", Evidence: []string{"bitcast_moves"},
			Doc: "Elementwise operations that hang together and have one order move to the compact one together " +
				"where that gains more memory than the copies around them would cost (475 decisions in 181 " +
				"runs).",
			Step: rule.ClusterStep, Find: d.moveClusters},
	}
}

// A cluster is a set of operations that are connected and have one order, and that move to the memory-minimizing order
// of their shape together where that gains more memory than the copies around them would cost (doc.go).
type cluster struct {
	ops      []flat.NodeID // from the first in the text on
	around   int           // how many instructions surround them
	units    int64         // the cost of what surrounds them, in copies
	anchored bool          // a reduce-window is next to them: they stay where they are (clusters_users)
}

// clusters is what the rule of clusters remembers.
type clusters struct {
	*Set
	walk    clusterWalk
	grouped bool // some cluster was moved
}

// moveClusters is assignClusters, once.
func (e *clusters) moveClusters() bool { return !e.grouped && e.assignClusters() }

// assignClusters gives the operations that gain memory by it the compact order of their shape in the next run.
// It reports whether there are any.
func (e *clusters) assignClusters() bool {
	w := &e.walk
	w.e, w.number = e.Set, 0
	if w.member == nil {
		w.member, w.seen = make([]bool, len(e.G.Nodes)),
			[2][]int32{make([]int32, len(e.G.Nodes)), make([]int32, len(e.G.Nodes))}
	} else {
		clear(w.member)
		clear(w.seen[0])
		clear(w.seen[1])
	}
	for ci := range e.G.Comps {
		w.comp = &e.G.Comps[ci]
		w.copied = e.copiesRoot(w.comp)
		for n := w.comp.First; n < w.comp.End; n++ {
			if w.member[n] || !w.canMove(n) {
				continue
			}
			if o := e.better(w.from(n)); o != ordering.None {
				// Only its first value is constrained; the others follow, or not.
				e.Moves[n], e.grouped = o.Carrying(e.LayoutOf(e.G.Whole(n)).Rows), true
			}
		}
	}
	return e.grouped
}

// isTrivial reports whether a node is a broadcast of at most one dimension.
func (e *Set) isTrivial(n flat.NodeID) bool {
	nd := &e.G.Nodes[n]
	return nd.Op == hlo.OpBroadcast && e.G.ShapeOf(e.G.Operand(n, 0)).Rank() <= 1
}

// copiesRoot reports whether there is a copy between a computation's root, an array, and its result.
func (e *clusters) copiesRoot(c *flat.Comp) bool {
	if !e.G.Nodes[c.Root].In.Shape.IsArray() {
		return false
	}
	want, _ := e.WantedRoot(c, nil)
	return len(want) == 1 && want[0] != ordering.None && want[0] != e.MinorToMajor(c.Root)
}

// canMove reports whether a node can be in a cluster: an elementwise operation, a constant or a trivial broadcast.
// Selects, copies and what is a computation's result cannot; a root that is copied is none (root_copied).
func (w *clusterWalk) canMove(n flat.NodeID) bool {
	e := w.e
	nd := &e.G.Nodes[n]
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
	e       *Set
	comp    *flat.Comp
	copied  bool       // the computation's root is copied
	member  []bool     // by node: it is in some cluster
	seen    [2][]int32 // by node: number of the cluster that counted it last, as operand and as user
	number  int32
	cluster cluster
}

// from collects what hangs together with a node and has its sizes and order, whatever the types, and counts what
// surrounds it.
func (w *clusterWalk) from(first flat.NodeID) *cluster {
	e, g := w.e, w.e.G
	w.number++
	w.member[first] = true
	w.cluster = cluster{ops: []flat.NodeID{first}}
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
func (w *clusterWalk) visit(slot flat.SlotID, y flat.NodeID, side int) {
	e, g, cl := w.e, w.e.G, &w.cluster
	have, want := e.MinorToMajor(g.Operands[slot]), e.AsksFor(slot).Order
	if want != ordering.None && want != have && !e.ReadsThrough(g.SlotNode[slot], slot, have, want) {
		w.countCopy()
		return
	}
	if first := cl.ops[0]; w.canMove(y) && slices.Equal(g.ShapeOf(y).Dims, g.ShapeOf(first).Dims) &&
		e.MinorToMajor(y) == e.MinorToMajor(first) {
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
func (e *Set) unitsOf(op hlo.Opcode, side int) int64 {
	switch {
	case op == hlo.OpSelect && side == 1:
		return e.Limit(rule.SelectUnits)
	case op == hlo.OpTuple || op == hlo.OpGetTupleElement:
		return e.Limit(rule.TupleUnits)
	case op == hlo.OpDot || op == hlo.OpConvolution || op == hlo.OpReshape:
		return e.Limit(rule.MatrixUnits)
	case op == hlo.OpCopy:
		return e.Limit(rule.CopyUnits) // it would be saved
	}
	return 1
}

// countCopy counts the copy between a cluster and a neighbour, which would be saved.
func (w *clusterWalk) countCopy() {
	w.cluster.around++
	w.cluster.units += w.e.Limit(rule.CopyUnits)
}

// better returns the compact order of a cluster where moving to it gains more than what surrounds it costs, none
// otherwise.
func (e *clusters) better(cl *cluster) ordering.Order {
	first := cl.ops[0]
	shape, old := e.G.ShapeOf(first), e.MinorToMajor(first)
	rows := e.LayoutOf(e.G.Whole(first)).Rows
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
	if e.Weighed != nil {
		e.Weighed(first, compact, cl.around, len(cl.ops), gain, cost)
	}
	if gain > cost {
		return compact
	}
	return ordering.None
}
