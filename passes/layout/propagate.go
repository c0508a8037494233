package layout

import (
	"hlolayout/hlo"
	"hlolayout/passes/internal/flat"
	"hlolayout/passes/layout/internal/ordering"
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
	root := e.g.Comps[ci].Root
	if ci == e.g.Entry {
		for i, l := range e.entryResult {
			e.toDefinition(root, i, l, e.priority, cause{ruleEntryResult, -1})
		}
		return
	}
	for i, o := range e.results[ci] {
		e.toDefinition(root, i, o.Untiled(), e.priority, cause{ruleBoundary, root})
	}
}

// toDefinition asks the value that a node shows as one of its leaves for a layout.
func (e *engine) toDefinition(n int32, leaf int, l ordering.Tiled, priority int16, why cause) {
	v := e.g.ValueAt(n, leaf)
	if why.rule != ruleEntryResult && e.bufferC[v].holds(l.Order, priority) {
		return
	}
	if d := &e.g.Nodes[e.g.Values[v].Node]; d.Op == hlo.OpReduce && d.Tuple && e.on(ruleVariadicReduce) {
		return
	}
	e.setBuffer(v, l, may.at(priority), why)
}

// followOperand carries an operand's layout to the operand's definitions, the other operands and the result.
func (e *engine) followOperand(slot int32) {
	g := e.g
	c := e.operandC[slot]
	n := g.SlotNode[slot]
	nd := &g.Nodes[n]
	o := g.Operands[slot]
	on := &g.Nodes[o]
	if on.Flat {
		return
	}
	if leaves := e.leavesOf(&c); leaves != nil {
		for i, l := range leaves {
			e.toDefinition(o, i, l.Carrying(c.Rows), c.priority, cause{ruleFromUser, n})
		}
		return
	}
	e.toDefinition(o, 0, c.Tiled, c.priority, cause{ruleFromUser, n})
	if nd.Op == hlo.OpAllReduce && e.on(ruleThroughAllReduce) {
		e.setBuffer(g.ValueAt(n, e.g.AllReduceLeaf(n, slot)), c.Tiled, must, cause{ruleFromOperand, o})
	}
	rank := int(on.Rank)
	if !nd.Keep && nd.Tuple && nd.Op != hlo.OpReduce || g.ForwardsSlot(n, slot) || rank <= 1 {
		return
	}
	switch {
	case nd.Keep || nd.Op == hlo.OpReduce:
		e.followSame(n, slot, c)
	case !nd.Forward:
		e.followThrough(n, slot, c)
	}
}

// followSame carries an operand's layout to the other operands and the results of its rank, which must have the same
// one.
func (e *engine) followSame(n, slot int32, c operandConstraint) {
	g := e.g
	o, rank := g.Operands[slot], int(g.Nodes[g.Operands[slot]].Rank)
	nd := &g.Nodes[n]
	if nd.Op == hlo.OpConcatenate && !e.isLargest(n, o) {
		return
	}
	for s, end := g.Slots(n); s < end; s++ {
		x := g.Operands[s]
		if x != o && e.operandC[s].Order != c.Order && int(g.Nodes[x].Rank) == rank {
			e.setOperand(n, s, c.Tiled, must.at(c.priority), cause{ruleSibling, o})
		}
	}
	if nd.Forward {
		return
	}
	for l, hi := g.Leaves(n); l < hi; l++ {
		v := g.LeafValue[l]
		x := &e.bufferC[v]
		if x.holds(c.Order, c.priority) || g.LeafShape[l].Rank() != rank {
			continue
		}
		f := must.at(c.priority)
		if x.Order == c.Order {
			f.mandatory = x.mandatory
		}
		e.setBuffer(v, c.Tiled, f, cause{ruleFromOperand, o})
	}
}

