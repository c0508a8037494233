package report_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"hlolayout/hlo"
	"hlolayout/parser"
	"hlolayout/printer/report"
)

// Values of one shape of which some are kept as bf16 are two groups: their sizes differ.
func TestGroupsOfOneSize(t *testing.T) {
	m, err := parser.Parse("in", `HloModule groups

ENTRY main {
  a = f32[8,128]{1,0:T(8,128)} parameter(0)
  b = f32[8,128]{1,0:T(8,128)} negate(a)
  ROOT c = f32[8,128]{1,0:T(8,128)} tanh(b)
}
`)
	require.NoError(t, err)
	m.Forecast = &hlo.Forecast{Narrow: map[*hlo.Instruction]bool{m.Entry.Instructions[1]: true}}
	s := report.NewStats(m, "in", true)
	require.Len(t, s.Groups, 2)
	sum := int64(0)
	for _, g := range s.Groups {
		sum += g.Size.Padded * int64(len(g.Values))
	}
	assert.EqualValues(t, 2*4096+2048, sum)
	assert.Equal(t, s.Total.Padded, sum)
	assert.Contains(t, string(s.AppendText(nil, 0)), "(counted as bf16, which the compiler stores: only products read "+
		"it)\n     Values: %b\n")
}
