package rules

import (
	"slices"

	"hlolayout/hlo"
	"hlolayout/passes/internal/flat"
	"hlolayout/passes/layout/internal/ordering"
	"hlolayout/passes/layout/internal/rule"
)

// isIndices reports whether a gather or scatter reads the node as its indices.
func (e *Set) isIndices(n flat.NodeID) bool {
	for _, u := range e.G.Users(n) {
		if w := e.windowAt[u.Node]; w >= 0 {
			k := int(u.Slot - e.G.Nodes[u.Node].FirstSlot)
			if k != e.windows[w].updates && k != e.windows[w].table {
				return true
			}
		}
	}
	return false
}

// isGathered reports whether a gather reads the node as its table.
func (e *Set) isGathered(n flat.NodeID) bool {
	for _, u := range e.G.Users(n) {
		if w := e.windowAt[u.Node]; w >= 0 && e.windows[w].op.Opcode == hlo.OpGather &&
			flat.SlotID(e.windows[w].table) == u.Slot-e.G.Nodes[u.Node].FirstSlot {
			return true
		}
	}
	return false
}

// gatherScatter is a gather or scatter, by itself or inside a custom fusion.
type gatherScatter struct {
	node flat.NodeID      // the instruction that is constrained: the operation or the fusion around it
	op   *hlo.Instruction // the gather or scatter
	// table and updates are the operand numbers of the node that hold them, -1 where none does by itself
	table, updates int
	// window are the table's dimensions that one slice covers, ascending; inUpdates the same dimensions there, and
	// inResult in the node's result, nil where they cannot be followed
	window, inResult, inUpdates []int
	// outside is set where the table had a dimension minor that is not in the window when the layouts were found invalid
	outside bool
	// forced is set once the layouts were found invalid; kept is the order that the table of a gather without a
	// window had then. Where keeping it costs a copy, the table's own order takes its place, once (erased;
	// gather_diagonal, the log's "element gather erases proposed layout").
	forced bool
	erased bool
	// lay is the layout of the updates after the last run, without the copies that it took; none in the first run
	lay  ordering.Order
	kept ordering.Tiled
}

// findWindows lists the gathers and scatters.
func (e *Set) findWindows() {
	for n := range flat.NodeID(len(e.G.Nodes) - 1) {
		nd := &e.G.Nodes[n]
		op := nd.In
		if nd.Op == hlo.OpFusion {
			if op = flat.GatherScatterIn(nd.In); op == nil {
				continue
			}
		} else if nd.Op != hlo.OpGather && nd.Op != hlo.OpScatter {
			continue
		}
		w := newGatherScatter(n, nd.In, op)
		e.windowAt[n] = int32(len(e.windows))
		e.windows = append(e.windows, w)
	}
}

func newGatherScatter(n flat.NodeID, in, op *hlo.Instruction) gatherScatter {
	w := gatherScatter{node: n, op: op, lay: ordering.None, kept: ordering.None.Untiled(), table: operandFor(in, op, 0),
		updates: -1}
	s := op.Operands[0].Shape
	outside := op.Ints("collapsed_slice_dims")
	outside = append(outside, op.Ints("operand_batching_dims")...)
	if op.Opcode == hlo.OpScatter {
		outside = append(op.Ints("inserted_window_dims"), op.Ints("input_batching_dims")...)
		w.inUpdates = op.Ints("update_window_dims")
		w.updates = operandFor(in, op, flat.UpdatesAt(op))
	} else {
		w.inResult = followed(in, op, op.Ints("offset_dims"))
	}
	for d := range s.Rank() {
		if !slices.Contains(outside, d) {
			w.window = append(w.window, d)
		}
	}
	if w.table >= 0 && !slices.Equal(in.Operands[w.table].Shape.Dims, s.Dims) {
		w.table = -1
	}
	return w
}

// early reports whether the operation is constrained in the first run: a gather with a single window dimension or
// with all of the table's (164 of 164, against 0 of 167 others); a scatter without a window, or one that is invalid
// as the text has it, whose table or result are not in the order that it requests, or whose updates have the slices
// among their minor dimensions; and one whose table the entry gives with the window minor (all 131 scatters with a
// window).
func (w *gatherScatter) early(e *Set) bool {
	if w.op.Opcode == hlo.OpGather {
		return e.On(rule.GatherEarly) && (len(w.window) == 1 ||
			len(w.window) == w.op.Operands[0].Shape.Rank() && len(w.window) > 0)
	}
	if len(w.window) == 0 || !e.On(rule.ScatterEarly) {
		return true
	}
	in := e.G.Nodes[w.node].In
	if w.updates >= 0 && in.Operands[w.updates].Shape.Rank() > 1 {
		p := in.Operands[w.updates].Shape
		mm := ordering.Written(p)
		if w.lay != ordering.None {
			mm = e.Orders.Get(w.lay)
		}
		if !w.updatesValid(p, mm) {
			return true
		}
	}
	if w.table < 0 {
		return false
	}
	s := in.Operands[w.table].Shape
	if !slices.Equal(ordering.Written(s), e.Orders.Get(w.scatterTable(e))) {
		return true
	}
	o := e.G.Operand(w.node, w.table)
	c := e.MinorToMajor(o)
	return e.G.IsEntryParameter(o) && c != ordering.None && ordering.Covers(e.Orders.Get(c), w.window, len(w.window))
}

