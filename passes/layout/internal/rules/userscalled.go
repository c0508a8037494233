package rules

import (
	"slices"

	"hlolayout/hlo"
	"hlolayout/passes/internal/flat"
	"hlolayout/passes/layout/internal/rule"
)

func calledRules(e *Set) rule.Rows {
	return rule.Rows{
		rule.UsersCall: {Name: "users-call", Stage: rule.Propagate, Evidence: []string{"sym_call", "users_call_transposed",
			"users_call_turned", "users_taken_apart", "users_moved"},
			Doc: "A call that op_name shows was a user: its place has the last of its instructions, the others are last. A " +
				"value in a call is read in that call first, then in those around it (347 lists of the log differ from the " +
				"text). A computation that the compiler computed anew afterwards, as the number 0 of its name shows, has the " +
				"order of the text (75 of 94 lists on v5e, the inlined order 3), as has a loop that was widened, but for slices " +
				"of a reshape inlined later, as of keys of random numbers (64 of 70 on v7x). A call of the value's transpose, " +
				"which the compiler moved into the call, comes after the others (31 of 31 lists of contrastive losses). What " +
				"jnp.var subtracts, a program that normalizes subtracts itself, and of equal ones the program's is kept: the " +
				"users in that call come last. Parameters are read by calls, too, and a tuple hides none (these three: 203 " +
				"lists right that were wrong, 3 the other way). Where a program has no op_name, numbers show what calls do that " +
				"only take a value apart (6 of 6 programs). What a loop carries is read by a call in its body, too (13 of 13 " +
				"loops of stencils). Slices of a slice's reshape, which the compiler made slices of the value, come after all " +
				"others (12 of 12 lists of stencils that the calls alone leave wrong). A call of a derivative's first pass " +
				"that gives several values gave a tuple, the first user of each, which the last one replaced (33 of 36 lists).",
			ListUsers: (&called{Set: e}).list},
	}
}

// called follows the users of a value through the inlining of calls, which op_name shows. A call's instructions are
// made anew at the end of the list, in the order of the text, and the last of them takes the call's place.
type called struct {
	*Set
	highest []int  // by stem: the highest number
	later   []bool // see turnedLater
	leaves  map[int32]leaving
}

// list asks that the value, if not of keepUsers, and all users have the program's names, in a computation that no pass
// made anew since.
func (e *called) list(n flat.NodeID, users []flat.NodeID) []flat.NodeID {
	if !e.sources.known && e.takesApart(n, users) {
		return lastFirst(users)
	}
	users, moved := e.movedApart(users)
	users, clamps := e.clampsApart(users)
	unnamed := func(u flat.NodeID) bool { return !e.sources.of[u].named && e.G.Nodes[u].Op != hlo.OpTuple }
	op := e.G.Nodes[n].Op
	if sharedOps.Has(op) || unnamed(n) && !keepUsers.Has(op) ||
		slices.ContainsFunc(users, unnamed) || e.isMadeAnew(n) {
		return nil
	}
	return slices.Concat(e.follow(n, users), clamps, moved)
}

// keepUsers are operations that the compiler makes in the place of a value, with its users, and elements of what a loop
// or a call is given.
var keepUsers = rule.Ops(hlo.OpClamp, hlo.OpTranspose, hlo.OpGetTupleElement, hlo.OpParameter)

// takesApart reports, of a program without op_name, whether a call takes a value apart that it is given: all users are
// slices that were made anew, and the value was not.
func (e *called) takesApart(n flat.NodeID, users []flat.NodeID) bool {
	return !e.madeAnew(n) && !slices.ContainsFunc(users, func(u flat.NodeID) bool {
		return e.G.Nodes[u].Op != hlo.OpSlice || !e.madeAnew(u)
	})
}

// madeAnew reports whether the number of an instruction is one that reading the program left: N instructions
// of one name are read as N to 2N-1, and those that the compiler makes have the numbers that are left.
func (e *called) madeAnew(n flat.NodeID) bool {
	if e.highest == nil {
		e.highest = make([]int, len(e.sources.numbers)+1)
		for _, x := range e.sources.of {
			e.highest[x.stem] = max(e.highest[x.stem], x.number)
		}
	}
	return 2*e.sources.of[n].number <= e.highest[e.sources.of[n].stem]
}

