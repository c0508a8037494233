package rules

import (
	"slices"

	"hlolayout/hlo"
	"hlolayout/passes/internal/flat"
	"hlolayout/passes/layout/internal/ordering"
	"hlolayout/passes/layout/internal/rule"
)

// dots are the dots of a module, in the order of the text.
type dots struct {
	*Set
	list  []*dot
	place []int32 // by node: that in list
	kinds map[dotKind]*dotDims
	feeds []bool // by node: see isGroup
}

// dot is what is known of one dot.
type dot struct {
	node     flat.NodeID
	dims     *dotDims  // see dims
	settled  *dotDims  // those of a dot of a group before it took an operand
	asks     dotOrders // in every run
	known    bool      // asks is; a dot of a group is asked after the first runs
	repaired bool      // an operand is read in its existing layout
	early    dotOrders // what a dot of a group requests before, of operands alone: see looseGroups
}

func (e *Set) findDots() {
	e.dots = &dots{Set: e, place: make([]int32, len(e.G.Nodes)), kinds: map[dotKind]*dotDims{}}
	for n := range flat.NodeID(len(e.G.Nodes) - 1) {
		if e.G.Nodes[n].Op == hlo.OpDot {
			e.dots.place[n] = int32(len(e.dots.list))
			e.dots.list = append(e.dots.list, &dot{node: n})
		}
	}
}

// isGroup reports whether a dot is of a group, as its chain of single users ends in another dot (dot-group): one of
// matrices and vectors is not, nor an outer product.
func (e *dots) isGroup(x *dot) bool {
	feeds := flat.FromSingleUsers(e.G, &e.feeds, false, func(_, u flat.NodeID, feeds bool) bool {
		return e.G.Nodes[u].Op == hlo.OpDot || e.G.Nodes[u].Op != hlo.OpReshape && feeds
	})
	d := e.dims(x)
	return feeds[x.node] && d.left.mn >= 0 && d.right.mn >= 0 && d.left.k >= 0 && e.On(rule.DotGroup)
}

// isEarly reports whether a dot is one of a group that requests nothing yet.
func (e *dots) isEarly(x *dot) bool {
	return int64(e.RunNumber()) < e.Limit(rule.GroupRuns) && e.isGroup(x)
}

// dotKind is what the dimensions of a dot depend on; most dots of a program are like others.
type dotKind struct {
	lhs, rhs *hlo.Shape
	attrs    [4]*hlo.Value
}

// dims returns the dimensions that a dot has as M, N and K, to be read only.
func (e *dots) dims(x *dot) *dotDims {
	if x.dims == nil {
		in := e.G.Nodes[x.node].In
		kind := dotKind{in.Operands[0].Shape, in.Operands[1].Shape, [...]*hlo.Value{in.Attr("lhs_batch_dims"),
			in.Attr("lhs_contracting_dims"), in.Attr("rhs_batch_dims"), in.Attr("rhs_contracting_dims")}}
		x.dims = ordering.Memo(e.kinds, kind, func() *dotDims { return e.dimsOf(in) })
	}
	return x.dims
}

func (e *dots) dimsOf(in *hlo.Instruction) *dotDims {
	lhs, rhs := in.Operands[0].Shape, in.Operands[1].Shape
	sideOf := func(s *hlo.Shape, batch, contracting string) side {
		a := side{mn: -1, k: -1, inResult: -1, batch: in.Ints(batch), contracting: in.Ints(contracting)}
		a.free = hlo.OtherDims(s.Rank(), a.batch, a.contracting)
		return a
	}
	d := dotDims{left: sideOf(lhs, "lhs_batch_dims", "lhs_contracting_dims"),
		right: sideOf(rhs, "rhs_batch_dims", "rhs_contracting_dims")}
	l, r := &d.left, &d.right
	if k := leastWaste(lhs.Dims, l.contracting); k >= 0 {
		d.contract(slices.Index(l.contracting, k))
	}
	if r.mn = leastWaste(rhs.Dims, r.free); r.mn >= 0 {
		r.inResult = len(l.batch) + len(l.free) + slices.Index(r.free, r.mn)
	}
	m := leastWaste(lhs.Dims, l.free)
	if e.On(rule.DotWide) && r.mn >= 0 && l.k >= 0 && max(rhs.Dims[r.mn], lhs.Dims[l.k]) >= e.Limit(rule.WideDot) {
		m = lastUnlessWorse(lhs.Dims, l.free)
	}
	if m >= 0 {
		d.take(m)
	}
	return &d
}

