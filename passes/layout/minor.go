package layout

import (
	"cmp"
	"slices"

	"hlolayout/hlo"
)

// place is a node with two of its dimensions: those that the matrix unit's M and N became in it.
type place struct {
	node int32
	m, n int
}

// isMinor reports whether dimension n of the result of a dot or convolution is minor and m second-minor, not the
// other way round: what the first of the rules says that is not undecided (411 dots and convolutions), in the end n.
func (e *engine) isMinor(node int32, n, m int) bool {
	for r := rulePaddedSize; r <= ruleReduces; r++ {
		if e.on(r) {
			if c := e.table[r].decide(e, place{node, m, n}); c != 0 {
				return c > 0
			}
		}
	}
	return true
}

// smallerPair compares the padded sizes of a shape: it is positive where n minor takes less than m minor.
func (e *engine) smallerPair(s *hlo.Shape, m, n int) int {
	return cmp.Compare(e.t.PaddedPair(s.DType, s.Dims[n], s.Dims[m]), e.t.PaddedPair(s.DType, s.Dims[m], s.Dims[n]))
}

// bySize prefers the order that takes less: of the result, or of the first slice where a chain of single users leads
// to one.
func (e *engine) bySize(p place) int {
	s := e.g.shapeOf(p.node)
	if cut := e.firstSlice(p.node); cut != nil && e.on(ruleFirstSlice) {
		s = cut
	}
	return e.smallerPair(s, p.m, p.n)
}

// undecided is the decision of a rule that only changes what another one compares.
func undecided(*engine, place) int { return 0 }

// firstSlice returns the shape of the slice that a chain of single users leads to, through elementwise operations of
// the same sizes; nil where there is none.
func (e *engine) firstSlice(n int32) *hlo.Shape {
	g := e.g
	dims := g.shapeOf(n).Dims
	for u := g.singleUser(n); u >= 0; n, u = u, g.singleUser(u) {
		switch nd := &g.nodes[u]; {
		case nd.op == hlo.OpSlice || nd.op == hlo.OpDynamicSlice && g.operand(u, 0) == n:
			return nd.in.Shape
		case !nd.elemwise || nd.tuple || !slices.Equal(nd.in.Shape.Dims, dims):
			return nil
		}
	}
	return nil
}

// byLength keeps n minor where it is the longer one.
func (e *engine) byLength(p place) int {
	if dims := e.g.shapeOf(p.node).Dims; dims[p.m] < dims[p.n] {
		return 1
	}
	return 0
}

// byVotes lets every reader of other sizes vote for the order in which it takes less itself. One that takes the same
// in both orders abstains, and its readers are asked; those of one that votes are not.
func (e *engine) byVotes(p place) int {
	votes := 0
	voted := map[int32]bool{}
	e.readers(p, func(u use, x place) bool {
		nd := &e.g.nodes[u.node]
		if voted[u.node] {
			return true
		}
		switch {
		case nd.op == hlo.OpSlice, nd.op == hlo.OpPad, nd.op == hlo.OpConcatenate, nd.op == hlo.OpDynamicSlice && u.slot == nd.operand,
			nd.op == hlo.OpDynamicUpdateSlice && u.slot <= nd.operand+1:
		default:
			return false
		}
		vote := 0
		if !slices.Equal(e.g.shapeOf(x.node).Dims, nd.in.Shape.Dims) {
			vote = e.smallerPair(nd.in.Shape, x.m, x.n)
		}
		votes += vote
		voted[u.node] = vote != 0
		return vote != 0
	})
	return cmp.Compare(votes, 0)
}

// byReduces counts the reduces over n, which then goes to the rows, against those over m. A reshape of the result
// that splits n counts as one.
func (e *engine) byReduces(p place) int {
	dims := e.g.shapeOf(p.node).Dims
	overM, overN := 0, 0
	e.readers(p, func(u use, x place) bool {
		switch nd := &e.g.nodes[u.node]; nd.op {
		case hlo.OpReduce:
			m, n := slices.Contains(e.g.dimsOf(nd), x.m), slices.Contains(e.g.dimsOf(nd), x.n)
			switch {
			case m && !n:
				overM++
			case n && !m:
				overN++
			}
			return true
		case hlo.OpReshape:
			if to := nd.in.Shape.Dims; x.node == p.node && !slices.Contains(to, dims[p.n]) && slices.Contains(to, dims[p.m]) {
				overN++
				return true
			}
		case hlo.OpDynamicSlice:
			return true
		case hlo.OpDynamicUpdateSlice:
			return u.slot != nd.operand
		}
		return false
	})
	if overN > overM {
		return -1
	}
	return 0
}

// readers walks from a value to everything that reads it through operations that keep both dimensions apart:
// elementwise ones, transposes, slices, pads, concatenates, updates, and reshapes that add or drop dimensions of size
// 1. It goes on from a reader for which stop is false.
func (e *engine) readers(p place, stop func(u use, x place) bool) {
	seen := map[int32]bool{p.node: true}
	stack := []place{p}
	for len(stack) > 0 {
		x := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		for _, u := range e.g.users(x.node) {
			if stop(u, x) || seen[u.node] {
				continue
			}
			if next, ok := e.carried(x, u.node); ok {
				seen[u.node] = true
				stack = append(stack, next)
			}
		}
	}
}

// carried returns where the dimensions of a place are in a reader of it; ok is false where they cannot be followed.
func (e *engine) carried(x place, user int32) (next place, ok bool) {
	nd := &e.g.nodes[user]
	from, to := e.g.shapeOf(x.node).Dims, nd.in.Shape.Dims
	switch {
	case nd.tuple:
		return x, false
	case nd.elemwise && slices.Equal(to, from):
		return place{user, x.m, x.n}, true
	}
	switch nd.op {
	case hlo.OpSlice, hlo.OpDynamicSlice, hlo.OpPad, hlo.OpConcatenate, hlo.OpDynamicUpdateSlice:
		return place{user, x.m, x.n}, true
	case hlo.OpTranspose:
		permutation := e.g.dimsOf(nd)
		return place{user, slices.Index(permutation, x.m), slices.Index(permutation, x.n)}, true
	case hlo.OpReshape:
		if from[x.m] != 1 && from[x.n] != 1 && sameSizes(from, to) {
			return place{user, sameDim(from, x.m, to), sameDim(from, x.n, to)}, true
		}
	}
	return x, false
}

// sameDim returns where dimension d, which is not of size 1, stands among the dimensions to, which differ from those
// of from in dimensions of size 1 only.
func sameDim(from []int64, d int, to []int64) int {
	k := 0
	for _, n := range from[:d] {
		if n != 1 {
			k++
		}
	}
	which, _ := dense(to)
	return which[k]
}
