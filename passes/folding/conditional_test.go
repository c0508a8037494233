package folding_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"hlolayout/passes/folding"
)

// conditionals are conditionals of a sine, a cosine and an exponential, with what is left of each.
var conditionals = []struct{ entry, want string }{
	{"i = s32[] constant(1)\n  ROOT c = f32[4,8] conditional(i, a, b, a), branch_computations={x, y, z}", "cosine"},
	{"i = s32[] constant(0)\n  ROOT c = f32[4,8] conditional(i, a, b, a), branch_computations={x, y, z}", "sine"},
	{"i = s32[] constant(7)\n  ROOT c = f32[4,8] conditional(i, a, b, a), branch_computations={x, y, z}", "exponential"},
	{"i = s32[] constant(-1)\n  ROOT c = f32[4,8] conditional(i, a, b, a), branch_computations={x, y, z}", "exponential"},
	{"i = pred[] constant(true)\n  ROOT c = f32[4,8] conditional(i, a, b), true_computation=x, false_computation=y",
		"sine"},
	{"i = pred[] constant(false)\n  ROOT c = f32[4,8] conditional(i, a, b), true_computation=x, false_computation=y",
		"cosine"},
	{"i = s32[] parameter(2)\n  ROOT c = f32[4,8] conditional(i, b), branch_computations={z}", "exponential"},
	{"i = s32[] parameter(2)\n  ROOT c = f32[4,8] conditional(i, a, b), branch_computations={x, y}",
		"tuple tuple conditional get-tuple-element"},
	{"i = s32[] parameter(2)\n  ROOT c = f32[4,8] conditional(i, a, a), branch_computations={x, w}",
		"tuple conditional get-tuple-element"},
	{"i = s32[] parameter(2)\n  ROOT c = f32[4,8] conditional(i, a, b), branch_computations={x, x}", "conditional"},
	{"i = s32[] parameter(2)\n  t = (f32[4,8]) tuple(a)\n  ROOT c = f32[4,8] conditional(i, t, b), " +
		"branch_computations={v, x}", "tuple tuple conditional get-tuple-element"},
	{"i = s32[] parameter(2)\n  t = (f32[4,8]) tuple(a)\n  ROOT c = f32[4,8] conditional(i, t, t), " +
		"branch_computations={v, o}", "tuple conditional get-tuple-element"},
	{"i = s32[] parameter(2)\n  t = (f32[4,8]) tuple(a)\n  ROOT c = (f32[4,8]) conditional(i, t, b), " +
		"branch_computations={u, s}", "tuple tuple conditional"},
	{"i = s32[] parameter(2)\n  t = (f32[4,8]) tuple(a)\n  ROOT c = (f32[4,8]) conditional(i, t, t), " +
		"branch_computations={u, q}", "tuple conditional"},
}

// A branch that orders its instructions by their names stays.
func TestOrderedBranchStays(t *testing.T) {
	text := strings.Replace(conditionalProgram("i = s32[] constant(1)\n  ROOT c = f32[4,8] conditional(i, a, b), "+
		"branch_computations={x, y}"), "ROOT r = f32[4,8] cosine(p)",
		"s = f32[4,8] sine(p)\n  d = f32[4,8] cosine(p), control-predecessors={s}\n  ROOT r = f32[4,8] add(s, d)", 1)
	s := folding.Simplify(parse(t, text), target(t, "v5e"))
	checked(t, s.Module)
	assert.Equal(t, "tuple tuple conditional get-tuple-element", opcodes(s.Module))
}

func conditionalProgram(entry string) string {
	text := "HloModule m\n"
	for _, branch := range [][2]string{{"x", "sine"}, {"y", "cosine"}, {"z", "exponential"}} {
		text += fmt.Sprintf("%s {\n  p = f32[4,8] parameter(0)\n  ROOT r = f32[4,8] %s(p)\n}\n", branch[0], branch[1])
	}
	for _, branch := range []string{
		"w {\n  ROOT p = f32[4,8] parameter(0)\n}\n",
		"v {\n  p = (f32[4,8]) parameter(0)\n  ROOT r = f32[4,8] get-tuple-element(p), index=0\n}\n",
		"o {\n  p = (f32[4,8]) parameter(0)\n  g = f32[4,8] get-tuple-element(p), index=0\n" +
			"  ROOT n = f32[4,8] negate(g)\n}\n",
		"u {\n  ROOT p = (f32[4,8]) parameter(0)\n}\n",
		"s {\n  p = f32[4,8] parameter(0)\n  ROOT t = (f32[4,8]) tuple(p)\n}\n",
		"q {\n  p = (f32[4,8]) parameter(0)\n  g = f32[4,8] get-tuple-element(p), index=0\n" +
			"  n = f32[4,8] negate(g)\n  ROOT t = (f32[4,8]) tuple(n)\n}\n",
	} {
		text += branch
	}
	return text + "ENTRY e {\n  a = f32[4,8] parameter(0)\n  b = f32[4,8] parameter(1)\n  " + entry + "\n}\n"
}

func TestConditionals(t *testing.T) {
	for _, c := range conditionals {
		m := parse(t, conditionalProgram(c.entry))
		s := folding.Simplify(m, target(t, "v5e"))
		checked(t, s.Module)
		assert.Equal(t, c.want, opcodes(s.Module), c.entry)
		for _, k := range m.Computations {
			if k.Root.Opcode.String() == c.want { // what the branch computes is what is left
				assert.Equal(t, s.Module.Entry.Root, s.Of(k.Root), c.entry)
			}
		}
	}
}

// TestConditionalsComputeTheSame runs them on XLA's CPU backend before and after. It skips without XLA.
func TestConditionalsComputeTheSame(t *testing.T) {
	programs := map[string]string{}
	for i, c := range conditionals {
		programs[fmt.Sprint(i)] = conditionalProgram(c.entry)
	}
	out := semantics(t, programs)
	assert.Equal(t, len(programs), strings.Count(out, " equal\n"), "%s", out)
}
