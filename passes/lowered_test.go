package passes

import (
	"slices"
	"strings"
	"testing"

	"hlolayout/hlo"
	"hlolayout/passes/check"
	"hlolayout/passes/folding"
	"hlolayout/passes/plan"
	"hlolayout/printer"
	"hlolayout/tpu"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Two transposes are the product's to read through: its operands, their readers and the result have the layouts they
// have without them.
const lowered = `HloModule jit_f, entry_computation_layout={(f32[256,100]{1,0}, f32[100,40]{1,0})->(f32[40,256]{1,0},
f32[100,256]{1,0})}

double.1 {
  Arg_0.5 = f32[100,256]{1,0} parameter(0)
  ROOT rev.6 = f32[100,256]{1,0} reverse(Arg_0.5), dimensions={0}
}

ENTRY main.1 {
  Arg_0.1 = f32[256,100]{1,0} parameter(0)
  Arg_1.1 = f32[100,40]{1,0} parameter(1)
  exponential.1 = f32[256,100]{1,0} exponential(Arg_0.1)
  transpose.1 = f32[100,256]{0,1} transpose(exponential.1), dimensions={1,0}
  call.1 = f32[100,256]{1,0} call(transpose.1), to_apply=double.1
  transpose.2 = f32[40,100]{0,1} transpose(Arg_1.1), dimensions={1,0}
  dot.1 = f32[40,256]{1,0} dot(transpose.2, call.1), lhs_contracting_dims={1}, rhs_contracting_dims={0}
  ROOT tuple.1 = (f32[40,256]{1,0}, f32[100,256]{1,0}) tuple(dot.1, call.1)
}
`

func generation(t *testing.T) *tpu.Target {
	v5e, err := tpu.ByName("v5e")
	require.NoError(t, err)
	return v5e
}

// A value that survives simplification has the order that it has in the simplified module, with the reason for it
// there.
func TestLoweredFollowsSimplified(t *testing.T) {
	m, v5e := parse(t, lowered), generation(t)
	s := folding.Simplify(parse(t, lowered), v5e).Module
	_, err := Run(s, v5e, []string{"layout"}, Options{}, Observer{})
	require.NoError(t, err)
	r, err := Run(m, v5e, []string{"layout"}, Options{}, Observer{})
	require.NoError(t, err)
	for _, name := range []string{"exponential.1", "dot.1", "rev.6"} {
		theirs, _ := s.Find(name)
		ours, _ := m.Find(name)
		require.NotNil(t, theirs, name)
		assert.Equal(t, theirs.Shape.String(), ours.Shape.String(), name)
		for _, d := range r.Passes[0].Plan.Decisions {
			if d.Instruction == ours {
				assert.NotContains(t, d.Reason.Rule, "simplified", name)
				assert.NotContains(t, d.Reason.Rule, "pinned", name)
				if d.Reason.Source != nil {
					assert.Same(t, m, d.Reason.Source.Computation.Module, name)
				}
			}
		}
	}
	assert.Empty(t, check.Module(m, v5e))
	text := printer.Print(m)
	again := parse(t, text)
	_, err = Run(again, v5e, []string{Auto}, Options{}, Observer{})
	require.NoError(t, err)
	assert.Equal(t, text, printer.Print(again), "assigning twice is assigning once")
}

// What a caller pins holds in the text, whatever the simplified module says, and is carried to it.
func TestLoweredPinned(t *testing.T) {
	m, v5e := parse(t, lowered), generation(t)
	for _, order := range [][]int{{0, 1}, {1, 0}} {
		opt := Options{Pins: []plan.Pin{{Name: "exponential.1", MinorToMajor: order}}}
		p, err := assignLayouts(m, v5e, opt)
		require.NoError(t, err)
		for _, d := range p.Decisions {
			if d.Instruction.Name == "exponential.1" {
				assert.Equal(t, order, d.Layout.MinorToMajor)
				assert.Equal(t, "pinned by the caller", d.Reason.Rule)
			}
		}
		all := followed(m, v5e, opt)
		assert.Equal(t, opt.Pins, all.Pins, "those of the caller stay")
		i := slices.IndexFunc(all.Soft.List, func(p plan.SoftPin) bool { return p.Value.Name == "exponential.1" })
		require.GreaterOrEqual(t, i, 0)
		assert.Equal(t, order, all.Soft.Orders[all.Soft.List[i].Order])
	}
}

// A module with marks of the compiler, or with nothing to simplify, is laid out as it is.
func TestFollowedOnlyBeforeTheCompiler(t *testing.T) {
	v5e := generation(t)
	opt := followed(parse(t, lowered), v5e, Options{})
	assert.NotEmpty(t, opt.Soft.List)
	assert.True(t, opt.Fit)
	assert.Empty(t, followed(folding.Simplify(parse(t, lowered), v5e).Module, v5e, Options{}).Soft.List)
	assert.Empty(t, followed(parse(t, `HloModule m
ENTRY main.1 {
  Arg_0.1 = f32[256,100]{1,0} parameter(0)
  ROOT add.1 = f32[256,100]{1,0} add(Arg_0.1, Arg_0.1)
}`), v5e, Options{}).Soft.List)
}

// A triangular solve has the order of the product that it becomes, as libtpu gives it.
func TestLoweredSolve(t *testing.T) {
	m := parse(t, `HloModule m

ENTRY main {
  l = f32[5,5] parameter(0)
  b = f32[33,5] parameter(1)
  x = f32[33,5] triangular-solve(l, b), lower=true, transpose_a=TRANSPOSE
  ROOT y = f32[33,5] multiply(x, x)
}
`)
	_, err := Run(m, generation(t), []string{"layout"}, Options{}, Observer{})
	require.NoError(t, err)
	x, _ := m.Find("x")
	assert.Equal(t, "f32[33,5]{0,1:T(8,128)}", x.Shape.String())
	assert.Equal(t, []*hlo.Instruction{x, x}, m.Entry.Root.Operands)
}

// Host memory stays on the parameters of lowered text, as they are in the compiled module.
func TestLoweredHostMemory(t *testing.T) {
	text := strings.Replace(lowered, "{(f32[256,100]{1,0},", "{(f32[256,100]{1,0:S(5)},", 1)
	for _, m := range []*hlo.Module{parse(t, text), folding.Simplify(parse(t, text), generation(t)).Module} {
		_, err := Run(m, generation(t), []string{"layout"}, Options{}, Observer{})
		require.NoError(t, err)
		assert.EqualValues(t, 5, m.Entry.Parameters()[0].Shape.Layout.MemorySpace)
	}
}
