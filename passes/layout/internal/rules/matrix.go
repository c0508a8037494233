package rules

import (
	"slices"

	"hlolayout/hlo"
	"hlolayout/passes/internal/flat"
	"hlolayout/passes/layout/internal/ordering"
	"hlolayout/passes/layout/internal/rule"
)

// waste is how much larger padding to whole lanes or rows makes a dimension.
type waste struct{ padded, size int64 }

func wasteOf(n, unit int64) waste { return waste{ordering.RoundUp(max(n, 1), unit), max(n, 1)} }

func (w waste) compare(o waste) int {
	a, b := float64(w.padded)/float64(w.size), float64(o.padded)/float64(o.size)
	switch {
	case a < b:
		return -1
	case a > b:
		return 1
	}
	return 0
}

// leastWaste returns the dimension of least waste, the last one among equals; -1 for none.
func leastWaste(dims []int64, which []int) int {
	best := -1
	for _, d := range which {
		if best < 0 || wasteOf(dims[d], 128).compare(wasteOf(dims[best], 128)) <= 0 {
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
		if best < 0 || wasteOf(dims[d], 128).compare(wasteOf(dims[best], 128)) < 0 &&
			wasteOf(dims[d], 8).compare(wasteOf(dims[best], 8)) < 0 {
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
	batch       []int // of the result, major first, where it is not descending
}

// follow takes the order of the batch from the order mm that the result of a group's dot has after the first two
// runs, if its batch dimensions are most major there (dot_group_batch).
func (d *dotDims) follow(mm []int) {
	most := slices.Clone(mm[len(mm)-len(d.left.batch):])
	slices.Reverse(most)
	var left, right []int
	for _, k := range most {
		if k >= len(most) {
			return
		}
		left, right = append(left, d.left.batch[k]), append(right, d.right.batch[k])
	}
	d.batch, d.left.batch, d.right.batch = most, left, right
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
// half of it, or of whole rows of 8 where the minor one fills whole lanes; or both of a span the lanes.
func (e *Set) goodRows(s *hlo.Shape, a, b []int) bool {
	minor, rows := s.Dims[a[0]], s.Dims[a[1]]
	return s.Dims[b[1]] <= ordering.Times(e.Limit(rule.RowsShare), rows) || minor%128 == 0 && rows%8 == 0 ||
		minor >= 128 && rows >= 128
}

// isSliceLike reports whether an operand is, before reshapes, transposes and conversions, a constant, a part of a
// larger array or built from several.
func (e *Set) isSliceLike(n flat.NodeID) bool {
	if !e.On(rule.ExploreCut) {
		return false
	}
	for op := e.G.Nodes[n].Op; op == hlo.OpReshape || op == hlo.OpTranspose || op == hlo.OpConvert ||
		op == hlo.OpBitcastConvert; op = e.G.Nodes[n].Op {
		n = e.G.Operand(n, 0)
	}
	switch e.G.Nodes[n].Op {
	case hlo.OpDynamicSlice, hlo.OpConcatenate, hlo.OpSlice, hlo.OpPad, hlo.OpConstant:
		return true
	case hlo.OpAllGather, hlo.OpAllToAll, hlo.OpAllReduce, hlo.OpCollectivePermute, hlo.OpReduceScatter:
		return e.On(rule.ExploreCollective)
	}
	return false
}

// multiplied returns the type under whose tiles the sizes of an operand or voter are compared, summed that of a result.
func (e *Set) multiplied(t hlo.DType) hlo.DType {
	if e.On(rule.MatrixTypes) {
		return hlo.BF16
	}
	return t
}

func (e *Set) summed(t hlo.DType) hlo.DType {
	if t != hlo.BF16 && e.On(rule.MatrixTypes) {
		return hlo.F32
	}
	return t
}

// isMinor reports whether dimension n of the result of a dot or convolution is minor and m second-minor, not the
// other way round: what the first of the rules says that is not undecided (411 dots and convolutions), in the end n.
func (e *Set) isMinor(node flat.NodeID, n, m int) bool {
	for r := rule.PaddedSize; r <= rule.Reduces; r++ {
		if decide := e.Row(r).Decide; decide != nil && e.On(r) {
			if c := decide(rule.Place{Node: node, M: m, N: n}); c != 0 {
				return c > 0
			}
		}
	}
	return true
}

// reads is a set of kinds of readers.
type reads uint8

const (
	votes reads = 1 << iota
	reduces
)
