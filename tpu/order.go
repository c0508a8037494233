package tpu

import (
	"math/bits"

	"hlolayout/hlo"
)

// BoundaryOrder returns the minor_to_major order that the compiler gives to a parameter or result of the program
// when nobody asks for another: the most compact one (section 2a).
func (t *Target) BoundaryOrder(d hlo.DType, dims []int64) []int {
	e, ok := t.bits(d)
	if !ok {
		return hlo.Descending(len(dims))
	}
	return t.order(e, dims, func(i, j int64) float64 {
		if i%t.Lanes == 0 && j%t.rows(e, j, false) == 0 {
			return 0
		}
		return 1
	})
}

// FreeOrder returns the minor_to_major order that layout assignment gives to a value inside of the module that nothing
// constrains (section 2b). Types of less than 8 bits, of 64 bits and complex ones are not measured there and
// follow the same rule.
func (t *Target) FreeOrder(d hlo.DType, dims []int64) []int {
	e, ok := t.bits(d)
	if !ok {
		return hlo.Descending(len(dims))
	}
	return t.order(e, dims, func(i, j int64) float64 {
		// The rounding of each quotient to double decides ties in the compiler, so the operations stay as they are.
		a := float64(roundUp(i, t.Lanes)) / float64(i)
		b := float64(roundUp(j, t.Sublanes)) / float64(j)
		return a * b
	})
}

// order returns the order whose minor dimension i and second-minor dimension j have the smallest (padded size, second), the
// highest i and then the highest j among equals; the other dimensions follow descending. second gets the two sizes.
//
// The padded size is ru(i) * ru(j) times the sizes of the others. Divided by the product of all sizes, which every
// pair shares, it is the ratio ru(i)*ru(j) / (i*j); two of those compare exactly in 256 bits, whatever the rank.
func (t *Target) order(e int64, dims []int64, second func(i, j int64) float64) []int {
	rank := len(dims)
	out := hlo.Descending(rank)
	if rank < 2 {
		return out
	}
	for _, n := range dims {
		if n <= 0 {
			return out
		}
	}
	least := min(t.Sublanes, t.leastRows(perWord(t.stored(e))))
	costRows := func(n int64) int64 { return max(least, powerOfTwo(min(n, t.Sublanes))) }
	var best ratio
	var bestSecond float64
	bestI, bestJ := -1, -1
	for i := rank - 1; i >= 0; i-- {
		for j := rank - 1; j >= 0; j-- {
			if i == j {
				continue
			}
			di, dj := dims[i], dims[j]
			r := ratio{mul128(roundUp(di, t.Lanes), roundUp(dj, costRows(dj))), mul128(uint64(di), uint64(dj))}
			c := -1
			if bestI >= 0 {
				c = r.compare(best)
			}
			if c > 0 {
				continue
			}
			s := second(di, dj)
			if c < 0 || s < bestSecond {
				best, bestSecond, bestI, bestJ = r, s, i, j
			}
		}
	}
	out = append(out[:0], bestI, bestJ)
	for k := rank - 1; k >= 0; k-- {
		if k != bestI && k != bestJ {
			out = append(out, k)
		}
	}
	return out
}

// roundUp returns n rounded up to a multiple of m; n is positive and m at most 2^32, so that the result fits 64 bits.
func roundUp(n, m int64) uint64 {
	return (uint64(n) + uint64(m) - 1) / uint64(m) * uint64(m)
}

// uint128 is hi<<64 + lo.
type uint128 struct{ hi, lo uint64 }

func mul128(a, b uint64) uint128 {
	hi, lo := bits.Mul64(a, b)
	return uint128{hi, lo}
}

// ratio is num/den.
type ratio struct{ num, den uint128 }

// compare returns -1, 0 or 1 as r is less than, equal to or greater than o.
func (r ratio) compare(o ratio) int {
	a, b := r.num.mul(o.den), o.num.mul(r.den)
	for k := 3; k >= 0; k-- {
		switch {
		case a[k] < b[k]:
			return -1
		case a[k] > b[k]:
			return 1
		}
	}
	return 0
}

// mul returns a*b as four 64-bit digits, lowest first.
func (a uint128) mul(b uint128) (out [4]uint64) {
	var carry uint64
	h0, l0 := bits.Mul64(a.lo, b.lo)
	h1, l1 := bits.Mul64(a.lo, b.hi)
	h2, l2 := bits.Mul64(a.hi, b.lo)
	h3, l3 := bits.Mul64(a.hi, b.hi)
	out[0] = l0
	out[1], carry = bits.Add64(h0, l1, 0)
	out[2], carry = bits.Add64(h1, l3, carry)
	out[3] = h3 + carry
	out[1], carry = bits.Add64(out[1], l2, 0)
	out[2], carry = bits.Add64(out[2], h2, carry)
	out[3] += carry
	return out
}
