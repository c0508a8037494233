package memory

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

// A product's operand that is laid out anew counts with the padding, and the size of element, that it gets; one that is
// converted in its own layout counts as before; one tile is counted of the rows of a softmax.
func TestBytesOfTurnedOperands(t *testing.T) {
	e := engineOf(t, `HloModule turned, is_scheduled=true

%max {
  %a = f32[] parameter(0)
  %b = f32[] parameter(1)
  ROOT %m = f32[] maximum(%a, %b)
}

%turn {
  %p = f32[4,77,384]{2,0,1:T(4,128)} parameter(0)
  %c = f32[4,77,384]{2,1,0:T(8,128)} copy(%p)
  ROOT %n = bf16[4,77,384]{2,1,0:T(8,128)(2,1)} convert(%c)
}

%convert {
  %p = f32[384,128]{1,0:T(8,128)} parameter(0)
  %b = f32[384,128,1]{1,0,2:T(8,128)} bitcast(%p)
  ROOT %n = bf16[384,128,1]{1,0,2:T(8,128)(2,1)} convert(%b)
}

%rows {
  %p = f32[4,77,384]{2,1,0:T(8,128)} parameter(0)
  %least = f32[] constant(-inf)
  %m = f32[4,77,384]{2,1,0:T(8,128)} reduce-window(%p, %least), window={size=1x1x767 pad=0_0x0_0x383_383}, to_apply=%max
  ROOT %s = f32[4,77,384]{2,1,0:T(8,128)} subtract(%p, %m)
}

%body {
  %x = f32[4,77,384]{2,0,1:T(4,128)} parameter(0)
  %k = f32[384,128]{1,0:T(8,128)} parameter(1)
  %l = bf16[4,77,384]{2,1,0:T(8,128)(2,1)} fusion(%x), kind=kLoop, calls=%turn
  %r = bf16[384,128,1]{1,0,2:T(8,128)(2,1)} fusion(%k), kind=kLoop, calls=%convert
  ROOT %y = bf16[4,77,128]{2,1,0:T(8,128)(2,1)} convolution(%l, %r), window={size=1}, dim_labels=0bf_io0->0bf
}

%softmax {
  %x = f32[4,77,384]{2,1,0:T(8,128)} parameter(0)
  %k = f32[384,128,1]{1,0,2:T(8,128)} parameter(1)
  %l = f32[4,77,384]{2,1,0:T(8,128)} fusion(%x), kind=kOutput, calls=%rows
  ROOT %y = f32[4,77,128]{2,1,0:T(8,128)} convolution(%l, %k), window={size=1}, dim_labels=0bf_io0->0bf
}

ENTRY %main {
  %x = f32[4,77,384]{2,0,1:T(4,128)} parameter(0)
  %k = f32[384,128]{1,0:T(8,128)} parameter(1)
  %z = f32[4,77,384]{2,1,0:T(8,128)} parameter(2)
  %w = f32[384,128,1]{1,0,2:T(8,128)} parameter(3)
  %y = bf16[4,77,128]{2,1,0:T(8,128)(2,1)} fusion(%x, %k), kind=kOutput, calls=%body
  ROOT %s = f32[4,77,128]{2,1,0:T(8,128)} fusion(%z, %w), kind=kOutput, calls=%softmax
}
`, "v7x")
	read, _ := bytesOf(t, e, "y")
	assert.Equal(t, []float32{4 * 80 * 384 * 2, 384 * 128 * 4}, read)
	read, _ = bytesOf(t, e, "s")
	assert.Equal(t, []float32{4 * 8 * 384 * 4, 384 * 128 * 4}, read)
}
