package memory

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// The heap answers as a list of chunks does that is searched from end to end.
func TestHeap(t *testing.T) {
	const times, limit = 600, 64 * alignment
	for seed := range uint64(40) {
		r := rand.New(rand.NewPCG(seed, 5))
		h := newHeap(limit, times)
		held := map[int32]chunk{}
		var ids []int32
		for range 60 {
			from := int32(r.IntN(times))
			to := min(from+int32(r.IntN(300)), times-1)
			size := int64(1+r.IntN(12)) * alignment
			meets := func(f func(c chunk)) {
				for _, id := range ids {
					if c := held[id]; c.start <= to && from <= c.end && c.size > 0 {
						f(c)
					}
				}
			}
			free := func(at int64) bool {
				ok := at+size <= limit
				meets(func(c chunk) { ok = ok && (at+size <= c.offset || c.top() <= at) })
				return ok
			}
			preferred := int64(r.IntN(70)) * alignment
			at, ok := h.find(from, to, size, preferred)
			require.Equal(t, free(preferred), ok, "preferred")
			if ok {
				require.Equal(t, preferred, at)
			}
			// The smallest gap that is large enough, the space above everything last.
			want, least, top := int64(none), int64(math.MaxInt64), int64(0)
			for at := int64(0); at < limit; at += alignment {
				below, above := at == 0, int64(math.MaxInt64)
				inside := false
				meets(func(c chunk) {
					below, inside = below || c.top() == at, inside || c.offset <= at && at < c.top()
					if c.offset >= at {
						above = min(above, c.offset)
					}
					top = max(top, c.top())
				})
				if gap := above - at; below && !inside && above < math.MaxInt64 && gap > 0 && gap >= size && gap < least {
					want, least = at, gap
				}
			}
			if want < 0 {
				want = top
			}
			at, ok = h.find(from, to, size, none)
			require.Equal(t, want+size <= limit, ok)
			if ok {
				require.Equal(t, want, at)
			}
			until := to
			for s := from; s <= to; s++ {
				for _, id := range ids {
					if c := held[id]; c.start <= s && s <= c.end && c.offset < at+size && at < c.top() && c.size > 0 {
						until = min(until, s-1)
					}
				}
			}
			require.Equal(t, until, h.freeUntil(from, to, at, size))
			room := to
			for used := func(s int32) (n int64) {
				for _, id := range ids {
					if c := held[id]; c.start <= s && s <= c.end {
						n += c.size
					}
				}
				return n
			}; room > from && used(room-1)+size <= limit; {
				room--
			}
			require.Equal(t, room, h.roomFrom(from, to, size))
			if len(ids) > 3 && r.IntN(3) == 0 {
				k := r.IntN(len(ids))
				h.remove(ids[k])
				delete(held, ids[k])
				ids = slices.Delete(ids, k, k+1)
			} else if ok {
				c := chunk{from, to, at, size}
				id := h.add(c)
				held[id], ids = c, append(ids, id)
			}
		}
	}
	assert.Equal(t, int64(alignment), aligned(1))
	assert.Equal(t, int64(math.MaxInt64/alignment*alignment), aligned(math.MaxInt64-1), "what cannot be rounded up")
}

