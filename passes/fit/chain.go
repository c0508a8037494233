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
		n := elements(d, d.Operands[0])
		bytes += 2 * min(n, elements(d, d.Operands[1]))
	}
	return bytes <= most
}

// elements returns how many elements one of a product's operands has in each batch.
func elements(dot, operand *hlo.Instruction) int64 {
	n := int64(1)
	for i, d := range operand.Shape.Dims {
		if operand != dot.Operands[0] || !slices.Contains(dot.Ints("lhs_batch_dims"), i) {
			n *= d
		}
	}
	for _, i := range dot.Ints("lhs_batch_dims") {
		if operand != dot.Operands[0] {
			n /= max(1, dot.Operands[0].Shape.Dims[i])
		}
	}
	return n
}

// sameRows reports whether a product leaves the order of its rows, those of the larger operand, as it is.
func sameRows(dot *hlo.Instruction) bool {
	side, other := 0, 1
	if elements(dot, dot.Operands[1]) > elements(dot, dot.Operands[0]) {
		side, other = 1, 0
	}
	names := []string{"lhs", "rhs"}
	free := func(k int) (out []int) {
		for i := range dot.Operands[k].Shape.Dims {
			if n := i; !slices.Contains(dot.Ints(names[k]+"_batch_dims"), n) &&
				!slices.Contains(dot.Ints(names[k]+"_contracting_dims"), n) {
				out = append(out, n)
			}
		}
		return out
	}
	place := map[int]int{} // of a dimension of the operand in the result
	batch := dot.Ints(names[side] + "_batch_dims")
	for i, d := range batch {
		place[d] = i
	}
	at := len(batch)
	if side == 1 {
		at += len(free(other))
	}
	for i, d := range free(side) {
		place[d] = at + i
	}
	var before, after []int
	for _, d := range dot.Operands[side].Shape.MinorToMajor() {
		if to, ok := place[d]; ok {
			before = append(before, to)
		}
	}
	for _, d := range dot.Shape.MinorToMajor() {
		if slices.Contains(before, d) {
			after = append(after, d)
		}
	}
	return slices.Equal(before, after)
}
