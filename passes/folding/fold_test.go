package folding_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"hlolayout/hlo"
	"hlolayout/passes/folding"
)

// folds are operations on constants, and what the compiler's dump has in the place of each: a literal, or what is left.
var folds = []struct{ shape, text, want string }{
	{"s32[4]", "t = s32[4]{0} add(c, c)", "{2, 6, 4, 0}"},
	{"s32[4]", "t = s32[4]{0} multiply(i, b)", "iota0 broadcast multiply"},
	{"s32[4]", "t = s32[4]{0} multiply(c, b)", "{3, 9, 6, 0}"},
	{"s32[4]", "t = s32[4]{0} multiply(c, i)", "{0, 3, 4, 0}"},
	{"pred[4]", "t = pred[4]{0} compare(c, b), direction=LT", "{1, 0, 1, 1}"},
	{"pred[4]", "t = pred[4]{0} compare(i, b), direction=GE", "iota0 broadcast compare"},
	{"s32[4]", "t = s32[4]{0} reverse(c), dimensions={0}", "{0, 2, 3, 1}"},
	{"s32[4]", "u = s32[2]{0} slice(c), slice={[1:3]}\n  t = s32[4]{0} concatenate(u, u), dimensions={0}", "{3, 2, 3, 2}"},
	{"s32[2]", "t = s32[2]{0} slice(c), slice={[0:4:2]}", "{1, 2}"},
	{"s32[4]", "d = s32[4]{0} constant({4, 4, 4, 4})\n  t = s32[4]{0} add(d, d)", "broadcast"},
	{"s32[4]", "t = s32[4]{0} constant({0, 1, 2, 3})", "iota0"},
	{"f32[4]", "t = f32[4]{0} constant({0, 1, 2, 3})", "iota0"},
	{"s32[4,1]", "t = s32[4,1]{1,0} constant({{0}, {1}, {2}, {3}})", "{{0}, {1}, {2}, {3}}"},
	{"s32[2,2]", "d = s32[2,2]{1,0} constant({{1, 2}, {3, 4}})\n  t = s32[2,2]{1,0} transpose(d), dimensions={1,0}",
		"{ {1, 3}, {2, 4} }"},
	{"s32[4,2]", "j = s32[4,1]{1,0} reshape(i)\n  d = s32[4,1]{1,0} reshape(c)\n" +
		"  t = s32[4,2]{1,0} concatenate(j, d), dimensions={1}", "{ {0, 1}, {1, 3}, {2, 2}, {3, 0} }"},
	{"s32[4,2]", "d = s32[4,2]{1,0} broadcast(c), dimensions={0}\n  t = s32[4,2]{1,0} add(d, d)", "broadcast{0}"},
	{"s32[8]", "t = s32[8]{0} pad(c, z), padding=0_4", "{1, 3, 2, 0, 0, 0, 0, 0}"},
	{"s32[6]", "t = s32[6]{0} pad(b, z), padding=1_1", "broadcast pad"},
	{"s32[]", "t = s32[] reduce(i, z), dimensions={0}, to_apply=sum", "6"},
	{"s32[4]", "j = s32[4,4611686018427387904]{1,0} iota(), iota_dimension=0\n" +
		"  t = s32[4]{0} reduce(j, z), dimensions={1}, to_apply=sum", "iota0 reduce{1}"}, // more elements than are counted
	{"s32[8]", "d = s32[4]{0} broadcast(z), dimensions={}\n  t = s32[8]{0} concatenate(b, d), dimensions={0}",
		"{3, 3, 3, 3, 0, 0, 0, 0}"},
	{"s32[4]", "p = pred[4]{0} constant({1, 0, 1, 1})\n  t = s32[4]{0} select(p, b, c)", "broadcast"},
	{"s32[4]", "p = pred[4]{0} constant({1, 0, 0, 1})\n  t = s32[4]{0} select(p, b, c)", "{3, 3, 2, 3}"},
	{"s32[4]", "d = s32[2]{0} constant({4, 5})\n  t = s32[4]{0} dynamic-update-slice(b, d, one)", "{3, 4, 5, 3}"},
	{"s32[4]", "d = s32[4,1]{1,0} reshape(c)\n  t = s32[4]{0} gather(c, d), offset_dims={}, collapsed_slice_dims={0}, " +
		"start_index_map={0}, index_vector_dim=1, slice_sizes={1}", "{3, 0, 2, 1}"},
	{"f32[2]", "d = f32[2]{0} constant({0.6, -0})\n  t = f32[2]{0} negate(d)", "{-0.6, 0}"},
	{"f32[2,8]", "d = f32[8,2]{1,0} constant({...})\n  t = f32[2,8]{1,0} transpose(d), dimensions={1,0}", "{...}"},
	{"s32[]", "d = s32[8]{0} constant({...})\n  t = s32[] reduce(d, z), dimensions={0}, to_apply=sum", "reduce{0}"},
	{"s32[4]", "p = pred[4]{0} compare(i, y), direction=LT\n  t = s32[4]{0} select(p, c, b)", "broadcast"},
	{"s32[4]", "p = pred[4]{0} compare(y, i), direction=LE\n  t = s32[4]{0} select(p, c, b)", "{1, 3, 2, 0}"},
	{"pred[4]", "t = pred[4]{0} compare(y, i), direction=EQ", "iota0 broadcast compare"},
	{"s32[3]", "d = s32[3]{0} constant({1, 2, 2147483647})\n  t = s32[3]{0} add(d, d)", "{2, 4, -2}"},
}

func TestFolds(t *testing.T) {
	for _, c := range folds {
		text := `HloModule m

sum {
  a = s32[] parameter(0)
  b = s32[] parameter(1)
  ROOT c = s32[] add(a, b)
}

ENTRY main {
  z = s32[] constant(0)
  one = s32[] constant(1)
  three = s32[] constant(3)
  c = s32[4]{0} constant({1, 3, 2, 0})
  i = s32[4]{0} iota(), iota_dimension=0
  b = s32[4]{0} broadcast(three), dimensions={}
  y = s32[4]{0} broadcast(z), dimensions={}
  ` + c.text + `
  ROOT r = (` + c.shape + `) tuple(t)
}
`
		m := folding.Simplify(parse(t, text), target(t, "v5e")).Module
		got := opcodes(m)
		if x := m.Entry.Root.Operands[0]; x.Opcode == hlo.OpConstant {
			got = x.Literal()
		}
		if len(got) > len(" tuple") && got[len(got)-len(" tuple"):] == " tuple" {
			got = got[:len(got)-len(" tuple")]
		}
		assert.Equal(t, c.want, got, c.text)
		checked(t, m)
	}
}

// What is computed of the same constant in the same way is one constant, whose elements are not known.
func TestFoldedInCommon(t *testing.T) {
	s := folding.Survivors(parse(t, entry("x = f32[48,16]{1,0} parameter(0)", "c = f32[16,48]{1,0} constant({...})",
		"d = f32[48,16]{1,0} transpose(c), dimensions={1,0}", "e = f32[48,16]{1,0} transpose(c), dimensions={1,0}",
		"a = f32[48,16]{1,0} multiply(x, d)", "b = f32[48,16]{1,0} multiply(x, e)",
		"ROOT r = (f32[48,16]{1,0}, f32[48,16]{1,0}) tuple(a, b)")), target(t, "v5e"))
	assert.Equal(t, "multiply tuple", opcodes(s.Module))
}
