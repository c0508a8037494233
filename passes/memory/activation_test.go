package memory

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

// A parameter looks like data where a product takes it first, a gather as its indices, or anything else computes with
// it; what only moves it leaves it to its own users.
func TestActivation(t *testing.T) {
	e := engineOf(t, `HloModule weights, is_scheduled=true

%sum {
  %x = f32[] parameter(0)
  %y = f32[] parameter(1)
  ROOT %s = f32[] add(%x, %y)
}
%product {
  %l = f32[256,256]{1,0:T(8,128)} parameter(0)
  %r = f32[256,256]{1,0:T(8,128)} parameter(1)
  ROOT %c = f32[256,256]{1,0:T(8,128)} convolution(%l, %r), dim_labels=bf_io->bf
}
ENTRY %main {
  %left = f32[256,256]{1,0:T(8,128)} parameter(0)
  %right = f32[256,256]{1,0:T(8,128)} parameter(1)
  %turned = f32[256,256]{1,0:T(8,128)} parameter(2)
  %table = f32[256,256]{1,0:T(8,128)} parameter(3)
  %places = s32[32]{0:T(128)} parameter(4)
  %negated = f32[256,256]{1,0:T(8,128)} parameter(5)
  %summed = f32[256,256,8]{1,0,2:T(8,128)} parameter(6)
  %start = f32[]{:T(128)} parameter(7)
  %at = s32[]{:T(128)} parameter(8)
  %cut = f32[512,256]{1,0:T(8,128)} parameter(9)
  %unread = f32[256,256]{1,0:T(8,128)} parameter(10)
  %copied = f32[256,256]{1,0:T(8,128)} parameter(11)
  %spread = f32[256]{0:T(256)} parameter(12)
  %t = f32[256,256]{1,0:T(8,128)} transpose(%turned), dimensions={0,1}
  %f = f32[256,256]{1,0:T(8,128)} fusion(%left, %right), kind=kOutput, calls=%product
  %d.1 = f32[256,256]{1,0:T(8,128)} convolution(%f, %t), dim_labels=bf_io->bf
  %g = f32[32,256]{1,0:T(8,128)} gather(%table, %places), offset_dims={1}, collapsed_slice_dims={0}, `+
		`start_index_map={0}, index_vector_dim=1, slice_sizes={1,256}
  %n = f32[256,256]{1,0:T(8,128)} negate(%negated)
  %sum.1 = f32[256,256]{1,0:T(8,128)} reduce(%summed, %start), dimensions={2}, to_apply=%sum
  %d.2 = f32[256,256]{1,0:T(8,128)} convolution(%n, %sum.1), dim_labels=bf_io->bf
  %z = s32[]{:T(128)} constant(0)
  %part = f32[256,256]{1,0:T(8,128)} dynamic-slice(%cut, %at, %z), dynamic_slice_sizes={256,256}
  %d.3 = f32[256,256]{1,0:T(8,128)} convolution(%n, %part), dim_labels=bf_io->bf
  %copy = f32[256,256]{1,0:T(8,128)} copy(%copied)
  %d.4 = f32[256,256]{1,0:T(8,128)} convolution(%n, %copy), dim_labels=bf_io->bf
  %b = f32[256,256]{1,0:T(8,128)} broadcast(%spread), dimensions={1}
  %d.5 = f32[256,256]{1,0:T(8,128)} convolution(%b, %b), dim_labels=bf_io->bf
  ROOT %out = (f32[256,256]{1,0:T(8,128)}, f32[32,256]{1,0:T(8,128)}) tuple(%d.1, %g)
}
`, "v5e")
	for name, want := range map[string]bool{"left": true, "right": false, "turned": false, "table": false, "places": true,
		"negated": true, "summed": false, "start": true, "at": true, "cut": false, "unread": false, "copied": true,
		"spread": true} {
		assert.Equal(t, want, e.activation(e.g.m.Entry.Instruction(name), 0), name)
	}
}
