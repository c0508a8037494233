package rules

import (
	"cmp"
	"slices"

	"hlolayout/hlo"
	"hlolayout/passes/internal/flat"
	"hlolayout/passes/layout/internal/ordering"
	"hlolayout/passes/layout/internal/rule"
)

func minorRules(e *Set) rule.Rows {
	return rule.Rows{
		rule.ConstrainedMinor: {Name: "dot-constrained", Stage: rule.Constrain, Evidence: []string{"dot_constrained"},
			Doc: "Where a chain of single users, elementwise ones, transposes and reshapes, leads from the result to a " +
				"LayoutConstraint, that decides which of M and N is minor: the one that is minor there, or not second-minor (34 " +
				"of 34 dots and convolutions; none of 8 that are also read elsewhere). Other custom calls with layouts do not (2 " +
				"programs).",
			Decide: e.byConstraint},
		rule.PaddedSize: {Name: "dot-padded-size", Stage: rule.Constrain, Evidence: []string{"dot_slices"},
			Doc: "Of M and N, in the result of a dot, and batch and feature, in that of a convolution, the one " +
				"is minor with which the result takes less.",
			Decide: func(p rule.Place) int {
				s := e.compared(p.Node)
				t := s.DType
				if t != hlo.BF16 && e.On(rule.MatrixTypes) {
					t = hlo.F32
				}
				return e.SmallerPair(t, s.Dims, p.M, p.N)
			}},
		rule.MatrixTypes: {Name: "dot-matrix-types", Stage: rule.Constrain, Evidence: []string{"conv_types"},
			Doc: "Sizes are compared under the tiles of the types that the matrix unit takes and gives, whatever the array's " +
				"type: operands and readers that vote as bf16, so that one row takes as much as two, and results as f32, if " +
				"they are not bf16 (5,400 arrays of convolutions of 7 types on v5e, 675 on v2, 32 votes)."},
		rule.FirstSlice: {Name: "dot-first-slice", Stage: rule.Constrain, Evidence: []string{"dot_slices", "dot_sharded",
			"dot_reduce_scatter"},
			Doc: "Where a chain of single users, elementwise ones and all-reduces, leads to a slice or a reduce-scatter (18 " +
				"of 18), the sizes that dot-padded-size compares are those of the first slice."},
		rule.FourByThree: {Name: "dot-four-by-three", Stage: rule.Constrain,
			Evidence: []string{"conv_batch_four", "dot_four_by_three"},
			Doc: "An M of 4 and an N of 3 of any type but bf16 have M minor, the one pair of sizes that padding does not " +
				"explain, in the result or the first slice (30 dots, 11 convolutions, against 170 dots and 254 " +
				"convolutions of other sizes; v2 and v3 follow the padded size). Why is not known.",
			Except: []string{"v2", "v3"}, Decide: func(p rule.Place) int {
				if s := e.compared(p.Node); s.Dims[p.M] == 4 && s.Dims[p.N] == 3 && s.DType != hlo.BF16 {
					return -1
				}
				return 0
			}},
		rule.ShortM: {Name: "dot-short-m", Stage: rule.Constrain, Evidence: []string{"dot_slices"},
			Doc: "Where both orders pad alike and M is shorter than N, N is minor, whatever reads the result.",
			Decide: func(p rule.Place) int {
				dims := e.G.ShapeOf(p.Node).Dims
				return max(0, cmp.Compare(dims[p.N], dims[p.M]))
			}},
		rule.Quantized: {Name: "dot-quantized", Stage: rule.Constrain, Evidence: []string{"dot_quantized"},
			Doc: "Where both orders pad alike and both operands are integers or of 8 bits, N is minor, whatever reads the " +
				"result (30 dots of 10 types and 6 convolutions; one operand of bf16 is enough: 0 of 2).",
			Decide: e.quantized},
		rule.Votes: {Name: "dot-votes", Stage: rule.Constrain, Evidence: []string{"dot_row_slice_and_reduce",
			"dot_symmetric_slices", "dot_reshaped", "dot_batch_reshaped"},
			Doc: "Where the rows before decide nothing, every reader of other sizes (slices, pads, concatenates, updates), at " +
				"any distance through elementwise operations, transposes and reshapes that leave M and N as they are, votes for " +
				"the order in which it takes less itself. A reshape that splits or merges one of M and N votes for the other " +
				"one, if it leaves that as it is and it spans the lanes. Votes are counted, not weighed (459 dots, 63 " +
				"convolutions). What reads the result in both orders votes for each.",
			Decide: e.byVotes},
		rule.Reduces: {Name: "dot-reduces", Stage: rule.Constrain, Evidence: []string{"attention_tiny",
			"dot_symmetric_reduces", "dot_concatenated", "dot_batch_reshaped"},
			Doc: "Where the readers' votes are equal, M is minor if more reduces and concatenates, at any distance, are over " +
				"N than over M: their dimension goes to the rows. What is reached in both orders counts in each (38 of 38 " +
				"dots). What reads a concatenate over M or N is not asked (44 of 44 dots).",
			Decide: e.byReduces},
	}
}

