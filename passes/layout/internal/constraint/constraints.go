package constraint

import (
	"slices"

	"hlolayout/hlo"
	"hlolayout/passes/internal/flat"
	"hlolayout/passes/layout/internal/ordering"
	"hlolayout/passes/layout/internal/rule"
)

// Constraint is a layout that a value or an operand has; its order is none while there is none. There is one for each
// of them: it is kept small and free of pointers (BenchmarkLayout, B/op).
type Constraint struct {
	ordering.Tiled
	Cause          Cause
	Priority       int16
	Mandatory, DFS bool
}

// bufferConstraint is that of one value.
type bufferConstraint struct {
	Constraint
	beat    int32 // 1 + the number of what it replaced in State.overridden; 0 for nothing
	changes int32
}

// operandConstraint is that of one operand. For a tuple operand, tuple is the number of its layouts, by leaf, in
// State.tuples; for an array, and without a constraint, it is 0, that of no layouts.
type operandConstraint struct {
	Constraint
	tuple int32
}

func (c *operandConstraint) set() bool { return c.Order != ordering.None || c.tuple != 0 }

// holds reports whether asking for an order again, with no more than the same strength and priority, changes nothing:
// a value that is not explored first may be so from then on (230 of 230 in the compiler's log).
// Where it does not, nor where an operand has the order already, the propagation need not look at the nodes around:
// they are seldom at hand (BenchmarkLayout).
func (c *bufferConstraint) holds(o ordering.Order, priority int16) bool {
	return c.Order == o && c.Priority >= priority && c.DFS
}

// Overridden is a constraint that another one replaced.
type Overridden struct {
	Order ordering.Order
	Cause Cause
	prev  int32
}

// enqueue puts a new or raised constraint among those that wait for the end of the present step.
func (e *State) enqueue(i item) {
	e.added = append(e.added, i)
	c, list := e.constraintOf(i), e.added
	for at := len(list) - 1; !c.DFS && at > 0 && c.Priority > e.constraintOf(list[at-1]).Priority; at-- {
		list[at-1], list[at] = list[at], list[at-1]
	}
}

// Flags are the strength of a constraint: whether it must hold, whether it is explored first, and its priority.
type Flags struct {
	Mandatory, DFS bool
	fixed          bool // priority is given; else it is the round's
	priority       int16
}

var (
	Must     = Flags{Mandatory: true, DFS: true}
	MustLate = Flags{Mandatory: true}
	may      = Flags{DFS: true}
)

func (f Flags) at(priority int16) Flags { f.fixed, f.priority = true, priority; return f }

// SetBuffer constrains a value.
func (e *State) SetBuffer(v flat.ValueID, l ordering.Tiled, f Flags, why Cause) {
	o := l.Order
	if o == ordering.None || e.G.Ranks[v] < 0 {
		return
	}
	if !f.fixed {
		f.priority = e.priority
	}
	if e.off[why.Rule] || e.refuses(v, o, why) {
		return
	}
	c := &e.bufferC[v]
	first := c.Order == ordering.None
	switch {
	case first:
		c.Constraint, c.changes = Constraint{l, why, f.priority, f.Mandatory, f.DFS}, 1
	case c.Order == o:
		if (c.Mandatory || !f.Mandatory) && c.holds(o, f.priority) {
			return
		}
		c.Mandatory = c.Mandatory || f.Mandatory
		c.DFS = true
		c.Priority = max(c.Priority, f.priority)
	case f.Mandatory || e.gives(v, l, f.priority, why):
		e.overridden = append(e.overridden, Overridden{c.Order, c.Cause, c.beat})
		c.Constraint = Constraint{l, why, f.priority, f.Mandatory, f.DFS}
		c.beat, c.changes = int32(len(e.overridden)), c.changes+1
	default:
		return
	}
	if !first && e.G.Ranks[v] == 0 {
		return
	}
	if e.touch(v) {
		e.unsettled = true
	}
	e.record(item(v))
	if e.G.Ranks[v] > 0 || e.rootSlots[e.G.Values[v].Node] > 0 { // else nothing follows it
		e.enqueue(item(v))
	}
}

// touch notes that a value was set, and reports whether it is part of a boundary.
func (e *State) touch(v flat.ValueID) bool {
	e.lists[inward].touch(v) // some of the same ones
	return e.lists[outward].touch(v)
}

// gives reports whether a value changes a layout for one that is not mandatory: a higher priority overrides what is
// not mandatory, and a user may negotiate; but not more often than a few times, and never an element of a tuple.
func (e *State) gives(v flat.ValueID, l ordering.Tiled, priority int16, why Cause) bool {
	c := &e.bufferC[v]
	switch {
	case int64(c.changes) > e.Limit(rule.MaxChanges) || e.G.Nodes[e.G.Values[v].Node].Tuple:
		return false
	case priority > c.Priority:
		return !c.Mandatory
	}
	return why.Rule == rule.FromUser && e.On(rule.NegotiateValue) &&
		e.table[rule.NegotiateValue].ValueGives(v, why.Node, l)
}

