package folding

import (
	"math"
	"math/bits"
	"slices"

	"hlolayout/hlo"
)

// window is what a gather or a scatter says of its indices: which dimensions of the table they place, and which of
// their own dimensions holds the components.
type window struct {
	table, indices *hlo.Instruction
	rows           *hlo.Instruction // what is gathered, or scattered
	places         []int            // dimensions of the table, by component
	// dimension of the indices that holds the components; their rank where there is one component only
	vector   int
	batching [2][]int
	batch    []int64 // dimensions of the indices without vector
	count    int64   // windows: the product of batch
	// dimensions of the table that a window has one element of and leaves out, and those of the rows that are a window's
	single, offset []int
	size           []int64 // of a window, by dimension of the table
	scatter        bool    // windows outside of the table are left out
}

// windowAttrs are the names of what a window is read from.
var windowAttrs = map[hlo.Opcode]struct{ places, tableBatching, indexBatching, single, offset string }{
	hlo.OpGather: {"start_index_map", "operand_batching_dims", "start_indices_batching_dims", "collapsed_slice_dims",
		"offset_dims"},
	hlo.OpScatter: {"scatter_dims_to_operand_dims", "input_batching_dims", "scatter_indices_batching_dims",
		"inserted_window_dims", "update_window_dims"},
}

// windowOf reads a gather, or a scatter of one array; ok is false where what the compiler makes of it is not modelled.
func windowOf(in *hlo.Instruction) (g window, ok bool) {
	if in.Opcode == hlo.OpScatter && len(in.Operands) != 3 {
		return g, false
	}
	v, ok := in.Attr("index_vector_dim").Int()
	names := windowAttrs[in.Opcode]
	g = window{table: in.Operands[0], indices: in.Operands[1], rows: in, places: in.Ints(names.places), vector: int(v),
		batching: [2][]int{in.Ints(names.tableBatching), in.Ints(names.indexBatching)}, count: 1,
		single: in.Ints(names.single), offset: in.Ints(names.offset)}
	if in.Opcode == hlo.OpScatter {
		g.rows, g.scatter = in.Operands[2], true
	}
	t := g.indices.Shape.DType
	if !ok || !in.Shape.IsArray() || in.Attr("sharding") != nil || t != hlo.S32 && t != hlo.U32 ||
		slices.Contains(g.batching[1], g.vector) {
		return g, false
	}
	for _, s := range []*hlo.Shape{in.Shape, g.table.Shape, g.indices.Shape} {
		if s.IsDynamic() {
			return g, false
		}
	}
	for d, n := range g.indices.Shape.Dims {
		if d != g.vector {
			g.batch = append(g.batch, n)
			g.count *= n
		}
	}
	g.size, ok = g.sizes(in)
	return g, ok
}

