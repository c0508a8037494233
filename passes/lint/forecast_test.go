package lint_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"hlolayout/hlo/stage"
	"hlolayout/parser"
	"hlolayout/passes/folding"
	"hlolayout/passes/lint"
	"hlolayout/tpu"
)

// What products alone read counts as bf16, with a line that says so; a product of full precision reads it as it is.
func TestNarrow(t *testing.T) {
	for attrs, want := range map[string]int64{"": 2 << 20, ", operand_precision={highest,highest}": 4 << 20} {
		m, err := parser.Parse("test", entry("", "a = bf16[64,128,32]{2,1,0:T(8,128)(2,1)} parameter(0)",
			"w = bf16[32,32]{1,0:T(8,128)(2,1)} parameter(1)", "b = f32[32,256]{1,0:T(8,128)} parameter(2)",
			"c = f32[64,128,32]{2,1,0:T(8,128)} dot(a, w), lhs_contracting_dims={2}, rhs_contracting_dims={0}",
			"s = f32[64,128,32]{2,1,0:T(8,128)} negate(c)",
			"ROOT d = f32[64,128,256]{2,1,0:T(8,128)} dot(s, b), lhs_contracting_dims={2}, rhs_contracting_dims={0}"+attrs))
		require.NoError(t, err)
		folding.Predict(m, stage.LaidOut)
		target, err := tpu.ByName("v5e")
		require.NoError(t, err)
		found := false
		for _, f := range lint.Run(m, target, lint.Default()) {
			if f.Instruction == m.Entry.Instruction("s") {
				found = true
				assert.Equal(t, want, f.Bytes+f.Bytes/3, attrs) // padding is three quarters
				assert.Equal(t, want == 2<<20, len(f.Details) > 0, "%v", f.Details)
			}
		}
		assert.Equal(t, true, found, attrs)
	}
}
