package memory

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

// The pieces of a prefetch start after the latest instruction that leaves them their share of the time, the one that
// the prefetch itself starts after among them, and the next. (The times, in microseconds, and the starts are those of
// the compiler's log of a program for v6e.)
func TestSliceStarts(t *testing.T) {
	var text strings.Builder
	text.WriteString("HloModule line, is_scheduled=true\n\nENTRY %main {\n  %x.0 = f32[8]{0:T(256)} parameter(0)\n")
	times := []float32{0, 0.1, 113.6, 213.9, 0.1, 0.1, 21.6, 22.1}
	for i := range times[1:] {
		fmt.Fprintf(&text, "  %%x.%d = f32[8]{0:T(256)} negate(%%x.%d)\n", i+1, i)
	}
	fmt.Fprintf(&text, "  ROOT %%out = f32[8]{0:T(256)} negate(%%x.%d)\n}\n", len(times)-1)
	e := engineOf(t, text.String(), "v6e")
	sum := float32(0)
	for i, s := range times {
		sum += s
		e.k.sum[i] = sum
	}
	assert.Equal(t, []int32{1, 1, 2, 2}, e.sliceStarts(4, 1, 7))
	assert.Equal(t, []int32{2, 2, 2, 2}, e.sliceStarts(4, 2, 7))
}

// While the places of a prefetch's pieces are not known, the smallest is taken to come first.
func TestSmallestPieceFirst(t *testing.T) {
	e := engineOf(t, rounds(), "v5e")
	h := e.placed[0]
	left := make([]float32, len(e.g.nodes)+1)
	for i := range left {
		left[i] = e.dev.seconds(4096) * sliceInflation * 1.1
	}
	q := &request{h: h, use: &h.uses[0], end: 20, latest: 20, size: 12288, times: []int32{20}}
	for _, c := range []struct {
		starts []int32
		pieces []int64
		want   Reason
	}{
		{[]int32{16, 17}, []int64{8192, 4096}, ReasonNone},
		{[]int32{16, 18}, []int64{8192, 4096}, ReasonBandwidth},
		{[]int32{15, 18}, []int64{4096, 8192}, ReasonBandwidth},
	} {
		e.prefetches = newCopyQueue(left)
		_, why := e.check(q, c.starts, c.pieces)
		assert.Equal(t, c.want, why, "%v at %v", c.pieces, c.starts)
	}
}

// When the places of the pieces are known they have to fit in the order of the times, too: a large first piece delays
// the copies that begin after it. (So the compiler's log of a program for v6e has a
// prefetch of three pieces.)
func TestPiecesInTheirPlaces(t *testing.T) {
	e := engineOf(t, rounds(), "v5e")
	h := e.placed[0]
	left := make([]float32, len(e.g.nodes)+1)
	for i := range left {
		left[i] = e.dev.seconds(4096) * sliceInflation * 1.1
	}
	left[19] *= 4
	q := &request{h: h, use: &h.uses[0], end: 20, latest: 20, size: 12288, times: []int32{20}}
	for _, c := range []struct {
		other []copySpan
		want  Reason
	}{
		{nil, ReasonNone},
		{[]copySpan{{16, 18, scaled(e.dev.seconds(4096))}}, ReasonBandwidth},
	} {
		e.prefetches = newCopyQueue(left)
		for _, s := range c.other {
			e.prefetches.add(s)
		}
		_, why := e.check(q, []int32{15, 18}, []int64{8192, 4096})
		assert.Equal(t, c.want, why, c.other)
	}
}
