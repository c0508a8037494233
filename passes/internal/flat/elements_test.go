package flat_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"hlolayout/parser"
	"hlolayout/passes/internal/flat"
)

// The order of the text puts %late before its users only because the tuple holds it: without the tuple it comes where
// its first user needs it.
func TestOrderWithoutElements(t *testing.T) {
	m, err := parser.Parse("test.hlo", `HloModule m

ENTRY %main (p: f32[8]) -> f32[8] {
  %p = f32[8]{0} parameter(0)
  %late = f32[8]{0} exponential(%p)
  %early = f32[8]{0} negate(%p)
  %pair = (f32[8]{0}, f32[8]{0}) tuple(%late, %early)
  %second = f32[8]{0} get-tuple-element(%pair), index=1
  %first = f32[8]{0} get-tuple-element(%pair), index=0
  ROOT %sum = f32[8]{0} add(%second, %first)
}
`)
	require.NoError(t, err)
	g, err := flat.New(m, flat.Everything)
	require.NoError(t, err)
	names := func() (out []string) {
		for _, n := range g.Order() {
			out = append(out, g.Nodes[n].In.Name)
		}
		return out
	}
	assert.Equal(t, []string{"p", "late", "early", "pair", "second", "first", "sum"}, names())
	g.TakeElements()
	assert.Equal(t, []string{"p", "early", "late", "sum"}, names())
}
