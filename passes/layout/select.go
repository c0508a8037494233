package layout

import (
	"cmp"
	"slices"

	"hlolayout/hlo"
)

// selectionKey is what a reshape's selection depends on.
type selectionKey struct {
	t       hlo.DType
	in, out *hlo.Shape
}

// selection is the pair of orders that the compiler prefers for a reshape.
type selection struct {
	in, out order // none where there is no such pair
	// first says that the operand's layout is explored first: the pair is a bitcast, the operand's tile has full rows
	// and the result lies as compactly as it can (841 of 850 hints; f32[28,4,8,4,24]{0,4,3,2,1} to
	// [28,32,4,24]{0,3,2,1} is not, the way back is)
	first bool
}

// maxSelectGroups bounds the search: more groups than this are not permuted. (The prototype stopped at rank 7;
// no larger reshape was seen in a log.)
const maxSelectGroups = 7

// selectReshape returns the least padded pair of orders of a reshape.
func (e *engine) selectReshape(in, out *hlo.Shape) selection {
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
	cost    float64
	plain   int   // 1 if it is no bitcast
	rows    int64 // the ranks of the two tiles' rows together (secondRows)
	bent    int   // of a reshape that keeps all other dimensions: 1 if these do not descend,
	full    int64 // and the size under full tiles
	in, out []int
}

func (c *candidate) compare(o *candidate) int {
	return cmp.Or(cmp.Compare(c.cost, o.cost), cmp.Compare(c.plain, o.plain), cmp.Compare(o.rows, c.rows), cmp.Compare(c.bent, o.bent), cmp.Compare(c.full, o.full))
}

// searchReshape tries all orders of the groups, major to minor. The first of equals wins: the smallest list,
// dimensions of size 1 before all others. Of these only one that both sides have in the same place may be
// second-minor (f32[100,64,3,1]{1,0,3,2} to [6400,3,1]{0,2,1}); the others are most major. (1247 of 1257 selections
// of the log come out.)
func (e *engine) searchReshape(t hlo.DType, in, out []int64) selection {
	groups, inOnes, outOnes := pairUp(in, out)
	if groups == nil || len(groups) > maxSelectGroups {
		return selection{in: none, out: none}
	}
	same := sameSizes(in, out)
	var best *candidate
	perm := make([]pairing, len(groups))
	used := make([]bool, len(groups))
	var walk func(k int)
	walk = func(k int) {
		if k == len(groups) {
			a, b := slices.Clone(inOnes), slices.Clone(outOnes)
			for _, g := range perm {
				a, b = append(a, g.in...), append(b, g.out...)
			}
			slices.Reverse(a)
			slices.Reverse(b)
			if c := e.candidate(t, in, a, out, b, same); best == nil || c.compare(best) < 0 {
				best = c
			}
			return
		}
		for i, g := range groups {
			if !used[i] {
				used[i], perm[k] = true, g
				walk(k + 1)
				used[i] = false
			}
		}
	}
	walk(0)
	a, b := majorOnes(in, best.in), majorOnes(out, best.out)
	if same {
		a, b = e.lowOnes(in, a), e.lowOnes(out, b)
	}
	first := best.plain == 0 && len(a) > 1 && len(b) > 1 && e.t.Rows(t, in[a[1]], false) == e.t.Sublanes &&
		e.paddedDims(t, out, b) <= e.leastSize(t, out)
	return selection{e.orders.of(a), e.orders.of(b), first}
}

// pairing is a run of dimensions of each side of a reshape, with equal products and without ones, or a one of each
// side.
type pairing struct{ in, out []int }

