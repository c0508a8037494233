package folding

import (
	"slices"
	"strconv"

	"hlolayout/hlo"
)

// ranges returns where a slice begins in each dimension; ok is false for one that leaves out elements in between.
func ranges(in *hlo.Instruction) (first []int64, ok bool) {
	v := in.Attr("slice")
	if v == nil || len(v.Elems) != in.Shape.Rank() {
		return nil, false
	}
	for d, e := range v.Elems {
		n, err := strconv.ParseInt(e.Elems[0].Text, 10, 64)
		if err != nil {
			return nil, false
		}
		first = append(first, n)
		if e.Text != "["+e.Elems[0].Text+":"+strconv.FormatInt(n+in.Shape.Dims[d], 10)+"]" {
			return nil, false
		}
	}
	return first, true
}

// slicedAgain reads what a slice reads, or the part of a concatenate that holds all of it.
func slicedAgain(w *simplifier, in *hlo.Instruction) *hlo.Instruction {
	x := in.Operands[0]
	if x.Opcode != hlo.OpSlice && x.Opcode != hlo.OpConcatenate || in.Shape.IsDynamic() || x.Shape.IsDynamic() ||
		in.Attr("sharding") != nil {
		return nil
	}
	first, ok := ranges(in)
	if !ok {
		return nil
	}
	from := x.Operands[0]
	if x.Opcode == hlo.OpSlice {
		outer, ok := ranges(x)
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