// dotOrders are the orders that a dot requests in every run, none for an operand that it takes in any.
type dotOrders struct {
	out      ordering.Order
	chosen   rule.ID // what chose between M and N, None where none did
	operands [2]struct {
		order ordering.Order
		dfs   bool
	}
}

// orders returns what a dot requests with some dimensions as M, N and K.
func (e *dots) orders(x *dot, d dotDims) dotOrders {
	n := x.node
	in := e.G.Nodes[n].In
	var asked dotOrders // None is its zero value
	if d.left.mn < 0 || d.right.mn < 0 {
		// A matrix times a vector, or two vectors, is not for the matrix unit (0 of 81 dots on v7x; others' modules
		// have none).
		return asked
	}
	pair := []int{d.right.inResult, d.left.inResult}
	nMinor, chosen := e.isMinor(n, pair[0], pair[1])
	if asked.chosen = chosen; !nMinor {
		slices.Reverse(pair)
	}
	asked.out = e.Orders.Of(ordering.WithMinor(in.Shape.Rank(), pair, nil))
	if in.Operands[0].Shape.Rank() == 2 && in.Operands[1].Shape.Rank() == 2 && len(d.left.contracting) == 1 {
		return asked
	}
	for k, side := range []*side{&d.left, &d.right} {
		o := e.G.Operand(n, k)
		s := e.G.ShapeOf(o)
		if s.Rank() <= 2 && e.On(rule.DotGathered) && e.gathered[o] {
			continue
		}
		pair := []int{side.mn, side.k}
		if side.k >= 0 {
			part := e.part(o)
			pair = e.MinorPair(multiplied, part.Dims, side.k, side.mn, nMinor == (k == 1))
		}
		// Contracting dimensions are more minor than free ones, the last of the list most.
		for _, c := range slices.Backward(side.contracting) {
			if !slices.Contains(pair, c) && e.On(rule.DotContracted) {
				pair = append(pair, c)
			}
		}
		asked.operands[k].order = e.Orders.Of(ordering.WithMinor(s.Rank(), pair, side.batch))
		asked.operands[k].dfs = e.isSliceLike(o)
	}
	return asked
}

// turnedLanes returns how many of a dot's operands and result have different dimensions in the lanes (group-lanes).
func (e *dots) turnedLanes(a, b *dotOrders) (n int) {
	other := [...]ordering.Order{b.operands[0].order, b.operands[1].order, b.out}
	for i, o := range [...]ordering.Order{a.operands[0].order, a.operands[1].order, a.out} {
		if o != ordering.None && e.Orders.Get(o)[0] != e.Orders.Get(other[i])[0] {
			n++
		}
	}
	return n
}

// part returns the shape of one device's part of what an all-gather puts together, the shape of any other node.
func (e *dots) part(n flat.NodeID) *hlo.Shape {
	if e.G.Nodes[n].Op == hlo.OpAllGather && e.On(rule.DotPart) {
		n = e.G.Operand(n, 0)
	}
	return e.G.ShapeOf(n)
}

// leastWaste returns the dimension of least waste, the last one among equals; -1 for none.
func leastWaste(dims []int64, which []int) int {
	best := -1
	for _, d := range which {
		if best < 0 || ordering.Waste(dims[d], 128) <= ordering.Waste(dims[best], 128) {
			best = d
		}
	}
	return best
}

// lastUnlessWorse returns the last of some dimensions that fills whole lanes, else the last one that none before it
// beats in lanes and in rows of 8, whatever the type (of [200,31] it is 200, of [100,31] 31).
func lastUnlessWorse(dims []int64, which []int) int {
	best := -1
	for _, d := range slices.Backward(which) {
		if dims[d]%128 == 0 {
			return d
		}
		if best == -1 || ordering.Waste(dims[d], 128) < ordering.Waste(dims[best], 128) &&
			ordering.Waste(dims[d], 8) < ordering.Waste(dims[best], 8) {
			best = d
		}
	}
	return best
}

