package folding

import (
	"math"
	"slices"
	"strconv"

	"hlolayout/hlo"
)

// A number of 64 bits is two of 32, the low bits and the high ones: what programs count where they draw random numbers.
// This is XLA's x64 rewriter, which comes before all simplification, as its dumps show (4 probes). Types with signs,
// other operations than those that count, and loops are not followed.

// bits64 are the low and the high bits of a number; nil where they are not known.
type bits64 [2]*hlo.Instruction

// halver makes instructions of u32, whatever they are like.
type halver struct {
	*simplifier
	done map[*hlo.Instruction]bits64
}

func (h halver) make(op hlo.Opcode, like *hlo.Instruction, dims []int64,
	operands ...*hlo.Instruction) *hlo.Instruction {
	n := h.simplifier.make(op, like, dims, operands...)
	if op != hlo.OpCompare {
		n.Shape = h.shape(hlo.U32, dims)
	}
	return n
}

// halveIntegers has what is converted from u64 to u32 computed of u32 alone.
func (w *simplifier) halveIntegers() {
	for _, c := range w.Module.InMemory() {
		if !slices.ContainsFunc(c.Instructions, halves64) {
			continue
		}
		h := halver{w, map[*hlo.Instruction]bits64{}}
		w.Applied["halved"] += w.rewrite(c, func(in *hlo.Instruction) *hlo.Instruction {
			if in.Shape.DType == hlo.U64 && in.Shape.IsArray() {
				h.done[in] = h.of(in)
			}
			if halves64(in) {
				return h.done[in.Operands[0]][0]
			}
			return nil
		})
		w.removeDead(c)
	}
}

// halves64 reports whether an instruction converts from u64 to u32.
func halves64(in *hlo.Instruction) bool {
	return in.Opcode == hlo.OpConvert && in.Shape.DType == hlo.U32 && in.Operands[0].Shape.DType == hlo.U64 &&
		in.Attr("sharding") == nil
}

// of returns the bits of an instruction, of whose operands they are known.
func (h halver) of(in *hlo.Instruction) (out bits64) {
	if in.Shape.IsDynamic() || in.Attr("sharding") != nil || in.Opcode.Elementwise() && uneven(in) {
		return out
	}
	var x [2]bits64
	for i, o := range in.Operands {
		if i == len(x) || h.done[o][0] == nil {
			return out
		}
		x[i] = h.done[o]
	}
	switch in.Opcode {
	case hlo.OpConstant:
		return h.number(in)
	case hlo.OpIota:
		return bits64{likewise(h, in, in.Shape.Dims), h.filled(in, 0)}
	case hlo.OpBroadcast, hlo.OpReshape:
		return bits64{likewise(h, in, in.Shape.Dims, x[0][0]), likewise(h, in, in.Shape.Dims, x[0][1])}
	case hlo.OpAdd:
		low := h.two(hlo.OpAdd, x[0][0], x[1][0])
		over := compared(h, low, x[0][0], "LT")
		high := h.two(hlo.OpAdd, x[0][1], x[1][1])
		return bits64{low, h.make(hlo.OpSelect, in, in.Shape.Dims, over, h.two(hlo.OpAdd, high, h.filled(in, 1)), high)}
	case hlo.OpMultiply:
		return h.product(x[0], x[1])
	case hlo.OpShiftRightLogical:
		return h.shifted(in, x[0])
	}
	return out
}

// number returns the bits of a constant of one number.
func (h halver) number(in *hlo.Instruction) (out bits64) {
	n, err := strconv.ParseUint(in.Literal(), 10, 64)
	if err != nil || !in.Shape.IsScalar() {
		return out
	}
	return bits64{h.filled(in, int64(uint32(n))), h.filled(in, int64(n>>32))}
}

// filled adds an array of one number, in the dimensions of another one.
func (h halver) filled(like *hlo.Instruction, n int64) *hlo.Instruction {
	return everywhere(h, like, like.Shape.Dims, strconv.FormatInt(n, 10))
}

// two adds an operation on two arrays.
func (h halver) two(op hlo.Opcode, x, y *hlo.Instruction) *hlo.Instruction {
	return h.make(op, x, x.Shape.Dims, x, y)
}

// product multiplies by sixteen bits.
func (h halver) product(x, y bits64) bits64 {
	low := func(x *hlo.Instruction) *hlo.Instruction { return h.two(hlo.OpAnd, x, h.filled(x, math.MaxUint16)) }
	high := func(x *hlo.Instruction) *hlo.Instruction { return h.two(hlo.OpShiftRightLogical, x, h.filled(x, 16)) }
	times := func(x, y *hlo.Instruction) *hlo.Instruction { return h.two(hlo.OpMultiply, x, y) }
	plus := func(x, y *hlo.Instruction) *hlo.Instruction { return h.two(hlo.OpAdd, x, y) }
	a, b, c, d := low(x[0]), high(x[0]), low(y[0]), high(y[0])
	least := times(a, c)
	first := plus(times(b, c), high(least))
	second := plus(times(a, d), low(first))
	most := plus(plus(times(b, d), high(first)), high(second))
	most = plus(most, plus(times(x[0], y[1]), times(y[0], x[1])))
	return bits64{h.two(hlo.OpOr, low(least), h.two(hlo.OpShiftLeft, second, h.filled(second, 16))), most}
}

// shifted shifts to the right by a number.
func (h halver) shifted(in *hlo.Instruction, x bits64) (out bits64) {
	n, ok := constantOf(in.Operands[1])
	if !ok || n < 0 || n >= 64 {
		return out
	}
	right := func(x *hlo.Instruction, n float64) *hlo.Instruction {
		return h.two(hlo.OpShiftRightLogical, x, h.filled(x, int64(n)))
	}
	if n >= 32 {
		return bits64{right(x[1], n-32), h.filled(in, 0)}
	}
	left := h.two(hlo.OpShiftLeft, x[1], h.filled(x[1], int64(32-n)))
	return bits64{h.two(hlo.OpOr, left, right(x[0], n)), right(x[1], n)}
}
