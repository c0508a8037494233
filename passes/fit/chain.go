package fit

import (
	"slices"

	"hlolayout/hlo"
)

// chained reports whether a stored value with a product in it, or a product itself, is computed inside of the product
// that alone reads it, which is not part of a third: of a chain of products the compiler joins the last two, then the
// two before. Evidence: layers of two products in six programs; of a value that several products read it is not done.
func (f *foresight) chained(in *hlo.Instruction) bool {
	if found, ok := f.chains[in]; ok {
		return found
	}
	first, next := f.productOf(in), f.readerOf(in)
	found := first != nil && next != nil && narrowEnough(first, next) && sameRows(first) && !f.chained(f.endOf(next))
	f.chains[in] = found
	return found
}

// productOf returns the product that a value is, or that is fused into it; nil for another one.
func (f *foresight) productOf(in *hlo.Instruction) *hlo.Instruction {
	for !isProduct(in) {
		var next *hlo.Instruction
		for _, o := range in.Operands {
			if in.Opcode.Elementwise() && (f.p.Module.Unbuffered(o) != "" || f.into[o] != nil) &&
				(isProduct(o) || f.product(o)) {
				next = o
			}
		}
		if next == nil {
			return nil
		}
		in = next
	}
	return in
}

// readerOf returns the product that alone reads a value, as it is or converted; nil where something else does.
func (f *foresight) readerOf(in *hlo.Instruction) *hlo.Instruction {
	for {
		if in.IsRoot() || in.Shape.IsTuple() || len(f.p.usesOf(in)) != 1 {
			return nil
		}
		u := f.p.usesOf(in)[0].User
		switch {
		case u.Opcode == hlo.OpDot:
			return u
		case u.Opcode != hlo.OpConvert && u.Opcode != hlo.OpBitcast:
			return nil
		}
		in = u
	}
}

// endOf returns the value that has a product fused into it, itself where none has.
func (f *foresight) endOf(in *hlo.Instruction) *hlo.Instruction {
	if end := f.into[in]; end != nil {
		return end
	}
	for f.p.Module.Unbuffered(in) != "" && f.alone(in) && len(f.p.usesOf(in)) > 0 {
		u := f.p.usesOf(in)[0].User
		if !u.Opcode.Elementwise() {
			break
		}
		in = u
	}
	return in
}

// narrowEnough reports whether the matrices of two products, in bf16, fit the memory that a fusion has: 16 MiB. Fused
// were pairs of 8 and 8 MiB, not of 16 and 1.
func narrowEnough(first, next *hlo.Instruction) bool {
	const most = 16 << 20
	bytes := int64(0)
	for _, d := range []*hlo.Instruction{first, next} {
		if d.Opcode != hlo.OpDot || len(d.Operands) != 2 {
			return false
		}
		bytes += 2 * min(elements(d, 0), elements(d, 1))
	}
	return bytes <= most
}

// sideNames begin the names of the attributes of a product's operands.
var sideNames = [2]string{"lhs", "rhs"}

// elements returns how many elements operand k of a product has in each batch.
func elements(dot *hlo.Instruction, k int) int64 {
	n := int64(1)
	for _, d := range hlo.OtherDims(dot.Operands[k].Shape.Rank(), dot.Ints(sideNames[k]+"_batch_dims")) {
		n *= dot.Operands[k].Shape.Dims[d]
	}
	return n
}

// sameRows reports whether a product leaves the order of its rows, those of the larger operand, as it is.
func sameRows(dot *hlo.Instruction) bool {
	var kept [2][]int // of each operand, what is in the result, in that order: the batch, then the free dimensions
	batch := len(dot.Ints("lhs_batch_dims"))
	for k, name := range sideNames {
		b := dot.Ints(name + "_batch_dims")
		kept[k] = slices.Concat(b, hlo.OtherDims(dot.Operands[k].Shape.Rank(), b, dot.Ints(name+"_contracting_dims")))
	}
	side, shift := 0, 0
	if elements(dot, 1) > elements(dot, 0) {
		side, shift = 1, len(kept[0])-batch
	}
	var before, after []int
	for _, d := range dot.Operands[side].Shape.MinorToMajor() {
		switch at := slices.Index(kept[side], d); {
		case at >= batch:
			before = append(before, at+shift)
		case at >= 0:
			before = append(before, at)
		}
	}
	for _, d := range dot.Shape.MinorToMajor() {
		if slices.Contains(before, d) {
			after = append(after, d)
		}
	}
	return slices.Equal(before, after)
}
