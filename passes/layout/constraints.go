package layout

import (
	"hlolayout/hlo"
	"hlolayout/passes/layout/internal/ordering"
	"slices"
)

// bufferConstraint is the layout of one value. There is one for each value of the module, as an operandConstraint for
// each operand: both are kept small and free of pointers (BenchmarkLayout, B/op).
type bufferConstraint struct {
	ordering.Tiled       // order is none while unconstrained
	beat           int32 // 1 + the number of what it replaced in engine.beaten; 0 for nothing
	cause          cause
	priority       int16
	mandatory      bool
	dfs            bool
	changes        uint8
}

// operandConstraint is the layout an operand must have; it is updated in place.
type operandConstraint struct {
	ordering.Tiled // of an array operand; order is none where there is no constraint
	// Of a tuple operand: 1 + the number of its orders, by leaf, in engine.tuples; 0 where there is no constraint.
	tuple     int32
	cause     cause
	priority  int16
	mandatory bool
	dfs       bool
}

func (c *operandConstraint) set() bool { return c.Order != ordering.None || c.tuple != 0 }

// holds reports whether asking for an order again, with no more than the same strength and priority, changes nothing.
// Where it does not, nor where an operand has the order already, the propagation need not look at the nodes around:
// they are seldom at hand (BenchmarkLayout).
func (c *bufferConstraint) holds(o ordering.Order, priority int16) bool {
	return c.Order == o && c.priority >= priority
}

// leavesOf returns the orders of a constrained tuple operand, by leaf, nil for an array.
func (e *engine) leavesOf(c *operandConstraint) []ordering.Order {
	if c.tuple == 0 {
		return nil
	}
	return e.tuples[c.tuple-1]
}

// beaten is a constraint that another one replaced.
type beaten struct {
	order ordering.Order
	cause cause
	prev  int32
}

// item is an entry of the work list: a value by its number, an operand slot s as -1-s, the result of computation c as
// resultItems+c.
type item int32

const resultItems item = 1 << 30

func slotItem(slot int32) item { return item(-1 - slot) }

// deque is a queue of items that grows at both ends.
type deque struct {
	ring       []item
	head, size int
}

func (q *deque) grow() {
	if q.size < len(q.ring) {
		return
	}
	ring := make([]item, max(64, 2*len(q.ring)))
	n := copy(ring, q.ring[q.head:])
	copy(ring[n:], q.ring[:q.head])
	q.ring, q.head = ring, 0
}

func (q *deque) pushFront(i item) {
	q.grow()
	q.head--
	if q.head < 0 {
		q.head = len(q.ring) - 1
	}
	q.ring[q.head] = i
	q.size++
}

func (q *deque) pushBack(i item) {
	q.grow()
	at := q.head + q.size
	if at >= len(q.ring) {
		at -= len(q.ring)
	}
	q.ring[at] = i
	q.size++
}

func (q *deque) popFront() item {
	i := q.ring[q.head]
	q.head++
	if q.head == len(q.ring) {
		q.head = 0
	}
	q.size--
	return i
}

func (e *engine) priorityOf(i item) int16 {
	switch {
	case i >= resultItems:
		return resultPriority
	case i < 0:
		return e.operandC[-1-i].priority
	}
	return e.bufferC[i].priority
}

func (e *engine) isDFS(i item) bool {
	switch {
	case i >= resultItems:
		return true
	case i < 0:
		return e.operandC[-1-i].dfs
	}
	return e.bufferC[i].dfs
}

// queue puts a new or raised constraint among those that wait for the end of the present step.
func (e *engine) queue(i item) {
	at := len(e.added)
	if !e.isDFS(i) {
		p := e.priorityOf(i)
		for at > 0 && p > e.priorityOf(e.added[at-1]) {
			at--
		}
	}
	e.added = slices.Insert(e.added, at, i)
}

// drain moves what was added to the work list: depth-first constraints to the front, others to the back.
func (e *engine) drain() {
	for _, i := range e.added {
		if e.isDFS(i) {
			e.work.pushFront(i)
		} else {
			e.work.pushBack(i)
		}
	}
	e.added = e.added[:0]
}

// flags are the strength of a constraint: whether it must hold, whether it is explored first, and its priority.
type flags struct {
	mandatory, dfs bool
	fixed          bool // priority is given; else it is the round's
	priority       int16
}

var (
	must     = flags{mandatory: true, dfs: true}
	mustLate = flags{mandatory: true}
	may      = flags{dfs: true}
)

func (f flags) at(priority int16) flags { f.fixed, f.priority = true, priority; return f }

