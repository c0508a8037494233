package folding

import (
	"slices"

	"hlolayout/hlo"
)

// Linear algebra goes by blocks of rows: a Cholesky decomposition is kernels for the blocks on the diagonal, products
// and triangular solves; a triangular solve is a kernel that inverts the blocks on the diagonal, and products with
// these. This is what the compiler's tpu_cholesky_expander and tpu_triangular_solve_expander do, as their dumps for one
// to three blocks show (18 probes). The algorithm is that of XLA's triangular_solve_expander.cc. Other decompositions
// are in decompose.go.

// blockRows is how many rows a block has.
const blockRows = 128

// linear adds the instructions of an operation on matrices, in its place; they are the last two dimensions.
type linear struct {
	*simplifier
	in    *hlo.Instruction // the operation, as an array where it has several results
	batch []int64          // the dimensions before
}

// linearOf returns what adds the instructions of an operation on matrices; ok is false for those that are not modelled.
func linearOf(w *simplifier, in *hlo.Instruction, matrices ...*hlo.Instruction) (l linear, ok bool) {
	for _, o := range matrices {
		if !o.Shape.IsArray() || o.Shape.IsDynamic() || o.Shape.DType != hlo.F32 || o.Shape.Rank() < 2 ||
			o.Shape.Rank() != matrices[0].Shape.Rank() {
			return l, false
		}
	}
	dims := matrices[0].Shape.Dims
	rank := len(dims)
	like := *in
	like.Shape = matrices[0].Shape
	l = linear{w, &like, dims[:rank-2]}
	least := min(dims[rank-1], dims[rank-2])
	return l, in.Attr("sharding") == nil && least > 0 && least <= mostBlocks*blockRows
}

// squareOf is linearOf of an operation on square matrices, its first operand, and others; it has one result.
func squareOf(w *simplifier, in *hlo.Instruction) (l linear, ok bool) {
	l, ok = linearOf(w, in, slices.Concat(in.Operands, []*hlo.Instruction{in})...)
	return l, ok && in.Operands[0].Shape.Dims[l.rows()] == in.Operands[0].Shape.Dims[l.columns()]
}

// mostBlocks is more than any program had that was seen, 16: each block adds instructions.
const mostBlocks = 64

// of returns the dimensions of matrices of so many rows and columns.
func (l linear) of(rows, columns int64) []int64 { return append(slices.Clone(l.batch), rows, columns) }

// vectors returns the dimensions of vectors of so many elements.
func (l linear) vectors(n int64) []int64 { return append(slices.Clone(l.batch), n) }

// rows and columns are the places of these dimensions.
func (l linear) rows() int    { return len(l.batch) }
func (l linear) columns() int { return len(l.batch) + 1 }

// piece returns a part of matrices: rows and columns from one to before another.
func (l linear) piece(x *hlo.Instruction, rows, columns [2]int64) *hlo.Instruction {
	size := l.of(rows[1]-rows[0], columns[1]-columns[0])
	if slices.Equal(size, x.Shape.Dims) {
		return x
	}
	first := make([]int64, len(size))
	first[l.rows()], first[l.columns()] = rows[0], columns[0]
	return sliced(l, x, first, size)
}

// put writes matrices into others at a row and a column, or vectors into others at an element.
func (l linear) put(into, x *hlo.Instruction, at ...int64) *hlo.Instruction {
	operands := []*hlo.Instruction{into, x}
	for _, n := range append(make([]int64, len(l.batch)), at...) {
		operands = append(operands, l.integer(n))
	}
	n := l.make(hlo.OpDynamicUpdateSlice, l.in, into.Shape.Dims, operands...)
	n.Shape = l.shape(into.Shape.DType, into.Shape.Dims)
	return n
}

// integers makes instructions of a type of integers, whatever they are like.
type integers struct {
	l linear
	t hlo.DType
}

func (i integers) make(op hlo.Opcode, like *hlo.Instruction, dims []int64,
	operands ...*hlo.Instruction) *hlo.Instruction {
	n := i.l.make(op, like, dims, operands...)
	n.Shape = i.l.shape(i.t, dims)
	return n
}

// integer adds a number of type s32.
func (l linear) integer(n int64) *hlo.Instruction { return number(integers{l, hlo.S32}, l.in, n) }

