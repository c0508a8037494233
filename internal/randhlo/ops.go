package randhlo

import (
	"fmt"
	"slices"
	"strings"

	"hlolayout/hlo"
)

// op adds one operation to a computation; it adds nothing where the computation has no operands for it.
type op struct {
	feature  Feature
	weight   int
	make     func(*comp)
	inFusion bool // fusions may hold it
	nests    bool // it calls computations of more than scalars
}

// ops is a function because the operations that nest refer to it.
func ops() []op {
	return []op{
		{0, 4, unary, true, false}, {0, 6, binary, true, false}, {0, 1, choice, true, false},
		{0, 2, convert, true, false}, {0, 1, complexNumbers, true, false},
		{Shapes, 3, broadcast, true, false}, {Shapes, 4, transpose, true, false}, {Shapes, 4, reshape, true, false},
		{Shapes, 2, slice, true, false},
		{Shapes, 2, pad, true, false}, {Shapes, 2, concatenate, true, false}, {Shapes, 1, reverse, true, false},
		{Shapes, 1, bitcastConvert, true, false},
		{Dots, 4, dot, false, false}, {Convolutions, 3, convolution, false, false},
		{Reduces, 4, reduce, false, false}, {Reduces, 1, reducePair, false, false},
		{Reduces, 1, reduceWindow, false, false},
		{Sorts, 2, sort, false, false}, {Gathers, 2, gather, false, false}, {Gathers, 2, scatter, false, false},
		{DynamicSlices, 2, dynamicSlice, false, false}, {DynamicSlices, 2, dynamicUpdateSlice, false, false},
		{Loops, 2, loop, false, true}, {Conditionals, 2, conditional, false, true}, {Calls, 2, call, false, true},
		{Fusions, 2, fusion, false, true},
		{Tuples, 2, tuples, false, false}, {Collectives, 2, collective, false, false},
		{CustomCalls, 2, customCall, false, false},
	}
}

func anything(*hlo.Shape) bool      { return true }
func isArray(s *hlo.Shape) bool     { return s.Rank() > 0 }
func isNumber(s *hlo.Shape) bool    { return isReal(s.DType) }
func isFullArray(s *hlo.Shape) bool { return s.Rank() > 0 && elements(s.Dims) > 0 }

func isReal(d hlo.DType) bool {
	return d.Class() == hlo.ClassFloat || d.Class() == hlo.ClassSigned || d.Class() == hlo.ClassUnsigned
}

// The opcodes of one and two operands that keep the type, by the class of the type.
var (
	unaries = map[hlo.DTypeClass][]string{
		hlo.ClassFloat: strings.Fields("negate abs exponential tanh sqrt rsqrt log floor ceil cosine sine " +
			"logistic sign exponential-minus-one log-plus-one round-nearest-even cbrt"),
		hlo.ClassSigned:   strings.Fields("negate abs not sign popcnt count-leading-zeros"),
		hlo.ClassUnsigned: strings.Fields("not popcnt count-leading-zeros"),
		hlo.ClassPred:     {"not"},
		hlo.ClassComplex:  {"negate", "exponential"},
	}
	binaries = map[hlo.DTypeClass][]string{
		hlo.ClassFloat: strings.Fields("add subtract multiply divide maximum minimum power remainder atan2"),
		hlo.ClassSigned: strings.Fields("add subtract multiply divide maximum minimum and or xor shift-left " +
			"shift-right-arithmetic"),
		hlo.ClassUnsigned: strings.Fields("add subtract multiply divide maximum minimum and or xor shift-left " +
			"shift-right-logical"),
		hlo.ClassPred:    strings.Fields("and or xor"),
		hlo.ClassComplex: strings.Fields("add subtract multiply"),
	}
	// associative are the operations to reduce with.
	associative = map[hlo.DTypeClass][]string{
		hlo.ClassFloat: {"add", "maximum"}, hlo.ClassSigned: {"add", "minimum"}, hlo.ClassUnsigned: {"add", "maximum"},
		hlo.ClassPred:    {"or", "and"},
		hlo.ClassComplex: {"add"},
	}
)

