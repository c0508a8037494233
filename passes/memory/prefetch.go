package memory

import (
	"slices"

	"hlolayout/hlo"
)

// slicing says how a generation cuts large prefetches: into at most most pieces along one dimension (see slice), or
// into pieces of size bytes each; values of fewer than least bytes are not cut.
type slicing struct{ least, size, most int64 }

// pieces returns the sizes that a value of a leaf is copied in, from the lowest on, nil where it is copied whole.
func (e *engine) pieces(leaf int32, size int64) []int64 {
	s := e.dev.slices
	each := s.size
	if s.most > 0 {
		each = e.slice(leaf, size)
	}
	if each <= 0 || size < s.least || size <= each {
		return nil
	}
	var out []int64
	for left := size; left > 0; left -= each {
		out = append(out, min(left, each))
	}
	return out
}

// slice returns how many bytes a piece has of a value that is cut along its major dimension, 0 where it is not cut: so
// many rows that there are no more than most pieces, and one more until they end where an offset may be. A single row
// is not cut, but a row of tiles is, along its lanes; nor is anything where the last piece would have less than a tile.
// (So are all 8,190 pieces that the compiler writes of arrays on v5e, 60 of them along lanes. Its log has 191 shapes
// that it cuts, and 36 that it does not: the major dimension of these has one row. It says that it cannot cut an array
// of 23 rows.)
func (e *engine) slice(leaf int32, size int64) int64 {
	shape, _ := e.v.leafShape(leaf)
	order := shape.MinorToMajor()
	if len(order) == 0 {
		return 0
	}
	k := len(order) - 1
	d, inRow := shape.Dims[order[k]], int64(1)
	if k == 1 && d <= tileAlong(shape, k) {
		k, d = 0, shape.Dims[order[0]]
	}
	if k < 2 {
		inRow = tileAlong(shape, k)
	}
	rows := (d + inRow - 1) / inRow
	if rows <= 1 || size%rows != 0 {
		return 0
	}
	n := (rows + e.dev.slices.most - 1) / e.dev.slices.most
	for n < rows && n*(size/rows)%alignment != 0 {
		n++
	}
	if last := d - (rows-1)/n*n*inRow; last < inRow {
		return 0
	}
	return n * (size / rows)
}

// tileAlong returns the size of an array's tile along its k-th minor dimension, that of the dimension without tiles.
func tileAlong(s *hlo.Shape, k int) int64 {
	size := s.Dims[s.MinorToMajor()[k]]
	if l := s.Layout; l != nil && len(l.Tiles) > 0 && len(l.Tiles[0]) > k {
		if t := l.Tiles[0][len(l.Tiles[0])-1-k]; t > 0 {
			return t
		}
	}
	return size
}

// sliceStarts spreads the starts of n pieces over the time from after to end, each with its share of it. A piece starts
// after the latest instruction that leaves it its share, one next to the start among them. (Of 22,242 buffers in the
// compiler's log of 56 programs, with the log's own times and order, 16,115 are where they are there, and 15,564 if an
// instruction has to be in between.)
func (e *engine) sliceStarts(n int, after, end int32) []int32 {
	out := []int32{after}
	same := func() []int32 {
		for len(out) < n {
			out = append(out, after)
		}
		return out
	}
	total := e.k.between(after, end)
	if total <= 0 {
		return same()
	}
	comp := func(t int32) int32 { return e.g.nodes[max(t, 0)].comp }
	last := after
	for t := after; len(out) < n; {
		want := total * float32(n-len(out)) / float32(n)
		left := e.k.between(t, end)
		if left < want {
			out = append(out, last)
			continue
		}
		if t != last && e.k.between(last, t+1) > 0 && comp(t) == comp(after) {
			last = t
		}
		if left == want && t == last {
			out = append(out, last)
			continue
		}
		t++
	}
	return out
}

// sliceInflation makes the compiler more careful with slices: each is taken to need so much more bandwidth when it
// looks for a time.
const sliceInflation = 1.8

// solution is a prefetch that fits.
type solution struct {
	offset int64
	starts []int32 // one per piece; exclusive
	pieces []int64 // their sizes
	at     []int64 // their offsets
}

// prefetch copies a value to the fast space in time for its use.
func (e *engine) prefetch(q *request, from *allocation) Reason {
	earliest := max(from.ready, q.earliest)
	end := q.latest
	// Times at which too much is held already are left out beforehand.
	first := end
	if earliest+1 < end {
		first = e.h.roomFrom(earliest+1, end, q.size)
	}
	if first == end {
		e.noRoom = true // for the compiler there is none in no time
		if end-1 > earliest {
			return ReasonNoRoom
		}
		return ReasonNoTime
	}
	var pieces []int64
	if !q.h.replaced || e.g.nodes[q.h.time].in.Opcode != hlo.OpSlice { // a slice is not cut once more
		pieces = e.pieces(q.h.leaf, q.size)
	}
	if pieces == nil {
		earliest = first - 1
	}
	u := q.use
	saved := e.c.saved(u.node, e.c.read[u.use])
	times := e.k.starts(earliest, end, q.size, saved, q.wish)
	if _, ok := e.fit(q, max(times.latest, none)+1, q.preferred); !ok {
		return ReasonNoRoom
	}
	found, why := e.firstFit(q, times, pieces)
	if found != nil {
		e.take(q, found)
	}
	return why
}

