// Package inturn puts what several goroutines make in parallel back in order.
package inturn

import "sync"

// Queue gives values to a function in the order of their numbers, one at a time. The zero Queue is not of use; call
// New.
type Queue[T any] struct {
	do func(T)

	turn    sync.Mutex
	waiting map[int]T // what came before its turn
	due     int       // the number whose turn it is
	busy    bool      // do is being called
}

// New returns a queue for the values 0, 1, 2 and so on. What do writes, it may read in later calls without a lock.
func New[T any](do func(T)) *Queue[T] { return &Queue[T]{do: do, waiting: map[int]T{}} }

// Put takes value i. It returns immediately where another goroutine is in do, which then does this value, too, in its
// turn; else it does those that are due itself.
func (q *Queue[T]) Put(i int, value T) {
	q.turn.Lock()
	defer q.turn.Unlock()
	q.waiting[i] = value
	if q.busy {
		return
	}
	q.busy = true
	for value, ready := q.waiting[q.due]; ready; value, ready = q.waiting[q.due] {
		delete(q.waiting, q.due)
		q.unlocked(value)
		q.due++
	}
	q.busy = false
}

// unlocked calls do without the lock, which is held again after it, also where do panics.
func (q *Queue[T]) unlocked(value T) {
	q.turn.Unlock()
	defer q.turn.Lock()
	q.do(value)
}
