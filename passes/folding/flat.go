package folding

import (
	"slices"
	"strconv"
	"strings"

	"hlolayout/hlo"
)

// flatFrom is from how many windows on the places of a scatter with several components are one number each, in a table
// whose first dimensions are one: of 160 such scatters in fusions those of 1024 and more are, those of 1000 and fewer
// pack the components.
const flatFrom = 1024

// flatScatter replaces a scatter of rows by the custom fusion of one with numbers for places: -1 for what is outside.
// The dimensions that are placed are one in the table, see flatOrder.
func (g *window) flatScatter(w *simplifier, in *hlo.Instruction, placed []int) *hlo.Instruction {
	order, at := g.flatOrder(w, placed)
	bounds, strides, all := make([]int64, len(placed)), make([]int64, len(placed)), int64(1)
	for k := at + len(placed) - 1; k >= at; k-- {
		i := slices.Index(placed, order[k])
		bounds[i], strides[i] = g.table.Shape.Dims[placed[i]], all
		all *= bounds[i]
	}
	indices := g.all(w)
	if indices.Shape.DType != hlo.S32 {
		indices = w.typed(hlo.OpConvert, indices, hlo.S32, indices.Shape.Dims, indices)
	}
	row := func(ns []int64) *hlo.Instruction { return g.row(w, indices, ns) }
	low := compared(w, filled(w, indices, indices.Shape.Dims, 0), indices, "LE")
	high := compared(w, row(bounds), indices, "GT")
	inside := reduced(w, w, in, hlo.OpAnd, w.make(hlo.OpAnd, low, low.Shape.Dims, low, high), g.vector, 1)
	place := w.make(hlo.OpMultiply, indices, indices.Shape.Dims, indices, row(strides))
	place = reduced(w, w, in, hlo.OpAdd, place, g.vector, 0)
	place = w.make(hlo.OpSelect, place, place.Shape.Dims, inside, place, filled(w, place, place.Shape.Dims, -1))

	b := newBody(w, in, "fused_computation")
	turned := transposed(w, g.table, order)
	dims := slices.Concat(turned.Shape.Dims[:at], []int64{all}, turned.Shape.Dims[at+len(placed):])
	table, list := b.parameter(reshaped(w, turned, dims)), b.parameter(reshaped(w, place, []int64{g.count}))
	out := b.make(hlo.OpScatter, in, dims, table, reshaped(b, list, g.batch), g.updates(w, b, g.turn(w, order)))
	out.Attrs = withoutBatching(in)
	out.SetCalled(in.Called())
	set(out, "inserted_window_dims", []int{at})
	set(out, "scatter_dims_to_operand_dims", []int{at})
	setValue(out, "index_vector_dim", intOf(len(g.batch)))
	f := b.fuse(out)
	f.Name, in.Name = in.Name, f.Name
	return transposed(w, reshaped(w, f, turned.Shape.Dims), inverse(order))
}

// flatOrder returns the dimensions of a table in the order in which those that are placed follow each other, and where
// these begin: the most compact order of the table has them so, or else they come first, in the order of the indices'
// components (32 of 32 probes, for v5e).
func (g *window) flatOrder(w *simplifier, placed []int) (order []int, at int) {
	order = w.target.BoundaryOrder(g.table.Shape.DType, g.table.Shape.Dims)
	slices.Reverse(order)
	isPlaced := func(d int) bool { return slices.Contains(placed, d) }
	at = slices.IndexFunc(order, isPlaced)
	if !slices.ContainsFunc(order[at:at+len(placed)], func(d int) bool { return !isPlaced(d) }) {
		return order, at
	}
	return slices.Concat(placed, slices.DeleteFunc(order, isPlaced)), 0
}

// turn returns the dimensions of a window in the order that those of the table that it keeps have, and has the rows of
// a scatter in it.
func (g *window) turn(w *simplifier, order []int) (rest []int64) {
	alone := g.alone()
	kept := hlo.OtherDims(len(order), alone)
	left := ascendingTo(g.rows.Shape.Rank())
	var offset []int
	for _, d := range order {
		if k := slices.Index(kept, d); k >= 0 {
			rest, offset = append(rest, g.table.Shape.Dims[d]), append(offset, g.offset[k])
		}
	}
	for i, d := range g.offset {
		left[d] = offset[i]
	}
	g.rows = transposed(w, g.rows, left)
	return rest
}

// all returns the indices with the components of batching dimensions, which come first.
func (g *window) all(w *simplifier) *hlo.Instruction {
	if len(g.batching[1]) == 0 {
		return g.indices
	}
	x, one := g.indices, g.one()
	if g.vector == x.Shape.Rank() {
		x = reshaped(w, x, one)
	}
	return concatenated(w, g.indices, g.vector, append(g.batchComponents(w, one), x)...)
}

// updates adds a parameter for the rows of a scatter, the batch first and as one dimension, and returns the rows inside
// of the body.
func (g *window) updates(w *simplifier, b *body, rest []int64) *hlo.Instruction {
	order := g.inOrder()
	rows := b.parameter(reshaped(w, transposed(w, g.rows, order), append([]int64{g.count}, rest...)))
	if rows = reshaped(b, rows, sizes(g.rows.Shape.Dims, order)); ascending(order) {
		return rows
	}
	rows = b.make(hlo.OpTranspose, rows, g.rows.Shape.Dims, rows)
	set(rows, "dimensions", inverse(order))
	return rows
}

// reduced adds a reduce of an array along a dimension, from a number on, for what takes the place of an instruction.
func reduced(w *simplifier, b maker, in *hlo.Instruction, op hlo.Opcode, x *hlo.Instruction, dim int,
	from int64) *hlo.Instruction {
	first := number(b, x, from)
	k := combining(w, in, op, first)
	n := b.make(hlo.OpReduce, x, slices.Delete(slices.Clone(x.Shape.Dims), dim, dim+1), x, first)
	k.appliedBy(n)
	set(n, "dimensions", []int{dim})
	return n
}

// row returns the same numbers for every window, one for each component of indices; those that count are an iota
// (algsimp).
func (g *window) row(w *simplifier, indices *hlo.Instruction, ns []int64) *hlo.Instruction {
	if slices.Equal(ns, []int64{0, 1}) {
		return counting(w, indices, indices.Shape.Dims, g.vector)
	}
	c := numbers(w, indices, ns)
	return broadcast(w, c, c, indices.Shape.Dims, []int{g.vector})
}

// numbers adds a vector of numbers, of another value's element type.
func numbers(b maker, like *hlo.Instruction, ns []int64) *hlo.Instruction {
	c := b.make(hlo.OpConstant, like, []int64{int64(len(ns))})
	texts := make([]string, len(ns))
	for i, n := range ns {
		texts[i] = strconv.FormatInt(n, 10)
	}
	c.SetLiteral("{" + strings.Join(texts, ", ") + "}")
	return c
}