// followThrough carries an operand's layout to the results of an instruction that may change it.
func (e *engine) followThrough(n, slot int32, c operandConstraint) {
	g := e.g
	nd := &g.Nodes[n]
	for l, hi := g.Leaves(n); l < hi; l++ {
		if g.LeafShape[l].Rank() <= 1 {
			continue
		}
		out := e.resultOrder(n, slot, c.Order)
		if out == ordering.None {
			continue
		}
		v := g.LeafValue[l]
		x := &e.bufferC[v]
		if x.Order != ordering.None && nd.Op == hlo.OpReshape && e.on(ruleOnesStay) && ordering.SameDense(nd.In.Shape.Dims, e.Orders.Get(x.Order), e.Orders.Get(out)) {
			out = x.Order
		}
		if e.windowAt[n] >= 0 && x.mandatory && e.on(ruleWindowStays) {
			continue
		}
		f := flags{mandatory: e.table[e.throughAt(n)].mandatory, dfs: e.exploredFirst(n), fixed: true, priority: c.priority}
		if x.Order != ordering.None {
			f.mandatory = x.mandatory
		}
		// What is made of a layout has no tile.
		e.setBuffer(v, out.Untiled(), f, cause{ruleFromOperand, g.Operands[slot]})
	}
}

// isLargest reports whether no operand of a concatenate is larger than o along the concatenated dimension.
func (e *engine) isLargest(n, o int32) bool {
	g := e.g
	if e.off[ruleConcatenateLargest] {
		return true
	}
	d := g.DimsOf(&g.Nodes[n])[0]
	size := g.ShapeOf(o).Dims[d]
	for s, end := g.Slots(n); s < end; s++ {
		if x := g.Operands[s]; x != o && g.ShapeOf(x).Dims[d] > size {
			return false
		}
	}
	return true
}

// followBuffer carries a value's layout to the operands of its definition and to its uses.
func (e *engine) followBuffer(v int32) {
	g := e.g
	c := e.bufferC[v]
	val := &g.Values[v]
	n := val.Node
	nd := &g.Nodes[n]
	if !nd.Flat {
		e.toOperands(n, int(val.Leaf), c)
	}
	for _, l := range g.Aliases(v) {
		a := g.LeafNode[l]
		if g.Nodes[a].Tuple {
			continue
		}
		for _, u := range g.Users(a) {
			if e.operandC[u.Slot].Order != c.Order && !g.ForwardsSlot(u.Node, u.Slot) {
				e.setOperand(u.Node, u.Slot, c.Tiled, may.at(c.priority), cause{ruleFromOperand, a})
			}
		}
	}
	e.backEdge(n, int(val.Leaf), c.Tiled)
}

// toOperands carries a result's layout to the instruction's own operands.
func (e *engine) toOperands(n int32, leaf int, c bufferConstraint) {
	g := e.g
	nd := &g.Nodes[n]
	why := cause{ruleFromUser, n}
	if nd.Op == hlo.OpAllReduce && e.on(ruleThroughAllReduce) {
		k := min(leaf, len(nd.In.Operands)-1)
		e.setOperand(n, nd.FirstSlot+int32(k), c.Tiled, must.at(c.priority), why)
		return
	}
	rank := len(e.Orders.Get(c.Order))
	for s, end := g.Slots(n); s < end; s++ {
		if nd.Keep && e.operandC[s].Order == c.Order {
			continue
		}
		on := &g.Nodes[g.Operands[s]]
		if on.Flat || on.Tuple {
			continue
		}
		switch {
		case nd.Keep:
			if int(on.Rank) == rank {
				e.setOperand(n, s, c.Tiled, must.at(c.priority), why)
			} else if nd.Op == hlo.OpBitcastConvert && e.on(ruleThroughBitcastConvert) {
				e.setOperand(n, s, e.Orders.Converted(c.Order, int(on.Rank)).Carrying(c.Rows), must.at(c.priority), why)
			}
		case nd.Op == hlo.OpBroadcast && e.off[ruleThroughBroadcast]:
		case nd.Op == hlo.OpBroadcast:
			// a broadcast's operand keeps the tile, what is made of a layout otherwise has none (layernorm)
			e.setOperand(n, s, e.Orders.Restricted(c.Order, e.g.DimsOf(nd)).Carrying(c.Rows), mustLate.at(c.priority), why)
		case !nd.Tuple:
			e.setOperand(n, s, e.operandOrder(n, s, c.Order).Untiled(), flags{mandatory: e.table[e.throughAt(n)].mandatory, dfs: e.exploredFirst(n), fixed: true, priority: c.priority}, why)
		}
	}
}

