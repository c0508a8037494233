package folding

import (
	"slices"
	"strconv"
	"strings"

	"hlolayout/hlo"
)

// placed is a gather or a scatter of windows that are taken or put one by one.
type placed struct {
	window
	dims    []int      // of the table that the components of the indices place, those of batching first
	combine hlo.Opcode // of a scatter, see combination
}

// expandedScatter replaces a scatter by what the compiler's scatter-expander makes of it: one window is put into the
// table directly; several in a loop over them, where an index places a dimension that the window keeps, as vmap of
// dynamic_update_slice writes them, or where the components of fewer indices than flatFrom place dimensions in another
// order than the table's, as the gradient of sort along the first dimension does (11 of 11 probes; 22 in the table's
// order are none). A window that is not inside of the table leaves it as it is. Of the 307 scatters of 74 programs that
// have no others, 294 of one window and 13 of kept dimensions, none was left (libtpu 0.0.51).
func expandedScatter(w *simplifier, in *hlo.Instruction) *hlo.Instruction {
	s, ok := placedOf(in)
	keeps := slices.ContainsFunc(s.places, func(d int) bool { return !slices.Contains(s.single, d) })
	looped := keeps || s.count < flatFrom && !slices.IsSorted(s.dims)
	if !ok || s.count > 1 && !looped || s.rows.Shape.IsDynamic() || len(in.Called()) != 1 {
		return nil
	}
	if s.combine, ok = combination(in.Called()[0]); !ok {
		return nil
	}
	updates := reshaped(w, transposed(w, s.rows, s.inOrder()), append([]int64{s.count}, s.kept()...))
	if s.count == 1 {
		return s.put(w, w, in, s.only(w), updates, s.table)
	}
	return s.loop(w, in, updates, 0, func(b *body, i *hlo.Instruction, x []*hlo.Instruction) *hlo.Instruction {
		return s.put(w, b, in, slab(b, x[1], i), slab(b, x[2], i), x[0])
	})
}

// expandedGather replaces a gather by what the compiler's gather-expander makes of it: one window is a slice of the
// table, which moves a window that is not inside of it as a gather does; several of few elements are joined of these;
// others that its gathers cannot fetch are fetched in a loop, as vmap of dynamic_slice writes them. It comes after
// reshapes are hoisted: 4 of 4 cross entropies with labels have their masks in the labels' dimensions then.
func expandedGather(w *simplifier, in *hlo.Instruction) *hlo.Instruction {
	s, ok := placedOf(in)
	if !ok || w.phase < sinking {
		return nil
	}
	if s.count == 1 {
		at, known := s.start(w, s.only(w))
		become(w, in, hlo.OpReshape, s.piece(w, s.table, at, known))
		return in
	}
	switch {
	case s.few():
		return s.elements(w, in)
	case s.fetched():
		return nil
	}
	kept := s.kept()
	rows := filled(w, s.table, append([]int64{s.count}, kept...), 0)
	rows = s.loop(w, in, rows, 2, func(b *body, i *hlo.Instruction, x []*hlo.Instruction) *hlo.Instruction {
		at, _ := s.start(b, slab(b, x[1], i))
		row := b.make(hlo.OpReshape, in, append([]int64{1}, kept...), s.piece(b, x[0], at, nil))
		places := append([]*hlo.Instruction{x[2], row, i},
			slices.Repeat([]*hlo.Instruction{number(b, i, 0)}, len(kept))...)
		return b.make(hlo.OpDynamicUpdateSlice, in, x[2].Shape.Dims, places...)
	})
	order := s.inOrder()
	if ascending(order) {
		become(w, in, hlo.OpReshape, rows)
		return in
	}
	become(w, in, hlo.OpTranspose, reshaped(w, rows, sizes(in.Shape.Dims, order)))
	set(in, "dimensions", inverse(order))
	return in
}

