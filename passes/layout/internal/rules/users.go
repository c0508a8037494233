package rules

import (
	"slices"
	"strconv"
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
			"users_rotated", "users_reshaped"},
			Doc: "The users of a value are followed in the order of the compiler's list, and the last one is followed first. " +
				"Where all users of a value that is not elementwise lead to reshapes that drop ones, an earlier pass moved the " +
				"reshape after them: its place has the last user (79 of 82 values of 31 programs). So it is for a sum of " +
				"convolutions that the compiler made, the gradient of a kernel that is used several times (38 of 38 values). " +
				"Several users were moved in the order of the numbers that their reshapes have, as of the gradient of a kernel " +
				"in nadam (23 of 23 values of 5 programs). " +
				"Where the reshape is gone, a user also reads a reshape that the compiler made in its place (49 of 49 values, as " +
				"of rotary embeddings).",
			ListUsers: e.reshapedAlike},
		rule.UsersSquared: {Name: "users-squared", Stage: rule.Propagate, Evidence: []string{"users_squared"},
			Doc: "Two users multiply a reduce, one of them with itself, as optimizers do with gradients, later. This one is " +
				"first where a reshape was between: where the reduce and both users lead to a reshape (278 of 278; of 472 others " +
				"32), and where a reduce of dimensions of size 1 followed the program's, whose number no reduce has (385 of " +
				"416). Of a reduce that the compiler made, the next region of the program is gone then (51 of 52; of 20 others " +
				"none).",
			ListUsers: e.squared},
		rule.UsersTransposed: {Name: "users-transposed", Stage: rule.Propagate,
			Evidence: []string{"users_transposed", "users_transposed_first", "users_turned_back", "users_dot_turned",
				"users_multiplied", "users_turned_twice", "users_dot_squared"},
			Doc: "A transpose of elementwise operations on dots, reduces and broadcasts was moved to those and back: the user " +
				"that leads to it was made last, and its former place has the last user (37 of 37 values), of what was made " +
				"itself only if that user is the program's (16 of 16 values, 38 of 38 others). So it is for a dot, " +
				"or what is symmetrized, whose transpose has its metadata (32 of 36), and for a dot that the compiler made in " +
				"place of the program's, as for Jacobians (52 of 54). A transpose that the program has comes before a multiply " +
				"that was a dot (35 of 35). Of two multiplies of the program's dot that lead to transposes the second comes " +
				"first (30 of 30).",
			ListUsers: e.transposed},
		rule.UsersBroadcast: {Name: "users-broadcast", Stage: rule.Propagate,
			Evidence: []string{"users_broadcast", "users_copied"},
			Doc: "Where an operation on a broadcast scalar is followed by a transpose with its metadata, the transpose was " +
				"before it: the operation and its broadcast were made anew, and equal broadcasts then merged. A user that was " +
				"made anew comes after the others, and has left its place to the last of them (29 of 33 lists of 22 programs, 16 " +
				"of 16 of a family). So it is for one that the compiler computes a second time, transposed (9 layer norms of " +
				"square arrays).",
			ListUsers: e.broadcastAnew},
		rule.UsersSymmetric: {Name: "users-symmetric", Stage: rule.Propagate,
			Evidence: []string{"users_symmetric", "users_selected"},
			Doc: "Where a factorization makes a matrix symmetric, a call as well, the transpose was made last: a sum with the " +
				"transpose, halved, and read by a custom call or for its absolute value, comes before it (25 of 25 matrices of " +
				"20 programs). So it is where an eigendecomposition selects between the matrix and a transpose that was made " +
				"after it (4 of 4; of 4 made together none). The body of a loop is made anew, and has the order of the text " +
				"(10 of 10).",
			ListUsers: func(n flat.NodeID, users []flat.NodeID) []flat.NodeID {
				if e.G.InLoop(e.G.Nodes[n].Comp) {
					return nil
				}
				if list := e.withTranspose(users, hlo.OpAdd, e.isFactored); list != nil || e.isRecent(n) {
					return list
				}
				return e.withTranspose(users, hlo.OpSelect, func(sel flat.NodeID) bool {
					return e.isMade(sel) && slices.ContainsFunc(e.G.OperandsOf(sel), func(t flat.NodeID) bool {
						return e.G.Nodes[t].Op == hlo.OpTranspose && e.isRecent(t)
					})
				})
			}},
		rule.UsersDot: {Name: "users-dot", Stage: rule.Propagate, Evidence: []string{"users_dot"},
			Doc: "Where a dot of a matrix with itself became a product with the transpose and a sum, which the name of " +
				"the sum's computation shows, the transpose was made last (20 of 20 such products; of 5 that a program " +
				"writes itself, none).", ListUsers: func(_ flat.NodeID, users []flat.NodeID) []flat.NodeID {
				return e.withTranspose(users, hlo.OpMultiply, e.isDot)
			}},
		rule.UsersFourier: {Name: "users-fourier", Stage: rule.Propagate,
			Evidence: []string{"users_fourier", "users_complex"},
			Doc: "A product of complex numbers, as in a Fourier transform, becomes three dots, one of which a difference " +
				"reads and then a sum: they are its users in this order (129 of 130). What is computed a second time, " +
				"transposed, reads a transpose: the one that came out of a dot's operands is the first user, the one that was " +
				"moved to the dot the last (74 of 80). The users of what was inlined are in the order of the text. Of the " +
				"program's dot the sum comes first, if both were made after their computation was copied (72 of 73; of 74 others " +
				"5), and products read its parts in the reverse of the text (175 of 189).",
			ListUsers: e.fourier},
		rule.UsersGathered: {Name: "users-gathered", Stage: rule.Propagate,
			Evidence: []string{"users_gathered", "users_placed"},
			Doc: "Where a gather is fused, what put its result in place is gone: the last user has its place, if it is not " +
				"what puts it in place still (218 of 272 lists of 30 programs). A transpose that does takes the first place " +
				"for a scatter, too (8 of 8), as has the last user of what transposes and reshapes put in place, if calls have " +
				"none of them (11 of 12). Where a select is in the place of a scatter that places one element in each " +
				"row, as for the gradient of a cross entropy, the last user of the first line that reads it is first (18 of 18 " +
				"lists).", ListUsers: e.gathered},
		rule.UsersIndices: {Name: "users-indices", Stage: rule.Propagate, Evidence: []string{"users_indices", "users_bounds"},
			Doc: "The columns of the indices of a gather, or of a dynamic slice, are compared with the sizes one by one: of " +
				"the slices that the compiler makes for that, with the metadata of the indices, the last is the first user (127 " +
				"of 135 lists of 66 programs). Of the two comparisons and the product that it makes of the indices of a " +
				"scatter, the first comes last (57 of 58 lists of 17 programs), and of a conversion of them the product first. " +
				"A program's own comparisons of indices come after the gather, or what reshapes the indices for it: it has the " +
				"place of a reshape that is gone (with conversions 162 lists more are right, 8 less).", ListUsers: e.indices},
		rule.UsersScattered: {Name: "users-scattered", Stage: rule.Propagate, Evidence: []string{"users_scattered"},
			Doc: "Where several scatters of one value became dynamic-update-slices, it had one transpose for all, which " +
				"reshapes read: the first has no metadata, the others have some without op_name. The transpose is gone: the " +
				"reshapes come after the other users, the last one second, but for the one that has the place of the transpose " +
				"then (90 of 90 lists, of two to five reshapes).", ListUsers: e.scattered},
	}
}

