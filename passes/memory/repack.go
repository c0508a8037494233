package memory

import (
	"cmp"
	"slices"
)

// maxRepacks is how often a program's chunks are moved at most (measured: the compiler's log says so 4 times at most).
const maxRepacks = 4

// moving is what a repack moves as one: all chunks that are at one offset, with those of the pieces of a prefetch, and
// the pieces of values in them.
type moving struct {
	buffer int32
	// start is when the first of the values is held, end when the last one is not any more.
	start, end int32
	size       int64 // of the first
	offset     int64
	at         *offset // nil for scratch memory
	list       []*allocation
	chunks     []int   // in engine.chunks
	to         int64   // the new offset
	moved      []chunk // the chunks there
}

// mayRepack reports whether the chunks may be moved to make room: not more often than the compiler does, and not while
// prefetches take the place of copies or slices (XLA's RepackAllocationsIncludeConvertedSyncMemOp).
func (e *engine) mayRepack() bool {
	return e.repacks < maxRepacks && !slices.ContainsFunc(e.placed, func(h *held) bool { return h.replaced })
}

// repack places all chunks anew, those that are held longest first; it moves nothing and says so where they do not fit
// then (XLA's MemorySpaceAssignmentBestFitRepacker).
func (e *engine) repack() bool {
	e.repacks++
	list, ok := e.movings()
	if !ok {
		return false
	}
	order := slices.Clone(list)
	slices.SortStableFunc(order, func(a, b *moving) int {
		return cmp.Or(cmp.Compare(b.end-b.start, a.end-a.start), cmp.Compare(b.size, a.size))
	})
	h := e.newHeap()
	for _, m := range order {
		if !e.move(h, m) {
			return false
		}
	}
	for _, m := range list {
		for j, i := range m.chunks {
			e.chunks[i].chunk = m.moved[j]
		}
		if m.at != nil {
			m.at.at = m.to
		}
		for _, a := range m.list {
			a.chunk = m.to
		}
	}
	e.h = h
	return true
}

// move finds chunks that move together a place in a heap: the smallest gap that is free for all of them, the lowest of
// equal ones. The pieces of a prefetch come in any order that finds room there, the lowest as early as any. (With the
// log's times and order for one program on v7x 161 uses are where they are there, up to the first that is not, and 62
// where pieces keep their order.)
func (e *engine) move(h *heap, m *moving) bool {
	most := int64(0)
	for _, i := range m.chunks {
		most = max(most, aligned(e.chunks[i].size))
	}
	var whole []chunk // those that begin at the offset and are as large as any; the others are pieces
	var parts []int   // in m.chunks
	for j, i := range m.chunks {
		if c := e.chunks[i].chunk; m.buffer == none || c.offset == m.offset && aligned(c.size) == most {
			whole = append(whole, c)
		} else {
			parts = append(parts, j)
		}
	}
	sizes, early := e.cut(m, parts, most)
	busy := make([][]span, len(sizes)) // what is held while the last piece is awaited, from each piece's time on
	for k, j := range early {
		c := e.chunks[m.chunks[j]]
		busy[k] = merged(h.busy(c.start, c.end))
	}
	last, highest := len(sizes)-1, m.offset // the place of the highest piece
	for _, size := range sizes[:last] {
		highest += size
	}
	for k, j := range early {
		if e.chunks[m.chunks[j]].offset == highest {
			last = k
		}
	}
	for _, g := range h.gaps(whole, most) {
		for _, at := range startsIn(g, busy, sizes, most) {
			order, ok := h.arrange(busy, sizes, at, last)
			if !ok || at+most > h.limit {
				continue
			}
			moved := make([]chunk, len(m.chunks))
			for j, i := range m.chunks {
				moved[j] = e.chunks[i].chunk
				moved[j].offset += at - m.offset
			}
			pieces, offsets := byTime(order, sizes, at)
			for k, j := range early {
				moved[j].offset, moved[j].size = offsets[k], pieces[k]
			}
			if early == nil && !h.allFree(moved, parts) {
				continue
			}
			for _, c := range moved {
				h.add(c)
			}
			m.to, m.moved = at, moved
			return true
		}
	}
	return false
}

// allFree reports whether nothing is in the way of those of the chunks that which names.
func (h *heap) allFree(chunks []chunk, which []int) bool {
	for _, j := range which {
		c := chunks[j]
		if _, free := h.find(c.start, c.end, c.size, c.offset); !free {
			return false
		}
	}
	return true
}

