package rules

import (
	"slices"
	"strings"

	"hlolayout/hlo"
	"hlolayout/passes/internal/flat"
	"hlolayout/passes/layout/internal/constraint"
	"hlolayout/passes/layout/internal/rule"
)

func calledRules(e *Set) rule.Rows {
	return rule.Rows{
		rule.UsersCall: {Name: "users-call", Stage: rule.Propagate, Evidence: []string{"sym_call", "users_call_transposed",
			"users_taken_apart"},
			Doc: "A call that op_name shows was a user: its place has the last of its instructions, the others are " +
				"last. Where it returns several values, what reads them follows what the call itself has, the last " +
				"one first (347 lists of the log that differ from the text, 84 that do not), but for what is elementwise and " +
				"read in its call, too, as the difference from the mean that a layer norm and its variance have in common " +
				"(users_call_read): equal values became one (192 lists of 54 programs in the order of the text, 26 in reverse). " +
				"Where a program has no op_name, " +
				"numbers show what calls do that only take a value apart (6 of 6 programs).",
			ListUsers: (&called{Set: e}).list},
	}
}

// called follows the users of a value through the inlining of calls, which op_name shows. A call's instructions are
// made anew at the end of the list, in the order of the text, and the last of them takes the call's place. Where a call
// returns a tuple, the tuple was a user of what it returns, until those that read its elements took its place.
type called struct {
	*Set
	returned map[site]int32 // the stem of what a call returns, severalStems for several
	// anew is below zero for calls whose instructions are those that were read, as their numbers show: N instructions of
	// one name are read as N to 2N-1, and those that the compiler makes have the numbers that are left. Some are made anew
	// in every program: the limit is three in five stems, as 80 programs have it.
	anew    map[site]int
	highest map[string]int // the highest number of a stem
}

// site is a call in a computation, or with 0 what is in no call.
type site struct {
	comp flat.CompID
	call int32
}

const severalStems = -1

// list asks that the value and all users have the program's names, in a computation that no pass made anew since. A
// clamp or transpose that the compiler made in the place of a value has its users.
func (e *called) list(n flat.NodeID, users []flat.NodeID) []flat.NodeID {
	if !e.sources.known && e.takesApart(n, users) {
		return lastFirst(users)
	}
	name := e.G.Comps[e.G.Nodes[n].Comp].Computation.Name
	users, clamps := e.clampsApart(users)
	unnamed := func(u flat.NodeID) bool { return !e.sources.of[u].named }
	op := e.G.Nodes[n].Op
	if isShared(op) || unnamed(n) && op != hlo.OpClamp && op != hlo.OpTranspose || slices.ContainsFunc(users, unnamed) ||
		strings.Contains(name, "sunk") || strings.Contains(name, "_spmd") {
		return nil
	}
	e.find()
	return append(e.follow(n, users), clamps...)
}

// takesApart reports, of a program without op_name, whether a call takes a value apart that it is given: all users are
// slices that were made anew, and the value was not, or is a product or sum of it that the compiler turned.
func (e *called) takesApart(n flat.NodeID, users []flat.NodeID) bool {
	if slices.ContainsFunc(users, func(u flat.NodeID) bool { return e.G.Nodes[u].Op != hlo.OpSlice || !e.madeAnew(u) }) {
		return false
	}
	if e.G.Nodes[n].Op == hlo.OpTranspose {
		if n = e.G.Operand(n, 0); e.G.Nodes[n].Elemwise() {
			n = e.G.Operand(n, 0)
		}
	}
	return e.G.Nodes[n].Op == hlo.OpDot && e.isMade(n) || !e.madeAnew(n)
}

// madeAnew reports whether the number of an instruction is one that reading the program left, see called.anew.
func (e *called) madeAnew(n flat.NodeID) bool {
	if e.highest == nil {
		e.highest = map[string]int{}
		for i := range e.sources.of {
			stem, number := constraint.Numbered(e.G.Nodes[i].In.Name)
			e.highest[stem] = max(e.highest[stem], number)
		}
	}
	stem, number := constraint.Numbered(e.G.Nodes[n].In.Name)
	return 2*number <= e.highest[stem]
}

// follow lists the users as the inlining leaves them: those in the value's own call, then those in the calls around it.
func (e *called) follow(n flat.NodeID, users []flat.NodeID) []flat.NodeID {
	comp, own := e.G.Nodes[n].Comp, e.calledFrom(n)
	if len(own) == 0 {
		if e.anew[site{comp: comp}] >= 0 {
			return users
		}
		return e.inline(n, users)
	}
	within := make([][]flat.NodeID, len(own)+1) // users by the number of the value's calls that they are in
	for _, u := range users {
		d := 0
		for calls := e.calledFrom(u); d < min(len(own), len(calls)) && calls[d] == own[d]; {
			d++
		}
		within[d] = append(within[d], u)
	}
	order := within[len(own)]
	isEqual := len(order) > 0 && e.G.Nodes[n].Elemwise() && e.G.Nodes[n].Op != hlo.OpClamp // to one outside of the call
	for d := len(own) - 1; d >= 0; d-- {
		level := within[d]
		if len(level) == 0 {
			continue
		}
		if d == 0 {
			level = e.inline(n, level)
		}
		if e.returned[site{comp, own[d]}] != e.sources.of[n].stem && !isEqual {
			level = lastFirst(level)
		}
		order = append(order, level...)
	}
	return order
}