// reshapedAlike asks that all users lead, through elementwise single users, to reshapes to one shape that only drop
// dimensions of size 1, or to an operand that a reshape gave them.
func (e *Set) reshapedAlike(n flat.NodeID, users []flat.NodeID) []flat.NodeID {
	nd := &e.G.Nodes[n]
	s := nd.In.Shape
	if nd.Elemwise() && !e.isOfKernel(n) || nd.Op == hlo.OpReshape || nd.Op == hlo.OpBroadcast ||
		nd.Op == hlo.OpConstant {
		return nil
	}
	leadTo := flat.UsersFirst(e.G, &e.leadTo, e.leadsTo)
	var to []int64
	for _, u := range users {
		x := e.reshapedTo(u, s, leadTo).to
		if x == nil || e.isOld(u) || x.Rank() >= s.Rank() || to != nil && !slices.Equal(x.Dims, to) {
			return nil
		}
		to = x.Dims
	}
	return lastFirst(e.inTurn(users, func(u flat.NodeID) flat.NodeID { return e.reshapedTo(u, s, leadTo).by }))
}

// inTurn puts users in the order in which a reshape was moved after each of them, as the numbers of its copies show.
func (e *Set) inTurn(users []flat.NodeID, reshape func(flat.NodeID) flat.NodeID) []flat.NodeID {
	if slices.ContainsFunc(users, func(u flat.NodeID) bool { return reshape(u) == -1 || !e.isMade(reshape(u)) }) {
		return users
	}
	users = slices.Clone(users)
	slices.SortStableFunc(users, func(a, b flat.NodeID) int {
		return e.sources.of[reshape(a)].number - e.sources.of[reshape(b)].number
	})
	return users
}

