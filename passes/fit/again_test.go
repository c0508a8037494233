package fit

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"hlolayout/parser"
	"hlolayout/tpu"
)

// nested is a module of levels of computations that call the one before twice; call says how, of an operand and a
// computation.
func nested(levels int, call func(operand, computation string) string) string {
	text := "HloModule m\n\nless {\n  p = f32[1024]{0} parameter(0)\n  ROOT z = pred[] constant(false)\n}\n\n" +
		"before {\n  x = f32[] parameter(0)\n  y = f32[] parameter(1)\n  ROOT z = pred[] compare(x, y), direction=LT\n}\n\n" +
		"f0 {\n  p = f32[1024]{0} parameter(0)\n  ROOT n = f32[1024]{0} sort(p), dimensions={0}, to_apply=before\n}\n"
	for k := range levels {
		body := fmt.Sprintf("  p = f32[1024]{0} parameter(0)\n  i = s32[] constant(0)\n"+
			"  a = f32[1024]{0} %s\n  ROOT b = f32[1024]{0} %s\n",
			call("p", fmt.Sprint("f", k)), call("a", fmt.Sprint("f", k)))
		name := fmt.Sprint("f", k+1)
		if k == levels-1 {
			name = "ENTRY main"
		}
		text += "\n" + name + " {\n" + body + "}\n"
	}
	return text
}

// A computation runs once, however often it is called, and a call of it that is not followed again takes as much as
// the first.
func TestCallsRunOnce(t *testing.T) {
	v5e, err := tpu.ByName("v5e")
	require.NoError(t, err)
	for name, call := range map[string]func(operand, computation string) string{
		"call": func(o, c string) string { return fmt.Sprintf("call(%s), to_apply=%s", o, c) },
		"while": func(o, c string) string {
			return fmt.Sprintf("while(%s), condition=less, body=%s", o, c)
		},
		"conditional": func(o, c string) string {
			return fmt.Sprintf("conditional(i, %s, %s), branch_computations={%s, %s}", o, o, c, c)
		},
	} {
		const levels = 40
		m, err := parser.Parse("m.hlo", nested(levels, call))
		require.NoError(t, err, name)
		p := Foreseen(m, v5e)
		instructions := 0
		for _, c := range m.Computations {
			instructions += len(c.Instructions)
		}
		assert.LessOrEqual(t, len(p.nodes), instructions, name)
		assert.LessOrEqual(t, p.Peak, int64(3*levels*4096), name)
	}
}

// What a computation takes while it runs is there in each call of it: twice 64 MiB, one after the other, in addition to
// what the first call leaves.
func TestSecondCallTakesAsMuch(t *testing.T) {
	v5e, err := tpu.ByName("v5e")
	require.NoError(t, err)
	const text = `HloModule m

f {
  p = f32[8,1024]{1,0} parameter(0)
  w = f32[8,2097152]{1,0} custom-call(p), custom_call_target="wide"
  ROOT s = f32[8,1024]{1,0} custom-call(w), custom_call_target="narrow"
}

ENTRY main {
  p = f32[8,1024]{1,0} parameter(0)
  a = f32[8,1024]{1,0} call(p), to_apply=f
  k = f32[8,2097152]{1,0} custom-call(a), custom_call_target="keep"
  c = f32[8,1024]{1,0} custom-call(k), custom_call_target="narrow"
  b = f32[8,1024]{1,0} call(c), to_apply=f
  ROOT r = f32[8,1024]{1,0} custom-call(k, b), custom_call_target="join"
}
`
	m, err := parser.Parse("m.hlo", text)
	require.NoError(t, err)
	p := Foreseen(m, v5e)
	assert.InDelta(t, 2*64<<20, p.Stats.Temp, 1<<20)
}
