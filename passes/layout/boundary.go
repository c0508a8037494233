package layout

import (
	"slices"

	"hlolayout/hlo"
)

// maxBoundaryRounds bounds the sweeps of 2.9-3; more were not seen to change anything.
const maxBoundaryRounds = 6

// boundary is what control flow makes one: values that must share a layout.
type boundary struct {
	members []int32
	// initial are the members that are initial values of a loop and nothing else.
	initial map[int32]bool
	// parameter is the one of a loop's body, -1 elsewhere.
	parameter int32
}

// boundaryBatch is a set of boundaries that are settled together; the queue is worked off after it.
type boundaryBatch []boundary

// findBoundaries lists the boundaries in the order of the called computations, callees first: of a loop, its initial
// value, the parameters of body and condition, its result and its body's root, by leaf; of a branch or a called computation, operand and parameter; of the largest branch, also root and result.
func (e *engine) findBoundaries() {
	g := e.g
	loops, at := e.loopBoundaries()
	for n := range int32(len(g.nodes) - 1) {
		e.asyncBoundaries(n)
	}
	for ci := range g.comps {
		c := &g.comps[ci]
		for _, caller := range c.c.Callers() {
			if in := caller.Instruction; g.compOf[in.Computation] >= 0 {
				n := g.node(in)
				switch in.Opcode {
				case hlo.OpWhile:
					if caller.Key.Name == "body" {
						if b := loops[at[n]]; len(b) > 0 {
							e.boundaries = append(e.boundaries, b)
						}
					}
				case hlo.OpConditional, hlo.OpCall:
					e.callBoundaries(n, int32(ci))
				case hlo.OpAsyncStart:
					if caller.Key.Name == "calls" {
						e.callBoundaries(n, int32(ci))
					}
				}
			}
		}
	}
	e.shared = make([]bool, len(g.values))
	for _, batch := range e.boundaries {
		for _, b := range batch {
			for _, v := range b.members {
				e.shared[v] = true
			}
		}
	}
}

// callBoundaries lists what a call or conditional shares with one of its computations.
func (e *engine) callBoundaries(n, callee int32) {
	g := e.g
	nd := &g.nodes[n]
	c := &g.comps[callee]
	for branch, called := range nd.in.Called {
		if called != c.c {
			continue
		}
		var params, results boundaryBatch
		pair := func(b *boundaryBatch, x, y int32) {
			for i, s := range g.shape(g.shapeOf(x)).leaves {
				if s.DType.IsArray() {
					*b = append(*b, boundary{parameter: -1, members: []int32{g.valueAt(x, i), g.valueAt(y, i)}})
				}
			}
		}
		if nd.op == hlo.OpConditional {
			pair(&params, g.operand(n, branch+1), c.params[0])
		} else {
			for k, p := range c.params {
				pair(&params, g.operand(n, k), p)
			}
		}
		e.boundaries = append(e.boundaries, params)
		if nd.op == hlo.OpCall || nd.op == hlo.OpConditional && branch == e.largestBranch(n) {
			pair(&results, c.root, n)
			e.boundaries = append(e.boundaries, results)
		}
	}
}

// asyncBoundaries lists what the parts of an asynchronous operation share: async-start shows its operands as the first
// element of its result, and async-update and async-done take that result over.
func (e *engine) asyncBoundaries(n int32) {
	g := e.g
	nd := &g.nodes[n]
	var from, to []int32 // leaves
	all := func(n int32, lo, hi int32) (out []int32) {
		for l := g.nodes[n].leaf + lo; l < g.nodes[n].leaf+hi; l++ {
			out = append(out, l)
		}
		return out
	}
	switch nd.op {
	case hlo.OpAsyncStart:
		if !nd.tuple || len(nd.in.Shape.Elems) < 2 {
			return
		}
		for s, hi := g.slots(n); s < hi; s++ {
			o := g.operands[s]
			lo, end := g.leaves(o)
			from = append(from, all(o, 0, end-lo)...)
		}
		to = all(n, 0, g.shape(nd.in.Shape).starts[1])
	case hlo.OpAsyncUpdate, hlo.OpAsyncDone:
		o := g.operand(n, 0)
		shape := g.shapeOf(o)
		if !shape.IsTuple() || len(shape.Elems) < 2 {
			return
		}
		lo, hi := g.leaves(n)
		to = all(n, 0, hi-lo)
		starts := g.shape(shape).starts
		if nd.op == hlo.OpAsyncDone {
			from = all(o, starts[1], starts[2])
		} else {
			from = all(o, 0, starts[len(starts)-1])
		}
	default:
		return
	}
	if len(from) != len(to) {
		return
	}
	var batch boundaryBatch
	for i := range from {
		a, b := g.leafValue[from[i]], g.leafValue[to[i]]
		if g.values[a].shape.IsArray() && g.values[a].shape.Compatible(g.values[b].shape) {
			batch = append(batch, boundary{parameter: -1, members: []int32{a, b}})
		}
	}
	e.boundaries = append(e.boundaries, batch)
}

