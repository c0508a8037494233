package parser_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"hlolayout/parser"
	"hlolayout/printer"
)

func TestRecoveryTable(t *testing.T) {
	const text = `HloModule m, origin_recovery_table={
  {"a" {0}} : {"b"}
  {"c"} : {"d"}, "HloModule inner ENTRY e { p = f32[2] parameter(0), metadata={op_name=\"x\"} }"
}

ENTRY %main (p: f32[2]) -> f32[2] {
  ROOT %p = f32[2]{0} parameter(0)
}

`
	m, err := parser.Parse("m.hlo", text)
	require.NoError(t, err)
	table := m.Attr("origin_recovery_table")
	require.Len(t, table.Elems, 7)
	inner := m.Recovery[&table.Elems[6]]
	require.NotNil(t, inner)
	assert.Equal(t, "inner", inner.Name)
	assert.Equal(t, "p", inner.Entry.Root.Name)
	assert.Equal(t, text, printer.Print(m), "the preserving print keeps the string")

	_, err = parser.Parse("m.hlo",
		`HloModule m, origin_recovery_table={ {"a"} : {"b"}, "HloModule x ENTRY e { q = f32[2] negate(y) }" }
ENTRY e { p = f32[] parameter(0) }`)
	require.Error(t, err)
	assert.Contains(t, err.Error(), "m.hlo(origin_recovery_table):1:41")
}
