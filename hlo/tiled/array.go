package tiled

import (
	"sync"
	"sync/atomic"

	"hlolayout/hlo"
	"hlolayout/hlo/cute"
)

// MaxRank is the largest number of final physical dimensions that New accepts. XLA's own arrays have fewer than 32.
const MaxRank = 1024

// Array is an array in memory: everything is checked, all products are known. It is immutable and safe for
// concurrent use.
type Array struct {
	dtype  hlo.DType
	dims   []int64 // logical
	order  []int   // minor to major
	tiles  []hlo.Tile
	tail   int64 // L(n), at least 1
	bits   int64 // stored bits of an element
	levels []level
	final  []int64 // final physical dimensions, major to minor
	steps  []int64 // their row-major strides

	elements, arraySize, total int64

	// The maps of the logical dimensions, derived when first asked for: sizes do without them.
	once    sync.Once
	derived atomic.Bool
	modes   []mode // nil where the map is not a layout
	refusal error  // why not
}

// level is one tile: what it leaves alone, joins and splits.
type level struct {
	added  int // dimensions of extent 1 put in front first
	lead   int // dimensions left alone
	groups []group
}

// group is one entry of a tile with the dimensions that `*` joins to it.
type group struct {
	dims   []int64 // extents, major to minor
	joined int64   // their product
	tile   int64
	tiles  int64 // joined/tile, rounded up
}

// New checks an array shape and its layout; a shape without a layout is row-major and untiled, dynamic dimensions count
// with their bounds. Errors: ErrShape, ErrOrder, ErrTile, ErrEmptyTile, ErrStar, ErrLimit, ErrOverflow when the
// allocation has more than 2^63 bits.
func New(s *hlo.Shape) (*Array, error) {
	if s == nil || !s.IsArray() || !s.DType.IsArray() {
		return nil, fail(ErrShape, "not an array shape; only arrays have a layout")
	}
	layout := s.Layout
	if layout == nil {
		layout = hlo.DescendingLayout(s.Rank())
	}
	if len(layout.MinorToMajor) != s.Rank() || !hlo.IsPermutation(layout.MinorToMajor) {
		return nil, fail(ErrOrder, "minor_to_major of %s is not a permutation of its %d dimensions", s, s.Rank())
	}
	if s.Rank() > MaxRank {
		return nil, fail(ErrLimit, "%d dimensions; at most %d are accepted", s.Rank(), MaxRank)
	}
	for _, d := range s.Dims {
		if d < 0 {
			return nil, fail(ErrShape, "%s has an unbounded dimension", s)
		}
	}
	a := &Array{dtype: s.DType, dims: s.Dims, order: layout.MinorToMajor, tiles: layout.Tiles,
		tail: max(layout.TailPadding, 1)}
	if layout.TailPadding < 0 || layout.ElementBits < 0 {
		return nil, fail(ErrShape, "%s has a negative L() or E()", s)
	}
	// Without E() XLA stores an element of less than 8 bits in a separate byte.
	a.bits = layout.ElementBits
	if a.bits == 0 {
		a.bits = int64(max(s.DType.Bits(), 8))
	}
	if err := a.split(); err != nil {
		return nil, err
	}
	if err := a.measure(s); err != nil {
		return nil, err
	}
	return a, nil
}

// split applies the tiles one after the other.
func (a *Array) split() error {
	dims := a.PhysicalDims()
	for i, tile := range a.tiles {
		lv, next, err := splitDims(dims, tile)
		if err != nil {
			return fail(err.(*Error).Kind, "tile %d: %s", i, err.(*Error).Msg)
		}
		a.levels = append(a.levels, lv)
		dims = next
	}
	a.final = dims
	return nil
}

func splitDims(dims []int64, tile hlo.Tile) (level, []int64, error) {
	var lv level
	switch m := len(tile); {
	case m == 0:
		return lv, nil, fail(ErrEmptyTile, "it has no entries")
	case tile[m-1] == hlo.Combined:
		return lv, nil, fail(ErrStar, "`*` stands last and has nothing to join")
	case m+len(dims) > MaxRank:
		return lv, nil, fail(ErrLimit, "%d entries on %d dimensions; at most %d dimensions are accepted", m, len(dims),
			MaxRank)
	case m > len(dims):
		lv.added = m - len(dims)
		padded := make([]int64, m)
		for i := range padded {
			padded[i] = 1
		}
		copy(padded[lv.added:], dims)
		dims = padded
	default:
		lv.lead = len(dims) - m
	}
	g := group{joined: 1}
	for i, t := range tile {
		d := dims[lv.lead+i]
		g.dims = append(g.dims, d)
		var ok bool
		if g.joined, ok = product(g.joined, d); !ok {
			return lv, nil, fail(ErrOverflow, "the joined dimensions %v have a product that does not fit int64", g.dims)
		}
		if t == hlo.Combined {
			continue
		}
		if t < 1 {
			return lv, nil, fail(ErrTile, "extent %d; an extent is at least 1, or `*`", t)
		}
		g.tile = t
		g.tiles = ceilDiv(g.joined, t)
		lv.groups = append(lv.groups, g)
		g = group{joined: 1}
	}
	next := append(make([]int64, 0, lv.lead+2*len(lv.groups)), dims[:lv.lead]...)
	for _, g := range lv.groups {
		next = append(next, g.tiles)
	}
	for _, g := range lv.groups {
		next = append(next, g.tile)
	}
	return lv, next, nil
}

// measure computes the sizes.
func (a *Array) measure(s *hlo.Shape) error {
	tooBig := func() error { return fail(ErrOverflow, "%s needs more than 2^63 bits", s) }
	var ok bool
	if a.elements, ok = product(a.dims...); !ok {
		return tooBig()
	}
	if a.arraySize, ok = product(a.PaddedPhysical()...); !ok {
		return tooBig()
	}
	if a.total, ok = product(a.final...); !ok {
		return tooBig()
	}
	for _, n := range []*int64{&a.arraySize, &a.total} {
		if *n, ok = cute.Mul(ceilDiv(*n, a.tail), a.tail); !ok {
			return tooBig()
		}
		if bits, ok := cute.Mul(*n, a.bits); !ok || bits > 1<<63-8 {
			return tooBig()
		}
	}
	a.steps = make([]int64, len(a.final))
	step := int64(1)
	for i := len(a.final) - 1; i >= 0; i-- {
		a.steps[i] = step
		step *= a.final[i] // the whole product fits, or is 0: then no index is valid and no stride used
	}
	return nil
}

// product returns the product of dims and whether it fits; 0 wherever one of them is 0. Negative dims do not fit.
func product(dims ...int64) (n int64, ok bool) {
	n = 1
	ok = true
	zero := false
	for _, d := range dims {
		switch {
		case d < 0:
			return 0, false
		case d == 0:
			zero = true
		case ok:
			n, ok = cute.Mul(n, d)
		}
	}
	if zero {
		return 0, true
	}
	return n, ok
}

// ceilDiv rounds a/b up, a >= 0, b > 0.
func ceilDiv(a, b int64) int64 {
	q := a / b
	if a%b != 0 {
		q++
	}
	return q
}
