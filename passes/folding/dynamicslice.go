package folding

import (
	"slices"

	"hlolayout/hlo"
)

// earlierSlice slices at a place that is not known what is broadcast, transposed or reshaped, before it is; a reshape
// only where it adds and removes dimensions of one element (27 of 27 probes, 6 of them with other readers).
func earlierSlice(w *simplifier, in *hlo.Instruction) *hlo.Instruction {
	x, at := in.Operands[0], in.Operands[1:]
	if in.Attr("sharding") != nil || x.Attr("sharding") != nil || in.Shape.IsDynamic() || x.Shape.IsDynamic() ||
		len(at) != in.Shape.Rank() {
		return nil
	}
	var of []int // by dimension of what x reads: the dimension of x that it is, -1 for one of one element
	switch x.Opcode {
	case hlo.OpBroadcast:
		of = x.Ints("dimensions")
	case hlo.OpTranspose:
		of = inverse(x.Ints("dimensions"))
	case hlo.OpReshape:
		from, left := wide(x.Operands[0].Shape)
		to, same := wide(x.Shape)
		if x.Operands[0].Shape.IsDynamic() || !slices.Equal(left, same) {
			return nil
		}
		of = slices.Repeat([]int{-1}, x.Operands[0].Shape.Rank())
		for i, d := range from {
			of[d] = to[i]
		}
	default:
		return nil
	}
	size, places := make([]int64, len(of)), make([]*hlo.Instruction, len(of))
	for i, d := range of {
		if d < 0 {
			size[i], places[i] = 1, number(w, at[0], 0)
		} else {
			size[i], places[i] = in.Shape.Dims[d], at[d]
		}
	}
	become(w, in, x.Opcode, pieceAt(w, x.Operands[0], size, places...))
	if x.Opcode != hlo.OpReshape {
		set(in, "dimensions", x.Ints("dimensions"))
	}
	return in
}

// sliceOfSlice slices once what is sliced twice at places that are not known (7 of 7 probes, 2 with other readers).
func sliceOfSlice(w *simplifier, in *hlo.Instruction) *hlo.Instruction {
	x := in.Operands[0]
	if x.Opcode != hlo.OpDynamicSlice || in.Attr("sharding") != nil || x.Attr("sharding") != nil ||
		in.Shape.IsDynamic() || x.Operands[0].Shape.IsDynamic() || len(in.Operands) != 1+in.Shape.Rank() ||
		len(x.Operands) != len(in.Operands) {
		return nil
	}
	at := placesWithin(w, x.Operands[1:], x.Operands[0].Shape, x.Shape, in.Operands[1:], in.Shape)
	return namedSlice(pieceAt(w, x.Operands[0], in.Shape.Dims, at...), in, "dynamic_slice_sizes")
}

// updateOfUpdate writes an array into another one where a program writes it into a slice and that back to its place (4
// of 4 probes).
func updateOfUpdate(w *simplifier, in *hlo.Instruction) *hlo.Instruction {
	x := in.Operands[1]
	if x.Opcode != hlo.OpDynamicUpdateSlice || in.Attr("sharding") != nil || x.Attr("sharding") != nil ||
		in.Shape.IsDynamic() || len(in.Operands) != 2+in.Shape.Rank() || len(x.Operands) != len(in.Operands) {
		return nil
	}
	part := x.Operands[0]
	if part.Opcode != hlo.OpDynamicSlice || part.Operands[0] != in.Operands[0] || part.Attr("sharding") != nil ||
		!slices.Equal(part.Operands[1:], in.Operands[2:]) {
		return nil
	}
	at := placesWithin(w, in.Operands[2:], in.Shape, x.Shape, x.Operands[2:], x.Operands[1].Shape)
	in.Operands = slices.Concat([]*hlo.Instruction{in.Operands[0], x.Operands[1]}, at)
	return in
}

// placesWithin returns the place in an array of a piece of a part of it: the places of the part in the array and of the
// piece in the part, as they are moved to be within, added up.
func placesWithin(w *simplifier, at []*hlo.Instruction, whole, part *hlo.Shape, further []*hlo.Instruction,
	piece *hlo.Shape) []*hlo.Instruction {
	out := make([]*hlo.Instruction, len(at))
	for d := range at {
		a := placeWithin(w, at[d], whole.Dims[d]-part.Dims[d])
		b := placeWithin(w, further[d], part.Dims[d]-piece.Dims[d])
		out[d] = w.make(hlo.OpAdd, a, nil, a, b)
	}
	return out
}

// placeWithin returns a place as a slice moves it, where the last one that is possible is given.
func placeWithin(w *simplifier, at *hlo.Instruction, last int64) *hlo.Instruction {
	return w.make(hlo.OpClamp, at, nil, number(w, at, 0), at, number(w, at, last))
}
