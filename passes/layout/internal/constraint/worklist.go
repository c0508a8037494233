package constraint

import "hlolayout/passes/internal/flat"

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
			e.queue.front = append(e.queue.front, i)
		} else {
			e.queue.back = append(e.queue.back, i)
		}
	}
	e.added = e.added[:0]
}
