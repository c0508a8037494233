package tpu

import "hlolayout/hlo"

// BoundaryOrder returns the minor_to_major order that the compiler gives to a parameter or result of the program
// when nothing requires another: the most compact one. Arrays of rank 0 and 1, with a dimension of
// size 0 or an unbounded one, and what is not an array get the descending order.
func (t *Target) BoundaryOrder(d hlo.DType, dims []int64) []int {
	b, ok := t.width(d)
	if !ok {
		return hlo.Descending(len(dims))
	}
	return t.compact(b, dims, func(minor, second int64) float64 {
		if minor%t.Lanes == 0 && second%t.rows(b, second, false) == 0 {
			return 0
		}
		return 1
	})
}

// BoundaryLayout returns the layout, in BoundaryOrder, of a parameter or result that nothing requires.
func (t *Target) BoundaryLayout(d hlo.DType, dims []int64) *hlo.Layout {
	return t.Layout(d, dims, t.BoundaryOrder(d, dims), true)
}

// FreeOrder returns the minor_to_major order that layout assignment gives to a value inside of the module that nothing
// constrains; descending where BoundaryOrder is. Measured on types of 32, 16 and 4 bits (testdata/tpu/free_layouts.csv
// has the last). The compiler splits 64-bit and complex types into 32-bit ones before; that they, and types of 1 and 2
// bits, follow the same rule is a guess.
func (t *Target) FreeOrder(d hlo.DType, dims []int64) []int {
	b, ok := t.width(d)
	if !ok {
		return hlo.Descending(len(dims))
	}
	return t.compact(b, dims, func(minor, second int64) float64 {
		// That each quotient is rounded to a double before the product is decides ties in the compiler.
		x := float64(roundUp(minor, t.Lanes)) / float64(minor)
		y := float64(roundUp(second, t.Sublanes)) / float64(second)
		return x * y
	})
}

// compact returns the order whose minor and second-minor dimensions pad to the fewest elements. Among equals the
// smallest tie of the two sizes wins, then the highest minor dimension, then the highest second-minor one. The other
// dimensions follow, descending. Elements have b bits.
func (t *Target) compact(b int64, dims []int64, tie func(minor, second int64) float64) []int {
	rank := len(dims)
	order := hlo.Descending(rank)
	if rank < 2 || !allPositive(dims) {
		return order
	}
	// The rows that count: never a large tile, never more rows than sublanes.
	least := min(t.Sublanes, t.leastRows(perWord(t.stored(b))))
	rows := func(n int64) int64 { return max(least, powerOfTwo(min(n, t.Sublanes))) }

	var best growth
	var bestTie float64
	bestMinor, bestSecond := -1, -1
	for i := rank - 1; i >= 0; i-- {
		for j := rank - 1; j >= 0; j-- {
			if i == j {
				continue
			}
			minor, second := dims[i], dims[j]
			g := growth{
				padded: multiply(roundUp(minor, t.Lanes), roundUp(second, rows(second))),
				plain:  multiply(uint64(minor), uint64(second)),
			}
			less := -1
			if bestMinor >= 0 {
				less = g.compare(best)
			}
			if less > 0 {
				continue
			}
			if v := tie(minor, second); less < 0 || v < bestTie {
				best, bestTie, bestMinor, bestSecond = g, v, i, j
			}
		}
	}
	order = append(order[:0], bestMinor, bestSecond)
	for k := rank - 1; k >= 0; k-- {
		if k != bestMinor && k != bestSecond {
			order = append(order, k)
		}
	}
	return order
}