// mostFetched is how many tiles a gather fetches of a window that is a part of dimensions, each of 8 by 128 elements of
// the last two that it takes whole, or of 128 of the only one: 256 are fetched, 257 are not, of bf16 as of f32 (25 of
// 25 probes; libtpu 0.0.51, v5e).
const mostFetched = 256

// fetched reports whether the compiler's gathers can fetch windows. They take dimensions whole or by one element, and
// parts of those that the indices place, if another one is whole, and a dimension is indexed by one element or only
// dimensions above the last two are cut; not of the last two both. Of 130 gathers compiled for v5e that differ in these
// 126 come out so: the compiler fetches parts of rows of more than 512 elements and joins them.
func (g *window) fetched() bool {
	table, collapsed := g.table.Shape.Dims, g.alone()
	rank := len(table)
	single, cut := len(collapsed) > 0, make([]bool, rank)
	tiles, whole := int64(1), 0
	for d, n := range slices.Backward(g.size) {
		cut[d] = n > 1 && n != table[d]
		single = single || n == 1 && n != table[d]
		switch {
		case n != table[d] && !slices.Contains(g.places, d) && !slices.Contains(collapsed, d):
			return false
		case n > 1 && !cut[d]:
			whole++
			n = tilesAlong(n, whole)
		}
		tiles *= n
	}
	switch {
	case !slices.Contains(cut, true):
		return true
	case rank < 2 || whole == 0:
		return false
	}
	last, above := cut[rank-1], cut[rank-2]
	return !(last && above) && (single || !last && !above) && tiles <= mostFetched
}

// tilesAlong returns how many tiles there are along a dimension of n elements, the first, second or another one from
// the last.
func tilesAlong(n int64, place int) int64 {
	switch place {
	case 1:
		return (n + 127) / 128
	case 2:
		return (n + 7) / 8
	}
	return n
}

// placedOf reads a gather or a scatter; ok is false for those that are not modelled: of one window with batching
// dimensions, or of indices whose components are not in the last dimension.
func placedOf(in *hlo.Instruction) (s placed, ok bool) {
	s.window, ok = windowOf(in)
	s.dims = slices.Concat(s.batching[0], s.places)
	return s, ok && s.count > 0 && (s.count > 1 || len(s.batching[0]) == 0) && s.vector >= s.indices.Shape.Rank()-1
}

// kept returns the sizes of a window in the rows.
func (s *placed) kept() []int64 { return sizes(s.rows.Shape.Dims, s.offset) }

// combination returns the operation on what is in the table and what comes there; OpParameter where the latter stays.
func combination(c *hlo.Computation) (op hlo.Opcode, ok bool) {
	r := c.Root
	if r.Opcode == hlo.OpParameter {
		return r.Opcode, r.Parameter == 1
	}
	return r.Opcode, r.Opcode.Elementwise() && len(r.Operands) == 2 &&
		r.Operands[0].Opcode == hlo.OpParameter && r.Operands[1].Opcode == hlo.OpParameter &&
		r.Operands[0].Parameter == 0 && r.Operands[1].Parameter == 1
}

// literals returns the numbers of a constant vector, or of a constant that is one but for dimensions of one element
// before it, nil for other values.
func literals(in *hlo.Instruction) (out []int64) {
	last := in.Shape.Rank() - 1
	if last < 0 || slices.ContainsFunc(in.Shape.Dims[:last], func(n int64) bool { return n != 1 }) {
		return nil
	}
	for units(in) {
		in = in.Operands[0]
	}
	texts := strings.Split(strings.Trim(in.Literal(), "{} "), ",")
	if text, ok := scalar(in); ok {
		n, _ := in.Shape.Elements()
		texts = slices.Repeat([]string{text}, int(n))
	}
	for _, text := range texts {
		n, err := strconv.ParseInt(strings.TrimSpace(text), 10, 64)
		if err != nil {
			return nil
		}
		out = append(out, n)
	}
	return out
}

