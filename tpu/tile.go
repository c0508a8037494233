package tpu

import (
	"math/bits"

	"hlolayout/hlo"
)

// Tiles returns the tiles of an array of type d whose dimensions have the order minorToMajor (nil for
// descending), and its E(n): the bits of an element where they are packed and fewer than 8, 0 otherwise.
// With boundary the array is a parameter or result of the program; without, a value inside of the
// module. An array with a dimension of size 0 has no tiles. Neither has one without a rule: an order that does not
// fit dims, an unbounded dimension, a type that is not an array's.
func (t *Target) Tiles(d hlo.DType, dims []int64, minorToMajor []int, boundary bool) (tiles []hlo.Tile,
	elementBits int64) {
	var l tiledLayout
	t.tile(&l, d, dims, minorToMajor, boundary)
	return l.Tiles, l.ElementBits
}

// Layout returns the layout with the order minorToMajor (nil for descending, not copied) and what Tiles says of it.
func (t *Target) Layout(d hlo.DType, dims []int64, minorToMajor []int, boundary bool) *hlo.Layout {
	if minorToMajor == nil {
		minorToMajor = hlo.Descending(len(dims))
	}
	l := &tiledLayout{Layout: hlo.Layout{MinorToMajor: minorToMajor}}
	t.tile(l, d, dims, minorToMajor, boundary)
	return &l.Layout
}

// tiledLayout is a layout with room for its tiles, so that both are one allocation.
type tiledLayout struct {
	hlo.Layout
	tiles [3]hlo.Tile
	sizes [4]int64
}

// tile sets Tiles and ElementBits of l.
func (t *Target) tile(l *tiledLayout, d hlo.DType, dims []int64, minorToMajor []int, boundary bool) {
	b, ok := t.width(d)
	if !ok {
		return
	}
	if b < 8 && t.PackSubByte {
		l.ElementBits = b
	}
	minor, second, ok := minorDims(dims, minorToMajor)
	if !ok {
		return
	}
	p := perWord(t.stored(b))
	var ends []int // of the tiles, in sizes
	switch len(dims) {
	case 0:
		l.sizes[0] = t.GranuleWords * p
		l.setTiles(1) // without a packing tile
		return
	case 1:
		l.sizes, ends = [4]int64{t.chunk(b, dims[minor]), t.Lanes, p, 1}, []int{1, 2, 4}
	default:
		l.sizes, ends = [4]int64{t.rows(b, dims[second], boundary), t.Lanes, p, 1}, []int{2, 4}
	}
	if p == 1 {
		ends = ends[:1]
	}
	l.setTiles(ends...)
}

// setTiles cuts sizes into tiles that end before the given places.
func (l *tiledLayout) setTiles(ends ...int) {
	start := 0
	for k, end := range ends {
		l.tiles[k] = l.sizes[start:end:end]
		start = end
	}
	l.Tiles = l.tiles[:len(ends):len(ends)]
}

// minorDims returns the dimensions that are minor and second-minor in the order minorToMajor (nil for descending), 0
// where the rank is too low for one. ok is false where there is nothing to tile: a size that is not positive, or an
// order that does not fit dims.
func minorDims(dims []int64, minorToMajor []int) (minor, second int, ok bool) {
	if !allPositive(dims) {
		return 0, 0, false
	}
	rank := len(dims)
	if minorToMajor == nil {
		return max(rank-1, 0), max(rank-2, 0), true
	}
	if len(minorToMajor) != rank {
		return 0, 0, false
	}
	var at [2]int
	for k := range min(rank, 2) {
		if at[k] = minorToMajor[k]; at[k] < 0 || at[k] >= rank {
			return 0, 0, false
		}
	}
	return at[0], at[1], rank < 2 || at[0] != at[1]
}

func allPositive(dims []int64) bool {
	for _, n := range dims {
		if n <= 0 {
			return false
		}
	}
	return true
}

// Rows returns R, the rows of the tile for a second-minor size at rank 2 and above, in elements; 0
// for what is not an element type of arrays. boundary is that of Tiles.
func (t *Target) Rows(d hlo.DType, second int64, boundary bool) int64 {
	b, ok := t.width(d)
	if !ok {
		return 0
	}
	return t.rows(b, second, boundary)
}

// rows is Rows for an element of b bits.
func (t *Target) rows(b, second int64, boundary bool) int64 {
	p := perWord(t.stored(b))
	if large := t.Sublanes * p; boundary && t.LargeTiles && p >= 4 && second%large == 0 {
		return large
	}
	most := max(t.Sublanes, perWord(b))
	least := most
	if t.PackSubByte || b >= 8 {
		least = min(most, t.leastRows(p))
	}
	return max(least, powerOfTwo(min(second, most)))
}

// leastRows returns the fewest rows of a tile whose 32-bit words hold p elements each: M*p.
func (t *Target) leastRows(p int64) int64 {
	least := t.MinRows * p
	if t.Options.SmallTiles == SmallDocumented {
		return max(2, least)
	}
	return least
}

// chunk returns N, the size of the first tile of n elements of b bits at rank 1.
func (t *Target) chunk(b, n int64) int64 {
	most := t.Lanes * max(t.Sublanes, perWord(b))
	least := t.GranuleWords * perWord(t.stored(b))
	return min(most, max(least, powerOfTwo(min(n, most))))
}

// powerOfTwo returns the smallest power of two that is not less than n, 1 for n <= 1. n is at most 2^62.
func powerOfTwo(n int64) int64 {
	if n <= 1 {
		return 1
	}
	return 1 << bits.Len64(uint64(n-1))
}

// roundUp returns n rounded up to a multiple of m, a power of two. n is not negative and m at most 2^62, so
// that the result fits.
func roundUp(n, m int64) uint64 {
	return (uint64(n) + uint64(m) - 1) &^ (uint64(m) - 1)
}
