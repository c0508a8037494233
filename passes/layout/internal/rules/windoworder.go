package rules

import (
	"cmp"
	"slices"

	"hlolayout/hlo"
	"hlolayout/passes/layout/internal/ordering"
	"hlolayout/passes/layout/internal/rule"
)

// tableOrder returns the table's order with the given window dimensions minor: with a single one that the indices do
// not place, the second-minor one is chosen by padded size, and a table that this wastes is turned.
func (w *gatherScatter) tableOrder(minor []int) []int {
	mm := ordering.WithMinor(w.shape.Rank(), minor, w.cut)
	if len(minor) == 1 && w.On(rule.WindowPlaced) && w.places(minor[0]) {
		return mm
	}
	if whole := len(mm) - len(w.cut); len(minor) == 1 && len(mm) > 2 && whole > 1 {
		size := func(second int) int64 { return w.PaddedDims(w.shape.DType, w.shape.Dims, []int{mm[0], second}, 0) }
		bySize := func(a, b int) int { return cmp.Compare(size(a), size(b)) }
		second := slices.MinFunc(mm[1:whole], bySize)
		mm = ordering.WithMinor(w.shape.Rank(), []int{mm[0], second}, w.cut)
	}
	if turned := w.turned(mm); turned != nil && w.On(rule.TurnTable) {
		return turned
	}
	return mm
}

// places reports whether the indices of a gather say where the window is in a dimension.
func (w *gatherScatter) places(d int) bool {
	return slices.Contains(w.op.Ints("start_index_map"), d)
}

// turned returns the least padded order of a table with a dimension outside of the window minor and one of the window
// second-minor, the highest among equals, where the order mm wastes too much against it; nil elsewhere.
func (w *gatherScatter) turned(mm []int) (best []int) {
	size := w.PaddedDims(w.shape.DType, w.shape.Dims, mm, 0)
	least := size
	for d := w.shape.Rank() - 1; d >= 0; d-- {
		if slices.Contains(w.window, d) {
			continue
		}
		for _, second := range slices.Backward(w.window) {
			if n := w.PaddedDims(w.shape.DType, w.shape.Dims, []int{d, second}, 0); n < least {
				best, least = ordering.WithMinor(w.shape.Rank(), []int{d, second}, nil), n
			}
		}
	}
	if size <= ordering.Times(w.Limit(rule.WastedShare), least) ||
		ordering.Times(size-least, int64(max(w.shape.DType.Bits(), 8)))/8 <= w.Limit(rule.WastedBytes) ||
		size-least < ordering.Times(w.Limit(rule.WastedUpdates), w.updatesSize()) {
		return nil
	}
	return best
}

// updatesSize returns the padded size in elements of what a scatter writes, in descending order; 0 for a gather.
func (w *gatherScatter) updatesSize() int64 {
	if w.op.Opcode != hlo.OpScatter {
		return 0
	}
	s := w.op.Operands[len(w.op.Operands)-1].Shape
	return w.Padded(s, w.Orders.Descending(s.Rank()))
}

// isTurned reports whether a table's order has a dimension minor that is not in the window, as only a turned one has.
func (w *gatherScatter) isTurned(mm []int) bool {
	return len(w.window) > 0 && len(mm) > 1 && !slices.Contains(w.window, mm[0])
}

// resultOrder returns the result's order for operand k's: a scatter's is the table's, a gather's that of its slices.
func (w *gatherScatter) resultOrder(k int, o ordering.Order) ordering.Order {
	switch scatter := w.op.Opcode == hlo.OpScatter; {
	case k != w.table:
	case scatter && slices.Equal(w.in.Shape.Dims, w.in.Operands[k].Shape.Dims):
		return o
	case !scatter && w.in.Shape.Rank() == 1+len(w.window) && !w.isSpread(w.Orders.Get(o)):
		return w.Orders.Of(w.slicedOrder(w.Orders.Get(o), w.in.Shape.Rank()))
	}
	return ordering.None
}

// isSpread reports whether the indices of a gather have several dimensions and both minor dimensions of its table's
// order are outside of the window (gather-spread).
func (w *gatherScatter) isSpread(mm []int) bool {
	return w.op.Shape.Rank() > 1+len(w.window)+len(w.cut) && len(w.window) > 0 && ordering.Misses(mm, w.window) &&
		w.On(rule.GatherSpread)
}

// operandOrder returns the order of a scatter's operand k for the result's: the table's is the same; the updates have
// its two minor dimensions, and the others descending (gat), unless slices have neither (scatter_outside).
func (w *gatherScatter) operandOrder(k int, o ordering.Order) ordering.Order {
	switch s := w.in.Operands[k].Shape; {
	case k == w.table && slices.Equal(s.Dims, w.in.Shape.Dims):
		return o
	case k == w.updates && s.Rank() == 1+len(w.window) && !ordering.Misses(w.Orders.Get(o), w.window):
		mm := w.slicedOrder(w.Orders.Get(o), s.Rank())
		return w.Orders.Of(ordering.WithMinor(s.Rank(), mm[:2], nil))
	}
	return ordering.None
}

// slicedOrder renames the dimensions of the table's order to those of an array of slices: dimension 0 counts the
// slices, the others are the window. The slices are most major, unless a tile of the table reaches out of the window
// (16 of 16 tables of rank 4 and 5, and 7 of 7).
func (w *gatherScatter) slicedOrder(mm []int, rank int) []int {
	out := make([]int, 0, rank)
	for i, d := range mm {
		k := slices.Index(w.window, d) + 1
		if (k > 0 || i < 2) && !slices.Contains(out, k) {
			out = append(out, k)
		}
	}
	if len(out) < rank {
		out = append(out, 0)
	}
	return out
}