// isOfKernel reports whether a value is a convolution that the compiler made, in any type, or begins a sum with one.
func (e *Set) isOfKernel(n flat.NodeID) bool {
	return flat.OperandsFirst(e.G, &e.ofKernel, func(n flat.NodeID, ofKernel []bool) bool {
		switch nd := &e.G.Nodes[n]; nd.Op {
		case hlo.OpConvolution:
			return strings.HasPrefix(nd.In.Name, "convolution")
		case hlo.OpAdd, hlo.OpConvert:
			return ofKernel[e.G.Operand(n, 0)]
		}
		return false
	})[n]
}

// reshapedTo returns the shape of the reshape that a chain of elementwise single users leads to, n being the first of
// them, or of what the compiler reshaped for one of them.
func (e *Set) reshapedTo(n flat.NodeID, s *hlo.Shape, leadTo []reshapedBy) reshapedBy {
	if nd := &e.G.Nodes[n]; nd.Op == hlo.OpReshape && ordering.SameSizes(nd.In.Shape.Dims, s.Dims) {
		return reshapedBy{nd.In.Shape, n}
	}
	return leadTo[n]
}

// leadsTo returns what the chain leads to that begins with a node, nil where that is not elementwise.
func (e *Set) leadsTo(n flat.NodeID, leadTo []reshapedBy) (none reshapedBy) {
	nd := &e.G.Nodes[n]
	if !nd.Elemwise() {
		return none
	}
	for _, o := range e.G.OperandsOf(n) {
		if e.G.Nodes[o].Op == hlo.OpReshape && e.isMade(o) {
			if x := e.G.ShapeOf(e.G.Operand(o, 0)); ordering.SameSizes(x.Dims, nd.In.Shape.Dims) {
				return reshapedBy{x, -1}
			}
		}
	}
	if u := e.G.SingleUser(n); u != -1 {
		return e.reshapedTo(u, nd.In.Shape, leadTo)
	}
	return none
}

// squared asks that two users multiply a reduce, one of them with itself, and that a reshape of it is gone.
// Broadcasting a bias adds dimensions of size 1 first: its gradient is a reduce, a reshape and a reduce again, and the
// last two become nothing.
func (e *Set) squared(n flat.NodeID, users []flat.NodeID) []flat.NodeID {
	g := e.G
	square := func(u flat.NodeID) bool { return g.Operand(u, 0) == g.Operand(u, 1) }
	multiplies := func(u flat.NodeID) bool { return g.Nodes[u].Op == hlo.OpMultiply }
	in := g.Nodes[n].In
	if in.Opcode != hlo.OpReduce || len(users) != 2 || !multiplies(users[0]) ||
		!multiplies(users[1]) || !slices.ContainsFunc(users, square) {
		return nil
	}
	first := users
	if !square(users[0]) {
		first = lastFirst(users)
	}
	if e.isMade(n) {
		if e.isReshaped(users[0]) || e.isFollowed(in) {
			return first
		}
		return nil
	}
	if kind, number := constraint.Numbered(in.Name); !e.reduceNames()[kind+"."+strconv.Itoa(number+1)] {
		return first
	}
	return nil
}

