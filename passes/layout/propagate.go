package layout

import (
	"slices"

	"hlolayout/hlo"
)

// propagate works until no constraint is left to be followed.
func (e *engine) propagate() {
	e.drain()
	for e.work.size > 0 {
		switch i := e.work.popFront(); {
		case i >= resultItems:
			e.followResult(int32(i - resultItems))
		case i < 0:
			e.followOperand(int32(-1 - i))
		default:
			e.followBuffer(int32(i))
		}
		e.drain()
	}
}

// followResult asks the definitions of a computation's result for the orders that it must have.
func (e *engine) followResult(ci int32) {
	root := e.g.comps[ci].root
	if ci == e.g.entry {
		for i, l := range e.entryResult {
			e.toDefinition(root, i, l, e.priority, cause{ruleEntryResult, -1})
		}
		return
	}
	for i, o := range e.results[ci] {
		e.toDefinition(root, i, o.untiled(), e.priority, cause{ruleBoundary, root})
	}
}

// toDefinition asks the value that a node shows as one of its leaves for a layout.
func (e *engine) toDefinition(n int32, leaf int, l tiled, priority int16, why cause) {
	v := e.g.valueAt(n, leaf)
	if why.rule != ruleEntryResult && e.bufferC[v].holds(l.order, priority) {
		return
	}
	if d := &e.g.nodes[e.g.values[v].node]; d.op == hlo.OpReduce && d.tuple && e.on(ruleVariadicReduce) {
		return
	}
	e.setBuffer(v, l, may.at(priority), why)
}

// followOperand carries an operand's layout to the operand's definitions, the other operands and the result.
func (e *engine) followOperand(slot int32) {
	g := e.g
	c := e.operandC[slot]
	n := g.slotNode[slot]
	nd := &g.nodes[n]
	o := g.operands[slot]
	on := &g.nodes[o]
	if on.flat {
		return
	}
	if leaves := e.leavesOf(&c); leaves != nil {
		for i, l := range leaves {
			e.toDefinition(o, i, tiled{l, c.rows}, c.priority, cause{ruleFromUser, n})
		}
		return
	}
	e.toDefinition(o, 0, c.tiled, c.priority, cause{ruleFromUser, n})
	if nd.op == hlo.OpAllReduce && e.on(ruleThroughAllReduce) {
		e.setBuffer(g.valueAt(n, e.allReduceLeaf(n, slot)), c.tiled, must, cause{ruleFromOperand, o})
	}
	rank := int(on.rank)
	if !nd.keep && nd.tuple && nd.op != hlo.OpReduce || g.forwardsSlot(n, slot) || rank <= 1 {
		return
	}
	switch {
	case nd.keep || nd.op == hlo.OpReduce:
		e.followSame(n, slot, c)
	case !nd.forward:
		e.followThrough(n, slot, c)
	}
}

// followSame carries an operand's layout to the other operands and the results of its rank, which must have the same
// one.
func (e *engine) followSame(n, slot int32, c operandConstraint) {
	g := e.g
	o, rank := g.operands[slot], int(g.nodes[g.operands[slot]].rank)
	nd := &g.nodes[n]
	if nd.op == hlo.OpConcatenate && !e.isLargest(n, o) {
		return
	}
	for s, end := g.slots(n); s < end; s++ {
		x := g.operands[s]
		if x != o && e.operandC[s].order != c.order && int(g.nodes[x].rank) == rank {
			e.setOperand(n, s, c.tiled, must.at(c.priority), cause{ruleSibling, o})
		}
	}
	if nd.forward {
		return
	}
	for l, hi := g.leaves(n); l < hi; l++ {
		v := g.leafValue[l]
		x := &e.bufferC[v]
		if x.holds(c.order, c.priority) || g.leafShape[l].Rank() != rank {
			continue
		}
		f := must.at(c.priority)
		if x.order == c.order {
			f.mandatory = x.mandatory
		}
		e.setBuffer(v, c.tiled, f, cause{ruleFromOperand, o})
	}
}

// followThrough carries an operand's layout to the results of an instruction that may change it.
func (e *engine) followThrough(n, slot int32, c operandConstraint) {
	g := e.g
	nd := &g.nodes[n]
	for l, hi := g.leaves(n); l < hi; l++ {
		if g.leafShape[l].Rank() <= 1 {
			continue
		}
		out := e.resultOrder(n, slot, c.order)
		if out == none {
			continue
		}
		v := g.leafValue[l]
		x := &e.bufferC[v]
		if x.order != none && nd.op == hlo.OpReshape && e.on(ruleOnesStay) && sameDense(nd.in.Shape.Dims, e.orders.get(x.order), e.orders.get(out)) {
			out = x.order
		}
		if e.windowAt[n] >= 0 && x.mandatory && e.on(ruleWindowStays) {
			continue
		}
		f := flags{mandatory: e.table[e.throughAt(n)].mandatory, dfs: e.exploredFirst(n), fixed: true, priority: c.priority}
		if x.order != none {
			f.mandatory = x.mandatory
		}
		// What is made of a layout has no tile.
		e.setBuffer(v, out.untiled(), f, cause{ruleFromOperand, g.operands[slot]})
	}
}