// keptTable returns the layout that a table of slices keeps (keep-table): a parameter's, where the minor dimension is
// in the window, and some other ones are not (the second-minor one may be outside); no order where it keeps none.
func (w *gatherScatter) keptTable() ordering.Tiled {
	if !w.On(rule.KeepTable) || len(w.window) < 2 || len(w.window) == w.shape.Rank() ||
		w.placed {
		return ordering.Tiled{}
	}
	o := w.G.Operand(w.node, w.table)
	c := w.LayoutOf(w.G.Whole(o))
	if w.G.Nodes[o].Op != hlo.OpParameter || c.Order == ordering.None {
		return ordering.Tiled{}
	}
	mm := w.Orders.Get(c.Order)
	large := int64(c.Rows) > w.Target.Rows(w.shape.DType, w.shape.Dims[mm[1]], false) // for the inside of a module
	if large || !slices.Contains(w.window, mm[0]) {
		return ordering.Tiled{}
	}
	return c
}

// sliced renames minor dimensions of the table to those of an array of slices: what is not in the window becomes the
// first dimension that counts the slices, if there is one among the rank dimensions.
func (w *gatherScatter) sliced(minor, to []int, rank int) (out []int) {
	counts := hlo.OtherDims(rank, to)
	for _, d := range minor {
		if at := slices.Index(w.window, d); at >= 0 {
			out = append(out, to[at])
		} else if len(counts) > 0 {
			out = append(out, counts[0])
		}
	}
	return out
}

// slicePair returns the minor dimensions of a slice: the two that make it compact (23 gathers with three or four window
// dimensions), or the two largest, and then the others.
func (w *gatherScatter) slicePair() []int {
	out := slices.Clone(w.window)
	if w.largest() {
		slices.Reverse(out)
		for i := range 2 { // the largest change places with the last dimensions
			k := i
			for j, d := range out[i:] {
				if w.sizes[d] > w.sizes[out[k]] {
					k = i + j
				}
			}
			out[i], out[k] = out[k], out[i]
		}
		return out
	}
	switch len(out) {
	case 0, 1:
		return out
	case 2:
		return w.MinorPair(w.shape.DType, w.sizes, out[1], out[0], false)
	}
	dims := make([]int64, len(out))
	for i, d := range out {
		dims[i] = w.sizes[d]
	}
	slice := w.G.Module.Intern(hlo.NewArray(w.shape.DType, dims, nil))
	mm := w.Orders.Get(w.MemoryOrder(slice, w.Orders.Descending(len(out)), 0))
	return []int{out[mm[0]], out[mm[1]]}
}

// largest reports whether the two largest dimensions of a window of several are minor (window-largest).
func (w *gatherScatter) largest() bool {
	if len(w.window) < 2 {
		return false
	}
	if len(w.window)+len(w.cut) == w.shape.Rank() {
		return true
	}
	n := int64(1)
	for _, d := range w.window {
		n = ordering.Times(n, w.sizes[d])
	}
	return (w.placed || w.outside && n >= w.Limit(rule.LargeSlice)) && w.On(rule.WindowLargest)
}

// asked returns the layout that a gather or scatter asks of its table, and the dimensions that are minor in a slice:
// the table's own where it keeps it.
func (w *gatherScatter) asked() (table ordering.Tiled, minor []int) {
	minor = w.slicePair()
	table = w.tableFor(minor).Untiled()
	if mm := w.Orders.Get(table.Order); w.isTurned(mm) {
		return table, mm[:2]
	}
	if kept := w.keptTable(); kept.Order != ordering.None {
		return kept, w.Orders.Get(kept.Order)[:2]
	}
	return table, minor
}

// gathered returns the order in which a gather gives its slices: with the dimensions minor that are minor in its table.
// Where some are cut, all have the order of the table (window-cut).
func (w *gatherScatter) gathered() ordering.Order {
	rank := w.G.ShapeOf(w.node).Rank()
	if w.inResult == nil {
		return w.Orders.Descending(rank)
	}
	table, minor := w.asked()
	if len(w.cut) == 0 {
		return w.Orders.Of(ordering.WithMinor(rank, w.sliced(minor, w.inResult, rank), nil))
	}
	mm := w.Orders.Get(table.Order)
	order := w.sliced(mm[:2], w.inResult, rank)
	dims, to := slices.Concat(w.window, w.cut), slices.Concat(w.inResult, w.cutInResult)
	for _, d := range mm {
		if k := slices.Index(dims, d); k >= 0 && !slices.Contains(order, to[k]) {
			order = append(order, to[k])
		}
	}
	return w.Orders.Of(ordering.WithMinor(rank, order, nil))
}

// tableFor returns the order of a table with the given window dimensions minor, the compact one for a scatter of single
// elements, of several the one that the text has.
func (w *gatherScatter) tableFor(minor []int) ordering.Order {
	if w.op.Opcode == hlo.OpScatter && len(w.window) == 0 && w.shape.Rank() > 1 && w.On(rule.ElementScatter) {
		return w.MemoryOrder(w.shape, w.Orders.Of(ordering.Written(w.shape)), 0)
	}
	return w.Orders.Of(w.tableOrder(minor))
}