func unary(c *comp) {
	v := c.choose(anything)
	c.instruction(v.shape, pick(c.gen, unaries[v.shape.DType.Class()]...), []*value{v})
}

func binary(c *comp) {
	v := c.choose(anything)
	opcode := pick(c.gen, binaries[v.shape.DType.Class()]...)
	c.instruction(v.shape, opcode, []*value{v, c.like(v, v.shape.DType)})
}

func choice(c *comp) {
	a := c.choose(anything)
	b := c.like(a, a.shape.DType)
	if isNumber(a.shape) && c.int(0, 2) == 0 {
		c.instruction(a.shape, "clamp", []*value{b, a, b})
		return
	}
	p := c.choose(func(s *hlo.Shape) bool { return s.DType == hlo.Pred && slices.Equal(s.Dims, a.shape.Dims) })
	if p == nil {
		direction := "EQ"
		if isNumber(a.shape) {
			direction = pick(c.gen, "LT", "GE", "NE")
		}
		p = c.instruction(array(hlo.Pred, a.shape.Dims...), "compare", []*value{a, b}, "direction="+direction)
	}
	c.instruction(a.shape, "select", []*value{p, a, b})
}

func convert(c *comp) {
	v := c.choose(func(s *hlo.Shape) bool { return s.DType.Class() != hlo.ClassComplex })
	if v == nil {
		return
	}
	to := pick(c.gen, c.o.DTypes...)
	if to.Class() == hlo.ClassComplex || to == v.shape.DType {
		to = hlo.F32
	}
	if to != v.shape.DType {
		c.instruction(array(to, v.shape.Dims...), "convert", []*value{v})
	}
}

func complexNumbers(c *comp) {
	v := c.choose(func(s *hlo.Shape) bool { return s.DType == hlo.C64 || s.DType == hlo.F32 })
	switch {
	case v == nil || !slices.Contains(c.o.DTypes, hlo.C64):
	case v.shape.DType == hlo.F32:
		c.instruction(array(hlo.C64, v.shape.Dims...), "complex", []*value{v, c.like(v, hlo.F32)})
	default:
		c.instruction(array(hlo.F32, v.shape.Dims...), pick(c.gen, "real", "imag"), []*value{v})
	}
}

func broadcast(c *comp) {
	v := c.choose(func(s *hlo.Shape) bool { return s.Rank() < c.o.MaxRank })
	if v == nil {
		return
	}
	rank := c.int(v.shape.Rank()+1, c.o.MaxRank)
	dims := make([]int64, rank)
	keep := slices.Sorted(slices.Values(c.permutation(rank)[:v.shape.Rank()]))
	for i, d := range keep {
		dims[d] = v.shape.Dims[i]
	}
	n := max(1, elements(v.shape.Dims))
	for d := range dims {
		if !slices.Contains(keep, d) {
			dims[d] = c.size(n)
			n *= dims[d]
		}
	}
	c.instruction(array(v.shape.DType, dims...), "broadcast", []*value{v}, "dimensions="+list(keep))
}

func transpose(c *comp) {
	v := c.choose(isArray)
	if v == nil {
		return
	}
	order := c.permutation(v.shape.Rank())
	dims := make([]int64, len(order))
	for i, d := range order {
		dims[i] = v.shape.Dims[d]
	}
	c.instruction(array(v.shape.DType, dims...), "transpose", []*value{v}, "dimensions="+list(order))
}

