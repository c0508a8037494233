package rules

import (
	"slices"

	"hlolayout/hlo"
	"hlolayout/passes/internal/flat"
	"hlolayout/passes/layout/internal/ordering"
	"hlolayout/passes/layout/internal/rule"
)

// usersMadeRules know which users of a value earlier passes made: they are at the end of the compiler's list.
func usersMadeRules(e *Set) rule.Rows {
	return rule.Rows{
		rule.UsersTranspose: {Name: "users-transpose", Stage: rule.Propagate,
			Evidence: []string{"users_symmetric", "users_dot", "users_cholesky"},
			Doc: "Where a sum or a product reads a value and a transpose of it, the transpose is the last user and the " +
				"sum the first, if the compiler made the transpose, as where an eigendecomposition makes its matrix symmetric " +
				"or a dot of a matrix with itself became a product, or a call that was inlined has it, as one of " +
				"jnp.linalg.cholesky (of 1,682 modules 7 differ for it, and come out). What a loop calls was made anew, and " +
				"has the order of the text.",
			ListUsers: e.transposeLast},
		rule.UsersBroadcast: {Name: "users-broadcast", Stage: rule.Propagate, Evidence: []string{"users_broadcast"},
			Doc: "Where an operation on a broadcast scalar is followed by a transpose with its metadata, the transpose was " +
				"before it: the operation and its broadcast were made anew, and equal broadcasts then merged. A user that was " +
				"made anew comes after the others, and has left its place to the last of them (29 of 33 lists of 22 programs).",
			ListUsers: e.turnedAnew},
		rule.UsersCall: {Name: "users-call", Stage: rule.Propagate, Evidence: []string{"users_inlined"},
			Doc: "Equal constants of one shape become one, first in the program and in each function, then, once calls are " +
				"inlined, those of all: the users of a call, which op_name and stack frame show, follow each other, in the " +
				"order in which the text comes to the calls (of 1,682 modules one differs for it, and comes out). Computations " +
				"that a pass made anew have the order of the text, as have those of a predicted module, of which nothing says " +
				"whether one did.",
			ListUsers: e.callByCall},
	}
}

// transposeLast looks for a transpose whose only user reads the value, too.
func (e *Set) transposeLast(n flat.NodeID, users []flat.NodeID) []flat.NodeID {
	for _, t := range users {
		if e.G.Nodes[t].Op != hlo.OpTranspose {
			continue
		}
		sum := e.G.SingleUser(t)
		if sum == -1 || !sumOrProduct.Has(e.G.Nodes[sum].Op) || !slices.Contains(users, sum) ||
			e.G.InLoop(e.G.Nodes[n].Comp) || !e.isMade(t) && e.callOf(t) == e.callOf(n) {
			continue
		}
		others := slices.DeleteFunc(slices.Clone(users), func(u flat.NodeID) bool { return u == t || u == sum })
		return slices.Concat([]flat.NodeID{sum}, others, []flat.NodeID{t})
	}
	return nil
}

var sumOrProduct = hlo.Ops(hlo.OpAdd, hlo.OpMultiply)

// turnedAnew looks for users of a scalar's broadcast that were made anew with it, because a transpose was moved after
// them: it has their metadata.
func (e *Set) turnedAnew(n flat.NodeID, users []flat.NodeID) []flat.NodeID {
	g := e.G
	if g.Nodes[n].Op != hlo.OpBroadcast || g.ShapeOf(g.Operand(n, 0)).Rank() > 0 {
		return nil
	}
	first := -1 // of the others: what is before it stays
	var later []flat.NodeID
	left, moved := slices.Clone(users), map[flat.NodeID]int{}
	for i, u := range users {
		t := g.SingleUser(u)
		if t == -1 || !g.Nodes[u].Elemwise() || g.Nodes[t].Op != hlo.OpTranspose ||
			g.Nodes[t].In.Attr("metadata") != g.Nodes[u].In.Attr("metadata") {
			if first == -1 {
				first = i
			}
			continue
		}
		if first >= 0 {
			later = append(later, u)
		}
		at, ok := moved[u]
		if !ok {
			at = i
		}
		last := len(left) - 1
		left[at], moved[left[last]] = left[last], at
		left = left[:last]
	}
	if first < 0 || len(left) == len(users) {
		return nil
	}
	return slices.Concat(users[:first], left, later)
}

// callByCall puts the users of a constant's broadcast into groups by call.
func (e *Set) callByCall(n flat.NodeID, users []flat.NodeID) []flat.NodeID {
	nd := &e.G.Nodes[n]
	if nd.Op != hlo.OpBroadcast || e.G.Nodes[e.G.Operand(n, 0)].Op != hlo.OpConstant ||
		e.G.Module.Simplified || isMadeAnew(e.G.Comps[nd.Comp].Computation) {
		return nil
	}
	calls, turn := map[call]int{}, map[flat.NodeID]int{} // by number of the call
	for _, u := range users {
		turn[u] = ordering.Memo(calls, e.callOf(u), func() int { return len(calls) })
	}
	if len(calls) == 1 {
		return nil
	}
	list := slices.Clone(users)
	slices.SortStableFunc(list, func(a, b flat.NodeID) int { return turn[a] - turn[b] })
	return list
}
