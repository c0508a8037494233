package layout

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"hlolayout/passes/plan"
)

// A kernel's gradient of a depthwise convolution explores its second operand first; the log: "operand 1 : ...
// mandatory = true; dfs = true".
func TestBatchGroupsExploreTheSecondOperand(t *testing.T) {
	m := parse(t, `HloModule kernel_gradient

ENTRY main {
  x = f32[2,128,8] parameter(0)
  g = f32[2,128,8] parameter(1)
  e = f32[2,128,8] exponential(g)
  ROOT c = f32[4,1,8] convolution(x, e), window={size=128 pad=3_0}, dim_labels=f0b_i0o->0bf, batch_group_count=8
}
`)
	found := map[int]bool{}
	require.NoError(t, Trace(m, target(t, "v5e"), plan.Options{}, func(e Event) {
		if e.Instruction.Name == "c" && e.Operand >= 0 {
			found[e.Operand] = e.DFS
		}
	}))
	assert.Equal(t, map[int]bool{0: false, 1: true}, found)
}