// largestBranch returns the branch of a conditional that decides the result's layout: the one with the most
// instructions among those that take an operand (as in XLA's open pass; cond_transpose).
func (e *engine) largestBranch(n int32) int {
	in := e.g.nodes[n].in
	best, most := 0, 0
	for j, b := range in.Called {
		if s := in.Operands[j+1].Shape; len(b.Instructions) > most && !(s.IsTuple() && len(s.Elems) == 0) {
			best, most = j, len(b.Instructions)
		}
	}
	return best
}

// loopBoundaries returns for each loop its boundaries, and at which place of the list a while node's are. Loops that hand a value on, one
// behind or inside of another, have each their own: their layouts may differ (uct_tree, ilqr, tcn_birnn_g).
func (e *engine) loopBoundaries() (loops []boundaryBatch, at map[int32]int) {
	g := e.g
	at = map[int32]int{}
	for n := range int32(len(g.nodes) - 1) {
		nd := &g.nodes[n]
		if nd.op != hlo.OpWhile {
			continue
		}
		at[n] = len(loops)
		w := e.while(n)
		init := g.operand(n, 0)
		var batch boundaryBatch
		for i, s := range g.shape(nd.in.Shape).leaves {
			if !s.DType.IsArray() {
				continue
			}
			b := boundary{initial: map[int32]bool{g.valueAt(init, i): true}, parameter: g.valueAt(w.bodyParam, i)}
			for _, v := range [...]int32{g.valueAt(init, i), g.valueAt(w.bodyParam, i), g.valueAt(w.condParam, i), g.valueAt(n, i), g.valueAt(w.bodyRoot, i)} {
				if !slices.Contains(b.members, v) {
					b.members = append(b.members, v)
				}
			}
			batch = append(batch, b)
		}
		loops = append(loops, batch)
	}
	return loops, at
}

// loop is a while's inside.
type loop struct{ bodyParam, bodyRoot, condParam int32 }

func (e *engine) while(n int32) loop {
	in := e.g.nodes[n].in
	body := &e.g.comps[e.g.compOf[in.CalledBy("body")]]
	cond := &e.g.comps[e.g.compOf[in.CalledBy("condition")]]
	return loop{body.params[0], body.root, cond.params[0]}
}

// settleBoundaries makes the members of each boundary agree (2.9-3), computation by computation, until nothing changes. Of a
// loop, those boundaries come first of which more than an initial value is constrained (llama_kv_decode_step).
func (e *engine) settleBoundaries() {
	for range maxBoundaryRounds {
		e.unsettled = false
		changed := false
		for _, batch := range e.boundaries {
			for _, inner := range [...]bool{true, false} {
				some := false
				for i := range batch {
					some = e.settle(&batch[i], inner) || some
				}
				if some {
					changed = true
					e.propagate()
				}
			}
		}
		if !changed {
			break
		}
	}
	e.unsettled = false
}

