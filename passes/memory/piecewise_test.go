package memory

import (
	"cmp"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// The lowest piece comes last where its place is free last (as the six pieces of a value in a program for v6e): the
// pieces of a prefetch need not be in the order of their times.
func TestPiecesInAnyOrder(t *testing.T) {
	h := newHeap(100*alignment, 20)
	h.add(chunk{0, 9, 0, 2 * alignment}) // in the way of the lowest until 9
	pieces := []int64{2 * alignment, 2 * alignment, alignment}
	at, order, ok := h.findPieces([]int32{4, 9, 9}, pieces, 15, 5*alignment, none)
	assert.True(t, ok)
	assert.Zero(t, at)
	assert.Equal(t, []int{1, 0, 2}, order)
	_, _, ok = h.findPieces([]int32{4, 5, 9}, []int64{alignment, alignment, alignment}, 15, 3*alignment, 0)
	assert.False(t, ok, "two places are free too late")
	at, _, ok = h.findPieces([]int32{4, 5, 9}, []int64{alignment, alignment, alignment}, 15, 3*alignment, none)
	assert.True(t, ok)
	assert.Equal(t, int64(alignment), at)
}

// Where a generation tries few orders, pieces come in that of their times, in the reverse or from the middle on, and
// elsewhere where none has room.
func TestManyPieces(t *testing.T) {
	for _, c := range []struct {
		late []int64 // the pieces whose places are free last
		at   int64
		want []int
	}{
		{nil, 0, []int{0, 1, 2, 3, 4}},
		{[]int64{0}, 0, []int{4, 3, 2, 1, 0}},
		{[]int64{0, 2}, 1, []int{4, 3, 2, 1, 0}},
		{[]int64{0, 4}, 0, []int{3, 1, 0, 2, 4}},
	} {
		h := newHeap(100*alignment, 20)
		h.fewOrders = true
		for _, at := range c.late {
			h.add(chunk{0, 9, at * alignment, alignment})
		}
		at, order, ok := h.findPieces([]int32{4, 5, 6, 9, 9}, slices.Repeat([]int64{alignment}, 5), 15, 5*alignment, none)
		assert.True(t, ok)
		assert.Equal(t, c.at*alignment, at, c.late)
		assert.Equal(t, c.want, order, c.late)
	}
}

// A last piece that is smaller than the others keeps its place when it moves.
func TestSmallPieceKeepsItsPlace(t *testing.T) {
	none3, low := make([][]span, 3), [][]span{{{0, 2}}, {{0, 2}}, nil}
	for _, c := range []struct {
		few  bool
		busy [][]span
		last int
		want []int
	}{
		{true, none3, 2, []int{0, 1, 2}},
		{true, none3, 0, []int{1, 2, 0}},
		{false, none3, 1, []int{0, 2, 1}},
		{true, low, 0, []int{2, 1, 0}},
		{true, low, 2, nil},
		{false, low, 1, []int{2, 0, 1}},
	} {
		h := newHeap(100, 5)
		h.fewOrders = c.few
		order, ok := h.arrange(c.busy, []int64{2, 2, 1}, 0, c.last)
		assert.Equal(t, c.want != nil, ok)
		if ok {
			assert.Equal(t, c.want, order)
		}
	}
}

// Pieces are placed as by trying all orders at all offsets of all gaps.
func TestFindPieces(t *testing.T) {
	const times, limit = 30, 24
	found := 0
	for seed := range uint64(400) {
		r := rand.New(rand.NewPCG(seed, 9))
		h := newHeap(limit*alignment, times)
		for range 6 + r.IntN(8) {
			from, size := int32(r.IntN(times-1)), int64(1+r.IntN(5))
			to := min(from+int32(r.IntN(9)), times-1)
			if at, ok := h.find(from, to, size*alignment, int64(r.IntN(limit))*alignment); ok {
				h.add(chunk{from, to, at, size * alignment})
			}
		}
		n := 2 + r.IntN(3)
		var starts []int32
		var pieces []int64
		size := int64(0)
		for range n {
			starts = append(starts, int32(r.IntN(12)))
			pieces = append(pieces, int64(1+r.IntN(3))*alignment)
			size += pieces[len(pieces)-1]
		}
		slices.Sort(starts)
		last := starts[n-1]
		end := last + 1 + int32(r.IntN(8))
		free := func(from, to int32, at, size int64) bool {
			_, ok := h.find(from, to, size, at)
			return from > to || ok
		}
		// The first order, by its places, that fits.
		var first func(at int64, order []int) []int
		first = func(at int64, order []int) []int {
			if len(order) == n {
				return order
			}
			for k := range n {
				if slices.Contains(order, k) || !free(starts[k]+1, last, at, pieces[len(order)]) {
					continue
				}
				if o := first(at+pieces[len(order)], append(slices.Clone(order), k)); o != nil {
					return o
				}
			}
			return nil
		}
		gaps := h.free(last+1, end, size)
		require.True(t, slices.IsSortedFunc(gaps, func(a, b span) int { return cmp.Compare(a.hi-a.lo, b.hi-b.lo) }))
		want, order := int64(none), []int(nil)
		for _, g := range gaps {
			for at := g.lo; at+size <= min(g.hi, 1000*alignment) && order == nil; at += alignment {
				if o := first(at, nil); o != nil && at+size <= limit*alignment {
					want, order = at, o
				} else if at+size > limit*alignment {
					break
				}
			}
		}
		at, got, ok := h.findPieces(starts, pieces, end, size, none)
		require.Equal(t, order != nil, ok, "seed %d", seed)
		if ok {
			found++
			require.Equal(t, want, at, "seed %d", seed)
			require.Equal(t, order, got, "seed %d", seed)
		}
	}
	assert.Greater(t, found, 100)
}
