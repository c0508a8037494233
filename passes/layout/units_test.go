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

// Nothing is settled about the operand of an asynchronous operation that has no layout yet, though a slice of it is
// asked for one: a reduce of several arrays takes none from its users.
func TestAsynchronousOperandWithoutLayout(t *testing.T) {
	m := parse(t, `HloModule sliced

largest {
  a = f32[] parameter(0)
  b = s32[] parameter(1)
  c = f32[] parameter(2)
  d = s32[] parameter(3)
  m = f32[] maximum(a, c)
  ROOT t = (f32[], s32[]) tuple(m, b)
}

negated {
  p = f32[4,64,128] parameter(0)
  ROOT n = f32[4,64,128] negate(p)
}

ENTRY main {
  p = f32[8,4,64,128] parameter(0)
  w = f32[4,128,64] parameter(1)
  i = s32[8,4,64,128] iota(), iota_dimension=0
  z = f32[] constant(0)
  k = s32[] constant(0)
  r = (f32[4,64,128], s32[4,64,128]) reduce(p, i, z, k), dimensions={0}, to_apply=largest
  g = f32[4,64,128] get-tuple-element(r), index=0
  s = f32[4,32,128] slice(g), slice={[0:4], [0:32], [0:128]}
  start = ((f32[4,64,128]), f32[4,64,128]) async-start(g), calls=negated
  done = f32[4,64,128] async-done(start)
  ROOT d = f32[4,32,64] dot(s, w), lhs_batch_dims={0}, rhs_batch_dims={0}, lhs_contracting_dims={2},
      rhs_contracting_dims={1}
}
`)
	p, err := Run(m, target(t, "v5e"), plan.Options{})
	require.NoError(t, err)
	assert.NoError(t, p.Apply(m))
}
