package folding

import (
	"fmt"
	"slices"

	"hlolayout/hlo"
)

// patterns are the types whose elements are bits and nothing else, by their number.
var patterns = map[int]hlo.DType{4: hlo.U4, 8: hlo.U8, 16: hlo.U16, 32: hlo.U32}

// bitcastBetweenWidths has a bitcast-convert between types of other widths be arithmetic on the bits, as the compiler's
// bitcast_dtypes_expander writes it (20 of 20 probes of types of 4 to 32 bits; libtpu 0.0.51, v5e).
func bitcastBetweenWidths(w *simplifier, in *hlo.Instruction) *hlo.Instruction {
	x := in.Operands[0]
	from, to := patterns[x.Shape.DType.Bits()], patterns[in.Shape.DType.Bits()]
	if from == to || from == 0 || to == 0 || in.Shape.IsDynamic() || x.Shape.IsDynamic() || in.Attr("sharding") != nil {
		return nil
	}
	var n *hlo.Instruction
	if from.Bits() > to.Bits() {
		n = splitBits(w, in, from, to)
	} else {
		n = joinBits(w, in, from, to)
	}
	if in.Shape.DType != to {
		in.Operands = []*hlo.Instruction{n}
		return in
	}
	n.Name, in.Name = in.Name, n.Name
	return n
}

// splitBits returns the parts of elements along a new last dimension, the lowest bits first.
func splitBits(w *simplifier, in *hlo.Instruction, from, to hlo.DType) *hlo.Instruction {
	dims, last := in.Shape.Dims, in.Shape.Rank()-1
	x := bitPattern(w, in, in.Operands[0], from)
	places := w.make(hlo.OpMultiply, x, dims, filled(w, x, dims, int64(to.Bits())), counting(w, x, dims, last))
	n := w.make(hlo.OpShiftRightLogical, x, dims, broadcast(w, x, x, dims, hlo.OtherDims(last+1, []int{last})), places)
	n = w.make(hlo.OpAnd, x, dims, n, filled(w, x, dims, 1<<to.Bits()-1))
	return w.typed(hlo.OpConvert, in, to, dims, n)
}

// joinBits returns elements made of what is along the last dimension, the lowest bits first.
func joinBits(w *simplifier, in *hlo.Instruction, from, to hlo.DType) (n *hlo.Instruction) {
	x, dims := in.Operands[0], in.Shape.Dims
	parts := x.Shape.Dims[len(dims)]
	flat := slices.Clone(x.Shape.Dims[:max(len(dims), 1)])
	if len(dims) > 0 {
		flat[len(dims)-1] *= parts
	}
	x = reshaped(w, x, flat)
	for i := range parts {
		part := bitPattern(w, in, reshaped(w, everyNth(w, x, i, parts), dims), from)
		part = w.typed(hlo.OpConvert, in, to, dims, part)
		if i == 0 {
			n = part
			continue
		}
		place := filled(w, part, dims, i*int64(from.Bits()))
		n = w.make(hlo.OpOr, part, dims, n, w.make(hlo.OpShiftLeft, part, dims, part, place))
	}
	return n
}

// bitPattern returns the bits of an array as another one of its width has them.
func bitPattern(w *simplifier, like, x *hlo.Instruction, t hlo.DType) *hlo.Instruction {
	if x.Shape.DType == t {
		return x
	}
	return w.typed(hlo.OpBitcastConvert, like, t, x.Shape.Dims, x)
}

// everyNth adds a slice of each n-th element of the last dimension, from one of the first n on.
func everyNth(w *simplifier, x *hlo.Instruction, from, n int64) *hlo.Instruction {
	last := x.Shape.Rank() - 1
	count := x.Shape.Dims[last] / n
	s := cut(w, x, last, from, from+count)
	to := from + n*(count-1) + 1
	number := func(n int64) hlo.Value { return *intOf(int(n)) }
	colon := hlo.Value{Kind: hlo.PunctValue, Text: ":"}
	ranges := slices.Clone(s.Attr("slice").Elems)
	ranges[last] = hlo.Value{Kind: hlo.ListValue, Open: '[', Text: fmt.Sprintf("[%d:%d:%d]", from, to, n),
		Elems: []hlo.Value{number(from), colon, number(to), colon, number(n)}}
	setValue(s, "slice", listOf(", ", ranges...))
	return s
}
