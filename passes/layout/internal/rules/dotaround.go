package rules

import (
	"slices"

	"hlolayout/hlo"
	"hlolayout/passes/internal/flat"
	"hlolayout/passes/layout/internal/ordering"
	"hlolayout/passes/layout/internal/rule"
)

// had is comes, and a reshape has the order that what it reads has, too, if that passes through it.
func (e *dots) had(n flat.NodeID) ordering.Order {
	switch {
	case !e.On(rule.DotTakesSource):
		return e.MinorToMajor(n)
	case e.G.Nodes[n].Op == hlo.OpReshape:
		from := e.G.Operand(n, 0)
		o := e.Orders.Aligned(e.G.ShapeOf(from).Dims, e.MinorToMajor(from), e.G.ShapeOf(n).Dims)
		if o != ordering.None {
			return o
		}
	}
	return e.comes(n)
}

// readers returns the orders in which the result of a dot is read, none for a user that takes any.
func (e *dots) readers(n flat.NodeID) (orders []ordering.Order) {
	for _, u := range e.G.Users(n) {
		orders = append(orders, e.readBy(n, u))
	}
	return orders
}

// readBy returns the order in which a user reads a node, or what reads a transpose or a reshape of it.
func (e *dots) readBy(n flat.NodeID, u flat.Use) ordering.Order {
	order, users := e.AsksFor(u.Slot).Order, e.G.Users(u.Node)
	nd := &e.G.Nodes[u.Node]
	if nd.Op != hlo.OpTranspose && nd.Op != hlo.OpReshape || len(users) != 1 || !e.On(rule.DotReadersThrough) {
		return order
	}
	before, next := ordering.None, e.readBy(u.Node, users[0])
	switch {
	case next == ordering.None:
	case nd.Op == hlo.OpTranspose:
		before = e.Orders.Mapped(next, e.G.DimsOf(nd))
	default:
		before = e.Orders.Aligned(e.G.ShapeOf(u.Node).Dims, next, e.G.ShapeOf(n).Dims)
	}
	if before == ordering.None {
		return order
	}
	return before
}

// isCopied reports whether every reader of a dot's result reads it in another order than order.
func (e *dots) isCopied(n flat.NodeID, order ordering.Order) bool {
	orders := e.readers(n)
	return len(orders) > 0 && !slices.Contains(orders, ordering.None) && !slices.Contains(orders, order)
}

// asReaders returns the order of a dot's left operand with the dimensions that are not minor in the order in which all
// readers have them in the result.
func (e *dots) asReaders(x *dot, order ordering.Order) ordering.Order {
	orders, left := e.readers(x.node), &e.dims(x).left
	differs := func(o ordering.Order) bool { return o != orders[0] }
	if !e.On(rule.DotReadersThrough) || slices.ContainsFunc(orders, differs) {
		return order
	}
	kept, mm := slices.Concat(left.batch, left.free), slices.Clone(e.Orders.Get(order))
	sortRest(mm, func(k int) int { return slices.Index(e.Orders.Get(orders[0]), slices.Index(kept, k)) })
	return e.Orders.Of(mm)
}

// keepRest lets a dot with several contracting dimensions take its left operand with the two minor ones that it
// requests and the others as they are, if those two are minor there, and the right operand accordingly, from the third
// run on.
func (e *dots) keepRest(x *dot) {
	d, want := e.dims(x), &x.asks.operands[0].order
	if int64(e.RunNumber()) < e.Limit(rule.GroupRuns)-1 || *want == ordering.None || len(d.left.contracting) < 2 ||
		!e.On(rule.DotTakesRest) {
		return
	}
	mm, has := slices.Clone(e.Orders.Get(*want)), e.Orders.Get(e.MinorToMajor(e.G.Operand(x.node, 0)))
	if !slices.Contains(has[:2], mm[0]) || !slices.Contains(has[:2], mm[1]) {
		return
	}
	copy(mm[2:], has[2:])
	*want = e.Orders.Of(mm)
	if right := &x.asks.operands[1].order; *right != ordering.None {
		*right = e.Orders.Of(d.asLeft(mm, e.Orders.Get(*right)))
	}
}

// asLeft returns the order mm of the right operand with the dimensions that are not minor in the order in which the
// left operand has those that they go with; one that has free dimensions among them keeps its order.
func (d *dotDims) asLeft(left, mm []int) []int {
	place := func(k int) int {
		if i := slices.Index(d.right.batch, k); i >= 0 {
			return slices.Index(left, d.left.batch[i])
		}
		if i := slices.Index(d.right.contracting, k); i >= 0 {
			return slices.Index(left, d.left.contracting[i])
		}
		return -1
	}
	mm = slices.Clone(mm)
	sortRest(mm, place)
	return mm
}

// sortRest sorts the dimensions of an order that are not minor by their places, unless one of them has none.
func sortRest(mm []int, place func(k int) int) {
	rest := mm[2:]
	if !slices.ContainsFunc(rest, func(k int) bool { return place(k) < 0 }) {
		slices.SortFunc(rest, func(a, b int) int { return place(a) - place(b) })
	}
}
