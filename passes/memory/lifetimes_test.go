package memory

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"hlolayout/parser"
	"hlolayout/tpu"
)

// Instructions come after their control predecessors, the last of them first, and then their operands in order.
func TestPostOrder(t *testing.T) {
	m, err := parser.Parse("order.hlo", `HloModule order

ENTRY %main {
  %d = f32[8] parameter(3)
  %c = f32[8] parameter(2)
  %b = f32[8] parameter(1)
  %a = f32[8] parameter(0)
  %last = f32[8] negate(%d)
  %first = f32[8] negate(%c)
  %sum = f32[8] add(%a, %b), control-predecessors={%first, %last}
  ROOT %out = f32[8] clamp(%sum, %first, %last)
}
`)
	require.NoError(t, err)
	var names []string
	for _, in := range postOrder(m.Entry) {
		names = append(names, in.Name)
	}
	assert.Equal(t, "d last c first a b sum out", strings.Join(names, " "))
}

// Parameters live from the begin of their computation on, those that end first first; of values that live equally long,
// the one that is read first.
func TestLifetimes(t *testing.T) {
	m, err := parser.Parse("lives.hlo", `HloModule lives, is_scheduled=true, `+
		`input_output_alias={ {0}: (0, {}, may-alias), {1}: (1, {}, may-alias), `+
		`{2}: (2, {}, may-alias), {3}: (3, {}, may-alias) }

ENTRY %main {
  %a = f32[1024]{0:T(1024)} parameter(0)
  %b = f32[1024]{0:T(1024)} parameter(1)
  %c = f32[1024]{0:T(1024)} parameter(2)
  %d = f32[1024]{0:T(1024)} parameter(3)
  %e = f32[1024]{0:T(1024)} add(%d, %c)
  %f = f32[1024]{0:T(1024)} add(%b, %e)
  %g = f32[1024]{0:T(1024)} add(%a, %f)
  ROOT %out = (f32[1024]{0:T(1024)}, f32[1024]{0:T(1024)}, f32[1024]{0:T(1024)}) tuple(%e, %f, %g)
}
`)
	require.NoError(t, err)
	target, err := tpu.ByName("v5e")
	require.NoError(t, err)
	a, err := Analyze(m, target)
	require.NoError(t, err)
	var lives []string
	for x, l := range a.v.def {
		lives = append(lives, fmt.Sprintf("%s %d-%d", a.instruction(a.v.leafTime[l]).Name, a.e.from[x], a.e.to[x]))
	}
	assert.Equal(t, []string{"a 4-11", "b 3-9", "c 2-7", "d 1-6", "e 5-13", "f 8-14", "g 10-15"},
		lives[:7])
}

// Of 45 values that are read in the fast space and returned, 39 are copied back at the same time.
func TestEvictionsUnderWay(t *testing.T) {
	const n = 45
	var text, results, shapes strings.Builder
	const shape = "f32[128,128]{1,0:T(8,128)}"
	fmt.Fprintf(&text, "HloModule evictions, is_scheduled=true\n\nENTRY %%main {\n  %%p = %s parameter(0)\n"+
		"  %%large = f32[4096,1024]{1,0:T(8,128)} parameter(1)\n"+
		"  %%read = f32[4096,1024]{1,0:T(8,128)} negate(%%large)\n", shape)
	for i := range n {
		fmt.Fprintf(&text, "  %%v.%d = %s negate(%%p)\n  %%r.%d = %s add(%%v.%d, %%v.%d)\n", i, shape, i, shape, i, i)
		fmt.Fprintf(&results, "%%v.%d, ", i)
		fmt.Fprintf(&shapes, "%s, ", shape)
	}
	fmt.Fprintf(&text, "  ROOT %%out = (%sf32[4096,1024]{1,0:T(8,128)}) tuple(%s%%read)\n}\n", shapes.String(),
		results.String())
	m, err := parser.Parse("evictions.hlo", text.String())
	require.NoError(t, err)
	target, err := tpu.ByName("v5e")
	require.NoError(t, err)
	a, err := Analyze(m, target)
	require.NoError(t, err)
	evicted := 0
	for _, c := range a.e.copies {
		if c.Evict {
			evicted++
		}
	}
	assert.Equal(t, 39, evicted)
}
