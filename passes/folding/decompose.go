package folding

import (
	"slices"

	"hlolayout/hlo"
)

// LU and QR decompositions, and products of the reflectors that QR leaves, are custom calls in lowered text. They go by
// blocks of columns, of matrices of any rows and columns: this is what the compiler's lu_decomposition_expander and
// tpu_qr_expander do, as their dumps show (18 probes of LU with one to 16 blocks, 17 of QR with one to three). The
// algorithms are those of XLA's lu_decomposition_expander.cc and qr_expander.cc.

// decompositions are the custom calls that are expanded, by target. Each returns the results, none where the shapes are
// others.
var decompositions = map[string]func(l linear, operands []*hlo.Instruction, result *hlo.Shape) []*hlo.Instruction{
	`"LuDecomposition"`: linear.lu,
	`"Qr"`:              linear.qr,
	`"ProductOfElementaryHouseholderReflectors"`: linear.reflections,
}

// decompositionOf returns what expands an operation, nil for nothing.
func decompositionOf(in *hlo.Instruction) func(linear, []*hlo.Instruction, *hlo.Shape) []*hlo.Instruction {
	if target := in.Attr("custom_call_target"); in.Opcode == hlo.OpCustomCall && target != nil {
		return decompositions[target.Text]
	}
	return nil
}

// expandedDecomposition computes a decomposition by blocks.
func expandedDecomposition(w *simplifier, in *hlo.Instruction) *hlo.Instruction {
	expanded := decompositionOf(in)
	if expanded == nil || len(in.Operands) == 0 {
		return nil
	}
	l, ok := linearOf(w, in, in.Operands[0])
	if !ok {
		return nil
	}
	results := expanded(l, in.Operands, in.Shape)
	switch len(results) {
	case 0:
		return nil
	case 1:
		return results[0]
	}
	shape := in.Shape
	become(w, in, hlo.OpTuple, results...)
	in.Shape = shape
	return in
}

// block adds a kernel that decomposes a block of columns, and returns its results. The first is laid out as the block.
func (l linear) block(target string, x *hlo.Instruction, results ...*hlo.Shape) (out []*hlo.Instruction) {
	k := l.kernel(l.in, target, hlo.F32, nil, x)
	operandLayouts(k, results[0])
	for i, s := range results {
		out = append(out, elementOf(l, k, l.in, i))
		out[i].Shape = s
	}
	k.Shape = l.Module.Intern(hlo.NewTuple(results...))
	return out
}

// lu exchanges rows so that pivots are the largest of their columns, and decomposes into a lower triangle, with ones on
// its diagonal, and an upper one. The results are both in one, the rows that pivots are exchanged with, and the order
// of all rows.
func (l linear) lu(operands []*hlo.Instruction, result *hlo.Shape) []*hlo.Instruction {
	a := operands[0]
	rows, columns := a.Shape.Dims[l.rows()], a.Shape.Dims[l.columns()]
	steps := min(rows, columns)
	ints := func(n int64) *hlo.Shape { return l.shape(hlo.S32, l.vectors(n)) }
	if !result.Compatible(hlo.NewTuple(a.Shape, ints(steps), ints(rows))) {
		return nil
	}
	zeros := func(n int64) *hlo.Instruction { return filled(integers{l, hlo.S32}, l.in, l.vectors(n), 0) }
	pivots := zeros(steps)
	order := l.count(l.vectors(rows), l.rows())
	for at := int64(0); at < steps; at += blockRows {
		end := min(at+blockRows, steps)
		below, right, own := [2]int64{end, rows}, [2]int64{end, columns}, [2]int64{at, end}
		x := l.piece(a, [2]int64{at, rows}, own)
		parts := []*hlo.Instruction{x, zeros(1), zeros(1)}
		if at+1 < rows { // the compiler has no kernel for one element (3 probes)
			parts = l.block("LuRealDecompositionBlock", x, l.shape(hlo.F32, x.Shape.Dims), ints(end-at), ints(rows-at))
		}
		from := l.places(l.plus(parts[2], at))
		a = l.put(l.put(a, l.taken(a, from), at, 0), parts[0], at, at)
		pivots = l.put(pivots, l.plus(parts[1], at), at)
		order = l.put(order, l.taken(order, from), at)
		if end == columns {
			break
		}
		s := solve{linear: l, left: true, lower: true}
		a = l.put(a, s.of(l.piece(a, own, own), l.piece(a, own, right), true), at, end)
		if end < rows {
			rest := l.piece(a, below, right)
			known := l.product(l.piece(a, below, own), l.piece(a, own, right), l.columns(), l.rows())
			a = l.put(a, l.make(hlo.OpSubtract, l.in, rest.Shape.Dims, rest, known), end, end)
		}
	}
	return []*hlo.Instruction{a, pivots, order}
}

// plus adds a number to numbers of type s32.
func (l linear) plus(x *hlo.Instruction, n int64) *hlo.Instruction {
	if n == 0 {
		return x
	}
	return l.make(hlo.OpAdd, x, x.Shape.Dims, x, broadcast(l, x, l.integer(n), x.Shape.Dims, nil))
}

// places returns the indices of rows: those of the batch and their own.
func (l linear) places(rows *hlo.Instruction) *hlo.Instruction {
	dims := append(slices.Clone(rows.Shape.Dims), 1)
	var parts []*hlo.Instruction
	for d := range l.batch {
		parts = append(parts, l.count(dims, d))
	}
	return joined(l, rows, len(dims)-1, append(parts, reshaped(l, rows, dims))...)
}

// taken adds a gather of rows of matrices, or of elements of vectors.
func (l linear) taken(x, places *hlo.Instruction) *hlo.Instruction {
	placed := l.rows() + 1 // dimensions
	dims, size := slices.Clone(x.Shape.Dims), slices.Repeat([]int{1}, placed)
	dims[l.rows()] = places.Shape.Dims[l.rows()]
	var offset []int
	for d := placed; d < len(dims); d++ {
		offset, size = append(offset, d), append(size, int(dims[d]))
	}
	n := l.make(hlo.OpGather, x, dims, x, places)
	set(n, "slice_sizes", size)
	attribute(n, "index_vector_dim", intOf(placed))
	set(n, "start_index_map", ascendingTo(placed))
	set(n, "collapsed_slice_dims", ascendingTo(placed))
	set(n, "offset_dims", offset)
	return n
}