// count adds an array of type s32 that counts along a dimension.
func (l linear) count(dims []int64, along int) *hlo.Instruction {
	return counting(integers{l, hlo.S32}, l.in, dims, along)
}

// mask adds matrices of pred that compare the number of the row, with more added, and that of the column.
func (l linear) mask(size [2]int64, more int64, direction string) *hlo.Instruction {
	rows := l.count(size[:], 0)
	if more != 0 {
		rows = l.make(hlo.OpAdd, rows, rows.Shape.Dims, rows, broadcast(l, rows, l.integer(more), rows.Shape.Dims, nil))
	}
	return l.each(compared(l, rows, l.count(size[:], 1), direction))
}

// each adds matrices that are all like one.
func (l linear) each(x *hlo.Instruction) *hlo.Instruction {
	if len(l.batch) > 0 {
		x = l.matrices(x)
	}
	return x
}

// diagonal adds a matrix of pred that is true on the diagonal.
func (l linear) diagonal(size [2]int64) *hlo.Instruction {
	unsigned := integers{l, hlo.U32}
	return compared(l, counting(unsigned, l.in, size[:], 0), counting(unsigned, l.in, size[:], 1), "EQ")
}

// eye adds matrices with ones on the diagonal and zeros elsewhere.
func (l linear) eye(size [2]int64) *hlo.Instruction {
	return l.each(l.make(hlo.OpConvert, l.in, size[:], l.diagonal(size)))
}

// part returns what a mask selects of matrices, and zeros elsewhere; or the other way round.
func (l linear) part(x, mask *hlo.Instruction, others bool) *hlo.Instruction {
	operands := []*hlo.Instruction{mask, x, filled(l, l.in, x.Shape.Dims, 0)}
	if others {
		operands[1], operands[2] = operands[2], operands[1]
	}
	return l.make(hlo.OpSelect, l.in, x.Shape.Dims, operands...)
}

// matrices adds a broadcast of a matrix to all of the batch.
func (l linear) matrices(x *hlo.Instruction) *hlo.Instruction {
	return broadcast(l, x, x, l.of(x.Shape.Dims[0], x.Shape.Dims[1]), []int{l.rows(), l.columns()})
}

// product adds a product of matrices over a dimension of each.
func (l linear) product(x, y *hlo.Instruction, xd, yd int) *hlo.Instruction {
	n := l.make(hlo.OpDot, l.in, l.of(x.Shape.Dims[l.rows()+l.columns()-xd], y.Shape.Dims[l.rows()+l.columns()-yd]), x, y)
	attribute(n, "operand_precision", listOf(",", *hlo.WordOf("highest"), *hlo.WordOf("highest")))
	for i, d := range []int{yd, xd} {
		s := sides[1-i]
		set(n, s.contracting, []int{d})
		if len(l.batch) > 0 {
			set(n, s.batch, ascendingTo(len(l.batch)))
		}
	}
	return n
}

// expandedSolve computes a triangular solve by blocks.
func expandedSolve(w *simplifier, in *hlo.Instruction) *hlo.Instruction {
	if len(in.Operands) != 2 {
		return nil
	}
	l, ok := squareOf(w, in)
	turned := in.Attr("transpose_a")
	if !ok {
		return nil
	}
	s := solve{linear: l, left: in.Attr("left_side").Bool(), lower: in.Attr("lower").Bool(),
		turned: turned != nil && turned.Text != "NO_TRANSPOSE"}
	n := in.Operands[0].Shape.Dims[l.rows()]
	b := in.Operands[1].Shape.Dims
	if at := s.along(); b[at] != n || !slices.Equal(b[:l.rows()], l.batch) {
		return nil
	}
	return s.of(in.Operands[0], in.Operands[1], in.Attr("unit_diagonal").Bool())
}

// solve is a triangular solve: of matrices on the left, or on the right, of what is solved.
type solve struct {
	linear
	left, lower, turned bool
}

// along is the dimension of the right sides that is solved.
func (s solve) along() int {
	if s.left {
		return s.rows()
	}
	return s.columns()
}

