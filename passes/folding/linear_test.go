package folding_test

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
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
		{solving("500,500", "500,30", turned), "concatenate[128,128] concatenate[244,30] concatenate[372,30] " +
			"concatenate[500,30] concatenate[4,128,128] custom-call[4,128,128] dot[128,30]x6 dot[116,30] subtract[128,30]x3"},
		{solving("1,1", "1,5", leftLower), "divide[1,5]"},
		{solving("3,1,1", "3,1,5", leftUpper), "divide[3,1,5]"},
		{solving("1,1", "1,5", leftLower+", unit_diagonal=true"), ""},
		{decomposed("64,64"), "custom-call[64,64]"},
		{decomposed("129,129"), "custom-call[1,128,128] custom-call[128,128] dynamic-update-slice[129,129]x2 " +
			"multiply[128,128] multiply[128] sqrt[1,1] subtract[1,1]"},
		{decomposed("200,200"), "custom-call[1,128,128] custom-call[128,128] custom-call[72,72] dot[72,128] dot[72,72] " +
			"dynamic-update-slice[200,200] dynamic-update-slice[200,200] subtract[72,72]"},
		{decomposed("300,300"), "custom-call[1,128,128] custom-call[1,128,128] custom-call[128,128] custom-call[128,128] " +
			"custom-call[44,44] dot[172,128] dot[172,128] dot[44,128] dot[44,44] dynamic-update-slice[300,300] " +
			"dynamic-update-slice[300,300] dynamic-update-slice[300,300] dynamic-update-slice[300,300] " +
			"subtract[172,128] subtract[44,44]"},
	} {
		madeOf(t, c.text, c.want)
	}
}

// madeOf checks which kernels and products, with the dimensions of their first result, a program is made of, in any
// order; one that is there several times may be followed by x and how often.
func madeOf(t *testing.T, program, want string) {
	t.Helper()
	s := folding.Simplify(parse(t, program), target(t, "v5e"))
	var got []string
	for _, in := range s.Module.Entry.Instructions {
		switch in.Opcode {
		case hlo.OpAdd, hlo.OpDot, hlo.OpSubtract, hlo.OpConcatenate, hlo.OpCustomCall, hlo.OpDynamicUpdateSlice,
			hlo.OpDivide, hlo.OpSqrt, hlo.OpFusion, hlo.OpMultiply:
			text := strings.TrimPrefix(strings.TrimPrefix(in.Shape.String(), "("), "f32")
			got = append(got, in.Opcode.String()+text[:strings.IndexByte(text, ']')+1])
		}
	}
	var all []string
	for _, word := range strings.Fields(want) {
		word, times, _ := strings.Cut(word, "]x")
		n, err := strconv.Atoi(times)
		if err != nil {
			n = 1
		}
		all = append(all, slices.Repeat([]string{strings.TrimSuffix(word, "]") + "]"}, n)...)
	}
	assert.ElementsMatch(t, all, got, program)
	checked(t, s.Module)
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
		"one":           solving("3,1,1", "3,1,5", leftLower),
		"one of ones":   solving("1,1", "1,5", leftUpper+", unit_diagonal=true"),
		"cholesky":      decomposed("64,64"),
		"a last one":    decomposed("129,129"),
		"batch":         decomposed("3,64,64"),
		"blocks of two": decomposed("200,200"),
		"blocks of 3":   decomposed("2,300,300"),
	} {
		programs[strings.ReplaceAll(name, " ", "_")] = conditioned.ReplaceAllStringFunc(text, wellConditioned)
	}
	out := semantics(t, programs, "2e-5")
	assert.Equal(t, len(programs), strings.Count(out, " equal\n"), "%s", out)
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