// put returns the table with the first of the updates of a scatter at the first of the indices.
func (s *placed) put(w *simplifier, b maker, in, indices, updates, table *hlo.Instruction) *hlo.Instruction {
	at, known := s.start(b, indices)
	inside := s.inside(w, b, in, at, known)
	piece := b.make(hlo.OpReshape, updates, s.size, updates)
	was := piece
	if inside != nil || s.combine != hlo.OpParameter {
		was = s.piece(b, table, at, known)
	}
	if s.combine != hlo.OpParameter {
		piece = b.make(s.combine, table, s.size, was, piece)
	}
	if inside != nil {
		every := broadcast(b, inside, inside, s.size, nil)
		piece = b.make(hlo.OpSelect, table, s.size, every, piece, was)
	}
	if known != nil && table.Opcode == hlo.OpBroadcast && spread(table) {
		return within(b, piece, table.Operands[0], known, table.Shape.Dims)
	}
	return b.make(hlo.OpDynamicUpdateSlice, table, table.Shape.Dims, append([]*hlo.Instruction{table, piece}, at...)...)
}

// start returns where in the table the first of the indices places a window, by dimension, and the same as numbers
// where they are known to be inside of it.
func (s *placed) start(b maker, indices *hlo.Instruction) (at []*hlo.Instruction, known []int64) {
	known = make([]int64, len(s.size))
	at = slices.Repeat([]*hlo.Instruction{number(b, s.indices, 0)}, len(s.size))
	var literal []int64
	if s.count == 1 {
		literal = literals(s.indices)
	}
	constant := len(literal) == len(s.dims)
	for i, d := range s.dims {
		constant = constant && 0 <= literal[i] && literal[i] <= s.last(d)
		if constant {
			known[d], at[d] = literal[i], number(b, s.indices, literal[i])
		}
	}
	if constant {
		return at, known
	}
	for i, d := range s.dims {
		at[d] = b.make(hlo.OpReshape, s.indices, nil, cut(b, indices, indices.Shape.Rank()-1, int64(i), int64(i+1)))
	}
	return at, nil
}

// inside returns whether a window of a scatter is inside of the table, nil where that is known: the places of all
// dimensions are compared in one step (12 of 12 probes). That known places are not too high stays to be compared where
// the highest ones count in steps, as {0, 7} of the last of two dimensions does: these are multiples of an iota by then
// (plainConstant; 4 of 4 probes, 8 others are known, and 15 of 15 scatters of random transformations of images).
func (s *placed) inside(w *simplifier, b maker, in *hlo.Instruction, at []*hlo.Instruction,
	known []int64) *hlo.Instruction {
	last := make([]int64, len(at))
	for d := range at {
		last[d] = s.last(d)
	}
	if known != nil {
		if step, counts := stepOf(last); !counts || step < 2 {
			return nil
		}
		high := compared(b, numbers(b, s.indices, last), numbers(b, s.indices, known), "GE")
		return reduced(w, b, in, hlo.OpAnd, high, 0, 1)
	}
	parts := make([]*hlo.Instruction, len(at))
	for d, n := range at {
		parts[d] = b.make(hlo.OpReshape, n, []int64{1}, n)
	}
	place := concatenated(b, s.indices, 0, parts...)
	low := compared(b, filled(b, place, place.Shape.Dims, 0), place, "LE")
	high := compared(b, numbers(b, place, last), place, "GE")
	return reduced(w, b, in, hlo.OpAnd, b.make(hlo.OpAnd, low, low.Shape.Dims, low, high), 0, 1)
}

// piece adds the window of the table at a place.
func (s *placed) piece(b maker, table *hlo.Instruction, at []*hlo.Instruction, known []int64) *hlo.Instruction {
	if known != nil {
		return sliced(b, table, known, s.size)
	}
	return pieceAt(b, table, s.size, at...)
}