// yields reports whether the constraint of an operand yields to another one.
func (e *State) yields(slot flat.SlotID, l ordering.Tiled, f Flags) bool {
	c, nd := &e.operandC[slot], &e.G.Nodes[e.G.SlotNode[slot]]
	passes := nd.Keep || nd.Op == hlo.OpReduce || nd.Op == hlo.OpTranspose // it always reaches the result
	if !f.Mandatory && (!passes || e.off[rule.NegotiateOperand] ||
		!e.table[rule.NegotiateOperand].OperandGives(slot, c.Tiled, l)) {
		return false
	}
	return c.Priority <= f.priority
}

// SetOperand constrains array operand k of a node.
func (e *State) SetOperand(n flat.NodeID, k int, l ordering.Tiled, f Flags, why Cause) {
	e.setSlot(e.G.Slot(n, k), l, nil, f, why)
}

// SetWhole constrains operand k, of any shape, by leaf.
func (e *State) SetWhole(n flat.NodeID, k int, leaves []ordering.Tiled, f Flags, why Cause) {
	if e.G.ShapeOf(e.G.Operand(n, k)).IsTuple() {
		e.setSlot(e.G.Slot(n, k), ordering.Tiled{}, leaves, f, why)
		return
	}
	e.SetOperand(n, k, leaves[0], f, why)
}

// setSlot constrains the operand in a slot, a tuple by leaf.
func (e *State) setSlot(slot flat.SlotID, l ordering.Tiled, leaves []ordering.Tiled, f Flags, why Cause) {
	g, n, o := e.G, e.G.SlotNode[slot], l.Order
	if leaves == nil && (o == ordering.None || g.Nodes[g.Operands[slot]].Rank == 0) {
		return
	}
	if !f.fixed {
		f.priority = e.priority
	}
	if h := e.Held.Slot(slot); e.off[why.Rule] || h != ordering.None && h != o {
		return
	}
	if late := e.hooks[g.Nodes[n].Op].late; !f.Mandatory && late != nil && late(n, g.OperandNumber(slot), f.priority) {
		f.DFS = false
		f.priority--
	}
	c := &e.operandC[slot]
	if c.set() && (c.Order == o && slices.EqualFunc(e.tuples[c.tuple], leaves, sameOrder) || !e.yields(slot, l, f)) {
		return
	}
	e.agreed[n] = ordering.None
	c.Constraint, c.tuple = Constraint{l, why, f.priority, f.Mandatory, f.DFS}, 0
	if leaves != nil {
		c.tuple = int32(len(e.tuples))
		e.tuples = append(e.tuples, leaves)
	}
	e.record(slotItem(slot))
	if !g.Nodes[g.Operands[slot]].Flat { // else nothing follows it
		e.enqueue(slotItem(slot))
	}
}

// SetInstruction constrains the array that an instruction gives, and for one that keeps layouts also what it takes.
func (e *State) SetInstruction(n flat.NodeID, l ordering.Tiled, f Flags, why Cause) {
	g := e.G
	nd := &g.Nodes[n]
	if l.Order == ordering.None {
		return
	}
	e.SetBuffer(g.Whole(n), l, f, why)
	if !nd.Keep {
		return
	}
	for s, hi := g.Slots(n); s < hi; s++ {
		if g.Nodes[g.Operands[s]].Rank == nd.Rank {
			e.setSlot(s, l, nil, f, why)
		}
	}
}

// SetLeaves constrains the parts of an instruction's result, by leaf.
func (e *State) SetLeaves(n flat.NodeID, leaves []ordering.Tiled, f Flags, why Cause) {
	for i, l := range leaves {
		e.SetBuffer(e.G.ValueAt(n, i), l, f, why)
	}
}

// Cause is why a constraint has its layout: the rule, the one that chose among the orders that this rule leaves, None
// where there is none, and the node it comes from (-1 for none).
type Cause struct {
	Rule, Chosen rule.ID
	Node         flat.NodeID
}

// Because is the cause of what a rule asks of a node.
func Because(r rule.ID, n flat.NodeID) Cause { return Cause{Rule: r, Node: n} }

// Event is one constraint that is set: on a leaf of a node, or on one of its operands, by slot.
type Event struct {
	Node flat.NodeID
	Slot flat.SlotID // slot is -1 for a value
	Leaf int
	Constraint
}

func (e *State) record(i item) {
	switch {
	case e.Trace == nil:
	case i < 0:
		e.Trace(Event{e.G.SlotNode[-1-i], flat.SlotID(-1 - i), 0, *e.constraintOf(i)})
	default:
		v := &e.G.Values[i]
		e.Trace(Event{v.Node, -1, int(v.Leaf), *e.constraintOf(i)})
	}
}