// backEdge tells a loop's parameter what its body gives back.
func (e *engine) backEdge(n int32, leaf int, l ordering.Tiled) {
	g := e.g
	c := &g.Comps[g.Nodes[n].Comp]
	if callers := c.Computation.Callers(); len(callers) != 1 || callers[0].Instruction.Opcode != hlo.OpWhile || len(c.Params) == 0 {
		return
	}
	root := &g.Nodes[c.Root]
	if root.Op != hlo.OpTuple {
		return
	}
	for _, u := range g.Users(n) {
		if u.Node != c.Root {
			continue
		}
		k := u.Slot - root.FirstSlot
		info := g.Shape(root.In.Shape)
		e.setBuffer(g.ValueAt(c.Params[0], int(info.Starts[k])+leaf), l, may, cause{ruleBackEdge, n})
		return
	}
}

// throughAt returns the rule that carries orders through an instruction, ruleNone where there is none.
func (e *engine) throughAt(n int32) rule {
	if w := e.windowAt[n]; w >= 0 {
		return e.through[e.windows[w].op.Opcode] // a gather's or scatter's goes for the fusion around it
	}
	return e.through[e.g.Nodes[n].Op]
}

// exploredFirst reports whether what passes through a layout-changing instruction is followed depth first.
func (e *engine) exploredFirst(n int32) bool {
	if nd := &e.g.Nodes[n]; nd.Op == hlo.OpFusion {
		return flat.IsCustomFusion(nd.In)
	}
	row := &e.table[e.throughAt(n)]
	return row.first != nil && row.first(e, n)
}

func always(*engine, int32) bool { return true }

// addsOnes reports whether a reshape of one dimension, or one that only adds or drops dimensions of size 1.
func (e *engine) addsOnes(n int32) bool {
	a, b := e.g.ShapeOf(e.g.Operand(n, 0)).Dims, e.g.ShapeOf(n).Dims
	return len(a) == 1 || ordering.SameSizes(a, b)
}

// resultOrder returns the result's order for that of the operand in a slot, none where there is none.
func (e *engine) resultOrder(n, slot int32, o ordering.Order) ordering.Order {
	if row := &e.table[e.throughAt(n)]; row.down != nil {
		return row.down(e, n, slot, o)
	}
	return ordering.None
}

// operandOrder returns the order of the operand in a slot for a result's.
func (e *engine) operandOrder(n, slot int32, o ordering.Order) ordering.Order {
	if row := &e.table[e.throughAt(n)]; row.up != nil {
		return row.up(e, n, slot, o)
	}
	return ordering.None
}

func (e *engine) reshapeDown(n, _ int32, o ordering.Order) ordering.Order {
	return e.acrossReshape(e.g.ShapeOf(e.g.Operand(n, 0)), o, e.g.ShapeOf(n))
}

func (e *engine) reshapeUp(n, _ int32, o ordering.Order) ordering.Order {
	return e.acrossReshape(e.g.ShapeOf(n), o, e.g.ShapeOf(e.g.Operand(n, 0)))
}

func (e *engine) transposeDown(n, _ int32, o ordering.Order) ordering.Order {
	perm := e.g.DimsOf(&e.g.Nodes[n])
	inverse := make([]int, len(perm))
	for i, p := range perm {
		inverse[p] = i
	}
	return e.Orders.Mapped(o, inverse)
}

func (e *engine) transposeUp(n, _ int32, o ordering.Order) ordering.Order {
	return e.Orders.Mapped(o, e.g.DimsOf(&e.g.Nodes[n]))
}

func (e *engine) windowDown(n, slot int32, o ordering.Order) ordering.Order {
	w := e.windowAt[n]
	return e.windows[w].resultOrder(e, int(slot-e.g.Nodes[n].FirstSlot), o)
}

func (e *engine) windowUp(n, slot int32, o ordering.Order) ordering.Order {
	w := e.windowAt[n]
	return e.windows[w].operandOrder(e, int(slot-e.g.Nodes[n].FirstSlot), o)
}