// compared returns the shape whose sizes decide: the first slice's, else the result's.
func (e *Set) compared(n flat.NodeID) *hlo.Shape {
	if cut := e.firstSlice(n); cut != nil && e.On(rule.FirstSlice) {
		return cut
	}
	return e.G.ShapeOf(n)
}

// firstSlice returns the shape of the slice, or of what a reduce-scatter leaves, that a chain of single users leads to,
// through elementwise operations and all-reduces of the same sizes; nil where there is none.
func (e *Set) firstSlice(n flat.NodeID) *hlo.Shape {
	return flat.FromSingleUsers(e.G, &e.firstSlices, nil, func(_, u flat.NodeID, next *hlo.Shape) *hlo.Shape {
		switch nd := &e.G.Nodes[u]; {
		case nd.Tuple:
		case nd.Op == hlo.OpSlice, nd.Op == hlo.OpDynamicSlice, nd.Op == hlo.OpReduceScatter:
			return nd.In.Shape
		case nd.Elemwise() || nd.Op == hlo.OpAllReduce:
			return next
		}
		return nil
	})[n]
}

// byConstraint follows M and N to a LayoutConstraint.
func (e *Set) byConstraint(p rule.Place) int {
	if !e.G.Constrained {
		return 0
	}
	next := e.towardsConstraints()
	for u := next[p.Node]; u != -1; u = next[u] {
		in := e.G.Nodes[u].In
		if in.Opcode != hlo.OpCustomCall {
			p.M, p.N = renamedTo(in, p.M, false), renamedTo(in, p.N, false)
			continue
		}
		switch minor := in.Shape.Layout.MinorToMajor; {
		case minor[0] == p.N || minor[1] == p.M:
			return 1
		case minor[0] == p.M || minor[1] == p.N:
			return -1
		}
		return 0
	}
	return 0
}

// towardsConstraints returns for every node the next transpose or reshape after a chain of single users, or the
// LayoutConstraint, -1 where there is none.
func (e *Set) towardsConstraints() []flat.NodeID {
	return flat.FromSingleUsers(e.G, &e.toConstraints, -1, func(_, u, next flat.NodeID) flat.NodeID {
		switch nd := &e.G.Nodes[u]; {
		case nd.Tuple:
		case nd.Elemwise():
			return next
		case nd.Op == hlo.OpTranspose, nd.Op == hlo.OpReshape,
			e.G.IsConstraint(u) && nd.Rank > 1 && nd.In.Shape.Layout != nil:
			return u
		}
		return -1
	})
}

func (e *Set) quantized(p rule.Place) int {
	for _, o := range e.G.Nodes[p.Node].In.Operands {
		if d := o.Shape.DType; d.Bits() > 8 && d.Class() >= hlo.ClassFloat {
			return 0
		}
	}
	return 1
}

// byVotes asks the readers of one that takes the same in both orders, but not those of one that votes.
func (e *Set) byVotes(p rule.Place) int {
	sum := 0
	e.readers(p, votes, func(u flat.Use, x rule.Place) bool {
		nd := &e.G.Nodes[u.Node]
		vote := 0
		switch {
		case nd.Op == hlo.OpReshape:
			vote = e.reshaped(x, nd.In.Shape.Dims)
		case keepPlaces.Has(nd.Op) && !slices.Equal(e.G.ShapeOf(x.Node).Dims, nd.In.Shape.Dims):
			vote = e.SmallerPair(multiplied, nd.In.Shape.Dims, x.M, x.N)
		}
		sum += vote
		return vote != 0
	})
	return cmp.Compare(sum, 0)
}

