package hlo_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"hlolayout/hlo"
	"hlolayout/parser"
)

// CheckEdited finds what Check finds, but for names that are used twice.
func TestCheckEdited(t *testing.T) {
	m, err := parser.Parse("in.hlo", "HloModule m\n\nENTRY %e {\n  %a = f32[2]{0} parameter(0)\n"+
		"  ROOT %b = f32[2]{0} negate(%a)\n}\n")
	require.NoError(t, err)
	a, b := m.Entry.Instructions[0], m.Entry.Instructions[1]
	b.Name = a.Name
	assert.ErrorContains(t, hlo.Check(m).Err(), "two instructions in e are named a")
	assert.NoError(t, hlo.CheckEdited(m).Err())
	a.Operands = append(a.Operands, b)
	assert.ErrorContains(t, hlo.CheckEdited(m).Err(), "an operand that is not defined before it")
}
