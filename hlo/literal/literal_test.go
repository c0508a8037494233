package literal_test

import (
	"errors"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"hlolayout/hlo"
	"hlolayout/hlo/literal"
)

func parse(t *testing.T, of, text string) *literal.Literal {
	t.Helper()
	l, err := literal.Parse(shape(t, of), text)
	require.NoError(t, err, "%s %s", of, text)
	return l
}

func TestElements(t *testing.T) {
	l := parse(t, "s4[2,2]", "{{-8, 7}, {-1, 0}}")
	require.Equal(t, 4, l.Len())
	bits, _ := l.Bits(0)
	assert.Equal(t, uint64(8), bits)
	v, ok := l.Int64(0)
	assert.True(t, ok)
	assert.Equal(t, int64(-8), v)
	assert.Equal(t, -1.0, l.Float64(2))
	assert.Equal(t, "7", l.At(1).String())
	assert.Panics(t, func() { l.At(4) })

	c := parse(t, "c64[2]", "{(1, -0.5), (3, 0)}")
	assert.Equal(t, complex(1, -0.5), c.At(0).Complex128())
	assert.Equal(t, "(1, -0.5)", c.At(0).String())
	assert.Equal(t, 1.0, c.Float64(0))
	_, ok = c.Int64(0)
	assert.False(t, ok, "it has an imaginary part")
	v, ok = c.Int64(1)
	assert.True(t, ok)
	assert.Equal(t, int64(3), v)

	for _, x := range []struct {
		shape, text string
		value       int64
		ok          bool
	}{
		{"pred[]", "7", 1, true},
		{"u64[]", "18446744073709551615", -1, false},
		{"u32[]", "4294967295", 4294967295, true},
		{"f32[]", "-3", -3, true},
		{"f32[]", "0.5", 0, false},
		{"f32[]", "1e30", 0, false},
		{"f64[]", "nan", 0, false},
		{"f8e4m3fn[]", "448", 448, true},
	} {
		v, ok := parse(t, x.shape, x.text).Int64(0)
		assert.Equal(t, x.ok, ok, x)
		assert.Equal(t, x.value, v, x)
	}
	assert.Equal(t, float64(1<<63)*2, parse(t, "u64[]", "-1").Float64(0))
	assert.True(t, math.IsNaN(parse(t, "f8e4m3fnuz[]", "inf").Float64(0)))
}

func TestTuples(t *testing.T) {
	l := parse(t, "(f32[], (s32[2], pred[2,2]))", "(1.5, ({1,2}, {{0,1},{1,0}}))")
	assert.Equal(t, "( 1.5, ( {1, 2}, { { 0, 1 }, { 1, 0 } } ) )", l.String())
	assert.Zero(t, l.Len())
	require.Len(t, l.Parts(), 2)
	assert.Equal(t, 1.5, l.Parts()[0].Float64(0))
	assert.False(t, l.Elided())

	some := parse(t, "(f32[], s32[3])", "(1, {...})")
	assert.True(t, some.Elided())
	assert.False(t, some.Parts()[0].Elided())
	assert.Equal(t, "( 1, {...} )", some.String())

	one, err := literal.FromInts(shape(t, "s32[2]"), []int64{1, 2})
	require.NoError(t, err)
	two := literal.Tuple(one, literal.Elide(shape(t, "f32[9]")))
	assert.Equal(t, "( {1, 2}, {...} )", two.String())
	assert.Equal(t, "(s32[2], f32[9])", two.Shape().String())
}