// setBuffer constrains a value.
func (e *engine) setBuffer(v int32, l ordering.Tiled, f flags, why cause) {
	o := l.Order
	if o == ordering.None || !e.g.Values[v].Shape.DType.IsArray() {
		return
	}
	if !f.fixed {
		f.priority = e.priority
	}
	if e.off[why.rule] || e.refuses(v, o, why) {
		return
	}
	c := &e.bufferC[v]
	switch {
	case c.Order == ordering.None:
		*c = bufferConstraint{Tiled: l, priority: f.priority, mandatory: f.mandatory, dfs: f.dfs, changes: 1, cause: why}
	case c.Order == o:
		// That it is to be explored first from now on is no news by itself (conv_depthwise).
		if (c.mandatory || !f.mandatory) && c.priority >= f.priority {
			return
		}
		c.mandatory = c.mandatory || f.mandatory
		c.dfs = c.dfs || f.dfs
		c.priority = max(c.priority, f.priority)
		if e.g.Values[v].Shape.Rank() <= 1 {
			return
		}
	default:
		if !f.mandatory && !e.gives(v, l, f.priority, why) {
			return
		}
		e.beaten = append(e.beaten, beaten{c.Order, c.cause, c.beat})
		*c = bufferConstraint{Tiled: l, priority: f.priority, mandatory: f.mandatory, dfs: f.dfs, changes: min(c.changes, 250) + 1,
			cause: why, beat: int32(len(e.beaten))}
		if e.g.Values[v].Shape.Rank() <= 1 {
			return
		}
	}
	e.unsettled = e.unsettled || e.shared[v]
	e.record(item(v))
	e.queue(item(v))
}

// gives reports whether a value changes a layout for one that is not mandatory: a higher priority overrides what is
// not mandatory, and a user may negotiate; but not more often than a few times, and never an element of a tuple.
func (e *engine) gives(v int32, l ordering.Tiled, priority int16, why cause) bool {
	c := &e.bufferC[v]
	switch {
	case int64(c.changes) > e.limits[maxChanges] || e.g.Nodes[e.g.Values[v].Node].Tuple:
		return false
	case priority > c.priority:
		return !c.mandatory
	}
	return why.rule == ruleFromUser && e.negotiateValue(v, why.node, l)
}

// setOperand constrains an array operand.
func (e *engine) setOperand(n, slot int32, l ordering.Tiled, f flags, why cause) {
	e.constrainOperand(n, slot, l, nil, f, why)
}

func (e *engine) constrainOperand(n, slot int32, l ordering.Tiled, leaves []ordering.Order, f flags, why cause) {
	g := e.g
	o := l.Order
	if leaves == nil && (o == ordering.None || g.Nodes[g.Operands[slot]].Rank == 0) {
		return
	}
	if !f.fixed {
		f.priority = e.priority
	}
	if h, ok := e.held.slots[slot]; e.off[why.rule] || ok && h != o {
		return
	}
	if !f.mandatory && e.isLate(n, slot, f.priority) {
		f.dfs = false
		f.priority--
	}
	c := &e.operandC[slot]
	if c.set() {
		if c.Order == o && slices.Equal(e.leavesOf(c), leaves) {
			return
		}
		if !f.mandatory && (!e.passesThrough(n) || !e.negotiateOperand(slot, c.Tiled, l)) {
			return
		}
		if c.priority > f.priority {
			return
		}
	}
	*c = operandConstraint{Tiled: l, priority: f.priority, mandatory: f.mandatory, dfs: f.dfs, cause: why}
	if leaves != nil {
		e.tuples = append(e.tuples, leaves)
		c.tuple = int32(len(e.tuples))
	}
	e.record(slotItem(slot))
	e.queue(slotItem(slot))
}

// isLate reports whether what an operand wants is followed last: the update of a dynamic-update-slice, the operand of
// a reshape of a dynamic-slice.
func (e *engine) isLate(n, slot int32, priority int16) bool {
	nd := &e.g.Nodes[n]
	switch nd.Op {
	case hlo.OpDynamicUpdateSlice:
		return slot > nd.FirstSlot && priority > -2 && e.on(ruleLateIndex)
	case hlo.OpReshape:
		return e.g.Nodes[e.g.Operands[nd.FirstSlot]].Op == hlo.OpDynamicSlice && e.on(ruleLateReshape)
	}
	return false
}

// passesThrough reports whether an operand's layout always reaches the result.
func (e *engine) passesThrough(n int32) bool {
	nd := &e.g.Nodes[n]
	return nd.Keep || nd.Op == hlo.OpReduce || nd.Op == hlo.OpTranspose
}

// setInstruction constrains what an instruction gives, and for one that keeps layouts also what it takes.
func (e *engine) setInstruction(n int32, l ordering.Tiled, f flags, why cause) {
	g := e.g
	nd := &g.Nodes[n]
	if nd.Tuple || l.Order == ordering.None {
		return
	}
	e.setBuffer(g.Whole(n), l, f, why)
	if !nd.Keep || nd.Op == hlo.OpWhile {
		return
	}
	rank := nd.In.Shape.Rank()
	for s, hi := g.Slots(n); s < hi; s++ {
		if x := g.ShapeOf(g.Operands[s]); x.IsArray() && x.Rank() == rank {
			e.setOperand(n, s, l, f, why)
		}
	}
}

// setLeaves constrains the parts of a tuple-shaped instruction, by leaf, with the rows of the tile that all of them
// carry.
func (e *engine) setLeaves(n int32, leaves []ordering.Order, rows int32, f flags, why cause) {
	for i, o := range leaves {
		e.setBuffer(e.g.ValueAt(n, i), o.Carrying(rows), f, why)
	}
}
