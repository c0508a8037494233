package rules

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"hlolayout/parser"
	"hlolayout/passes/internal/flat"
	"hlolayout/tpu"
)

// The gradient of a kernel, alone or as a sum, has a dimension of size 1 that reshapes of its users drop.
func TestUsersOfKernels(t *testing.T) {
	for _, c := range []struct{ kernel, sum, want string }{
		{"convolution.1", "add(%k, %k)", "exp.1 neg.1"},
		{"convolution.1", "convert(%k)", "exp.1 neg.1"},
		{"convolution-window-dilated.1", "add(%k, %a)", "exp.1 neg.1"},
		{"conv_general_dilated.1", "convert(%k)", "exp.1 neg.1"},
		{"convolution.1", "negate(%k)", "neg.1 exp.1"},
	} {
		text := strings.NewReplacer("%k", "%"+c.kernel).Replace(`HloModule m

ENTRY %main {
  %a = f32[1,8,8,1] parameter(0)
  %b = f32[1,1,1,1] parameter(1)
  %k = f32[1,8,8,1] convolution(%a, %b), window={size=1x1}, dim_labels=b01f_01io->b01f
  %sum = f32[1,8,8,1] ` + c.sum + `
  %neg.1 = f32[1,8,8,1] negate(%sum)
  %exp.1 = f32[1,8,8,1] exponential(%sum)
  %r.1 = f32[8,8] reshape(%neg.1)
  %r.2 = f32[8,8] reshape(%exp.1)
  ROOT %t = (f32[8,8], f32[8,8]) tuple(%r.1, %r.2)
}
`)
		assert.Equal(t, c.want, usersIn(t, text, "sum"), c.kernel+" "+c.sum)
	}
}

// Where users lead to reshapes, these say when they were moved, and not what the compiler reshaped for another operand.
func TestUsersOfReshapedOperands(t *testing.T) {
	const text = `HloModule m

ENTRY %main {
  %a = f32[8,2,8] parameter(0)
  %b = f32[8,8] parameter(1)
  %s = f32[8,1,8] slice(%a), slice={[0:8], [0:1], [0:8]}
  %reshape.1 = f32[8,1,8] reshape(%b)
  %mul.1 = f32[8,1,8] multiply(%s, %reshape.1)
  %mul.2 = f32[8,1,8] multiply(%reshape.1, %s)
  %reshape.9 = f32[8,8] reshape(%mul.1)
  %reshape.3 = f32[8,8] reshape(%mul.2)
  ROOT %t = (f32[8,8], f32[8,8]) tuple(%reshape.9, %reshape.3)
}
`
	assert.Equal(t, "mul.1 mul.2", usersIn(t, text, "s"))
}

// Transposes to one order that have the metadata of what they read were moved there after the users.
func TestUsersOfTurned(t *testing.T) {
	for _, c := range []struct{ first, second, want string }{
		{"1,0,2}, metadata={op_name=\"neg\"}", "1,0,2}, metadata={op_name=\"exp\"}", "exp.1 neg.1"},
		{"1,0,2}, metadata={op_name=\"neg\"}", "2,0,1}, metadata={op_name=\"exp\"}", "neg.1 exp.1"},
		{"1,0,2}, metadata={op_name=\"neg\"}", "1,0,2}, metadata={op_name=\"x\"}", "neg.1 exp.1"},
	} {
		text := `HloModule m

ENTRY %main {
  %a = f32[8,8,8] parameter(0)
  %b = f32[8,8] parameter(1)
  %dot = f32[8,8,8] dot(%a, %b), lhs_contracting_dims={2}, rhs_contracting_dims={0}
  %neg.1 = f32[8,8,8] negate(%dot), metadata={op_name="neg"}
  %exp.1 = f32[8,8,8] exponential(%dot), metadata={op_name="exp"}
  %t.1 = f32[8,8,8] transpose(%neg.1), dimensions={` + c.first + `
  %t.2 = f32[8,8,8] transpose(%exp.1), dimensions={` + c.second + `
  ROOT %t = (f32[8,8,8], f32[8,8,8]) tuple(%t.1, %t.2)
}
`
		assert.Equal(t, c.want, usersIn(t, text, "dot"), c.first+" "+c.second)
	}
}

