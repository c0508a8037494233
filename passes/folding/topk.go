package folding

import (
	"math"

	"hlolayout/hlo"
)

// sortedAtMost are how many elements there may be for each one that topk takes from the rows of a matrix of f32, of two
// and of more, so that the compiler sorts them. Of more it makes its own call. The bounds that were found are between
// 36 and 40 for two elements and between 64 and 86, each another one, for ten numbers from 3 to 32 (v5e).
const (
	pairSortedAtMost = 36
	sortedAtMost     = 64
)

// packedAtMost is the same for topkPacked: the bounds of 11 numbers from 2 to 32 are 64.
const packedAtMost = 64

// topkCalled reports whether the compiler makes its own call for the k largest of each n elements of a matrix of f32.
func topkCalled(n, k int64) bool {
	switch k {
	case 1:
		return true
	case 2:
		return n > pairSortedAtMost*k
	}
	return n > sortedAtMost*k
}

// topk cuts the first elements off an array that is sorted together with the places of its elements.
func topk(w *simplifier, in *hlo.Instruction) *hlo.Instruction {
	if len(in.Operands) != 1 || !in.Shape.IsTuple() || len(in.Shape.Elems) != 2 || in.Attr("sharding") != nil ||
		!in.Attr("largest").Bool() {
		return nil
	}
	x := in.Operands[0]
	s, places := x.Shape, in.Shape.Elems[1]
	if !s.IsArray() || s.Rank() == 0 || s.IsDynamic() || places.DType != hlo.S32 {
		return nil
	}
	last := s.Rank() - 1
	n, k := s.Dims[last], in.Shape.Elems[0].Dims[last]
	var both []*hlo.Instruction
	switch {
	case s.DType == hlo.BF16 && n <= 1<<16:
		both = topkPacked(w, in, x, k)
	case s.DType == hlo.BF16 || s.DType == hlo.F32 && s.Rank() == 2 && topkCalled(n, k):
		return nil
	default:
		at := counting(w, x, s.Dims, last)
		at.Shape, at.Attrs = w.shape(hlo.S32, s.Dims), at.Attrs[:1]
		sorted := descending(w, in, x, at)
		sorted.Shape = w.Module.Intern(hlo.NewTuple(s, at.Shape))
		attribute(sorted, "is_stable", hlo.WordOf("true"))
		for i, like := range sorted.Operands {
			both = append(both, cut(w, elementOf(w, sorted, like, i), last, 0, k))
		}
	}
	shape := in.Shape
	become(w, in, hlo.OpTuple, both...)
	in.Shape = shape
	return in
}

// descending adds a sort of arrays along their last dimension, largest elements of the first one first.
func descending(w *simplifier, in *hlo.Instruction, arrays ...*hlo.Instruction) *hlo.Instruction {
	x := arrays[0]
	sorted := w.make(hlo.OpSort, x, x.Shape.Dims, arrays...)
	greater := newBody(w, in, "greater")
	var sides []*hlo.Instruction
	for _, like := range arrays {
		for range 2 {
			p := greater.parameter(like)
			p.Shape = w.shape(like.Shape.DType, nil)
			sides = append(sides, p)
		}
	}
	more := compared(greater, sides[0], sides[1], "GT")
	if x.Shape.DType.Class() == hlo.ClassFloat {
		attribute(more, "type", hlo.WordOf("TOTALORDER"))
	}
	greater.finish(more)
	greater.appliedBy(sorted)
	set(sorted, "dimensions", []int{x.Shape.Rank() - 1})
	return sorted
}

// topkPacked returns the largest of bf16 numbers and their places: each is the upper half of an integer of 32 bits, in
// the order of integers, and its place, inverted, the lower half. The integers are sorted, or those of a matrix of
// eight rows and more go to a kernel (105 of 105 probes on v5e, 20 on v7x).
func topkPacked(w *simplifier, in, x *hlo.Instruction, k int64) []*hlo.Instruction {
	dims, last := x.Shape.Dims, x.Shape.Rank()-1
	bits := w.typed(hlo.OpBitcastConvert, x, hlo.S32, dims, w.typed(hlo.OpConvert, x, hlo.F32, dims, x))
	number := func(n int64) *hlo.Instruction { return filled(w, bits, dims, n) }
	// ordered makes floating-point numbers integers of the same order, and these such numbers again
	ordered := func(x *hlo.Instruction) *hlo.Instruction {
		magnitude := w.make(hlo.OpAnd, bits, dims, x, number(math.MaxInt32))
		return w.make(hlo.OpXor, bits, dims, magnitude, w.make(hlo.OpShiftRightArithmetic, bits, dims, x, number(31)))
	}
	packed := w.make(hlo.OpOr, bits, dims, ordered(bits), number(1<<16-1))
	packed = w.make(hlo.OpXor, bits, dims, packed, counting(w, bits, dims, last))
	if n := dims[last]; len(dims) == 2 && dims[0] >= 8 && (k == 1 || n > packedAtMost*k) {
		packed = w.kernel(in, "TopKBatchMajorSmallK", hlo.S32, []int64{dims[0], k}, packed)
	} else {
		packed = cut(w, descending(w, in, packed), last, 0, k)
	}
	dims = packed.Shape.Dims
	value := w.make(hlo.OpAnd, bits, dims, ordered(packed), number(-1<<16))
	value = w.typed(hlo.OpConvert, x, hlo.BF16, dims, w.typed(hlo.OpBitcastConvert, x, hlo.F32, dims, value))
	place := w.make(hlo.OpXor, bits, dims, packed, number(1<<16-1))
	return []*hlo.Instruction{value, w.make(hlo.OpAnd, bits, dims, place, number(1<<16-1))}
}
