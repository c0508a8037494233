package folding

import (
	"math"
	"slices"

	"hlolayout/hlo"
)

// fewElements is of how many elements along the last dimension of the table, and one along all others, the compiler
// fetches a window one by one: of 4 it does, of 5 it takes a loop (24 of 24 probes). Along other dimensions windows are
// of a loop (10 of 10).
const fewElements = 4

// few reports whether the elements of windows are fetched one by one.
func (s *placed) few() bool {
	last := len(s.size) - 1
	if last < 0 || !slices.Contains(s.places, last) || s.size[last] < 2 || s.size[last] > fewElements ||
		s.size[last] == s.table.Shape.Dims[last] {
		return false
	}
	return !slices.ContainsFunc(s.size[:last], func(n int64) bool { return n != 1 })
}

// elements replaces a gather of windows of few elements by the concatenate of gathers of one: the window is moved into
// the table once for all.
func (s *placed) elements(w *simplifier, in *hlo.Instruction) *hlo.Instruction {
	if w.phase < sinking {
		return nil
	}
	indices := s.all(w)
	if s.vector == indices.Shape.Rank() {
		indices = reshaped(w, indices, s.one())
	}
	last := len(s.size) - 1
	most, step := make([]int64, len(s.dims)), make([]int64, len(s.dims))
	for i, d := range s.dims {
		most[i] = math.MaxInt32
		if d == last {
			most[i], step[i] = s.last(d), 1
		}
	}
	indices = w.make(hlo.OpMinimum, indices, indices.Shape.Dims, indices, s.row(w, indices, most))
	indices = w.make(hlo.OpMaximum, indices, indices.Shape.Dims, indices, filled(w, indices, indices.Shape.Dims, 0))
	along := s.offset[len(s.offset)-1]
	size, dims := slices.Repeat([]int{1}, len(s.size)), slices.Clone(in.Shape.Dims)
	dims[along] = 1
	alone := s.alone()
	slices.Sort(alone)
	var parts []*hlo.Instruction
	for i := range s.size[last] {
		if i > 0 {
			indices = w.make(hlo.OpAdd, indices, indices.Shape.Dims, indices, s.row(w, indices, step))
		}
		part := w.make(hlo.OpGather, in, dims, s.table, indices)
		part.Attrs = withoutBatching(in)
		set(part, "collapsed_slice_dims", alone)
		set(part, "start_index_map", s.dims)
		set(part, "slice_sizes", size)
		parts = append(parts, part)
	}
	become(w, in, hlo.OpConcatenate, parts...)
	set(in, "dimensions", []int{along})
	return in
}
