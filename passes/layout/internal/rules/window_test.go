package rules

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

// What a gather reads as its table, and what a gather or scatter reads as its indices; the table of a scatter is
// neither.
func TestWindowsRead(t *testing.T) {
	e := setOf(t, "test.hlo", `HloModule m

`+sumOf("add", "f32")+`
ENTRY %main {
  %a = f32[8,4]{1,0} parameter(0)
  %i = s32[3,1]{1,0} parameter(1)
  %g = f32[3,4]{1,0} gather(%a, %i), offset_dims={1}, collapsed_slice_dims={0}, start_index_map={0}, `+
		`index_vector_dim=1, slice_sizes={1,4}
  %b = f32[8,4]{1,0} parameter(2)
  %j = s32[3,1]{1,0} parameter(3)
  ROOT %s = f32[8,4]{1,0} scatter(%b, %j, %g), update_window_dims={1}, inserted_window_dims={0}, `+
		`scatter_dims_to_operand_dims={0}, index_vector_dim=1, to_apply=%add
}
`)
	var gathered, indices string
	for _, name := range []string{"a", "i", "g", "b", "j"} {
		in, _ := e.G.Module.Find(name)
		if e.gathered[e.G.Node(in)] {
			gathered += name
		}
		if e.indices[e.G.Node(in)] {
			indices += name
		}
	}
	assert.Equal(t, "a", gathered)
	assert.Equal(t, "ij", indices)
}
