package folding

import (
	"slices"

	"hlolayout/hlo"
)

// slicedAgain reads what a slice reads, or the part of a concatenate that holds all of it.
func slicedAgain(w *simplifier, in *hlo.Instruction) *hlo.Instruction {
	x := in.Operands[0]
	if x.Opcode != hlo.OpSlice && x.Opcode != hlo.OpConcatenate || in.Shape.IsDynamic() || x.Shape.IsDynamic() ||
		in.Attr("sharding") != nil {
		return nil
	}
	first, ok := in.SliceStarts()
	if !ok {
		return nil
	}
	from := x.Operands[0]
	if x.Opcode == hlo.OpSlice {
		outer, ok := x.SliceStarts()
		if !ok {
			return nil
		}
		for d := range first {
			first[d] += outer[d]
		}
	} else {
		along := x.Ints("dimensions")[0]
		for _, from = range x.Operands {
			n := from.Shape.Dims[along]
			if first[along] < n {
				break
			}
			first[along] -= n
		}
		if first[along]+in.Shape.Dims[along] > from.Shape.Dims[along] {
			return nil
		}
	}
	n := sliced(w, from, first, in.Shape.Dims)
	n.Attrs = slices.Concat(n.Attrs[:1], except(in.Attrs, "slice"))
	n.Name, in.Name = in.Name, n.Name
	return n
}
