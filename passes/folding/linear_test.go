package folding_test

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"hlolayout/hlo"
	"hlolayout/passes/folding"
)

// solving returns a triangular solve of matrices and right sides of these dimensions; how are its attributes.
func solving(a, b, how string) string {
	return entry("a = f32["+a+"] parameter(0)", "b = f32["+b+"] parameter(1)",
		"ROOT x = f32["+b+"] triangular-solve(a, b), "+how)
}

const (
	leftLower  = "left_side=true, lower=true, transpose_a=NO_TRANSPOSE"
	leftUpper  = "left_side=true, lower=false, transpose_a=NO_TRANSPOSE"
	rightLower = "left_side=false, lower=true, transpose_a=NO_TRANSPOSE"
	turned     = "left_side=true, lower=true, transpose_a=TRANSPOSE"
	rightTurn  = "left_side=false, lower=true, transpose_a=TRANSPOSE"
)

// decomposed returns a Cholesky decomposition of matrices of these dimensions.
func decomposed(dims string) string {
	return entry("a = f32["+dims+"] parameter(0)", "ROOT l = f32["+dims+"] cholesky(a), lower=true")
}

// Kernels and products, with their dimensions, that libtpu 0.0.51 makes of operations on matrices for v5e, ordered.
func TestLinear(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{solving("64,64", "64,30", leftLower), "custom-call[1,64,64] dot[64,30]"},
		{solving("64,64", "64,30", leftUpper), "adds32[64] custom-call[1,64,64] dot[64,30]"},
		{solving("64,64", "64,30", leftLower+", unit_diagonal=true"),
			"add[64,64] adds32[64] custom-call[1,64,64] dot[64,30]"},
		{solving("64,64", "64,30", leftUpper+", unit_diagonal=true"), "add[64,64] custom-call[1,64,64] dot[64,30]"},
		{solving("64,64", "30,64", rightLower), "custom-call[1,64,64] dot[30,64]"},
		{solving("5,64,64", "5,64,30", leftLower), "custom-call[5,1,64,64] dot[5,64,30]"},
		{solving("200,200", "200,30", leftLower), "concatenate[128,128] concatenate[200,30] concatenate[2,128,128] " +
			"custom-call[2,128,128] dot[128,30] dot[72,30] dot[72,30] subtract[72,30]"},
		{solving("200,200", "200,30", turned), "concatenate[128,128] concatenate[200,30] concatenate[2,128,128] " +
			"custom-call[2,128,128] dot[128,30] dot[128,30] dot[72,30] subtract[128,30]"},
		{solving("300,300", "30,300", rightTurn), "concatenate[128,128] concatenate[3,128,128] concatenate[30,256] " +
			"concatenate[30,300] custom-call[3,128,128] dot[30,128] dot[30,128] dot[30,128] dot[30,44] dot[30,44] " +
			"subtract[30,128] subtract[30,44]"},
		{decomposed("64,64"), "custom-call[64,64]"},
		{decomposed("200,200"), "custom-call[1,128,128] custom-call[128,128] custom-call[72,72] dot[72,128] dot[72,72] " +
			"dynamic-update-slice[200,200] dynamic-update-slice[200,200] subtract[72,72]"},
		{decomposed("300,300"), "custom-call[1,128,128] custom-call[1,128,128] custom-call[128,128] custom-call[128,128] " +
			"custom-call[44,44] dot[172,128] dot[172,128] dot[44,128] dot[44,44] dynamic-update-slice[300,300] " +
			"dynamic-update-slice[300,300] dynamic-update-slice[300,300] dynamic-update-slice[300,300] " +
			"subtract[172,128] subtract[44,44]"},
	} {
		s := folding.Simplify(parse(t, c.text), target(t, "v5e"))
		var got []string
		for _, in := range s.Module.Entry.Instructions {
			switch in.Opcode {
			case hlo.OpAdd, hlo.OpDot, hlo.OpSubtract, hlo.OpConcatenate, hlo.OpCustomCall, hlo.OpDynamicUpdateSlice:
				text := strings.TrimPrefix(in.Shape.String(), "f32")
				got = append(got, in.Opcode.String()+text[:strings.IndexByte(text, ']')+1])
			}
		}
		slices.Sort(got)
		want := strings.Fields(c.want)
		slices.Sort(want)
		assert.Equal(t, want, got, c.text)
		checked(t, s.Module)
	}
}

// What the kernels of blocks are not made for stays as it is.
func TestLinearOfOthers(t *testing.T) {
	for _, text := range []string{
		strings.ReplaceAll(solving("64,64", "64,30", leftLower), "f32", "f64"),
		strings.ReplaceAll(decomposed("64,64"), "f32", "bf16"),
		strings.Replace(decomposed("64,64"), "lower=true", "lower=false", 1),
		decomposed("9000,9000"),
	} {
		s := folding.Simplify(parse(t, text), target(t, "v5e"))
		assert.Regexp(t, "triangular-solve|cholesky", opcodes(s.Module), text)
	}
}