// TestBuild makes constants from values: what they print reads back as the same.
func TestBuild(t *testing.T) {
	ints := func(of string, v ...int64) (*literal.Literal, error) { return literal.FromInts(shape(t, of), v) }
	floats := func(of string, v ...float64) (*literal.Literal, error) { return literal.FromFloats(shape(t, of), v) }
	complexes := func(of string, v ...complex128) (*literal.Literal, error) {
		return literal.FromComplexes(shape(t, of), v)
	}
	bits := func(of string, v ...uint64) (*literal.Literal, error) { return literal.FromBits(shape(t, of), v) }
	good := func(l *literal.Literal, err error) *literal.Literal {
		t.Helper()
		require.NoError(t, err)
		back, err := literal.Parse(l.Shape(), l.String())
		require.NoError(t, err)
		require.Equal(t, l.Len(), back.Len())
		for i := range l.Len() {
			assert.Equal(t, l.At(i), back.At(i))
		}
		return l
	}
	assert.Equal(t, "{ { 1, 2 }, { 3, 4 } }", good(ints("s32[2,2]", 1, 2, 3, 4)).String())
	assert.Equal(t, "{1, 0}", good(ints("pred[2]", 5, 0)).String())
	assert.Equal(t, "true", good(ints("pred[]", 5)).String())
	assert.Equal(t, "18446744073709551615", good(ints("u64[]", -1)).String())
	assert.Equal(t, "{(1, 0), (2, 0)}", good(ints("c64[2]", 1, 2)).String())
	assert.Equal(t, "0.1", good(floats("f32[]", 0.1)).String())
	assert.Equal(t, "{0.099976, inf, nan}", good(floats("f16[3]", 0.1, math.Inf(1), math.NaN())).String())
	assert.Equal(t, "(0.1, -2)", good(complexes("c128[]", complex(0.1, -2))).String())
	assert.Equal(t, "{nan(0x1), -nan}", good(bits("f32[2]", 0x7f800001, 0xffc00000)).String())
	assert.Equal(t, "{(1, nan)}", good(bits("c64[1]", 0x3f800000, 0x7fc00000)).String())
	assert.Equal(t, "{  }", good(floats("f32[0,3]")).String())
	assert.Equal(t, "1.5", string(literal.AppendElement(nil, hlo.BF16, 0x3fc0)))
	assert.Equal(t, "(1, 0)", string(literal.AppendElement(nil, hlo.C64, 0x3f800000)))
	assert.Empty(t, literal.AppendElement(nil, hlo.TokenType, 1))

	for _, x := range []struct {
		says string
		make func() (*literal.Literal, error)
	}{
		{"value 1: 128 is out of range for s8; s8 holds -128 to 127", func() (*literal.Literal, error) {
			return ints("s8[2]", 1, 128)
		}},
		{"value 0: 65520 is out of range for f16; f16 holds -65504 to 65504", func() (*literal.Literal, error) {
			return floats("f16[]", 65520)
		}},
		{"value 0: 0 is out of range for f8e8m0fnu; f8e8m0fnu holds 5.9e-39 to 1.7e+38",
			func() (*literal.Literal, error) { return floats("f8e8m0fnu[]", 0) }},
		{"value 0: 1.5 is not an integer; s32 takes integers only", func() (*literal.Literal, error) {
			return floats("s32[]", 1.5)
		}},
		{"value 0: f32 has no imaginary part; give real values", func() (*literal.Literal, error) {
			return complexes("f32[]", 1i)
		}},
		{"value 0: 16 is not a bit pattern of f4e2m1fn; at most 0xf", func() (*literal.Literal, error) {
			return bits("f4e2m1fn[]", 16)
		}},
		{"value 0: 2 is not a bit pattern of pred; at most 0x1", func() (*literal.Literal, error) {
			return bits("pred[]", 2)
		}},
		{"2 values do not make a constant s8[3]", func() (*literal.Literal, error) { return ints("s8[3]", 1, 2) }},
		{"1 values do not make a constant c64[]", func() (*literal.Literal, error) { return bits("c64[]", 1) }},
		{"token[] has no elements", func() (*literal.Literal, error) { return ints("token[]", 1) }},
		{"f32[1000000000000,0] has more than 16777216 empty rows", func() (*literal.Literal, error) {
			return floats("f32[1000000000000,0]")
		}},
	} {
		l, err := x.make()
		assert.EqualError(t, err, x.says)
		assert.Nil(t, l)
	}
}

