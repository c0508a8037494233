package memory

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

// chain is a program in which each instruction reads the one before it. A name says the opcode: n for negate and so on,
// with a digit for how many instructions before the one before it reads, too.
func chain(ops []string) string {
	const array = "f32[256,128]{1,0:T(8,128)}"
	opcodes := map[byte]string{'n': "negate", 't': "tanh", 's': "sine", 'c': "cosine", 'e': "exponential", 'a': "add"}
	var b strings.Builder
	fmt.Fprintf(&b, "HloModule m, is_scheduled=true\n\nENTRY %%main {\n  %%i.0 = %s parameter(0)\n", array)
	for i, op := range ops {
		also := ""
		if len(op) > 1 {
			also = fmt.Sprintf(", %%i.%d", max(0, i-int(op[1]-'0')))
		}
		fmt.Fprintf(&b, "  %%i.%d = %s %s(%%i.%d%s)\n", i+1, array, opcodes[op[0]], i, also)
	}
	fmt.Fprintf(&b, "  ROOT %%r = %s abs(%%i.%d)\n}\n", array, len(ops))
	return b.String()
}

// An unrolled loop has at least six iterations of 4 to 400 instructions. It begins up to ten instructions before the
// first that another one is like, and ends where an instruction reads what none of the iterations before read there.
func TestUnrolledLoops(t *testing.T) {
	body := []string{"n", "t", "s", "c"}
	headed := func(n int) []string { return append(slices.Repeat([]string{"n"}, n), "t", "s", "c", "e") }
	unique := func(n int) []string { // no two iterations of less than n instructions are alike
		return append(slices.Repeat([]string{"n"}, n-1), "t")
	}
	for _, c := range []struct {
		ops  []string
		want []unrolled
	}{
		{slices.Repeat(body, 6), []unrolled{{1, 24, 4}}},
		{append(slices.Repeat(body, 6), "n", "t"), []unrolled{{1, 26, 4}}},
		{append(slices.Repeat(body, 5), body[:3]...), nil},
		{slices.Repeat(body[:3], 12), nil},
		{slices.Repeat(headed(10), 6), []unrolled{{1, 84, 14}}},
		{slices.Repeat(headed(12), 7), []unrolled{{3, 112, 16}}},
		{slices.Repeat(unique(400), 7), []unrolled{{390, 2800, 400}}},
		{slices.Repeat(unique(401), 7), nil},
		{slices.Repeat([]string{"n", "t", "s", "a3"}, 7), []unrolled{{1, 28, 4}}},
		{append(slices.Repeat([]string{"n", "t", "s", "a3"}, 6), "n", "t", "s", "a2"),
			[]unrolled{{1, 27, 4}}},
	} {
		e := engineOf(t, chain(c.ops), "v5e")
		assert.Equal(t, c.want, e.g.unrolledLoops(), "%d instructions", len(c.ops))
	}
}
