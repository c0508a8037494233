package rules

import (
	"cmp"
	"slices"

	"hlolayout/hlo"
	"hlolayout/passes/internal/flat"
	"hlolayout/passes/layout/internal/ordering"
	"hlolayout/passes/layout/internal/rule"
)

// repairDots is repair-dot. The log does not list these dots, but runs again for them.
func (e *dots) repairDots() (found bool) {
	for _, x := range e.list {
		before, left := x.asks, e.dims(x).left
		if x.repaired || e.isEarly(x) || before.operands[0].order == ordering.None || !e.takes(x) {
			continue
		}
		x.repaired, x.known = true, true
		e.keepRest(x)
		turned := e.turnedLanes(&before, &x.asks)
		pair := e.Orders.Get(x.asks.operands[0].order)[:2]
		if e.Orders.Get(before.out)[0] == left.inResult && !slices.Contains(pair, left.mn) {
			turned++ // the result would have another M in its lanes, too
		}
		found = found || before.out != x.asks.out || turned < 2 || !e.On(rule.GroupLanes)
	}
	return found
}

// takes changes what a dot asks of its left operand and reports whether there is anything.
func (e *dots) takes(x *dot) bool {
	n, d, to := x.node, *e.dims(x), &x.asks.operands[0].order
	had := e.had(e.G.Operand(n, 0))
	if e.isSmall(x, had) && e.takesFree(x, had, true) {
		return true
	}
	m := e.readersM(x, false)
	if m >= 0 && m != d.left.mn {
		k := e.Orders.Get(*to)[0]
		d.take(m)
		*to = e.orders(x, d).operands[0].order
		if mm := e.Orders.Get(*to); mm[0] != k && slices.Contains(d.left.contracting, k) {
			*to = e.Orders.Of(append([]int{k, mm[0]}, mm[2:]...))
		}
		*to = e.asReaders(x, *to)
		return true
	}
	if m < 0 && e.takesIt(x, had, false) {
		return true
	}
	if k := e.takesContracted(n, &d); k >= 0 && e.On(rule.DotTakesContracted) {
		d.contract(k)
		x.asks = e.orders(x, d)
		return true
	}
	return false
}

// isSmall reports whether a dot's result is less than half as large as its left operand in an order.
func (e *dots) isSmall(x *dot, order ordering.Order) bool {
	return x.asks.out != ordering.None && ordering.Times(e.Limit(rule.TakenShare),
		e.Padded(e.G.ShapeOf(x.node), x.asks.out)) < e.Padded(e.G.ShapeOf(e.G.Operand(x.node, 0)), order)
}

// takesIt is dot-takes-free and dot-takes-copied; a small result is made anew, too, another one only as asked.
func (e *dots) takesIt(x *dot, had ordering.Order, anew bool) bool {
	copied := e.On(rule.DotTakesCopied) && x.asks.out != ordering.None && e.isCopied(x.node, x.asks.out) &&
		!e.isMerged(e.G.Operand(x.node, 0), e.Orders.Get(had)[0])
	small := e.isSmall(x, had)
	return (copied || small) && e.takesFree(x, had, small || anew)
}

// groupTakes is takesIt for a dot of a group before it requests anything: it takes nothing where its result has M and N
// minor, by default or as a result that is not small.
func (e *dots) groupTakes(x *dot, had ordering.Order, anew bool) bool {
	mm, pair := e.Orders.Get(e.MinorToMajor(x.node)), []int{e.dims(x).left.inResult, e.dims(x).right.inResult}
	kept := ordering.Covers(mm, pair) && (e.IsFree(e.G.Whole(x.node)) || !e.isSmall(x, had))
	return !kept && e.takesIt(x, had, anew)
}

