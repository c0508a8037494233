package folding

import (
	"slices"
	"strings"

	"hlolayout/hlo"
)

// halves are the real and the imaginary part of a complex array.
type halves [2]*hlo.Instruction

// partwise is the table of the operations on complex arrays that become operations on their parts. The compiler leaves
// none of any kind; those that are not here keep a complex result.
var partwise map[hlo.Opcode]func(w *simplifier, in *hlo.Instruction) (halves, bool)

func init() { // the functions refer to rules by way of simplifier
	partwise = map[hlo.Opcode]func(w *simplifier, in *hlo.Instruction) (halves, bool){
		hlo.OpConstant: splitConstant, hlo.OpConvert: splitConvert, hlo.OpMultiply: splitMultiply, hlo.OpDot: splitDot,
		hlo.OpDivide: splitDivide, hlo.OpReduce: splitSum, hlo.OpReduceWindow: splitSum,
	}
	for _, op := range []hlo.Opcode{hlo.OpAdd, hlo.OpSubtract, hlo.OpNegate, hlo.OpSelect, hlo.OpTranspose, hlo.OpReshape,
		hlo.OpSlice, hlo.OpDynamicSlice, hlo.OpDynamicUpdateSlice, hlo.OpPad, hlo.OpBroadcast, hlo.OpReverse,
		hlo.OpConcatenate, hlo.OpCopy} {
		partwise[op] = splitEach
	}
}

// splitComplex computes the parts of a complex array apart.
func splitComplex(w *simplifier, in *hlo.Instruction) *hlo.Instruction {
	if !in.Shape.IsArray() || in.Shape.DType != hlo.C64 || in.Shape.IsDynamic() || in.Attr("sharding") != nil {
		return nil
	}
	split := partwise[in.Opcode]
	if split == nil || w.waitsFor(apart, in) {
		return nil
	}
	z, ok := split(w, in)
	if !ok {
		return nil
	}
	in.SetLiteral("")
	become(w, in, hlo.OpComplex, z[0], z[1])
	return in
}

// splitters are the custom calls that take numbers apart and put them together, as the compiler's x64-rewriter does
// with all that are left of complex ones.
var splitters = map[hlo.Opcode]string{
	hlo.OpReal: "X64SplitLow", hlo.OpImag: "X64SplitHigh", hlo.OpComplex: "X64Combine",
}

// takeApart has custom calls take apart what is left of complex arrays, and put them together: layouts go through these
// otherwise than through real (of 321 programs 281 come out, 270 without).
func (w *simplifier) takeApart() {
	for _, c := range w.Module.InMemory() {
		for _, in := range c.Instructions {
			if target := splitters[in.Opcode]; target != "" && in.Attr("sharding") == nil &&
				(in.Shape.DType == hlo.C64 || in.Operands[0].Shape.DType == hlo.C64) {
				become(w, in, hlo.OpCustomCall, in.Operands...)
				callTarget(in, target)
				w.Applied["taken-apart"]++
			}
		}
	}
}

// complexPart computes the real part, the imaginary part or the absolute value of a complex array from its parts, and
// whether two are equal.
func complexPart(w *simplifier, in *hlo.Instruction) *hlo.Instruction {
	x := in.Operands[0]
	if x.Opcode != hlo.OpComplex {
		return nil
	}
	switch in.Opcode {
	case hlo.OpReal:
		return x.Operands[0]
	case hlo.OpImag:
		return x.Operands[1]
	case hlo.OpAbs:
		return w.absolute(in, halves(x.Operands))
	case hlo.OpCompare:
		return w.equal(in, halves(x.Operands), w.halvesOf(in.Operands[1]))
	}
	return nil
}

// float adds an instruction of f32 before the present one.
func (w *simplifier) float(op hlo.Opcode, like *hlo.Instruction, dims []int64,
	operands ...*hlo.Instruction) *hlo.Instruction {
	return w.typed(op, like, hlo.F32, dims, operands...)
}

// floatsLike returns what adds instructions of f32 that have another one's dimensions.
func (w *simplifier) floatsLike(like *hlo.Instruction) func(hlo.Opcode, ...*hlo.Instruction) *hlo.Instruction {
	return func(op hlo.Opcode, operands ...*hlo.Instruction) *hlo.Instruction {
		return w.float(op, like, like.Shape.Dims, operands...)
	}
}

