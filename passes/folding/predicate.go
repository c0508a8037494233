package folding

import "hlolayout/hlo"

// predicate simplifies what is computed of predicates. Modules with one of each tell what the compiler does: it makes p
// of select(p, true, false), not(p) of select(p, false, true), select(p, y, x) of select(not(p), x, y), x of
// select(p, x, x) and of not(not(x)), of numbers, too, and knows and and or of a constant; it leaves and(p, p),
// not(compare(x, y)), and selects with one constant alone.
func predicate(w *simplifier, in *hlo.Instruction) *hlo.Instruction {
	switch x := in.Operands; in.Opcode {
	case hlo.OpSelect:
		return choice(w, in)
	case hlo.OpCompare, hlo.OpXor:
		return sameTruth(in)
	case hlo.OpNot:
		if x[0].Opcode == hlo.OpNot {
			return inPlaceOf(in, x[0].Operands[0])
		}
	case hlo.OpAnd, hlo.OpOr:
		for i, o := range x {
			literal, _ := scalar(o)
			switch {
			case literal != "true" && literal != "false":
			case (literal == "true") == (in.Opcode == hlo.OpAnd):
				return inPlaceOf(in, x[1-i])
			default:
				return inPlaceOf(in, o)
			}
		}
	}
	return nil
}

// sameTruth returns the predicate that is compared with a constant where that changes nothing (10 of 10 probes: those
// that negate it stay).
func sameTruth(in *hlo.Instruction) *hlo.Instruction {
	v, nothing := in.Attr("direction"), "false"
	switch {
	case in.Opcode == hlo.OpXor:
	case v == nil || v.Text != "EQ" && v.Text != "NE":
		return nil
	case v.Text == "EQ":
		nothing = "true"
	}
	for i, o := range in.Operands {
		if literal, _ := scalar(o); literal == nothing {
			return inPlaceOf(in, in.Operands[1-i])
		}
	}
	return nil
}

// choice is predicate of a select.
func choice(w *simplifier, in *hlo.Instruction) *hlo.Instruction {
	p, x, y := in.Operands[0], in.Operands[1], in.Operands[2]
	if x == y {
		return inPlaceOf(in, x)
	}
	if p.Opcode == hlo.OpNot {
		in.Operands = []*hlo.Instruction{p.Operands[0], y, x}
		return in
	}
	first, _ := scalar(x)
	second, _ := scalar(y)
	switch {
	case first == "true" && second == "false":
		return inPlaceOf(in, p)
	case first == "false" && second == "true" && same(p.Shape, in.Shape):
		become(w, in, hlo.OpNot, p)
		return in
	}
	return nil
}

// inPlaceOf returns what takes the place of an instruction, nil where it has another shape.
func inPlaceOf(in, x *hlo.Instruction) *hlo.Instruction {
	if !same(x.Shape, in.Shape) {
		return nil
	}
	return x
}

// neverBelow are the comparisons of what is not below zero with zero that are known, by direction, where zero is the
// second operand.
var neverBelow = map[string]string{"LT": "false", "GE": "true"}

// swapped are the directions of comparisons whose operands change places.
var swapped = map[string]string{"GT": "LT", "LE": "GE"}

// counted replaces a comparison of an iota with zero, such as that of the places that arange counts, which are taken
// from the end where they are negative (4 of 4 probes; 5 comparisons with other numbers or for equality stay), one of
// unsigned numbers (2 of 2), and one of an absolute value (1 of 1).
func counted(w *simplifier, in *hlo.Instruction) *hlo.Instruction {
	v := in.Attr("direction")
	if v == nil || in.Attr("sharding") != nil {
		return nil
	}
	x, y, direction := in.Operands[0], in.Operands[1], v.Text
	if isZero(x) {
		x, y, direction = y, x, swapped[direction]
	}
	known := neverBelow[direction]
	if x.Opcode != hlo.OpIota && x.Opcode != hlo.OpAbs && x.Shape.DType.Class() != hlo.ClassUnsigned || !isZero(y) ||
		known == "" {
		return nil
	}
	return everywhere(w, in, in.Shape.Dims, known)
}