func TestMessages(t *testing.T) {
	for _, x := range []struct{ shape, text, says string }{
		{"f32[]", "", "offset 0: the constant ends too early; expected a number such as 1, -0.5, 1e-05, inf, nan, or " +
			"a brace"},
		{"f32[]", "NaN", "offset 0: unexpected `NaN`; expected a number such as 1, -0.5, 1e-05, inf, nan, or a brace"},
		{"f32[]", "+1.5", "offset 0: unexpected `+1.5`; expected a number such as 1, -0.5, 1e-05, inf, nan, or a " +
			"brace"},
		{"f32[]", "1, 2", "offset 1: unexpected `,`; expected the end of the constant"},
		{"s32[]", "0x10", "offset 0: unexpected `0x10`; expected an integer or a brace"},
		{"s32[]", "1e3", "offset 0: 1e3 is not an integer; s32 takes integers only"},
		{"s32[]", "true", "offset 0: unexpected `true`; expected a number"},
		{"u64[]", "18446744073709551616", "offset 0: 18446744073709551616 does not fit into 64 bits; -2^63 to " +
			"2^64-1, or a decimal such as 1e20"},
		{"s4[2]", "{7, 8}", "offset 4: 8 is out of range for s4; s4 holds -8 to 7"},
		{"f64[]", "1e400", "offset 0: 1e400 is out of range for f64; f64 holds -1.7976931348623157e+308 to " +
			"1.7976931348623157e+308"},
		{"bf16[]", "nan(0x3ff)", "offset 0: the payload of nan(0x3ff) is too large for bf16; at most 0x7f"},
		{"f8e4m3fn[]", "nan(0x1)", "offset 0: f8e4m3fn has no NaN payloads; write nan"},
		{"s32[2]", "{1}", "offset 2: the shape has 2 elements in dimension 0, in these braces there are 1"},
		{"s32[2]", "{1, 2, 3}", "offset 7: the shape has 2 elements in dimension 0, in these braces there are more"},
		{"s32[2,2]", "{{1, 2}, {3}}", "offset 11: the shape has 2 elements in dimension 1, in these braces at [1] " +
			"there are 1"},
		{"s32[1,2]", "{{1, 2}, {3, 4}}", "offset 9: the shape has 1 row in dimension 0, in these braces there are " +
			"more"},
		{"s32[2,2]", "{1, 2}", "offset 1: an element inside 1 brace; the shape has 2 dimensions, so its elements " +
			"are inside as many braces"},
		{"s32[1]", "{{1}}", "offset 1: a brace too many; the shape has 1 dimension, so its elements are inside as " +
			"many braces"},
		{"s32[2,2]", "{{...},{1,2}}", "offset 2: `...` inside 2 braces; it must be the only entry, directly inside " +
			"the " +
			"outermost braces of an array"},
		{"s32[?]", "{1}", "offset 1: dimension 0 is unbounded; only {...} can stand for its elements"},
		{"s32[?]", "5", "offset 0: an element inside 0 braces; the shape has 1 dimension, so its elements are " +
			"inside as many braces"},
		{"s32[?]", ",", "offset 0: the shape has no number of elements that an array can have; only {...} can stand " +
			"for them"},
		{"c64[]", "1", "offset 0: unexpected `1`; expected a pair such as (1, 0.5)"},
		{"c64[]", "(1 2)", "offset 3: unexpected `2`; expected `,` after the real part"},
		{"f32[]", "(1, 2)", "offset 0: unexpected `(`; only complex elements and tuples have parentheses"},
		{"(f32[], s32[2])", "{...}", "offset 0: unexpected `{`; expected `(` before the parts of a tuple"},
		{"(f32[], s32[2])", "(1, {1, 2}, 3)", "offset 10: unexpected `,`; expected `)` after 2 parts of a tuple"},
		{"token[]", "1", "offset 0: a token[] has no values; only arrays and tuples of arrays can be constants"},
	} {
		_, err := literal.Parse(shape(t, x.shape), x.text)
		var e *literal.Error
		require.True(t, errors.As(err, &e), x)
		assert.EqualError(t, err, x.says, x.text)
	}
	_, err := literal.Parse(nil, "1")
	assert.EqualError(t, err, "offset 0: a constant needs a shape")
}

// TestLimits are texts and shapes made to hurt: each must end soon, with little memory, in an answer or an error.
func TestLimits(t *testing.T) {
	const million = 1_000_000
	deep := make([]int64, million)
	for i := range deep {
		deep[i] = 1
	}
	tuple := hlo.NewTuple()
	for range million {
		tuple = hlo.NewTuple(tuple)
	}
	open, closed := strings.Repeat("{", million), strings.Repeat("}", million)
	for _, x := range []struct {
		name  string
		shape *hlo.Shape
		text  string
		ok    bool
	}{
		{"braces", shape(t, "f32[2,2]"), open, false},
		{"closed braces", shape(t, "f32[2,2]"), open + closed, false},
		{"parentheses", shape(t, "(f32[])"), strings.Repeat("(", million), false},
		{"a deep tuple", tuple, strings.Repeat("(", million) + strings.Repeat(")", million), false},
		{"many dimensions", hlo.NewArray(hlo.S8, deep, nil), open + "7" + closed, true},
		{"elided", shape(t, "f32[1000000,1000000]"), "{...}", true},
		{"elided, beyond 64 bits", shape(t, "f32[1000000000000,1000000000000]"), "{...}", true},
		{"one for many", shape(t, "f32[1000000,1000000]"), "0.5", true},
		{"one for more", shape(t, "f32[1000000000000,1000000000000]"), "0.5", false},
		{"none for many", shape(t, "c128[1000000,1000000]"), ",", true},
		{"empty rows", shape(t, "f32[1000000000000,0]"), ",", true},
		{"a comment", shape(t, "f32[]"), "/*" + strings.Repeat("*", million), false},
		{"digits", shape(t, "f32[]"), "0." + strings.Repeat("1", million), true},
		{"an exponent", shape(t, "f32[]"), "1e" + strings.Repeat("9", million), false},
		{"a payload", shape(t, "f32[]"), "nan(0x" + strings.Repeat("1", million) + ")", false},
		{"a word", shape(t, "f32[]"), strings.Repeat("a", million), false},
	} {
		t.Run(x.name, func(t *testing.T) {
			start := time.Now()
			l, err := literal.Parse(x.shape, x.text)
			if x.ok {
				require.NoError(t, err)
				assert.LessOrEqual(t, len(l.AppendText(nil)), 20*million+100)
			} else {
				require.Error(t, err)
				assert.Less(t, len(err.Error()), 300)
			}
			assert.Less(t, time.Since(start), 10*time.Second)
		})
	}
	// What stands for many elements has them all, and prints as it was written.
	l := parse(t, "f32[1000000,1000000]", "0.5")
	assert.Equal(t, million*million, l.Len())
	assert.Equal(t, 0.5, l.Float64(0))
	assert.Equal(t, 0.0, l.Float64(l.Len()-1))
	assert.Equal(t, "0.5", l.String())
	assert.Equal(t, ",", parse(t, "c128[1000000,1000000]", ",").String())
}