// settle gives the members of one boundary the layout of its reference and says whether it did anything.
func (e *engine) settle(b *boundary, inner bool) bool {
	ref := e.reference(b)
	if ref < 0 {
		return false
	}
	if inner {
		some := false
		for _, v := range b.members {
			some = some || !b.initial[v] && e.bufferC[v].order != none
		}
		if !some {
			return false
		}
	}
	o := e.bufferC[ref].order
	e.rows = e.bufferC[ref].rows
	why := cause{ruleBoundary, e.g.values[ref].node}
	changed := false
	for _, v := range b.members {
		c := &e.bufferC[v]
		switch {
		case c.order == none:
			e.setBuffer(v, o, may.at(max(e.priority, e.bufferC[ref].priority)), why)
			changed = true
		case c.order != o && !c.mandatory:
			f := must.at(c.priority + 1)
			e.setBuffer(v, o, f, why)
			changed = true
			if !b.initial[v] {
				e.overrideUses(v, o, f, why)
			}
		}
	}
	e.rows = 0
	return changed
}

// reference returns the member whose layout the others take, -1 where none has one: a mandatory value inside a body,
// else the instruction's own result, else any mandatory one, else the first (inferred order, 2.9-3).
func (e *engine) reference(b *boundary) int32 {
	g := e.g
	best, bestRank := int32(-1), 6
	for _, v := range b.members {
		c := &e.bufferC[v]
		if c.order == none {
			continue
		}
		nd := &g.nodes[g.values[v].node]
		rank := 3
		if c.priority < 0 {
			rank = 5
		}
		switch {
		case b.initial[v] && !e.loopTakes(b, c.order):
			rank = 4
		case v == b.parameter:
			rank = -1
		case b.initial[v] && b.parameter >= 0 && e.bufferC[b.parameter].order != none:
			rank = -2
		case c.mandatory && !g.comps[nd.comp].entry:
			rank = 0
		case nd.op == hlo.OpWhile || nd.op == hlo.OpConditional || nd.op == hlo.OpCall:
			rank = 1
		case c.mandatory:
			rank = 2
		}
		if rank < bestRank || rank == bestRank && v < best {
			best, bestRank = v, rank
		}
	}
	return best
}

// loopTakes reports whether a loop takes an initial value as it lies, though its own parameter was constrained otherwise: where that is only
// cut into slices, and no user must have a slice otherwise, but for dimensions of size 1 (63 of 63 slices in the log: lqr, kalman, rotary_chunked: yes;
// gru, crf, gather_slices: no; ilqr, edit_distance, which use the whole value: no).
func (e *engine) loopTakes(b *boundary, o order) bool {
	g := e.g
	for _, v := range b.members {
		old := e.bufferC[v].order
		if old == none || old == o || b.initial[v] || g.nodes[g.values[v].node].op != hlo.OpParameter {
			continue
		}
		for _, l := range g.aliasLeaf[g.aliasStart[v]:g.aliasStart[v+1]] {
			a := g.leafNode[l]
			if g.nodes[a].tuple {
				continue
			}
			for _, u := range g.users(a) {
				un := &g.nodes[u.node]
				if g.forwardsSlot(u.node, u.slot) || un.tuple {
					continue
				}
				if un.op != hlo.OpDynamicSlice && un.op != hlo.OpSlice || e.mustLie(u.node, old, o) {
					return false
				}
			}
		}
	}
	return true
}

// mustLie reports whether some user of a node must have it in one order and not in another, but for dimensions of size 1.
func (e *engine) mustLie(n int32, old, o order) bool {
	if sameDense(e.g.shapeOf(n).Dims, e.orders.get(old), e.orders.get(o)) {
		return false
	}
	for _, u := range e.g.users(n) {
		if c := &e.operandC[u.slot]; c.set() && c.mandatory {
			return true
		}
	}
	return false
}

// overrideUses tells the users of a value at once what its layout became, past their own constraints (2.9-3).
func (e *engine) overrideUses(v int32, o order, f flags, why cause) {
	g := e.g
	for _, l := range g.aliasLeaf[g.aliasStart[v]:g.aliasStart[v+1]] {
		a := g.leafNode[l]
		if g.nodes[a].tuple {
			continue
		}
		for _, u := range g.users(a) {
			if g.nodes[u.node].keep && !g.nodes[u.node].fixed && !g.forwardsSlot(u.node, u.slot) {
				e.setOperand(u.node, u.slot, o, f, why)
			}
		}
	}
}
