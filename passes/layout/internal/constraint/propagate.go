package constraint

import (
	"slices"

	"hlolayout/hlo"
	"hlolayout/passes/internal/flat"
	"hlolayout/passes/layout/internal/ordering"
	"hlolayout/passes/layout/internal/rule"
)

// PropagateRules are what carries layouts from instruction to instruction.
var PropagateRules = rule.Rows{
	rule.FromUser: {Name: "from-user", Stage: rule.Propagate,
		Text: "what its user wants", Evidence: []string{"bitcast_moves"},
		Doc: "The layout that an operand must have goes to the value that it is, and from a result to the " +
			"operands of an operation that keeps layouts."},
	rule.FromOperand: {Name: "from-operand", Stage: rule.Propagate,
		Text: "follows its operand", Evidence: []string{"bitcast_moves"},
		Doc: "The layout of a value goes to the operands that use it, and from an operand to the result."},
	rule.Sibling: {Name: "sibling", Stage: rule.Propagate,
		Text: "follows another operand of the same instruction", Evidence: []string{"fuzz_018"},
		Doc: "The layout of an operand goes to the other operands of the same rank, in operations that keep " +
			"layouts and in reduces."},
	rule.BackEdge: {Name: "back-edge", Stage: rule.Propagate,
		Text: "the loop's body gives it back in this layout", Evidence: []string{"gather_slices"},
		Doc: "The layout of what a loop's body returns goes to the body's parameter; it is not mandatory."},
}

// propagate works until no constraint is left to be followed.
func (e *State) propagate() {
	e.flush()
	for !e.queue.empty() {
		switch i := e.queue.pop(); {
		case i >= resultItems:
			e.followResult(flat.CompID(i - resultItems))
		case i < 0:
			e.followOperand(flat.SlotID(-1 - i))
		default:
			e.followBuffer(flat.ValueID(i))
		}
		e.flush()
	}
}

// followResult asks the definitions of a computation's result for the orders that it must have.
func (e *State) followResult(ci flat.CompID) {
	root := e.G.Comps[ci].Root
	leaves, why := e.results[ci], Because(rule.Shared, root)
	if ci == e.G.Entry {
		leaves, why = e.entryResult, Because(rule.EntryResult, -1)
	}
	for i, l := range leaves {
		e.toDefinition(root, i, l, e.priority, why)
	}
}

// toDefinition asks the value that a node shows as one of its leaves for a layout.
func (e *State) toDefinition(n flat.NodeID, leaf int, l ordering.Tiled, priority int16, why Cause) {
	v := e.G.ValueAt(n, leaf)
	if why.Rule != rule.EntryResult && e.bufferC[v].holds(l.Order, priority) {
		return
	}
	d := e.G.Values[v].Node
	if ignores := e.hooks[e.G.Nodes[d].Op].ignores; ignores != nil && ignores(d) {
		return
	}
	e.SetBuffer(v, l, may.at(priority), why)
}

// followOperand carries an operand's layout to the operand's definitions, the other operands and the result.
func (e *State) followOperand(slot flat.SlotID) {
	g := e.G
	c := e.operandC[slot]
	n := g.SlotNode[slot]
	nd := &g.Nodes[n]
	o := g.Operands[slot]
	if c.tuple != 0 {
		for i, l := range e.tuples[c.tuple] {
			e.toDefinition(o, i, l, c.Priority, Because(rule.FromUser, n))
		}
		return
	}
	e.toDefinition(o, 0, c.Tiled, c.Priority, Because(rule.FromUser, n))
	switch { // an instruction that forwards values is never asked
	case nd.Keep || nd.Op == hlo.OpReduce:
		e.followSame(n, slot, c)
	case !nd.Tuple:
		e.followThrough(n, slot, c)
	}
}

// followSame carries an operand's layout to the other operands and the results of its rank, which must have the same
// one.
func (e *State) followSame(n flat.NodeID, slot flat.SlotID, c operandConstraint) {
	g := e.G
	o, rank := g.Operands[slot], int(g.Nodes[g.Operands[slot]].Rank)
	if !e.carriesOn(n, o) {
		return
	}
	if e.agreed[n] != c.Order {
		all := true
		for s, end := g.Slots(n); s < end; s++ {
			x := g.Operands[s]
			if x != o && e.operandC[s].Order != c.Order && int(g.Nodes[x].Rank) == rank {
				e.setSlot(s, c.Tiled, nil, Must.at(c.Priority), Because(rule.Sibling, o))
			}
			all = all && e.operandC[s].Order == c.Order
		}
		if all {
			e.agreed[n] = c.Order
		}
	}
	for l, hi := g.Leaves(n); l < hi; l++ {
		v := g.LeafValue[l]
		x := &e.bufferC[v]
		if x.holds(c.Order, c.Priority) || int(g.Ranks[v]) != rank {
			continue
		}
		f := Must.at(c.Priority)
		if x.Order == c.Order {
			f.Mandatory = x.Mandatory
		}
		e.SetBuffer(v, c.Tiled, f, Because(rule.FromOperand, o))
	}
}