// allReduceLeaf returns which leaf of an all-reduce's result belongs to an operand.
func (e *engine) allReduceLeaf(n, slot int32) int {
	lo, hi := e.g.leaves(n)
	return min(int(slot-e.g.nodes[n].operand), int(hi-lo)-1)
}

// isLargest reports whether no operand of a concatenate is larger than o along the concatenated dimension.
func (e *engine) isLargest(n, o int32) bool {
	g := e.g
	if e.off[ruleConcatenateLargest] {
		return true
	}
	d := g.dimsOf(&g.nodes[n])[0]
	size := g.shapeOf(o).Dims[d]
	for s, end := g.slots(n); s < end; s++ {
		if x := g.operands[s]; x != o && g.shapeOf(x).Dims[d] > size {
			return false
		}
	}
	return true
}

// followBuffer carries a value's layout to the operands of its definition and to its uses.
func (e *engine) followBuffer(v int32) {
	g := e.g
	c := e.bufferC[v]
	val := &g.values[v]
	n := val.node
	nd := &g.nodes[n]
	if !nd.flat {
		e.toOperands(n, int(val.leaf), c)
	}
	for _, l := range g.aliasLeaf[g.aliasStart[v]:g.aliasStart[v+1]] {
		a := g.leafNode[l]
		if g.nodes[a].tuple {
			continue
		}
		for _, u := range g.users(a) {
			if e.operandC[u.slot].order != c.order && !g.forwardsSlot(u.node, u.slot) {
				e.setOperand(u.node, u.slot, c.tiled, may.at(c.priority), cause{ruleFromOperand, a})
			}
		}
	}
	e.backEdge(n, int(val.leaf), c.tiled)
}

// toOperands carries a result's layout to the instruction's own operands.
func (e *engine) toOperands(n int32, leaf int, c bufferConstraint) {
	g := e.g
	nd := &g.nodes[n]
	why := cause{ruleFromUser, n}
	if nd.op == hlo.OpAllReduce && e.on(ruleThroughAllReduce) {
		k := min(leaf, len(nd.in.Operands)-1)
		e.setOperand(n, nd.operand+int32(k), c.tiled, must.at(c.priority), why)
		return
	}
	rank := len(e.orders.get(c.order))
	for s, end := g.slots(n); s < end; s++ {
		if nd.keep && e.operandC[s].order == c.order {
			continue
		}
		on := &g.nodes[g.operands[s]]
		if on.flat || on.tuple {
			continue
		}
		switch {
		case nd.keep:
			if int(on.rank) == rank {
				e.setOperand(n, s, c.tiled, must.at(c.priority), why)
			} else if nd.op == hlo.OpBitcastConvert && e.on(ruleThroughBitcastConvert) {
				e.setOperand(n, s, tiled{e.converted(c.order, int(on.rank)), c.rows}, must.at(c.priority), why)
			}
		case nd.op == hlo.OpBroadcast && e.off[ruleThroughBroadcast]:
		case nd.op == hlo.OpBroadcast:
			// a broadcast's operand keeps the tile, what is made of a layout otherwise has none (layernorm)
			e.setOperand(n, s, tiled{e.restricted(c.order, e.g.dimsOf(nd)), c.rows}, mustLate.at(c.priority), why)
		case !nd.tuple:
			e.setOperand(n, s, e.operandOrder(n, s, c.order).untiled(), flags{mandatory: e.table[e.throughAt(n)].mandatory, dfs: e.exploredFirst(n), fixed: true, priority: c.priority}, why)
		}
	}
}

// backEdge tells a loop's parameter what its body gives back.
func (e *engine) backEdge(n int32, leaf int, l tiled) {
	g := e.g
	c := &g.comps[g.nodes[n].comp]
	if callers := c.c.Callers(); len(callers) != 1 || callers[0].Instruction.Opcode != hlo.OpWhile || len(c.params) == 0 {
		return
	}
	root := &g.nodes[c.root]
	if root.op != hlo.OpTuple {
		return
	}
	for _, u := range g.users(n) {
		if u.node != c.root {
			continue
		}
		k := u.slot - root.operand
		info := g.shape(root.in.Shape)
		e.setBuffer(g.valueAt(c.params[0], int(info.starts[k])+leaf), l, may, cause{ruleBackEdge, n})
		return
	}
}

