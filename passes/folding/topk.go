package folding

import (
	"slices"

	"hlolayout/hlo"
)

// sortedAtMost is how many elements there may be for each one that topk takes from the rows of a matrix of f32, so that
// the compiler sorts them. Of more it makes its own call for some: 96 for two elements, 208 for three, 288 for four and
// 1,152 for 16, not 72, 200, 272 and 1,100 (60 probes on v5e). Where the bound is in between is not known.
const sortedAtMost = 36

// topk sorts an array together with the places of its elements, and cuts the first ones off.
func topk(w *simplifier, in *hlo.Instruction) *hlo.Instruction {
	if len(in.Operands) != 1 || !in.Shape.IsTuple() || len(in.Shape.Elems) != 2 || in.Attr("sharding") != nil ||
		!in.Attr("largest").Bool() {
		return nil
	}
	x := in.Operands[0]
	s, places := x.Shape, in.Shape.Elems[1]
	if !s.IsArray() || s.Rank() == 0 || s.IsDynamic() || s.DType == hlo.BF16 || places.DType != hlo.S32 {
		return nil
	}
	last := s.Rank() - 1
	n, k := s.Dims[last], in.Shape.Elems[0].Dims[last]
	if s.DType == hlo.F32 && s.Rank() == 2 && (k == 1 || n > sortedAtMost*k) {
		return nil
	}
	at := counting(w, x, s.Dims, last)
	at.Shape, at.Attrs = w.shape(hlo.S32, s.Dims), at.Attrs[:1]
	sorted := w.make(hlo.OpSort, x, s.Dims, x, at)
	sorted.Shape = w.Module.Intern(hlo.NewTuple(s, at.Shape))
	greater := newBody(w, in, "greater")
	var sides []*hlo.Instruction
	for _, like := range sorted.Operands {
		for range 2 {
			p := greater.parameter(like)
			p.Shape = w.shape(like.Shape.DType, nil)
			sides = append(sides, p)
		}
	}
	more := compared(greater, sides[0], sides[1], "GT")
	if s.DType.Class() == hlo.ClassFloat {
		attribute(more, "type", hlo.WordOf("TOTALORDER"))
	}
	greater.finish(more)
	sorted.SetCalled([]*hlo.Computation{greater.c})
	attribute(sorted, "to_apply", greater.name())
	attribute(sorted, "is_stable", hlo.WordOf("true"))
	set(sorted, "dimensions", []int{last})
	first, size := make([]int64, s.Rank()), slices.Clone(s.Dims)
	size[last] = k
	both := make([]*hlo.Instruction, 2)
	for i, like := range []*hlo.Instruction{x, at} {
		both[i] = sliced(w, elementOf(w, sorted, like, i), first, size)
	}
	shape := in.Shape
	become(w, in, hlo.OpTuple, both...)
	in.Shape = shape
	return in
}