// reshape splits a dimension, joins two neighbours, adds one of size 1, or drops one.
func reshape(c *comp) {
	v := c.choose(anything)
	dims := slices.Clone(v.shape.Dims)
	for range c.int(1, 3) {
		at := c.int(0, len(dims))
		switch {
		case at == len(dims) || dims[at] == 0:
			if len(dims) < c.o.MaxRank {
				dims = slices.Insert(dims, at, 1)
			}
		case dims[at] == 1 && c.bool():
			dims = slices.Delete(dims, at, at+1)
		case at+1 < len(dims) && c.bool():
			dims[at] *= dims[at+1]
			dims = slices.Delete(dims, at+1, at+2)
		case len(dims) < c.o.MaxRank:
			by := pick(c.gen, int64(2), 3, 4, 8, 128)
			if dims[at]%by == 0 {
				dims[at] /= by
				dims = slices.Insert(dims, at+c.int(0, 1), by)
			}
		}
	}
	if !slices.Equal(dims, v.shape.Dims) {
		c.instruction(array(v.shape.DType, dims...), "reshape", []*value{v})
	}
}

// part draws a slice of dims that is not empty, as text and sizes.
func (c *comp) part(dims []int64) (text string, out []int64) {
	var words []string
	for _, d := range dims {
		from, to, step := 0, int(d), 1
		if c.bool() {
			from = c.int(0, to-1)
			to = c.int(from+1, to)
			step = c.int(1, 3)
		}
		words = append(words, fmt.Sprintf("[%d:%d:%d]", from, to, step))
		out = append(out, int64((to-from+step-1)/step))
	}
	return "{" + strings.ReplaceAll(strings.Join(words, ", "), ":1]", "]") + "}", out
}

func slice(c *comp) {
	if v := c.choose(isFullArray); v != nil {
		text, dims := c.part(v.shape.Dims)
		c.instruction(array(v.shape.DType, dims...), "slice", []*value{v}, "slice="+text)
	}
}

func pad(c *comp) {
	v := c.choose(isFullArray)
	if v == nil {
		return
	}
	var words []string
	var dims []int64
	for _, d := range v.shape.Dims {
		lo, hi, inner := c.int(0, 3), c.int(0, 3), 0
		if c.int(0, 4) == 0 {
			inner = 1
		}
		word := fmt.Sprintf("%d_%d", lo, hi)
		if inner > 0 {
			word += "_1"
		}
		words = append(words, word)
		dims = append(dims, d+int64(lo+hi)+(d-1)*int64(inner))
	}
	if elements(dims) <= maxElements {
		c.instruction(array(v.shape.DType, dims...), "pad", []*value{v, c.constant(v.shape.DType, "0")}, "padding="+
			strings.Join(words, "x"))
	}
}

func concatenate(c *comp) {
	v := c.choose(isArray)
	if v == nil {
		return
	}
	at := c.int(0, v.shape.Rank()-1)
	operands := []*value{v}
	for range c.int(1, 3) {
		operands = append(operands, c.choose(func(s *hlo.Shape) bool { // v itself is one
			return s.DType == v.shape.DType && s.Rank() == v.shape.Rank() && slices.Equal(without(s.Dims, []int{at}),
				without(v.shape.Dims, []int{at}))
		}))
	}
	dims := slices.Clone(v.shape.Dims)
	for _, o := range operands[1:] {
		dims[at] += o.shape.Dims[at]
	}
	if elements(dims) <= maxElements {
		c.instruction(array(v.shape.DType, dims...), "concatenate", operands, fmt.Sprintf("dimensions={%d}", at))
	}
}

func reverse(c *comp) {
	if v := c.choose(isArray); v != nil {
		c.instruction(v.shape, "reverse", []*value{v}, "dimensions="+list(c.subset(v.shape.Rank())))
	}
}

// sameWidth pairs types whose elements are as wide as each other's.
var sameWidth = map[hlo.DType]hlo.DType{hlo.F32: hlo.S32, hlo.S32: hlo.F32, hlo.U32: hlo.F32, hlo.U8: hlo.S8,
	hlo.S8: hlo.U8}

func bitcastConvert(c *comp) {
	if v := c.choose(func(s *hlo.Shape) bool { return sameWidth[s.DType] != 0 }); v != nil {
		c.instruction(array(sameWidth[v.shape.DType], v.shape.Dims...), "bitcast-convert", []*value{v})
	}
}
