package rules

import (
	"slices"
	"strings"

	"hlolayout/hlo"
	"hlolayout/passes/internal/flat"
	"hlolayout/passes/layout/internal/constraint"
	"hlolayout/passes/layout/internal/ordering"
	"hlolayout/passes/layout/internal/rule"
)

// usersRules know what earlier passes did to the users of a value. The compiler's list of them is in the order in which
// they were made; where one is removed, the last one takes its place. The users are followed in this order, and the
// last one first.
func usersRules(e *Set) rule.Rows {
	return rule.Rows{
		rule.UsersReshape: {Name: "users-reshape", Stage: rule.Propagate, Evidence: []string{"users_reshape", "users_summed",
			"users_rotated", "users_reshaped", "users_normed", "users_filter", "users_turned"},
			Doc: "The users of a value are followed in the order of the compiler's list, and the last one is followed first. " +
				"Where all users of a value that is not elementwise lead to reshapes that drop ones, or to one transpose that " +
				"has the metadata of what it reads, an earlier pass moved it after them: its place has the last user (79 of 82 " +
				"values of 31 programs; transposes: of 6,217 modules 9 differ for it, and come out). So it is for a convolution " +
				"in another type and for a sum of convolutions, as the gradient of a kernel. Several users were moved in the " +
				"order of the numbers that their reshapes have, as in nadam (23 of 23 values of 5 programs). Sums of all " +
				"elements, as of a gradient's norm, do not count: they read through reshapes (34 of 34 values of 5 programs). " +
				"Where the reshape is gone, a user also reads a reshape that the compiler made in its place (49 of 49 values, " +
				"as of rotary embeddings).",
			ListUsers: e.movedAlike},
		rule.UsersUnits: {Name: "users-units", Stage: rule.Propagate, Evidence: []string{"users_units"},
			Doc: "A reshape that adds dimensions of one element to a value and has its metadata was its only user, until what " +
				"is elementwise lost these dimensions: it is the first, as in rotary embeddings of one query (of 8,314 modules " +
				"11 differ for it, 5 of which come out, and 6 of 6 probes). What was inlined late has the order of the text, as " +
				"has what a pass made anew.",
			ListUsers: e.unitsFirst},
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
		rule.UsersPart: {Name: "users-part", Stage: rule.Propagate, Evidence: []string{"users_part", "users_split"},
			Doc: "The first user of a part of a complex number, or of one of 64 bits, was a tuple of both parts, until these " +
				"came apart: the last user has its place (9 programs come out for it, of some 60 with such numbers none is worse).",
			ListUsers: e.partOfNumber},
		rule.UsersCall: {Name: "users-call", Stage: rule.Propagate, Evidence: []string{"users_inlined"},
			Doc: "Equal constants of one shape become one, first in the program and in each function, then, once calls are " +
				"inlined, those of all: the users of a call, which op_name and stack frame show, follow each other, in the " +
				"order in which the text comes to the calls (of 1,682 modules one differs for it, and comes out). Computations " +
				"that a pass made anew have the order of the text, as have those of a predicted module, of which nothing says " +
				"whether one did.",
			ListUsers: e.callByCall},
		rule.UsersInlined: {Name: "users-inlined", Stage: rule.Propagate, Evidence: []string{"users_unrolled"},
			Doc: "A function that several steps of an unrolled scan call is inlined late: its instructions go to the end " +
				"of a value's list of users, and the call is removed, whose place the last of them takes. Where all users come " +
				"of one such call, the last is first; those of the same call as the value precede the others (28 lists more " +
				"are right, and one fewer, of 60 programs; 16 of 16 gradients of attention in an unrolled scan come out, 4 " +
				"without it). That the call was inlined late is a guess: closed_call in op_name.",
			ListUsers: e.inlinedLate},
	}
}

// movedAlike asks that all users lead, through elementwise single users, to reshapes to one shape that only drop
// dimensions of size 1, or to an operand that a reshape gave them, or to transposes to one order that the compiler
// made.
func (e *Set) movedAlike(n flat.NodeID, users []flat.NodeID) []flat.NodeID {
	nd := &e.G.Nodes[n]
	s := nd.In.Shape
	if nd.Elemwise() && !e.isOfKernel(n) || nd.Op == hlo.OpReshape || nd.Op == hlo.OpBroadcast ||
		nd.Op == hlo.OpConstant {
		return nil
	}
	leadTo := flat.UsersFirst(e.G, &e.leadTo, e.leadsTo)
	first := e.movedBy(users[0], s, leadTo)
	for _, u := range users {
		x := e.movedBy(u, s, leadTo)
		if x.to == nil || x.order == nil && x.to.Rank() >= s.Rank() || !slices.Equal(x.to.Dims, first.to.Dims) ||
			!slices.Equal(x.order, first.order) {
			return nil
		}
	}
	users = e.inTurn(users, func(u flat.NodeID) flat.NodeID { return e.movedBy(u, s, leadTo).by })
	return lastFirst(users)
}

