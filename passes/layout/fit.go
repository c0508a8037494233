package layout

import (
	"slices"
	"strings"

	"hlolayout/hlo"
)

// maxFitRank bounds the search for the order of a reshape's operand: 720 orders.
const maxFitRank = 6

// cannotHold says with a code and in words why a value cannot lie in an order; code is "" where it can. Then the
// operands are noted that have to be read in a certain order for it.
func (e *engine) cannotHold(v int32, mm []int) (code, why string) {
	g := e.g
	n := g.values[v].node
	nd := &g.nodes[n]
	switch {
	case e.isEntryParameter(n):
		return "PIN104", "entry_computation_layout decides the layout of an entry parameter"
	case nd.fixed || nd.op == hlo.OpInfeed:
		return "PIN104", "%" + nd.in.Name + " (" + nd.in.OpName() + ") carries its layouts with it"
	case asynchronous(nd.op) || e.runsAsync(nd.comp):
		return "PIN104", "%" + nd.in.Name + " belongs to an asynchronous operation"
	case nd.op == hlo.OpBitcast:
		return "PIN104", "the layout of a bitcast is part of what it means"
	}
	if e.readByBitcast(v) {
		return "PIN104", "a bitcast reads %" + nd.in.Name + ", and its meaning depends on the layout"
	}
	if why := e.cannotGive(n, mm); why != "" {
		return "PIN105", why
	}
	o := e.orders.of(mm)
	for s, hi := g.slots(n); s < hi; s++ {
		x := g.shapeOf(g.operands[s])
		if !x.IsArray() || x.Rank() == 0 || x.Rank() == 1 && nd.op != hlo.OpReshape {
			continue // it has one order only
		}
		want, why := e.readsAs(n, s, x, o)
		if why != "" {
			return "PIN105", why
		}
		if want != none {
			e.held.slots[s] = want
		}
	}
	return "", ""
}

// asynchronous reports whether an operation is one half of a pair whose layouts go together.
func asynchronous(op hlo.Opcode) bool {
	for _, end := range [...]string{"-start", "-update", "-done"} {
		if strings.HasSuffix(op.String(), end) {
			return true
		}
	}
	return op == hlo.OpSend || op == hlo.OpRecv
}

func (e *engine) runsAsync(comp int32) bool {
	return slices.ContainsFunc(e.g.comps[comp].c.Callers(), func(c hlo.Caller) bool { return asynchronous(c.Instruction.Opcode) })
}

func (e *engine) readByBitcast(v int32) bool {
	g := e.g
	for _, l := range g.aliasLeaf[g.aliasStart[v]:g.aliasStart[v+1]] {
		if a := g.leafNode[l]; !g.nodes[a].tuple && slices.ContainsFunc(g.users(a), func(u use) bool { return g.nodes[u.node].op == hlo.OpBitcast }) {
			return true
		}
	}
	return false
}

// cannotGive says why an operation cannot give its result in an order by itself: what the repairs would not
// leave alone. It is "" where it can.
func (e *engine) cannotGive(n int32, mm []int) string {
	nd := &e.g.nodes[n]
	switch nd.op {
	case hlo.OpFft, hlo.OpCholesky, hlo.OpTriangularSolve:
		if !slices.Equal(mm, hlo.Descending(len(mm))) {
			return nd.in.OpName() + " works in the descending order only"
		}
	case hlo.OpSort:
		d, at := e.g.dimsOf(nd)[0], 1
		x := e.g.shapeOf(e.g.operand(n, 0))
		if x.Dims[d] >= e.limits[sortedMinor] {
			at = 0
		}
		if mm[at] != d {
			return "a sort needs the sorted dimension " + [...]string{"minor", "second-minor"}[at]
		}
	case hlo.OpAllToAll:
		if !nd.tuple && len(e.g.dimsOf(nd)) > 0 && mm[len(mm)-1] != e.g.dimsOf(nd)[0] {
			return "an all-to-all needs the split dimension most major"
		}
	case hlo.OpSelectAndScatter:
		var small []int
		for d, size := range e.window(n, "size") {
			if size <= 1 {
				small = append(small, d)
			}
		}
		if len(small) >= 2 && !covers(mm, small, 2) {
			return "select-and-scatter needs the windowed dimensions major"
		}
	}
	return ""
}

// readsAs returns the order in which an operand of shape x has to be read for the result to lie in the order o: none
// where any will do, or where it is left to refit; why says that there is none.
func (e *engine) readsAs(n, slot int32, x *hlo.Shape, o order) (want order, why string) {
	nd := &e.g.nodes[n]
	rank := len(e.orders.get(o))
	switch nd.op {
	case hlo.OpWhile, hlo.OpReduce:
		return none, ""
	case hlo.OpScatter:
		if int(slot-nd.operand) >= (len(nd.in.Operands)-1)/2 {
			return none, ""
		}
	case hlo.OpFusion:
		if root := nd.in.Called[0].Root; root.Opcode == hlo.OpParameter && root.Parameter == slot-nd.operand {
			return o, "" // the body gives what it takes
		}
		return none, ""
	case hlo.OpBroadcast:
		return e.restricted(o, e.g.dimsOf(nd)), ""
	case hlo.OpTranspose:
		return e.mapped(o, e.g.dimsOf(nd)), ""
	case hlo.OpReshape:
		return e.reshapedFrom(x, nd.in.Shape, o)
	case hlo.OpBitcastConvert:
		if x.Rank() != rank {
			if want = e.converted(o, x.Rank()); want == none {
				return none, "no order of the operand of the bitcast-convert matches it"
			}
			return want, ""
		}
	}
	if (nd.keep || nd.op == hlo.OpSort) && x.Rank() == rank {
		return o, ""
	}
	return none, ""
}

