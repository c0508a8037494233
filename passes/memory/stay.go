package memory

import "slices"

// stay keeps a value in the fast space up to its use, without a copy.
func (e *engine) stay(q *request) (ok bool, why Reason) {
	h := q.h
	var last *allocation
	if n := len(h.list); n > 0 {
		if last = h.list[n-1]; !last.fast {
			return false, ReasonNone
		}
	}
	if q.wish.kind != staying && !e.k.keeps(q.start, q.end) {
		return false, ReasonTooLong
	}
	from, at := q.start, (*offset)(nil)
	if last != nil {
		at, from = last.offset, last.end+1
		if h.contiguous && last.mirror {
			from = e.heldAlready(from, at)
		}
	}
	if q.preferred != nil {
		if at != nil && at != q.preferred {
			return false, ReasonNoRoom
		}
		at = q.preferred
	}
	off := int64(0)
	if at != nil {
		off = at.at
	}
	if from <= q.end {
		if off, ok = e.fit(q, from, at); !ok {
			return false, ReasonNoRoom
		}
		e.hold(e.bufOf[q.h.value], chunk{from, q.end, off, q.size})
	}
	if last != nil && (last.copied || last.def == h.leaf) {
		last.end = max(last.end, q.end)
	} else {
		if at == nil {
			at = &offset{off}
		}
		last = &allocation{fast: true, chunk: off, size: q.size, start: q.start, end: q.end, ready: q.start, def: h.leaf,
			offset: at}
		h.list = append(h.list, last)
	}
	last.uses = append(last.uses, q.use.use)
	return true, ReasonNone
}

// heldAlready returns up to when the buffer has the room at an offset from a time on: what a collective permute reads
// is the operand itself, which others may read until then (of 16 such programs 2 come out without, all with it, on v4
// and v6e).
func (e *engine) heldAlready(from int32, at *offset) int32 {
	for _, p := range e.pendingChunks {
		if c := e.h.chunks[p.id]; c.offset == at.at && c.start <= from && from <= c.end {
			from = c.end + 1
		}
	}
	return from
}

// fit finds an offset that is free up to the use, and up to as many later uses as possible; at a given offset only up
// to the use.
func (e *engine) fit(q *request, from int32, at *offset) (int64, bool) {
	return e.fitUntil(q, at, func(end int32, preferred int64) (int64, bool) {
		return e.h.find(from, end, aligned(q.size), preferred)
	})
}

// fitUntil does what fit does with a function that finds an offset that is free up to a time.
func (e *engine) fitUntil(q *request, at *offset, find func(int32, int64) (int64, bool)) (int64, bool) {
	if at != nil {
		return find(q.end, at.at)
	}
	lo, _ := slices.BinarySearch(q.times, q.end)
	hi := lo
	for hi+1 < len(q.times) && e.k.keeps(q.times[hi], q.times[hi+1]) {
		hi++
	}
	best, found := int64(0), false
	// The first time that does not fit is looked for by halves, as the compiler does.
	for n := hi + 1 - lo; n > 0; {
		half := n / 2
		mid := lo + half
		t := q.end
		if mid < len(q.times) {
			t = q.times[mid]
		}
		if off, ok := find(t, none); ok {
			best, found = off, true
			lo, n = mid+1, n-half-1
		} else {
			n = half
		}
	}
	return best, found
}

// evict copies a value back to HBM, from its definition on.
func (e *engine) evict(q *request) Reason {
	h := q.h
	last := h.list[len(h.list)-1]
	after, end := last.start, last.end
	want := min(max(e.k.evictedBy(after, q.end, q.size, e.retry), end), q.latest)
	until := end
	if want > end {
		until = want
		for until > end {
			free := e.h.freeUntil(end+1, until, last.chunk, aligned(q.size))
			if free <= end {
				until = end
				break
			}
			until = free
			if until == want || e.edges[until+1] {
				break
			}
			for until--; until > end && !e.edges[until+1]; {
				until--
			}
		}
	}
	need := e.dev.seconds(float32(q.size))
	if after == until {
		return ReasonEvict
	}
	if !e.evicts.fits(copySpan{after, until, scaled(need)}) {
		if e.retry < retries-1 {
			return ReasonEvict
		}
		need = 0
	}
	if e.inEvic.meeting(after, until) >= maxEvictions {
		return ReasonOutstanding
	}
	if until > end {
		e.hold(e.bufOf[q.h.value], chunk{end + 1, until, last.chunk, q.size})
	}
	last.end = max(last.end, until)
	e.addCopy(after, until, need, true)
	h.list = append(h.list, &allocation{copied: true, size: q.size, start: after + 1, end: last.end, ready: until,
		def: h.leaf, after: after})
	return ReasonNone
}
