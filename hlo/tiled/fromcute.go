package tiled

import (
	"cmp"
	"slices"

	"hlolayout/hlo"
	"hlolayout/hlo/cute"
)

// FromCute returns minor_to_major and tiles that put an array of the given logical dimensions where the layout says:
// mode d is the map of dimension d, its size the padded extent. Every compact layout has such tiles, since a tile can
// split any dimension and tiles after it order the pieces; as few as the rule below finds are used, so T(8,128)(2,1)
// comes back as it was written. The result is checked against the layout before it is returned. ErrNoLayout where the
// indices have holes, repeat or run backwards; ErrShape where the layout does not cover the dimensions.
func FromCute(l cute.Layout, dims []int64) (*hlo.Layout, error) {
	if l.IsZero() || l.Rank() != len(dims) && !(len(dims) == 0 && l.IsLeaf()) {
		return nil, fail(ErrShape, "layout %s does not have a mode for each of %d dimensions", l, len(dims))
	}
	pieces, extents, err := cutePieces(l, dims)
	if err != nil {
		return nil, err
	}
	for _, layout := range []*hlo.Layout{
		tilesFor(splitTops(pieces, dims, extents), dims, extents, false),
		tilesFor(pieces, dims, extents, true),
	} {
		if layout == nil {
			continue
		}
		if a, err := New(hlo.NewArray(hlo.S32, dims, layout)); err == nil && a.follows(l) {
			return layout, nil
		}
	}
	return nil, fail(ErrNoLayout, "no tiles were found that put %v where %s says", dims, l)
}

// piece is one digit of a dimension: a leaf of its coalesced mode.
type piece struct {
	leaf
	dim int
	run int // pieces of a run come in the same order in the dimension and in memory
}

// cutePieces returns the digits from the major to the minor end of memory, and the padded extents.
func cutePieces(l cute.Layout, dims []int64) ([]piece, []int64, error) {
	var all []piece
	extents := make([]int64, len(dims))
	for d, n := range dims {
		m, err := cute.Coalesce(l.Mode(d))
		if err != nil {
			return nil, nil, err
		}
		if extents[d], err = m.Size(); err != nil {
			return nil, nil, err
		}
		if n < 1 || extents[d] < n {
			return nil, nil, fail(ErrShape, "mode %d of %s has %d positions for dimension %d", d, l, extents[d], n)
		}
		run, last := 0, int64(0)
		m.Leaves(func(extent, stride int64) {
			if extent == 1 {
				return
			}
			if stride < last {
				run++
			}
			last = stride
			all = append(all, piece{leaf{extent, stride}, d, run})
		})
	}
	slices.SortStableFunc(all, func(a, b piece) int { return cmp.Compare(b.stride, a.stride) })
	reach := int64(1)
	for _, p := range slices.Backward(all) {
		if p.stride != reach {
			return nil, nil, fail(ErrNoLayout, "leaf %d:%d of %s does not continue the %d elements below it", p.extent,
				p.stride, l, reach)
		}
		var ok bool
		if reach, ok = cute.Mul(reach, p.extent); !ok {
			return nil, nil, fail(ErrOverflow, "%s has more than 2^63 elements", l)
		}
	}
	return all, extents, nil
}

// maxTries bounds the search for a tile that divides an extent; without one the whole extent becomes the tile.
const maxTries = 1 << 12

// splitTops cuts the most major piece of a padded dimension in two, so that the lower pieces make the smallest tile
// that pads the dimension to its extent: of 304 positions for 300, 38 tiles of 8.
func splitTops(pieces []piece, dims, extents []int64) []piece {
	var out []piece
	seen := make([]bool, len(dims))
	for _, p := range pieces {
		pad := extents[p.dim] - dims[p.dim]
		if pad == 0 || seen[p.dim] {
			out = append(out, p)
			continue
		}
		seen[p.dim] = true
		below := extents[p.dim] / p.extent // what the dimension's other pieces hold
		low := pad/below + 1               // the tile is larger than the padding
		for tries := 0; low < p.extent && p.extent%low != 0 && tries < maxTries; tries++ {
			low++
		}
		if low > 1 && low < p.extent && p.extent%low == 0 {
			out = append(out, piece{leaf{p.extent / low, p.stride * low}, p.dim, p.run})
			p.extent = low
		}
		out = append(out, p)
	}
	slices.SortStableFunc(out, func(a, b piece) int { return cmp.Compare(b.stride, a.stride) })
	return out
}

