package rules

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
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
