package rules

import (
	"slices"

	"hlolayout/hlo"
	"hlolayout/passes/internal/flat"
	"hlolayout/passes/layout/internal/ordering"
	"hlolayout/passes/layout/internal/rule"
)

// maxFitRank bounds the search for the order of a reshape's operand: 720 orders.
const maxFitRank = 6

// cannotHold says with a code and in words why a value cannot have an order, softly or not; code is "" where it can.
// Then the operands are noted that have to be read in a certain order for it.
func (e *Set) cannotHold(v flat.ValueID, o ordering.Order, softly bool) (code, why string) {
	g := e.G
	n := g.Values[v].Node
	nd := &g.Nodes[n]
	switch {
	case e.G.IsEntryParameter(n):
		return "PIN104", "entry_computation_layout decides the layout of an entry parameter"
	case nd.Fixed || nd.Op == hlo.OpInfeed:
		return "PIN104", "%" + nd.In.Name + " (" + nd.In.OpName() + ") carries its layouts with it"
	case flat.Asynchronous(nd.Op) || e.G.RunsAsync(nd.Comp):
		return "PIN104", "%" + nd.In.Name + " belongs to an asynchronous operation"
	case nd.Op == hlo.OpBitcast:
		return "PIN104", "the layout of a bitcast is part of what it means"
	case e.G.ReadByBitcast(v):
		return "PIN104", "a bitcast reads %" + nd.In.Name + ", and its meaning depends on the layout"
	}
	if why := e.cannotGive(n, e.Orders.Get(o), softly); why != "" {
		return "PIN105", why
	}
	for k, operand := range g.OperandsOf(n) {
		x := g.ShapeOf(operand)
		if x.Rank() == 0 || x.Rank() == 1 && nd.Op != hlo.OpReshape {
			continue // it has one order only
		}
		want, why := e.readsAs(n, k, o)
		if why != "" {
			return "PIN105", why
		}
		if want != ordering.None {
			e.Held.Slots[g.Slot(n, k)] = want
		}
	}
	return "", ""
}

// cannotGive says why an operation cannot give its result in an order by itself: what the repairs would not
// leave alone. It is "" where it can.
func (e *Set) cannotGive(n flat.NodeID, mm []int, softly bool) string {
	nd := &e.G.Nodes[n]
	switch nd.Op {
	case hlo.OpFft, hlo.OpCholesky, hlo.OpTriangularSolve:
		if !softly && !slices.Equal(mm, hlo.Descending(len(mm))) {
			return nd.In.OpName() + " works in the descending order only"
		}
	case hlo.OpSort:
		if d, at := e.sorted(n); mm[at] != d {
			return "a sort needs the sorted dimension " + [...]string{"minor", "second-minor"}[at]
		}
	case hlo.OpAllToAll:
		if d := e.along(n); d != -1 && mm[len(mm)-1] != d {
			return "an all-to-all needs the split dimension most major"
		}
	case hlo.OpSelectAndScatter:
		if free := e.unwindowed(n); len(free) >= 2 && !ordering.Covers(mm, free) {
			return "select-and-scatter needs the windowed dimensions major"
		}
	}
	return ""
}

// readsAs returns the order in which operand k has to be read for the result to have the order o: none where any will
// do, or where it is left to refit; why says that there is none.
func (e *Set) readsAs(n flat.NodeID, k int, o ordering.Order) (want ordering.Order, why string) {
	nd, x := &e.G.Nodes[n], e.G.ShapeOf(e.G.Operand(n, k))
	rank := len(e.Orders.Get(o))
	switch nd.Op {
	case hlo.OpWhile, hlo.OpReduce:
		return ordering.None, ""
	case hlo.OpScatter:
		if k >= (len(nd.In.Operands)-1)/2 {
			return ordering.None, ""
		}
	case hlo.OpFusion:
		root := nd.In.Called()[0].Root
		if root.Opcode == hlo.OpParameter && int(root.Parameter) == k {
			return o, "" // the body gives what it takes
		}
		return ordering.None, ""
	case hlo.OpBroadcast, hlo.OpTranspose:
		return e.OperandOrder(n, k, o), ""
	case hlo.OpReshape:
		return e.reshapedFrom(x, nd.In.Shape, o)
	case hlo.OpBitcastConvert:
		if x.Rank() != rank {
			return e.OperandOrder(n, k, o), ""
		}
	}
	if (nd.Keep || nd.Op == hlo.OpSort) && x.Rank() == rank {
		return o, ""
	}
	return ordering.None, ""
}