// A transpose that the compiler made, or that a call has, is the last user where a sum reads it and the value.
func TestUsersOfTransposes(t *testing.T) {
	for _, c := range []struct{ transpose, at, sum, want string }{
		{"transpose.1", "", "add", "add.1 neg.1 transpose.1"},
		{"transpose.1", "jit(f)/jit(cholesky)/transpose", "multiply", "add.1 neg.1 transpose.1"},
		{"transpose.1", "jit(f)/transpose", "add", "transpose.1 neg.1 add.1"},
		{"transpose.1", "", "subtract", "transpose.1 neg.1 add.1"},
	} {
		text := `HloModule m

ENTRY %main {
  %a = f32[8,8] parameter(0)
  %exp.1 = f32[8,8] exponential(%a), metadata={op_name="jit(f)/exp"}
  %transpose.1 = f32[8,8] transpose(%exp.1), dimensions={1,0}, metadata={op_name="` + c.at + `"}
  %neg.1 = f32[8,8] negate(%exp.1), metadata={op_name="jit(f)/neg"}
  %add.1 = f32[8,8] ` + c.sum + `(%exp.1, %transpose.1), metadata={op_name="jit(f)/add"}
  ROOT %t = (f32[8,8], f32[8,8]) tuple(%neg.1, %add.1)
}
`
		assert.Equal(t, c.want, usersIn(t, text, "exp.1"), c)
		loop := strings.NewReplacer("ENTRY %main", "%body", "%a = f32[8,8] parameter(0)", "%p = (f32[8,8], f32[8,8]) "+
			"parameter(0)\n  %a = f32[8,8] get-tuple-element(%p), index=0").Replace(text)
		assert.Equal(t, "transpose.1 neg.1 add.1", usersIn(t, loop+`
%more {
  %p = (f32[8,8], f32[8,8]) parameter(0)
  ROOT %c = pred[] constant(true)
}

ENTRY %main {
  %p = (f32[8,8], f32[8,8]) parameter(0)
  ROOT %w = (f32[8,8], f32[8,8]) while(%p), condition=%more, body=%body
}
`, "exp.1"), "in a loop")
	}
}

// What was made anew with a transpose after it is last, and its place has the last of the others.
func TestUsersOfBroadcasts(t *testing.T) {
	const text = `HloModule m

ENTRY %main {
  %a = f32[8,16] parameter(0)
  %c = f32[] parameter(1)
  %b = f32[8,16] broadcast(%c), dimensions={}
  %mul.1 = f32[8,16] multiply(%a, %b), metadata={op_name="jit(f)/mul"}
  %mul.2 = f32[8,16] multiply(%mul.1, %b), metadata={op_name="jit(f)/mul2"}
  %transpose.1 = f32[16,8] transpose(%mul.2), dimensions={1,0}, metadata={op_name="jit(f)/mul2"}
  %sub.1 = f32[8,16] subtract(%a, %b), metadata={op_name="jit(f)/sub"}
  %div.1 = f32[8,16] divide(%a, %b), metadata={op_name="jit(f)/div"}
  ROOT %t = (f32[8,16], f32[16,8], f32[8,16], f32[8,16]) tuple(%mul.1, %transpose.1, %sub.1, %div.1)
}
`
	assert.Equal(t, "mul.1 div.1 sub.1 mul.2", usersIn(t, text, "b"))
	own := strings.Replace(text, `{1,0}, metadata={op_name="jit(f)/mul2"}`, `{1,0}, metadata={op_name="jit(f)/turn"}`, 1)
	assert.Equal(t, "mul.1 mul.2 sub.1 div.1", usersIn(t, own, "b"))
}

