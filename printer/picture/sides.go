package picture

import (
	"strconv"
	"strings"

	"hlolayout/hlo"
	"hlolayout/hlo/tiled"
)

// side is one physical dimension of an array; several that `*` joins are one.
type side struct {
	dims []int // the logical dimensions it is made of, major to minor; none for one that a tile adds
	// in elements; tile is 1 where the first tile leaves the dimension alone, 0 without tiles
	extent, padded, tile int64
}

// sidesOf returns the physical dimensions of an array, major to minor, and its first tile without stars.
func sidesOf(a *tiled.Array) (sides []side, tile hlo.Tile) {
	order := a.MinorToMajor()
	for i := len(order) - 1; i >= 0; i-- {
		n := a.Dims()[order[i]]
		sides = append(sides, side{dims: []int{order[i]}, extent: n, padded: n})
	}
	if len(a.Tiles()) == 0 {
		return sides, nil
	}
	first := a.Tiles()[0]
	if missing := len(first) - len(sides); missing > 0 {
		added := make([]side, missing)
		for i := range added {
			added[i] = side{extent: 1, padded: 1}
		}
		sides = append(added, sides...)
	}
	lead := len(sides) - len(first)
	out := append([]side(nil), sides[:lead]...)
	for i := range out {
		out[i].tile = 1
	}
	joined := side{extent: 1}
	for i, n := range first {
		joined.dims = append(joined.dims, sides[lead+i].dims...)
		joined.extent *= sides[lead+i].extent
		if n == hlo.Combined {
			continue
		}
		joined.tile = n
		joined.padded = joined.tiles() * n
		out, tile = append(out, joined), append(tile, n)
		joined = side{extent: 1}
	}
	return out, tile
}

// tiles returns how many tiles there are along a side.
func (s side) tiles() int64 { return (s.extent-1)/s.tile + 1 }

// step returns how far the tiles of a side are apart; all of it where it has none.
func (s side) step() int64 {
	if s.tile == 0 {
		return s.padded
	}
	return s.tile
}

// name returns the side's dimensions, such as "dimension 1" or "dimensions 0 and 1 joined"; "" for one that a tile
// adds.
func (s side) name() string {
	switch len(s.dims) {
	case 0:
		return ""
	case 1:
		return "dimension " + strconv.Itoa(s.dims[0])
	}
	names := make([]string, len(s.dims))
	for i, d := range s.dims {
		names[i] = strconv.Itoa(d)
	}
	last := len(names) - 1
	return "dimensions " + strings.Join(names[:last], ", ") + " and " + names[last] + " joined"
}
