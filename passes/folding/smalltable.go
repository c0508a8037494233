package folding

import "hlolayout/hlo"

// A table is small for a gather of its elements if it has at most mostSelects of them, and if the indices have
// lookupsPerSelect times as many in their first dimension; dimensions of one element are left out before (75 probes of
// tables of 1 to 1,000 elements, of f32, bf16, s8 and pred, and of indices of one to three dimensions).
const (
	mostSelects      = 64
	lookupsPerSelect = 5
	// allSelects is for how many elements of tables a module gets selects: more than any program had (720), so that no
	// module grows without bounds.
	allSelects = 1 << 16
)

// smallTable selects each element of a small table where the index is as large as its place: a gather clamps its
// indices, and so do the comparisons.
func smallTable(w *simplifier, in *hlo.Instruction) *hlo.Instruction {
	g, ok := windowOf(in)
	if !ok || g.table.Shape.Rank() != 1 || len(g.places) != 1 || len(g.offset) > 0 || len(g.batching[0]) > 0 {
		return nil
	}
	n := g.table.Shape.Dims[0]
	if n < 2 || n > mostSelects || len(g.batch) == 0 || g.batch[0] < lookupsPerSelect*n || w.waitsFor(sinking, in) {
		return nil
	}
	if w.selects += n; w.selects > allSelects {
		return nil
	}
	dims := in.Shape.Dims
	index := reshaped(w, g.indices, dims)
	var out *hlo.Instruction
	for k := range n {
		element := w.make(hlo.OpReshape, g.table, nil, sliced(w, g.table, []int64{k}, []int64{1}))
		value := broadcast(w, in, element, dims, nil)
		if out == nil {
			out = value
			continue
		}
		isPast := compared(w, index, filled(w, index, dims, k), "GE")
		out = w.make(hlo.OpSelect, in, dims, isPast, value, out)
	}
	return out
}
