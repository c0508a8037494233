package verify

import (
	"slices"

	"hlolayout/hlo"
)

var gatherRules = []rule{hlo.OpGather: gather, hlo.OpScatter: scatter}

// indexed are the dimension numbers that gather and scatter share, under gather's names: which dimensions of the
// operand are whole slices, collapsed, batched, and addressed by the index vector.
type indexed struct {
	offset, collapsed, indexMap, operandBatch, indexBatch []int
	// the dimension of the indices that holds the index vector
	vector int

	indices []int64 // sizes of the indices, with a last 1 where the vector is implied
	dynamic []bool
}

var gatherKeys = [...]string{"offset_dims", "collapsed_slice_dims", "start_index_map", "operand_batching_dims",
	"start_indices_batching_dims"}
var scatterKeys = [...]string{"update_window_dims", "inserted_window_dims", "scatter_dims_to_operand_dims",
	"input_batching_dims", "scatter_indices_batching_dims"}

// readIndexed reads the dimension numbers and the shape of the indices.
func readIndexed(in *hlo.Instruction, keys [5]string, indices *hlo.Shape) (x indexed, err error) {
	if !isInt(indices.DType) {
		return x, fail(VER103, "the indices are %s; they must be integers", bare(indices))
	}
	for i, to := range []*[]int{&x.offset, &x.collapsed, &x.indexMap, &x.operandBatch, &x.indexBatch} {
		if *to, err = ints(in, keys[i]); err != nil {
			return x, err
		}
	}
	v, err := needNumber(in, "index_vector_dim")
	if err != nil {
		return x, err
	}
	if v < 0 || v > int64(indices.Rank()) {
		return x, fail(VER105, "index_vector_dim is %d; the indices %s allow 0 to %d", v, bare(indices), indices.Rank())
	}
	x.vector = int(v)
	x.indices = slices.Clone(indices.Dims)
	for i := range indices.Dims {
		x.dynamic = append(x.dynamic, dynamic(indices, i))
	}
	if x.vector == indices.Rank() {
		x.indices, x.dynamic = append(x.indices, 1), append(x.dynamic, false)
	}
	return x, nil
}

// check validates the dimension numbers against the operand's rank and against the rank of the offsets
// (gather's result, scatter's updates).
func (x indexed) check(keys [5]string, operandRank, offsetRank int) error {
	if err := sortedUnique(keys[0], x.offset, offsetRank); err != nil {
		return err
	}
	if err := sortedUnique(keys[1], x.collapsed, operandRank); err != nil {
		return err
	}
	if n := x.indices[x.vector]; !fits(n, int64(len(x.indexMap))) {
		return fail(VER105, "%s names %s, but the index vector has %d entries", keys[2],
			plural(len(x.indexMap), "dimension"), n)
	}
	if err := unique(keys[2], x.indexMap, operandRank); err != nil {
		return err
	}
	if len(x.operandBatch) != len(x.indexBatch) {
		return fail(VER105, "%s names %s, %s %d; the numbers must be the same", keys[3],
			plural(len(x.operandBatch), "dimension"), keys[4], len(x.indexBatch))
	}
	if err := sortedUnique(keys[3], x.operandBatch, operandRank); err != nil {
		return err
	}
	return unique(keys[4], x.indexBatch, len(x.indices))
}

// whole reports whether operand dimension d is neither collapsed nor batched.
func (x indexed) whole(d int) bool {
	return !slices.Contains(x.collapsed, d) && !slices.Contains(x.operandBatch, d)
}

// eachDim calls f for each dimension of the result (gather) or the updates (scatter): with the operand dimension
// that it is an offset into, or -1 and the dimension of the indices that it runs along.
func (x indexed) eachDim(rank, operandRank int, f func(i, operandDim, indexDim int) error) error {
	operandDim, indexDim := 0, 0
	for i := 0; i < rank; i++ {
		if slices.Contains(x.offset, i) {
			for operandDim < operandRank && !x.whole(operandDim) {
				operandDim++
			}
			if err := f(i, operandDim, -1); err != nil {
				return err
			}
			operandDim++
			continue
		}
		if indexDim == x.vector {
			indexDim++
		}
		if err := f(i, -1, indexDim); err != nil {
			return err
		}
		indexDim++
	}
	return nil
}

