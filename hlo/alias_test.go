package hlo_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"hlolayout/hlo"
	"hlolayout/parser"
)

func TestAliases(t *testing.T) {
	m, err := parser.Parse("test",
		`HloModule m, input_output_alias={ {0}: (0, {}, may-alias), {1,2}: (3, {4}, must-alias), {2}: (1, {}) }

ENTRY %main (x: f32[]) -> f32[] {
  ROOT %x = f32[] parameter(0)
}
`)
	require.NoError(t, err)
	assert.Equal(t, []hlo.Alias{
		{Output: hlo.Index{0}},
		{Output: hlo.Index{1, 2}, Number: 3, Index: hlo.Index{4}, Must: true},
		{Output: hlo.Index{2}, Number: 1},
	}, m.Aliases())
}
