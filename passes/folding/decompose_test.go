package folding_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"hlolayout/passes/folding"
)

// lu returns an LU decomposition: of matrices of dims, with so many steps and rows.
func lu(dims, steps, rows string) string {
	return entry("a = f32["+dims+"] parameter(0)", fmt.Sprintf("ROOT d = (f32[%s], s32[%s], s32[%s]) custom-call(a), "+
		`custom_call_target="LuDecomposition"`, dims, steps, rows))
}

// Kernels and products, with their dimensions, that libtpu 0.0.51 makes of decompositions for v5e.
func TestDecompositions(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{lu("1,1", "1", "1"), ""},
		{lu("5,1", "1", "5"), "custom-call[5,1] fusions32[5]"},
		{lu("64,64", "64", "64"), "custom-call[64,64] fusions32[64]"},
		{lu("5,64,64", "5,64", "5,64"), "custom-call[5,64,64] fusions32[320]"},
		{lu("64,200", "64", "64"), "adds32[64] add[64,64] custom-call[1,64,64] custom-call[64,64] dot[64,136] " +
			"dynamic-update-slice[64,200] dynamic-update-slice[64,200] fusion[64,200] fusions32[64]"},
		{lu("200,64", "64", "200"), "custom-call[200,64] fusions32[200]"},
		{lu("200,200", "200", "200"), "add[128,128] adds32[128] adds32[72]x2 concatenates32[200] custom-call[1,128,128] " +
			"custom-call[200,128] custom-call[72,72] dot[128,72] dot[72,72] dynamic-update-slice[200,200]x5 " +
			"dynamic-update-slices32[200] fusion[200,200] fusion[72,200] fusions32[200] fusions32[72] subtract[72,72]"},
		{lu("300,300", "300", "300"), "add[128,128]x2 adds32[128]x2 adds32[172] adds32[44]x2 custom-call[1,128,128]x2 " +
			"custom-call[172,128] custom-call[300,128] custom-call[44,44] dot[128,172] dot[128,44] dot[172,172] dot[44,44] " +
			"dynamic-update-slice[300,300]x9 dynamic-update-slices32[300]x4 fusion[172,300] fusion[300,300] " +
			"fusion[44,300] fusions32[172] fusions32[300] fusions32[44] subtract[172,172] subtract[44,44]"},
		{lu("5,200,200", "5,200", "5,200"), "add[5,128,128] adds32[128] adds32[5,72]x2 concatenates32[5,200] " +
			"custom-call[5,1,128,128] custom-call[5,200,128] custom-call[5,72,72] dot[5,128,72] dot[5,72,72] " +
			"dynamic-update-slice[5,200,200]x5 dynamic-update-slices32[5,200] fusion[1000,200] fusion[360,200] " +
			"fusions32[1000] fusions32[360] subtract[5,72,72]"},
	} {
		madeOf(t, c.text, c.want)
	}
}

// What is not a decomposition of f32 as JAX has it stays as it is.
func TestOtherDecompositions(t *testing.T) {
	for _, text := range []string{
		strings.ReplaceAll(lu("64,64", "64", "64"), "f32", "f64"),
		lu("64,64", "63", "64"),
		lu("9000,9000", "9000", "9000"),
		strings.Replace(lu("64,64", "64", "64"), "(a)", "()", 1),
		strings.Replace(lu("64,64", "64", "64"), "LuDecomposition", "Lu", 1),
	} {
		s := folding.Simplify(parse(t, text), target(t, "v5e"))
		assert.Equal(t, "custom-call", opcodes(s.Module), text)
	}
}

func TestDecompositionSemantics(t *testing.T) {
	programs := map[string]string{
		"lu":          lu("64,64", "64", "64"),
		"lu_one":      lu("3,1,1", "3,1", "3,1"),
		"lu_wide":     lu("64,200", "64", "64"),
		"lu_high":     lu("200,64", "64", "200"),
		"lu_batch":    lu("3,40,40", "3,40", "3,40"),
		"lu_blocks":   lu("200,200", "200", "200"),
		"lu_last":     lu("129,129", "129", "129"),
		"lu_batches":  lu("2,3,140,300", "2,3,140", "2,3,140"),
		"lu_of_three": lu("2,300,260", "2,260", "2,300"),
	}
	out := semantics(t, programs, "1e-3")
	assert.Equal(t, len(programs), strings.Count(out, " equal\n"), "%s", out)
}
