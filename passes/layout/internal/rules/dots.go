package rules

import (
	"slices"

	"hlolayout/hlo"
	"hlolayout/passes/internal/flat"
	"hlolayout/passes/layout/internal/ordering"
	"hlolayout/passes/layout/internal/rule"
)

// dots is what the rules of dots remember.
type dots struct {
	*Set
	asked map[flat.NodeID]dotOrders // by node
	loose map[flat.NodeID][2]bool   // by node: operands that a dot of a group asks for, see looseGroups
	feeds []bool                    // by node: see feedsDot
	dims  map[flat.NodeID]*dotDims  // by node, as long as feeds holds
}

// dots returns the dots of a set.
func (e *Set) dots() *dots {
	if e.remembered == nil {
		e.remembered = &dots{Set: e, asked: map[flat.NodeID]dotOrders{}, loose: map[flat.NodeID][2]bool{},
			dims: map[flat.NodeID]*dotDims{}}
	}
	return e.remembered
}

// feedsDot reports whether a node's chain of single users, of whatever operation but reshape, ends in a dot (the log
// lists the chain: 130 groups and 1044 others, no exception).
func (e *dots) feedsDot(n flat.NodeID) bool {
	if e.feeds == nil {
		g := e.G
		e.feeds = make([]bool, len(g.Nodes))
		for n := flat.NodeID(len(g.Nodes) - 2); n >= 0; n-- { // users come later
			if u := g.SingleUser(n); u >= 0 {
				e.feeds[n] = g.Nodes[u].Op == hlo.OpDot || g.Nodes[u].Op != hlo.OpReshape && e.feeds[u]
			}
		}
	}
	return e.feeds[n] && e.On(rule.DotGroup)
}

func (e *dots) dotDims(n flat.NodeID) dotDims {
	if d := e.dims[n]; d != nil {
		return *d
	}
	in := e.G.Nodes[n].In
	lhs, rhs := in.Operands[0].Shape, in.Operands[1].Shape
	sideOf := func(s *hlo.Shape, batch, contracting string) side {
		x := side{mn: -1, k: -1, inResult: -1, batch: in.Ints(batch), contracting: in.Ints(contracting)}
		x.free = hlo.OtherDims(s.Rank(), x.batch, x.contracting)
		return x
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
	if e.On(rule.DotWide) && r.mn >= 0 && l.k >= 0 && max(rhs.Dims[r.mn], lhs.Dims[l.k]) >= e.Limit(rule.WideDot) &&
		!e.feedsDot(n) {
		m = lastUnlessWorse(lhs.Dims, l.free)
	}
	if m >= 0 {
		d.take(m)
	}
	e.dims[n] = &d
	return d
}

// dotOrders are the orders that a dot requests in every run, none for an operand that it takes in any.
type dotOrders struct {
	out      ordering.Order
	operands [2]struct {
		order ordering.Order
		dfs   bool
	}
	repaired bool // an operand is read in its existing layout
}

func (e *dots) dotOrders(n flat.NodeID, d dotDims) dotOrders {
	in := e.G.Nodes[n].In
	asked := dotOrders{out: ordering.None}
	for k := range asked.operands {
		asked.operands[k].order = ordering.None
	}
	if d.left.mn < 0 || d.right.mn < 0 {
		// A matrix times a vector, or two vectors, is not for the matrix unit (0 of 81 dots on v7x; others' modules
		// have none).
		return asked
	}
	pair := []int{d.right.inResult, d.left.inResult}
	nMinor := e.isMinor(n, pair[0], pair[1])
	if !nMinor {
		slices.Reverse(pair)
	}
	asked.out = e.Orders.Of(ordering.WithMinor(in.Shape.Rank(), pair, d.batch))
	if in.Operands[0].Shape.Rank() == 2 && in.Operands[1].Shape.Rank() == 2 && len(d.left.contracting) == 1 {
		return asked
	}
	for k, side := range []*side{&d.left, &d.right} {
		o := e.G.Operand(n, k)
		s := e.G.ShapeOf(o)
		if s.Rank() <= 2 && e.On(rule.DotGathered) && e.isGathered(o) {
			continue // a table that is gathered from, too, keeps its order
		}
		pair := []int{side.mn, side.k}
		if side.k >= 0 {
			part := e.part(o)
			pair = e.MinorPair(e.multiplied(part.DType), part.Dims, side.k, side.mn, nMinor == (k == 1))
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

// part returns the shape of one device's part of what an all-gather puts together, the shape of any other node.
func (e *dots) part(n flat.NodeID) *hlo.Shape {
	if e.G.Nodes[n].Op == hlo.OpAllGather && !e.G.Nodes[n].Tuple && e.On(rule.DotPart) {
		n = e.G.Operand(n, 0)
	}
	return e.G.ShapeOf(n)
}