// follow lists the users as the inlining leaves them: those in the value's own call, then those in the calls around it.
func (e *called) follow(n flat.NodeID, users []flat.NodeID) []flat.NodeID {
	own := e.sources.of[n].calls
	if len(own) == 0 {
		if e.isCopied(n, users) {
			return users
		}
		if e.G.Nodes[n].Op == hlo.OpSubtract {
			others, own := apart(users, func(_ int, u flat.NodeID) bool { return e.sources.of[u].variance })
			return append(e.inline(others), own...)
		}
		return e.inline(users)
	}
	shared := func(u flat.NodeID) (calls int) {
		for _, call := range e.sources.of[u].calls[:min(len(own), len(e.sources.of[u].calls))] {
			if call != own[calls] {
				break
			}
			calls++
		}
		return calls
	}
	order := slices.Clone(users)
	slices.SortStableFunc(order, func(a, b flat.NodeID) int { return shared(b) - shared(a) })
	if e.sources.of[n].forward && shared(order[0]) < len(own) && e.isOfSeveral(own[len(own)-1]) {
		return lastFirst(order)
	}
	return order
}

// isOfSeveral reports whether values of several kinds leave a call, so that it gave a tuple of them, which was the
// first user of each.
func (e *called) isOfSeveral(call int32) bool {
	if e.leaves == nil {
		e.leaves = map[int32]leaving{}
		for n := range flat.NodeID(len(e.sources.of)) {
			from := &e.sources.of[n]
			k := len(from.calls) - 1
			outside := func(u flat.Use) bool {
				to := e.sources.of[u.Node].calls
				return len(to) <= k || to[k] != from.calls[k]
			}
			if k < 0 || !from.named || !slices.ContainsFunc(e.G.Users(n), outside) {
				continue
			}
			was, known := e.leaves[from.calls[k]]
			e.leaves[from.calls[k]] = leaving{from.stem, was.several || known && was.stem != from.stem}
		}
	}
	return e.leaves[call].several
}

// leaving is what leaves a call: the kind of the last value, and whether there are others.
type leaving struct {
	stem    int32
	several bool
}

// inline replaces the calls in a list of users by their instructions, one call after the other, those last that read a
// transpose of the value: it was the user, and the compiler moved it into the call.
func (e *called) inline(users []flat.NodeID) (list []flat.NodeID) {
	type call struct {
		place   int // in the list
		members []flat.NodeID
	}
	type site struct {
		call  int32
		frame string // where the call reads a transpose
	}
	var calls, turned []*call
	of, frames := map[site]*call{}, e.turnedFrames(users)
	for _, u := range users {
		from := &e.sources.of[u]
		if len(from.calls) == 0 {
			list = append(list, u)
			continue
		}
		at := site{call: from.calls[0]}
		if frames[from.frame()] {
			at.frame = from.frame()
		}
		c := of[at]
		if c == nil {
			c = &call{place: len(list)}
			list, of[at] = append(list, u), c
			if at.frame == "" {
				calls = append(calls, c)
			} else {
				turned = append(turned, c)
			}
		}
		c.members = append(c.members, u)
	}
	for _, c := range append(calls, turned...) {
		list = append(list, c.members...)
		last := len(list) - 1
		list[c.place] = list[last]
		list = list[:last]
	}
	return list
}

// turnedFrames returns the frames of the calls among a value's users that the compiler moved a transpose through: it
// has the metadata of the elementwise operation that it stands after.
func (e *called) turnedFrames(users []flat.NodeID) map[string]bool {
	frames := map[string]bool{}
	for _, u := range users {
		if frame := e.sources.of[u].frame(); frame != "" && e.turnedLater()[u] {
			frames[frame] = true
		}
	}
	return frames
}

// turnedLater marks the elementwise operations of calls that lead to such a transpose in their call.
func (e *called) turnedLater() []bool {
	g, of := e.G, e.sources.of
	return flat.UsersFirst(g, &e.later, func(n flat.NodeID, later []bool) bool {
		return of[n].function && g.Nodes[n].Elemwise() && slices.ContainsFunc(g.Users(n), func(u flat.Use) bool {
			if g.Nodes[u.Node].Op == hlo.OpTranspose {
				return e.isMade(u.Node) && of[u.Node].metadata == of[n].metadata
			}
			return later[u.Node] && of[u.Node].frame() == of[n].frame()
		})
	})
}

// isCopied reports whether the users of a value are in the order of the text, for its computation was computed anew.
// Slices that take a reshape apart, as keys of random numbers are, were inlined later: they have the last numbers.
func (e *called) isCopied(n flat.NodeID, users []flat.NodeID) bool {
	inOrder := func(u flat.NodeID) bool { return e.G.Nodes[u].Op != hlo.OpSlice || e.madeAnew(u) }
	return e.isComputedAnew(n) && (e.G.Nodes[n].Op != hlo.OpReshape || slices.ContainsFunc(users, inOrder))
}

// sharedOps are operations of which equal ones of several calls become one.
var sharedOps = rule.Ops(hlo.OpBroadcast, hlo.OpConstant)
