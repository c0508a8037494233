package rules

import (
	"slices"

	"hlolayout/hlo"
	"hlolayout/passes/internal/flat"
	"hlolayout/passes/layout/internal/constraint"
	"hlolayout/passes/layout/internal/ordering"
	"hlolayout/passes/layout/internal/rule"
)

func reshapeRules(e *Set) rule.Rows {
	return rule.Rows{
		rule.SmallReshape: {Name: "small-reshape", Stage: rule.Constrain,
			Text: "the cheapest order of a small reshape", Evidence: []string{"dot_row_slice_and_reduce"},
			Doc: "A reshape of 2 to 128 elements has the cheapest pair of orders in every run, not only when it " +
				"moves data. The search is that of repair-reshape.",
			Ops: hlo.Ops(hlo.OpReshape), Sweep: rule.ReshapeSweep, Constrain: e.smallReshape},
		rule.ThroughReshape: {Name: "through-reshape", Stage: rule.Propagate,
			Evidence: []string{"reshape_f32_2x7x128_to_14x128", "reshape_single_row"},
			Doc: "Through a reshape goes the order with which it moves nothing, if there is one. It is followed " +
				"depth first where only dimensions of size 1 come or go.",
			Ops: hlo.Ops(hlo.OpReshape),
			Down: func(n flat.NodeID, _ int, o ordering.Order) ordering.Order {
				in, out := e.shapes(n)
				return e.acrossReshape(in, o, out)
			},
			Up: func(n flat.NodeID, _ int, o ordering.Order) ordering.Order {
				in, out := e.shapes(n)
				return e.acrossReshape(out, o, in)
			},
			KeepsRow: true,
			First: func(n flat.NodeID) bool {
				in, out := e.shapes(n)
				return ordering.SameSizes(in.Dims, out.Dims)
			}},
		rule.SingleRow: {Name: "single-row", Stage: rule.Propagate,
			Evidence: []string{"single_row", "single_row_place", "single_row_lanes"},
			Doc: "A dimension of size 1 that is second-minor on one side of a reshape of words is so on the other: " +
				"f32[6,22,1]{1,2,0} goes to [1,6,22]{2,0,1}. Of several it is the one with as many elements before it, else " +
				"the first (10 of 10), and the second of such where it was the second (4 reshapes of a program, on v5e and " +
				"v7x). The others descend; where they do not align so, it has the place where it aligns (29 of 29 reshapes, " +
				"6516 others). If the minor dimension has size 1, too, it stays minor (single_row_lanes). With elements of " +
				"fewer than 32 bits, of which several rows share a word, it goes most major (13 of 13). Where it is " +
				"second-minor on both sides, the operand has the result's tile T(1,128), too (42 of 42), and the size with " +
				"which clusters are compared is that of one row (reshape_single_row)."},
		rule.RowOfTiles: {Name: "row-of-tiles", Stage: rule.Propagate, Evidence: []string{"reshape_heads"},
			Doc: "Where one side of a reshape has one row of whole tiles, and in the lanes a dimension that is split, the " +
				"other side has the last part in the lanes and the same rows, if nothing moves then: f32[8,256]{1,0} is " +
				"f32[8,2,128]{2,0,1} (58 of 576 probes, all that have 8 rows and a last part of whole lanes; 0 of those with 4, " +
				"16, 24 or 32 rows)."},
		rule.RepairReshape: {Name: "repair-reshape", Stage: rule.Repair,
			Text:     "repair: the cheapest order of a reshape that was not a bitcast",
			Evidence: []string{"reshape_f32_2x7x128_to_14x128", "reshape_unaligned", "reshape_compact", "reshape_gate"},
			Doc: "A reshape that moves data has the cheapest pair of orders in the following runs: the least padded size of " +
				"both sides, a pair that moves data and tiles of few rows costing a share more (1800 of 1800 selections). After " +
				"30 runs those that move nothing keep what they have, so that the repairs come to an end (2 logs of 35 runs).",
			Ops: hlo.Ops(hlo.OpReshape), Step: rule.InvalidStep, Sweep: rule.ReshapeSweep, Hint: e.repairReshape,
			Required: true},
		rule.ReshapeStays: {Name: "reshape-stays", Stage: rule.Repair, Evidence: []string{"reshape_f32_5x130_to_5x1x130"},
			Doc: "A reshape that moves data is left alone where its sides align and each is as compact as it can " +
				"be, under the tile that it carries (469 of 471)."},
		rule.BitcastUnderTiles: {Name: "bitcast-under-tiles", Stage: rule.Repair, Evidence: []string{"partial_tiles"},
			Doc: "A reshape moves nothing where both sides are the same runs of elements under tiles, though no order " +
				"aligns: f32[8,512]{1,0} is f32[8,4,128]{2,0,1}. The search of repair-reshape tries one such pair, each " +
				"side in its most compact order."},
		rule.ReadAligned: {Name: "read-aligned", Stage: rule.Copy,
			Evidence: []string{"single_row", "partial_tiles", "reshape_compact"},
			Ops:      hlo.Ops(hlo.OpReshape), Reads: e.readsAligned,
			Doc: "A reshape reads an operand without a copy if that moves nothing, before tiles or under them, or if it " +
				"differs from the requested one, which is not better, only in the place of dimensions of size 1."},
	}
}