func gather(in *hlo.Instruction) (*hlo.Shape, error) {
	if err := allArrays(in); err != nil {
		return nil, err
	}
	operand, indices := in.Operands[0].Shape, in.Operands[1].Shape
	x, err := readIndexed(in, gatherKeys, indices)
	if err != nil {
		return nil, err
	}
	rank := len(x.offset) + len(x.indices) - 1
	if err := x.check(gatherKeys, operand.Rank(), rank); err != nil {
		return nil, err
	}
	sizes, err := needInts(in, "slice_sizes")
	if err != nil {
		return nil, err
	}
	if len(sizes) != operand.Rank() {
		return nil, fail(VER107, "slice_sizes has %s; operand 0, %s, needs %d", plural(len(sizes), "number"),
			bare(operand), operand.Rank())
	}
	if n := len(x.offset) + len(x.collapsed) + len(x.operandBatch); n != operand.Rank() {
		return nil, fail(VER105, "offset_dims, collapsed_slice_dims and operand_batching_dims name %s of operand 0, "+
			"%s; they must name each once", plural(n, "dimension"), bare(operand))
	}
	for i, n := range sizes {
		if operand.Dims[i] != hlo.Unbounded && (n < 0 || int64(n) > operand.Dims[i]) {
			return nil, fail(VER107, "slice_sizes has %d for dimension %d of operand 0, %s", n, i, bare(operand))
		}
		if n > 1 && !x.whole(i) {
			return nil, fail(VER107, "slice_sizes has %d for dimension %d, which is collapsed or batched; it must be "+
				"0 or 1", n, i)
		}
	}
	dims, dyn := make([]int64, rank), make([]bool, rank)
	_ = x.eachDim(rank, operand.Rank(), func(i, o, k int) error {
		if o >= 0 && o < len(sizes) {
			dims[i], dyn[i] = int64(sizes[o]), int64(sizes[o]) == operand.Dims[o] && dynamic(operand, o)
		} else if k >= 0 && k < len(x.indices) {
			dims[i], dyn[i] = x.indices[k], x.dynamic[k]
		}
		return nil
	})
	return newArray(operand.DType, dims, dyn), nil
}

func scatter(in *hlo.Instruction) (*hlo.Shape, error) {
	n := len(in.Operands) / 2
	if len(in.Operands)%2 == 0 {
		return nil, fail(VER101, "it has %s; it takes as many updates as operands, and the indices",
			plural(len(in.Operands), "operand"))
	}
	if err := allArrays(in); err != nil {
		return nil, err
	}
	all := operands(in, 0)
	x, err := readIndexed(in, scatterKeys, all[n])
	if err != nil {
		return nil, err
	}
	inits, types := make([]*hlo.Shape, n), make([]hlo.DType, n)
	for i, operand := range all[:n] {
		updates := all[n+1+i]
		if want := len(x.indices) - 1 + len(x.offset); updates.Rank() != want {
			return nil, fail(VER104, "operand %d, the updates, is %s; it must have rank %d", n+1+i, bare(updates), want)
		}
		if err := x.check(scatterKeys, operand.Rank(), updates.Rank()); err != nil {
			return nil, err
		}
		if k := len(x.offset) + len(x.collapsed) + len(x.operandBatch); k != operand.Rank() {
			return nil, fail(VER105, "update_window_dims, inserted_window_dims and input_batching_dims name %s of "+
				"operand %d, %s; they must name each once", plural(k, "dimension"), i, bare(operand))
		}
		if err := x.eachDim(updates.Rank(), operand.Rank(), func(d, o, k int) error {
			switch size := updates.Dims[d]; {
			case o >= 0 && o < operand.Rank() && operand.Dims[o] != hlo.Unbounded && size > operand.Dims[o]:
				return fail(VER107, "dimension %d of the updates %s is larger than dimension %d of operand %d, %s", d,
					bare(updates), o, i, bare(operand))
			case k >= 0 && k < len(x.indices) && !fits(size, x.indices[k]):
				return fail(VER104, "dimension %d of the updates %s must have the size of dimension %d of the "+
					"indices %s", d, bare(updates), k, bare(all[n]))
			}
			return nil
		}); err != nil {
			return nil, err
		}
		inits[i], types[i] = newArray(operand.DType, nil, nil), updates.DType
	}
	s, err := callee(in, "to_apply")
	if err != nil {
		return nil, err
	}
	if err := s.reducer(inits, types); err != nil {
		return nil, err
	}
	return tupleOf(all[:n]), nil
}