// pairUp cuts a reshape into the finest pairings, those of ones first, and lists the ones that have no partner; nil
// where the sizes do not fit.
func pairUp(in, out []int64) (all []pairing, inOnes, outOnes []int) {
	inDims, inSizes := dense(in)
	outDims, outSizes := dense(out)
	var ones, runs []pairing
	i, j := 0, 0
	take := func(dims []int64, at *int) (list []int) {
		for ; *at < len(dims) && dims[*at] == 1; *at++ {
			list = append(list, *at)
		}
		return list
	}
	between := func() {
		a, b := take(in, &i), take(out, &j)
		for len(a) > 0 && len(b) > 0 {
			ones = append(ones, pairing{a[:1], b[:1]})
			a, b = a[1:], b[1:]
		}
		inOnes, outOnes = append(inOnes, a...), append(outOnes, b...)
	}
	between()
	for _, g := range commonFactors(inSizes, outSizes) {
		if g.inLo == g.inHi || g.outLo == g.outHi {
			return nil, nil, nil
		}
		p := pairing{inDims[g.inLo:g.inHi], outDims[g.outLo:g.outHi]}
		for ; i <= p.in[len(p.in)-1]; i++ {
			if in[i] == 1 {
				inOnes = append(inOnes, i)
			}
		}
		for ; j <= p.out[len(p.out)-1]; j++ {
			if out[j] == 1 {
				outOnes = append(outOnes, j)
			}
		}
		runs = append(runs, p)
		between()
	}
	return append(ones, runs...), inOnes, outOnes
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

// lowOnes is the order of the side of a reshape that has ones where the other has none: behind the two minor
// dimensions all descend, ones too, if the two are those of the least size under full tiles and the two last
// dimensions are not (f32[12,7,3,1]{1,0,3,2}, but [2,256,36,1]{1,0,2,3}: 541 of 554 selections with ones).
func (e *engine) lowOnes(dims []int64, mm []int) []int {
	which, _ := dense(dims)
	if len(which) < 3 || len(which) == len(dims) || dims[mm[0]] == 1 || dims[mm[1]] == 1 {
		return mm
	}
	size := func(minor, second int) int64 { return e.fullSize(dims, []int{minor, second}) }
	least := size(mm[0], mm[1])
	if last := len(which) - 1; size(which[last], which[last-1]) <= least {
		return mm
	}
	// F32[9,2,3,1]{0,1,3,2}: 6 of 6.
	ascending := mm[0] == which[0] && mm[1] == which[1] && mm[2] == which[2] && dims[mm[2]] < e.t.Sublanes
	for _, a := range which {
		for _, b := range which {
			if a != b && size(a, b) < least && !ascending {
				return mm
			}
		}
	}
	low := withMinor(len(dims), mm[:2], nil)
	if !sameDense(dims, low, mm) {
		return mm
	}
	return low
}

// leastSize is the least padded size of dimensions, in elements, over the orders whose two minor dimensions are no
// ones, where there are two.
func (e *engine) leastSize(t hlo.DType, dims []int64) int64 {
	_, sizes := dense(dims)
	if len(sizes) < 2 {
		sizes = dims
	}
	least := int64(most)
	for i, minor := range sizes {
		for j, second := range sizes {
			if i == j {
				continue
			}
			n := e.t.PaddedPair(t, second, minor)
			for k, size := range sizes {
				if k != i && k != j {
					n = times(n, size)
				}
			}
			least = min(least, n)
		}
	}
	return least
}

// fullSize is the padded size of dimensions in elements under tiles of full rows, by the two minor ones.
func (e *engine) fullSize(dims []int64, mm []int) int64 {
	if len(mm) < 2 {
		return 0
	}
	n := times(roundUp(dims[mm[0]], e.t.Lanes), roundUp(dims[mm[1]], e.t.Sublanes))
	for d, size := range dims {
		if d != mm[0] && d != mm[1] {
			n = times(n, size)
		}
	}
	return n
}

func (e *engine) candidate(t hlo.DType, in []int64, a []int, out []int64, b []int, same bool) *candidate {
	c := &candidate{in: a, out: b, rows: e.secondRows(t, in, a) + e.secondRows(t, out, b)}
	side := func(dims []int64, mm []int) float64 {
		n := float64(e.paddedDims(t, dims, mm))
		if len(mm) > 1 && e.t.Rows(t, dims[mm[1]], false) < e.t.Sublanes {
			n *= float64(e.limits[partialCost]) / 10000
		}
		return n
	}
	c.cost = side(in, a) + side(out, b)
	if !e.isBitcast(t, in, a, out, b) {
		c.plain = 1
		c.cost *= float64(e.limits[notBitcastCost]) / 10000
	}
	if same {
		c.full = e.fullSize(in, a) + e.fullSize(out, b)
		if !sameDense(in, a, hlo.Descending(len(a))) {
			c.bent = 1
		}
	}
	return c
}

// secondRows ranks the rows of a tile: among equally small pairs one with full tiles is preferred, then one whose
// tiles have more than one row of 32-bit words; two rows are as good as four (f32[4,2,5,1,1] to [4,2,5] takes
// T(2,128), bf16[4,2,32] to [4,1,2,32] takes T(4,128)(2,1), not T(2,128)(2,1)). That the words decide is a guess from
// these two.
func (e *engine) secondRows(t hlo.DType, dims []int64, mm []int) int64 {
	if len(mm) < 2 {
		return e.t.Sublanes
	}
	switch rows := e.t.Rows(t, dims[mm[1]], false); {
	case rows >= e.t.Sublanes:
		return rows
	case rows*int64(t.Bits()) > 32:
		return 1
	}
	return 0
}
