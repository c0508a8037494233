package tpu

import (
	"math/bits"

	"hlolayout/hlo"
)

// Tiles returns the tiles of an array of type d whose dimensions lie in the order minorToMajor (nil for
// descending), and its E(n): the bits of an element where they are less than a byte, 0 otherwise. With boundary the array is a
// parameter or result of the program, `large` in section 1; without, a value inside of the module. Arrays with a dimension of
// size 0 have no tiles. Neither have those for which there is no rule: an order that does not fit dims, an
// unbounded dimension, a type that is no array's.
func (t *Target) Tiles(d hlo.DType, dims []int64, minorToMajor []int, boundary bool) (tiles []hlo.Tile, elementBits int64) {
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

// tiledLayout is a layout with room for its tiles: one allocation for all of it.
type tiledLayout struct {
	hlo.Layout
	tiles [2]hlo.Tile
	sizes [4]int64
}

// tile writes Tiles and ElementBits of l: section 1.
func (t *Target) tile(l *tiledLayout, d hlo.DType, dims []int64, minorToMajor []int, boundary bool) {
	e, ok := t.bits(d)
	if !ok {
		return
	}
	if e < 8 && t.PackSubByte {
		l.ElementBits = e
	}
	first, second, ok := minorDims(dims, minorToMajor)
	if !ok {
		return
	}
	p := perWord(t.stored(e))
	var n int
	switch len(dims) {
	case 0:
		l.sizes[0], n = t.GranuleWords*p, 1
		p = 1 // a scalar has no packing tile
	case 1:
		l.sizes[0], n = t.chunk(e, dims[first]), 1
	default:
		l.sizes[0], l.sizes[1], n = t.rows(e, dims[second], boundary), t.Lanes, 2
	}
	l.tiles[0] = l.sizes[:n:n]
	l.Tiles = l.tiles[:1:1]
	if p == 1 {
		return
	}
	if len(dims) == 1 {
		// T(N)(128)(p,1) has one tile more than there is room for.
		l.Tiles = []hlo.Tile{l.tiles[0], {t.Lanes}, {p, 1}}
		return
	}
	l.sizes[2], l.sizes[3] = p, 1
	l.tiles[1] = l.sizes[2:4:4]
	l.Tiles = l.tiles[:2:2]
}

// minorDims returns the dimensions that are minor and second-minor in the order minorToMajor (nil for descending), 0
// where the rank is too low for one. ok is false where there is nothing to tile: a size that is not positive, or an
// order that does not fit dims.
func minorDims(dims []int64, minorToMajor []int) (minor, second int, ok bool) {
	rank := len(dims)
	for _, n := range dims {
		if n <= 0 {
			return 0, 0, false
		}
	}
	switch {
	case minorToMajor == nil:
		return max(rank-1, 0), max(rank-2, 0), true
	case len(minorToMajor) != rank:
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

// chunk returns N, the elements of the tile of n elements of e bits at rank 1 (section 1, rule 3).
func (t *Target) chunk(e, n int64) int64 {
	most := t.Lanes * max(t.Sublanes, perWord(e))
	least := t.GranuleWords * perWord(t.stored(e))
	return min(most, max(least, powerOfTwo(min(n, most))))
}

// Rows returns R, the rows of the tile for a second-minor size at rank 2 and above (section 1, rule 4); 0 for
// what is no element type of arrays.
func (t *Target) Rows(d hlo.DType, second int64, boundary bool) int64 {
	e, ok := t.bits(d)
	if !ok {
		return 0
	}
	return t.rows(e, second, boundary)
}

func (t *Target) rows(e, second int64, boundary bool) int64 {
	p := perWord(t.stored(e))
	if large := t.Sublanes * p; boundary && t.LargeTiles && p >= 4 && second%large == 0 {
		return large
	}
	most := max(t.Sublanes, perWord(e))
	least := most
	if t.PackSubByte || e >= 8 {
		least = min(most, t.leastRows(p))
	}
	return max(least, powerOfTwo(min(second, most)))
}

// leastRows returns the fewest rows of a tile of elements of which a 32-bit word holds p.
func (t *Target) leastRows(p int64) int64 {
	if t.Options.SmallTiles == SmallDocumented {
		return max(2, t.MinRows*p)
	}
	return t.MinRows * p
}

// powerOfTwo returns the smallest power of two that is not less than n, 1 for n <= 1. n is at most 2^62.
func powerOfTwo(n int64) int64 {
	if n <= 1 {
		return 1
	}
	return 1 << bits.Len64(uint64(n-1))
}
