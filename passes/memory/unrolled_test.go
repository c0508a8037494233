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

// An iteration is in one computation, and begins with no element of a tuple; its constants may be anywhere.
func TestUnrolledLoopsAreOfOneComputation(t *testing.T) {
	const array = "f32[256,128]{1,0:T(8,128)}"
	var calls, constants, elements strings.Builder
	calls.WriteString("HloModule calls, is_scheduled=true\n\n")
	main := "ENTRY %main {\n  %i.0 = " + array + " parameter(0)\n"
	constants.WriteString("HloModule constants, is_scheduled=true\n\n" + main)
	elements.WriteString("HloModule elements, is_scheduled=true\n\n" + main + "  %e = (" +
		strings.Repeat(array+", ", 6) + array + ") parameter(1)\n")
	for i := range 7 {
		fmt.Fprintf(&calls, "%%f.%d {\n  %%p.%d = %s parameter(0)\n  ROOT %%n.%d = %s negate(%%p.%d)\n}\n\n",
			i, i, array, i, array, i)
		fmt.Fprintf(&constants, "  %%k.%d = f32[] constant(%d)\n", i, i)
	}
	calls.WriteString(main)
	for i := range 7 {
		fmt.Fprintf(&calls, "  %%c.%d = %s call(%%i.%d), to_apply=%%f.%d\n  %%t.%d = %s tanh(%%c.%d)\n"+
			"  %%i.%d = %s sine(%%t.%d)\n", i, array, i, i, i, array, i, i+1, array, i)
		fmt.Fprintf(&constants, "  %%b.%d = %s broadcast(%%k.%d), dimensions={}\n  %%a.%d = %s add(%%i.%d, %%b.%d)\n"+
			"  %%t.%d = %s tanh(%%a.%d)\n  %%i.%d = %s sine(%%t.%d)\n", i, array, i, i, array, i, i, i, array, i, i+1, array, i)
	}
	for i := range 7 {
		fmt.Fprintf(&elements, "  %%g.%d = %s get-tuple-element(%%e), index=%d\n  %%a.%d = %s add(%%i.%d, %%g.%d)\n"+
			"  %%t.%d = %s tanh(%%a.%d)\n  %%i.%d = %s sine(%%t.%d)\n", i, array, i, i, array, i, i, i, array, i, i+1, array, i)
	}
	end := "  ROOT %r = " + array + " abs(%i.7)\n}\n"
	assert.Empty(t, engineOf(t, calls.String()+end, "v5e").g.unrolledLoops())
	assert.Equal(t, []unrolled{{8, 35, 4}}, engineOf(t, constants.String()+end, "v5e").g.unrolledLoops())
	assert.Equal(t, []unrolled{{3, 29, 4}}, engineOf(t, elements.String()+end, "v5e").g.unrolledLoops())
}
