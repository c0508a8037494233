package report_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"hlolayout/parser"
	"hlolayout/printer/report"
)

const fingerprinted = `HloModule jit_f, entry_computation_layout={(f32[8,128]{1,0})->f32[8]{0}}

region_0.1 {
  a.1 = f32[] parameter(0)
  b.1 = f32[] parameter(1)
  ROOT add.1 = f32[] add(a.1, b.1)
}

ENTRY main.4 {
  x.1 = f32[8,128]{1,0} parameter(0), metadata={op_name="x"}
  zero.1 = f32[] constant(0)
  ROOT reduce.3 = f32[8]{0} reduce(x.1, zero.1), dimensions={1}, to_apply=region_0.1
}
`

// The fingerprint is in lock files: where this one changes, FingerprintVersion has to grow.
func TestProgramFingerprint(t *testing.T) {
	of := func(old, new string) string {
		text := strings.ReplaceAll(fingerprinted, old, new)
		require.True(t, old == new || text != fingerprinted, old)
		m, err := parser.Parse("f.hlo", text)
		require.NoError(t, err)
		return report.Fingerprint(m)
	}
	same := of("jit_f", "jit_f")
	for old, new := range map[string]string{
		"jit_f": "jit_g", "region_0.1": "sum.77", "reduce.3": "total", "zero.1": "z",
		`metadata={op_name="x"}`: "metadata={}",
	} {
		assert.Equal(t, same, of(old, new), old)
	}
	for old, new := range map[string]string{
		"add(": "multiply(", "constant(0)": "constant(1)", "{1,0})->": "{0,1})->",
		"dimensions={1}": "dimensions={1}, frontend_attributes={a=\"b\"}",
	} {
		assert.NotEqual(t, same, of(old, new), old)
	}
	assert.Equal(t, "2-6096d1adec81e8a3", same)
}