var kernels = regexp.MustCompile(`(?m)^( *(?:ROOT )?\S+ = )(f32\[[\d,]*?(\d+),\d+\])\S* custom-call\((.*?)\).*` +
	`custom_call_target="(Cholesky|InvertDiagBlocks(\w+)Triangular)".*$`)

// onCPU replaces kernels of matrices by operations that compute the same, which the CPU has.
func onCPU(text string) string {
	return kernels.ReplaceAllStringFunc(text, func(line string) string {
		m := kernels.FindStringSubmatch(line)
		if m[5] == "Cholesky" {
			return fmt.Sprintf("%s%s cholesky(%s), lower=true", m[1], m[2], m[4])
		}
		dims := strings.Split(strings.TrimSuffix(strings.TrimPrefix(m[2], "f32["), "]"), ",")
		name := regexp.MustCompile(`[\w.-]+ = $`).FindString(m[1])
		name = "eye_" + strings.TrimSuffix(name, " = ")
		square := m[3] + "," + m[3]
		return fmt.Sprintf(`  %[1]s.rows = s32[%[2]s] iota(), iota_dimension=0
  %[1]s.columns = s32[%[2]s] iota(), iota_dimension=1
  %[1]s.same = pred[%[2]s] compare(%[1]s.rows, %[1]s.columns), direction=EQ
  %[1]s.one = f32[%[2]s] convert(%[1]s.same)
  %[1]s = %[3]s broadcast(%[1]s.one), dimensions={%[4]d,%[5]d}
%[6]s%[3]s triangular-solve(%[7]s, %[1]s), left_side=true, lower=%[8]t, transpose_a=NO_TRANSPOSE`,
			name, square, m[2], len(dims)-2, len(dims)-1, m[1], m[4], m[6] == "Lower")
	})
}

func TestLinearSemantics(t *testing.T) {
	programs := map[string]string{}
	for name, text := range map[string]string{
		"left lower":    solving("64,64", "64,30", leftLower),
		"left upper":    solving("64,64", "64,30", leftUpper),
		"right lower":   solving("64,64", "30,64", rightLower),
		"turned":        solving("200,200", "200,30", turned),
		"right turned":  solving("300,300", "30,300", rightTurn),
		"blocks":        solving("200,200", "200,30", leftLower),
		"upper blocks":  solving("3,200,200", "3,200,30", leftUpper),
		"right blocks":  solving("200,200", "30,200", rightLower),
		"ones":          solving("200,200", "200,30", leftLower+", unit_diagonal=true"),
		"upper ones":    solving("200,200", "200,30", leftUpper+", unit_diagonal=true"),
		"cholesky":      decomposed("64,64"),
		"batch":         decomposed("3,64,64"),
		"blocks of two": decomposed("200,200"),
		"blocks of 3":   decomposed("2,300,300"),
	} {
		programs[strings.ReplaceAll(name, " ", "_")] = conditioned.ReplaceAllStringFunc(text, wellConditioned)
	}
	semantics(t, programs, "2e-5")
}

var conditioned = regexp.MustCompile(`a = (f32\[([\d,]*?)(\d+),\d+\]) parameter\(0\)`)

// wellConditioned returns lines that make a symmetric matrix whose diagonal is large of a parameter.
func wellConditioned(line string) string {
	m := conditioned.FindStringSubmatch(line)
	rank := strings.Count(m[1], ",") + 1
	order := []string{"0", "1", "2"}[:rank]
	order[rank-1], order[rank-2] = order[rank-2], order[rank-1]
	return fmt.Sprintf(`p = %[1]s parameter(0)
  turn = %[1]s transpose(p), dimensions={%[2]s}
  two = %[1]s add(p, turn)
  small = f32[] constant(0.01)
  smalls = %[1]s broadcast(small), dimensions={}
  little = %[1]s multiply(two, smalls)
  rows = s32[%[3]s,%[3]s] iota(), iota_dimension=0
  columns = s32[%[3]s,%[3]s] iota(), iota_dimension=1
  same = pred[%[3]s,%[3]s] compare(rows, columns), direction=EQ
  one = f32[%[3]s,%[3]s] convert(same)
  ones = %[1]s broadcast(one), dimensions={%[4]d,%[5]d}
  three = f32[] constant(3)
  threes = %[1]s broadcast(three), dimensions={}
  large = %[1]s multiply(ones, threes)
  a = %[1]s add(little, large)`, m[1], strings.Join(order, ","), m[3], rank-2, rank-1)
}