// isReshaped reports whether a reshape reads a node, or its only user, an elementwise operation.
func (e *Set) isReshaped(n flat.NodeID) bool {
	u := e.G.SingleUser(n)
	if u != -1 && e.G.Nodes[u].Elemwise() {
		u = e.G.SingleUser(u)
	}
	return u != -1 && e.G.Nodes[u].Op == hlo.OpReshape
}

// isFollowed reports whether the computation of a reduce is a region of the program, and the next region is gone: a
// reduce of dimensions of size 1 followed.
func (e *Set) isFollowed(reduce *hlo.Instruction) bool {
	region := func(name string) (number int, ok bool) {
		digits, ok := strings.CutPrefix(name, "region_")
		digits, _, _ = strings.Cut(digits, ".")
		number, err := strconv.Atoi(digits)
		return number, ok && err == nil
	}
	if e.regions == nil {
		e.regions = map[int]bool{}
		for _, c := range e.G.Module.Computations {
			if k, ok := region(c.Name[max(0, strings.Index(c.Name, "region_")):]); ok {
				e.regions[k] = true
			}
		}
	}
	k, ok := region(reduce.CalledBy("to_apply").Name)
	return ok && !e.regions[k+1]
}

// reduceNames returns the names of all reduces.
func (e *Set) reduceNames() map[string]bool {
	if e.reduces == nil {
		e.reduces = map[string]bool{}
		for n := range e.G.Nodes[:len(e.G.Nodes)-1] {
			if e.G.Nodes[n].Op == hlo.OpReduce {
				e.reduces[e.G.Nodes[n].In.Name] = true
			}
		}
	}
	return e.reduces
}

// transposed looks for the user that leads, through elementwise single users, to a transpose that was moved to the dots
// before the value and back. On the way back the compiler makes the value and this user anew, and then merges the two
// values. Where it comes to the new one first, the other users follow.
func (e *Set) transposed(n flat.NodeID, users []flat.NodeID) []flat.NodeID {
	turns := e.turned()
	if turns[n] == notFromDots {
		if e.isScaled(n, users) || e.turnedTwice(n, users) {
			return lastFirst(users)
		}
		return e.turnedBack(n, users)
	}
	for i, u := range users {
		turn := turns[u]
		if e.G.Nodes[u].Op == hlo.OpTranspose {
			turn = u
		}
		if turn < 0 {
			continue
		}
		order := swapped(users, i, len(users)-1)
		switch {
		case i > 0 || e.readsBefore(n, turn):
			return order
		case !e.isMade(n):
			return lastFirst(order)
		case e.isMade(users[len(users)-1]):
			return nil
		}
		return order
	}
	return nil
}

// turnedBack looks for a transpose that was moved to the operands of a dot or an elementwise operation and back, so
// that it has the value's metadata, and is the first user in the text: it was made last. Where an instruction reads the
// transpose before the value, the compiler comes to it first. A dot that the compiler made in place of the
// program's gives its result transposed: what reads it as the program has it follows.
func (e *Set) turnedBack(n flat.NodeID, users []flat.NodeID) []flat.NodeID {
	g, of, t := e.G, e.sources.of, users[0]
	if g.Nodes[t].Op != hlo.OpTranspose || e.isOld(t) {
		return nil
	}
	like := e.isMade(t) && of[t].metadata == of[n].metadata && of[n].named
	if g.Nodes[n].Op == hlo.OpDot {
		like = like || e.isMade(n) && (of[n].isOf("dot_general") || !e.sources.known)
	} else {
		like = like && g.Nodes[n].Elemwise() && e.readsBefore(n, t)
	}
	if !like {
		return nil
	}
	return swapped(users, 0, len(users)-1)
}

