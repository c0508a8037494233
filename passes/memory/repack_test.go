package memory

import (
	"os"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// The earliest of the seven times that come first in the compiler's log of two programs for v7x, which reserves scratch
// memory at more, and of fewer.
func TestMiddle(t *testing.T) {
	for _, c := range []struct {
		times int
		with  []int
		want  int32
	}{
		{1072, []int{76, 101, 134, 201, 402, 603, 804, 871, 1005}, 134},
		{1555, []int{177, 340, 437, 632, 680, 875, 972, 1166, 1264, 1361}, 340},
		{343, []int{334, 85, 171, 257}, 85},
		{7, nil, 7},
		{0, nil, 0},
	} {
		sizes := make([]int64, c.times)
		for _, k := range c.with {
			sizes[k] = 4096
		}
		assert.Equal(t, c.want, middle(sizes), "%d times", c.times)
	}
}

// Gaps are those that are free all the time, the smallest first, what is above everything last.
func TestGaps(t *testing.T) {
	h := newHeap(1<<20, 10)
	for _, c := range []chunk{{0, 3, 0, 4096}, {2, 5, 16384, 4096}, {4, 9, 28672, 4096}, {8, 9, 0, 8192}} {
		h.add(c)
	}
	for _, c := range []struct {
		chunks []chunk
		size   int64
		want   []int64
	}{
		{[]chunk{{2, 4, 0, 4096}}, 4096, []int64{20480, 4096, 32768}},
		{[]chunk{{2, 4, 0, 4096}}, 12288, []int64{4096, 32768}},
		{[]chunk{{5, 5, 0, 4096}, {9, 9, 0, 4096}}, 4096, []int64{8192, 20480, 32768}},
		{[]chunk{{0, 1, 0, 4096}}, 4096, []int64{4096}},
	} {
		var got []int64
		for _, g := range h.gaps(c.chunks, c.size) {
			got = append(got, g.lo)
		}
		assert.Equal(t, c.want, got)
	}
}

// Where chunks are moved to make room they do not meet, all of a value stays at one offset, and scratch memory, too.
func TestChunksThatMove(t *testing.T) {
	text, err := os.ReadFile("../../testdata/memory/v6e.repacked.pre_msa.hlo")
	require.NoError(t, err)
	moved := 0
	for _, generation := range []string{"v5e", "v6e", "v7x"} {
		e := engineOf(t, string(text), generation)
		moved += e.repacks
		scratch := map[int64]bool{}
		for i, a := range e.chunks {
			assert.LessOrEqual(t, a.top(), e.dev.limit, generation)
			if a.buffer == none {
				scratch[a.offset] = true
			}
			for _, b := range e.chunks[:i] {
				assert.False(t, a.start <= b.end && b.start <= a.end && a.offset < b.top() && b.offset < a.top() &&
					(a.buffer != b.buffer || a.offset != b.offset), "%s: %v meets %v", generation, a, b)
			}
		}
		assert.LessOrEqual(t, len(scratch), 1, generation)
		for _, h := range e.placed {
			for _, a := range h.list {
				assert.False(t, a.fast && a.offset != nil && a.chunk != a.offset.at, generation)
			}
		}
	}
	assert.Positive(t, moved)
}

// The pieces of a prefetch that moves come in another order where the lowest can come earlier, and keep it where
// something is in the way.
func TestPiecesThatMove(t *testing.T) {
	const mib = 1 << 20
	for _, c := range []struct {
		held []chunk
		want int64
	}{
		{nil, 0},
		{[]chunk{{5, 9, 0, mib}}, 4 * mib},
	} {
		e := engineOf(t, "HloModule m, is_scheduled=true\n\nENTRY %main {\n  ROOT %a = f32[2304,1024]{1,0:T(8,128)} "+
			"parameter(0)\n}\n", "v6e")
		h := newHeap(e.dev.limit, 30)
		for _, x := range c.held {
			h.add(x)
		}
		e.chunks = []placed{{chunk{5, 9, 4 * mib, 4 * mib}, 0}, {chunk{10, 20, 0, 9 * mib}, 0}}
		m := &moving{size: 9 * mib, at: &offset{}, chunks: []int{0, 1},
			list: []*allocation{{pieces: 3, size: 9 * mib, start: 5, end: 20}}}
		require.True(t, e.move(h, m))
		assert.Equal(t, []chunk{{5, 9, c.want, 4 * mib}, {10, 20, 0, 9 * mib}}, m.moved)
	}
}

// Where two prefetches move together, or more pieces are there than one has, they keep their places, and what is in the
// way of one sends all of them on.
func TestPiecesThatKeepTheirPlaces(t *testing.T) {
	const mib = 1 << 20
	e := engineOf(t, "HloModule m, is_scheduled=true\n\nENTRY %main {\n  ROOT %a = f32[2304,1024]{1,0:T(8,128)} "+
		"parameter(0)\n}\n", "v6e")
	prefetch := func() *allocation { return &allocation{pieces: 3, size: 9 * mib, start: 5, end: 20} }
	for name, c := range map[string]struct {
		list   []*allocation
		chunks []placed
	}{
		"two prefetches": {[]*allocation{prefetch(), prefetch()},
			[]placed{{chunk{5, 9, 4 * mib, 4 * mib}, 0}, {chunk{10, 20, 0, 9 * mib}, 0}}},
		"more pieces": {[]*allocation{prefetch()}, []placed{{chunk{5, 9, 4 * mib, 4 * mib}, 0},
			{chunk{6, 9, 0, mib}, 0}, {chunk{7, 9, mib, mib}, 0}, {chunk{10, 20, 0, 9 * mib}, 0}}},
	} {
		h := newHeap(e.dev.limit, 30)
		h.add(chunk{10, 20, 9 * mib, mib})
		h.add(chunk{5, 6, 4 * mib, mib})
		e.chunks = c.chunks
		m := &moving{size: 9 * mib, at: &offset{}, list: c.list}
		var want []chunk
		for i, p := range c.chunks {
			m.chunks = append(m.chunks, i)
			p.offset += 10 * mib
			want = append(want, p.chunk)
		}
		require.True(t, e.move(h, m), name)
		assert.Equal(t, want, m.moved, name)
	}
}
