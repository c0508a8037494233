package rules

import (
	"hlolayout/hlo"
	"hlolayout/passes/internal/flat"
	"hlolayout/passes/layout/internal/ordering"
	"hlolayout/passes/layout/internal/rule"
)

func clusterRules(e *Set) rule.Rows {
	moved := false // they are looked for until some are found
	return rule.Rows{
		rule.Cluster: {Name: "cluster", Stage: rule.Improve,
			Text: "the compact order pays for a group of elementwise operations", Evidence: []string{"bitcast_moves"},
			Doc: "Elementwise operations that hang together and have one order move to the compact one together where that " +
				"gains more memory than the copies around them would cost (475 decisions in 181 runs).",
			Step: rule.ClusterStep, Sweep: rule.ClusterSweep, Find: func() bool {
				if moved {
					return false
				}
				moved = e.moveClusters()
				return moved
			}},
	}
}

// clusters finds the clusters of a run. A cluster is a set of operations that are connected and have one order.
type clusters struct {
	*Set
	comp   *flat.Comp
	copied bool       // the computation's root, an array, is copied for its result
	member []bool     // by node: it is in some cluster
	seen   [2][]int32 // by node: number of the cluster that counted it last, as operand and as user
	number int32      // of the present cluster

	ops      []flat.NodeID // of the present cluster, from the first in the text on
	around   int           // how many instructions surround them
	units    int64         // the cost of what surrounds them, in copies
	anchored bool          // a reduce-window is next to them: they stay where they are (clusters_users)
}

// moveClusters gives the operations that gain memory by it the compact order of their shape in the next run.
// It reports whether there are any.
func (e *Set) moveClusters() (found bool) {
	nodes := len(e.G.Nodes)
	w := &clusters{Set: e, member: make([]bool, nodes), seen: [2][]int32{make([]int32, nodes), make([]int32, nodes)}}
	for ci := range e.G.Comps {
		w.comp = &e.G.Comps[ci]
		want, _ := e.WantedRoot(w.comp, nil)
		root := w.comp.Root
		w.copied = len(want) == 1 && want[0] != ordering.None && want[0] != e.MinorToMajor(root)
		for n := w.comp.First; n < w.comp.End; n++ {
			if w.member[n] || !w.canMove(n) {
				continue
			}
			w.collect(n)
			if o := w.better(); o != ordering.None {
				e.AddHint(n, rule.Hint{Out: o.Carrying(e.LayoutOf(e.G.Whole(n)).Rows), May: true, Why: rule.Cluster})
				found = true
			}
		}
	}
	return found
}

// isTrivial reports whether a node is a broadcast of at most one dimension.
func (e *Set) isTrivial(n flat.NodeID) bool {
	nd := &e.G.Nodes[n]
	return nd.Op == hlo.OpBroadcast && e.G.Nodes[e.G.Operand(n, 0)].Rank <= 1
}

// canMove reports whether a node can be in a cluster: an elementwise operation, a constant or a trivial broadcast.
// Selects and what is a computation's result cannot; a root that is copied is none (root_copied).
func (w *clusters) canMove(n flat.NodeID) bool {
	nd := &w.G.Nodes[n]
	if n == w.comp.Root && !w.copied || nd.Rank < 2 || nd.Op == hlo.OpSelect {
		return false
	}
	return nd.Elemwise() || nd.Op == hlo.OpConstant || w.isTrivial(n)
}

// collect makes the cluster of what hangs together with a node and has its sizes and order, whatever the types, and
// counts what surrounds it.
func (w *clusters) collect(first flat.NodeID) {
	w.number++
	w.member[first] = true
	w.ops, w.around, w.units, w.anchored = append(w.ops[:0], first), 0, 0, false
	for i := 0; i < len(w.ops); i++ {
		x := w.ops[i]
		if i > 0 && w.isTrivial(x) {
			continue // only the first is asked for its users (ddpm_unet)
		}
		for s, hi := w.G.Slots(x); s < hi; s++ {
			if y := w.G.Operands[s]; w.G.Nodes[y].Rank > 1 {
				w.visit(s, y, 0)
			}
		}
		for _, u := range w.G.Users(x) {
			w.visit(u.Slot, u.Node, 1)
		}
		if x == w.comp.Root {
			w.count(w.Limit(rule.CopyUnits))
		}
	}
}

// visit takes a node in or counts it, reached through an operand slot: the operand itself (side 0) or its user (side
// 1). Every node counts once on each side (unet_nchw, gat), a copy in between counts instead of it.
func (w *clusters) visit(slot flat.SlotID, y flat.NodeID, side int) {
	g, first := w.G, w.ops[0]
	switch {
	case w.Taken(g.SlotNode[slot], g.OperandNumber(slot)) != w.MinorToMajor(g.Operands[slot]):
		w.count(w.Limit(rule.CopyUnits)) // it would be saved
	case w.canMove(y) && w.MinorToMajor(y) == w.MinorToMajor(first):
		if !w.member[y] {
			w.member[y] = true
			w.ops = append(w.ops, y)
		}
	case w.seen[side][y] != w.number:
		w.seen[side][y] = w.number
		w.anchored = w.anchored || g.Nodes[y].Op == hlo.OpReduceWindow
		w.count(w.unitsOf(g.Nodes[y].Op, side))
	}
}

// count counts a neighbour.
func (w *clusters) count(units int64) { w.around, w.units = w.around+1, w.units+units }

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
	}
	return 1
}

// better returns the compact order of a cluster where moving to it gains more than what surrounds it costs, none
// otherwise.
func (w *clusters) better() ordering.Order {
	first := w.ops[0]
	shape, old := w.G.ShapeOf(first), w.MinorToMajor(first)
	rows := w.LayoutOf(w.G.Whole(first)).Rows
	compact := w.MemoryOrder(shape, old, int64(rows))
	if compact == old || w.anchored {
		return ordering.None
	}
	count := int64(0)
	for _, x := range w.ops {
		if !w.isTrivial(x) {
			count++
		}
	}
	before, after := 4*w.WordsOf(shape, old.Carrying(rows)), 4*w.WordsOf(shape, compact.Carrying(rows))
	if after >= before {
		return ordering.None
	}
	gain, cost := count*(before-after), w.units*(before+after)
	if w.Weighed != nil {
		w.Weighed(first, compact, w.around, len(w.ops), gain, cost)
	}
	if gain > cost {
		return compact
	}
	return ordering.None
}