// followThrough carries an operand's layout to the result of an instruction that may change it.
func (e *State) followThrough(n flat.NodeID, slot flat.SlotID, c operandConstraint) {
	row, v := e.throughAt(n), e.G.Whole(n)
	if row == nil || row.Down == nil || e.G.Ranks[v] <= 1 {
		return
	}
	f := flagsOf(row, n).at(c.Priority)
	out := row.Down(n, e.G.OperandNumber(slot), c.Order).Untiled() // what is made of a layout has no tile
	if x := &e.bufferC[v]; x.Order == out.Order {
		f.Mandatory = x.Mandatory
	}
	e.SetBuffer(v, out, f, Because(rule.FromOperand, e.G.Operands[slot]))
}

// carriesOn reports whether the layout of an operand goes to the other operands and the results.
func (e *State) carriesOn(n, o flat.NodeID) bool {
	carries := e.hooks[e.G.Nodes[n].Op].carries
	return carries == nil || carries(n, o)
}

// followBuffer carries a value's layout to the operands of its definition and to its uses.
func (e *State) followBuffer(v flat.ValueID) {
	g := e.G
	c := e.bufferC[v]
	val := &g.Values[v]
	n := val.Node
	nd := &g.Nodes[n]
	if !nd.Flat {
		e.toOperands(n, c)
	}
	for a, u := range g.Readers(v) {
		if e.operandC[u.Slot].Order != c.Order && !g.ForwardsSlot(u.Node, u.Slot) {
			e.setSlot(u.Slot, c.Tiled, nil, may.at(c.Priority), Because(rule.FromOperand, a))
		}
	}
	e.backEdge(n, int(val.Leaf), c.Tiled)
}

// toOperands carries a result's layout to the instruction's own operands, at the round's priority at least: what a
// slice gives at priority -1 requests its operand at 0 (loop_goes_in).
func (e *State) toOperands(n flat.NodeID, c bufferConstraint) {
	g := e.G
	nd := &g.Nodes[n]
	priority := max(c.Priority, e.priority)
	why := Because(rule.FromUser, n)
	rank := len(e.Orders.Get(c.Order))
	for s, end := g.Slots(n); s < end; s++ {
		if nd.Keep && e.operandC[s].Order == c.Order {
			continue
		}
		if nd.Keep && int(g.Nodes[g.Operands[s]].Rank) == rank {
			e.setSlot(s, c.Tiled, nil, Must.at(priority), why)
		} else if row := e.throughAt(n); row != nil && !nd.Tuple {
			l := e.OperandOrder(n, g.OperandNumber(s), c.Order).Untiled()
			if row.KeepsTile || row.KeepsRow && c.Rows == 1 && e.isSingleRow(g.Operands[s], l.Order) {
				l.Rows = c.Rows
			}
			e.setSlot(s, l, nil, flagsOf(row, n).at(priority), why)
		}
	}
}

// isSingleRow reports whether the second-minor dimension of a node has size 1 in an order.
func (e *State) isSingleRow(n flat.NodeID, o ordering.Order) bool {
	mm := e.Orders.Get(o)
	return len(mm) > 1 && e.G.ShapeOf(n).Dims[mm[1]] == 1
}

// backEdge tells a loop's parameter what its body gives back.
func (e *State) backEdge(n flat.NodeID, leaf int, l ordering.Tiled) {
	slot := e.rootSlots[n] - 1
	if slot == -1 {
		return
	}
	g := e.G
	c := &g.Comps[g.Nodes[n].Comp]
	root := &g.Nodes[c.Root]
	info := g.Shape(root.In.Shape)
	e.SetBuffer(g.ValueAt(c.Params[0], int(info.Starts[slot-root.FirstSlot])+leaf), l, may, Because(rule.BackEdge, n))
}

// findRootSlots notes which slot of a loop's body's root is the first that uses a node.
func (e *State) findRootSlots() {
	e.rootSlots = make([]flat.SlotID, len(e.G.Nodes))
	for ci := range e.G.Comps {
		c := &e.G.Comps[ci]
		if !c.Looped || e.G.Nodes[c.Root].Op != hlo.OpTuple {
			continue
		}
		lo, hi := e.G.Slots(c.Root)
		for k, x := range slices.Backward(e.G.Operands[lo:hi]) {
			e.rootSlots[x] = 1 + lo + flat.SlotID(k)
		}
	}
}

// throughAt returns the rule that carries orders through an instruction, nil where there is none.
func (e *State) throughAt(n flat.NodeID) *rule.Row { return e.hooks[e.G.Nodes[n].As].through }

// flagsOf returns the flags of what a rule carries through an instruction.
func flagsOf(r *rule.Row, n flat.NodeID) Flags {
	return Flags{Mandatory: r.Mandatory, DFS: r.First != nil && r.First(n)}
}

// OperandOrder returns the order of operand k for the result's, none where there is none.
func (e *State) OperandOrder(n flat.NodeID, k int, o ordering.Order) ordering.Order {
	if row := e.throughAt(n); row != nil && row.Up != nil {
		return row.Up(n, k, o)
	}
	return ordering.None
}
