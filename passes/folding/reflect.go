package folding

import "hlolayout/hlo"

// qr decomposes into reflectors, below the diagonal, and an upper triangle. The second result has a factor for each
// reflector.
func (l linear) qr(operands []*hlo.Instruction, result *hlo.Shape) []*hlo.Instruction {
	a := operands[0]
	rows, columns := a.Shape.Dims[l.rows()], a.Shape.Dims[l.columns()]
	steps := min(rows, columns)
	vectors := func(n int64) *hlo.Shape { return l.shape(hlo.F32, l.vectors(n)) }
	if !result.Compatible(hlo.NewTuple(a.Shape, vectors(steps))) {
		return nil
	}
	factors := filled(l, l.in, l.vectors(steps), 0)
	for at := int64(0); at < steps; at += blockRows {
		end := min(at+blockRows, steps)
		below, right := [2]int64{at, rows}, [2]int64{end, columns}
		x := l.piece(a, below, [2]int64{at, end})
		matrix, factor := l.decomposable(l.shape(hlo.F32, x.Shape.Dims), vectors(end-at))
		parts := l.block("QrDecompositionBlock", x, matrix, factor)
		a = l.put(a, parts[0], at, at)
		factors = l.put(factors, parts[1], at)
		if end == columns {
			break
		}
		v, t := l.reflectors(parts[0], parts[1])
		rest := l.piece(a, below, right)
		known := l.product(l.product(v, t, l.columns(), l.columns()), l.product(v, rest, l.rows(), l.rows()),
			l.columns(), l.rows())
		a = l.put(a, l.make(hlo.OpAdd, l.in, rest.Shape.Dims, rest, known), at, end)
	}
	return []*hlo.Instruction{a, factors}
}

// reflections multiplies reflectors, the last block of them first.
func (l linear) reflections(operands []*hlo.Instruction, result *hlo.Shape) []*hlo.Instruction {
	a := operands[0]
	rows, columns := a.Shape.Dims[l.rows()], a.Shape.Dims[l.columns()]
	if len(operands) != 2 || !result.Compatible(a.Shape) || operands[1].Shape.Rank() != l.rows()+1 {
		return nil
	}
	factors, steps := operands[1], operands[1].Shape.Dims[l.rows()]
	if steps <= 0 || steps > min(rows, columns) || !factors.Shape.Compatible(l.shape(hlo.F32, l.vectors(steps))) {
		return nil
	}
	q := l.eye([2]int64{rows, columns})
	for at := (steps - 1) / blockRows * blockRows; at >= 0; at -= blockRows {
		end, below := min(at+blockRows, steps), [2]int64{at, rows}
		v, t := l.reflectors(l.piece(a, below, [2]int64{at, end}), cut(l, factors, l.rows(), at, end))
		rest := l.piece(q, below, [2]int64{at, columns})
		known := l.product(v, l.product(t, l.product(v, rest, l.rows(), l.rows()), l.columns(), l.rows()),
			l.columns(), l.rows())
		q = l.put(q, l.make(hlo.OpAdd, l.in, rest.Shape.Dims, rest, known), at, at)
	}
	return []*hlo.Instruction{q}
}

// reflectors returns the reflectors of a block, v, and the matrix t with which they are one: all of them one after the
// other are 1 + v t v*. A kernel that reads columns computes t.
func (l linear) reflectors(block, factors *hlo.Instruction) (v, t *hlo.Instruction) {
	size := [2]int64(block.Shape.Dims[l.rows():])
	own := [2]int64{size[1], size[1]}
	v = l.make(hlo.OpAdd, l.in, block.Shape.Dims, l.eye(size), l.part(block, l.mask(size, -1, "GE"), false))
	above := l.part(l.product(v, v, l.rows(), l.rows()), l.mask(own, 0, "GE"), true)
	dims := above.Shape.Dims
	above = l.make(hlo.OpAdd, l.in, dims, above, l.eye(own))
	negative := l.make(hlo.OpNegate, l.in, factors.Shape.Dims, factors)
	by := broadcast(l, l.in, negative, dims, append(ascendingTo(l.rows()), l.columns()))
	t = l.kernel(l.in, "CompactWyHelper", hlo.F32, dims, l.make(hlo.OpMultiply, l.in, dims, above, by))
	operandLayouts(t, l.laidOut(t.Shape, l.rows(), l.columns()))
	return v, t
}