// reshapedFrom returns the order of a reshape's operand for which a result in the order o moves nothing: the aligned
// one, else the one of the least padded size among those that lie alike under tiles.
func (e *engine) reshapedFrom(in, out *hlo.Shape, o order) (order, string) {
	if effectiveRank(in.Dims) <= 1 && effectiveRank(out.Dims) <= 1 {
		return none, ""
	}
	mm := e.orders.get(o)
	if to, ok := align(out.Dims, mm, in.Dims); ok {
		return e.orders.of(to), ""
	}
	best, size := none, int64(0)
	if in.Rank() <= maxFitRank {
		permutations(in.Rank(), func(a []int) {
			if x, y := e.tileRuns(out.DType, in.Dims, a), e.tileRuns(out.DType, out.Dims, mm); x == nil || !slices.Equal(x, y) {
				return
			}
			if n := e.paddedDims(in.DType, in.Dims, a); best == none || n < size {
				best, size = e.orders.of(a), n
			}
		})
	}
	if best == none {
		return none, "no order of " + in.WithLayout(nil).String() + " makes the reshape to it a bitcast"
	}
	return best, ""
}

// permutations calls f for every order of rank dimensions, in lexicographic order; the list is valid during the call.
func permutations(rank int, f func([]int)) {
	mm := make([]int, 0, rank)
	used := make([]bool, rank)
	var walk func()
	walk = func() {
		if len(mm) == rank {
			f(mm)
			return
		}
		for d := range rank {
			if !used[d] {
				used[d], mm = true, append(mm, d)
				walk()
				used[d], mm = false, mm[:len(mm)-1]
			}
		}
	}
	walk()
}

// refit is the last repair of a module with pins, and finds nothing in one without: what the pins changed can leave
// an instruction reading an operand in an order from which it does not make its result (the broadcast of what a loop
// carries, kmeans). Such operands are held to the order that the result asks for, and those of reduces whose result
// is pinned to the one in which they were read, with the dimensions that stay rearranged in their places. It reports
// whether anything is new.
func (e *engine) refit() bool {
	g := e.g
	if len(e.held.list) == 0 {
		return false
	}
	found := false
	for n := range int32(len(g.nodes) - 1) {
		nd := &g.nodes[n]
		if nd.tuple || nd.flat || nd.forward || nd.fixed {
			continue
		}
		o := e.orderOf(n)
		for s, hi := g.slots(n); s < hi; s++ {
			x := g.shapeOf(g.operands[s])
			if !x.IsArray() || x.Rank() < 2 {
				continue
			}
			have := e.taken(n, int(s-nd.operand))
			if want, _ := e.readsAs(n, s, x, o); want != none && want != have && !e.reshapes(n, have, o) {
				e.refitSlot(s, want)
				found = true
			}
		}
	}
	for _, v := range e.held.list {
		n := g.values[v].node
		nd := &g.nodes[n]
		if nd.op != hlo.OpReduce {
			continue
		}
		o := e.held.values[v].order
		for k := range len(nd.in.Operands) / 2 {
			if have := e.taken(n, k); e.natural(have, e.g.dimsOf(nd)) != o {
				e.refitSlot(nd.operand+int32(k), e.rearranged(have, o, e.g.dimsOf(nd)))
				found = true
			}
		}
	}
	return found
}

func (e *engine) refitSlot(slot int32, o order) {
	if _, ok := e.held.slots[slot]; !ok {
		e.held.refitted = append(e.held.refitted, slot)
	}
	e.held.slots[slot] = o
}

// reshapes reports whether a node is a reshape that lists its elements alike in two orders of operand and result.
func (e *engine) reshapes(n int32, a, b order) bool {
	nd := &e.g.nodes[n]
	if nd.op != hlo.OpReshape {
		return false
	}
	in, out := nd.in.Operands[0].Shape.Dims, nd.in.Shape.Dims
	to, ok := align(in, e.orders.get(a), out)
	return ok && sameDense(out, to, e.orders.get(b)) || e.isBitcast(nd.in.Shape.DType, in, e.orders.get(a), out, e.orders.get(b))
}

// rearranged returns an order with the dimensions that a reduce keeps in the sequence of its result's order.
func (e *engine) rearranged(o, result order, reduced []int) order {
	mm := slices.Clone(e.orders.get(o))
	var kept []int
	for d := range mm {
		if !slices.Contains(reduced, d) {
			kept = append(kept, d)
		}
	}
	next := 0
	for i, d := range mm {
		if !slices.Contains(reduced, d) {
			mm[i] = kept[e.orders.get(result)[next]]
			next++
		}
	}
	return e.orders.of(mm)
}
