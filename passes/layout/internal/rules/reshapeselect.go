package rules

import (
	"cmp"
	"math"
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

// acrossReshape returns the order on the other side of a reshape, none where there is none or where both sides have one
// effective dimension. Where the aligned order would move data under tiles, one that does not is taken (single-row,
// row-of-tiles).
func (e *Set) acrossReshape(in *hlo.Shape, o ordering.Order, out *hlo.Shape) ordering.Order {
	return ordering.Memo(e.across, ordering.Reshaped{From: in, To: out, Order: o}, func() ordering.Order {
		if ordering.EffectiveRank(in.Dims) == 1 && ordering.EffectiveRank(out.Dims) == 1 {
			return ordering.None
		}
		to := e.Orders.Aligned(in, o, out)
		if a := e.Orders.Get(o); to != ordering.None && !e.TilesAgree(in.DType, in.Dims, a, out.Dims, e.Orders.Get(to)) {
			if b := e.SingleRow(in.DType, in.Dims, a, out.Dims, e.Orders.Get(to)); b != nil && e.On(rule.SingleRow) {
				return e.Orders.Of(b)
			}
			return cmp.Or(e.rowOfTiles(in, o, out, to), to)
		}
		return to
	})
}

// rowOfTiles returns the order of the rule row-of-tiles, of the side of a reshape that has the parts of what is in the
// lanes on the other one; none where it does not apply.
func (e *Set) rowOfTiles(whole *hlo.Shape, o ordering.Order, parts *hlo.Shape, aligned ordering.Order) ordering.Order {
	mm, to := e.Orders.Get(o), e.Orders.Get(aligned)
	if len(mm) < 2 || len(to) < 2 || whole.Dims[mm[1]] != e.Target.Sublanes || !e.On(rule.RowOfTiles) {
		return ordering.None
	}
	row := ordering.AfterReshape(whole.Dims, parts.Dims, mm[1])
	if row == -1 {
		return ordering.None
	}
	rest := slices.DeleteFunc(slices.Clone(to), func(d int) bool { return d == row })
	order := slices.Insert(rest, 1, row)
	if !e.sameRuns(whole.DType, whole.Dims, mm, parts.Dims, order) {
		return ordering.None
	}
	return e.Orders.Of(order)
}

// reshaped are the layouts of both sides of a reshape.
type reshaped struct{ in, out ordering.Tiled }

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

// selection is the pair of orders that the compiler prefers for a reshape.
type selection struct {
	in, out ordering.Order // none where there is no such pair
	// first says that the operand's layout is explored first: the pair is a bitcast, the operand's tile has full rows
	// and the result is as compact as it can be, under its own tile or that of the compact order (1797 of 1800 hints;
	// f32[28,4,8,4,24]{0,4,3,2,1} to [28,32,4,24]{0,3,2,1} is not, the way back is)
	first bool
}

// maxSelectGroups bounds the search: more groups than this are not permuted. (The prototype stopped at rank 7;
// no larger reshape was seen in a log.)
const maxSelectGroups = 7

// selectReshape returns the least padded pair of orders of a reshape.
func (e *Set) selectReshape(in, out *hlo.Shape) selection {
	return ordering.Memo(e.selections, [2]*hlo.Shape{in, out}, func() selection {
		return e.searchReshape(in.DType, in.Dims, out.Dims)
	})
}

// candidate is one pair of orders with its rank among the others.
type candidate struct {
	cost    float64
	plain   int   // 1 if it is not a bitcast
	rows    int64 // of a bitcast the ranks of the two tiles' rows together (SecondRows)
	in, out []int
}

func (c *candidate) compare(o *candidate) int {
	return cmp.Or(cmp.Compare(c.cost, o.cost), cmp.Compare(c.plain, o.plain), cmp.Compare(o.rows, c.rows))
}

// searchReshape tries all orders of the groups, major to minor, and after each one of its two orders with the most
// compact one of the other side, if that moves nothing under tiles: bf16[4,1,8,2,128]{4,2,3,1,0} to
// [4,1,8,256]{3,2,0,1}. The two most compact orders come first where both are smaller or cost less than the
// descending ones, and turn the operand. The first of equals wins: the smallest list, dimensions of size 1 before all
// others. The first one of each side is a group, the second one, and so on: f32[1,5,24]{2,0,1} to [5,24,1]{1,2,0}.
// Those without a partner are most major. (1800 of 1800 selections of the log come out, 1878 and 1355 that were
// collected later, and 403 of 403 of 9 programs and of heads that are split or merged, 5 of which take one compact
// order alone.)
func (e *Set) searchReshape(t hlo.DType, in, out []int64) selection {
	groups, inOnes, outOnes := pairUp(in, out)
	if groups == nil || len(groups) > maxSelectGroups {
		return selection{}
	}
	best := candidate{cost: math.Inf(1)}
	try := func(a, b []int) {
		if c := e.candidate(t, in, a, out, b, best.cost); c.compare(&best) < 0 {
			c.in, c.out = slices.Clone(a), slices.Clone(b)
			best = c
		}
	}
	x, y := e.compact(t, in), e.compact(t, out)
	pays := func(dims []int64, c compact) bool {
		return c.size < c.descending || e.sideCost(t, dims, c.order) < e.sideCost(t, dims, hlo.Descending(len(dims)))
	}
	if e.isCompactPair(in, x, out, y) && !ordering.SameDense(in, x.order, hlo.Descending(len(in))) &&
		pays(in, x) && pays(out, y) {
		try(x.order, y.order)
	}
	a, b := make([]int, 0, len(in)), make([]int, 0, len(out))
	ordering.Permutations(len(groups), func(list []int) {
		a, b = append(a[:0], inOnes...), append(b[:0], outOnes...)
		for _, k := range list {
			a, b = append(a, groups[k].in...), append(b, groups[k].out...)
		}
		slices.Reverse(a)
		slices.Reverse(b)
		try(a, b)
		if x.order == nil || y.order == nil {
			return
		}
		if e.isCompactPair(in, x, out, compact{order: b, rows: y.rows}) {
			try(x.order, b)
		}
		if e.isCompactPair(in, compact{order: a, rows: x.rows}, out, y) {
			try(a, y.order)
		}
	})
	a, b = majorOnes(in, best.in), majorOnes(out, best.out)
	first := best.plain == 0 && len(a) > 1 && len(b) > 1 && e.Target.Rows(t, in[a[1]], false) == e.Target.Sublanes &&
		(e.PaddedDims(t, out, b, 0) <= e.LeastSize(t, out) || e.PaddedDims(t, out, b, y.rows) <= y.size)
	return selection{e.Orders.Of(a), e.Orders.Of(b), first}
}

// pairing is a run of dimensions of each side of a reshape, with equal products and without ones, or a one of each
// side.
type pairing struct{ in, out []int }

// pairUp cuts a reshape into the finest pairings, those of ones first: the first one of each side, the second one, and
// so on. It lists the ones that have no partner; all is nil where the sizes do not fit.
func pairUp(in, out []int64) (all []pairing, inOnes, outOnes []int) {
	inDims, inSizes := ordering.Dense(in)
	outDims, outSizes := ordering.Dense(out)
	inOnes, outOnes = hlo.OtherDims(len(in), inDims), hlo.OtherDims(len(out), outDims)
	for len(inOnes) > 0 && len(outOnes) > 0 {
		all = append(all, pairing{inOnes[:1], outOnes[:1]})
		inOnes, outOnes = inOnes[1:], outOnes[1:]
	}
	for _, g := range ordering.CommonFactors(inSizes, outSizes) {
		if g.IsOpen() {
			return nil, nil, nil
		}
		all = append(all, pairing{inDims[g.InLo:g.InHi], outDims[g.OutLo:g.OutHi]})
	}
	return all, inOnes, outOnes
}

// majorOnes puts the ones that are more major than all other dimensions in descending order.
func majorOnes(dims []int64, mm []int) []int {
	k := len(mm)
	for k > 0 && dims[mm[k-1]] == 1 {
		k--
	}
	slices.SortFunc(mm[k:], func(a, b int) int { return b - a })
	return mm
}

// sideCost returns the cost of an order of one side: its padded elements, more where the tile has few rows.
func (e *Set) sideCost(t hlo.DType, dims []int64, mm []int) float64 {
	n := float64(e.PaddedDims(t, dims, mm, 0))
	if len(mm) > 1 && e.Target.Rows(t, dims[mm[1]], false) < e.Target.Sublanes {
		n *= float64(e.Limit(rule.PartialCost)) / 10000
	}
	return n
}

// candidate returns what ranks a pair of orders, its cost alone where that is more than most.
func (e *Set) candidate(t hlo.DType, in []int64, a []int, out []int64, b []int, most float64) (c candidate) {
	if c.cost = e.sideCost(t, in, a) + e.sideCost(t, out, b); c.cost > most { // what is not a bitcast costs more
		return c
	}
	if e.isBitcast(t, in, a, out, b) {
		c.rows = e.SecondRows(t, in, a) + e.SecondRows(t, out, b)
	} else {
		c.plain = 1
		c.cost *= float64(e.Limit(rule.NotBitcastCost)) / 10000
	}
	return c
}

// isCompactPair reports whether the compact orders of both sides move nothing under the tiles that they are compact
// under: f32[4,3,256]{2,0,1} and [4,3,2,128]{3,0,2,1} are such a pair; [4,5,256], which descends under T(8,128), is of
// none. Full tiles of as many lanes as the array has need not have as many rows: [64,8,4,8]{0,3,2,1} under T(4,128) and
// [64,8,32,1]{0,2,3,1} under T(8,128) are one. Those of one of several have to: [304,40,1,64]{0,3,2,1} and
// [304,40,1,8,8]{0,4,3,2,1} (all of 27 selections with more lanes that 135 probes make).
func (e *Set) isCompactPair(in []int64, x compact, out []int64, y compact) bool {
	if x.order == nil || y.order == nil || !e.On(rule.BitcastUnderTiles) {
		return false
	}
	if a, b := x.order, y.order; ordering.Aligns(in, a, out, b) {
		minor := in[a[0]]
		kept := x.rows == y.rows && ordering.AfterReshape(in, out, a[1]) == b[1]
		tiles := minor <= e.Target.Lanes || x.rows == y.rows
		full := tiles && minor == out[b[0]] && in[a[1]]%x.rows == 0 && out[b[1]]%y.rows == 0
		if kept || full {
			return true
		}
	}
	runs := e.TileRunsOf(in, x.order, x.rows)
	return runs != nil && slices.Equal(runs, e.TileRunsOf(out, y.order, y.rows))
}

// compact is the most compact order under the tile that dimensions have in descending order without those of size 1.
type compact struct {
	order            []int // nil where fewer than two are left
	rows             int64 // of that tile
	size, descending int64 // padded elements under that tile, in this and in descending order
}

func (e *Set) compact(t hlo.DType, dims []int64) (c compact) {
	_, sizes := ordering.Dense(dims)
	if len(sizes) < 2 {
		return compact{}
	}
	c.rows = e.Target.Rows(t, sizes[len(sizes)-2], false)
	s, descending := hlo.NewArray(t, dims, nil), e.Orders.Of(hlo.Descending(len(dims)))
	o := e.MemoryOrder(s, descending, c.rows)
	c.order, c.size, c.descending = e.Orders.Get(o), e.PaddedRows(s, o, c.rows), e.PaddedRows(s, descending, c.rows)
	return c
}
