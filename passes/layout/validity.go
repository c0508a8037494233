package layout

import (
	"slices"

	"hlolayout/hlo"
)

// repairWindows looks for gathers and scatters that are invalid after a run; the following ones constrain them.
func (e *engine) repairWindows() (found bool) {
	for i := range e.windows {
		w := &e.windows[i]
		if !w.forced && !w.valid(e) {
			w.forced, found = true, true
			if w.table >= 0 {
				w.kept = e.takenTiled(w.node, w.table)
			}
		} else if w.forced && !w.erased && w.table >= 0 && len(w.window) == 0 && w.op.Opcode == hlo.OpGather && e.on(ruleElementGatherErased) {
			if have := &e.bufferC[e.g.whole(e.g.operand(w.node, w.table))]; have.order != w.kept.order {
				w.kept, w.erased, found = have.tiled, true, true
			}
		}
	}
	return found
}

// repairReshape wants the cheapest pair of orders for a reshape that moves data.
func (e *engine) repairReshape(n int32) *hint {
	in, out := e.g.shapeOf(e.g.operand(n, 0)), e.g.shapeOf(n)
	if in.Rank() == 0 || out.Rank() == 0 || in.Rank() == 1 && out.Rank() == 1 {
		return nil
	}
	a, b := e.orders.get(e.taken(n, 0)), e.orders.get(e.orderOf(n))
	if e.isBitcast(out.DType, in.Dims, a, out.Dims, b) {
		return nil
	}
	s := e.selectReshape(in, out)
	if s.in == none || e.on(ruleReshapeStays) && e.reshapeStays(n, a, b) {
		return nil
	}
	return &hint{operands: []operandHint{{0, tiled{order: s.in}, s.first}}, out: s.out}
}

// reshapeStays reports whether a reshape that moves data is left alone: its sides are aligned and lie as compactly as
// they can, each by itself (469 of 471 in the log; testdata/heads.hlo).
func (e *engine) reshapeStays(n int32, a, b []int) bool {
	in, out := e.g.shapeOf(e.g.operand(n, 0)), e.g.shapeOf(n)
	if to, ok := align(in.Dims, a, out.Dims); !ok || !sameDense(out.Dims, to, b) {
		return false
	}
	return e.isCompact(in, a, int64(e.takenTiled(n, 0).rows)) && e.isCompact(out, b, int64(e.bufferC[e.g.whole(n)].rows))
}

// isCompact reports whether no order of a shape is smaller under tiles of the given number of rows, 0 for the shape's
// own.
func (e *engine) isCompact(s *hlo.Shape, mm []int, rows int64) bool {
	return len(mm) < 2 || e.paddedRows(s, e.orders.of(mm), rows) <= e.paddedRows(s, e.compactOrder(s, rows), rows)
}

// repairReduce wants the result of a reduce in the operand's order. The operand's keeps its tile (111 of 111 in the
// log).
func (e *engine) repairReduce(n int32) *hint {
	nd := &e.g.nodes[n]
	o := e.takenTiled(n, 0)
	natural := e.natural(o.order, e.g.dimsOf(nd))
	if len(e.orders.get(natural)) < 2 || e.reducesFree(n) {
		return nil
	}
	h := &hint{out: none}
	lo, hi := e.g.leaves(n)
	same := true
	for l := lo; l < hi; l++ {
		same = same && e.bufferC[e.g.leafValue[l]].order == natural
	}
	if same {
		return nil
	}
	if !nd.tuple {
		h.operands, h.out = []operandHint{{0, o, false}}, natural
		return h
	}
	for k := range int(hi - lo) {
		h.operands = append(h.operands, operandHint{k, o, false})
		h.leaves = append(h.leaves, natural)
	}
	return h
}

