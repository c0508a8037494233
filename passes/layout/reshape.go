package layout

import (
	"hlolayout/hlo"
	"hlolayout/passes/layout/internal/ordering"
	"slices"
)

// acrossReshape returns the order on the other side of a reshape, none where there is none or where both sides have
// one effective dimension. Where the aligned order would move data under tiles, one that does not is taken
// (tile_aligned, single_row).
func (e *engine) acrossReshape(in *hlo.Shape, o ordering.Order, out *hlo.Shape) ordering.Order {
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

func (e *engine) findAcross(in *hlo.Shape, o ordering.Order, out *hlo.Shape) ordering.Order {
	if ordering.EffectiveRank(in.Dims) == 1 && ordering.EffectiveRank(out.Dims) == 1 {
		return ordering.None
	}
	to := e.Orders.Aligned(in.Dims, o, out.Dims)
	if a := e.Orders.Get(o); to != ordering.None && !e.TilesAgree(in.DType, in.Dims, a, out.Dims, e.Orders.Get(to)) {
		if b := e.TileAligned(in.DType, in.Dims, a, out.Dims); b != nil && e.on(ruleTileAligned) {
			return e.Orders.Of(b)
		}
		if b := e.SingleRow(in.DType, in.Dims, a, out.Dims, e.Orders.Get(to)); b != nil && e.on(ruleSingleRow) {
			return e.Orders.Of(b)
		}
	}
	return to
}

// isBitcast reports whether a reshape between two orders moves nothing under the target's tiles.
func (e *engine) isBitcast(t hlo.DType, in []int64, a []int, out []int64, b []int) bool {
	if to, ok := ordering.Align(in, a, out); ok && ordering.SameDense(out, to, b) && e.TilesAgree(t, in, a, out, b) {
		return true
	}
	if e.off[ruleBitcastUnderTiles] {
		return false
	}
	x, y := e.TileRuns(t, in, a), e.TileRuns(t, out, b)
	return x != nil && slices.Equal(x, y)
}

// smallReshape constrains reshapes of 2 to 128 elements in every run (a single element).
func (e *engine) smallReshape(n int32) {
	in, out := e.g.ShapeOf(e.g.Operand(n, 0)), e.g.ShapeOf(n)
	size, ok := in.Elements()
	if !ok || size < e.limits[smallLeast] || size > e.limits[smallMost] || in.Rank() == 0 || out.Rank() == 0 || slices.Equal(in.Dims, out.Dims) {
		return
	}
	s := e.selectReshape(in, out)
	if s.in == ordering.None {
		return
	}
	e.setOperand(n, e.g.Nodes[n].FirstSlot, s.in.Untiled(), flags{mandatory: true, dfs: s.first}, cause{ruleSmallReshape, n})
	e.setInstruction(n, s.out.Untiled(), must, cause{ruleSmallReshape, n})
}