// throughAt returns the rule that carries orders through an instruction, ruleNone where there is none.
func (e *engine) throughAt(n int32) rule {
	if w := e.windowAt[n]; w >= 0 {
		return e.through[e.windows[w].op.Opcode] // a gather's or scatter's goes for the fusion around it
	}
	return e.through[e.g.nodes[n].op]
}

// exploredFirst reports whether what passes through a layout-changing instruction is followed depth first.
func (e *engine) exploredFirst(n int32) bool {
	if nd := &e.g.nodes[n]; nd.op == hlo.OpFusion {
		return isCustomFusion(nd.in)
	}
	row := &e.table[e.throughAt(n)]
	return row.first != nil && row.first(e, n)
}

func always(*engine, int32) bool { return true }

// addsOnes reports whether a reshape of one dimension, or one that only adds or drops dimensions of size 1.
func (e *engine) addsOnes(n int32) bool {
	a, b := e.g.shapeOf(e.g.operand(n, 0)).Dims, e.g.shapeOf(n).Dims
	return len(a) == 1 || sameSizes(a, b)
}

func isCustomFusion(in *hlo.Instruction) bool {
	v := in.Attr("kind")
	return v != nil && v.Text == "kCustom"
}

// resultOrder returns the result's order for that of the operand in a slot, none where there is none.
func (e *engine) resultOrder(n, slot int32, o order) order {
	if row := &e.table[e.throughAt(n)]; row.down != nil {
		return row.down(e, n, slot, o)
	}
	return none
}

// operandOrder returns the order of the operand in a slot for a result's.
func (e *engine) operandOrder(n, slot int32, o order) order {
	if row := &e.table[e.throughAt(n)]; row.up != nil {
		return row.up(e, n, slot, o)
	}
	return none
}

func (e *engine) reshapeDown(n, _ int32, o order) order {
	return e.acrossReshape(e.g.shapeOf(e.g.operand(n, 0)), o, e.g.shapeOf(n))
}

func (e *engine) reshapeUp(n, _ int32, o order) order {
	return e.acrossReshape(e.g.shapeOf(n), o, e.g.shapeOf(e.g.operand(n, 0)))
}

func (e *engine) transposeDown(n, _ int32, o order) order {
	perm := e.g.dimsOf(&e.g.nodes[n])
	inverse := make([]int, len(perm))
	for i, p := range perm {
		inverse[p] = i
	}
	return e.mapped(o, inverse)
}

func (e *engine) transposeUp(n, _ int32, o order) order {
	return e.mapped(o, e.g.dimsOf(&e.g.nodes[n]))
}

func (e *engine) windowDown(n, slot int32, o order) order {
	w := e.windowAt[n]
	return e.windows[w].resultOrder(e, int(slot-e.g.nodes[n].operand), o)
}

func (e *engine) windowUp(n, slot int32, o order) order {
	w := e.windowAt[n]
	return e.windows[w].operandOrder(e, int(slot-e.g.nodes[n].operand), o)
}

// mapped renames the dimensions of an order.
func (e *engine) mapped(o order, to []int) order {
	mm := e.orders.get(o)
	if len(mm) != len(to) {
		return none
	}
	out := make([]int, len(mm))
	for i, d := range mm {
		out[i] = to[d]
	}
	return e.orders.of(out)
}

// restricted returns the order of a broadcast's operand: the result's, of the operand's dimensions only.
func (e *engine) restricted(o order, dims []int) order {
	out := make([]int, 0, len(dims))
	for _, d := range e.orders.get(o) {
		if k := slices.Index(dims, d); k >= 0 {
			out = append(out, k)
		}
	}
	if len(out) != len(dims) {
		return none
	}
	return e.orders.of(out)
}

// converted returns the order of a bitcast-convert's operand of another rank: the trailing dimension is dropped, or
// added as the most minor one.
func (e *engine) converted(o order, rank int) order {
	mm := e.orders.get(o)
	switch rank {
	case len(mm) - 1:
		return e.orders.without(o, func(d int) bool { return d == len(mm)-1 })
	case len(mm) + 1:
		return e.orders.of(append([]int{len(mm)}, mm...))
	}
	return none
}

// natural returns the order of a reduce's result that follows the operand's.
func (e *engine) natural(o order, reduced []int) order {
	return e.orders.without(o, func(d int) bool { return slices.Contains(reduced, d) })
}
