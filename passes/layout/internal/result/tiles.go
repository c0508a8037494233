package result

import (
	"slices"

	"hlolayout/hlo"
	"hlolayout/passes/internal/flat"
	"hlolayout/passes/layout/internal/rule"
)

// given is what the interface says of a value beyond its order, and the pass keeps: a tile that the target would not
// give, and a memory space.
type given struct {
	tiles []hlo.Tile
	space int64
}

// keepGiven notes the tiles and memory spaces that the caller wrote for entry parameters: a tile that is neither the
// boundary's nor the one inside of the module, and a memory space, such as S(5) for the host, stay on the parameter.
func (e *Result) keepGiven(params []*hlo.Shape) {
	if !e.On(rule.GivenTile) {
		return
	}
	g := e.G
	entry := &g.Comps[g.Entry]
	seen := map[*hlo.Shape]given{}
	for k, p := range params {
		for i, s := range g.Shape(p).Leaves {
			if s.Layout == nil || !s.IsArray() {
				continue
			}
			x, ok := seen[s]
			if !ok {
				x = e.givenBy(s)
				seen[s] = x
			}
			if x.tiles != nil || x.space != 0 {
				e.given[g.ValueAt(entry.Params[k], i)] = x
			}
		}
	}
}

// givenBy returns what an array of the interface says.
func (e *Result) givenBy(s *hlo.Shape) given {
	x := given{space: s.Layout.MemorySpace}
	inside, boundary := e.Target.Layout(s.DType, s.Dims, s.Layout.MinorToMajor, false),
		e.Target.Layout(s.DType, s.Dims, s.Layout.MinorToMajor, true)
	if len(s.Layout.Tiles) > 0 && !sameTiles(s.Layout.Tiles, inside.Tiles) && !sameTiles(s.Layout.Tiles, boundary.Tiles) {
		x.tiles = s.Layout.Tiles
	}
	return x
}

func sameTiles(a, b []hlo.Tile) bool {
	return slices.EqualFunc(a, b, func(x, y hlo.Tile) bool { return slices.Equal(x, y) })
}

// layoutAt returns the layout of a leaf once the copies are made.
func (e *Result) layoutAt(n flat.NodeID, leaf int, s *hlo.Shape) *hlo.Layout {
	o, moved := e.moved[e.G.Nodes[n].FirstLeaf+flat.LeafID(leaf)]
	if !moved {
		o = e.OrderAt(n, leaf)
	}
	l := e.layout(s, o)
	x, ok := e.given[e.G.ValueAt(n, leaf)]
	if !ok {
		return l
	}
	kept := *l
	if x.tiles != nil {
		kept.Tiles = x.tiles
	}
	kept.MemorySpace = max(kept.MemorySpace, x.space)
	return &kept
}