// of adds the solution for matrices and right sides.
func (s solve) of(matrix, b *hlo.Instruction, unit bool) *hlo.Instruction {
	n := matrix.Shape.Dims[s.rows()]
	if n == 1 {
		return s.quotient(matrix, b, unit)
	}
	a := s.triangle(matrix, unit)
	inverted := s.inverted(a)
	count := ceil(n, blockRows)
	backward := s.left != (s.lower != s.turned)
	var parts []*hlo.Instruction
	for i := range count {
		j := i
		if backward {
			j = count - 1 - i
		}
		rows := [2]int64{j * blockRows, min((j+1)*blockRows, n)}
		rest := s.side(b, rows)
		if i > 0 {
			solved := [2]int64{0, min(i*blockRows, n)}
			if backward {
				solved = [2]int64{(count - i) * blockRows, n}
			}
			rest = s.make(hlo.OpSubtract, s.in, rest.Shape.Dims, rest, s.known(a, s.joined(parts), rows, solved))
		}
		x := s.times(s.inverse(inverted, j, rows[1]-rows[0]), rest)
		if backward {
			parts = slices.Concat([]*hlo.Instruction{x}, parts) // a concatenate has the others
		} else {
			parts = append(parts, x)
		}
	}
	return s.joined(parts)
}

// quotient divides by matrices of one element, which the compiler has no kernel for (5 probes).
func (s solve) quotient(matrix, b *hlo.Instruction, unit bool) *hlo.Instruction {
	if unit {
		return b
	}
	by := broadcast(s, s.in, reshaped(s, matrix, s.batch), b.Shape.Dims, ascendingTo(len(s.batch)))
	return s.make(hlo.OpDivide, s.in, b.Shape.Dims, b, by)
}

// triangle returns matrices with zeros outside of the triangle, and ones on the diagonal where that is not given.
func (s solve) triangle(x *hlo.Instruction, unit bool) *hlo.Instruction {
	size, more := [2]int64(x.Shape.Dims[s.rows():]), int64(0)
	if s.lower == unit {
		more = -1
	}
	x = s.part(x, s.mask(size, more, "GE"), !s.lower)
	if !unit {
		return x
	}
	return s.make(hlo.OpAdd, s.in, x.Shape.Dims, x, s.eye(size))
}

// inverted adds the kernel that inverts the blocks on the diagonal: one matrix for each.
func (s solve) inverted(a *hlo.Instruction) *hlo.Instruction {
	n := a.Shape.Dims[s.rows()]
	size := min(n, blockRows)
	dims := append(slices.Clone(s.batch), 1, size, size)
	var blocks []*hlo.Instruction
	for at := int64(0); at < n; at += blockRows {
		end := min(at+blockRows, n)
		x := s.piece(a, [2]int64{at, end}, [2]int64{at, end})
		if end-at < size {
			x = s.whole(x, size)
		}
		blocks = append(blocks, s.make(hlo.OpReshape, s.in, dims, x))
	}
	target := "InvertDiagBlocksUpperTriangular"
	if s.lower {
		target = "InvertDiagBlocksLowerTriangular"
	}
	x := joined(s, s.in, s.rows(), blocks...)
	k := s.kernel(s.in, target, hlo.F32, x.Shape.Dims, x)
	operand, result := s.invertible(x.Shape)
	operandLayouts(k, operand)
	k.Shape = result
	return k
}

// whole returns a block of n rows: with ones on the rest of the diagonal.
func (s solve) whole(x *hlo.Instruction, n int64) *hlo.Instruction {
	have := x.Shape.Dims[s.rows()]
	mask := padded(s, s.diagonal([2]int64{n - have, n - have}), 0, have, 0)
	eye := s.each(s.make(hlo.OpConvert, s.in, mask.Shape.Dims, mask)) // convert-mover puts it after the pad
	return concatenated(s, s.in, s.columns(), padded(s, x, s.rows(), 0, n-have), eye)
}

// inverse returns the inverse of block j, which has so many rows.
func (s solve) inverse(inverted *hlo.Instruction, j, rows int64) *hlo.Instruction {
	first, size := make([]int64, inverted.Shape.Rank()), slices.Clone(inverted.Shape.Dims)
	first[s.rows()], size[s.rows()] = j, 1
	size[s.rows()+1], size[s.rows()+2] = rows, rows
	x := inverted
	if !slices.Equal(size, x.Shape.Dims) {
		x = sliced(s, x, first, size)
	}
	return s.make(hlo.OpReshape, s.in, s.linear.of(rows, rows), x)
}

