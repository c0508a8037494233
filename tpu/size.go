package tpu

import (
	"math"
	"slices"

	"hlolayout/hlo"
)

// PaddedElements returns how many elements an array takes with the tiles of Tiles, padding included; large
// and small tiles pad alike. It is 0 where a size is 0. ok is false when the count overflows int64, and where there is
// no rule (see Tiles).
func (t *Target) PaddedElements(d hlo.DType, dims []int64, minorToMajor []int) (n int64, ok bool) {
	b, ok := t.width(d)
	if !ok {
		return 0, false
	}
	if slices.Contains(dims, 0) {
		return 0, slices.Min(dims) == 0
	}
	minor, second, ok := minorDims(dims, minorToMajor)
	if !ok {
		return 0, false
	}
	switch len(dims) {
	case 0:
		return t.GranuleWords * perWord(t.stored(b)), true
	case 1:
		padded := roundUp(dims[0], t.chunk(b, dims[0]))
		return int64(padded), padded <= math.MaxInt64
	}
	total := uint64(1)
	for k, size := range dims {
		padded := uint64(size)
		switch k {
		case minor:
			padded = roundUp(size, t.Lanes)
		case second:
			padded = roundUp(size, t.rows(b, size, false))
		}
		if total, ok = product(total, padded); !ok {
			return 0, false
		}
	}
	return int64(total), true
}

// Bytes returns the size of an array in bytes, padding included: what the compiler allocates. ok is false
// when it overflows int64, and without a rule (see Tiles).
func (t *Target) Bytes(d hlo.DType, dims []int64, minorToMajor []int) (n int64, ok bool) {
	n, ok = t.PaddedElements(d, dims, minorToMajor)
	if !ok {
		return 0, false
	}
	b, _ := t.width(d)
	s := t.stored(b)
	if s < 8 {
		return n / (8 / s), true // exact: every tile is a whole number of 32-bit words
	}
	bytes, ok := product(uint64(n), uint64(s/8))
	if !ok {
		return 0, false
	}
	return int64(bytes), true
}

// TupleTableBytes returns the size in bytes of the pointer table of a result that is a tuple with the given number of
// leaves (measured for 2 to 300); 0 below two leaves.
func (t *Target) TupleTableBytes(leaves int) int64 {
	if leaves < 2 {
		return 0
	}
	n := min(int64(leaves), math.MaxInt64/8) // no tuple comes near; the product must not wrap
	return int64(roundUp(4*n, t.TupleGranuleBytes))
}

// PaddedPair returns how many elements the two minor dimensions take when padded to the tile that values inside of
// the module have: second to a multiple of Rows, minor to one of Lanes. It is 0 where one of them is not positive or d
// is not an element type of arrays, and math.MaxInt64 for everything above.
func (t *Target) PaddedPair(d hlo.DType, second, minor int64) int64 {
	b, ok := t.width(d)
	if !ok || second <= 0 || minor <= 0 {
		return 0
	}
	n, ok := product(roundUp(second, t.rows(b, second, false)), roundUp(minor, t.Lanes))
	if !ok {
		return math.MaxInt64
	}
	return int64(n)
}
