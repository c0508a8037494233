package folding

import (
	"slices"

	"hlolayout/hlo"
)

// apart reports whether a value is in memory before a user: what moves elements reads them from memory, with few
// exceptions, and what a pad puts in between or a slice takes out of minor dimensions is moved alone. Counted are
// values with one user in 216 modules that are compiled for v5e: 2,112 of 2,135 before pads, reverses, broadcasts,
// concatenates, slices and reshapes, 212 of 212 after pads with something in between, strided slices and reverses.
func (f *fuser) apart(in, user *hlo.Instruction) bool {
	switch user.Opcode {
	case hlo.OpReverse, hlo.OpBroadcast:
		return !in.Shape.IsScalar()
	case hlo.OpPad, hlo.OpConcatenate: // pads of slices and pads become one, and concatenates are pads
		return !in.Shape.IsScalar() && in.Opcode != hlo.OpPad && in.Opcode != hlo.OpCopy &&
			(in.Opcode != hlo.OpSlice || user.Opcode == hlo.OpConcatenate || strided(in))
	case hlo.OpSlice:
		return in.Opcode != hlo.OpPad && in.Opcode != hlo.OpCopy
	case hlo.OpReshape:
		if !f.sameBytes(user) {
			return in.Opcode != hlo.OpSlice
		}
	}
	switch in.Opcode {
	case hlo.OpPad:
		return fills(in)
	case hlo.OpSlice:
		return strided(in)
	case hlo.OpReverse:
		return !user.Opcode.Elementwise() ||
			slices.ContainsFunc(in.Ints("dimensions"), func(d int) bool { return minor(in, d) })
	}
	return false
}

// fills reports whether a pad puts something between elements.
func fills(in *hlo.Instruction) bool {
	return slices.ContainsFunc(in.Attr("padding").Paddings(), func(p hlo.Padding) bool { return p.Between != 0 })
}

// strided reports whether a slice leaves out elements of the two minor dimensions.
func strided(in *hlo.Instruction) bool {
	v := in.Attr("slice")
	if v == nil {
		return false
	}
	for d, e := range v.Elems {
		if len(e.Elems) == 5 && e.Elems[4].Text != "1" && minor(in, d) {
			return true
		}
	}
	return false
}

// minor reports whether a dimension is one of the two minor ones.
func minor(in *hlo.Instruction, d int) bool {
	order := in.Shape.MinorToMajor()
	return slices.Contains(order[:min(2, len(order))], d)
}
