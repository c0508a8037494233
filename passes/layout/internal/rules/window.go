package rules

import (
	"fmt"
	"slices"

	"hlolayout/hlo"
	"hlolayout/passes/internal/flat"
	"hlolayout/passes/layout/internal/ordering"
	"hlolayout/passes/layout/internal/rule"
)

// gatherScatter is a gather or scatter, by itself or inside a custom fusion.
type gatherScatter struct {
	*Set
	node  flat.NodeID      // the instruction that is constrained: the operation or the fusion around it
	in    *hlo.Instruction // that instruction
	op    *hlo.Instruction // the gather or scatter
	shape *hlo.Shape       // of the table that it takes
	// table and updates are the operand numbers of the node that hold them, updates -1 where none does by itself
	table, updates int
	// window are the table's dimensions that one slice covers, ascending; inUpdates the same dimensions in the operand
	// that holds the updates, and inResult in the node's result, nil where they cannot be followed
	window, inResult, inUpdates []int
	sizes                       []int64 // of a slice, by the table's dimensions
	// cut are dimensions that the indices place and a slice has a part of, which the window does not have then, and
	// cutInResult the same dimensions in the node's result, nil where they cannot be followed
	cut, cutInResult []int
	placed           bool // the indices place a dimension of a gather's window
	// outside is set where the table had a dimension minor that is not in the window when the layouts were found invalid
	outside bool
	// forced is set once the layouts were found invalid; kept is the order that the table of a gather without a
	// window had then. Where keeping it costs a copy, the table's own order takes its place, once (erased;
	// gather_diagonal, the log's "element gather erases proposed layout").
	forced bool
	erased bool
	// requested is set once a run requested the operation's layouts: all later ones do (scatter_pair)
	requested bool
	// given is the layout of the updates after the last run, without the copies that it took; none in the first run
	given ordering.Order
	kept  ordering.Tiled
}

// findWindows lists the gathers and scatters, and finds what they read as tables and as indices.
func (e *Set) findWindows() {
	for n := range flat.NodeID(len(e.G.Nodes) - 1) {
		if as := e.G.Nodes[n].As; as != hlo.OpGather && as != hlo.OpScatter {
			continue
		}
		w := newGatherScatter(e, n)
		if w == nil {
			e.G.Nodes[n].As = hlo.OpFusion // through which nothing passes
			continue
		}
		e.windowAt[n], e.windows = w, append(e.windows, w)
		for k, o := range e.G.OperandsOf(n) {
			if k == w.table {
				e.gathered[o] = e.gathered[o] || w.op.Opcode == hlo.OpGather
			} else if k != w.updates {
				e.indices[o] = true
			}
		}
	}
}

// newGatherScatter returns nil for a fusion that does not take the table as it is.
func newGatherScatter(e *Set, n flat.NodeID) *gatherScatter {
	in := e.G.Nodes[n].In
	op, root := in, in
	if in.Opcode == hlo.OpFusion {
		op, root = flat.GatherScatterIn(in), in.Called()[0].Root
	}
	s := op.Operands[0].Shape
	w := &gatherScatter{Set: e, node: n, in: in, op: op, shape: s, table: operandFor(in, op, 0), updates: -1}
	if w.table == -1 || !slices.Equal(in.Operands[w.table].Shape.Dims, s.Dims) {
		return nil
	}
	w.sizes = make([]int64, s.Rank())
	if op.Opcode == hlo.OpScatter {
		w.window = hlo.OtherDims(s.Rank(), op.Ints("inserted_window_dims"), op.Ints("input_batching_dims"))
		w.updates = operandFor(in, op, flat.UpdatesAt(op))
		updates, dims := op.Operands[flat.UpdatesAt(op)], op.Ints("update_window_dims")
		for i, d := range w.window {
			w.sizes[d] = updates.Shape.Dims[dims[i]]
		}
		dims = led(updates, dims)
		if w.updates != -1 && slices.Max(append(dims, -1)) < in.Operands[w.updates].Shape.Rank() {
			w.inUpdates = dims
		}
	} else {
		w.window = hlo.OtherDims(s.Rank(), op.Ints("collapsed_slice_dims"), op.Ints("operand_batching_dims"))
		w.inResult = followed(root, op, op.Ints("offset_dims"))
		for d, n := range op.Ints("slice_sizes") {
			w.sizes[d] = int64(n)
		}
		w.cutWindow()
	}
	return w
}

