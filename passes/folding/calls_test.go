package folding_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"hlolayout/passes/folding"
)

// What a computation of 20 instructions makes that two places call is not looked into before images are divided: its
// transpose is not hoisted. That of a smaller one is, and that of one that is called once.
func TestLateCalls(t *testing.T) {
	const expanded = "  k = f32[4,4]{1,0} iota(), iota_dimension=0\n  l = f32[4,4]{1,0} cholesky(k), lower=true\n"
	const decomposed = "  k = f32[4,4]{1,0} iota(), iota_dimension=0\n" +
		`  l = (f32[4,4], s32[4], s32[4]) custom-call(k), custom_call_target="LuDecomposition"` + "\n"
	for _, c := range []struct {
		size, calls int
		more        string // what the computation has besides
		want        bool
	}{{19, 2, "", true}, {20, 2, "", false}, {20, 1, "", true}, {10, 2, expanded, false}, {10, 2, decomposed, false}} {
		text := "f {\n  x = f32[4,5]{1,0} parameter(0)\n  i = f32[4,5]{1,0} iota(), iota_dimension=1\n" +
			"  j = f32[4,5]{1,0} iota(), iota_dimension=0\n  v0 = f32[4,5]{1,0} add(i, j)\n" + c.more
		for i := range c.size - 5 {
			text += fmt.Sprintf("  v%d = f32[4,5]{1,0} sine(v%d)\n", i+1, i)
		}
		text += fmt.Sprintf("  ROOT r = f32[4,5]{1,0} cosine(v%d)\n}\n\n", c.size-5)
		text += "ENTRY e {\n  a = f32[4,5]{1,0} parameter(0)\n"
		var results []string
		for i := range c.calls {
			text += fmt.Sprintf("  c%d = f32[4,5]{1,0} call(a), to_apply=f\n", i) +
				fmt.Sprintf("  t%d = f32[5,4]{1,0} transpose(c%d), dimensions={1,0}\n", i, i)
			results = append(results, fmt.Sprintf("t%d", i))
		}
		text += "  ROOT r = (" + strings.TrimSuffix(strings.Repeat("f32[5,4]{1,0}, ", c.calls), ", ") + ") tuple(" +
			strings.Join(results, ", ") + ")\n}\n"
		s := folding.Simplify(parse(t, "HloModule m\n\n"+text), target(t, "v5e"))
		assert.Equal(t, c.want, !strings.Contains(opcodes(s.Module), "transpose"), "%d %d: %s", c.size, c.calls,
			opcodes(s.Module))
		assert.NotContains(t, opcodes(s.Module), "opt-barrier")
		checked(t, s.Module)
	}
}

// Where a call was replaced late all rules are tried again: two reshapes are one. On v7x calls are replaced after that,
// and the elements of the tuples that they make are there all the same.
func TestRulesAfterLateCalls(t *testing.T) {
	text := "f {\n  v0 = f32[4,5]{1,0} parameter(0)\n"
	for i := range 20 {
		text += fmt.Sprintf("  v%d = f32[4,5]{1,0} sine(v%d)\n", i+1, i)
	}
	text += "  ROOT r = f32[20]{0} reshape(v20)\n}\n\nENTRY e {\n"
	for i := range 2 {
		text += fmt.Sprintf("  a%d = f32[4,5]{1,0} parameter(%d)\n  c%d = f32[20]{0} call(a%d), to_apply=f\n"+
			"  r%d = f32[5,4]{1,0} reshape(c%d)\n", i, i, i, i, i, i)
	}
	text += "  ROOT r = (f32[5,4]{1,0}, f32[5,4]{1,0}) tuple(r0, r1)\n}\n"
	tuples := strings.NewReplacer("ROOT r = f32[20]{0} reshape(v20)", "s = f32[20]{0} reshape(v20)\n"+
		"  ROOT r = (f32[20]{0}) tuple(s)", "= f32[20]{0} call(", "= (f32[20]{0}) call(", "reshape(c0)", "reshape(g0)",
		"reshape(c1)", "reshape(g1)", "  r0 =", "  g0 = f32[20]{0} get-tuple-element(c0), index=0\n  r0 =",
		"  r1 =", "  g1 = f32[20]{0} get-tuple-element(c1), index=0\n  r1 =").Replace(text)
	for _, text := range []string{text, tuples} {
		for generation, reshapes := range map[string]int{"v5e": 2, "v6e": 2, "v7x": 4} {
			s := folding.Simplify(parse(t, "HloModule m\n\n"+text), target(t, generation))
			checked(t, s.Module)
			left := opcodes(s.Module)
			assert.Equal(t, reshapes, strings.Count(left, "reshape"), "%s %s", generation, left)
			assert.NotContains(t, left, "opt-barrier")
			assert.Equal(t, 1, strings.Count(left, "tuple"), left)
		}
	}
}