// inline replaces the calls in a list of users by their instructions, one call after the other. Of two calls of one
// function each has its instruction: the second of two users that do the same with the value is in the second call.
func (e *called) inline(n flat.NodeID, users []flat.NodeID) (list []flat.NodeID) {
	type call struct {
		place   int // in the list
		members []flat.NodeID
	}
	var calls []*call
	of, same := map[int32][]*call{}, map[likeness]int{} // the calls of a function, and how many users are alike
	for _, u := range users {
		from := e.calledFrom(u)
		if len(from) == 0 {
			list = append(list, u)
			continue
		}
		function, k := from[0], 0
		if e.G.Nodes[u].Op != hlo.OpSlice { // a function takes several parts
			like := e.likeness(n, u, function)
			k = same[like]
			same[like]++
		}
		if k == len(of[function]) {
			c := &call{place: len(list)}
			list = append(list, u)
			calls, of[function] = append(calls, c), append(of[function], c)
		}
		of[function][k].members = append(of[function][k].members, u)
	}
	for _, c := range calls {
		list = append(list, c.members...)
		last := len(list) - 1
		list[c.place] = list[last]
		list = list[:last]
	}
	return list
}

// likeness is equal for users in calls of a function that do the same with a value.
type likeness struct {
	call         int32
	shape, reads string
	op           hlo.Opcode
}

func (e *called) likeness(n, user flat.NodeID, call int32) likeness {
	reads := make([]byte, len(e.G.OperandsOf(user))) // 1 for the value itself
	for k, x := range e.G.OperandsOf(user) {
		if x == n {
			reads[k] = 1
		}
	}
	return likeness{call, e.G.ShapeOf(user).String(), string(reads), e.G.Nodes[user].Op}
}

// find notes which calls are as they were read and what the calls return.
func (e *called) find() {
	if e.returned != nil {
		return
	}
	e.returned, e.anew = map[site]int32{}, map[site]int{}
	type stem struct { // of the names in a call, but not in calls of it
		site
		stem int32
	}
	type span struct{ least, most int }
	numbers := map[stem]*span{}
	for n, from := range e.sources.of {
		if !from.named {
			continue
		}
		key := stem{site{comp: e.G.Nodes[n].Comp}, from.stem}
		if last := len(from.calls) - 1; last >= 0 {
			key.call = from.calls[last]
		}
		if x := numbers[key]; x == nil {
			numbers[key] = &span{from.number, max(0, from.number)}
		} else {
			x.least, x.most = min(x.least, from.number), max(x.most, from.number)
		}
	}
	for key, x := range numbers {
		e.anew[key.site] -= 3
		if x.most >= 2*x.least {
			e.anew[key.site] += 5
		}
	}
	for n := range flat.NodeID(len(e.sources.of)) {
		if e.sources.of[n].named && !isShared(e.G.Nodes[n].Op) {
			e.returns(n)
		}
	}
}

// returns notes the calls that an instruction leaves towards its users.
func (e *called) returns(n flat.NodeID) {
	own := e.calledFrom(n)
	if len(own) == 0 {
		return
	}
	stem := e.sources.of[n].stem
	for _, u := range e.G.Users(n) {
		calls := e.calledFrom(u.Node)
		for d := len(own) - 1; d >= 0 && (d >= len(calls) || calls[d] != own[d]); d-- {
			key := site{e.G.Nodes[n].Comp, own[d]}
			if known, ok := e.returned[key]; ok && known != stem {
				e.returned[key] = severalStems
			} else {
				e.returned[key] = stem
			}
		}
	}
}

// calledFrom lists the calls that an instruction was inlined from. What JAX names a closed call is one where its
// instructions were made anew.
func (e *called) calledFrom(n flat.NodeID) []int32 {
	calls := e.sources.of[n].calls
	noCall := func(call int32) bool {
		return e.sources.closed[call] && e.anew[site{e.G.Nodes[n].Comp, call}] < 0
	}
	if slices.ContainsFunc(calls, noCall) {
		return slices.DeleteFunc(slices.Clone(calls), noCall)
	}
	return calls
}

// isShared reports whether equal instructions of several calls become one.
func isShared(op hlo.Opcode) bool {
	return op == hlo.OpBroadcast || op == hlo.OpConstant || op == hlo.OpIota || op == hlo.OpParameter
}
