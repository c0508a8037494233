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