// What a call that is replaced late computes of iotas is not seen by another call of the same: where both reshape them,
// as random bits of two keys do, each has its own iota, but not where the call is replaced early. What they compute of
// equal ones is merged once the calls are replaced.
func TestLateCallsSeeNoOthers(t *testing.T) {
	for size, iotas := range map[int]int{10: 1, 25: 2} {
		text := "f {\n  x = f32[8,1]{1,0} parameter(0)\n  i = f32[8]{0} iota(), iota_dimension=0\n" +
			"  r = f32[8,1]{1,0} reshape(i)\n  v0 = f32[8,1]{1,0} sine(x)\n"
		for i := range size {
			text += fmt.Sprintf("  v%d = f32[8,1]{1,0} sine(v%d)\n", i+1, i)
		}
		text += fmt.Sprintf("  ROOT m = f32[8,1]{1,0} power(v%d, r)\n}\n\nENTRY e {\n", size)
		for i := range 2 {
			text += fmt.Sprintf("  a%d = f32[8,1]{1,0} parameter(%d)\n  c%d = f32[8,1]{1,0} call(a%d), to_apply=f\n", i, i, i, i)
		}
		text += "  ROOT r = (f32[8,1]{1,0}, f32[8,1]{1,0}) tuple(c0, c1)\n}\n"
		s := folding.Simplify(parse(t, "HloModule m\n\n"+text), target(t, "v5e"))
		checked(t, s.Module)
		assert.Equal(t, iotas, strings.Count(opcodes(s.Module), "iota"), "%d: %s", size, opcodes(s.Module))

		text = strings.NewReplacer("  ROOT m", "  w = f32[8,1]{1,0} exponential(r)\n  ROOT m", ", r)", ", w)").Replace(text)
		s = folding.Simplify(parse(t, "HloModule m\n\n"+text), target(t, "v5e"))
		assert.Equal(t, 1, strings.Count(opcodes(s.Module), "exponential"), "%d: %s", size, opcodes(s.Module))
	}
}

// A number that a call is given is known to what it calls, though the call is replaced last.
func TestCalledConstant(t *testing.T) {
	text := "f {\n  v0 = f32[4,5]{1,0} parameter(0)\n  n = f32[] parameter(1)\n"
	for i := range 20 {
		text += fmt.Sprintf("  v%d = f32[4,5]{1,0} sine(v%d)\n", i+1, i)
	}
	text += "  b = f32[4,5]{1,0} broadcast(n), dimensions={}\n  ROOT d = f32[4,5]{1,0} divide(v20, b)\n}\n\nENTRY e {\n" +
		"  x = f32[4,5]{1,0} parameter(0)\n  n = f32[] parameter(1)\n  k = f32[] constant(8)\n" +
		"  c = f32[4,5]{1,0} call(x, k), to_apply=f\n  d = f32[4,5]{1,0} call(x, n), to_apply=f\n" +
		"  ROOT r = (f32[4,5]{1,0}, f32[4,5]{1,0}) tuple(c, d)\n}\n"
	s := folding.Simplify(parse(t, "HloModule m\n\n"+text), target(t, "v7x"))
	checked(t, s.Module)
	assert.Equal(t, 1, strings.Count(opcodes(s.Module), "multiply"), opcodes(s.Module))
	assert.Equal(t, 1, strings.Count(opcodes(s.Module), "divide"), opcodes(s.Module))
}

// Calls are kept where the copy would have more than eight times the instructions of the module and 2000 more.
func TestManyCalls(t *testing.T) {
	for calls, kept := range map[int]bool{11: false, 13: true} {
		text := "f {\n  v0 = f32[4,5]{1,0} parameter(0)\n"
		for i := range 598 {
			text += fmt.Sprintf("  v%d = f32[4,5]{1,0} sine(v%d)\n", i+1, i)
		}
		text += "  ROOT r = f32[4,5]{1,0} cosine(v598)\n}\n\nENTRY e {\n  c0 = f32[4,5]{1,0} parameter(0)\n"
		for i := range calls - 1 {
			text += fmt.Sprintf("  c%d = f32[4,5]{1,0} call(c%d), to_apply=f\n", i+1, i)
		}
		text += fmt.Sprintf("  ROOT r = f32[4,5]{1,0} call(c%d), to_apply=f\n}\n", calls-1)
		s := folding.Simplify(parse(t, "HloModule m\n\n"+text), target(t, "v5e"))
		checked(t, s.Module)
		assert.Equal(t, kept, strings.Contains(opcodes(s.Module), "call"), "%d calls", calls)
	}
}
