package memory

import "hlolayout/hlo"

// scatterBytes returns how many bytes of operand k a scatter reads; of operand 0, also writes.
func (c *cost) scatterBytes(in *hlo.Instruction, k int, full int64) int64 {
	if len(in.Operands) != 3 || k > 0 {
		return full
	}
	return c.scattered(in.Operands[0].Shape, in.Operands[2].Shape, in.Ints("inserted_window_dims"))
}

// gatherBytes returns how many bytes of operand k a gather reads; of the indices all of them as the gather takes them.
func (c *cost) gatherBytes(in *hlo.Instruction, k int, full int64) int64 {
	if len(in.Operands) < 2 || !in.Shape.IsArray() {
		return full
	}
	if k == 1 {
		return c.v.g.info(in.Operands[1].Shape).total
	}
	return c.scattered(in.Operands[0].Shape, in.Shape, in.Ints("collapsed_slice_dims"))
}

// scattered returns how many bytes of an array go with the slices of it that a gather makes or a scatter takes: those
// of the slices, with their padding; where the array is indexed by row, a tile of 8 rows for each, and of 128 lanes for
// each number where it is indexed by lane, too. (So are all 389 gathers and all 63 scatters in the compiler's log of 41
// programs for v7x and 21 for v5e.)
func (c *cost) scattered(array, slices *hlo.Shape, indexed []int) int64 {
	n := float64(c.v.g.info(slices).total)
	minor, second := minorDims(array)
	for _, d := range indexed {
		switch {
		case d == minor && second < 0:
			n *= lanes * oneTile
		case d == minor:
			n *= lanes
		case d == second:
			n *= oneTile
		}
	}
	return int64(min(n, 1<<60))
}