// The queue answers as one does that lets the copies run anew each time, in the order of their starts.
func TestCopyQueue(t *testing.T) {
	const times = 40
	for seed := range uint64(300) {
		r := rand.New(rand.NewPCG(seed, 6))
		elapsed := make([]float32, times)
		for i := range elapsed {
			elapsed[i] = float32(r.IntN(4)) / 4
		}
		q := newCopyQueue(elapsed)
		var list []copySpan
		kept := 0 // copies before the last commit
		finish := func(list []copySpan) bool {
			list = slices.Clone(list)
			slices.SortStableFunc(list, func(a, b copySpan) int { return int(a.after - b.after) })
			free := make([]int64, times)
			for i, e := range elapsed {
				free[i] = scaled(e)
			}
			for _, c := range list {
				for at := c.after + 1; at < c.before; at++ {
					used := min(c.need, free[at])
					free[at] -= used
					c.need -= used
				}
				if c.need > 0 {
					return false
				}
			}
			return true
		}
		for range 40 {
			after := int32(r.IntN(times-1)) - 1
			c := copySpan{after, min(after+1+int32(r.IntN(12)), times-1), scaled(float32(1+r.IntN(6)) / 4)}
			d := c // a piece starts no earlier than the one before
			d.after = min(d.after+1, d.before-1)
			require.Equal(t, finish(append(slices.Clone(list), c)), q.fits(c))
			require.Equal(t, finish(append(slices.Clone(list), c, d)), q.fits(c, d))
			if q.fits(c) {
				q.add(c)
				list = append(list, c)
			}
			switch r.IntN(6) {
			case 0:
				q.rollback()
				list = list[:kept]
			case 1:
				q.commit()
				kept = len(list)
			}
		}
	}
}

// What meets an interval is counted as by looking at each.
func TestInFlight(t *testing.T) {
	const times = 50
	r := rand.New(rand.NewPCG(1, 7))
	f := newInFlight(times)
	type interval struct{ from, to int32 }
	var list []interval
	for range 400 {
		from := int32(r.IntN(times)) - 1
		x := interval{from, min(from+int32(r.IntN(9)), times-1)}
		n := int32(0)
		for _, y := range list {
			if x.from <= y.to && y.from <= x.to {
				n++
			}
		}
		require.Equal(t, n, f.meeting(x.from, x.to))
		if len(list) > 20 {
			f.remove(list[0].from, list[0].to)
			list = list[1:]
		}
		f.add(x.from, x.to)
		list = append(list, x)
	}
}

// What is pending when a buffer starts over is taken back: room, copies under way, bandwidth, what is pinned.
func TestRollback(t *testing.T) {
	e := engineOf(t, twoLoops, "v5e")
	last := int32(len(e.g.nodes)) - 1
	state := func() []any {
		var pinned, under []int
		for _, r := range e.required {
			pinned = append(pinned, len(r))
		}
		for at := range last {
			under = append(under, int(e.inPrefetch.meeting(at, at)), int(e.inEvic.meeting(at, at)))
		}
		return []any{slices.Clone(e.h.usage), pinned, under, slices.Clone(e.prefetches.delay), slices.Clone(e.evicts.delay)}
	}
	before := state()
	change := func() {
		e.hold(0, chunk{2, last, 0, alignment})
		e.addCopy(1, last, 1e-6, true)
		e.addCopy(2, last-1, 2e-6, false)
		e.addCopy(3, last, 3e-6, false)
		e.require(0, last, true, &offset{}, true)
	}
	change()
	changed := state()
	for i := range before {
		assert.NotEqual(t, before[i], changed[i])
	}
	e.rollback()
	assert.Equal(t, before, state())
	change()
	e.commit()
	e.rollback()
	assert.Equal(t, changed, state(), "what is committed stays")
}

// The pieces of a prefetch that is taken back stay among the copies under way, another prefetch does not.
func TestPiecesStayUnderWay(t *testing.T) {
	e := engineOf(t, "HloModule m, is_scheduled=true\n\nENTRY %main {\n  %a = f32[8,128]{1,0:T(8,128)} parameter(0)\n"+
		"  %b = f32[8,128]{1,0:T(8,128)} negate(%a)\n  ROOT %c = f32[8,128]{1,0:T(8,128)} negate(%b)\n}\n", "v5e")
	before := e.inPrefetch.meeting(0, 2)
	e.flight(1, pendingCopy{0, 2, false})
	e.rollback()
	assert.Equal(t, before, e.inPrefetch.meeting(0, 2))
	e.flight(0, pendingCopy{0, 2, false})
	e.rollback()
	assert.Equal(t, before+1, e.inPrefetch.meeting(0, 2))
}
