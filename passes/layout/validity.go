package layout

import (
	"hlolayout/hlo"
	"hlolayout/passes/layout/internal/ordering"
	"slices"
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
			if have := &e.bufferC[e.g.Whole(e.g.Operand(w.node, w.table))]; have.Order != w.kept.Order {
				w.kept, w.erased, found = have.Tiled, true, true
			}
		}
	}
	return found
}

// repairReshape wants the cheapest pair of orders for a reshape that moves data.
func (e *engine) repairReshape(n int32) *hint {
	in, out := e.g.ShapeOf(e.g.Operand(n, 0)), e.g.ShapeOf(n)
	if in.Rank() == 0 || out.Rank() == 0 || in.Rank() == 1 && out.Rank() == 1 {
		return nil
	}
	a, b := e.Orders.Get(e.taken(n, 0)), e.Orders.Get(e.orderOf(n))
	if e.isBitcast(out.DType, in.Dims, a, out.Dims, b) {
		return nil
	}
	s := e.selectReshape(in, out)
	if s.in == ordering.None || e.on(ruleReshapeStays) && e.reshapeStays(n, a, b) {
		return nil
	}
	return &hint{operands: []operandHint{{0, s.in.Untiled(), s.first}}, out: s.out}
}

// reshapeStays reports whether a reshape that moves data is left alone: its sides are aligned and lie as compactly as
// they can, each by itself (469 of 471 in the log; testdata/heads.hlo).
func (e *engine) reshapeStays(n int32, a, b []int) bool {
	in, out := e.g.ShapeOf(e.g.Operand(n, 0)), e.g.ShapeOf(n)
	if to, ok := ordering.Align(in.Dims, a, out.Dims); !ok || !ordering.SameDense(out.Dims, to, b) {
		return false
	}
	return e.IsCompact(in, a, int64(e.takenTiled(n, 0).Rows)) && e.IsCompact(out, b, int64(e.bufferC[e.g.Whole(n)].Rows))
}

// repairReduce wants the result of a reduce in the operand's order. The operand's keeps its tile (111 of 111 in the
// log).
func (e *engine) repairReduce(n int32) *hint {
	nd := &e.g.Nodes[n]
	o := e.takenTiled(n, 0)
	natural := e.Orders.Natural(o.Order, e.g.DimsOf(nd))
	if len(e.Orders.Get(natural)) < 2 || e.reducesFree(n) {
		return nil
	}
	h := &hint{out: ordering.None}
	lo, hi := e.g.Leaves(n)
	same := true
	for l := lo; l < hi; l++ {
		same = same && e.bufferC[e.g.LeafValue[l]].Order == natural
	}
	if same {
		return nil
	}
	if !nd.Tuple {
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
	nd := &e.g.Nodes[n]
	s := nd.In.Operands[0].Shape
	if !e.reducesFree(n) || s.Rank() < 2 {
		return nil
	}
	o := e.CompactOrder(s, 0)
	h := &hint{out: ordering.None}
	natural := e.Orders.Natural(o, e.g.DimsOf(nd))
	for k := range len(nd.In.Operands) / 2 {
		h.operands = append(h.operands, operandHint{k, o.Untiled(), false})
		if nd.Tuple {
			h.leaves = append(h.leaves, natural)
		}
	}
	if !nd.Tuple {
		h.out = natural
	}
	return h
}

// reducesFree reports whether a reduce takes a value that nothing but a default decided: it is left to compactReduces
// even where its result does not follow its operand.
func (e *engine) reducesFree(n int32) bool {
	for k := range len(e.g.Nodes[n].In.Operands) / 2 {
		if x := e.g.Operand(n, k); e.g.ShapeOf(x).Rank() > 1 && e.free[e.g.Whole(x)] && (e.off[ruleTupleNotFree] || !e.definedByTuple(x)) {
			return true
		}
	}
	return false
}

// definedByTuple reports whether the value that a node shows is an element of a tuple, such as a loop's result.
func (e *engine) definedByTuple(n int32) bool { return e.g.Nodes[e.g.Values[e.g.Whole(n)].Node].Tuple }

// repairSort wants the sorted dimension minor, or second-minor where it is short, by changing places with the one
// there, and all operands and results to have the order of the first operand (188 shapes, no exception:
// testdata/sorts.hlo), with the tile that it carries (189 of 189 in the log; 145 others carry none; topk_bf16).
func (e *engine) repairSort(n int32) *hint {
	nd := &e.g.Nodes[n]
	d := e.g.DimsOf(nd)[0]
	s := e.g.ShapeOf(e.g.Operand(n, 0))
	if s.Rank() < 2 {
		return nil
	}
	at := 1
	if s.Dims[d] >= e.limits[sortedMinor] {
		at = 0
	}
	has := e.takenTiled(n, 0)
	o := has.Order
	if mm := slices.Clone(e.Orders.Get(o)); mm[at] != d {
		k := slices.Index(mm, d)
		mm[at], mm[k] = mm[k], mm[at]
		o = e.Orders.Of(mm)
	}
	same := true
	for k := range nd.In.Operands {
		same = same && e.taken(n, k) == o
	}
	for l, hi := e.g.Leaves(n); l < hi; l++ {
		same = same && e.bufferC[e.g.LeafValue[l]].Order == o
	}
	if same {
		return nil
	}
	has.Order = o
	h := &hint{out: ordering.None, rows: has.Rows}
	for k := range nd.In.Operands {
		h.operands = append(h.operands, operandHint{k, has, true})
		h.leaves = append(h.leaves, o)
	}
	return h
}

// repairAllToAll wants the split dimension most major.
func (e *engine) repairAllToAll(n int32) *hint {
	nd := &e.g.Nodes[n]
	if nd.Tuple || len(e.g.DimsOf(nd)) == 0 || nd.In.Shape.Rank() < 2 {
		return nil
	}
	d := e.g.DimsOf(nd)[0]
	mm := e.Orders.Get(e.orderOf(n))
	if mm[len(mm)-1] == d {
		return nil
	}
	others := slices.DeleteFunc(slices.Clone(mm), func(q int) bool { return q == d })
	o := e.Orders.Of(append(others, d))
	return &hint{operands: []operandHint{{0, o.Untiled(), true}}, out: o}
}

// repairSelectAndScatter wants windowed dimensions major.
func (e *engine) repairSelectAndScatter(n int32) *hint {
	nd := &e.g.Nodes[n]
	s := nd.In.Shape
	sizes := e.window(n, "size")
	var large, small []int
	for d, size := range sizes {
		if size > 1 {
			large = append(large, d)
		} else {
			small = append(small, d)
		}
	}
	if nd.Tuple || len(small) < 2 {
		return nil
	}
	if ordering.Covers(e.Orders.Get(e.orderOf(n)), small, 2) {
		return nil
	}
	slices.Reverse(large)
	o := e.Orders.Of(append(e.ByPaddedPair(s.DType, s.Dims, small), large...))
	return &hint{operands: []operandHint{{0, o.Untiled(), false}, {1, o.Untiled(), false}}, out: o}
}
