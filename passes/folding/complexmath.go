package folding

import "hlolayout/hlo"

// splitDivide divides complex arrays (2 probes). The larger part of a divisor divides the smaller one first, so that
// their squares, which may be infinite, are not needed (Smith's method). A quotient by zero is infinite, with the signs
// of what is divided, or not a number where that is zero, too.
func splitDivide(w *simplifier, in *hlo.Instruction) (z halves, ok bool) {
	x, y := w.halvesOf(in.Operands[0]), w.halvesOf(in.Operands[1])
	do := w.floatsLike(in)
	number := func(literal string) *hlo.Instruction { return w.number32(in, literal, in.Shape.Dims) }
	isZero := func(a *hlo.Instruction) *hlo.Instruction { return compared(w, a, number("0"), "EQ") }

	smaller := compared(w, do(hlo.OpAbs, y[0]), do(hlo.OpAbs, y[1]), "LT") // the real part
	ratio := do(hlo.OpDivide, do(hlo.OpSelect, smaller, y[0], y[1]), do(hlo.OpSelect, smaller, y[1], y[0]))
	scaled := func(a *hlo.Instruction) *hlo.Instruction { return do(hlo.OpMultiply, ratio, a) }
	inverse := do(hlo.OpDivide, number("1"), do(hlo.OpSelect, smaller,
		do(hlo.OpAdd, y[1], scaled(y[0])), do(hlo.OpAdd, y[0], scaled(y[1]))))
	finite := halves{
		do(hlo.OpSelect, smaller, do(hlo.OpAdd, scaled(x[0]), x[1]), do(hlo.OpAdd, scaled(x[1]), x[0])),
		do(hlo.OpSelect, smaller, do(hlo.OpSubtract, scaled(x[1]), x[0]), do(hlo.OpSubtract, x[1], scaled(x[0]))),
	}
	byZero := do(hlo.OpAnd, isZero(y[0]), isZero(y[1]))
	byZero.Shape = smaller.Shape
	for i, a := range x {
		infinite := do(hlo.OpSelect, isZero(a), number("nan"), do(hlo.OpMultiply, number("inf"), do(hlo.OpSign, a)))
		z[i] = do(hlo.OpSelect, byZero, infinite, do(hlo.OpMultiply, finite[i], inverse))
	}
	return z, true
}

// absolute returns the absolute values of complex numbers: the larger part times the square root of 1 and the square of
// the ratio of the parts, so that no square is infinite (1 probe). Of zero that is not a number: the smaller part takes
// its place.
func (w *simplifier) absolute(in *hlo.Instruction, z halves) *hlo.Instruction {
	do := w.floatsLike(in)
	re, im := do(hlo.OpAbs, z[0]), do(hlo.OpAbs, z[1])
	larger, smaller := do(hlo.OpMaximum, re, im), do(hlo.OpMinimum, re, im)
	ratio := do(hlo.OpDivide, smaller, larger)
	root := do(hlo.OpSqrt, do(hlo.OpAdd, w.number32(in, "1", in.Shape.Dims), do(hlo.OpMultiply, ratio, ratio)))
	product := do(hlo.OpMultiply, larger, root)
	return do(hlo.OpSelect, compared(w, product, product, "EQ"), product, smaller)
}

// equal returns whether complex numbers are equal, or differ: nil for other comparisons.
func (w *simplifier) equal(in *hlo.Instruction, x, y halves) *hlo.Instruction {
	joins := map[string]hlo.Opcode{"EQ": hlo.OpAnd, "NE": hlo.OpOr}
	v := in.Attr("direction")
	if v == nil || joins[v.Text] == 0 {
		return nil
	}
	return w.make(joins[v.Text], in, in.Shape.Dims, compared(w, x[0], y[0], v.Text), compared(w, x[1], y[1], v.Text))
}

// splitSum adds up both parts in one reduce or reduce-window.
func splitSum(w *simplifier, in *hlo.Instruction) (z halves, ok bool) {
	if len(in.Operands) != 2 || len(in.Called()) != 1 || in.Attr("to_apply") == nil {
		return z, false
	}
	if op, known := combination(in.Called()[0]); !known || op != hlo.OpAdd {
		return z, false
	}
	x, first := w.halvesOf(in.Operands[0]), w.halvesOf(in.Operands[1])
	b := newBody(w, in, "add")
	var parameters []*hlo.Instruction
	for _, o := range []*hlo.Instruction{first[0], first[1], first[0], first[1]} {
		parameters = append(parameters, b.parameter(o))
	}
	sums := halves{b.make(hlo.OpAdd, first[0], nil, parameters[0], parameters[2]),
		b.make(hlo.OpAdd, first[1], nil, parameters[1], parameters[3])}
	both := b.make(hlo.OpTuple, first[0], nil, sums[0], sums[1])
	both.Shape = w.Module.Intern(hlo.NewTuple(sums[0].Shape, sums[1].Shape))
	b.finish(both)

	n := w.make(in.Opcode, in, in.Shape.Dims, x[0], x[1], first[0], first[1])
	part := w.shape(hlo.F32, in.Shape.Dims)
	n.Shape, n.Attrs = w.Module.Intern(hlo.NewTuple(part, part)), in.Attrs
	b.appliedBy(n)
	return halves{elementOf(floats{w}, n, in, 0), elementOf(floats{w}, n, in, 1)}, true
}
