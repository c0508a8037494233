package rules

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"hlolayout/parser"
)

// The calls of an op_name are those after the innermost loop or branch. A slash inside of parentheses separates
// nothing, and the first part is the program.
func TestCallsIn(t *testing.T) {
	for op, want := range map[string][]string{
		"jit(f)/mul":                      nil,
		"jit(f)/jit(g)/mul":               {"jit(f)/jit(g)"},
		"jit(f)/jit(g)/jit(h)/mul":        {"jit(f)/jit(g)", "jit(f)/jit(g)/jit(h)"},
		"jit(f)/jit(g)/while/body/mul":    nil,
		"jit(f)/while/body/jit(g)/mul":    {"jit(f)/while/body/jit(g)"},
		"jit(f)/cond/branch_1/jit(g)/mul": {"jit(f)/cond/branch_1/jit(g)"},
		"jit(f)/jvp(jit(g)/jit(h))/mul":   {"jit(f)/jvp(jit(g)/jit(h))"},
		"jit(f)/jit(g":                    nil,
	} {
		assert.Equal(t, strings.Join(want, " "), strings.Join(callsIn(op), " "), op)
	}
}

// The last part of an op_name of several is the operation.
func TestOpName(t *testing.T) {
	for name, want := range map[string][2]string{"jit(f)/jit(g)/mul": {"jit(f)/jit(g)/", "mul"}, "/mul": {"/", "mul"},
		"mul": {}} {
		m, err := parser.Parse("test.hlo", "HloModule m\n\nENTRY %e {\n  ROOT %p = f32[] parameter(0), metadata={op_name=\""+
			name+"\"}\n}\n")
		require.NoError(t, err)
		x := source{metadata: m.Entry.Root.Attr("metadata")}
		calls, operation := x.opName()
		assert.Equal(t, want, [2]string{calls, operation}, name)
	}
}