// broadcastAnew looks for users of a scalar's broadcast that were made anew with it, because a transpose was moved
// after them: it has their metadata.
func (e *Set) broadcastAnew(n flat.NodeID, users []flat.NodeID) []flat.NodeID {
	g, of := e.G, e.sources.of
	if g.Nodes[n].Op != hlo.OpBroadcast || g.ShapeOf(g.Operand(n, 0)).Rank() > 0 {
		return nil
	}
	kept, later := e.copiesApart(n, users)
	first := -1 // of the others
	left, moved := slices.Clone(kept), map[flat.NodeID]int{}
	for i, u := range kept {
		t := g.SingleUser(u)
		if t == -1 || !g.Nodes[u].Elemwise() || g.Nodes[t].Op != hlo.OpTranspose || of[t].metadata != of[u].metadata {
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
	slices.Sort(later)
	return slices.Concat(kept[:first], left, later)
}

// copiesApart takes those out that the compiler computes a second time, transposed, so that both read one broadcast
// where two dimensions are as long as each other; the one that was made before has the same metadata and like operands.
// Copies stay where they are first.
func (e *Set) copiesApart(n flat.NodeID, users []flat.NodeID) (kept, copies []flat.NodeID) {
	dims := slices.Sorted(slices.Values(e.G.ShapeOf(n).Dims))
	if len(slices.Compact(dims)) == e.G.ShapeOf(n).Rank() {
		return users, nil
	}
	return apart(users, func(i int, u flat.NodeID) bool {
		return i > 0 && slices.ContainsFunc(users[i+1:], func(x flat.NodeID) bool { return e.isCopy(u, x) })
	})
}

// isCopy reports whether the compiler made an instruction as a copy of another one that it had made.
func (e *Set) isCopy(n, other flat.NodeID) bool {
	x, y := &e.sources.of[n], &e.sources.of[other]
	if x.named || y.named || x.stem != y.stem || x.metadata != y.metadata || x.number < y.number {
		return false
	}
	for k, a := range e.G.OperandsOf(n) {
		b := e.G.Operand(other, k)
		p, q := &e.sources.of[a], &e.sources.of[b]
		if a != b && (!p.named || !q.named) {
			return false
		}
	}
	return true
}

// isScaled reports whether the first of two users of a dot, or of its result without a dimension, is a multiply that
// the compiler made of another dot of the same operation, so that it has the metadata, and the second a transpose.
func (e *Set) isScaled(n flat.NodeID, users []flat.NodeID) bool {
	g, of := e.G, e.sources.of
	m, t := users[0], users[len(users)-1]
	return len(users) == 2 && of[n].isOf("dot_general") && g.Nodes[m].Op == hlo.OpMultiply &&
		of[m].metadata == of[n].metadata && g.SingleUser(m) != -1 && g.Nodes[t].Op == hlo.OpTranspose
}

// turnedTwice reports whether both users of a dot that the program has are multiplies that lead to transposes.
func (e *Set) turnedTwice(n flat.NodeID, users []flat.NodeID) bool {
	turns := e.turned()
	return e.G.Nodes[n].Op == hlo.OpDot && e.sources.of[n].named && len(users) == 2 &&
		!slices.ContainsFunc(users, func(u flat.NodeID) bool {
			return turns[u] < 0 || e.G.Nodes[u].Op != hlo.OpMultiply
		})
}

// notFromDots marks what is not an elementwise operation on dots, reduces and broadcasts.
const notFromDots flat.NodeID = -2

// turned returns, by node, the transpose that an elementwise operation on dots, reduces and broadcasts leads to through
// single users of this kind, -1 for none.
func (e *Set) turned() []flat.NodeID {
	g := e.G
	fromDots := flat.OperandsFirst(g, &e.fromDots, func(n flat.NodeID, fromDots []bool) bool {
		return g.Nodes[n].Elemwise() && !slices.ContainsFunc(g.OperandsOf(n), func(o flat.NodeID) bool {
			op := g.Nodes[o].Op
			return op != hlo.OpDot && op != hlo.OpReduce && op != hlo.OpBroadcast && !fromDots[o]
		})
	})
	return flat.UsersFirst(g, &e.turns, func(n flat.NodeID, turns []flat.NodeID) flat.NodeID {
		switch u := g.SingleUser(n); {
		case !fromDots[n]:
			return notFromDots
		case u != -1 && g.Nodes[u].Op == hlo.OpTranspose:
			return u
		case u != -1:
			return max(-1, turns[u])
		}
		return -1
	})
}

// readsBefore reports whether the instruction that reads both a value and what a transpose of it leads to reads the
// value first.
func (e *Set) readsBefore(n, turn flat.NodeID) bool {
	for last, w := turn, e.G.SingleUser(turn); w != -1; last, w = w, e.G.SingleUser(w) {
		if i := slices.Index(e.G.OperandsOf(w), n); i >= 0 {
			return i < slices.Index(e.G.OperandsOf(w), last)
		}
	}
	return false
}

// withTranspose looks for a user that reads a transpose of the value, too, and puts that user first and the transpose
// last.
func (e *Set) withTranspose(users []flat.NodeID, op hlo.Opcode, accept func(flat.NodeID) bool) []flat.NodeID {
	for _, t := range users {
		u := e.G.SingleUser(t)
		if e.G.Nodes[t].Op == hlo.OpTranspose && u != -1 && e.G.Nodes[u].Op == op && slices.Contains(users, u) && accept(u) {
			others := slices.DeleteFunc(slices.Clone(users), func(x flat.NodeID) bool { return x == t || x == u })
			return slices.Concat([]flat.NodeID{u}, others, []flat.NodeID{t})
		}
	}
	return nil
}

// fourier looks for a dot that the compiler made and that was not inlined. What the compiler made with it has its
// metadata.
func (e *Set) fourier(n flat.NodeID, users []flat.NodeID) []flat.NodeID {
	g, of := e.G, e.sources.of
	if e.isComplexPart(n, users) {
		return lastFirst(users)
	}
	if g.Nodes[n].Op != hlo.OpDot || !e.isMade(n) {
		return nil
	}
	find := func(op hlo.Opcode) int {
		return slices.IndexFunc(users, func(u flat.NodeID) bool {
			return g.Nodes[u].Op == op && of[u].metadata == of[n].metadata
		})
	}
	add, subtract, turn, last := find(hlo.OpAdd), find(hlo.OpSubtract), find(hlo.OpTranspose), len(users)-1
	order := users
	if 0 <= add && add < subtract && !e.ascending(n) {
		order = swapped(users, add, subtract)
	}
	switch {
	case turn == last && g.IsReadBy(users[last], g.Nodes[users[0]].Op) && !e.together(n):
		return lastFirst(order)
	case turn == 0 && !e.isOld(users[0]) && g.IsReadBy(users[0], g.Nodes[users[last]].Op) && !e.together(n):
		return slices.Concat(order[1:], order[:1])
	case add >= 0 && order[add] != users[add]:
		return order
	}
	return nil
}

// isComplexPart reports whether a reshape or transpose was moved from a dot of the program after the difference and the
// sum that read it, or from one of these after the two products of complex numbers that read it: they were made anew.
func (e *Set) isComplexPart(n flat.NodeID, users []flat.NodeID) bool {
	g, of := e.G, e.sources.of
	if len(users) != 2 || !e.isMade(users[0]) || !e.isMade(users[1]) ||
		of[users[0]].metadata != of[users[1]].metadata {
		return false
	}
	a, b := g.Nodes[users[0]].Op, g.Nodes[users[1]].Op
	switch op := g.Nodes[n].Op; op {
	case hlo.OpDot:
		return of[n].named && a == hlo.OpSubtract && e.isRecent(users[0]) && e.isRecent(users[1])
	case hlo.OpAdd, hlo.OpSubtract:
		return e.isMade(n) && a == hlo.OpMultiply && b == hlo.OpMultiply && (e.isRecent(n) || e.isRecent(users[0]))
	}
	return false
}

// together reports whether a dot was made with those of its metadata in front of it and after it: their numbers are its
// own or the next but one at most.
func (e *Set) together(n flat.NodeID) bool {
	c := &e.G.Comps[e.G.Nodes[n].Comp]
	near := func(step flat.NodeID) bool {
		for m := n + step; c.First <= m && m < c.End; m += step {
			if e.G.Nodes[m].Op == hlo.OpDot {
				d := e.sources.of[m].number - e.sources.of[n].number
				return e.sources.of[m].metadata != e.sources.of[n].metadata || -2 <= d && d <= 2
			}
		}
		return true
	}
	return near(-1) && near(1)
}

// ascending reports whether the instructions around a node that have its metadata are numbered in the order of the
// text, each kind by itself, as those of a call that was inlined.
func (e *Set) ascending(n flat.NodeID) bool {
	const around = 64 // 16 of the metadata show it of 129 of 130 dots
	c := &e.G.Comps[e.G.Nodes[n].Comp]
	numbers := map[int32]int{}
	for m := max(c.First, n-around); m < min(c.End, n+around); m++ {
		if s := &e.sources.of[m]; s.metadata == e.sources.of[n].metadata {
			if s.number < numbers[s.stem] {
				return false
			}
			numbers[s.stem] = s.number
		}
	}
	return true
}

// gathered looks for the last user of a fused gather, or of a fused scatter that is put in place, and for the transpose
// that puts the result of a gather or a scatter in place.
func (e *Set) gathered(n flat.NodeID, users []flat.NodeID) []flat.NodeID {
	g, of := e.G, e.sources.of
	w := e.windowAt[n]
	switch {
	case e.isSelected(n) && !slices.ContainsFunc(users, e.isMade):
		others, own := apart(users, func(_ int, u flat.NodeID) bool { return of[u].line() == of[users[0]].line() })
		return append(lastFirst(own), others...)
	case e.isPlacedScatter(n) && !slices.ContainsFunc(users, func(u flat.NodeID) bool {
		return len(of[u].calls) > 0 || !of[u].named && !of[u].made
	}):
		return lastFirst(users)
	case w == nil || g.Nodes[n].Op != hlo.OpFusion:
		return nil
	}
	places := func(u flat.NodeID) bool {
		op := g.Nodes[u].Op
		return (op == hlo.OpTranspose || op == hlo.OpReshape) && of[u].metadata == of[n].metadata
	}
	last := users[len(users)-1]
	if g.Nodes[last].Op == hlo.OpTranspose ||
		w.op.Opcode == hlo.OpGather && !places(last) && !places(users[0]) {
		return lastFirst(users)
	}
	return nil
}

// isSelected reports whether the compiler made a select of a scatter that places one element in each row.
func (e *Set) isSelected(n flat.NodeID) bool {
	return e.G.Nodes[n].Op == hlo.OpSelect && e.isMade(n) && e.sources.of[n].isOf("scatter-add")
}

// isPlacedScatter reports whether a value is the result of a fused scatter, put in place by reshapes and transposes.
func (e *Set) isPlacedScatter(n flat.NodeID) bool {
	first := n
	if !e.sources.of[n].isOf("scatter-add") || e.isComputedAnew(n) {
		return false
	}
	for op := e.G.Nodes[n].Op; op == hlo.OpReshape || op == hlo.OpTranspose; op = e.G.Nodes[n].Op {
		n = e.G.Operand(n, 0)
	}
	return n != first && e.windowAt[n] != nil
}

// indices asks that all users are slices that the compiler made with the value's metadata, or the comparisons and the
// product that it makes of the indices of a scatter, or that two comparisons come before a gather.
func (e *Set) indices(n flat.NodeID, users []flat.NodeID) []flat.NodeID {
	nd, from := &e.G.Nodes[n], &e.sources.of[n]
	last := users[len(users)-1]
	if e.G.Nodes[last].Op == hlo.OpReshape || e.sources.of[last].isOf("gather") {
		others, bounds := apart(users[:len(users)-1], func(_ int, u flat.NodeID) bool {
			return e.G.Nodes[u].Op == hlo.OpCompare && e.sources.of[u].isOf("ge", "le")
		})
		if len(bounds) == 2 {
			return slices.Concat(users[len(users)-1:], bounds, others)
		}
	}
	if len(users) == 3 && e.isBound(users[0]) && e.isBound(users[1]) && e.G.Nodes[last].Op == hlo.OpMultiply {
		if nd.Op == hlo.OpConvert {
			return lastFirst(users)
		}
		return append(users[1:3:3], users[0])
	}
	if slices.ContainsFunc(users, func(u flat.NodeID) bool {
		return e.G.Nodes[u].Op != hlo.OpSlice || !e.isMade(u) || e.sources.of[u].metadata != from.metadata
	}) {
		return nil
	}
	if nd.Op != hlo.OpDynamicSlice && nd.Op != hlo.OpParameter && !from.isOf("gather") {
		return nil
	}
	return lastFirst(users)
}

// isBound reports whether the compiler made a comparison without metadata, as of indices with the sizes.
func (e *Set) isBound(n flat.NodeID) bool {
	return e.G.Nodes[n].Op == hlo.OpCompare && e.isMade(n) && e.sources.of[n].metadata == nil
}

// scattered looks for the reshapes of what several scatters read.
func (e *Set) scattered(_ flat.NodeID, users []flat.NodeID) []flat.NodeID {
	others, reshapes := apart(users, func(_ int, u flat.NodeID) bool {
		return e.G.Nodes[u].Op == hlo.OpReshape && e.isMade(u) && e.sources.of[u].metadata.Get("op_name") == nil
	})
	last := len(reshapes) - 1
	bare := func(u flat.NodeID) bool { return e.sources.of[u].metadata == nil }
	if last < 1 || slices.ContainsFunc(reshapes[1:], bare) {
		return nil
	}
	place := slices.Index(users, reshapes[0])
	reshapes = slices.Concat(reshapes[:1], reshapes[last:], reshapes[1:last])
	return slices.Concat(others[:place], reshapes[last:], others[place:], reshapes[:last])
}

// isDot reports whether the compiler made a product of a dot: its sum calls a computation with the compiler's name.
func (e *Set) isDot(n flat.NodeID) bool {
	u := e.G.SingleUser(n)
	if u != -1 && e.G.Nodes[u].Op == hlo.OpConvert {
		u = e.G.SingleUser(u)
	}
	if u == -1 {
		return false
	}
	sum := e.G.Nodes[u].In.CalledBy("to_apply")
	return sum != nil && strings.HasPrefix(sum.Name, "scalar_add_computation")
}

// isFactored reports whether a sum is multiplied, as halved, and then read by a custom call, or for its absolute value,
// which a select may precede.
func (e *Set) isFactored(sum flat.NodeID) bool {
	g := e.G
	half := g.SingleUser(sum)
	if half == -1 || g.Nodes[half].Op != hlo.OpMultiply {
		return false
	}
	return g.IsReadBy(half, hlo.OpCustomCall, hlo.OpAbs) || slices.ContainsFunc(g.Users(half), func(u flat.Use) bool {
		return g.Nodes[u.Node].Op == hlo.OpSelect && g.IsReadBy(u.Node, hlo.OpAbs)
	})
}
