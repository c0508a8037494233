package tpu

import (
	"math"
	"math/bits"

	"hlolayout/hlo"
)

// PaddedElements returns how many elements an array takes with the tiles of Tiles, padding included (section 3); large
// and small tiles pad alike. ok is false when the count overflows int64, and where there is no rule (see Tiles).
func (t *Target) PaddedElements(d hlo.DType, dims []int64, minorToMajor []int) (n int64, ok bool) {
	e, ok := t.bits(d)
	if !ok {
		return 0, false
	}
	zero := false
	for _, n := range dims {
		if n < 0 {
			return 0, false
		}
		zero = zero || n == 0
	}
	if zero {
		return 0, true
	}
	minor, second, ok := minorDims(dims, minorToMajor)
	if !ok {
		return 0, false
	}
	product := uint64(1)
	for k, n := range dims {
		size := uint64(n)
		switch {
		case len(dims) == 1:
			size = roundUp(n, t.chunk(e, n))
		case k == minor:
			size = roundUp(n, t.Lanes)
		case k == second:
			size = roundUp(n, t.rows(e, n, false))
		}
		if product, ok = times(product, size); !ok {
			return 0, false
		}
	}
	if len(dims) == 0 {
		product = uint64(t.GranuleWords * perWord(t.stored(e)))
	}
	return int64(product), true
}

// Bytes returns the size of an array in bytes, padding included: what the compiler allocates (section 3). ok is false when it
// overflows int64, and where there is no rule (see Tiles).
func (t *Target) Bytes(d hlo.DType, dims []int64, minorToMajor []int) (n int64, ok bool) {
	n, ok = t.PaddedElements(d, dims, minorToMajor)
	if !ok {
		return 0, false
	}
	e, _ := t.bits(d)
	s := t.stored(e)
	if s < 8 {
		return n / (8 / s), true // a granule is a whole number of words
	}
	size, ok := times(uint64(n), uint64(s/8))
	if !ok {
		return 0, false
	}
	return int64(size), true
}

// TupleTableBytes returns the size in bytes of the pointer table of a result that is a tuple of so many
// leaves: 0 below two of them (section 3, measured for 2 to 300).
func (t *Target) TupleTableBytes(leaves int) int64 {
	if leaves < 2 {
		return 0
	}
	words := min(int64(leaves), math.MaxInt64/8)
	return int64(min(roundUp(4*words, t.TupleGranuleBytes), math.MaxInt64))
}

// PaddedPair returns how many elements the two minor dimensions take when padded to the tile that values inside of
// the module have: ru(second, Rows) * ru(minor, Lanes). It is 0 when one of them is not positive or d is no element
// type of arrays, and math.MaxInt64 for everything above.
func (t *Target) PaddedPair(d hlo.DType, second, minor int64) int64 {
	e, ok := t.bits(d)
	if !ok || second <= 0 || minor <= 0 {
		return 0
	}
	n, ok := times(roundUp(second, t.rows(e, second, false)), roundUp(minor, t.Lanes))
	if !ok {
		return math.MaxInt64
	}
	return int64(n)
}

// times returns a*b; ok is false when it is above math.MaxInt64.
func times(a, b uint64) (n uint64, ok bool) {
	hi, lo := bits.Mul64(a, b)
	return lo, hi == 0 && lo <= math.MaxInt64
}
