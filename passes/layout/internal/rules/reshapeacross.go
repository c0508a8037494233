package rules

import (
	"slices"

	"hlolayout/hlo"
	"hlolayout/passes/internal/flat"
	"hlolayout/passes/layout/internal/ordering"
	"hlolayout/passes/layout/internal/rule"
)

// reshapes reports whether a node is a reshape that lists its elements alike in two orders of operand and result.
func (e *Set) reshapes(n flat.NodeID, a, b ordering.Order) bool {
	nd := &e.G.Nodes[n]
	if nd.Op != hlo.OpReshape {
		return false
	}
	in, out, x, y := nd.In.Operands[0].Shape.Dims, nd.In.Shape.Dims, e.Orders.Get(a), e.Orders.Get(b)
	return ordering.Aligns(in, x, out, y) || e.sameRuns(nd.In.Shape.DType, in, x, out, y)
}

// acrossReshape returns the order on the other side of a reshape, none where there is none or where both sides have
// one effective dimension. Where the aligned order would move data under tiles, one that does not is taken
// (tile_aligned, single_row).
func (e *Set) acrossReshape(in *hlo.Shape, o ordering.Order, out *hlo.Shape) ordering.Order {
	key := acrossKey{in, out, o}
	to, known := e.across[key]
	if !known {
		to = e.findAcross(in, o, out)
		e.across[key] = to
	}
	return to
}

// acrossKey is what acrossReshape is asked, for each reshape again and again.
type acrossKey struct {
	in, out *hlo.Shape
	order   ordering.Order
}

func (e *Set) findAcross(in *hlo.Shape, o ordering.Order, out *hlo.Shape) ordering.Order {
	if ordering.EffectiveRank(in.Dims) == 1 && ordering.EffectiveRank(out.Dims) == 1 {
		return ordering.None
	}
	to := e.Orders.Aligned(in.Dims, o, out.Dims)
	if a := e.Orders.Get(o); to != ordering.None && !e.TilesAgree(in.DType, in.Dims, a, out.Dims, e.Orders.Get(to)) {
		if b := e.TileAligned(in.DType, in.Dims, a, out.Dims); b != nil && e.On(rule.TileAligned) {
			return e.Orders.Of(b)
		}
		if b := e.SingleRow(in.DType, in.Dims, a, out.Dims, e.Orders.Get(to)); b != nil && e.On(rule.SingleRow) {
			return e.Orders.Of(b)
		}
	}
	return to
}

// isBitcast reports whether a reshape between two orders moves nothing under the target's tiles.
func (e *Set) isBitcast(t hlo.DType, in []int64, a []int, out []int64, b []int) bool {
	return ordering.Aligns(in, a, out, b) && e.TilesAgree(t, in, a, out, b) || e.sameRuns(t, in, a, out, b)
}

// sameRuns reports whether two orders have the same runs of elements under tiles.
func (e *Set) sameRuns(t hlo.DType, in []int64, a []int, out []int64, b []int) bool {
	if !e.On(rule.BitcastUnderTiles) {
		return false
	}
	x := e.TileRuns(t, in, a)
	return x != nil && slices.Equal(x, e.TileRuns(t, out, b))
}
