package constraint

import (
	"slices"

	"hlolayout/passes/internal/flat"
)

// item is an entry of the work list: a value by its number, an operand slot s as -1-s, the result of computation c as
// resultItems+c.
type item int32

const resultItems item = 1 << 30

func slotItem(slot flat.SlotID) item { return item(-1 - slot) }

// deque is a queue of items that grows at both ends and is taken from the front: first from a stack, then from a list.
type deque struct {
	front, back []item
	next        int // the first item of back that is left
}

func (q *deque) empty() bool { return len(q.front) == 0 && q.next == len(q.back) }

func (q *deque) pop() item {
	if last := len(q.front) - 1; last >= 0 {
		i := q.front[last]
		q.front = q.front[:last]
		return i
	}
	i := q.back[q.next]
	if q.next++; q.next == len(q.back) {
		q.back, q.next = q.back[:0], 0
	}
	return i
}

// ofResult is how the orders are followed that a computation's result must have.
var ofResult = Constraint{Priority: 3, DFS: true}

// constraintOf returns the constraint that an item stands for.
func (e *State) constraintOf(i item) *Constraint {
	switch {
	case i >= resultItems:
		return &ofResult
	case i < 0:
		return &e.operandC[-1-i].Constraint
	}
	return &e.bufferC[i].Constraint
}

// flush moves what was added to the work list: depth-first constraints to the front, others to the back.
func (e *State) flush() {
	if len(e.added) > 1 { // many at the beginning of a round: growing step by step leaves twice as much garbage
		e.queue.front = slices.Grow(e.queue.front, len(e.added))
	}
	for _, i := range e.added {
		if e.constraintOf(i).DFS {
			e.queue.front = append(e.queue.front, i)
		} else {
			e.queue.back = append(e.queue.back, i)
		}
	}
	e.added = e.added[:0]
}
