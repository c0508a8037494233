package layout

import (
	"slices"

	"hlolayout/hlo"
)

// group is a run of dimensions of each side of a reshape, with equal products; it cannot be cut finer.
type group struct{ inLo, inHi, outLo, outHi int }

// commonFactors cuts two dimension lists of the same product, without ones, into the finest groups.
func commonFactors(in, out []int64) []group {
	gs := make([]group, 0, max(len(in), len(out)))
	for i, j := 0, 0; i < len(in) || j < len(out); {
		g := group{inLo: i, outLo: j}
		a, b := int64(1), int64(1)
		if i < len(in) {
			a, i = in[i], i+1
		}
		if j < len(out) {
			b, j = out[j], j+1
		}
		for a != b {
			switch {
			case a < b && i < len(in):
				a, i = times(a, in[i]), i+1
			case b < a && j < len(out):
				b, j = times(b, out[j]), j+1
			default: // the products differ: one group takes the rest
				i, j, a, b = len(in), len(out), 0, 0
			}
		}
		g.inHi, g.outHi = i, j
		gs = append(gs, g)
	}
	return gs
}

// dense returns the dimensions that are not 1, and their sizes.
func dense(dims []int64) (which []int, sizes []int64) {
	for d, n := range dims {
		if n != 1 {
			which = append(which, d)
			sizes = append(sizes, n)
		}
	}
	return which, sizes
}

// sameSizes reports whether two lists agree when ones are left out.
func sameSizes(a, b []int64) bool {
	_, x := dense(a)
	_, y := dense(b)
	return slices.Equal(x, y)
}

// align returns the minor-to-major order of out for which a reshape from in, lying in the order mm, moves nothing; ok
// is false where there is none. Dimensions of size 1 are most major, descending.
func align(in []int64, mm []int, out []int64) (order []int, ok bool) {
	inDims, inSizes := dense(in)
	outDims, outSizes := dense(out)
	rank := make([]int, len(in)) // dense number of a dimension
	for i, d := range inDims {
		rank[d] = i
	}
	phys := make([]int, 0, len(inDims))
	for _, d := range mm {
		if in[d] != 1 {
			phys = append(phys, rank[d])
		}
	}
	groups := commonFactors(inSizes, outSizes)
	at := make([]int, len(inDims))
	for i, g := range groups {
		if g.inLo == g.inHi || g.outLo == g.outHi {
			return nil, false
		}
		for d := g.inLo; d < g.inHi; d++ {
			at[d] = i
		}
	}
	order = make([]int, 0, len(out))
	for k := 0; k < len(phys); {
		g := groups[at[phys[k]]]
		for d := g.inHi - 1; d >= g.inLo; d-- {
			if k >= len(phys) || phys[k] != d {
				return nil, false
			}
			k++
		}
		for d := g.outHi - 1; d >= g.outLo; d-- {
			order = append(order, outDims[d])
		}
	}
	for d := len(out) - 1; d >= 0; d-- {
		if out[d] == 1 {
			order = append(order, d)
		}
	}
	return order, len(order) == len(out)
}

// aligned is align for interned orders.
func (e *engine) aligned(in []int64, o order, out []int64) order {
	mm := e.orders.get(o)
	if len(mm) != len(in) {
		return none
	}
	if to, ok := align(in, mm, out); ok {
		return e.orders.of(to)
	}
	return none
}

// acrossReshape returns the order on the other side of a reshape, none where there is none or where both sides have
// one effective dimension. Where the aligned order would move data under tiles, one that does not is taken
// (tile_aligned, single_row).
func (e *engine) acrossReshape(in *hlo.Shape, o order, out *hlo.Shape) order {
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
	order   order
}

func (e *engine) findAcross(in *hlo.Shape, o order, out *hlo.Shape) order {
	if effectiveRank(in.Dims) == 1 && effectiveRank(out.Dims) == 1 {
		return none
	}
	to := e.aligned(in.Dims, o, out.Dims)
	if a := e.orders.get(o); to != none && !e.tilesAgree(in.DType, in.Dims, a, out.Dims, e.orders.get(to)) {
		if b := e.tileAligned(in.DType, in.Dims, a, out.Dims); b != nil && e.on(ruleTileAligned) {
			return e.orders.of(b)
		}
		if b := e.singleRow(in.DType, in.Dims, a, out.Dims, e.orders.get(to)); b != nil && e.on(ruleSingleRow) {
			return e.orders.of(b)
		}
	}
	return to
}

// singleRow is an aligned order with out's first dimension of size 1 second-minor, as in the order mm of in; nil
// where that moves data.
func (e *engine) singleRow(t hlo.DType, in []int64, mm []int, out []int64, aligned []int) []int {
	one := slices.Index(out, 1)
	if len(mm) < 2 || len(aligned) < 2 || one < 0 || in[mm[1]] != 1 {
		return nil
	}
	order := []int{aligned[0], one}
	for _, d := range aligned[1:] {
		if d != one {
			order = append(order, d)
		}
	}
	if !e.tilesAgree(t, in, mm, out, order) {
		return nil
	}
	return order
}

