package folding

import (
	"slices"

	"hlolayout/hlo"
)

// sumOfParts reduces each array that a concatenate joins along a dimension that is reduced, and combines what is left,
// whatever else reads the concatenate (6 of 6 probes; one along a dimension that is kept stays).
func sumOfParts(w *simplifier, in *hlo.Instruction) *hlo.Instruction {
	x, dims := in.Operands[0], in.Ints("dimensions")
	if x.Opcode != hlo.OpConcatenate || !in.Shape.IsArray() || in.Attr("sharding") != nil ||
		x.Attr("sharding") != nil || x.Shape.IsDynamic() || !startsNothing(in) ||
		!slices.Contains(dims, x.Ints("dimensions")[0]) {
		return nil
	}
	op, _ := combination(in.Called()[0])
	sum := sumLike(w, in, x.Operands[0], dims)
	for _, part := range x.Operands[1:] {
		sum = w.make(op, in, in.Shape.Dims, sum, sumLike(w, in, part, dims))
	}
	return sum
}

// mostJoined is how many arrays are joined at most in place of a concatenate that others read, too: else a chain of
// them would read all before it.
const mostJoined = 32

// joinedAgain joins what another concatenate joins along the same dimension, whatever else reads that (2 of 2 probes).
func joinedAgain(w *simplifier, in *hlo.Instruction) *hlo.Instruction {
	if in.Attr("sharding") != nil || in.Shape.IsDynamic() {
		return nil
	}
	along := in.Ints("dimensions")[0]
	for i, o := range in.Operands {
		if o.Opcode == hlo.OpConcatenate && o.Attr("sharding") == nil && !o.Shape.IsDynamic() &&
			o.Ints("dimensions")[0] == along && (len(o.Operands) <= mostJoined || w.readsAlone(in, o)) {
			in.Operands = slices.Replace(slices.Clone(in.Operands), i, i+1, o.Operands...)
			return in
		}
	}
	return nil
}

// joinedCopies broadcasts an array of one element in a dimension that is joined to itself along it, three times or more
// (6 of 6 probes; two copies stay in 6, and so do arrays of more elements).
func joinedCopies(w *simplifier, in *hlo.Instruction) *hlo.Instruction {
	x, along := in.Operands[0], in.Ints("dimensions")[0]
	if x.Shape.Dims[along] != 1 || in.Attr("sharding") != nil || in.Shape.IsDynamic() || len(in.Operands) < 3 ||
		slices.ContainsFunc(in.Operands, func(o *hlo.Instruction) bool { return o != x }) {
		return nil
	}
	rest := hlo.OtherDims(x.Shape.Rank(), []int{along})
	return broadcast(w, in, reshaped(w, x, sizes(x.Shape.Dims, rest)), in.Shape.Dims, rest)
}