// TestAllocations: a few for a literal of any size, none for printing into room.
func TestAllocations(t *testing.T) {
	const n = 100_000
	text := "{" + strings.Repeat("0.125, -3e-05, 7, ", n/3) + "1}"
	s := array(hlo.F32, n/3*3+1)
	l, err := literal.Parse(s, text)
	require.NoError(t, err)
	assert.LessOrEqual(t, testing.AllocsPerRun(3, func() { _, _ = literal.Parse(s, text) }), 5.0)
	room := make([]byte, 0, 2*len(text))
	assert.Zero(t, testing.AllocsPerRun(3, func() { l.AppendText(room) }))
}

// FuzzParse: no input panics, an error is inside the text, and what is printed reads back and prints as the same, but
// for the first print of negative zeros and of the smallest f8e8m0fnu. A c64 with the largest f32 does not read back.
func FuzzParse(f *testing.F) {
	of := []string{"f32[2]", "s32[2,1]", "c64[]", "pred[2]", "(f32[], s32[2])", "f8e8m0fnu[]", "u4[3]", "f16[1,1,1,1]",
		"f8e4m3b11fnuz[0,2]", "f4e2m1fn[2]", "f64[]", "c128[1]", "((), bf16[])", "s64[<=2]", "b(s1[1])", "f32[?]"}
	for i, text := range []string{"{-0.0, nan(0x1)}", "{{1},{2}}", "(1, -inf)", "{true 0}", "(1, {...})", "5.8e-39",
		"5",
		"{{{{/*c*/1e-3}}}}", "{}", "{6, nan}", "1e-320", "{(nan, 1)}", "((), 3.39e+38)", "{1, 18446744073709551615}",
		"{-1}", "{...}"} {
		f.Add(byte(i), text)
	}
	f.Fuzz(func(t *testing.T, i byte, text string) {
		s := shape(t, of[int(i)%len(of)])
		l, err := literal.Parse(s, text)
		if err != nil {
			var e *literal.Error
			require.True(t, errors.As(err, &e))
			require.LessOrEqual(t, e.Offset, len(text))
			return
		}
		first := l.String()
		again, err := literal.Parse(l.Shape(), first)
		if s.DType == hlo.C64 && err != nil {
			require.Contains(t, first, "3.40282347e+38")
			return
		}
		require.NoError(t, err, first)
		second, err := literal.Parse(l.Shape(), again.String())
		require.NoError(t, err, first)
		require.Equal(t, again.String(), second.String())
	})
}

func BenchmarkParse(b *testing.B) {
	for _, x := range benchmarks() {
		b.Run(x.name, func(b *testing.B) {
			b.SetBytes(int64(len(x.text)))
			b.ReportAllocs()
			for b.Loop() {
				if _, err := literal.Parse(x.shape, x.text); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkAppendText(b *testing.B) {
	for _, x := range benchmarks() {
		l, err := literal.Parse(x.shape, x.text)
		if err != nil {
			b.Fatal(err)
		}
		b.Run(x.name, func(b *testing.B) {
			dst := l.AppendText(nil)
			b.SetBytes(int64(len(dst)))
			b.ReportAllocs()
			for b.Loop() {
				dst = l.AppendText(dst[:0])
			}
		})
	}
}

type benchmark struct {
	name, text string
	shape      *hlo.Shape
}

// benchmarks are constants of a quarter of a million elements.
func benchmarks() (list []benchmark) {
	const rows, cols = 512, 512
	for _, d := range []hlo.DType{hlo.Pred, hlo.S32, hlo.F32, hlo.F64, hlo.BF16, hlo.F8E4M3FN, hlo.C64} {
		s := hlo.NewArray(d, []int64{rows, cols}, nil)
		values := make([]int64, rows*cols)
		decimals := make([]float64, len(values))
		for i := range values {
			values[i] = int64(i % 100)
			decimals[i] = math.Sin(float64(i))
		}
		l, err := literal.FromFloats(s, decimals)
		if err != nil {
			l, err = literal.FromInts(s, values)
		}
		if err != nil {
			panic(err)
		}
		list = append(list, benchmark{d.String(), l.String(), s})
	}
	return list
}
