package constraint

import "hlolayout/passes/internal/flat"

// item is an entry of the work list: a value by its number, an operand slot s as -1-s, the result of computation c as
// resultItems+c.
type item int32

const resultItems item = 1 << 30

func slotItem(slot flat.SlotID) item { return item(-1 - slot) }

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

func (e *State) priorityOf(i item) int16 {
	switch {
	case i >= resultItems:
		return resultPriority
	case i < 0:
		return e.operandC[-1-i].priority
	}
	return e.bufferC[i].Priority
}

func (e *State) isDFS(i item) bool {
	switch {
	case i >= resultItems:
		return true
	case i < 0:
		return e.operandC[-1-i].dfs
	}
	return e.bufferC[i].dfs
}

// flush moves what was added to the work list: depth-first constraints to the front, others to the back.
func (e *State) flush() {
	for _, i := range e.added {
		if e.isDFS(i) {
			e.work.queue.pushFront(i)
		} else {
			e.work.queue.pushBack(i)
		}
	}
	e.added = e.added[:0]
}
