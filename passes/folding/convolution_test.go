package folding_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"hlolayout/passes/folding"
)

// A word alone in a window, which XLA refuses, stays as it is.
func TestWordInWindow(t *testing.T) {
	s := folding.Simplify(parse(t, `HloModule m

ENTRY e {
  a = f32[9,14,16,4] parameter(0)
  k = f32[3,2,4,5] parameter(1)
  z = f32[] constant(0)
  p = f32[9,16,16,4] pad(a, z), padding=0_0x2_0x0_0x0_0
  ROOT c = f32[9,14,15,5] convolution(p, k), window={size=3x2 word}, dim_labels=b01f_01io->b01f
}`), target(t, "v5e"))
	checked(t, s.Module)
	assert.Equal(t, "{size=3x2 word pad=2_0x0_0}", s.Module.Entry.Root.Attr("window").Text)
}
