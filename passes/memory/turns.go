package memory

import (
	"cmp"
	"slices"
)

// turns is the fast space over four iterations of an unrolled loop, of which the even ones are alike, and the odd ones:
// a value may be at two places in turn (XLA's LoopOptimizerBestFitHeap).
type turns struct {
	limit int64
	size  int32  // of an iteration
	held  []turn // by offset
}

// turn is a chunk and the value in it, nil for scratch memory.
type turn struct {
	chunk
	of *loopValue
}

// hold holds a chunk in some of the iterations.
func (r *turns) hold(v *loopValue, c chunk, iterations ...int32) {
	at, _ := slices.BinarySearchFunc(r.held, c.offset, func(h turn, at int64) int { return cmp.Compare(h.offset, at) })
	for _, i := range iterations {
		r.held = slices.Insert(r.held, at, turn{chunk{c.start + i*r.size, c.end + i*r.size, c.offset, c.size}, v})
	}
}

// place holds a value from one time to another, at one place in all of the iterations: in the smallest gap that is
// large enough, the lowest of equal ones. It reports whether there is room.
func (r *turns) place(v *loopValue, from, to int32, iterations ...int32) bool {
	var busy []span
	for i := range r.held {
		h := &r.held[i]
		for _, k := range iterations {
			if h.start <= to+k*r.size && from+k*r.size <= h.end {
				busy = append(busy, span{h.offset, h.top()})
				break
			}
		}
	}
	size := aligned(v.size)
	low := gapsIn(busy, size)[0].lo
	if low+size > r.limit {
		return false
	}
	r.hold(v, chunk{from, to, low, size}, iterations...)
	return true
}

// alternate holds a value at two places in turn. Its first time may be one of the iteration before.
func (r *turns) alternate(v *loopValue, from, to int32) bool {
	if from < 0 {
		from, to = from+r.size, to+r.size
	}
	if !r.place(v, from, to, 0, 2) {
		return false
	}
	if !r.place(v, from, to, 1, 3) {
		r.drop(v)
		return false
	}
	return true
}

// drop gives up the places of values.
func (r *turns) drop(values ...*loopValue) {
	r.held = slices.DeleteFunc(r.held, func(h turn) bool { return slices.Contains(values, h.of) })
}

// free returns how many bytes are free above all that is held.
func (r *turns) free() int64 {
	top := int64(0)
	for i := range r.held {
		top = max(top, r.held[i].top())
	}
	return r.limit - top
}