// firstFit goes through the times at which a prefetch may start, up to the first at which it fits in pieces. Where it
// has no pieces or never fits in them, it is the first at which it fits whole.
func (e *engine) firstFit(q *request, times *starts, pieces []int64) (*solution, Reason) {
	var whole *solution
	why := ReasonNoTime
	full := int32(-2) // no room for copies that start here or earlier
	refused := func(after int32, reason Reason, decides bool) {
		why = reason
		e.noRoom = e.noRoom || reason == ReasonNoRoom
		if decides && reason == ReasonNoRoom {
			full = max(full, after)
		}
	}
	for !times.done() {
		after := times.next()
		if after <= full {
			return nil, ReasonNoRoom
		}
		if pieces != nil {
			if starts := e.sliceStarts(len(pieces), after, q.latest); starts[len(starts)-1] != after {
				cut, reason := e.check(q, starts, pieces)
				if cut != nil {
					return cut, ReasonNone
				}
				refused(after, reason, true)
			}
		}
		if whole != nil {
			continue
		}
		var reason Reason
		whole, reason = e.check(q, []int32{after}, []int64{q.size})
		switch {
		case whole == nil:
			refused(after, reason, pieces == nil)
		case pieces == nil:
			return whole, ReasonNone
		}
	}
	if whole != nil {
		why = ReasonNone
	}
	return whole, why
}

// check looks whether copies of pieces, started after the given times and done in time for the use, fit: their number,
// their bandwidth, their room.
func (e *engine) check(q *request, starts []int32, pieces []int64) (*solution, Reason) {
	end := q.latest
	limit := int32(maxPrefetches)
	if e.g.nodes[q.use.node].in.Opcode == hlo.OpWhile {
		limit += loopExtra
	}
	for i, after := range starts {
		if e.inPrefetch.meeting(after, end)+int32(i) >= limit {
			return nil, ReasonOutstanding
		}
	}
	// Their places are not known yet, and the smallest is taken to be the first. (So the compiler's log of 21 programs
	// for v5e has 463 checks of unequal pieces.)
	if !e.carries(starts, end, slices.Sorted(slices.Values(pieces))) {
		return nil, ReasonBandwidth
	}
	if len(starts) == 1 {
		if off, ok := e.fit(q, starts[0]+1, q.preferred); ok {
			return &solution{off, starts, pieces, []int64{off}}, ReasonNone
		}
		return nil, ReasonNoRoom
	}
	// The pieces come one after the other, and only the last needs all of the room.
	var order []int
	off, ok := e.fitUntil(q, q.preferred, func(end int32, preferred int64) (at int64, ok bool) {
		at, places, ok := e.h.findPieces(starts, pieces, end, aligned(q.size), preferred)
		if ok {
			order = places
		}
		return at, ok
	})
	if !ok {
		return nil, ReasonNoRoom
	}
	sizes, offsets := byTime(order, pieces, off)
	if !e.carries(starts, end, sizes) {
		return nil, ReasonBandwidth
	}
	return &solution{off, starts, sizes, offsets}, ReasonNone
}

// carries reports whether there is bandwidth for pieces that start at given times.
func (e *engine) carries(starts []int32, end int32, pieces []int64) bool {
	spans := make([]copySpan, len(starts))
	for i, after := range starts {
		need := e.dev.seconds(float32(pieces[i]))
		if len(starts) > 1 {
			need *= sliceInflation
		}
		spans[i] = copySpan{after, end, scaled(need)}
	}
	return e.prefetches.fits(spans...)
}

// take carries out a prefetch that fits.
func (e *engine) take(q *request, s *solution) {
	end, pieces := q.latest, s.pieces
	last := s.starts[len(s.starts)-1]
	for i, after := range s.starts {
		if after < last {
			e.hold(e.bufOf[q.h.value], chunk{after + 1, last, s.at[i], pieces[i]})
		}
	}
	e.hold(e.bufOf[q.h.value], chunk{last + 1, q.end, s.offset, q.size})
	for i, after := range s.starts {
		span := copySpan{after, end, scaled(e.dev.seconds(float32(pieces[i])))}
		start := after + 1
		if len(s.starts) > 1 {
			start = after
		}
		e.flight(start, pendingCopy{after, end, false})
		e.prefetches.add(span)
	}
	shared := q.preferred
	if shared == nil {
		shared = &offset{s.offset}
	}
	q.h.list = append(q.h.list, &allocation{fast: true, copied: true, chunk: s.offset, size: q.size,
		start: s.starts[0] + 1, end: q.end, ready: end, def: q.h.leaf, offset: shared,
		after: s.starts[0], whole: last, uses: []int32{q.use.use}, pieces: len(s.starts)})
}
