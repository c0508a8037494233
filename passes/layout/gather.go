package layout

import (
	"cmp"
	"slices"

	"hlolayout/hlo"
)

// windowed is a gather or scatter, by itself or inside a custom fusion (3.5).
type windowed struct {
	node int32            // the instruction that is constrained: the operation or the fusion around it
	op   *hlo.Instruction // the gather or scatter
	// table and updates are the operand numbers of the node that hold them, -1 where none does by itself
	table, updates int
	// window are the table's dimensions that one slice covers, ascending; inUpdates the same dimensions there, and inResult in the
	// node's result, nil where they cannot be followed
	window, inResult, inUpdates []int
	// forced is set once the layouts were found invalid; kept is the order that the table of a gather without a window had then.
	// Where keeping it costs a copy, the table's own order takes its place, once (erased; gather_diagonal, the log's "element
	// gather erases proposed layout").
	forced bool
	erased bool
	// lay is how the updates lay after the last run, without the copies that it took; none in the first run
	lay  order
	kept tiled
}

// findWindows lists the gathers and scatters.
func (e *engine) findWindows() {
	for n := range int32(len(e.g.nodes) - 1) {
		nd := &e.g.nodes[n]
		op := nd.in
		if nd.op == hlo.OpFusion {
			if op = windowedIn(nd.in); op == nil {
				continue
			}
		} else if nd.op != hlo.OpGather && nd.op != hlo.OpScatter {
			continue
		}
		w := newWindowed(n, nd.in, op)
		e.windowAt[n] = int32(len(e.windows))
		e.windows = append(e.windows, w)
	}
}