// compactReduce asks for the most compact order of what a reduce takes where nothing but a default decided it (the
// log's "Has constraint" list; 25 reduces of 20 programs, such as f32[18,11]{1,0} over 1, which becomes {0,1}).
func (e *engine) compactReduce(n int32) *hint {
	nd := &e.g.nodes[n]
	s := nd.in.Operands[0].Shape
	if !e.reducesFree(n) || s.Rank() < 2 {
		return nil
	}
	o := e.compactOrder(s, 0)
	h := &hint{out: none}
	natural := e.natural(o, e.g.dimsOf(nd))
	for k := range len(nd.in.Operands) / 2 {
		h.operands = append(h.operands, operandHint{k, o.untiled(), false})
		if nd.tuple {
			h.leaves = append(h.leaves, natural)
		}
	}
	if !nd.tuple {
		h.out = natural
	}
	return h
}

// reducesFree reports whether a reduce takes a value that nothing but a default decided: it is left to compactReduces
// even where its result does not follow its operand.
func (e *engine) reducesFree(n int32) bool {
	for k := range len(e.g.nodes[n].in.Operands) / 2 {
		if x := e.g.operand(n, k); e.g.shapeOf(x).Rank() > 1 && e.free[e.g.whole(x)] && (e.off[ruleTupleNotFree] || !e.definedByTuple(x)) {
			return true
		}
	}
	return false
}

// definedByTuple reports whether the value that a node shows is an element of a tuple, such as a loop's result.
func (e *engine) definedByTuple(n int32) bool { return e.g.nodes[e.g.values[e.g.whole(n)].node].tuple }

// repairSort wants the sorted dimension minor, or second-minor where it is short, by changing places with the one
// there, and all operands and results to have the order of the first operand (188 shapes, no exception:
// testdata/sorts.hlo), with the tile that it carries (189 of 189 in the log; 145 others carry none; topk_bf16).
func (e *engine) repairSort(n int32) *hint {
	nd := &e.g.nodes[n]
	d := e.g.dimsOf(nd)[0]
	s := e.g.shapeOf(e.g.operand(n, 0))
	if s.Rank() < 2 {
		return nil
	}
	at := 1
	if s.Dims[d] >= e.limits[sortedMinor] {
		at = 0
	}
	has := e.takenTiled(n, 0)
	o := has.order
	if mm := slices.Clone(e.orders.get(o)); mm[at] != d {
		k := slices.Index(mm, d)
		mm[at], mm[k] = mm[k], mm[at]
		o = e.orders.of(mm)
	}
	same := true
	for k := range nd.in.Operands {
		same = same && e.taken(n, k) == o
	}
	for l, hi := e.g.leaves(n); l < hi; l++ {
		same = same && e.bufferC[e.g.leafValue[l]].order == o
	}
	if same {
		return nil
	}
	has.order = o
	h := &hint{out: none, rows: has.rows}
	for k := range nd.in.Operands {
		h.operands = append(h.operands, operandHint{k, has, true})
		h.leaves = append(h.leaves, o)
	}
	return h
}

// repairAllToAll wants the split dimension most major.
func (e *engine) repairAllToAll(n int32) *hint {
	nd := &e.g.nodes[n]
	if nd.tuple || len(e.g.dimsOf(nd)) == 0 || nd.in.Shape.Rank() < 2 {
		return nil
	}
	d := e.g.dimsOf(nd)[0]
	mm := e.orders.get(e.orderOf(n))
	if mm[len(mm)-1] == d {
		return nil
	}
	others := slices.DeleteFunc(slices.Clone(mm), func(q int) bool { return q == d })
	o := e.orders.of(append(others, d))
	return &hint{operands: []operandHint{{0, tiled{order: o}, true}}, out: o}
}

// repairSelectAndScatter wants windowed dimensions major.
func (e *engine) repairSelectAndScatter(n int32) *hint {
	nd := &e.g.nodes[n]
	s := nd.in.Shape
	sizes := e.window(n, "size")
	var large, small []int
	for d, size := range sizes {
		if size > 1 {
			large = append(large, d)
		} else {
			small = append(small, d)
		}
	}
	if nd.tuple || len(small) < 2 {
		return nil
	}
	if covers(e.orders.get(e.orderOf(n)), small, 2) {
		return nil
	}
	slices.Reverse(large)
	o := e.orders.of(append(e.byPaddedPair(s.DType, s.Dims, small), large...))
	return &hint{operands: []operandHint{{0, tiled{order: o}, false}, {1, tiled{order: o}, false}}, out: o}
}
