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
		{"conv_general_dilated.1", "add(%k, %k)", "neg.1 exp.1"},
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