// cutWindow takes dimensions out of a gather's window of which a slice is a part that the indices place, if others are
// left (window-cut).
func (w *gatherScatter) cutWindow() {
	w.placed = slices.ContainsFunc(w.window, w.places)
	isCut := func(d int) bool { return w.places(d) && w.sizes[d] < w.shape.Dims[d] }
	if !w.On(rule.WindowCut) || !slices.ContainsFunc(w.window, func(d int) bool { return !isCut(d) }) {
		return
	}
	var window, inResult []int
	for i, d := range w.window {
		dims, results := &window, &inResult
		if isCut(d) {
			dims, results = &w.cut, &w.cutInResult
		}
		*dims = append(*dims, d)
		if w.inResult != nil {
			*results = append(*results, w.inResult[i])
		}
	}
	w.window, w.inResult = window, inResult
}

// early reports whether the operation is constrained in the first run (gather-early, scatter-early).
func (w *gatherScatter) early() bool {
	if w.op.Opcode == hlo.OpGather {
		return w.On(rule.GatherEarly) && (len(w.window) == 1 || w.placed)
	}
	if len(w.window) == 0 || w.in.Shape.IsTuple() || !w.On(rule.ScatterEarly) {
		return true
	}
	if w.updates != -1 {
		mm := ordering.Written(w.in.Operands[w.updates].Shape)
		if w.given != ordering.None {
			mm = w.Orders.Get(w.given)
		}
		if !w.updatesValid(mm) {
			return true
		}
	}
	if !slices.Equal(ordering.Written(w.in.Operands[w.table].Shape), w.Orders.Get(w.tableFor(w.slicePair()))) {
		return true
	}
	o := w.G.Operand(w.node, w.table)
	return w.G.IsEntryParameter(o) && ordering.Covers(w.Orders.Get(w.MinorToMajor(o)), w.window)
}

// asksWindow returns the gather or scatter that an instruction is or holds, if it requests anything in this run.
func (e *Set) asksWindow(n flat.NodeID, op hlo.Opcode) *gatherScatter {
	w := e.windowAt[n]
	if w == nil || w.op.Opcode != op {
		return nil
	}
	if w.requested = w.requested || w.forced || w.early(); !w.requested {
		return nil
	}
	return w
}

// isElements reports whether a gather takes single elements of a table.
func (w *gatherScatter) isElements() bool {
	return len(w.window) == 0 && w.op.Opcode == hlo.OpGather
}

// valid reports whether the window dimensions are minor where they must be.
func (w *gatherScatter) valid() bool {
	if w.isElements() && w.On(rule.ElementGather) {
		return false // single elements are always repaired, with the table in its existing layout (22 gathers)
	}
	if len(w.window) == 0 || w.shape.Rank() < 2 {
		return true
	}
	table, _ := w.asked()
	taken := w.Taken(w.node, w.table)
	switch {
	case w.op.Opcode == hlo.OpScatter:
		return (taken == table.Order || !w.On(rule.ScatterExact)) && w.scatterValid()
	case w.isTurned(w.Orders.Get(table.Order)):
		return taken == table.Order && (w.in.Shape.IsTuple() || w.MinorToMajor(w.node) == w.gathered())
	}
	return ordering.Covers(w.Orders.Get(taken), w.window) && (w.inResult == nil || w.slicesValid())
}

// scatterValid reports whether a scatter's result has no tile of the entry's, and its updates the order that it asks
// for.
func (w *gatherScatter) scatterValid() bool {
	if w.in.Shape.IsArray() && w.LayoutOf(w.G.Whole(w.node)).Rows != 0 && w.On(rule.ScatterTiled) {
		return false
	}
	return w.updates == -1 || w.updatesValid(w.Orders.Get(w.Taken(w.node, w.updates)))
}

