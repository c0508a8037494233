package cute

import (
	"errors"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestKinds(t *testing.T) {
	seen := map[Kind]bool{}
	for _, k := range Kinds() {
		require.False(t, seen[k.Kind], "%s twice", k.Kind)
		seen[k.Kind] = true
		require.NotEmpty(t, k.Doc)
		_, err := Eval(k.Example)
		require.ErrorIs(t, err, k.Kind, "%s", k.Example)
		for _, o := range Kinds() {
			require.Equal(t, o.Kind == k.Kind, errors.Is(err, o.Kind), "%s", k.Example)
		}
	}
}

func TestPositions(t *testing.T) {
	for _, c := range []struct{ expr, message string }{
		{"(4,8):(8,1", "column 11: expected ',' or ')', found the end of the text [parse]"},
		{"size((4,8):(8,x))", `column 15: expected a number, found 'x' [parse]`},
		{"composition((4,8):(8,1),<2,4)", "column 29: expected ',' or '>', found ')' [parse]"},
		{"size(compliment(4:1,8))", "column 6: unknown function compliment; did you mean complement? [argument]"},
		{"frobnicate(4:1)", "column 1: unknown function frobnicate [argument]"},
		{"size(complement(4:-1,8))", "column 6: complement: leaf 4:-1 of 4:-1 overlaps the 1 indices below it " +
			"[not_injective]"},
		{"upcast(4:1)", "column 11: argument n is missing; the form is upcast(layout, n) layout [argument]"},
		{"size(4:1,2)", "column 10: too many arguments; the form is size(layout) int [argument]"},
		{"size(congruent(2,2))", "column 6: this is of type bool; layout is wanted [argument]"},
		{"size((2,3):(1,2)) 4", "column 19: expected the end, found '4' [parse]"},
		{"[2,3):(1,2)", "column 5: expected ',' or ']', found ')' [parse]"},
		{"size(99999999999999999999:1)", "column 6: number 99999999999999999999 does not fit int64 [parse]"},
		{"size((2,3):1)", "column 6: shape (2,3) and stride 1 nest differently [congruent]"},
		{"make_layout((2,3),up)", "column 1: make_layout: strides are left or right, not up [argument]"},
		{"Sw<3,0,2>", "column 1: Sw<3,0,2>: bits and base are at least 0 and the shift at least the bits [extent]"},
		{"", "column 1: expected a number, found the end of the text [parse]"},
	} {
		_, err := Eval(c.expr)
		require.Error(t, err, c.expr)
		assert.Equal(t, c.message, err.Error(), c.expr)
	}
}

func TestEval(t *testing.T) {
	for expr, want := range map[string]string{
		" ( 2 , 3 , ) ":                                "(2,3):(1,2)",
		"Sw<3,0,3>":                                    "Sw<3,0,3>",
		"Sw<3,0,3> o 8 o (8,8)":                        "Sw<3,0,3> o 8 o (8,8):(1,8)",
		"(4,3):(1,100)o0o(3,2):(1,3)":                  "(4,3):(1,100) o 0 o (3,2):(1,3)",
		"crd2idx((4,3):(1,100)o0o(3,2):(1,3),5)":       "101",
		"crd2idx(Sw<3,0,3> o 0 o (8,8),(1,2))":         "19",
		"slice(Sw<3,0,3> o 8 o (8,8),(1,_))":           "Sw<3,0,3> o 9 o (8):(8)",
		"slice(Sw<3,0,3> o 0 o (8,8),(1,2))":           "19",
		"slice((8,8),(1,2))":                           "17",
		"composition(Sw<3,0,3> o 0 o (8,8),<_,2>)":     "Sw<3,0,3> o 0 o (8,2):(1,8)",
		"size(coalesce(Sw<3,0,3> o 0 o (8,8)))":        "64",
		"composition(complement(2:4,64),<>)":           "",
		"logical_divide(16,complement(2:1,8))":         "(4,(2,2)):(2,(1,8))",
		"logical_divide((16,4),<complement(2:1,8),_>)": "((4,(2,2)),4):((2,(1,8)),16)",
		"ordered_layout((2,3,4),(2,0,1))":              "(2,3,4):(12,1,3)",
		"ordered_layout(((2,3),4),(1,0))":              "((2,3),4):((4,8),1)",
		"range((2,4):(-1,3))":                          "(-1,9)",
		"injective((4,4):(1,2))":                       "no",
		"bijective((4,4):(4,1))":                       "yes",
		"compact((2,3,4,2):(100,0,-7,1))":              "(2,3,4,2):(8,0,2,1)",
		"sort((2,3,4):(100,0,7))":                      "(3,4,2):(0,7,100)",
		"group((2,3,4),1,3)":                           "(2,(3,4)):(1,(2,6))",
		"take((2,3,4),1,3)":                            "(3,4):(2,6)",
		"select((2,3,4),2,0)":                          "(4,2):(6,1)",
		"get((2,(3,4)),1,0)":                           "3:2",
		"append(2:1,3)":                                "(2,1,1):(1,0,0)",
		"prepend((2,3),3)":                             "(1,2,3):(0,1,2)",
		"replace((2,3),1,7:0)":                         "(2,7):(1,0)",
		"reverse((2,(3,4)))":                           "((3,4),2):((2,6),1)",
		"flatten((2,(3,4)))":                           "(2,3,4):(1,2,6)",
		"concat(3:1)":                                  "(3):(1)",
		"concat(3:1,(2,2))":                            "(3,(2,2)):(1,(1,2))",
		"preimage(9,(4,8):(8,1))":                      "(1,1)",
		"equivalent((2,4):(1,2),8:1)":                  "true",
		"shape((2,4):(4,1))":                           "(2,4)",
		"stride((2,4):(4,1))":                          "(4,1)",
		"complement(4:2,(4,8))":                        "(2,4):(1,8)",
		"idx2crd(shape(7),(4,8))":                      "(3,1)",
		"size(slice((4,8),(_,0)))":                     "4",
	} {
		v, err := Eval(expr)
		if want == "" {
			require.Error(t, err, expr)
			continue
		}
		require.NoError(t, err, expr)
		assert.Equal(t, want, v.String(), expr)
	}
}

func TestFunctionsTable(t *testing.T) {
	names := map[string]bool{}
	for _, f := range Functions() {
		require.False(t, names[f.Name], "%s twice", f.Name)
		names[f.Name] = true
		require.NotEmpty(t, f.Doc)
		require.NotEmpty(t, f.Params)
		require.NotEmpty(t, f.Result)
		_, err := Eval(f.Name + "()")
		require.ErrorIs(t, err, map[bool]Kind{true: ErrEmpty, false: ErrArgument}[f.Name == "concat"], "%s of nothing",
			f.Name)
	}
	assert.Equal(t, "coalesce(layout[, profile]) layout", lookup("coalesce").Signature())
	assert.Equal(t, "concat(layout...) layout", lookup("concat").Signature())
}

// TestOverflow: every sum and product that leaves int64 is an error, on the inside and at the edge.
func TestOverflow(t *testing.T) {
	for _, expr := range []string{
		"size((4294967296,2147483648):(0,0))",
		"make_layout((4294967296,4294967296,2))",
		"cosize((3,3):(4611686018427387904,1))",
		"cosize(2:-9223372036854775808)",
		"crd2idx(4:4611686018427387904,3)",
		"crd2idx((2,2):(9223372036854775807,1),(1,1))",
		"coalesce((4294967296,4294967296):(1,4294967296))",
		"composition(4:4611686018427387904,4:2)",
		"composition(4:1,4:4611686018427387904)",
		"composition(4:1,(2,2):(-9223372036854775808,0))",
		"complement(4:4611686018427387904,1)",
		"right_inverse((4294967296,4294967296):(1,4294967296))",
		"left_inverse((4294967296,4294967296):(4294967296,0))",
		"nullspace((4294967296,4294967296):(0,0))",
		"logical_product((4294967296,1073741824),4294967296)",
		"downcast(4611686018427387904:1,2)",
		"downcast((2,2):(1,4611686018427387904),2)",
		"idx2crd(3,(4294967296,4294967296))",
		"compact((4294967296,4294967296,2):(1,2,3))",
		"crd2idx(Sw<1,0,1> o 9223372036854775807 o 2:1,1)",
		"Sw<30,30,30>",
	} {
		_, err := Eval(expr)
		assert.ErrorIs(t, err, ErrOverflow, expr)
	}
	for expr, want := range map[string]string{
		"size((4294967296,2147483647):(0,0))":                "9223372032559808512",
		"crd2idx(2:-9223372036854775808,1)":                  "-9223372036854775808",
		"crd2idx(9223372036854775807:1,9223372036854775806)": "9223372036854775806",
		"cosize(9223372036854775807:1)":                      "9223372036854775807",
		"coalesce((4294967296,2147483647):(1,4294967296))":   "9223372032559808512:1",
	} {
		v, err := Eval(expr)
		require.NoError(t, err, expr)
		assert.Equal(t, want, v.String(), expr)
	}
}

// TestHostile: deep, long and repeated input ends in an error soon.
func TestHostile(t *testing.T) {
	deep := func(open, mid, shut string, n int) string {
		return strings.Repeat(open, n) + mid + strings.Repeat(shut, n)
	}
	flat := "(" + strings.Repeat("2,", 4100) + "2)"
	grow := "(2,2,2,2,2,2,2,2,2,2):(1,2,4,8,16,32,64,128,256,512)"
	for range 40 {
		grow = "logical_product(" + grow + ",<(2,2,2,2):(0,0,0,0)>)"
	}
	var bomb strings.Builder
	bomb.WriteString("concat(")
	for bomb.Len() < MaxText-100 {
		bomb.WriteString("composition((2,2,2,2,2,2,2,2,2,2):(1,3,9,27,81,243,729,2187,6561,19683),1024:1),")
	}
	for name, expr := range map[string]string{
		"parentheses": deep("(", "2", ")", 1e4),
		"angles":      "composition(4:1," + deep("<", "2", ">", 1e4) + ")",
		"calls":       deep("coalesce(", "2", ")", 1e3),
		"leaves":      flat,
		"text":        strings.Repeat("size(", MaxText),
		"unclosed":    strings.Repeat("(", 1e4),
		"growth":      grow,
		"many calls":  bomb.String() + "2:1)",
		"digits":      strings.Repeat("9", 6e4) + ":1",
		"pads":        "append(2:1,9223372036854775807)",
	} {
		start := time.Now()
		_, err := Eval(expr)
		var e *Error
		require.ErrorAs(t, err, &e, name)
		assert.Contains(t, []Kind{ErrLimit, ErrParse, ErrOverflow}, e.Kind, name)
		assert.Less(t, time.Since(start), 5*time.Second, name)
		assert.Less(t, len(err.Error()), 1000, name)
	}
	_, err := New(IntTuple{list: make([]IntTuple, 5000)}, IntTuple{list: make([]IntTuple, 5000)})
	require.Error(t, err)
	_, err = ParseTuple(flat)
	require.ErrorIs(t, err, ErrLimit)
}

// TestNoPanic calls the API with what only a program, not a text, can make.
func TestNoPanic(t *testing.T) {
	var zero Layout
	assert.True(t, zero.IsZero())
	assert.Empty(t, zero.String())
	_, err := Concat(zero)
	require.ErrorIs(t, err, ErrEmpty)
	_, err = Concat()
	require.ErrorIs(t, err, ErrEmpty)
	_, err = Get(unit, 1)
	require.ErrorIs(t, err, ErrRank)
	_, err = Get(unit, -1)
	require.ErrorIs(t, err, ErrRank)
	_, err = unit.Index()
	require.ErrorIs(t, err, ErrRank)
	_, err = New(Underscore(), Int(1))
	require.ErrorIs(t, err, ErrExtent)
	_, err = New(Int(2), Underscore())
	require.ErrorIs(t, err, ErrCongruent)
	_, err = leafLayout(2, 1).Apply(Underscore())
	require.ErrorIs(t, err, ErrRank)
	_, err = Preimage(5, leafLayout(4, 0))
	require.ErrorIs(t, err, ErrRange)
	_, err = Preimage(3, listLayout([]Layout{leafLayout(4, 1), leafLayout(2, 2)}))
	require.ErrorIs(t, err, ErrNotInjective)
	_, err = Preimage(4, listLayout([]Layout{leafLayout(3, 2), leafLayout(3, 3)}))
	require.ErrorIs(t, err, ErrNotInjective)
	_, err = NewSwizzle(1, 0, math.MinInt64)
	require.ErrorIs(t, err, ErrExtent)
	_, err = Dice(Underscore(), unit)
	require.ErrorIs(t, err, ErrEmpty)
}

// A swizzle is an involution and a bijection on blocks.
func TestSwizzle(t *testing.T) {
	for bits := range int64(4) {
		for base := range int64(3) {
			for _, shift := range []int64{bits, bits + 1, -bits, -bits - 2} {
				s, err := NewSwizzle(bits, base, shift)
				require.NoError(t, err)
				dist, _ := abs(shift)
				block := int64(1) << (bits + base + dist)
				for x := range 2 * block {
					y, _ := s.At(x)
					back, _ := s.At(y)
					require.Equal(t, x, back, "%s", s)
					require.Equal(t, x/block, y/block, "%s", s)
				}
			}
		}
	}
}

// TestTilerText: tilers print as they read, and a shape is the list of its entries.
func TestTilerText(t *testing.T) {
	for text, want := range map[string]string{
		"<3:4, (2,4):(1,8)>": "<3:4,(2,4):(1,8)>",
		"<_,<8,_>,4:2>":      "<_,<8:1,_>,4:2>",
		"(3,(8,2))":          "<3:1,<8:1,2:1>>",
		"128":                "128:1",
		"_":                  "_",
		"_4":                 "4:1",
	} {
		tiler, err := ParseTiler(text)
		require.NoError(t, err, text)
		assert.Equal(t, want, tiler.String())
		again, err := ParseTiler(want)
		require.NoError(t, err)
		assert.Equal(t, want, again.String())
	}
	for _, text := range []string{"", "<>", "<3,>", "<3", "(3,0)", "<(2,3):1>", "3>"} {
		_, err := ParseTiler(text)
		require.Error(t, err, text)
	}
}

// TestCoordText: an underscore is a coordinate, `_4` is the integer 4, and only coordinates have underscores.
func TestCoordText(t *testing.T) {
	c, err := ParseCoord("( _ ,(_4,-1, _),)")
	require.NoError(t, err)
	assert.Equal(t, "(_,(4,-1,_))", c.String())
	_, err = ParseTuple("(_,1)")
	require.ErrorIs(t, err, ErrParse)
	_, err = ParseComposed("Sw<1,2,3> o 4")
	require.ErrorIs(t, err, ErrParse)
	composed, err := ParseComposed("Sw<1,0,1>o 3 o(2,2)")
	require.NoError(t, err)
	flat, err := composed.On(Coalesce)
	require.NoError(t, err)
	assert.Equal(t, "Sw<1,0,1> o 3 o 4:1", flat.String())
	part, err := composed.Slice(Tuple(Int(1), Underscore()))
	require.NoError(t, err)
	assert.Equal(t, "Sw<1,0,1> o 4 o (2):(2)", part.String())
	s, err := ParseSwizzle("Sw<2,1,-3>")
	require.NoError(t, err)
	assert.Equal(t, Swizzle{2, 1, -3}, s)
}

// TestValues: what programs build without text.
func TestValues(t *testing.T) {
	shape := Tuple(Int(3), Ints(2, 3))
	assert.Equal(t, 2, shape.Depth())
	assert.True(t, shape.Equal(Tuple(Int(3), Tuple(Int(2), Int(3)))))
	assert.False(t, shape.Equal(Ints(3, 2, 3)))
	assert.False(t, Int(7).Equal(Tuple(Int(7))))
	assert.True(t, Underscore().IsUnderscore())
	assert.Equal(t, int64(3), shape.Entry(1).Entry(1).Value())
	n, err := Crd2Idx(Ints(1, 5), shape, Tuple(Int(3), Ints(12, 1)))
	require.NoError(t, err)
	assert.Equal(t, int64(17), n)
	_, err = Crd2Idx(Ints(1, 5), shape, Int(1))
	require.ErrorIs(t, err, ErrCongruent)
	require.NoError(t, InRange(Ints(2, 5), shape))
	require.ErrorIs(t, InRange(Ints(2, 6), shape), ErrRange)
	require.ErrorIs(t, InRange(Ints(2, -1), shape), ErrRange)
	require.ErrorIs(t, InRange(Ints(2, 1, 0), shape), ErrRank)
	tiler := TileModes(TileBy(leafLayout(4, 2)), Keep())
	assert.Equal(t, "<4:2,_>", tiler.String())
	_, ok := tiler.Layout()
	assert.False(t, ok)
	l, ok := TileBy(leafLayout(4, 2)).Layout()
	assert.True(t, ok)
	extent, stride := l.Leaf()
	assert.Equal(t, []int64{4, 2}, []int64{extent, stride})
	_, err = Compose(leafLayout(4, 1), tiler)
	require.ErrorIs(t, err, ErrRank)
	assert.Equal(t, Unknown, Injective(listLayout([]Layout{leafLayout(1<<20, 3), leafLayout(1<<20, 2)})))
	assert.Equal(t, Yes, Injective(listLayout([]Layout{leafLayout(3, 2), leafLayout(2, 3)})))
}
