package folding

import "hlolayout/hlo"

// What is here was compared in 91 probes of two operations each.

// neverNegative reports whether it is known of a value that no element is negative: roots, sums, products of such and
// what is clamped are not told, and no products of integers, which overflow.
func neverNegative(x *hlo.Instruction) bool { return neverNegativeWithin(x, farthestSign) }

// farthestSign is how far the operations that make a value are examined.
const farthestSign = 6

func neverNegativeWithin(x *hlo.Instruction, far int) bool {
	if far == 0 || x.Shape.DType.Class() == hlo.ClassComplex {
		return false
	}
	never := func(k int) bool { return neverNegativeWithin(x.Operands[k], far-1) }
	switch x.Opcode {
	case hlo.OpAbs, hlo.OpExponential:
		return true
	case hlo.OpMultiply:
		return x.Operands[0] == x.Operands[1] && x.Shape.DType.Class() == hlo.ClassFloat
	case hlo.OpMaximum:
		return never(0) || never(1)
	case hlo.OpMinimum:
		return never(0) && never(1)
	case hlo.OpSelect:
		return never(1) && never(2)
	}
	n, ok := constantOf(x)
	return ok && n >= 0
}

// unsigned leaves out negations and absolute values of both factors, and multiplies no roots of one value.
func unsigned(w *simplifier, in *hlo.Instruction) *hlo.Instruction {
	x, y := in.Operands[0], in.Operands[1]
	if in.Attr("sharding") != nil || !in.Shape.IsArray() || in.Shape.DType.Class() == hlo.ClassComplex {
		return nil
	}
	switch {
	case x.Opcode == hlo.OpNegate && y.Opcode == hlo.OpNegate,
		x.Opcode == hlo.OpAbs && x == y && same(x.Operands[0].Shape, in.Shape): // and not of complex numbers
		in.Operands = []*hlo.Instruction{x.Operands[0], y.Operands[0]}
		return in
	case x != y:
	case x.Opcode == hlo.OpSqrt && neverNegative(x.Operands[0]):
		return inPlaceOf(in, x.Operands[0])
	case x.Opcode == hlo.OpRsqrt && neverNegative(x.Operands[0]):
		become(w, in, hlo.OpDivide, everywhere(w, in, in.Shape.Dims, "1"), x.Operands[0])
		return in
	}
	return nil
}

// logOfRoot is half of a logarithm in place of one of a root.
func logOfRoot(w *simplifier, in *hlo.Instruction) *hlo.Instruction {
	x := in.Operands[0]
	if t := in.Shape.DType; x.Opcode != hlo.OpSqrt || t != hlo.F32 && t != hlo.BF16 || in.Attr("sharding") != nil {
		return nil
	}
	n := w.make(hlo.OpLog, in, in.Shape.Dims, x.Operands[0])
	become(w, in, hlo.OpMultiply, n, everywhere(w, in, in.Shape.Dims, "0.5"))
	return in
}