// tableOrder returns the table's order with the given window dimensions minor: with a single one that the indices do
// not place, the second-minor one is chosen by padded size. A table that this wastes is turned.
func (w *gatherScatter) tableOrder(e *Set, minor []int) []int {
	s := w.op.Operands[0].Shape
	var major []int
	if w.largest(e) {
		major = freeDims(s.Rank(), w.window, nil)
	}
	mm := ordering.WithMinor(s.Rank(), minor, major)
	if len(minor) == 1 && s.Rank() > 2 && !(e.On(rule.WindowPlaced) && w.places(minor[0])) {
		best, bestSize := 1, e.PaddedDims(s.DType, s.Dims, mm)
		for k := 2; k < len(mm); k++ {
			if size := e.PaddedDims(s.DType, s.Dims, ordering.WithMinor(s.Rank(), []int{mm[0], mm[k]}, nil)); size < bestSize {
				best, bestSize = k, size
			}
		}
		mm = ordering.WithMinor(s.Rank(), []int{mm[0], mm[best]}, nil)
	}
	if turned := w.turned(e, mm); turned != nil && e.On(rule.TurnTable) {
		return turned
	}
	return mm
}

// places reports whether the indices say where the window is in a dimension.
func (w *gatherScatter) places(d int) bool {
	if w.op.Opcode == hlo.OpScatter {
		return slices.Contains(w.op.Ints("scatter_dims_to_operand_dims"), d)
	}
	return slices.Contains(w.op.Ints("start_index_map"), d)
}

// turned returns the least padded order of a table with a dimension outside of the window minor and one of the window
// second-minor, the highest among equals, where the order mm wastes too much against it; nil elsewhere.
func (w *gatherScatter) turned(e *Set, mm []int) (best []int) {
	s := w.op.Operands[0].Shape
	size := e.PaddedDims(s.DType, s.Dims, mm)
	least := size
	for d := s.Rank() - 1; d >= 0; d-- {
		if slices.Contains(w.window, d) {
			continue
		}
		for _, second := range slices.Backward(w.window) {
			o := ordering.WithMinor(s.Rank(), []int{d, second}, nil)
			if n := e.PaddedDims(s.DType, s.Dims, o); n < least {
				best, least = o, n
			}
		}
	}
	if size <= ordering.Times(e.Limit(rule.WastedShare), least) ||
		ordering.Times(size-least, int64(max(s.DType.Bits(), 8)))/8 <= e.Limit(rule.WastedBytes) {
		return nil
	}
	return best
}

// isTurned reports whether a table's order has a dimension minor that is not in the window, as only a turned one has.
func (w *gatherScatter) isTurned(mm []int) bool {
	return len(w.window) > 0 && len(mm) > 1 && !slices.Contains(w.window, mm[0])
}

// resultOrder returns the result's order for operand k's: a scatter's is the table's, a gather's that of its slices.
func (w *gatherScatter) resultOrder(e *Set, k int, o ordering.Order) ordering.Order {
	in := e.G.Nodes[w.node].In
	if k != w.table || in.Shape.IsTuple() {
		return ordering.None
	}
	if w.op.Opcode == hlo.OpScatter {
		if slices.Equal(in.Shape.Dims, in.Operands[k].Shape.Dims) {
			return o
		}
		return ordering.None
	}
	if in.Shape.Rank() != 1+len(w.window) {
		return ordering.None
	}
	return e.Orders.Of(w.slicedOrder(e.Orders.Get(o), in.Shape.Rank()))
}

