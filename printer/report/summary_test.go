package report_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"hlolayout/hlo"
	"hlolayout/parser"
	"hlolayout/printer/report"
	"hlolayout/tpu"
)

// The worst findings are those that cost most, in doubt or not; what only matters to callers comes after them.
func TestSummaryFindings(t *testing.T) {
	m, err := parser.Parse("m", `HloModule m

ENTRY %e {
  %p = f32[4096,4096]{0,1:T(8,128)} parameter(0)
  %n = f32[1024,1024]{1,0:T(8,128)} constant({...})
  %small = f32[1024,1024]{0,1:T(8,128)} copy(%n)
  %e = f32[2048,1024]{1,0:T(8,128)} constant({...})
  %large = f32[2048,1024]{0,1:T(8,128)} copy(%e)
  ROOT %t = (f32[4096,4096]{0,1:T(8,128)}, f32[1024,1024]{0,1:T(8,128)}, f32[2048,1024]{0,1:T(8,128)}) tuple(%p,
      %small, %large)
}
`)
	require.NoError(t, err)
	m.Forecast = &hlo.Forecast{Unsure: map[*hlo.Instruction]string{m.Entry.Instruction("large"): "it is divided"}}
	v5e, err := tpu.ByName("v5e")
	require.NoError(t, err)
	s := report.NewSummary(m, "m.hlo", report.Origin{}, "")
	s.Judge(m, nil, v5e, false)
	require.Len(t, s.Findings, 3)
	for i, want := range []struct{ value, severity, doubt string }{
		{"%large", "note", "perhaps: it is divided"}, {"%small", "warning", ""}, {"%p", "note", ""},
	} {
		f := &s.Findings[i]
		assert.Equal(t, want, struct{ value, severity, doubt string }{f.Value, f.Severity, f.Doubt})
	}
}