// customGather replaces a gather of whole rows, or of elements, by the custom fusion that the compiler makes of it. It
// reads one list of indices; several components are packed into one number. Every gather of 70 programs that takes
// dimensions of the table whole or by one element becomes one (libtpu 0.0.51), and so do all that fetch parts of them.
func customGather(w *simplifier, in *hlo.Instruction) *hlo.Instruction {
	if w.phase < sinking {
		return nil
	}
	g, ok := windowOf(in)
	if !ok || g.count < 2 || len(g.places) == 0 {
		return nil
	}
	if g.leaveOutUnits(w, in) {
		return in
	}
	single, fetched := g.alone(), g.fetched()
	placed := slices.Concat(g.batching[0], g.places)
	var rest, kept []int64  // sizes of the window: all, and those above 1
	var units, offset []int // dimensions of the rows: those of one element, and the others, without those
	for d, n := range g.table.Shape.Dims {
		size := g.size[d]
		switch place := slices.Contains(placed, d); {
		case place && size != 1 && size != n && !fetched, !place && size != n, !place && slices.Contains(single, d):
			return nil
		case slices.Contains(single, d):
			continue
		case size == 1: // 0 of 1,490 gathers in fusions keep such
			single, units = append(single, d), append(units, g.offset[len(rest)])
		default:
			kept, offset = append(kept, size), append(offset, g.offset[len(rest)]-len(units))
		}
		rest = append(rest, size)
	}
	shifts, ok := g.shifts(placed)
	if !ok {
		return nil
	}
	b := newBody(w, in, "fused_computation")
	table, list := b.parameter(g.table), b.parameter(g.list(w, placed, shifts))
	unpacked := list
	if len(placed) == 1 {
		unpacked = reshaped(b, list, g.indices.Shape.Dims)
	} else {
		unpacked = g.unpack(b, list, shifts)
	}
	left := hlo.OtherDims(in.Shape.Rank(), units)
	out := b.make(hlo.OpGather, in, sizes(in.Shape.Dims, left), table, unpacked)
	out.Attrs = withoutBatching(in)
	slices.Sort(single)
	set(out, "collapsed_slice_dims", single)
	set(out, "start_index_map", placed)
	set(out, "offset_dims", offset)
	wide := slices.Concat(g.batch, rest)
	order := g.inOrder()
	moved := b.make(hlo.OpTranspose, in, slices.Concat(g.batch, kept), out)
	set(moved, "dimensions", append(hlo.OtherDims(len(left), offset), offset...))
	f := b.fuse(reshaped(b, moved, append([]int64{g.count}, kept...)))
	f.Name, in.Name = in.Name, f.Name
	if ascending(order) {
		become(w, in, hlo.OpReshape, f)
		return in
	}
	become(w, in, hlo.OpTranspose, w.make(hlo.OpReshape, in, wide, f))
	set(in, "dimensions", inverse(order))
	return in
}

// leaveOutUnits makes a gather a reshape of one whose indices have no dimensions of one element but that of components,
// and reports whether they have any. Batching dimensions are components then.
func (g *window) leaveOutUnits(w *simplifier, in *hlo.Instruction) bool {
	if !slices.Contains(g.batch, 1) {
		return false
	}
	x, batch, offset := g.all(w), hlo.OtherDims(in.Shape.Rank(), g.offset), slices.Clone(g.offset)
	var indices []int64
	var rows []int // dimensions of the rows that are left
	vector := -1
	for d, n := range x.Shape.Dims {
		if d == g.vector {
			vector = len(indices)
			indices = append(indices, n)
			continue
		}
		row := batch[0]
		batch = batch[1:]
		if n != 1 {
			indices, rows = append(indices, n), append(rows, row)
			continue
		}
		for i, o := range g.offset {
			if o > row {
				offset[i]--
			}
		}
	}
	if vector < 0 {
		vector = len(indices)
	}
	rows = slices.Sorted(slices.Values(append(rows, g.offset...)))
	n := w.make(in.Opcode, in, sizes(in.Shape.Dims, rows), g.table, reshaped(w, x, indices))
	n.Attrs = withoutBatching(in)
	set(n, "collapsed_slice_dims", slices.Sorted(slices.Values(g.alone())))
	set(n, "start_index_map", slices.Concat(g.batching[0], g.places))
	set(n, "offset_dims", offset)
	setValue(n, "index_vector_dim", intOf(vector))
	become(w, in, hlo.OpReshape, n)
	return true
}

// inOrder returns the dimensions of the rows with those of the batch first.
func (g *window) inOrder() []int {
	return append(hlo.OtherDims(g.rows.Shape.Rank(), g.offset), g.offset...)
}