// tileAligned is align under tiles of full rows: the order of out that has the same runs; nil where there is none
// (f32[8,256]{1,0} to [8,2,128]{2,0,1}: 5 of 5; but f32[2,256]{1,0} to [2,2,128]{2,1,0}).
func (e *engine) tileAligned(t hlo.DType, in []int64, mm []int, out []int64) []int {
	runs := e.tileRuns(t, in, mm)
	if runs == nil || len(out) < 2 || e.t.Rows(t, in[mm[1]], false) < e.t.Sublanes {
		return nil
	}
	inDims, inSizes := dense(in)
	outDims, outSizes := dense(out)
	of := make([][]int, len(in)) // the dimensions of out in the same group, minor first
	for _, g := range commonFactors(inSizes, outSizes) {
		var group []int
		for d := g.outHi - 1; d >= g.outLo; d-- {
			group = append(group, outDims[d])
		}
		for d := g.inLo; d < g.inHi; d++ {
			of[inDims[d]] = group
		}
	}
	var order []int
	add := func(dims []int) {
		for _, d := range dims {
			if !slices.Contains(order, d) {
				order = append(order, d)
			}
		}
	}
	for _, d := range mm[:2] {
		add(of[d][:min(1, len(of[d]))])
	}
	for _, d := range mm {
		add(of[d])
	}
	for d := len(out) - 1; d >= 0; d-- {
		add([]int{d})
	}
	if !slices.Equal(runs, e.tileRuns(t, out, order)) {
		return nil
	}
	return order
}

func effectiveRank(dims []int64) int {
	n := 0
	for _, d := range dims {
		if d != 1 {
			n++
		}
	}
	return n
}

// sameDense reports whether two orders of the same dimensions agree when dimensions of size 1 are left out.
func sameDense(dims []int64, a, b []int) bool {
	i, j := 0, 0
	for {
		for i < len(a) && dims[a[i]] == 1 {
			i++
		}
		for j < len(b) && dims[b[j]] == 1 {
			j++
		}
		if i == len(a) || j == len(b) {
			return i == len(a) && j == len(b)
		}
		if a[i] != b[j] {
			return false
		}
		i, j = i+1, j+1
	}
}

// isBitcast reports whether a reshape between two orders moves nothing under the target's tiles.
func (e *engine) isBitcast(t hlo.DType, in []int64, a []int, out []int64, b []int) bool {
	if to, ok := align(in, a, out); ok && sameDense(out, to, b) && e.tilesAgree(t, in, a, out, b) {
		return true
	}
	if e.off[ruleBitcastUnderTiles] {
		return false
	}
	x, y := e.tileRuns(t, in, a), e.tileRuns(t, out, b)
	return x != nil && slices.Equal(x, y)
}

// run is a stretch of elements that are step apart in row-major order.
type run struct{ step, size int64 }

// tileRuns returns the runs of an array under the target's tiles, minor first, where both minor dimensions fill whole
// tiles; nil otherwise. Two arrays with the same runs lie alike though no order of one aligns with the other's:
// f32[8,512]{1,0} is f32[8,4,128]{2,0,1}.
func (e *engine) tileRuns(t hlo.DType, dims []int64, mm []int) []run {
	if len(mm) < 2 {
		return nil
	}
	rows := e.t.Rows(t, dims[mm[1]], false)
	if rows == 0 || dims[mm[0]]%128 != 0 || dims[mm[1]]%rows != 0 {
		return nil
	}
	step := make([]int64, len(dims))
	n := int64(1)
	for d := len(dims) - 1; d >= 0; d-- {
		step[d] = n
		n = times(n, dims[d])
	}
	minor, second := mm[0], mm[1]
	parts := []run{{step[minor], 128}, {step[second], rows}, {step[minor] * 128, dims[minor] / 128}, {step[second] * rows, dims[second] / rows}}
	for _, d := range mm[2:] {
		parts = append(parts, run{step[d], dims[d]})
	}
	out := parts[:0]
	for _, p := range parts {
		if k := len(out) - 1; k >= 2 && out[k].step*out[k].size == p.step {
			out[k].size *= p.size
		} else if p.size != 1 {
			// A single row of 256 lies as two rows of 128 do (f32[8,1,64,2,128]{4,3,1,2,0} to [8,1,64,256]{3,1,2,0}).
			out = append(out, p)
		}
	}
	return out
}

// tilesAgree is isBitcast for two orders that are aligned.
func (e *engine) tilesAgree(t hlo.DType, in []int64, a []int, out []int64, b []int) bool {
	switch {
	case len(a) == 1 && len(b) == 1:
		return true
	case len(a) == 0 || len(b) == 0:
		return true
	case len(a) == 1 || len(b) == 1:
		// Rows of 128 that fill whole tiles follow one another as the elements of rank 1 do (f32[2,128] and f32[256]).
		dims, mm := out, b
		if len(b) == 1 {
			dims, mm = in, a
		}
		elements := int64(1)
		for _, d := range in {
			elements = times(elements, d)
		}
		rows := e.t.Rows(t, dims[mm[1]], false)
		return dims[mm[0]] == elements || dims[mm[0]] == 128 && rows > 0 && dims[mm[1]]%rows == 0
	}
	if in[a[0]] != out[b[0]] {
		return false
	}
	x, y := in[a[1]], out[b[1]]
	if x == y {
		return true
	}
	rx, ry := e.t.Rows(t, x, false), e.t.Rows(t, y, false)
	return rx > 0 && ry > 0 && x%rx == 0 && y%ry == 0 && (rx == ry || in[a[0]] <= 128)
}

// smallReshape constrains reshapes of 2 to 128 elements in every run (a single element).
func (e *engine) smallReshape(n int32) {
	in, out := e.g.shapeOf(e.g.operand(n, 0)), e.g.shapeOf(n)
	size, ok := in.Elements()
	if !ok || size < e.limits[smallLeast] || size > e.limits[smallMost] || in.Rank() == 0 || out.Rank() == 0 || slices.Equal(in.Dims, out.Dims) {
		return
	}
	s := e.selectReshape(in, out)
	if s.in == none {
		return
	}
	e.setOperand(n, e.g.nodes[n].operand, s.in.untiled(), flags{mandatory: true, dfs: s.first}, cause{ruleSmallReshape, n})
	e.setInstruction(n, s.out.untiled(), must, cause{ruleSmallReshape, n})
}
