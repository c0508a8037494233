package tpu

import (
	"cmp"
	"math"
	"math/bits"
)

// growth is the factor padded/plain by which padding a pair of dimensions makes an array larger. The compiler compares
// padded sizes of whole arrays; divided by the elements of the array, which all pairs share, they are these factors,
// and two of them compare exactly in 256 bits, whatever the rank.
type growth struct{ padded, plain uint128 }

// compare returns -1, 0 or 1 as g is less than, equal to or greater than o.
func (g growth) compare(o growth) int {
	if g.padded.hi|g.plain.hi|o.padded.hi|o.plain.hi == 0 {
		a, b := multiply(g.padded.lo, o.plain.lo), multiply(o.padded.lo, g.plain.lo)
		return cmp.Or(cmp.Compare(a.hi, b.hi), cmp.Compare(a.lo, b.lo))
	}
	a, b := g.padded.times(o.plain), o.padded.times(g.plain)
	return cmp.Or(cmp.Compare(a[3], b[3]), cmp.Compare(a[2], b[2]), cmp.Compare(a[1], b[1]), cmp.Compare(a[0], b[0]))
}

// uint128 is hi<<64 + lo.
type uint128 struct{ hi, lo uint64 }

// multiply returns a*b.
func multiply(a, b uint64) uint128 {
	hi, lo := bits.Mul64(a, b)
	return uint128{hi, lo}
}

// times returns a*b as four digits of 64 bits, lowest first.
func (a uint128) times(b uint128) (digits [4]uint64) {
	low, cross1, cross2, high := multiply(a.lo, b.lo), multiply(a.lo, b.hi), multiply(a.hi, b.lo), multiply(a.hi, b.hi)
	var carry uint64
	digits[0] = low.lo
	digits[1], carry = bits.Add64(low.hi, cross1.lo, 0)
	digits[2], carry = bits.Add64(high.lo, cross1.hi, carry)
	digits[3] = high.hi + carry
	digits[1], carry = bits.Add64(digits[1], cross2.lo, 0)
	digits[2], carry = bits.Add64(digits[2], cross2.hi, carry)
	digits[3] += carry
	return digits
}

// product returns a*b; ok is false when it is above math.MaxInt64.
func product(a, b uint64) (n uint64, ok bool) {
	hi, lo := bits.Mul64(a, b)
	return lo, hi == 0 && lo <= math.MaxInt64
}