// side is one operand of a dot, with the dimensions that go to the matrix unit, -1 where there is none.
type side struct {
	mn, k       int // the dimension that is M, of the left operand, or N, of the right one; and K
	inResult    int // where mn is in the result
	batch       []int
	contracting []int
	free        []int // the others
}

// dotDims are the dimensions of a dot.
type dotDims struct {
	left, right side
}

// take makes a free dimension of the left operand M.
func (d *dotDims) take(m int) {
	d.left.mn, d.left.inResult = m, len(d.left.batch)+slices.Index(d.left.free, m)
}

// contract makes the i-th contracting dimension K.
func (d *dotDims) contract(i int) {
	d.left.k, d.right.k = d.left.contracting[i], d.right.contracting[i]
}

// goodRows reports whether the second-minor dimension of order a is as good for a dot as that of b: not less than
// half of it, or of whole rows of 8 where the minor one fills whole lanes.
func (e *dots) goodRows(s *hlo.Shape, a, b []int) bool {
	minor, rows := s.Dims[a[0]], s.Dims[a[1]]
	return s.Dims[b[1]] <= ordering.Times(e.Limit(rule.RowsShare), rows) || minor%128 == 0 && rows%8 == 0
}

// isSliceLike is what explore-cut says of an operand.
func (e *Set) isSliceLike(n flat.NodeID) bool {
	sliceLike := flat.OperandsFirst(e.G, &e.sliceLike, func(n flat.NodeID, sliceLike []bool) bool {
		if x := e.madeOf(n); x != -1 {
			return sliceLike[x]
		}
		op := e.G.Nodes[n].Op
		return partOps.Has(op) || collectiveOps.Has(op) && e.On(rule.ExploreCollective)
	})
	return sliceLike[n] && e.On(rule.ExploreCut)
}

// partOps are parts of arrays, or are built from several; collectives count by explore-collective.
var (
	partOps       = hlo.Ops(hlo.OpDynamicSlice, hlo.OpConcatenate, hlo.OpSlice, hlo.OpPad, hlo.OpConstant)
	collectiveOps = hlo.Ops(hlo.OpAllGather, hlo.OpAllToAll, hlo.OpAllReduce, hlo.OpCollectivePermute,
		hlo.OpReduceScatter)
)

// madeOf returns the array that isSliceLike looks for before an instruction, -1 where there is none.
func (e *Set) madeOf(n flat.NodeID) flat.NodeID {
	switch e.G.Nodes[n].Op {
	case hlo.OpReshape, hlo.OpTranspose, hlo.OpConvert, hlo.OpBitcastConvert:
		return e.G.Operand(n, 0)
	}
	array := flat.NodeID(-1)
	if !e.G.Nodes[n].Elemwise() || !e.On(rule.ExploreScaled) {
		return array
	}
	for _, x := range e.G.OperandsOf(n) {
		switch {
		case e.isScalar(x):
		case array != -1:
			return -1
		default:
			array = x
		}
	}
	return array
}

// isScalar reports whether a node is a scalar or the broadcast of one.
func (e *Set) isScalar(n flat.NodeID) bool {
	if e.G.Nodes[n].Op == hlo.OpBroadcast {
		n = e.G.Operand(n, 0)
	}
	return e.G.Nodes[n].Rank == 0
}

// multiplied is the type under whose tiles the sizes of operands and voters are compared (dot-matrix-types).
const multiplied = hlo.BF16

// isMinor reports whether dimension n of the result of a dot or convolution is minor and m second-minor, not the
// other way round, and which rule says so: the first that is not undecided (411 dots and convolutions).
func (e *Set) isMinor(node flat.NodeID, n, m int) (minor bool, by rule.ID) {
	for r := rule.ConstrainedMinor; r <= rule.Reduces; r++ {
		if decide := e.Row(r).Decide; decide != nil && e.On(r) {
			if c := decide(rule.Place{Node: node, M: m, N: n}); c != 0 {
				return c > 0, r
			}
		}
	}
	return true, rule.None
}

