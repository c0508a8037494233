package memory

import (
	"cmp"
	"math"
	"slices"
)

// chunk is a piece of the fast space, offset and size in bytes, held from one time to another, both inclusive. Offsets
// are aligned, and sizes are those of the values. (The compiler's log of a program for v5e has room for 2 KiB where
// whole pages would fill the space.)
type chunk struct {
	start, end   int32
	offset, size int64
}

func (c chunk) top() int64 { return c.offset + c.size }

// heap is the fast space over time. Chunks are kept in a segment tree over the times, so that finding those that meet
// an interval costs what there is to find.
type heap struct {
	limit  int64
	leaves int32
	lists  [][]int32 // per tree node: chunks that span it whole
	count  []int32   // per tree node: entries in the lists of its subtree
	chunks []chunk
	seen   []int32 // per chunk: the query that saw it last
	query  int32
	unused []int32
	usage  []int64 // bytes held at each time
	peaks  []int64 // the most of them in each block of times
	spans  []span  // scratch
	// fewOrders says that pieces come in a few orders only, not in all that there are.
	fewOrders bool
}

type span struct{ lo, hi int64 }

func newHeap(limit int64, times int) *heap {
	h := &heap{limit: limit, leaves: 1, usage: make([]int64, times), peaks: make([]int64, times/blockTimes+1)}
	for int(h.leaves) < times {
		h.leaves *= 2
	}
	h.lists, h.count = make([][]int32, 2*h.leaves), make([]int32, 2*h.leaves)
	return h
}

// alignment is what offsets are multiples of.
const alignment = 4096

func aligned(n int64) int64 {
	if n > math.MaxInt64-alignment {
		return math.MaxInt64 / alignment * alignment
	}
	return (n + alignment - 1) / alignment * alignment
}

// add takes a chunk; the number it returns is for remove.
func (h *heap) add(c chunk) int32 {
	var id int32
	if n := len(h.unused); n > 0 {
		id = h.unused[n-1]
		h.unused = h.unused[:n-1]
		h.chunks[id] = c
	} else {
		id = int32(len(h.chunks))
		h.chunks, h.seen = append(h.chunks, c), append(h.seen, 0)
	}
	h.walk(1, 0, h.leaves-1, c.start, c.end, func(n int32) { h.lists[n] = append(h.lists[n], id) }, 1)
	h.take(c, c.size)
	return id
}

func (h *heap) remove(id int32) {
	c := h.chunks[id]
	h.walk(1, 0, h.leaves-1, c.start, c.end, func(n int32) {
		l := h.lists[n]
		i := slices.Index(l, id)
		l[i] = l[len(l)-1]
		h.lists[n] = l[:len(l)-1]
	}, -1)
	h.take(c, -c.size)
	h.unused = append(h.unused, id)
}

// blockTimes is how many times share an entry of peaks.
const blockTimes = 256

// take changes the bytes held while a chunk is.
func (h *heap) take(c chunk, by int64) {
	for b := c.start / blockTimes; b <= c.end/blockTimes; b++ {
		lo, hi := b*blockTimes, min((b+1)*blockTimes, int32(len(h.usage)))
		for t := max(lo, c.start); t <= min(hi-1, c.end); t++ {
			h.usage[t] += by
		}
		h.peaks[b] = slices.Max(h.usage[lo:hi])
	}
}

// roomFrom returns the first time from which on, up to before end, size bytes fit by their number; not below from.
func (h *heap) roomFrom(from, end int32, size int64) int32 {
	t := end
	for t > from {
		if b := (t - 1) / blockTimes; h.peaks[b]+size <= h.limit {
			t = max(from, b*blockTimes)
			continue
		}
		if h.usage[t-1]+size > h.limit {
			break
		}
		t--
	}
	return t
}

// walk calls f for the tree nodes that make up the interval and counts them up or down in their ancestors.
func (h *heap) walk(n, lo, hi, start, end int32, f func(int32), by int32) int32 {
	if end < lo || hi < start {
		return 0
	}
	if start <= lo && hi <= end {
		f(n)
		h.count[n] += by
		return by
	}
	mid := (lo + hi) / 2
	d := h.walk(2*n, lo, mid, start, end, f, by) + h.walk(2*n+1, mid+1, hi, start, end, f, by)
	h.count[n] += d
	return d
}

// meet calls f once for each chunk that is held at some time of the interval.
func (h *heap) meet(start, end int32, f func(chunk)) {
	h.query++
	h.visit(1, 0, h.leaves-1, start, end, f)
}

func (h *heap) visit(n, lo, hi, start, end int32, f func(chunk)) {
	if end < lo || hi < start || h.count[n] == 0 {
		return
	}
	for _, id := range h.lists[n] {
		if h.seen[id] != h.query {
			h.seen[id] = h.query
			f(h.chunks[id])
		}
	}
	if lo < hi {
		mid := (lo + hi) / 2
		h.visit(2*n, lo, mid, start, end, f)
		h.visit(2*n+1, mid+1, hi, start, end, f)
	}
}

// busy returns what is held in the interval, by offset.
func (h *heap) busy(start, end int32) []span {
	h.spans = h.spans[:0]
	h.meet(start, end, func(c chunk) {
		if c.size > 0 {
			h.spans = append(h.spans, span{c.offset, c.top()})
		}
	})
	slices.SortFunc(h.spans, func(a, b span) int { return cmp.Compare(a.lo, b.lo) })
	return h.spans
}

// gapsIn returns the gaps of at least size bytes between spans, which are in order: the smallest first, the lowest of
// equal ones, the space above everything, which has no end, last.
func gapsIn(spans []span, size int64) (gaps []span) {
	low := int64(0)
	for _, s := range spans {
		if s.lo-low >= size {
			gaps = append(gaps, span{low, s.lo})
		}
		low = max(low, aligned(s.hi))
	}
	slices.SortStableFunc(gaps, func(a, b span) int { return cmp.Compare(a.hi-a.lo, b.hi-b.lo) })
	return append(gaps, span{low, math.MaxInt64})
}

// find returns the offset at which size bytes are free in the whole interval: the smallest gap that is large enough,
// the lowest of equal ones, the space above everything last. A preferred offset that is not negative is taken if it is
// free, and no other then.
func (h *heap) find(start, end int32, size, preferred int64) (offset int64, ok bool) {
	best, at := int64(math.MaxInt64), int64(none)
	low := int64(0)
	gap := func(hi int64) {
		if preferred >= 0 {
			if low <= preferred && preferred+size <= hi {
				at = preferred
			}
		} else if hi-low >= size && (at < 0 || hi-low < best) {
			best, at = hi-low, low
		}
	}
	for _, s := range h.busy(start, end) {
		if s.lo > low {
			gap(s.lo)
		}
		low = max(low, aligned(s.hi))
	}
	if preferred >= 0 {
		gap(h.limit)
	} else if at < 0 {
		at = low
	}
	return at, at >= 0 && at+size <= h.limit
}

// freeUntil returns the latest time up to end at which size bytes at the offset are free from start on; start-1 where
// they never are.
func (h *heap) freeUntil(start, end int32, offset, size int64) int32 {
	last := end
	h.meet(start, end, func(c chunk) {
		if c.size > 0 && c.offset < offset+size && offset < c.top() {
			last = min(last, max(c.start, start)-1)
		}
	})
	return last
}
