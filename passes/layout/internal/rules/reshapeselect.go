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

// reshaped are the layouts of both sides of a reshape.
type reshaped struct{ in, out ordering.Tiled }

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

// selectionKey is what a reshape's selection depends on.
type selectionKey struct {
	t       hlo.DType
	in, out *hlo.Shape
}

// selection is the pair of orders that the compiler prefers for a reshape.
type selection struct {
	in, out ordering.Order // none where there is no such pair
	// first says that the operand's layout is explored first: the pair is a bitcast, the operand's tile has full rows
	// and the result is as compact as it can be (841 of 850 hints; f32[28,4,8,4,24]{0,4,3,2,1} to
	// [28,32,4,24]{0,3,2,1} is not, the way back is)
	first bool
}

// maxSelectGroups bounds the search: more groups than this are not permuted. (The prototype stopped at rank 7;
// no larger reshape was seen in a log.)
const maxSelectGroups = 7

// selectReshape returns the least padded pair of orders of a reshape.
func (e *Set) selectReshape(in, out *hlo.Shape) selection {
	key := selectionKey{in.DType, in, out}
	if s, ok := e.selections[key]; ok {
		return s
	}
	s := e.searchReshape(in.DType, in.Dims, out.Dims)
	e.selections[key] = s
	return s
}

// candidate is one pair of orders with its rank among the others.
type candidate struct {
	cost          float64
	plain         int   // 1 if it is not a bitcast
	rows          int64 // the ranks of the two tiles' rows together (secondRows)
	nonDescending int   // of a reshape that keeps all other dimensions: 1 if these do not descend,
	full          int64 // and the size under full tiles
	in, out       []int
}

func (c *candidate) compare(o *candidate) int {
	return cmp.Or(cmp.Compare(c.cost, o.cost), cmp.Compare(c.plain, o.plain), cmp.Compare(o.rows, c.rows),
		cmp.Compare(c.nonDescending, o.nonDescending), cmp.Compare(c.full, o.full))
}

// searchReshape tries all orders of the groups, major to minor. The first of equals wins: the smallest list,
// dimensions of size 1 before all others. The first one of each side is a group, the second one, and so on: f32[1,5,24]
// {2,0,1} to [5,24,1]{1,2,0}. Those without a partner are most major, or where LowOnes and LeastDescending put them.
// (1583 of 1583 selections of the log come out.)
func (e *Set) searchReshape(t hlo.DType, in, out []int64) selection {
	groups, inOnes, outOnes := pairUp(in, out)
	if groups == nil || len(groups) > maxSelectGroups {
		return selection{}
	}
	same := ordering.SameSizes(in, out)
	best := candidate{cost: math.Inf(1)}
	try := func(a, b []int) {
		if c := e.candidate(t, in, a, out, b, same, best.cost); c.compare(&best) < 0 {
			c.in, c.out = slices.Clone(a), slices.Clone(b)
			best = c
		}
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
	})
	if a, b := e.alikeUnderTiles(t, in, out, groups); a != nil {
		try(a, b)
	}
	a, b = majorOnes(in, best.in), majorOnes(out, best.out)
	switch x, y := e.LeastDescending(in), e.LeastDescending(out); {
	case same:
		a, b = e.LowOnes(in, a), e.LowOnes(out, b)
	case x != nil && y != nil && ordering.SameDense(in, x, a) && ordering.SameDense(out, y, b) &&
		ordering.AfterReshape(in, out, a[0]) == b[0] && ordering.AfterReshape(in, out, a[1]) == b[1]:
		a, b = x, y
	}
	first := best.plain == 0 && len(a) > 1 && len(b) > 1 && e.Target.Rows(t, in[a[1]], false) == e.Target.Sublanes &&
		e.PaddedDims(t, out, b, 0) <= e.LeastSize(t, out)
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
		if g.InLo == g.InHi || g.OutLo == g.OutHi {
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

// candidate returns what ranks a pair of orders, its cost alone where that is more than most.
func (e *Set) candidate(t hlo.DType, in []int64, a []int, out []int64, b []int, same bool, most float64) (c candidate) {
	side := func(dims []int64, mm []int) float64 {
		n := float64(e.PaddedDims(t, dims, mm, 0))
		if len(mm) > 1 && e.Target.Rows(t, dims[mm[1]], false) < e.Target.Sublanes {
			n *= float64(e.Limit(rule.PartialCost)) / 10000
		}
		return n
	}
	if c.cost = side(in, a) + side(out, b); c.cost > most { // what is no bitcast costs more
		return c
	}
	c.rows = e.SecondRows(t, in, a) + e.SecondRows(t, out, b)
	if !e.isBitcast(t, in, a, out, b) {
		c.plain = 1
		c.cost *= float64(e.Limit(rule.NotBitcastCost)) / 10000
	}
	if same {
		c.full = e.FullSize(in, a) + e.FullSize(out, b)
		if !ordering.SameDense(in, a, hlo.Descending(len(a))) {
			c.nonDescending = 1
		}
	}
	return c
}

// alikeUnderTiles returns the pair of orders that has one dimension second-minor on both sides, all others descending
// (f32[4,3,256]{2,0,1} and [4,3,2,128]{3,0,2,1}), and takes least, the last of equals, if it is a bitcast under tiles
// of more than two rows. Where that dimension is not the one before the minor dimension, both must have tiles of as
// many rows: f32[4,5,256] has no such pair, f32[8,5,256] has one.
func (e *Set) alikeUnderTiles(t hlo.DType, in, out []int64, groups []pairing) (a, b []int) {
	if len(in) < 2 || len(out) < 2 {
		return nil, nil
	}
	least, rows := int64(math.MaxInt64), int64(0)
	for _, g := range slices.Backward(groups) {
		if len(g.in) > 1 || len(g.out) > 1 {
			continue
		}
		order := withSecond(len(in), g.in[0])
		size, r := e.PaddedDims(t, in, order, 0), e.Target.Rows(t, in[g.in[0]], false)
		if r > 2 && size < least {
			least, rows, a, b = size, r, order, withSecond(len(out), g.out[0])
		}
	}
	if a == nil {
		return nil, nil
	}
	dims, minor := in, a[0]
	if out[b[0]] > in[a[0]] {
		dims, minor = out, b[0]
	}
	if !e.sameRuns(t, in, a, out, b) || minor > 0 && e.Target.Rows(t, dims[minor-1], false) != rows {
		return nil, nil
	}
	return a, b
}

// withSecond is the descending order but for a dimension that comes second.
func withSecond(rank, d int) []int {
	o := slices.DeleteFunc(hlo.Descending(rank), func(x int) bool { return x == d })
	return slices.Insert(o, min(1, len(o)), d)
}