// cut returns the sizes of the pieces that a prefetch is cut into, from the lowest on, and parts, the chunks that are
// there before the last piece, in the order of time. Where more than one prefetch moves, parts keep their places, and
// all is one piece.
func (e *engine) cut(m *moving, parts []int, size int64) (sizes []int64, early []int) {
	for _, a := range m.list {
		if a.pieces > 1 {
			if sizes != nil {
				return []int64{size}, nil
			}
			sizes = e.pieces(a.def, a.size)
		}
	}
	if len(sizes) <= len(parts) {
		return []int64{size}, nil
	}
	early = slices.Clone(parts)
	slices.SortStableFunc(early, func(a, b int) int {
		return cmp.Compare(e.chunks[m.chunks[a]].start, e.chunks[m.chunks[b]].start)
	})
	return sizes, early
}

// gaps returns the gaps that are as large as size while any of the chunks is held, the smallest gaps first, the space
// above everything last.
func (h *heap) gaps(chunks []chunk, size int64) []span {
	var spans []span
	h.query++
	for _, c := range chunks {
		h.visit(1, 0, h.leaves-1, c.start, c.end, func(c chunk) {
			if c.size > 0 {
				spans = append(spans, span{c.offset, c.top()})
			}
		})
	}
	slices.SortFunc(spans, func(a, b span) int { return cmp.Compare(a.lo, b.lo) })
	return gapsIn(spans, size)
}

// movings lists what moves as one, in the order in which it got its place: scratch memory, the parameter that is kept
// across programs, values.
func (e *engine) movings() (list []*moving, ok bool) {
	scratch := &moving{buffer: none}
	of := map[int32][]*moving{}
	byOffset := map[*offset]*moving{}
	for _, h := range e.placed {
		b := e.bufOf[h.value]
		for _, a := range h.list {
			if !a.fast || a.offset == nil {
				continue
			}
			m := byOffset[a.offset]
			if m == nil {
				m = &moving{buffer: b, start: a.start, size: a.size, offset: a.offset.at, at: a.offset}
				byOffset[a.offset] = m
				of[b] = append(of[b], m)
				list = append(list, m)
			}
			m.end = max(m.end, a.end)
			m.list = append(m.list, a)
		}
	}
	var kept *moving
	for i, c := range e.chunks {
		switch {
		case c.buffer == none:
			scratch.chunks = append(scratch.chunks, i)
			scratch.end = max(scratch.end, c.end)
			scratch.offset = c.offset
		case e.bufs[c.buffer].crossProgram:
			if kept == nil {
				kept = &moving{buffer: c.buffer, size: c.size, offset: c.offset}
			}
			kept.chunks = append(kept.chunks, i)
			kept.end = max(kept.end, c.end)
		default:
			m := holding(of[c.buffer], c.chunk)
			if m == nil {
				return nil, false
			}
			m.chunks = append(m.chunks, i)
		}
	}
	if kept != nil {
		list = slices.Insert(list, 0, kept)
	}
	if len(scratch.chunks) > 0 {
		n := int32(len(e.g.nodes))
		sizes := make([]int64, n)
		for _, i := range scratch.chunks {
			if c := e.chunks[i]; c.start < n {
				sizes[c.start] = c.size
			}
		}
		scratch.start = middle(sizes)
		if scratch.start < n {
			scratch.size = sizes[scratch.start]
		}
		list = slices.Insert(list, 0, scratch)
	}
	return list, true
}

// holding returns which of the moving parts of a buffer a chunk belongs to, nil where there is none.
func holding(list []*moving, c chunk) *moving {
	for _, m := range list {
		for _, a := range m.list {
			if a.start <= c.start && c.start <= a.end && m.offset <= c.offset && c.offset < m.offset+aligned(m.size) {
				return m
			}
		}
	}
	return nil
}

// middle returns the earliest of the seven times that come first of those that have scratch memory, in the order in
// which the compiler reserves it: the middle of the program, then the middles of its halves, of their halves and so on.
// (What is held longer than from then on, and shorter, is placed before scratch memory, and after it, in the log of 30
// of 31 programs; with the first alone in 24. Why it is the earliest of seven is not known.)
func middle(sizes []int64) int32 {
	const most = 7
	type half struct{ lo, hi int }
	least, found := len(sizes), 0
	for queue := []half{{0, len(sizes)}}; len(queue) > 0 && found < most; queue = queue[1:] {
		p := queue[0]
		if p.lo >= p.hi {
			continue
		}
		mid := (p.lo + p.hi) / 2
		if sizes[mid] > 0 {
			least = min(least, mid)
			found++
		}
		queue = append(queue, half{p.lo, mid}, half{mid + 1, p.hi})
	}
	return int32(least)
}
