package memory

import (
	"slices"

	"hlolayout/hlo"
	"hlolayout/hlo/tiled"
)

// scatterBytes returns how many bytes of operand k a scatter reads (of operand 0, also writes): for every update that
// its padded array has, the window with the padding of its tile.
func (c *cost) scatterBytes(in *hlo.Instruction, k int, full int64) int64 {
	if len(in.Operands) != 3 || k > 0 {
		return full
	}
	windows := in.Ints("update_window_dims")
	updates, err := tiled.New(in.Operands[2].Shape)
	if err != nil {
		return full
	}
	padded, ok := updates.PaddedDims()
	if !ok {
		return full
	}
	count := float64(1)
	var window []int64
	for d, n := range padded {
		if slices.Contains(windows, d) {
			window = append(window, updates.Dims()[d])
		} else {
			count *= float64(n)
		}
	}
	// The window has the operand's rank again, with one row for what was inserted.
	shape := make([]int64, in.Operands[0].Shape.Rank())
	inserted := in.Ints("inserted_window_dims")
	for d := range shape {
		shape[d] = 1
		if !slices.Contains(inserted, d) && len(window) > 0 {
			shape[d], window = window[0], window[1:]
		}
	}
	a, err := tiled.New(hlo.NewArray(in.Operands[0].Shape.DType, shape, in.Operands[0].Shape.Layout))
	if err != nil {
		return full
	}
	return int64(min(count*float64(max(a.Bytes(), leastSlice(shape))), 1<<60))
}

// gatherBytes returns how many bytes of operand k a gather reads: of the table, for every index that the padded result
// has, a slice with the padding of its tile (at least leastSlice); of the indices all of them as the gather takes them.
// Measured: the compiler's log has exactly these numbers for 18 gathers of different shapes in fusions of kind kCustom.
func (c *cost) gatherBytes(in *hlo.Instruction, k int, full int64) int64 {
	sizes := in.Ints("slice_sizes")
	if len(in.Operands) < 2 || !in.Shape.IsArray() || len(sizes) != in.Operands[0].Shape.Rank() {
		return full
	}
	if k == 1 {
		return c.v.g.info(in.Operands[1].Shape).total
	}
	slice := make([]int64, len(sizes))
	for i, n := range sizes {
		slice[i] = int64(max(n, 1))
	}
	out, err := tiled.New(in.Shape)
	if err != nil {
		return full
	}
	padded, ok := out.PaddedDims()
	a, err := tiled.New(hlo.NewArray(in.Shape.DType, slice, in.Operands[0].Shape.Layout))
	if !ok || err != nil {
		return full
	}
	count := float64(1)
	offsets := in.Ints("offset_dims")
	for d, n := range padded {
		if !slices.Contains(offsets, d) {
			count *= float64(n)
		}
	}
	return int64(min(count*float64(max(a.Bytes(), leastSlice(slice))), 1<<60))
}

// leastSlice is the size of a full tile for a slice of one dimension.
func leastSlice(dims []int64) int64 {
	if len(dims) == 1 {
		return 4096
	}
	return 1
}