// customScatter replaces a scatter of rows, or of elements, by the custom fusion that the compiler makes of it: one
// list of indices, one of rows. Several components are packed into one number.
func customScatter(w *simplifier, in *hlo.Instruction) *hlo.Instruction {
	if w.phase < sinking {
		return nil
	}
	g, ok := windowOf(in)
	placed := slices.Clone(g.places)
	slices.Sort(placed)
	if !ok || g.count < 2 || len(placed) == 0 || !slices.Equal(g.single, placed) {
		return nil
	}
	placed = slices.Concat(g.batching[0], g.places)
	var rest []int64
	for d, n := range g.table.Shape.Dims {
		if !slices.Contains(placed, d) {
			rest = append(rest, n)
		}
	}
	shifts, fits := g.shifts(placed)
	if !slices.Equal(sizes(g.rows.Shape.Dims, g.inOrder()), slices.Concat(g.batch, rest)) {
		return nil
	}
	if g.leaveOutWindowUnits(w, in) {
		return in
	}
	if len(placed) > 1 && g.count >= flatFrom {
		return g.flatScatter(w, in, placed)
	}
	if len(placed) > 1 && !(fits && slices.IsSorted(placed)) {
		return nil
	}
	b := newBody(w, in, "fused_computation")
	table, list := b.parameter(g.table), b.parameter(g.list(w, placed, shifts))
	rows := g.updates(w, b, rest)
	var indices *hlo.Instruction
	if len(placed) == 1 {
		indices = reshaped(b, list, g.indices.Shape.Dims)
	} else {
		indices = g.unpack(b, list, shifts)
	}
	out := b.make(hlo.OpScatter, in, in.Shape.Dims, table, indices, rows)
	out.Attrs = withoutBatching(in)
	out.SetCalled(in.Called())
	single := g.alone()
	slices.Sort(single)
	set(out, "inserted_window_dims", single)
	set(out, "scatter_dims_to_operand_dims", placed)
	f := b.fuse(out)
	f.Name, in.Name = in.Name, f.Name
	return f
}

// withoutBatching returns the attributes of a gather or a scatter without its batching dimensions.
func withoutBatching(in *hlo.Instruction) []hlo.Attr {
	names := windowAttrs[in.Opcode]
	return except(in.Attrs, names.tableBatching, names.indexBatching)
}

// shifts returns the first bit of each component when all are packed into one number, and the one after the last; ok is
// false where they do not fit.
func (g *window) shifts(placed []int) (out []int, ok bool) {
	sum := 0
	for _, d := range placed {
		out = append(out, sum)
		sum += bits.Len64(uint64(g.table.Shape.Dims[d] - 1))
	}
	return append(out, sum), sum < 32
}

// last returns the last place of a window in a dimension of the table.
func (g *window) last(d int) int64 { return g.table.Shape.Dims[d] - g.size[d] }

// alone returns the dimensions of the table that a window has one element of and leaves out.
func (g *window) alone() []int { return slices.Concat(g.single, g.batching[0]) }

// sizes returns how much of each dimension of the table a window takes; ok is false where the attributes do not say.
func (g *window) sizes(in *hlo.Instruction) (out []int64, ok bool) {
	for _, n := range in.Ints("slice_sizes") {
		out = append(out, int64(n))
	}
	if g.scatter {
		offset, alone := g.offset, g.alone()
		for d := range g.table.Shape.Dims {
			switch {
			case slices.Contains(alone, d):
				out = append(out, 1)
			case len(offset) == 0 || offset[0] >= g.rows.Shape.Rank():
				return nil, false
			default:
				out, offset = append(out, g.rows.Shape.Dims[offset[0]]), offset[1:]
			}
		}
	}
	return out, len(out) == g.table.Shape.Rank()
}

// list makes the flat list of indices, one number for each window: the least for one that a scatter leaves out.
func (g *window) list(w *simplifier, placed []int, shifts []int) *hlo.Instruction {
	if len(placed) == 1 {
		return reshaped(w, g.indices, []int64{g.count})
	}
	dims := g.one()
	fill := func(n int64) *hlo.Instruction { return filled(w, g.indices, dims, n) }
	var packed, outside *hlo.Instruction
	for i, c := range g.components(w, dims) {
		was := c
		c = w.make(hlo.OpClamp, g.indices, dims, fill(0), c, fill(g.last(placed[i])))
		if g.scatter {
			out := compared(w, was, c, "NE")
			if outside != nil {
				out = w.make(hlo.OpOr, out, dims, outside, out)
			}
			outside = out
		}
		c = w.make(hlo.OpShiftLeft, g.indices, dims, c, fill(int64(shifts[i])))
		if packed != nil {
			c = w.make(hlo.OpOr, g.indices, dims, packed, c)
		}
		packed = c
	}
	if outside != nil {
		packed = w.make(hlo.OpSelect, g.indices, dims, outside, fill(math.MinInt32), packed)
	}
	return reshaped(w, packed, []int64{g.count})
}