// operandOrder returns the order of a scatter's operand k for the result's: the table's is the same; the updates have
// its two minor dimensions, and the others descending (gat). A gather asks nothing of its operands.
func (w *gatherScatter) operandOrder(e *Set, k int, o ordering.Order) ordering.Order {
	in := e.G.Nodes[w.node].In
	if w.op.Opcode != hlo.OpScatter || in.Shape.IsTuple() {
		return ordering.None
	}
	switch s := in.Operands[k].Shape; {
	case k == w.table && slices.Equal(s.Dims, in.Shape.Dims):
		return o
	case k == w.updates && s.Rank() > 1 && s.Rank() == 1+len(w.window):
		mm := w.slicedOrder(e.Orders.Get(o), s.Rank())
		return e.Orders.Of(ordering.WithMinor(s.Rank(), mm[:2], nil))
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

// asksWindow returns the gather or scatter that an instruction is or holds, if it requests anything in this run.
func (e *Set) asksWindow(n flat.NodeID, op hlo.Opcode) *gatherScatter {
	at := e.windowAt[n]
	if at < 0 || e.windows[at].op.Opcode != op {
		return nil
	}
	if w := &e.windows[at]; w.forced || w.early(e) {
		return w
	}
	return nil
}

// keptTable returns the order that a table of slices keeps: a parameter's, where the minor dimension is in the
// window, and some other ones are not (10 of 10; the second-minor one may be outside), with its tile (35 of 35 in the
// log); no order where it keeps none.
func (w *gatherScatter) keptTable(e *Set) ordering.Tiled {
	if !e.On(rule.KeepTable) || w.table < 0 || len(w.window) < 2 || len(w.window) == w.op.Operands[0].Shape.Rank() {
		return ordering.None.Untiled()
	}
	o := e.G.Operand(w.node, w.table)
	if c := e.LayoutOf(e.G.Whole(o)); e.G.Nodes[o].Op == hlo.OpParameter && c.Order != ordering.None {
		if slices.Contains(w.window, e.Orders.Get(c.Order)[0]) {
			return c
		}
	}
	return ordering.None.Untiled()
}

// sliced renames minor dimensions of the table to those of an array of slices: what is not in the window becomes the
// first dimension that counts the slices, if there is one among the rank dimensions.
func (w *gatherScatter) sliced(minor, to []int, rank int) (out []int) {
	for _, d := range minor {
		at := slices.Index(w.window, d)
		if at >= 0 && at < len(to) {
			out = append(out, to[at])
			continue
		}
		for k := range rank {
			if at < 0 && !slices.Contains(to, k) {
				out = append(out, k)
				break
			}
		}
	}
	return out
}

// slicePair returns the two minor dimensions of a slice: the two largest, the last ones among equals, or those that
// make it compact (23 gathers with three or four window dimensions).
func (w *gatherScatter) slicePair(e *Set, t hlo.DType, sizes []int64) []int {
	if len(w.window) < 3 {
		return e.ByPaddedPair(t, sizes, w.window)
	}
	out := slices.Clone(w.window)
	if w.largest(e) {
		slices.Reverse(out)
		for i := range 2 { // the largest change places with the last dimensions
			k := i
			for j, d := range out[i:] {
				if sizes[d] > sizes[out[k]] || sizes[d] == sizes[out[k]] && d > out[k] {
					k = i + j
				}
			}
			out[i], out[k] = out[k], out[i]
		}
		return out
	}
	mm := e.Orders.Get(e.MemoryOrder(w.slice(e, t, sizes), e.Orders.Descending(len(out)), 0))
	return []int{out[mm[0]], out[mm[1]]}
}

// slice returns the shape of a slice.
func (w *gatherScatter) slice(e *Set, t hlo.DType, sizes []int64) *hlo.Shape {
	dims := make([]int64, len(w.window))
	for i, d := range w.window {
		dims[i] = sizes[d]
	}
	return e.G.Module.Intern(hlo.NewArray(t, dims, nil))
}

// largest reports whether the two largest dimensions of a window of three or more are minor: where it has all of the
// table's dimensions, or is large and the table had another one minor.
func (w *gatherScatter) largest(e *Set) bool {
	if len(w.window) == w.op.Operands[0].Shape.Rank() {
		return true
	}
	n := int64(1)
	for _, k := range w.op.Ints("slice_sizes") {
		n = ordering.Times(n, int64(k))
	}
	return len(w.window) > 2 && w.outside && n >= e.Limit(rule.LargeSlice) && e.On(rule.WindowLargest)
}

// asked returns the layout that a gather or scatter asks of its table, and the dimensions that are minor in a slice:
// the table's own where it keeps it.
func (w *gatherScatter) asked(e *Set) (table ordering.Tiled, minor []int) {
	table, minor = w.wanted(e)
	if mm := e.Orders.Get(table.Order); w.isTurned(mm) {
		return table, mm[:2]
	}
	if kept := w.keptTable(e); kept.Order != ordering.None {
		return kept, e.Orders.Get(kept.Order)[:2]
	}
	return table, minor
}

// wanted is asked of a table that is not kept.
func (w *gatherScatter) wanted(e *Set) (table ordering.Tiled, minor []int) {
	s := w.op.Operands[0].Shape
	if w.op.Opcode == hlo.OpScatter {
		return w.scatterTable(e).Untiled(), w.scatterMinor(e)
	}
	sizes := make([]int64, s.Rank())
	for i, n := range w.op.Ints("slice_sizes") {
		sizes[i] = int64(n)
	}
	minor = w.slicePair(e, s.DType, sizes)
	return e.Orders.Of(w.tableOrder(e, minor)).Untiled(), minor
}

// gathered returns the order in which a gather gives its slices: with the dimensions minor that are minor in its table.
func (w *gatherScatter) gathered(e *Set) ordering.Order {
	rank := e.G.ShapeOf(w.node).Rank()
	if w.inResult == nil {
		return e.Orders.Descending(rank)
	}
	_, minor := w.asked(e)
	return e.Orders.Of(ordering.WithMinor(rank, w.sliced(minor, w.inResult, rank), nil))
}

// scatterMinor returns the window's dimensions in the order in which a scatter requests them, minor first.
func (w *gatherScatter) scatterMinor(e *Set) []int {
	u := w.op.Operands[flat.UpdatesAt(w.op)].Shape
	sizes := make([]int64, w.op.Operands[0].Shape.Rank())
	for i, d := range w.window {
		sizes[d] = u.Dims[w.inUpdates[i]]
	}
	return w.slicePair(e, u.DType, sizes)
}

// scatterTable returns the order that a scatter asks of its table and gives: two window dimensions minor, the others
// descending.
func (w *gatherScatter) scatterTable(e *Set) ordering.Order {
	if s := w.op.Operands[0].Shape; len(w.window) == 0 && s.Rank() > 1 && e.On(rule.ElementScatter) {
		return e.CompactOrder(s, 0) // single elements
	}
	minor := w.scatterMinor(e)
	return e.Orders.Of(w.tableOrder(e, minor[:min(2, len(minor))]))
}

// valid reports whether the window dimensions are minor where they must be.
func (w *gatherScatter) valid(e *Set) bool {
	s := w.op.Operands[0].Shape
	count := len(w.window)
	if count == 0 && w.op.Opcode == hlo.OpGather && w.table >= 0 && s.Rank() > 0 && e.On(rule.ElementGather) {
		return false // single elements are always repaired, with the table in its existing layout (22 gathers)
	}
	if count == 0 || s.Rank() < 2 || w.table < 0 {
		return true
	}
	in := e.G.Nodes[w.node].In
	if table, _ := w.wanted(e); w.isTurned(e.Orders.Get(table.Order)) {
		gives := w.op.Opcode == hlo.OpScatter || in.Shape.IsTuple() || e.MinorToMajor(w.node) == w.gathered(e)
		return gives && e.Taken(w.node, w.table) == table.Order
	}
	if !ordering.Covers(e.Orders.Get(e.Taken(w.node, w.table)), w.window, count) {
		return false
	}
	if w.op.Opcode == hlo.OpGather {
		return w.inResult == nil || w.slicesValid(e)
	}
	if in.Shape.IsArray() && slices.Equal(in.Shape.Dims, w.op.Shape.Dims) &&
		!ordering.Covers(e.Orders.Get(e.MinorToMajor(w.node)), w.window, count) {
		return false
	}
	return w.updates < 0 || w.updatesValid(in.Operands[w.updates].Shape, e.Orders.Get(e.Taken(w.node, w.updates)))
}

// slicesValid reports whether all of the window is more minor in what a gather gives than the dimensions that count
// the slices (slices).
func (w *gatherScatter) slicesValid(e *Set) bool {
	for _, d := range e.Orders.Get(e.MinorToMajor(w.node))[:min(len(w.window), e.G.ShapeOf(w.node).Rank())] {
		if !slices.Contains(w.inResult, d) {
			return false
		}
	}
	return true
}

// updatesValid reports whether an order of a scatter's updates keeps the slices apart from its minor dimensions.
func (w *gatherScatter) updatesValid(p *hlo.Shape, mm []int) bool {
	count := len(w.window)
	u := w.op.Operands[flat.UpdatesAt(w.op)].Shape
	if p.Rank() != 1+count {
		return true
	}
	trailing := true // the window dimensions of the updates come after the one for the indices
	for i, d := range w.inUpdates {
		trailing = trailing && d == i+1
	}
	return (u.Rank() != p.Rank() || !trailing || !slices.Contains(mm[:min(2, count)], 0)) &&
		(u.Rank() <= p.Rank() || mm[0] != 0)
}

func (e *Set) windowDown(n flat.NodeID, slot flat.SlotID, o ordering.Order) ordering.Order {
	return e.windows[e.windowAt[n]].resultOrder(e, int(slot-e.G.Nodes[n].FirstSlot), o)
}