// unitsFirst looks for a reshape that only adds dimensions of one element to a value whose metadata it has.
func (e *Set) unitsFirst(n flat.NodeID, users []flat.NodeID) []flat.NodeID {
	own := e.G.Nodes[n].In
	if e.callOf(n) != (constraint.Call{}) || e.hasTextOrder(n) {
		return nil
	}
	i := slices.IndexFunc(users, func(u flat.NodeID) bool {
		in := e.G.Nodes[u].In
		return in.Opcode == hlo.OpReshape && in.Attr("metadata") != nil && in.Attr("metadata") == own.Attr("metadata") &&
			in.Shape.Rank() > own.Shape.Rank() && ordering.SameSizes(in.Shape.Dims, own.Shape.Dims)
	})
	if i <= 0 {
		return nil
	}
	return slices.Concat(users[i:i+1], users[:i], users[i+1:])
}

// lastFirst returns users with the last one first, in the place of one that was removed.
func lastFirst(users []flat.NodeID) []flat.NodeID {
	last := len(users) - 1
	return slices.Concat(users[last:], users[:last])
}

// inTurn puts users in the order in which a reshape was moved after each of them, as the numbers of its copies show.
func (e *Set) inTurn(users []flat.NodeID, reshape func(flat.NodeID) flat.NodeID) []flat.NodeID {
	if slices.ContainsFunc(users, func(u flat.NodeID) bool { return reshape(u) == -1 || !e.isMade(reshape(u)) }) {
		return users
	}
	number := func(u flat.NodeID) int {
		_, k := constraint.Numbered(e.G.Nodes[reshape(u)].In.Name)
		return k
	}
	users = slices.Clone(users)
	slices.SortStableFunc(users, func(a, b flat.NodeID) int { return number(a) - number(b) })
	return users
}

// isOfKernel reports whether a value is a convolution, in any type, or begins a sum with one.
func (e *Set) isOfKernel(n flat.NodeID) bool {
	return flat.OperandsFirst(e.G, &e.ofKernel, func(n flat.NodeID, ofKernel []bool) bool {
		switch nd := &e.G.Nodes[n]; nd.Op {
		case hlo.OpConvolution:
			return true
		case hlo.OpAdd, hlo.OpConvert:
			return ofKernel[e.G.Operand(n, 0)]
		}
		return false
	})[n]
}

// movedBy returns what a chain of elementwise single users leads to, n being the first of them, or what the compiler
// reshaped for one of them. A transpose that the compiler made has the metadata of what it reads.
func (e *Set) movedBy(n flat.NodeID, s *hlo.Shape, leadTo []moved) moved {
	switch nd := &e.G.Nodes[n]; {
	case nd.Op == hlo.OpReshape && ordering.SameSizes(nd.In.Shape.Dims, s.Dims):
		return moved{nd.In.Shape, nil, n}
	case nd.Op == hlo.OpTranspose && nd.In.Attr("metadata") != nil &&
		nd.In.Attr("metadata") == e.G.Nodes[e.G.Operand(n, 0)].In.Attr("metadata"):
		return moved{nd.In.Shape, nd.In.Ints("dimensions"), n}
	}
	return leadTo[n]
}

// leadsTo returns what the chain leads to that begins with a node, nil where that is not elementwise.
func (e *Set) leadsTo(n flat.NodeID, leadTo []moved) (none moved) {
	nd := &e.G.Nodes[n]
	if !nd.Elemwise() {
		return none
	}
	if u := e.reader(n); u != -1 {
		if x := e.movedBy(u, nd.In.Shape, leadTo); x.to != nil {
			return x
		}
	}
	for _, o := range e.G.OperandsOf(n) {
		if e.G.Nodes[o].Op == hlo.OpReshape && e.isMade(o) {
			if x := e.G.ShapeOf(e.G.Operand(o, 0)); ordering.SameSizes(x.Dims, nd.In.Shape.Dims) {
				return moved{x, nil, -1}
			}
		}
	}
	return none
}

