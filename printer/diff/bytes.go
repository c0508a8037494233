package diff

import (
	"math"
	"math/bits"

	"hlolayout/hlo"
)

// paddedBytes returns the size of an array in memory, in bytes: with its layout's tiles filled up to their whole size, and
// with E(n) bits an element, else the type's own width but no less than a byte (tiling.md section 3). ok is false when the
// size overflows int64, and for dimensions without a bound or merged by a `*` tile.
func paddedBytes(s *hlo.Shape) (n int64, ok bool) {
	order := s.MinorToMajor()
	dims := make([]int64, len(order))
	for i, d := range order {
		if dims[len(order)-1-i] = s.Dims[d]; s.Dims[d] < 0 {
			return 0, false
		}
	}
	width := max(8, int64(s.DType.Bits()))
	if s.Layout != nil {
		for _, t := range s.Layout.Tiles {
			if dims, ok = tile(dims, t); !ok {
				return 0, false
			}
		}
		if s.Layout.ElementBits > 0 {
			width = s.Layout.ElementBits
		}
	}
	n = width
	for _, d := range dims {
		hi, lo := bits.Mul64(uint64(n), uint64(d))
		if hi != 0 || lo > math.MaxInt64-7 {
			return 0, false
		}
		n = int64(lo)
	}
	return (n + 7) / 8, true
}

// tile cuts the minor dimensions of dims (major to minor) into tiles: each becomes a number of tiles, the last one
// perhaps in part, and the dimensions of the tile follow. Dimensions that dims has too few of are 1.
func tile(dims []int64, t hlo.Tile) ([]int64, bool) {
	for len(dims) < len(t) {
		dims = append([]int64{1}, dims...)
	}
	minor := dims[len(dims)-len(t):]
	for i, n := range t {
		if n < 1 {
			return nil, false
		}
		minor[i] = minor[i]/n + min(minor[i]%n, 1)
	}
	return append(dims, t...), true
}