// shapes returns the shapes of a reshape's operand and result.
func (e *Set) shapes(n flat.NodeID) (in, out *hlo.Shape) {
	return e.G.ShapeOf(e.G.Operand(n, 0)), e.G.ShapeOf(n)
}

func (e *Set) readsAligned(n flat.NodeID, have, want ordering.Order) bool {
	in, _ := e.shapes(n)
	return e.reshapes(n, have, e.OrderAt(n, 0)) ||
		ordering.SameDense(in.Dims, e.Orders.Get(have), e.Orders.Get(want))
}

func (e *Set) smallReshape(n flat.NodeID) {
	in, out := e.shapes(n)
	size, ok := in.Elements()
	if !ok || size < e.Limit(rule.SmallLeast) || size > e.Limit(rule.SmallMost) ||
		slices.Equal(in.Dims, out.Dims) {
		return
	}
	s := e.selectReshape(in, out)
	why := constraint.Because(rule.SmallReshape, n)
	e.SetOperand(n, 0, s.in.Untiled(), constraint.Flags{Mandatory: true, DFS: s.first}, why)
	e.SetInstruction(n, s.out.Untiled(), constraint.Must, why)
}

func (e *Set) repairReshape(n flat.NodeID) *rule.Hint {
	l := reshaped{e.TakenTiled(n, 0), e.LayoutOf(e.G.Whole(n))}
	stays := e.staying[n] == l
	if stays && !e.Fit && int64(e.RunNumber()) != e.Limit(rule.SettlingRun) {
		return nil // as most do
	}
	in, out := e.shapes(n)
	if e.Fit {
		if _, why := e.reshapedFrom(in, out, l.out.Order); why == "" {
			return nil // refit has the operand read in the order that it requests
		}
	}
	if stays || e.reshapeStays(n, l) {
		if e.staying[n] = l; int64(e.RunNumber()) != e.Limit(rule.SettlingRun) {
			return nil
		}
		return &rule.Hint{Operands: 1, In: l.in.Order.Untiled(), Out: l.out.Order.Untiled()}
	}
	s := e.selectReshape(in, out)
	if s.in == ordering.None {
		return nil
	}
	return &rule.Hint{Operands: 1, In: s.in.Untiled(), First: s.first, Out: s.out.Untiled()}
}

// reshapeStays reports whether a reshape moves nothing, or nothing that another pair of orders would not move.
func (e *Set) reshapeStays(n flat.NodeID, l reshaped) bool {
	in, out := e.shapes(n)
	a, b := e.Orders.Get(l.in.Order), e.Orders.Get(l.out.Order)
	return e.isBitcast(out.DType, in.Dims, a, out.Dims, b) ||
		e.On(rule.ReshapeStays) && ordering.Aligns(in.Dims, a, out.Dims, b) &&
			e.IsCompact(in, l.in) && e.IsCompact(out, l.out)
}