// slicesValid reports whether a gather's slices have the order that its table leads to, and no tile of the entry's
// (slices-exact); where it leads to none, whether all of the window is more minor in them than the dimensions that
// count the slices (slices).
func (w *gatherScatter) slicesValid() bool {
	gives := w.resultOrder(w.table, w.Taken(w.node, w.table))
	if gives != ordering.None && w.On(rule.SlicesExact) {
		return w.LayoutOf(w.G.Whole(w.node)) == gives.Untiled()
	}
	mm, outside := w.Orders.Get(w.MinorToMajor(w.node)), func(d int) bool { return !slices.Contains(w.inResult, d) }
	return !slices.ContainsFunc(mm[:min(len(w.window), len(mm))], outside)
}

// askedPair returns the two dimensions that a scatter asks to be minor in its table, nil where its window has fewer.
// The updates are valid with these minor, in this order, alone (scatter-pair).
func (w *gatherScatter) askedPair() []int {
	if len(w.window) < 2 || !w.On(rule.ScatterPair) {
		return nil
	}
	table, _ := w.asked()
	return w.Orders.Get(table.Order)[:2]
}

// updatesValid reports whether an order of a scatter's updates has the two dimensions minor that the scatter requests,
// or the single one of its window.
func (w *gatherScatter) updatesValid(mm []int) bool {
	if len(mm) != 1+len(w.window) || w.inUpdates == nil {
		return true
	}
	if pair := w.askedPair(); pair != nil {
		return slices.Equal(mm[:2], w.sliced(pair, w.inUpdates, len(mm)))
	}
	return slices.Contains(w.inUpdates, mm[0])
}

func (e *Set) windowDown(n flat.NodeID, k int, o ordering.Order) ordering.Order {
	return e.windowAt[n].resultOrder(k, o)
}

// operandFor returns which operand of in becomes operand k of op: k itself where they are the same, else the fusion's
// parameter at the end of the chain of first operands; -1 where it ends elsewhere.
func operandFor(in, op *hlo.Instruction, k int) int {
	if in == op {
		return k
	}
	x := op.Operands[k]
	for x.Opcode != hlo.OpParameter {
		if len(x.Operands) == 0 {
			return -1
		}
		x = x.Operands[0]
	}
	return int(x.Parameter)
}

// followed returns which dimensions of x, in a fusion its root, those of op become through transposes and reshapes; nil
// where one is lost. Both the layouts that are asked for and those that are valid go by the result (gather_transposed;
// 12 of 12 fusions).
func followed(x, op *hlo.Instruction, dims []int) []int {
	switch {
	case x == op:
		return dims
	case !renames(x):
		return nil
	}
	return renamed(x, followed(x.Operands[0], op, dims), false)
}

// led returns which dimensions of the parameter at the end of the chain of first operands become those of x, through
// transposes and reshapes; nil where one is lost.
func led(x *hlo.Instruction, dims []int) []int {
	for ; dims != nil && renames(x); x = x.Operands[0] {
		dims = renamed(x, dims, true)
	}
	return dims
}

// renames reports whether an instruction is a transpose or a reshape, as it should be.
func renames(x *hlo.Instruction) bool {
	return (x.Opcode == hlo.OpTranspose || x.Opcode == hlo.OpReshape) && flat.CheckShapes(x, fmt.Errorf) == nil
}

// renamed returns which dimensions of the result of a transpose or reshape those of its operand become, or the other
// way round; nil where one is lost.
func renamed(x *hlo.Instruction, dims []int, back bool) []int {
	dims = slices.Clone(dims)
	for i, d := range dims {
		if dims[i] = renamedTo(x, d, back); dims[i] == -1 {
			return nil
		}
	}
	return dims
}

// renamedTo is renamed of one dimension, -1 where it is lost or was before.
func renamedTo(x *hlo.Instruction, d int, back bool) int {
	from, to := x.Operands[0].Shape.Dims, x.Shape.Dims
	switch {
	case d < 0:
		return d
	case x.Opcode == hlo.OpReshape && back:
		return ordering.AfterReshape(to, from, d)
	case x.Opcode == hlo.OpReshape:
		return ordering.AfterReshape(from, to, d)
	case back:
		return x.Ints("dimensions")[d]
	}
	return slices.Index(x.Ints("dimensions"), d)
}