// takesFree is dot-takes-free for an operand that had an order before copies, whatever the size of the result. From the
// third run on, the dimension is M of a result that is made anew, too, unless the operand has another order now. For a
// result that is not small an operand is not turned from M to K in the lanes: the dimension is M of the result alone.
// That dot-takes-merged is for K in the lanes alone is a guess: no module has M there.
func (e *dots) takesFree(x *dot, had ordering.Order, anew bool) bool {
	d, asked, o := e.dims(x), &x.asks, e.G.Operand(x.node, 0)
	if !e.On(rule.DotTakesFree) {
		return false
	}
	k, m, lanes := e.minorPair(e.Orders.Get(had), &d.left)
	if k != d.left.k || m == d.left.mn || !slices.Contains(d.left.free, m) ||
		!lanes && e.isMerged(o, k) && !e.isMerged(o, m) && e.On(rule.DotTakesMerged) ||
		!e.goodRows(e.G.ShapeOf(o), []int{k, m}, []int{k, d.left.mn}) {
		return false
	}
	taken, left := *d, asked.operands[0]
	taken.take(m)
	turned := !e.isSmall(x, had) && !lanes && e.Orders.Get(left.order)[0] != k
	switch {
	case anew && had == e.MinorToMajor(o) && e.isLate():
		x.dims, *asked = &taken, e.orders(x, taken)
		if turned {
			asked.operands[0] = left
		}
		return true
	case turned:
		return false
	}
	asked.operands[0].order = e.orders(x, taken).operands[0].order
	return true
}

// minorPair returns the two minor dimensions of an order of a left operand as K and M, -1 where there is one alone, and
// whether M is in the lanes.
func (e *dots) minorPair(mm []int, left *side) (k, m int, lanes bool) {
	if len(mm) < 2 {
		return mm[0], -1, false
	}
	if slices.Contains(left.contracting, mm[1]) && e.On(rule.DotTakesLanes) {
		return mm[1], mm[0], true
	}
	return mm[0], mm[1], false
}

// takeResults makes M of a small result, from the third run on, the dimension with which its dot reads the left
// operand already, and lets dots of a group take theirs before they request anything. With copied it is for dots that
// copy their left operand instead, before all else is valid, where the third run or a later one is to come for another
// reason (dot-takes-free).
func (e *dots) takeResults(copied bool) {
	first := int64(e.RunNumber()) == e.Limit(rule.GroupRuns)-1
	for _, x := range e.late() {
		has := e.MinorToMajor(e.G.Operand(x.node, 0))
		switch group := e.isGroup(x); {
		case group && first && !copied:
			e.groupTakes(x, has, true)
		case !group && copied == (has != x.asks.operands[0].order) && e.isSmall(x, has):
			e.takesFree(x, has, true)
		}
	}
}

// readersM returns the free dimension of the left operand that is M for every reader of a dot, -1 for none
// (dot-takes-readers). An operand and a result with the same M in their lanes keep it, unless a transpose is to have
// the result turned.
func (e *dots) readersM(x *dot, turned bool) int {
	n, d := x.node, e.dims(x)
	want, out, lhs := e.Orders.Get(e.Taken(n, 0)), e.MinorToMajor(n), e.G.ShapeOf(e.G.Operand(n, 0))
	if !e.On(rule.DotTakesReaders) || !e.isCopied(n, out) {
		return -1
	}
	k, m, lanes := e.minorPair(want, &d.left)
	minorM := e.Orders.Get(out)[0] == d.left.inResult
	if !slices.Contains(d.left.contracting, k) || lanes && minorM && !turned {
		return -1
	}
	first, free, to, least := len(d.left.batch), d.left.free, -1, int64(ordering.Most)
	for _, order := range e.readers(n) {
		mm := e.Orders.Get(order)[:2]
		k := slices.IndexFunc(mm, func(q int) bool { return q >= first && q < first+len(free) })
		if k == -1 || k == 1 && e.splitsLanes(n, mm) ||
			!slices.Contains(mm, d.right.inResult) || to != -1 && to != free[mm[k]-first] {
			return -1
		}
		to, least = free[mm[k]-first], min(least, e.Padded(e.G.ShapeOf(n), order))
	}
	pair := func(f int) []int { return []int{d.right.inResult, first + slices.Index(free, f)} }
	if to != m && (!slices.Contains(free, m) || !e.goodRows(e.G.ShapeOf(n), pair(to), pair(m)) ||
		ordering.Times(e.Limit(rule.TakenShare), least) < e.Padded(lhs, e.MinorToMajor(e.G.Operand(n, 0)))) {
		return -1
	}
	return to
}

// isLate reports whether the pass is in the third run or a later one.
func (e *dots) isLate() bool { return int64(e.RunNumber()) >= e.Limit(rule.GroupRuns)-1 }

// late returns the dots from the third run on.
func (e *dots) late() []*dot {
	if e.isLate() {
		return e.list
	}
	return nil
}

