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
	grown map[flat.NodeID]grown     // by node: what a dot of a group had before it was constrained
	feeds []bool                    // by node: see feedsDot
	dims  map[flat.NodeID]*dotDims  // by node, as long as feeds holds
}

// dots returns the dots of a set.
func (e *Set) dots() *dots {
	if e.remembered == nil {
		e.remembered = &dots{Set: e, asked: map[flat.NodeID]dotOrders{}, grown: map[flat.NodeID]grown{},
			dims: map[flat.NodeID]*dotDims{}}
	}
	return e.remembered
}

// grown are the orders of a dot's result and left operand.
type grown struct{ out, lhs ordering.Order }

// feedsDot reports whether a dot is part of a group: its chain of single users, of whatever operation but reshape,
// ends in another dot. Such dots are left free (the log lists the chain: 130 groups and 1044 others, no exception).
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
	lb, rb := in.Ints("lhs_batch_dims"), in.Ints("rhs_batch_dims")
	lc, rc := in.Ints("lhs_contracting_dims"), in.Ints("rhs_contracting_dims")
	lf, rf := freeDims(lhs.Rank(), lb, lc), freeDims(rhs.Rank(), rb, rc)
	d := dotDims{kl: -1, kr: -1, om: -1, on: -1, lhsBatch: lb, rhsBatch: rb, lhsContracting: lc, rhsContracting: rc,
		simple: len(lb) == 0 && len(lc) == 1 && len(lf) == 1 && len(rf) == 1}
	for i, k := range lc {
		if d.kl < 0 || cmpWaste(lhs.Dims, k, d.kl) < 0 {
			d.kl, d.kr = k, rc[i]
		}
	}
	d.n = leastWaste(rhs.Dims, rf)
	d.m = leastWaste(lhs.Dims, lf)
	if e.On(rule.DotWide) && d.n >= 0 && d.kl >= 0 && max(rhs.Dims[d.n], lhs.Dims[d.kl]) >= e.Limit(rule.WideDot) &&
		!e.feedsDot(n) {
		d.m = lastUnlessWorse(lhs.Dims, lf)
	}
	if d.m >= 0 {
		d.om = len(lb) + slices.Index(lf, d.m)
	}
	if d.n >= 0 {
		d.on = len(lb) + len(lf) + slices.Index(rf, d.n)
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
	g := e.G
	in := g.Nodes[n].In
	lhs, rhs, out := in.Operands[0].Shape, in.Operands[1].Shape, in.Shape
	asked := dotOrders{out: ordering.None}
	for k := range asked.operands {
		asked.operands[k].order = ordering.None
	}
	if d.om < 0 || d.on < 0 {
		// A matrix times a vector, or two vectors, is not for the matrix unit (0 of 81 dots on v7x; others' modules
		// have none).
		return asked
	}
	nMinor := e.isMinor(n, d.on, d.om)
	pair := []int{d.on, d.om}
	if !nMinor {
		pair = []int{d.om, d.on}
	}
	asked.out = e.Orders.Of(ordering.WithMinor(out.Rank(), pair, d.batch))
	if d.simple {
		return asked
	}
	for k, o := range []struct {
		shape   *hlo.Shape
		free, c int
		keep    bool
		batch   []int
		others  []int
	}{{lhs, d.m, d.kl, !nMinor, d.lhsBatch, d.lhsContracting}, {rhs, d.n, d.kr, nMinor, d.rhsBatch, d.rhsContracting}} {
		if o.shape.Rank() <= 2 && e.On(rule.DotGathered) && e.isGathered(g.Operand(n, k)) {
			continue // a table that is gathered from, too, keeps its order
		}
		pair := []int{o.free, o.c}
		if o.free >= 0 && o.c >= 0 {
			part := e.part(g.Operand(n, k))
			pair = e.MinorPair(part.DType, part.Dims, o.c, o.free, o.keep)
		}
		// Contracting dimensions are more minor than free ones.
		for _, k := range slices.Backward(slices.Sorted(slices.Values(o.others))) {
			if !slices.Contains(pair, k) && e.On(rule.DotContracted) {
				pair = append(pair, k)
			}
		}
		mm := ordering.WithMinor(o.shape.Rank(), pair, o.batch)
		asked.operands[k].order, asked.operands[k].dfs = e.Orders.Of(mm), e.isSliceLike(g.Operand(n, k))
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