func newWindowed(n int32, in, op *hlo.Instruction) windowed {
	w := windowed{node: n, op: op, lay: none, kept: tiled{order: none}, table: operandFor(in, op, 0), updates: -1}
	s := op.Operands[0].Shape
	outside := op.Ints("collapsed_slice_dims")
	outside = append(outside, op.Ints("operand_batching_dims")...)
	if op.Opcode == hlo.OpScatter {
		outside = append(op.Ints("inserted_window_dims"), op.Ints("input_batching_dims")...)
		w.inUpdates = op.Ints("update_window_dims")
		w.updates = operandFor(in, op, updatesAt(op))
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

// updatesAt is the operand number of a scatter's first updates: tables come first, then the indices, then as many updates.
func updatesAt(scatter *hlo.Instruction) int { return (len(scatter.Operands)-1)/2 + 1 }

// covers reports whether all of the (one or two) minor dimensions of an order are among window.
func covers(mm, window []int, count int) bool {
	for _, d := range mm[:min(2, count, len(mm))] {
		if !slices.Contains(window, d) {
			return false
		}
	}
	return true
}

// early reports whether the operation is constrained in the first run (3.5): a gather with a single window dimension or with all of the
// table's (164 of 164, against 0 of 167 others); a scatter
// without a window, or one that is invalid as the text has it, whose table or result are not in the order that it asks for, or whose
// updates have the slices among their minor dimensions; and one whose table the entry gives with the window minor
// (all 131 scatters with a window; dlrm_train, joints, unet_nchw_g).
func (w *windowed) early(e *engine) bool {
	if w.op.Opcode == hlo.OpGather {
		return len(w.window) == 1 || len(w.window) == w.op.Operands[0].Shape.Rank() && len(w.window) > 0
	}
	if len(w.window) == 0 {
		return true
	}
	in := e.g.nodes[w.node].in
	if w.updates >= 0 && in.Operands[w.updates].Shape.Rank() > 1 {
		p := in.Operands[w.updates].Shape
		mm := written(p)
		if w.lay != none {
			mm = e.orders.get(w.lay)
		}
		if !w.updatesValid(p, mm) {
			return true
		}
	}
	if w.table < 0 {
		return false
	}
	s := in.Operands[w.table].Shape
	if !slices.Equal(written(s), e.orders.get(w.scatterTable(e))) {
		return true
	}
	o := e.g.operand(w.node, w.table)
	c := e.bufferC[e.g.whole(o)].order
	return e.isEntryParameter(o) && c != none && covers(e.orders.get(c), w.window, len(w.window))
}

// written returns the order in which the text has an array before any layout was assigned: without tiles, else descending.
func written(s *hlo.Shape) []int {
	if l := s.Layout; l != nil && len(l.Tiles) == 0 {
		return l.MinorToMajor
	}
	return hlo.Descending(s.Rank())
}

func (e *engine) isEntryParameter(n int32) bool {
	nd := &e.g.nodes[n]
	return nd.op == hlo.OpParameter && e.g.comps[nd.comp].entry
}

// tableOrder returns the table's order with the given window dimensions minor: with a single one, the second-minor one is
// chosen by padded size.
func (w *windowed) tableOrder(e *engine, minor []int) []int {
	s := w.op.Operands[0].Shape
	mm := withMinor(s.Rank(), minor, nil)
	if len(minor) != 1 || s.Rank() <= 2 {
		return mm
	}
	best, bestSize := 1, e.paddedDims(s.DType, s.Dims, mm)
	for k := 2; k < len(mm); k++ {
		if size := e.paddedDims(s.DType, s.Dims, withMinor(s.Rank(), []int{mm[0], mm[k]}, nil)); size < bestSize {
			best, bestSize = k, size
		}
	}
	return withMinor(s.Rank(), []int{mm[0], mm[best]}, nil)
}

// renamed maps window dimensions of the table to those of another array.
func (w *windowed) renamed(minor, to []int) []int {
	var out []int
	for _, d := range minor {
		if k := slices.Index(w.window, d); k >= 0 && k < len(to) {
			out = append(out, to[k])
		}
	}
	return out
}

// resultOrder returns the result's order for operand k's: a scatter's is the table's; a gather's has the window dimensions in the table's
// order, and that of the slices where the table's first dimension is that is not in the window (beam_len, go_mcts, unet_nchw).
func (w *windowed) resultOrder(e *engine, k int, o order) order {
	in := e.g.nodes[w.node].in
	if k != w.table || in.Shape.IsTuple() {
		return none
	}
	if w.op.Opcode == hlo.OpScatter {
		if slices.Equal(in.Shape.Dims, in.Operands[k].Shape.Dims) {
			return o
		}
		return none
	}
	if in.Shape.Rank() != 1+len(w.window) {
		return none
	}
	return e.orders.of(w.slicedOrder(e.orders.get(o), in.Shape.Rank()))
}

// operandOrder returns the order of a scatter's operand k for the result's: the table's is the same; the updates have its two minor
// dimensions, and the others descending (gat, unet_nchw_g). A gather asks nothing of its operands.
func (w *windowed) operandOrder(e *engine, k int, o order) order {
	in := e.g.nodes[w.node].in
	if w.op.Opcode != hlo.OpScatter || in.Shape.IsTuple() {
		return none
	}
	switch s := in.Operands[k].Shape; {
	case k == w.table && slices.Equal(s.Dims, in.Shape.Dims):
		return o
	case k == w.updates && s.Rank() > 1 && s.Rank() == 1+len(w.window):
		mm := w.slicedOrder(e.orders.get(o), s.Rank())
		return e.orders.of(withMinor(s.Rank(), mm[:2], nil))
	}
	return none
}

// slicedOrder renames the dimensions of the table's order to those of an array of slices: dimension 0 counts the slices, the others are
// the window.
func (w *windowed) slicedOrder(mm []int, rank int) []int {
	out := make([]int, 0, rank)
	for _, d := range mm {
		k := slices.Index(w.window, d) + 1
		if !slices.Contains(out, k) {
			out = append(out, k)
		}
	}
	if len(out) < rank { // the window has all of the table's dimensions
		out = append(out, 0)
	}
	return out
}

// constrain sets the layouts of 3.5.
func (w *windowed) constrain(e *engine) {
	if !w.forced && !w.early(e) {
		return
	}
	if w.op.Opcode == hlo.OpGather {
		w.constrainGather(e)
	} else {
		w.constrainScatter(e)
	}
}

// keptTable returns the order that a table of slices keeps: a parameter's, where the minor dimension is in the window, and some other
// ones are not (10 of 10; the second-minor one may be outside), with its tile (35 of 35 in the log); no order where it keeps none.
func (w *windowed) keptTable(e *engine) tiled {
	if w.table < 0 || len(w.window) < 2 || len(w.window) == w.op.Operands[0].Shape.Rank() {
		return tiled{order: none}
	}
	o := e.g.operand(w.node, w.table)
	if c := &e.bufferC[e.g.whole(o)]; e.g.nodes[o].op == hlo.OpParameter && c.order != none {
		if slices.Contains(w.window, e.orders.get(c.order)[0]) {
			return tiled{c.order, c.rows}
		}
	}
	return tiled{order: none}
}

// sliced is renamed for the two minor dimensions of an array of slices: one that is not in the window becomes the first that counts the
// slices, if there is one among the rank dimensions.
func (w *windowed) sliced(minor, to []int, rank int) []int {
	out := w.renamed(minor, to)
	for d := 0; d < rank && len(out) < len(minor) && len(w.window) > 1; d++ {
		if !slices.Contains(to, d) {
			return append(out, d)
		}
	}
	return out
}

// slicePair returns the two minor dimensions of a slice: where it has all of the table's dimensions the two largest, else those of the least
// padded size; the last ones among equals (23 gathers with three or four window dimensions).
func (w *windowed) slicePair(e *engine, t hlo.DType, sizes []int64) []int {
	if len(w.window) < 3 {
		return e.byPaddedPair(t, sizes, w.window)
	}
	if len(w.window) == len(sizes) {
		out := slices.Clone(w.window)
		slices.SortFunc(out, func(a, b int) int { return cmp.Or(cmp.Compare(sizes[b], sizes[a]), b-a) })
		return out[:2]
	}
	var pair []int
	least := int64(most)
	for _, a := range slices.Backward(w.window) {
		for _, b := range slices.Backward(w.window) {
			if a == b {
				continue
			}
			n := e.t.PaddedPair(t, sizes[b], sizes[a])
			for _, d := range w.window {
				if d != a && d != b {
					n = times(n, sizes[d])
				}
			}
			if pair == nil || n < least {
				pair, least = []int{a, b}, n
			}
		}
	}
	return pair
}

func (w *windowed) constrainGather(e *engine) {
	g := e.g
	in := g.nodes[w.node].in
	s := w.op.Operands[0].Shape
	why := cause{ruleGather, w.node}
	sizes := make([]int64, s.Rank())
	for i, n := range w.op.Ints("slice_sizes") {
		sizes[i] = int64(n)
	}
	minor := w.slicePair(e, s.DType, sizes)
	table := tiled{order: e.orders.of(w.tableOrder(e, minor))}
	slot := g.nodes[w.node].operand
	if w.table >= 0 && len(w.window) == 0 {
		e.rows = w.kept.rows
		e.setOperand(w.node, slot+int32(w.table), w.kept.order, must, why)
		e.rows = 0
	}
	if w.table >= 0 && len(w.window) > 0 {
		if kept := w.keptTable(e); kept.order != none {
			table, minor = kept, e.orders.get(kept.order)[:2]
		}
		e.rows = table.rows
		e.setOperand(w.node, slot+int32(w.table), table.order, must, why)
		e.rows = 0
	}
	if in.Shape.IsTuple() {
		return
	}
	out := hlo.Descending(in.Shape.Rank())
	if w.inResult != nil {
		out = withMinor(in.Shape.Rank(), w.sliced(minor, w.inResult, in.Shape.Rank()), nil)
	}
	e.setInstruction(w.node, e.orders.of(out), must, why)
}

func (w *windowed) constrainScatter(e *engine) {
	g := e.g
	in := g.nodes[w.node].in
	s := w.op.Operands[0].Shape
	why := cause{ruleScatter, w.node}
	minor := w.scatterMinor(e)
	table := tiled{order: w.scatterTable(e)}
	if kept := w.keptTable(e); kept.order != none {
		table, minor = kept, e.orders.get(kept.order)[:2]
	}
	slot := g.nodes[w.node].operand
	if w.updates >= 0 {
		p := in.Operands[w.updates].Shape
		mm := hlo.Descending(p.Rank())
		if to := led(w.op.Operands[updatesAt(w.op)], w.inUpdates); to != nil && slices.Max(append(to, -1)) < p.Rank() {
			mm = withMinor(p.Rank(), w.sliced(minor, to, p.Rank()), nil)
		}
		e.setOperand(w.node, slot+int32(w.updates), e.orders.of(mm), mustLate, why)
	}
	e.rows = table.rows
	if w.table >= 0 {
		e.setOperand(w.node, slot+int32(w.table), table.order, must, why)
	}
	if in.Shape.IsArray() && slices.Equal(in.Shape.Dims, s.Dims) {
		e.setInstruction(w.node, table.order, must, why)
	}
	e.rows = 0
}

// scatterMinor returns the window's dimensions in the order in which a scatter asks for them, minor first.
func (w *windowed) scatterMinor(e *engine) []int {
	u := w.op.Operands[updatesAt(w.op)].Shape
	sizes := make([]int64, w.op.Operands[0].Shape.Rank())
	for i, d := range w.window {
		sizes[d] = u.Dims[w.inUpdates[i]]
	}
	return w.slicePair(e, u.DType, sizes)
}

// scatterTable returns the order that a scatter asks of its table and gives: two window dimensions minor, the others descending.
func (w *windowed) scatterTable(e *engine) order {
	if s := w.op.Operands[0].Shape; len(w.window) == 0 && s.Rank() > 1 {
		return e.compactOrder(s, 0) // single elements (mcts, go_mcts, moe_topk)
	}
	minor := w.scatterMinor(e)
	return e.orders.of(w.tableOrder(e, minor[:min(2, len(minor))]))
}

// valid reports whether the window dimensions are minor where they must be (section 4).
func (w *windowed) valid(e *engine) bool {
	s := w.op.Operands[0].Shape
	count := len(w.window)
	if count == 0 && w.op.Opcode == hlo.OpGather && w.table >= 0 && s.Rank() > 0 {
		return false // single elements are always repaired, with the table as it lies (22 gathers; resnet18_train_f32 runs again for nothing else)
	}
	if count == 0 || s.Rank() < 2 || w.table < 0 {
		return true
	}
	in := e.g.nodes[w.node].in
	if !covers(e.orders.get(e.taken(w.node, w.table)), w.window, count) {
		return false
	}
	if w.op.Opcode == hlo.OpGather && w.inResult != nil {
		// Here all of the window lies inside of what counts the slices (slices; 3 of 3 with three dimensions).
		for _, d := range e.orders.get(e.orderOf(w.node))[:min(count, in.Shape.Rank())] {
			if !slices.Contains(w.inResult, d) {
				return false
			}
		}
	}
	if w.op.Opcode == hlo.OpScatter && in.Shape.IsArray() && slices.Equal(in.Shape.Dims, w.op.Shape.Dims) &&
		!covers(e.orders.get(e.orderOf(w.node)), w.window, count) {
		return false
	}
	if w.op.Opcode == hlo.OpScatter && w.updates >= 0 {
		return w.updatesValid(in.Operands[w.updates].Shape, e.orders.get(e.taken(w.node, w.updates)))
	}
	return true
}

// updatesValid reports whether an order of a scatter's updates keeps the slices apart from its minor dimensions.
func (w *windowed) updatesValid(p *hlo.Shape, mm []int) bool {
	count := len(w.window)
	u := w.op.Operands[updatesAt(w.op)].Shape
	if p.Rank() != 1+count {
		return true
	}
	trailing := true // the window dimensions of the updates stand behind the one for the indices
	for i, d := range w.inUpdates {
		trailing = trailing && d == i+1
	}
	return (u.Rank() != p.Rank() || !trailing || !slices.Contains(mm[:min(2, count)], 0)) && (u.Rank() <= p.Rank() || mm[0] != 0)
}