// takeTurned is dot-takes-turned.
func (e *dots) takeTurned() {
	for _, x := range e.late() {
		users := e.G.Users(x.node)
		if x.asks.out == ordering.None || len(users) != 1 ||
			e.G.Nodes[users[0].Node].Op != hlo.OpTranspose || len(e.G.Users(users[0].Node)) != 1 {
			continue
		}
		order := e.AsksFor(users[0].Slot).Order
		if order == ordering.None || order == x.asks.out {
			continue
		}
		if d := *e.dims(x); !slices.Equal(e.Orders.Get(order)[:2], e.Orders.Get(x.asks.out)[:2]) {
			m := e.readersM(x, true)
			if m == -1 || m == d.left.mn {
				continue
			}
			d.take(m)
			x.asks = e.orders(x, d)
		}
		e.give(x, order)
	}
}

// takesContracted returns the place in the lists of contracting dimensions of the one that is to be K, -1 for the one
// that is (dot-takes-contracted).
func (e *dots) takesContracted(n flat.NodeID, d *dotDims) int {
	left := e.G.Operand(n, 0)
	merged := e.isMerged(left, d.left.mn)
	if merged && (e.through(left, e.Taken(left, 0)) == ordering.None ||
		e.G.Nodes[e.G.Operand(n, 1)].Op == hlo.OpReshape) {
		return -1
	}
	for k, x := range []*side{&d.left, &d.right} {
		if k == 0 && merged {
			continue
		}
		o := e.G.Operand(n, k)
		has := e.Orders.Get(e.had(o))
		if len(has) < 3 || !slices.Contains(has[:2], x.mn) ||
			!ordering.Covers(e.Orders.Get(e.Taken(n, k)), []int{x.mn, x.k}) {
			continue
		}
		other := has[0] + has[1] - x.mn
		if other == x.k {
			break
		}
		i := slices.Index(x.contracting, other)
		if i >= 0 && e.goodRows(e.G.ShapeOf(o), []int{x.mn, other}, []int{x.mn, x.k}) {
			return i
		}
	}
	return -1
}

// passed returns the order of what a reshape reads, if that passes through it.
func (e *dots) passed(reshape flat.NodeID) ordering.Order {
	return e.through(reshape, e.MinorToMajor(e.G.Operand(reshape, 0)))
}

// through returns the order of a reshape whose operand has a given one, none where it does not pass.
func (e *dots) through(reshape flat.NodeID, o ordering.Order) ordering.Order {
	return e.Orders.Aligned(e.G.ShapeOf(e.G.Operand(reshape, 0)), o, e.G.ShapeOf(reshape))
}

// isMerged reports whether a node is a reshape that merges a dimension of several, or splits it off, and through which
// no order passes.
func (e *dots) isMerged(n flat.NodeID, dim int) bool {
	return e.G.Nodes[n].Op == hlo.OpReshape && e.passed(n) == ordering.None &&
		ordering.AfterReshape(e.G.ShapeOf(n).Dims, e.G.ShapeOf(e.G.Operand(n, 0)).Dims, dim) == -1
}

// splitsLanes reports whether a reader of a node with two minor dimensions splits the one in the lanes and leaves the
// other one alone (dot-takes-merged). That it leaves M alone, and that N is the one in the lanes, are guesses from what
// feeds a dot: no module has it otherwise.
func (e *dots) splitsLanes(n flat.NodeID, minor []int) bool {
	return e.On(rule.DotTakesMerged) && e.isSplit(n, minor[0]) && !e.isSplit(n, minor[1])
}

// isSplit reports whether a user of a node is a reshape that splits a dimension of it, or merges it with others, and
// through which no order passes that its own users request.
func (e *dots) isSplit(n flat.NodeID, dim int) bool {
	return slices.ContainsFunc(e.G.Users(n), func(u flat.Use) bool {
		if e.G.Nodes[u.Node].Op != hlo.OpReshape {
			return false
		}
		from, to := e.G.ShapeOf(n), e.G.ShapeOf(u.Node)
		passes := func(u flat.Use) bool { return e.Orders.Aligned(to, e.AsksFor(u.Slot).Order, from) != ordering.None }
		return ordering.AfterReshape(from.Dims, to.Dims, dim) == -1 && !slices.ContainsFunc(e.G.Users(u.Node), passes)
	})
}