// keepPair makes those dimensions M, N and K that the result and the operands of a group's dot have minor
// (dot-group-pair).
func (e *dots) keepPair(n flat.NodeID, d *dotDims) {
	out, l, r := e.G.ShapeOf(n), &d.left, &d.right
	if !e.On(rule.DotGroupPair) {
		return
	}
	for i, o := range []*side{l, r} {
		if c := e.keptK(n, i, o); c >= 0 {
			d.contract(c)
			break
		}
	}
	pair := e.Orders.Get(e.MinorToMajor(n))[:2]
	m, k := min(pair[0], pair[1]), max(pair[0], pair[1])
	i, j := m-len(l.batch), k-(out.Rank()-len(r.free))
	if i < 0 || i >= len(l.free) || j < 0 {
		return
	}
	if e.goodRows(out, []int{k, m}, []int{k, l.inResult}) {
		d.take(l.free[i])
	}
	if l.inResult == m && e.goodRows(out, []int{m, k}, []int{m, r.inResult}) {
		r.mn, r.inResult = r.free[j], k
	}
}

// keepN makes N the free dimension that the right operand has minor with K, if it is as good, where the left one has
// not M and K minor (dot-group-pair, too).
func (e *dots) keepN(n flat.NodeID, d *dotDims) {
	l, r, rhs := &d.left, &d.right, e.G.ShapeOf(e.G.Operand(n, 1))
	lpair, pair := e.Orders.Get(e.Taken(n, 0))[:2], e.Orders.Get(e.Taken(n, 1))[:2]
	if slices.Contains(lpair, l.mn) && slices.Contains(lpair, l.k) || !slices.Contains(pair, r.k) ||
		!e.On(rule.DotGroupPair) {
		return
	}
	for i, f := range r.free {
		if slices.Contains(pair, f) && e.goodRows(rhs, []int{r.k, f}, []int{r.k, r.mn}) {
			r.mn, r.inResult = f, len(l.batch)+len(l.free)+i
			return
		}
	}
}

// keptK returns which of the contracting dimensions operand k has minor next to M or N, -1 for none as good as K.
func (e *dots) keptK(n flat.NodeID, k int, s *side) int {
	pair := e.Orders.Get(e.Taken(n, k))[:2]
	for i, c := range s.contracting {
		if slices.Contains(pair, c) && slices.Contains(pair, s.mn) &&
			e.goodRows(e.G.ShapeOf(e.G.Operand(n, k)), []int{s.mn, c}, []int{s.mn, s.k}) {
			return i
		}
	}
	return -1
}

// keepPlaces keeps the order of the dimensions of a result that are not minor, if the minor ones are those that it has.
func (e *dots) keepPlaces(x *dot) {
	has, mm := e.Orders.Get(e.MinorToMajor(x.node)), slices.Clone(e.Orders.Get(x.asks.out))
	if ordering.Covers(mm, has[:2]) {
		copy(mm[2:], has[2:])
		e.give(x, e.Orders.Of(mm))
	}
}

// give makes an order that of a dot's result, and has the operands follow in the dimensions that are not minor.
func (e *dots) give(x *dot, order ordering.Order) {
	asked, l, r := &x.asks, &e.dims(x).left, &e.dims(x).right
	asked.out = order
	none := slices.Repeat([]int{-1}, len(l.free))
	for k, kept := range [][]int{slices.Concat(l.batch, l.free), slices.Concat(r.batch, none, r.free)} {
		if o := &asked.operands[k].order; *o != ordering.None {
			*o = e.follows(*o, order, kept)
		}
	}
}

// follows returns an operand's order with the dimensions that are not minor, contracting ones first, in the order in
// which the dot's result has them; kept are the operand's dimensions by their place in the result.
func (e *dots) follows(order, result ordering.Order, kept []int) ordering.Order {
	mm, out := slices.Clone(e.Orders.Get(order)), e.Orders.Get(result)
	place := func(k int) int { return slices.Index(out, slices.Index(kept, k)) }
	slices.SortStableFunc(mm[min(2, len(mm)):], func(a, b int) int { return place(a) - place(b) })
	return e.Orders.Of(mm)
}