// part is a physical dimension on the way: it holds the runs up to run of a dimension, or nothing (dim -1).
type part struct {
	dim, run int
	extent   int64
}

// tilesFor builds the tiles, nil where they would be too many. The dimensions are in the order in which memory first
// meets their pieces. A dimension whose pieces are in several runs is split between them. Then memory is read from the
// major end in rounds, each meeting dimensions in order; what is left of every dimension after a round is the tile that
// begins the next. With pad, all dimensions are padded first.
func tilesFor(pieces []piece, dims, extents []int64, pad bool) *hlo.Layout {
	var major []int // dimensions, major to minor
	runs := make([]int, len(dims))
	for d, n := range extents {
		if n == 1 {
			major = append(major, d)
		}
	}
	for _, p := range pieces {
		if !slices.Contains(major, p.dim) {
			major = append(major, p.dim)
		}
		runs[p.dim] = max(runs[p.dim], p.run)
	}
	layout := &hlo.Layout{MinorToMajor: slices.Clone(major)}
	slices.Reverse(layout.MinorToMajor)
	parts := make([]part, len(major))
	for i, d := range major {
		parts[i] = part{d, runs[d], dims[d]}
	}
	if pad {
		lead := 0 // dimensions that need none
		for lead < len(parts) && dims[major[lead]] == extents[major[lead]] {
			lead++
		}
		for i, d := range major {
			parts[i].extent = extents[d]
		}
		layout.Tiles = appendTile(layout.Tiles, parts[lead:])
		low := slices.Clone(parts[lead:])
		for i := lead; i < len(parts); i++ { // the tile counts, all 1
			parts[i] = part{-1, 0, 1}
		}
		parts = append(parts, low...)
	}
	for i := 0; i < len(parts); i++ {
		p := parts[i]
		if p.run == 0 || p.dim < 0 {
			continue
		}
		if len(parts) > MaxRank {
			return nil
		}
		low := part{p.dim, p.run - 1, filled(pieces, func(x piece) bool { return x.dim == p.dim && x.run < p.run })}
		after := slices.Clone(parts[i+1:])
		layout.Tiles = append(layout.Tiles, tileOf(append([]part{low}, after...)))
		parts[i].extent = ceilDiv(p.extent, low.extent)
		for k := range after {
			parts[i+1+k] = part{-1, 0, 1}
		}
		parts = append(append(parts, low), after...)
	}
	for i, p := range parts { // from here on, what the pieces have yet to fill
		parts[i].extent = filled(pieces, func(x piece) bool { return x.dim == p.dim && x.run == p.run })
	}
	last := -1
	for _, x := range pieces {
		at := slices.IndexFunc(parts, func(p part) bool { return p.dim == x.dim && p.run == x.run })
		if at <= last {
			layout.Tiles = appendTile(layout.Tiles, parts)
		}
		parts[at].extent /= x.extent
		last = at
	}
	return layout
}

// filled is the product of the extents of some pieces.
func filled(pieces []piece, which func(piece) bool) int64 {
	n := int64(1)
	for _, x := range pieces {
		if which(x) {
			n *= x.extent
		}
	}
	return n
}

func tileOf(parts []part) hlo.Tile {
	t := make(hlo.Tile, len(parts))
	for i, p := range parts {
		t[i] = p.extent
	}
	return t
}

// appendTile appends the tile of all parts, without the leading ones that change nothing.
func appendTile(tiles []hlo.Tile, parts []part) []hlo.Tile {
	t := tileOf(parts)
	for len(t) > 0 && t[0] == 1 {
		t = t[1:]
	}
	if len(t) == 0 {
		return tiles
	}
	return append(tiles, t)
}

// follows tells whether a's elements are where the layout says.
func (a *Array) follows(l cute.Layout) bool {
	if !a.hasModes() {
		return false
	}
	for d, n := range a.dims {
		m, err := cute.Coalesce(l.Mode(d))
		if err != nil {
			return false
		}
		var leaves []leaf
		m.Leaves(func(extent, stride int64) { leaves = append(leaves, leaf{extent, stride}) })
		if !sameMode(a.modes[d], newMode(coalesce(leaves, false)), n) {
			return false
		}
	}
	return true
}
