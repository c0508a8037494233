package layout

import (
	"hlolayout/hlo"
	"hlolayout/passes/layout/internal/ordering"
	"slices"
)

// repairDots lets dots take operands as they lie where only the second-minor dimension is not the one asked for, and
// reports whether there is any. The log does not list these, but runs again for them. Its 701 changes of left
// operands' free dimensions and 1390 that stay all come out (testdata/dots_free.hlo), and most of 34 dots whose
// contracting dimension changes (testdata/dots_contracted.hlo). What it asks for a right operand's free dimensions is
// open.
func (e *engine) repairDots() bool {
	found := false
	for n := range int32(len(e.g.Nodes) - 1) {
		d, known := e.dots[n]
		if !known || d.repaired || int64(e.number) < e.limits[groupRuns] && e.feedsDot(n) || d.operands[0].order == ordering.None {
			continue
		}
		have, want := e.orderOf(e.g.Operand(n, 0)), e.taken(n, 0)
		if have == want {
			continue
		}
		dims := e.dotDims(n)
		if e.on(ruleDotTakesFree) && e.takesFree(n, dims, have, want) {
			d.operands[0].order = have
		} else if k := e.takesContracted(n, dims); k >= 0 && e.on(ruleDotTakesContracted) {
			dims.contract(k)
			d = e.dotOrders(n, dims)
		} else {
			continue
		}
		d.repaired, found = true, true
		e.dots[n] = d
	}
	return found
}

// takesFree reports whether a dot takes its left operand with another free dimension second-minor than the one that
// its result has in a minor place: K is minor, and the array is more than twice as large as the result.
func (e *engine) takesFree(n int32, d dotDims, have, want ordering.Order) bool {
	lhs := e.g.ShapeOf(e.g.Operand(n, 0))
	a, b := e.Orders.Get(have), e.Orders.Get(want)
	free := func(k int) bool { return !slices.Contains(d.lhsBatch, k) && !slices.Contains(d.lhsContracting, k) }
	return a[0] == b[0] && slices.Contains(d.lhsContracting, a[0]) && free(a[1]) && free(b[1]) && a[1] != b[1] && e.goodRows(lhs, a, b) &&
		ordering.Times(e.limits[takenShare], e.Padded(e.g.ShapeOf(n), e.orderOf(n))) < e.Padded(lhs, have)
}

// takesContracted returns the place in the lists of contracting dimensions of the one that is to be K, -1 for the one
// that is: that which an operand has second-minor, behind the same minor dimension as asked for. The left operand,
// too, has its minor dimension there and must be copied otherwise (where it lies otherwise, the dot stays).
func (e *engine) takesContracted(n int32, d dotDims) int {
	if e.Orders.Get(e.orderOf(e.g.Operand(n, 0)))[0] != e.Orders.Get(e.taken(n, 0))[0] {
		return -1
	}
	for k, list := range [][]int{d.lhsContracting, d.rhsContracting} {
		have, want := e.orderOf(e.g.Operand(n, k)), e.taken(n, k)
		a, b := e.Orders.Get(have), e.Orders.Get(want)
		if len(a) < 3 || a[0] != b[0] || a[1] == b[1] || slices.Contains(list, a[0]) || !slices.Contains(list, b[1]) || !e.goodRows(e.g.ShapeOf(e.g.Operand(n, k)), a, b) {
			continue
		}
		if i := slices.Index(list, a[1]); i >= 0 {
			return i
		}
	}
	return -1
}

// goodRows reports whether the second-minor dimension of order a is as good for a dot as that of b: not less than
// half of it, or of whole rows of 8 where the minor one fills whole lanes; or both of a span the lanes.
func (e *engine) goodRows(s *hlo.Shape, a, b []int) bool {
	minor, rows := s.Dims[a[0]], s.Dims[a[1]]
	return s.Dims[b[1]] <= ordering.Times(e.limits[rowsShare], rows) || minor%128 == 0 && rows%8 == 0 || minor >= 128 && rows >= 128
}

// contract makes the k-th contracting dimension K.
func (d *dotDims) contract(k int) { d.kl, d.kr = d.lhsContracting[k], d.rhsContracting[k] }