// had returns the order that a node has without copies: a transpose has that of what it reads, and so has a reshape, if
// that passes through it.
func (e *dots) had(n flat.NodeID) ordering.Order {
	order := e.MinorToMajor(n)
	switch op := e.G.Nodes[n].Op; {
	case !e.On(rule.DotTakesSource):
	case op == hlo.OpReshape:
		return cmp.Or(e.passed(n), order)
	case op == hlo.OpTranspose:
		return e.Orders.Restricted(e.MinorToMajor(e.G.Operand(n, 0)), e.G.DimsOf(n))
	}
	return order
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
		before = e.Orders.Mapped(next, e.G.DimsOf(u.Node))
	default:
		before = e.Orders.Aligned(e.G.ShapeOf(u.Node), next, e.G.ShapeOf(n))
	}
	return cmp.Or(before, order)
}

// isCopied reports whether every reader of a dot's result reads it with other minor dimensions than order; one that
// takes any reads it as it is.
func (e *dots) isCopied(n flat.NodeID, order ordering.Order) bool {
	orders := e.readers(n)
	reads := func(o ordering.Order) bool {
		return slices.Equal(e.Orders.Get(cmp.Or(o, e.MinorToMajor(n)))[:2], e.Orders.Get(order)[:2])
	}
	return len(orders) > 0 && !slices.ContainsFunc(orders, reads)
}

// asReaders returns the order of a dot's left operand with the dimensions that are not minor in the order in which all
// readers have them in the result.
func (e *dots) asReaders(x *dot, order ordering.Order) ordering.Order {
	orders, left := e.readers(x.node), &e.dims(x).left
	differs := func(o ordering.Order) bool { return o != orders[0] }
	if !e.On(rule.DotReadersThrough) || slices.ContainsFunc(orders, differs) {
		return order
	}
	return e.follows(order, orders[0], slices.Concat(left.batch, left.free))
}

// keepRest is dot-takes-rest. Why some count from the other end is not known; that two free dimensions are sorted is a
// guess, as no module has them.
func (e *dots) keepRest(x *dot) {
	want, left := &x.asks.operands[0].order, &e.dims(x).left
	if *want == ordering.None || !e.On(rule.DotTakesRest) || len(left.contracting) < 2 || len(left.contracting) > 3 ||
		len(left.batch) > 0 && len(left.free) > 1 {
		return
	}
	mm, has := slices.Clone(e.Orders.Get(*want)), e.Orders.Get(e.MinorToMajor(e.G.Operand(x.node, 0)))
	if !ordering.Covers(mm, has[:2]) {
		return
	}
	out := slices.Clone(e.Orders.Get(x.asks.out))
	back := slices.Contains(left.contracting, has[len(has)-1]) && len(left.free) == len(out)-1
	if len(left.free) > 2 && !back {
		return
	}
	place := func(k int) int {
		i := slices.Index(out, slices.Index(slices.Concat(left.batch, left.free), k))
		switch {
		case i < 2:
			return slices.Index(has, k)
		case back:
			return len(out) + 1 - i
		}
		return i
	}
	if e.isLate() || len(left.batch)+len(left.free) > 1 {
		slices.SortStableFunc(mm[2:], func(a, b int) int { return place(a) - place(b) })
	}
	*want = e.Orders.Of(mm)
	if back && e.isLate() {
		free := func(k int) int { return slices.Index(mm, left.free[k]) }
		slices.SortStableFunc(out[2:], func(a, b int) int { return free(a) - free(b) })
		x.asks.out = e.Orders.Of(out)
	}
	right := &x.asks.operands[1].order
	*right = e.Orders.Of(e.dims(x).asLeft(mm, e.Orders.Get(*right), out))
}

// asLeft returns the order mm of the right operand with the dimensions that are not minor in the order in which the
// left operand has those that they go with, and the result free ones; equal places stay.
func (d *dotDims) asLeft(left, mm, result []int) []int {
	shared, with := slices.Concat(d.right.batch, d.right.contracting), slices.Concat(d.left.batch, d.left.contracting)
	place := func(k int) int {
		if i := slices.Index(shared, k); i >= 0 {
			return slices.Index(left, with[i])
		}
		return slices.Index(result, len(d.left.batch)+len(d.left.free)+slices.Index(d.right.free, k))
	}
	mm = slices.Clone(mm)
	slices.SortStableFunc(mm[2:], func(a, b int) int { return place(a) - place(b) })
	return mm
}