// side returns rows of the right sides, or columns where these are solved.
func (s solve) side(b *hlo.Instruction, from [2]int64) *hlo.Instruction {
	if s.left {
		return s.piece(b, from, [2]int64{0, b.Shape.Dims[s.columns()]})
	}
	return s.piece(b, [2]int64{0, b.Shape.Dims[s.rows()]}, from)
}

// known returns what the rows that are solved add to others.
func (s solve) known(a, x *hlo.Instruction, rows, solved [2]int64) *hlo.Instruction {
	if s.left == s.turned {
		rows, solved = solved, rows
	}
	return s.times(s.piece(a, rows, solved), x)
}

// times multiplies matrices and right sides.
func (s solve) times(a, x *hlo.Instruction) *hlo.Instruction {
	inner, outer := s.columns(), s.rows()
	if s.turned {
		inner, outer = outer, inner
	}
	if s.left {
		return s.product(a, x, inner, s.rows())
	}
	return s.product(x, a, s.columns(), outer)
}

// joined returns the parts of the solution as one array.
func (s solve) joined(parts []*hlo.Instruction) *hlo.Instruction {
	return joined(s, s.in, s.along(), parts...)
}

// expandedCholesky computes a Cholesky decomposition by blocks: it is of numbers that are none where a block has none.
func expandedCholesky(w *simplifier, in *hlo.Instruction) *hlo.Instruction {
	l, ok := squareOf(w, in)
	if !ok || len(in.Operands) != 1 || !in.Attr("lower").Bool() {
		return nil
	}
	a := in.Operands[0]
	n := in.Shape.Dims[l.rows()]
	var out, bad *hlo.Instruction
	for at := int64(0); at < n; at += blockRows {
		end := min(at+blockRows, n)
		column := l.piece(a, [2]int64{at, n}, [2]int64{at, end})
		if at > 0 {
			before := [2]int64{0, at}
			column = l.make(hlo.OpSubtract, in, column.Shape.Dims, column, l.product(l.piece(out, [2]int64{at, n}, before),
				l.piece(out, [2]int64{at, end}, before), l.columns(), l.columns()))
		}
		block := l.piece(column, [2]int64{0, end - at}, [2]int64{0, end - at})
		k := l.root(block)
		if end-at == n {
			out = k
		} else {
			if out == nil {
				out = filled(l, in, in.Shape.Dims, 0)
			}
			out = l.put(out, k, at, at)
		}
		none := l.none(k)
		if bad == nil {
			bad = none
		} else {
			bad = l.make(hlo.OpOr, bad, bad.Shape.Dims, bad, none)
		}
		if end < n {
			s := solve{linear: l, lower: true, turned: true}
			under := s.of(k, l.piece(column, [2]int64{end - at, n - at}, [2]int64{0, end - at}), false)
			out = l.put(out, under, end, at)
		}
	}
	every := broadcast(l, bad, bad, in.Shape.Dims, ascendingTo(len(l.batch)))
	become(w, in, hlo.OpSelect, every, everywhere(l, in, in.Shape.Dims, "nan"), out)
	return in
}

// root adds the kernel of a block on the diagonal; the compiler has none for one element (2 probes).
func (l linear) root(block *hlo.Instruction) *hlo.Instruction {
	if block.Shape.Dims[l.rows()] == 1 {
		return l.make(hlo.OpSqrt, l.in, block.Shape.Dims, block)
	}
	return l.kernel(l.in, "Cholesky", hlo.F32, block.Shape.Dims, block)
}

// none returns for each matrix whether a number on its diagonal is none.
func (l linear) none(x *hlo.Instruction) *hlo.Instruction {
	diagonal := l.part(x, l.mask([2]int64(x.Shape.Dims[l.rows():]), 0, "EQ"), false)
	sum := reduced(l.simplifier, l, diagonal, hlo.OpAdd, diagonal, l.rows(), 0)
	differs := compared(l, sum, sum, "NE")
	return reduced(l.simplifier, l, differs, hlo.OpOr, differs, l.rows(), 0)
}