// reshaped returns 1 where a reshape leaves N as it is, but not M, and N spans the lanes; -1 for the reverse.
func (e *Set) reshaped(x rule.Place, to []int64) int {
	from := e.G.ShapeOf(x.Node).Dims
	m, n := ordering.AfterReshape(from, to, x.M) != -1, ordering.AfterReshape(from, to, x.N) != -1
	switch least := e.Limit(rule.VotingLanes); {
	case n && !m && from[x.N] >= least:
		return 1
	case m && !n && from[x.M] >= least:
		return -1
	}
	return 0
}

func (e *Set) byReduces(p rule.Place) int {
	over := 0 // those over M less those over N
	e.readers(p, reduces, func(u flat.Use, x rule.Place) bool {
		nd := &e.G.Nodes[u.Node]
		switch nd.Op {
		case hlo.OpReduce, hlo.OpConcatenate:
			m, n := slices.Contains(e.G.DimsOf(u.Node), x.M), slices.Contains(e.G.DimsOf(u.Node), x.N)
			switch {
			case m && !n:
				over++
			case n && !m:
				over--
			}
			return m || n
		}
		return false
	})
	return max(min(over, 0), -1)
}

// The kinds of readers.
const (
	votes uint8 = 1 << iota
	reduces
)

// reachedFrom returns which kinds of readers can be reached from a value, whatever becomes of its dimensions.
func (e *Set) reachedFrom(n flat.NodeID, reached []uint8) (kinds uint8) {
	for _, u := range e.G.Users(n) {
		switch nd := &e.G.Nodes[u.Node]; {
		case nd.Op == hlo.OpReduce:
			kinds |= reduces
		case nd.Op == hlo.OpConcatenate:
			kinds |= votes | reduces | reached[u.Node]
		case nd.Op == hlo.OpTranspose || nd.Elemwise():
			kinds |= reached[u.Node]
		case nd.Op == hlo.OpReshape || keepPlaces.Has(nd.Op):
			kinds |= votes | reached[u.Node]
		}
	}
	return kinds
}

// keepPlaces are operations of other sizes that keep the numbers of their dimensions.
var keepPlaces = hlo.Ops(hlo.OpSlice, hlo.OpDynamicSlice, hlo.OpPad, hlo.OpConcatenate, hlo.OpDynamicUpdateSlice)

// readers walks from a value to everything that reads it through operations that keep both dimensions apart:
// elementwise ones, transposes, slices, pads, concatenates, updates, and reshapes that leave both as they are, such as
// those that merge batch dimensions. It goes on from a reader for which stop is false. Values that no reader of the
// kind can be reached from are left out: a sum of many dots would be walked through for each of them.
func (e *Set) readers(p rule.Place, kind uint8, stop func(u flat.Use, x rule.Place) bool) {
	reached := flat.UsersFirst(e.G, &e.reached, e.reachedFrom)
	if reached[p.Node]&kind == 0 {
		return
	}
	list, seen := []rule.Place{p}, map[rule.Place]bool{p: true}
	for i := 0; i < len(list); i++ {
		x := list[i]
		for _, u := range e.G.Users(x.Node) {
			if stop(u, x) || reached[u.Node]&kind == 0 {
				continue
			}
			if next, ok := e.carried(x, u.Node); ok && !seen[next] {
				list, seen[next] = append(list, next), true
			}
		}
	}
}

// carried returns where the dimensions of a place are in a reader of it; ok is false where they cannot be followed.
func (e *Set) carried(x rule.Place, user flat.NodeID) (next rule.Place, ok bool) {
	nd := &e.G.Nodes[user]
	next = rule.Place{Node: user, M: x.M, N: x.N}
	switch {
	case !nd.Tuple && (nd.Elemwise() || keepPlaces.Has(nd.Op)):
		return next, true
	case nd.Op == hlo.OpTranspose, nd.Op == hlo.OpReshape:
		next.M, next.N = renamedTo(nd.In, x.M, false), renamedTo(nd.In, x.N, false)
		return next, next.M != -1 && next.N != -1
	}
	return x, false
}
