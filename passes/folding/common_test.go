package folding_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"hlolayout/passes/folding"
)

// Iotas are not merged, but what reads equal ones is, before iotas are made of broadcasts. All results are those of
// dumps that entered layout assignment; the last one is how jax.nn.one_hot is lowered.
func TestIotas(t *testing.T) {
	const v, i, j = "v = s32[48]{0} parameter(0)", "i = s32[48]{0} iota(), iota_dimension=0",
		"j = s32[48]{0} iota(), iota_dimension=0"
	for _, c := range []struct {
		text []string
		want string
	}{
		{[]string{v, i, j, "a = s32[48]{0} add(v, i)", "b = s32[48]{0} multiply(v, j)",
			"ROOT r = (s32[48]{0}, s32[48]{0}) tuple(a, b)"}, "iota0 iota0 add multiply tuple"},
		{[]string{v, i, j, "a = s32[48]{0} add(v, i)", "b = s32[48]{0} add(v, j)",
			"ROOT r = (s32[48]{0}, s32[48]{0}) tuple(a, b)"}, "iota0 add tuple"},
		{[]string{"v = s32[48,48]{1,0} parameter(0)", "i = s32[48,48]{1,0} iota(), iota_dimension=0",
			"j = s32[48,48]{1,0} iota(), iota_dimension=1", "a = s32[48,48]{1,0} add(v, i)",
			"b = s32[48,48]{1,0} add(v, j)", "ROOT r = (s32[48,48]{1,0}, s32[48,48]{1,0}) tuple(a, b)"},
			"iota0 iota1 add add tuple"},
		{[]string{"v = s32[16,48]{1,0} parameter(0)", i, j, "k = s32[16,48]{1,0} broadcast(i), dimensions={1}",
			"l = s32[16,48]{1,0} broadcast(j), dimensions={1}", "a = s32[16,48]{1,0} add(v, k)",
			"b = s32[16,48]{1,0} multiply(v, l)", "ROOT r = (s32[16,48]{1,0}, s32[16,48]{1,0}) tuple(a, b)"},
			"iota1 add multiply tuple"},
		{[]string{"v = s32[16,48]{1,0} parameter(0)", i, "j = s32[1,48]{1,0} reshape(i)",
			"m = s32[1,48]{1,0} broadcast(j), dimensions={0,1}", "n = s32[48]{0} reshape(m)",
			"k = s32[16,48]{1,0} broadcast(i), dimensions={1}", "l = s32[16,48]{1,0} broadcast(n), dimensions={1}",
			"a = s32[16,48]{1,0} add(v, k)", "b = s32[16,48]{1,0} multiply(v, l)",
			"ROOT r = (s32[16,48]{1,0}, s32[16,48]{1,0}) tuple(a, b)"}, "iota1 iota1 add multiply tuple"},
	} {
		s := folding.Survivors(parse(t, entry(c.text...)), target(t, "v5e"))
		assert.Equal(t, c.want, opcodes(s.Module), "%s", c.text)
		checked(t, s.Module)
	}
}

// Where nothing is merged, nothing is said to have been.
func TestNothingInCommon(t *testing.T) {
	s := folding.Simplify(parse(t, entry("x = f32[8]{0} parameter(0)", "ROOT y = f32[8]{0} add(x, x)")), target(t, "v5e"))
	assert.Empty(t, s.Applied)
}

// What commutes is the same with its operands in either order, as in the compiler's dump.
func TestCommutes(t *testing.T) {
	s := folding.Survivors(parse(t, entry("p = pred[40]{0} parameter(0)", "q = pred[40]{0} parameter(1)",
		"a = pred[40]{0} and(p, q)", "b = pred[40]{0} and(q, p)", "c = pred[40]{0} compare(p, q), direction=EQ",
		"d = pred[40]{0} compare(q, p), direction=EQ",
		"ROOT r = (pred[40]{0}, pred[40]{0}, pred[40]{0}, pred[40]{0}) tuple(a, b, c, d)")), target(t, "v5e"))
	assert.Equal(t, "and compare compare tuple", opcodes(s.Module))
}

// Constants whose elements the text leaves out may differ, and stay apart.
func TestElidedConstants(t *testing.T) {
	s := folding.Survivors(parse(t, entry("x = f32[16,48]{1,0} parameter(0)", "c = f32[16,48]{1,0} constant({...})",
		"d = f32[16,48]{1,0} constant({...})", "a = f32[16,48]{1,0} multiply(x, c)", "b = f32[16,48]{1,0} multiply(x, d)",
		"ROOT r = (f32[16,48]{1,0}, f32[16,48]{1,0}) tuple(a, b)")), target(t, "v5e"))
	assert.Equal(t, "multiply multiply tuple", opcodes(s.Module))
}