// Users of a constant follow each other call by call, but not in computations that a pass made anew, or may have.
func TestUsersOfConstants(t *testing.T) {
	const text = `HloModule m

ENTRY %main {
  %a = f32[8,16] parameter(0)
  %c = f32[] constant(1)
  %b = f32[8,16] broadcast(%c), dimensions={}
  %add.1 = f32[8,16] add(%a, %b), metadata={op_name="jit(f)/add"}
  %min.1 = f32[8,16] minimum(%add.1, %b), metadata={op_name="jit(f)/jit(clip)/min" stack_frame_id=1}
  %min.2 = f32[8,16] minimum(%min.1, %b), metadata={op_name="jit(f)/jit(clip)/min" stack_frame_id=2}
  %sub.1 = f32[8,16] subtract(%min.2, %b), metadata={op_name="jit(f)/sub"}
  %max.1 = f32[8,16] maximum(%sub.1, %b), metadata={op_name="jit(f)/jit(clip)/max" stack_frame_id=1}
  ROOT %t = (f32[8,16]) tuple(%max.1)
}
`
	assert.Equal(t, "add.1 sub.1 min.1 max.1 min.2", usersIn(t, text, "b"))
	for _, r := range []*strings.Replacer{strings.NewReplacer("%main", "%main_spmd"),
		strings.NewReplacer("constant(1)", "parameter(1)")} {
		assert.Equal(t, "add.1 min.1 min.2 sub.1 max.1", usersIn(t, r.Replace(text), "b"))
	}
	e := setOf(t, "test.hlo", text)
	e.G.Module.Simplified = true
	e.OrderUses()
	b, _ := e.G.Module.Find("b")
	assert.Equal(t, "add.1 min.1 min.2 sub.1 max.1", userNames(e.G, e.G.Node(b)))
}

// The reshape that gives a value its dimension of size 1 is the first user, but not of what was inlined, nor in what a
// pass made anew.
func TestUsersOfValuesWithoutUnits(t *testing.T) {
	const text = `HloModule m

ENTRY %main {
  %a = f32[8,16] parameter(0)
  %b = f32[16,8] parameter(1)
  %d = f32[8,8] dot(%a, %b), lhs_contracting_dims={1}, rhs_contracting_dims={0}, metadata={op_name="jit(f)/dot"}
  %n = f32[8,8] negate(%d), metadata={op_name="jit(f)/neg"}
  %r = f32[8,1,8] reshape(%d), metadata={op_name="jit(f)/dot"}
  ROOT %t = (f32[8,8], f32[8,1,8]) tuple(%n, %r)
}
`
	assert.Equal(t, "r n", usersIn(t, text, "d"))
	for _, r := range []*strings.Replacer{strings.NewReplacer("%main", "%wide.main"),
		strings.NewReplacer(`jit(f)/dot"`, `jit(f)/jit(g)/dot"`)} {
		assert.Equal(t, "n r", usersIn(t, r.Replace(text), "d"))
	}
}

// usersIn returns the names of a value's users as the rules list them.
func usersIn(t *testing.T, text, value string) string {
	t.Helper()
	e := setOf(t, "test.hlo", text)
	e.OrderUses()
	in, _ := e.G.Module.Find(value)
	return userNames(e.G, e.G.Node(in))
}

// userNames returns the names of a node's users in the order of its list.
func userNames(g *flat.Graph, n flat.NodeID) string {
	var names []string
	for _, u := range g.Users(n) {
		names = append(names, g.Nodes[u.Node].In.Name)
	}
	return strings.Join(slices.Compact(names), " ")
}

// setOf is the rules of a module on v5e.
func setOf(t *testing.T, file, text string) *Set {
	t.Helper()
	m, err := parser.Parse(file, text)
	require.NoError(t, err)
	g, err := flat.New(m, flat.Decided)
	require.NoError(t, err)
	v5e, err := tpu.ByName("v5e")
	require.NoError(t, err)
	return New(g, v5e, nil)
}

// sumOf is a computation that adds two numbers of a type.
func sumOf(name, dtype string) string {
	return "%" + name + " {\n  %x = " + dtype + "[] parameter(0)\n  %y = " + dtype + "[] parameter(1)\n  ROOT %z = " +
		dtype + "[] add(%x, %y)\n}\n\n"
}