// reshapedFrom returns the order of a reshape's operand for which a result in the order o moves nothing: the aligned
// one, else the one of the least padded size among those that are laid out alike under tiles.
func (e *Set) reshapedFrom(in, out *hlo.Shape, o ordering.Order) (ordering.Order, string) {
	if ordering.EffectiveRank(in.Dims) <= 1 && ordering.EffectiveRank(out.Dims) <= 1 {
		return ordering.None, ""
	}
	if to := e.Orders.Aligned(out, o, in); to != ordering.None {
		return to, ""
	}
	mm, best, size := e.Orders.Get(o), ordering.None, int64(0)
	if in.Rank() <= maxFitRank {
		ordering.Permutations(in.Rank(), func(a []int) {
			if x, y := e.TileRuns(out.DType, in.Dims, a), e.TileRuns(out.DType, out.Dims, mm); x == nil || !slices.Equal(x, y) {
				return
			}
			if n := e.PaddedDims(in.DType, in.Dims, a, 0); best == ordering.None || n < size {
				best, size = e.Orders.Of(a), n
			}
		})
	}
	if best == ordering.None {
		return ordering.None, "no order of " + in.WithLayout(nil).String() + " makes the reshape to it a bitcast"
	}
	return best, ""
}

// refit is the last repair of a module with pins, and finds nothing in one without: what the pins changed can leave
// an instruction reading an operand in an order from which it does not make its result (the broadcast of what a loop
// carries, kmeans). Such operands are held to the order that the result requests, and those of reduces whose result
// is pinned to the one in which they were read, with the dimensions that stay rearranged in their places. It reports
// whether anything is new.
func (e *Set) refit() bool {
	g := e.G
	if len(e.Held.List) == 0 {
		return false
	}
	found := false
	for n := range flat.NodeID(len(g.Nodes) - 1) {
		nd := &g.Nodes[n]
		if nd.Tuple || nd.Flat || nd.Forward || nd.Fixed {
			continue
		}
		o := e.MinorToMajor(n)
		for k, operand := range g.OperandsOf(n) {
			if g.ShapeOf(operand).Rank() < 2 {
				continue
			}
			have := e.Taken(n, k)
			if want, _ := e.readsAs(n, k, o); want != ordering.None && want != have && !e.reshapes(n, have, o) {
				e.refitSlot(g.Slot(n, k), want)
				found = true
			}
		}
	}
	for _, v := range e.Held.List {
		n := g.Values[v].Node
		nd := &g.Nodes[n]
		if nd.Op != hlo.OpReduce {
			continue
		}
		o := e.Held.Value(v).Order
		for k := range e.reduced(n) {
			if have := e.Taken(n, k); e.Orders.Natural(have, e.G.DimsOf(n)) != o {
				e.refitSlot(g.Slot(n, k), e.rearranged(have, o, e.G.DimsOf(n)))
				found = true
			}
		}
	}
	return found
}

func (e *Set) refitSlot(slot flat.SlotID, o ordering.Order) {
	if e.Held.Slot(slot) == ordering.None {
		e.Held.Refitted = append(e.Held.Refitted, slot)
	}
	e.Held.Slots[slot] = o
}

// rearranged returns an order with the dimensions that a reduce keeps in the sequence of its result's order.
func (e *Set) rearranged(o, result ordering.Order, reduced []int) ordering.Order {
	mm, next := slices.Clone(e.Orders.Get(o)), e.Orders.Get(result)
	kept := hlo.OtherDims(len(mm), reduced)
	for i, d := range mm {
		if !slices.Contains(reduced, d) {
			mm[i], next = kept[next[0]], next[1:]
		}
	}
	return e.Orders.Of(mm)
}

// sorted returns the dimension along which an instruction sorts, and where it must be in an order: minor, or
// second-minor where it is short.
func (e *Set) sorted(n flat.NodeID) (d, at int) {
	d = e.G.DimsOf(n)[0]
	if e.G.ShapeOf(e.G.Operand(n, 0)).Dims[d] >= e.Limit(rule.SortedMinor) {
		return d, 0
	}
	return d, 1
}

// unwindowed returns the dimensions that a select-and-scatter's window does not extend over.
func (e *Set) unwindowed(n flat.NodeID) (dims []int) {
	for d, size := range e.G.Window(n, "size") {
		if size <= 1 {
			dims = append(dims, d)
		}
	}
	return dims
}

// reduced returns how many arrays a reduce takes.
func (e *Set) reduced(n flat.NodeID) int { return len(e.G.Nodes[n].In.Operands) / 2 }

// along returns the dimension that a collective of one array splits or concatenates, -1 for other instructions and
// where operand and result differ in rank.
func (e *Set) along(n flat.NodeID) int {
	nd := &e.G.Nodes[n]
	if dims := nd.In.Ints("dimensions"); !nd.Tuple && len(dims) > 0 &&
		e.G.ShapeOf(e.G.Operand(n, 0)).Rank() == nd.In.Shape.Rank() {
		return dims[0]
	}
	return -1
}
