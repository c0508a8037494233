package folding_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"hlolayout/passes/folding"
	"hlolayout/printer"
)

// lu returns an LU decomposition: of matrices of dims, with so many steps and rows.
func lu(dims, steps, rows string) string {
	return entry("a = f32["+dims+"] parameter(0)", fmt.Sprintf("ROOT d = (f32[%s], s32[%s], s32[%s]) custom-call(a), "+
		`custom_call_target="LuDecomposition"`, dims, steps, rows))
}

// qr returns a QR decomposition: of matrices of dims, with so many steps.
func qr(dims, steps string) string {
	return entry("a = f32["+dims+"] parameter(0)", fmt.Sprintf("ROOT d = (f32[%s], f32[%s]) custom-call(a), "+
		`custom_call_target="Qr"`, dims, steps))
}

// reflections returns the product of as many reflectors of matrices of dims.
func reflections(dims, steps string) string {
	return entry("a = f32["+dims+"] parameter(0)", "f = f32["+steps+"] parameter(1)",
		"ROOT q = f32["+dims+`] custom-call(a, f), custom_call_target="ProductOfElementaryHouseholderReflectors"`)
}

// orthogonal returns the first result of a QR decomposition in full, of matrices of at least as many rows as columns.
func orthogonal(dims, steps string) string {
	decomposed := strings.TrimSuffix(strings.Replace(qr(dims, steps), "ROOT d", "d", 1), "}\n")
	return decomposed + `  v = f32[` + dims + `] get-tuple-element(d), index=0
  f = f32[` + steps + `] get-tuple-element(d), index=1
  ROOT q = f32[` + dims + `] custom-call(v, f), custom_call_target="ProductOfElementaryHouseholderReflectors"
}
`
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
		{qr("64,64", "64"), "custom-call[64,64]"},
		{qr("200,200", "200"), "add[128,128] add[200,128] add[200,72] adds32[200] concatenate[200] " +
			"custom-call[128,128] custom-call[200,128] custom-call[72,72] dot[128,128] dot[128,72] dot[200,128] " +
			"dot[200,72] dynamic-update-slice[200,200]x3 multiply[128,128]"},
		{qr("300,300", "300"), "add[128,128]x2 add[172,128] add[172,44] add[300,128] add[300,172] adds32[172] " +
			"adds32[300] custom-call[128,128]x2 custom-call[172,128] custom-call[300,128] custom-call[44,44] " +
			"dot[128,128]x2 dot[128,172] dot[128,44] dot[172,128] dot[172,44] dot[300,128] dot[300,172] " +
			"dynamic-update-slice[300,300]x5 dynamic-update-slice[300]x2 multiply[128,128]x2"},
		{qr("64,200", "64"), "add[64,136] add[64,64]x2 adds32[64] custom-call[64,64]x2 dot[64,136]x2 " +
			"dot[64,64]x2 dynamic-update-slice[64,200]x2 multiply[64,64]"},
		{qr("5,200,200", "5,200"), "add[5,128,128] add[5,200,128] add[5,200,72] adds32[200] concatenate[5,200] " +
			"custom-call[5,128,128] custom-call[5,200,128] custom-call[5,72,72] dot[5,128,128] dot[5,128,72] " +
			"dot[5,200,128] dot[5,200,72] dynamic-update-slice[5,200,200]x3 multiply[5,128,128]"},
		{reflections("64,64", "64"), "add[64,64]x3 adds32[64] custom-call[64,64] dot[64,64]x4 multiply[64,64]"},
		{reflections("128,128", "128"), "add[128,128]x3 adds32[128] custom-call[128,128] dot[128,128]x4 multiply[128,128]"},
		{reflections("200,200", "200"), "add[128,128] add[200,128] add[200,200] add[72,72]x3 adds32[200] " +
			"adds32[72] custom-call[128,128] custom-call[72,72] dot[128,128] dot[128,200]x2 dot[200,200] " +
			"dot[72,72]x4 dynamic-update-slice[200,200] multiply[128,128] multiply[72,72]"},
		{reflections("300,200", "150"), "add[128,128] add[172,22] add[172,72] add[22,22] add[300,128] " +
			"add[300,200] adds32[172] adds32[300] custom-call[128,128] custom-call[22,22] dot[128,128] " +
			"dot[128,200]x2 dot[172,72] dot[22,22] dot[22,72]x2 dot[300,200] dynamic-update-slice[300,200] " +
			"multiply[128,128] multiply[22,22]"},
		{reflections("5,64,64", "5,64"), "add[5,64,64]x3 adds32[64] custom-call[5,64,64] dot[5,64,64]x4 " +
			"multiply[5,64,64]"},
	} {
		madeOf(t, c.text, c.want)
	}
}

// The kernel that makes one of a block of reflectors reads columns.
func TestReflectorsAreColumns(t *testing.T) {
	s := folding.Simplify(parse(t, reflections("3,64,40", "3,40")), target(t, "v5e"))
	text := printer.Print(s.Module)
	assert.Contains(t, text, "operand_layout_constraints={f32[3,40,40]{1,2,0}}")
	assert.Regexp(t, `= u32\[40,40\]\S* iota\(`, text) // of the identity; masks compare s32
}

// What is not a decomposition of f32 as JAX has it stays as it is.
func TestOtherDecompositions(t *testing.T) {
	for _, text := range []string{
		strings.ReplaceAll(lu("64,64", "64", "64"), "f32", "f64"),
		lu("64,64", "63", "64"),
		qr("64,64", "63"),
		qr("64,64", "2,64"),
		reflections("64,64", "65"),
		reflections("64,64", "2,64"),
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
		"qr":          qr("64,64", "64"),
		"qr_one":      qr("1,3", "1"),
		"qr_wide":     qr("64,200", "64"),
		"qr_batch":    qr("2,3,40,60", "2,3,40"),
		"qr_blocks":   qr("200,150", "150"),
		"qr_of_three": qr("2,260,300", "2,260"),
		"q":           orthogonal("64,40", "40"),
		"q_blocks":    orthogonal("200,140", "140"),
		"q_of_three":  orthogonal("2,300,260", "2,260"),
	}
	out := semantics(t, programs, "1e-3")
	assert.Equal(t, len(programs), strings.Count(out, " equal\n"), "%s", out)
}
