package rules

import (
	"slices"
	"sort"

	"hlolayout/hlo"
	"hlolayout/passes/internal/flat"
)

// movedApart takes the slices out that the compiler moved before the reshape that they read, which drops ones and may
// read a slice itself: they were made anew, one after the other.
func (e *Set) movedApart(users []flat.NodeID) (others, moved []flat.NodeID) {
	if !slices.ContainsFunc(users, e.isMovedSlice) {
		return users, nil
	}
	around := e.reshapedOf(users)
	others, moved = apart(users, func(_ int, u flat.NodeID) bool { return e.isMovedSlice(u) && around.has(e.G, u) })
	slices.SortStableFunc(moved, func(a, b flat.NodeID) int { return e.sources.of[a].number - e.sources.of[b].number })
	return others, moved
}

// isMovedSlice reports whether all that reads a slice is a reshape that the compiler made, with the slice's metadata.
func (e *Set) isMovedSlice(n flat.NodeID) bool {
	if e.G.Nodes[n].Op != hlo.OpSlice || e.sources.of[n].metadata == nil {
		return false
	}
	r := e.G.SingleUser(n)
	return r != -1 && e.G.Nodes[r].Op == hlo.OpReshape && e.isMade(r) &&
		e.sources.of[r].metadata == e.sources.of[n].metadata
}

// reshapedParts are what reshapes read of a value: all of it, or slices, which are sorted by where they begin in the
// first dimension in which they do not begin alike. A value may have as many slices as the module has instructions.
type reshapedParts struct {
	whole bool
	dim   int
	parts []part
}

// part is a slice, with where it begins; ends is where it, or one before it in the list, ends at most in the dimension
// that they are sorted by.
type part struct {
	node   flat.NodeID
	starts []int64
	ends   int64
}

// reshapedOf returns what reshapes read of a value with these users.
func (e *Set) reshapedOf(users []flat.NodeID) (out reshapedParts) {
	for _, u := range users {
		switch e.G.Nodes[u].Op {
		case hlo.OpReshape:
			out.whole = true
		case hlo.OpSlice:
			if starts, ok := e.G.Nodes[u].In.SliceStarts(); ok && len(starts) > 0 && e.G.IsReadBy(u, hlo.OpReshape) {
				out.parts = append(out.parts, part{node: u, starts: starts})
			}
		}
	}
	if len(out.parts) == 0 {
		return out
	}
	first := out.parts[0].starts
	for d := range first {
		if slices.ContainsFunc(out.parts, func(p part) bool { return p.starts[d] != first[d] }) {
			out.dim = d
			break
		}
	}
	sort.SliceStable(out.parts, func(i, j int) bool { return out.parts[i].starts[out.dim] < out.parts[j].starts[out.dim] })
	ends := int64(0)
	for i := range out.parts {
		p := &out.parts[i]
		ends = max(ends, p.starts[out.dim]+e.G.ShapeOf(p.node).Dims[out.dim])
		p.ends = ends
	}
	return out
}

// has reports whether a slice of the value is within what a reshape reads, and not that alone.
func (r *reshapedParts) has(g *flat.Graph, slice flat.NodeID) bool {
	if r.whole {
		return true
	}
	starts, ok := g.Nodes[slice].In.SliceStarts()
	if !ok || len(starts) == 0 || len(r.parts) == 0 {
		return false
	}
	dims := g.ShapeOf(slice).Dims
	before := sort.Search(len(r.parts), func(i int) bool { return r.parts[i].starts[r.dim] > starts[r.dim] })
	for i := before - 1; i >= 0 && r.parts[i].ends >= starts[r.dim]+dims[r.dim]; i-- {
		p := r.parts[i]
		within := p.node != slice
		for d, size := range g.ShapeOf(p.node).Dims {
			within = within && starts[d] >= p.starts[d] && starts[d]+dims[d] <= p.starts[d]+size
		}
		if within {
			return true
		}
	}
	return false
}
