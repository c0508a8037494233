package layout

import (
	"cmp"
	"hlolayout/hlo"
	"hlolayout/passes/internal/flat"
	"hlolayout/passes/layout/internal/ordering"
	"slices"
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

// bySize prefers the order that takes less: of the result, or of the first slice where a chain of single users leads
// to one.
func (e *engine) bySize(p place) int {
	s := e.g.ShapeOf(p.node)
	if cut := e.firstSlice(p.node); cut != nil && e.on(ruleFirstSlice) {
		s = cut
	}
	return e.SmallerPair(s, p.m, p.n)
}

// undecided is the decision of a rule that only changes what another one compares.
func undecided(*engine, place) int { return 0 }

// firstSlice returns the shape of the slice that a chain of single users leads to, through elementwise operations of
// the same sizes; nil where there is none.
func (e *engine) firstSlice(n int32) *hlo.Shape {
	g := e.g
	dims := g.ShapeOf(n).Dims
	for u := g.SingleUser(n); u >= 0; n, u = u, g.SingleUser(u) {
		switch nd := &g.Nodes[u]; {
		case nd.Op == hlo.OpSlice || nd.Op == hlo.OpDynamicSlice && g.Operand(u, 0) == n:
			return nd.In.Shape
		case !nd.Elemwise || nd.Tuple || !slices.Equal(nd.In.Shape.Dims, dims):
			return nil
		}
	}
	return nil
}

// byLength keeps n minor where it is the longer one.
func (e *engine) byLength(p place) int {
	if dims := e.g.ShapeOf(p.node).Dims; dims[p.m] < dims[p.n] {
		return 1
	}
	return 0
}

// byVotes lets every reader of other sizes vote for the order in which it takes less itself. One that takes the same
// in both orders abstains, and its readers are asked; those of one that votes are not.
func (e *engine) byVotes(p place) int {
	votes := 0
	voted := map[int32]bool{}
	e.readers(p, func(u flat.Use, x place) bool {
		nd := &e.g.Nodes[u.Node]
		if voted[u.Node] {
			return true
		}
		switch {
		case nd.Op == hlo.OpSlice, nd.Op == hlo.OpPad, nd.Op == hlo.OpConcatenate, nd.Op == hlo.OpDynamicSlice && u.Slot == nd.FirstSlot,
			nd.Op == hlo.OpDynamicUpdateSlice && u.Slot <= nd.FirstSlot+1:
		default:
			return false
		}
		vote := 0
		if !slices.Equal(e.g.ShapeOf(x.node).Dims, nd.In.Shape.Dims) {
			vote = e.SmallerPair(nd.In.Shape, x.m, x.n)
		}
		votes += vote
		voted[u.Node] = vote != 0
		return vote != 0
	})
	return cmp.Compare(votes, 0)
}

// byReduces counts the reduces over n, which then goes to the rows, against those over m. A reshape of the result
// that splits n counts as one.
func (e *engine) byReduces(p place) int {
	dims := e.g.ShapeOf(p.node).Dims
	overM, overN := 0, 0
	e.readers(p, func(u flat.Use, x place) bool {
		switch nd := &e.g.Nodes[u.Node]; nd.Op {
		case hlo.OpReduce:
			m, n := slices.Contains(e.g.DimsOf(nd), x.m), slices.Contains(e.g.DimsOf(nd), x.n)
			switch {
			case m && !n:
				overM++
			case n && !m:
				overN++
			}
			return true
		case hlo.OpReshape:
			if to := nd.In.Shape.Dims; x.node == p.node && !slices.Contains(to, dims[p.n]) && slices.Contains(to, dims[p.m]) {
				overN++
				return true
			}
		case hlo.OpDynamicSlice:
			return true
		case hlo.OpDynamicUpdateSlice:
			return u.Slot != nd.FirstSlot
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
func (e *engine) readers(p place, stop func(u flat.Use, x place) bool) {
	seen := map[int32]bool{p.node: true}
	stack := []place{p}
	for len(stack) > 0 {
		x := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		for _, u := range e.g.Users(x.node) {
			if stop(u, x) || seen[u.Node] {
				continue
			}
			if next, ok := e.carried(x, u.Node); ok {
				seen[u.Node] = true
				stack = append(stack, next)
			}
		}
	}
}

// carried returns where the dimensions of a place are in a reader of it; ok is false where they cannot be followed.
func (e *engine) carried(x place, user int32) (next place, ok bool) {
	nd := &e.g.Nodes[user]
	from, to := e.g.ShapeOf(x.node).Dims, nd.In.Shape.Dims
	switch {
	case nd.Tuple:
		return x, false
	case nd.Elemwise && slices.Equal(to, from):
		return place{user, x.m, x.n}, true
	}
	switch nd.Op {
	case hlo.OpSlice, hlo.OpDynamicSlice, hlo.OpPad, hlo.OpConcatenate, hlo.OpDynamicUpdateSlice:
		return place{user, x.m, x.n}, true
	case hlo.OpTranspose:
		permutation := e.g.DimsOf(nd)
		return place{user, slices.Index(permutation, x.m), slices.Index(permutation, x.n)}, true
	case hlo.OpReshape:
		if from[x.m] != 1 && from[x.n] != 1 && ordering.SameSizes(from, to) {
			return place{user, ordering.SameDim(from, x.m, to), ordering.SameDim(from, x.n, to)}, true
		}
	}
	return x, false
}
