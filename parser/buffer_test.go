package parser_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"hlolayout/hlo"
	"hlolayout/parser"
)

// Shapes of buffers in attribute values are shapes, also inside of tuples.
func TestBuffersInValues(t *testing.T) {
	m, err := parser.Parse("m.hlo",
		`HloModule m, entry_computation_layout={(b(f32[2]{0}), (f32[2]{0}, b(f32[3]{0})))->b(f32[2]{0})}
ENTRY e {
  p = b(f32[2]) parameter(0)
  q = (f32[2], b(f32[3])) parameter(1)
  ROOT c = b(f32[2]) custom-call(p), custom_call_target="x", operand_layout_constraints={b(f32[2]{0})}
}`)
	require.NoError(t, err)
	params, result, ok := m.EntryLayout()
	require.True(t, ok)
	assert.Equal(t, hlo.BufferShape, params[0].Kind)
	assert.Equal(t, "(f32[2]{0}, b(f32[3]{0}))", params[1].String())
	assert.Equal(t, "b(f32[2]{0})", result.String())
	constraints := m.Entry.Root.Attr("operand_layout_constraints")
	require.Len(t, constraints.Elems, 1)
	assert.Equal(t, "b(f32[2]{0})", constraints.Elems[0].Text)
	assert.Equal(t, hlo.ShapeValue, constraints.Elems[0].Kind)
}
