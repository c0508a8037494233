package folding_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"hlolayout/hlo"
	"hlolayout/passes/folding"
	"hlolayout/printer"
)

// sorting returns a module that sorts what is given along its rows, with a comparator of two floating-point numbers.
func sorting(compare, sort string) string {
	return `HloModule m

before {
  x = f32[] parameter(0)
  y = f32[] parameter(1)
  v = s32[] parameter(2)
  w = s32[] parameter(3)
  ` + compare + `
}

before_alone {
  x = f32[] parameter(0)
  y = f32[] parameter(1)
  ` + compare + `
}

ENTRY main {
  a = f32[4,8] parameter(0)
  b = s32[4,8] parameter(1)
  i = s32[4,8] iota(), iota_dimension=1
  j = s32[4,8] iota(), iota_dimension=0
  ` + sort + `
}
`
}

const (
	less        = "ROOT c = pred[] compare(x, y), direction=LT"
	totallyLess = less + ", type=TOTALORDER"
)

// A sort that keeps the order of equal elements compares places: those that it sorts already, or more.
func TestStableSort(t *testing.T) {
	const (
		two   = "ROOT s = (f32[4,8], s32[4,8]) sort(a, %s), dimensions={1}, is_stable=true, to_apply=before"
		alone = "ROOT s = f32[4,8] sort(a), dimensions={1}, is_stable=true, to_apply=before_alone"
	)
	for _, c := range []struct{ compare, sort, want, comparator string }{
		{less, alone, "iota1 sort{1} get-tuple-element", "compare compare compare compare select"},
		{less, strings.Replace(two, "%s", "i", 1), "iota1 sort{1}", "compare compare compare compare select"},
		{less, strings.Replace(two, "%s", "j", 1), "iota0 iota1 sort{1} get-tuple-element get-tuple-element tuple",
			"compare compare compare compare select"},
		{less, strings.Replace(two, "%s", "b", 1), "iota1 sort{1} get-tuple-element get-tuple-element tuple",
			"compare compare compare compare select"},
		{less, strings.Replace(alone, ", is_stable=true", "", 1), "sort{1}", "compare"},
		{totallyLess, strings.Replace(alone, ", is_stable=true", "", 1), "sort{1}", "bitcast-convert compare xor select " +
			"bitcast-convert compare xor select compare"},
		{strings.Replace(totallyLess, "type=TOTALORDER", "order=TOTAL", 1), alone, "iota1 sort{1} get-tuple-element",
			"bitcast-convert compare xor select bitcast-convert compare xor select compare compare compare compare select"},
		{"t = (f32[]) tuple(x)\n  z = f32[] get-tuple-element(t), index=0\n  " + strings.Replace(less, "x", "z", 1), alone,
			"sort{1}", "tuple get-tuple-element compare"}, // is not understood
	} {
		s := folding.Simplify(parse(t, sorting(c.compare, c.sort)), target(t, "v5e"))
		checked(t, s.Module)
		assert.Equal(t, c.want, opcodes(s.Module), c.sort)
		for _, in := range s.Module.Entry.Instructions {
			if in.Opcode == hlo.OpSort {
				assert.Equal(t, strings.HasPrefix(c.comparator, "tuple"), in.Attr("is_stable") != nil, c.sort)
				assert.Equal(t, c.comparator, opcodes(&hlo.Module{Entry: in.Called()[0]}), c.compare)
			}
		}
	}
}

// TestStableSortComputesTheSame runs sorts of few different numbers on XLA's CPU backend before and after. It skips
// without XLA.
func TestStableSortComputesTheSame(t *testing.T) {
	programs := map[string]string{}
	for name, compare := range map[string]string{"less": less, "total": totallyLess} {
		programs[name] = sorting(compare, `k = f32[4,8] floor(a)
  s = (f32[4,8], s32[4,8]) sort(k, b), dimensions={1}, is_stable=true, to_apply=before
  ROOT r = s32[4,8] get-tuple-element(s), index=1`)
	}
	assert.Equal(t, len(programs), strings.Count(semantics(t, programs, "1e-5"), " equal\n"))
}

// What a comparator says of the elements exchanged is computed of what is there already.
func TestComparators(t *testing.T) {
	const text = `HloModule m

before {
  x = bf16[] parameter(0)
  y = bf16[] parameter(1)
  v = u32[] parameter(2)
  w = u32[] parameter(3)
  c = u32[] constant(0)
  e = pred[] compare(v, c), direction=GE, type=TOTALORDER
  f = pred[] compare(v, c), direction=LE
  g = pred[] compare(x, y), direction=GT, type=TOTALORDER
  h = pred[] and(e, f)
  ROOT o = pred[] or(g, h)
}

ENTRY main {
  a = bf16[4,8] parameter(0)
  i = u32[4,8] iota(), iota_dimension=1
  ROOT s = (bf16[4,8], u32[4,8]) sort(a, i), dimensions={1}, is_stable=true, to_apply=before
}
`
	s := folding.Simplify(parse(t, text), target(t, "v5e"))
	checked(t, s.Module)
	_, comparator, _ := strings.Cut(strings.ReplaceAll(printer.Print(s.Module), "s.comparator.", "c"), "s.comparator {\n")
	comparator, _, _ = strings.Cut(comparator, "}")
	assert.Equal(t, `  c0.parameter = bf16[] parameter(0)
  c1.parameter = bf16[] parameter(1)
  c2.parameter = u32[] parameter(2)
  c3.parameter = u32[] parameter(3)
  c4.parameter = s32[] parameter(4)
  c5.parameter = s32[] parameter(5)
  c6.constant = u32[] constant(0)
  c7.compare = pred[] compare(c2.parameter, c6.constant), direction=GE
  c8.compare = pred[] compare(c2.parameter, c6.constant), direction=LE
  c9.convert = f32[] convert(c0.parameter)
  c10.bitcast-convert = s32[] bitcast-convert(c9.convert)
  c11.constant = s32[] constant(0)
  c12.compare = pred[] compare(c10.bitcast-convert, c11.constant), direction=LT
  c13.constant = s32[] constant(2147483647)
  c14.xor = s32[] xor(c13.constant, c10.bitcast-convert)
  c15.select = s32[] select(c12.compare, c14.xor, c10.bitcast-convert)
  c16.convert = f32[] convert(c1.parameter)
  c17.bitcast-convert = s32[] bitcast-convert(c16.convert)
  c18.compare = pred[] compare(c17.bitcast-convert, c11.constant), direction=LT
  c19.xor = s32[] xor(c13.constant, c17.bitcast-convert)
  c20.select = s32[] select(c18.compare, c19.xor, c17.bitcast-convert)
  c21.compare = pred[] compare(c15.select, c20.select), direction=GT
  c22.and = pred[] and(c7.compare, c8.compare)
  c23.or = pred[] or(c21.compare, c22.and)
  c24.compare = pred[] compare(c3.parameter, c6.constant), direction=GE
  c25.compare = pred[] compare(c3.parameter, c6.constant), direction=LE
  c26.compare = pred[] compare(c20.select, c15.select), direction=GT
  c27.and = pred[] and(c24.compare, c25.compare)
  c28.or = pred[] or(c26.compare, c27.and)
  c29.compare = pred[] compare(c23.or, c28.or), direction=EQ
  c30.compare = pred[] compare(c4.parameter, c5.parameter), direction=LT
  ROOT c31.select = pred[] select(c29.compare, c30.compare, c23.or)
`, comparator)
}