// reader returns the only user of a value but for sums of all its elements, which read through reshapes; -1 where
// there are others or none.
func (e *Set) reader(n flat.NodeID) (only flat.NodeID) {
	only = -1
	for _, u := range e.G.Users(n) {
		switch in := e.G.Nodes[u.Node].In; {
		case in.Opcode == hlo.OpReduce && in.Shape.IsScalar(), u.Node == only:
		case only != -1:
			return -1
		default:
			only = u.Node
		}
	}
	return only
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

// partOfNumber puts the last user of a part of a number first.
func (e *Set) partOfNumber(n flat.NodeID, users []flat.NodeID) []flat.NodeID {
	if e.G.Nodes[n].Op == hlo.OpDot || !isSplit(e.G.Nodes[n].In) &&
		!flat.OperandsFirst(e.G, &e.complexParts, e.isComplexPart)[n] {
		return nil
	}
	return lastFirst(users)
}

// isSplit reports whether an instruction takes a part of a number.
func isSplit(in *hlo.Instruction) bool {
	v := in.Attr("custom_call_target")
	return in.Opcode == hlo.OpCustomCall && v != nil && strings.HasPrefix(v.Text, `"X64Split`)
}

// isComplexPart reports whether a value is a part of a complex number, or computed of such parts alone.
func (e *Set) isComplexPart(n flat.NodeID, is []bool) bool {
	in := e.G.Nodes[n].In
	if isSplit(in) {
		return in.Operands[0].Shape.DType == hlo.C64
	}
	return complexOps.Has(in.Opcode) &&
		!slices.ContainsFunc(e.G.OperandsOf(n), func(o flat.NodeID) bool { return !is[o] })
}

// complexOps are the operations on complex numbers whose parts are computed of parts by sums and products.
var complexOps = hlo.Ops(hlo.OpAdd, hlo.OpSubtract, hlo.OpMultiply, hlo.OpNegate, hlo.OpDot, hlo.OpTranspose,
	hlo.OpReshape)

// callByCall puts the users of a constant's broadcast into groups by call.
func (e *Set) callByCall(n flat.NodeID, users []flat.NodeID) []flat.NodeID {
	nd := &e.G.Nodes[n]
	if nd.Op != hlo.OpBroadcast || e.G.Nodes[e.G.Operand(n, 0)].Op != hlo.OpConstant || e.hasTextOrder(n) {
		return nil
	}
	calls, turn := map[constraint.Call]int{}, map[flat.NodeID]int{} // by number of the call
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

// inlinedLate puts the users that come of the same call as a value first. A value that only one other call used has
// the last user first: it took the place of the call.
func (e *Set) inlinedLate(n flat.NodeID, users []flat.NodeID) []flat.NodeID {
	nd := &e.G.Nodes[n]
	if nd.Op == hlo.OpBroadcast || nd.Op == hlo.OpConstant || e.hasTextOrder(n) {
		return nil
	}
	if e.closedCalls == nil {
		e.closedCalls = closedCallsOf(e.G)
	}
	calls := e.closedCalls
	own, other := calls.of[n], calls.of[users[0]]
	if own == "" && calls.alone[other] {
		if slices.ContainsFunc(users, func(u flat.NodeID) bool { return calls.of[u] != other }) {
			return nil
		}
		return lastFirst(users)
	}
	isOutside := func(u flat.NodeID) bool { return calls.of[u] != own && e.G.Nodes[u].In.Attr("metadata") != nil }
	if own == "" || !slices.ContainsFunc(users, isOutside) {
		return nil
	}
	inside := slices.DeleteFunc(slices.Clone(users), isOutside)
	outside := slices.DeleteFunc(slices.Clone(users), func(u flat.NodeID) bool { return !isOutside(u) })
	return slices.Concat(inside, outside)
}

// closedCallsOf finds the calls that the instructions of a module were inlined from.
func closedCallsOf(g *flat.Graph) *closedCalls {
	calls := &closedCalls{make([]string, len(g.Nodes)), map[string]bool{}}
	times := map[constraint.Call]int{}
	for n := range len(g.Nodes) - 1 {
		c := constraint.SourceOf(g.Nodes[n].In)
		if i := strings.LastIndex(c.Path, closedCall); i >= 0 {
			calls.of[n] = c.Path[:i+len(closedCall)]
			times[c]++
		}
	}
	for n, of := range calls.of {
		calls.alone[of] = calls.alone[of] || of != "" && times[constraint.SourceOf(g.Nodes[n].In)] == 1
	}
	return calls
}

const closedCall = "/closed_call"

// isMade reports whether the compiler made an instruction: its name is its opcode's, and not the one that the program
// gives it, which is the last part of op_name.
func (e *Set) isMade(n flat.NodeID) bool {
	in := e.G.Nodes[n].In
	_, unnamed := constraint.Unnamed(in)
	return unnamed && !strings.HasSuffix(in.MetadataOpName(), "/"+in.Opcode.String())
}

// hasTextOrder reports whether calls leave the users of a value in the order of the text: where a pass made the
// computation anew, as its name shows (a widened loop, what it took in, a partition), and in a predicted module, of
// which nothing says whether one did.
func (e *Set) hasTextOrder(n flat.NodeID) bool {
	name := e.G.Comps[e.G.Nodes[n].Comp].Computation.Name
	return e.G.Module.Simplified || constraint.HasPart(name, "wide.", "sunk", "_spmd")
}

// callOf returns the innermost call that an instruction was inlined from, the zero value for one of the program itself.
func (e *Set) callOf(n flat.NodeID) constraint.Call {
	c := constraint.SourceOf(e.G.Nodes[n].In)
	if c.Path = innermostCall(c.Path); c.Path == "" {
		return constraint.Call{}
	}
	return c
}

// innermostCall returns the beginning of an op_name that ends in the last call of the innermost loop or branch, ""
// where there is none.
func innermostCall(name string) (path string) {
	for begins, part := range constraint.Parts(name) {
		if part == "body" || part == "cond" || strings.HasPrefix(part, "branch_") {
			path = ""
		} else if constraint.HasPart(part, callParts...) {
			path = begins
		}
	}
	return path
}

// callParts are what the parts of an op_name contain that stand for inlined calls.
var callParts = []string{"jit(", "checkpoint", "custom_jvp_call", "custom_vjp_call", "closed_call"}