// number32 adds a constant of f32, broadcast to dims.
func (w *simplifier) number32(like *hlo.Instruction, literal string, dims []int64) *hlo.Instruction {
	return everywhere(floats{w}, like, dims, literal)
}

// floats makes instructions of f32, whatever they are like.
type floats struct{ w *simplifier }

func (f floats) make(op hlo.Opcode, like *hlo.Instruction, dims []int64,
	operands ...*hlo.Instruction) *hlo.Instruction {
	return f.w.float(op, like, dims, operands...)
}

// halvesOf returns the parts of a complex value.
func (w *simplifier) halvesOf(x *hlo.Instruction) halves {
	if x.Opcode == hlo.OpComplex {
		return halves{x.Operands[0], x.Operands[1]}
	}
	return halves{w.float(hlo.OpReal, x, x.Shape.Dims, x), w.float(hlo.OpImag, x, x.Shape.Dims, x)}
}

// splitEach does to each part what is done to the array.
func splitEach(w *simplifier, in *hlo.Instruction) (z halves, ok bool) {
	for part := range z {
		operands := slices.Clone(in.Operands)
		for i, o := range operands {
			if o.Shape.DType == hlo.C64 {
				operands[i] = w.halvesOf(o)[part]
			}
		}
		z[part] = w.float(in.Opcode, in, in.Shape.Dims, operands...)
		z[part].Attrs = in.Attrs
	}
	return z, true
}

func splitConstant(w *simplifier, in *hlo.Instruction) (z halves, ok bool) {
	re, im, ok := strings.Cut(strings.Trim(in.Literal(), "() "), ",")
	if !ok || !in.Shape.IsScalar() {
		return z, false
	}
	return halves{w.number32(in, strings.TrimSpace(re), nil), w.number32(in, strings.TrimSpace(im), nil)}, true
}

func splitConvert(w *simplifier, in *hlo.Instruction) (z halves, ok bool) {
	x := in.Operands[0]
	if x.Shape.DType != hlo.F32 {
		return z, false
	}
	return halves{x, w.number32(in, "0", in.Shape.Dims)}, true
}

func splitMultiply(w *simplifier, in *hlo.Instruction) (z halves, ok bool) {
	return w.product(in, w.halvesOf(in.Operands[0]), w.halvesOf(in.Operands[1])), true
}

// product returns the elementwise product of two complex arrays.
func (w *simplifier) product(like *hlo.Instruction, x, y halves) halves {
	dims := x[0].Shape.Dims
	times := func(i, j int) *hlo.Instruction { return w.float(hlo.OpMultiply, like, dims, x[i], y[j]) }
	return halves{w.float(hlo.OpSubtract, like, dims, times(0, 0), times(1, 1)),
		w.float(hlo.OpAdd, like, dims, times(0, 1), times(1, 0))}
}

func splitDot(w *simplifier, in *hlo.Instruction) (z halves, ok bool) {
	x, y := w.halvesOf(in.Operands[0]), w.halvesOf(in.Operands[1])
	sum := func(op hlo.Opcode, a, b *hlo.Instruction) *hlo.Instruction {
		return w.float(op, in, a.Shape.Dims, a, b)
	}
	dot := func(a, b *hlo.Instruction) *hlo.Instruction {
		n := w.float(hlo.OpDot, in, in.Shape.Dims, a, b)
		n.Attrs = in.Attrs
		return n
	}
	return w.three(in, dot(sum(hlo.OpAdd, x[0], x[1]), y[0]), dot(x[0], sum(hlo.OpSubtract, y[1], y[0])),
		dot(x[1], sum(hlo.OpAdd, y[0], y[1]))), true
}

// three returns a product of complex matrices x and y from three real ones: of the parts of x added up with y's real
// part, of x's real part with the difference of y's parts, of x's imaginary part with their sum.
func (w *simplifier) three(like, both, real, imag *hlo.Instruction) halves {
	dims := both.Shape.Dims
	return halves{w.float(hlo.OpSubtract, like, dims, both, imag), w.float(hlo.OpAdd, like, dims, both, real)}
}