// one returns the dimensions of the indices for one component.
func (g *window) one() []int64 {
	dims := slices.Clone(g.indices.Shape.Dims)
	if g.vector == len(dims) {
		return append(dims, 1)
	}
	dims[g.vector] = 1
	return dims
}

// components returns the components of the indices, those of batching dimensions first: what the indices are joined of,
// or slices of them.
func (g *window) components(w *simplifier, dims []int64) (out []*hlo.Instruction) {
	out = g.batchComponents(w, dims)
	switch {
	case len(g.places) == 1:
		return append(out, reshaped(w, g.indices, dims))
	case g.joined():
		return append(out, g.indices.Operands...)
	}
	for i := range g.places {
		out = append(out, cut(w, g.indices, g.vector, int64(i), int64(i+1)))
	}
	return out
}

// batchComponents returns the components of batching dimensions, which count.
func (g *window) batchComponents(w *simplifier, dims []int64) (out []*hlo.Instruction) {
	for _, d := range g.batching[1] {
		out = append(out, counting(w, g.indices, dims, d))
	}
	return out
}

// joined reports whether the indices are a concatenate of their components.
func (g *window) joined() bool {
	along := g.indices.Ints("dimensions")
	return g.indices.Opcode == hlo.OpConcatenate && len(g.indices.Operands) == len(g.places) && len(along) == 1 &&
		along[0] == g.vector
}

// unpack makes the components out of the list, inside of the fusion.
func (g *window) unpack(b *body, list *hlo.Instruction, shifts []int) *hlo.Instruction {
	dims := g.one()
	like := g.indices
	packed := b.make(hlo.OpReshape, like, dims, list)
	fill := func(n int64) *hlo.Instruction { return filled(b, like, dims, n) }
	var parts []*hlo.Instruction
	for i, from := range shifts[:len(shifts)-1] {
		masked := b.make(hlo.OpAnd, like, dims, packed, fill(1<<shifts[i+1]-1<<from))
		parts = append(parts, b.make(hlo.OpShiftRightLogical, like, dims, masked, fill(int64(from))))
	}
	if g.scatter {
		none := fill(math.MinInt32)
		outside := compared(b, b.make(hlo.OpOr, like, dims, none, packed), packed, "EQ")
		parts[0] = b.make(hlo.OpSelect, like, dims, outside, none, parts[0])
	}
	all := concatenated(b, like, min(g.vector, len(dims)-1), parts...)
	if slices.Equal(like.Shape.Dims, all.Shape.Dims) {
		b.w.inside[like] = all
	}
	out := b.make(hlo.OpCustomCall, like, all.Shape.Dims, all)
	callTarget(out, "GatherScatterIndicesBitpacked")
	return out
}

// leaveOutWindowUnits makes a scatter a reshape of one whose windows have no dimensions of one element, and reports
// whether they have any (0 of 1,022 scatters in fusions keep such).
func (g *window) leaveOutWindowUnits(w *simplifier, in *hlo.Instruction) bool {
	table, rows := g.table.Shape, g.rows.Shape
	var units, offsets []int // dimensions of the table, and those of the rows
	for i, d := range hlo.OtherDims(table.Rank(), g.single, g.batching[0]) {
		if table.Dims[d] == 1 {
			units, offsets = append(units, d), append(offsets, g.offset[i])
		}
	}
	if len(units) == 0 {
		return false
	}
	left, leftRows := hlo.OtherDims(table.Rank(), units), hlo.OtherDims(rows.Rank(), offsets)
	n := likewise(w, in, sizes(table.Dims, left), reshaped(w, g.table, sizes(table.Dims, left)), g.indices,
		reshaped(w, g.rows, sizes(rows.Dims, leftRows)))
	names := windowAttrs[in.Opcode]
	set(n, names.offset, among(g.offset, leftRows))
	set(n, names.single, among(g.single, left))
	set(n, names.places, among(g.places, left))
	if len(g.batching[0]) > 0 {
		set(n, names.tableBatching, among(g.batching[0], left))
	}
	become(w, in, hlo.OpReshape, n)
	return true
}
