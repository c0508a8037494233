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
		rule.UsersCall: {Name: "users-call", Stage: rule.Propagate, Evidence: []string{"sym_call"},
			Doc: "A call that op_name shows was a user: its place has the last of its instructions, the others are " +
				"last. Where it returns several values, what reads them follows what the call itself has, the last " +
				"one first (347 lists of the log that differ from the text, 84 that do not).",
			ListUsers: (&called{Set: e}).list},
	}
}

// called follows the users of a value through the inlining of calls, which op_name shows. A call's instructions are
// made anew at the end of the list, in the order of the text, and the last of them takes the call's place. Where a call
// returns a tuple, the tuple was a user of what it returns, until those that read its elements took its place.
type called struct {
	*Set
	returned map[returned]string // the kind of what a call returns, severalKinds for several
	numbers  map[returned]kinds  // of what is in a call but not in calls of it; "" for no call
}

// returned is a call in a computation.
type returned struct {
	comp flat.CompID
	call string
}

const severalKinds = "several"

// kinds are the lowest and the highest number of instructions by stem.
type kinds map[string][2]int

// list asks that the value and all users have the program's names, in a computation that no pass made anew since.
func (e *called) list(n flat.NodeID, users []flat.NodeID) []flat.NodeID {
	comp := e.G.Nodes[n].Comp
	name := e.G.Comps[comp].Computation.Name
	unnamed := func(u flat.NodeID) bool { return !isNamed(e.G.Nodes[u].In) }
	if isShared(e.G.Nodes[n].Op) || unnamed(n) || slices.ContainsFunc(users, unnamed) ||
		strings.Contains(name, "sunk") || strings.Contains(name, "_spmd") {
		return nil
	}
	e.find()
	return e.follow(n, users)
}

// follow lists the users as the inlining leaves them: those in the value's own call, then those in the calls around it.
func (e *called) follow(n flat.NodeID, users []flat.NodeID) []flat.NodeID {
	comp, own := e.G.Nodes[n].Comp, e.calledFrom(n)
	if len(own) == 0 {
		if e.isRenewed(returned{comp: comp}) {
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
	kind, _ := constraint.Numbered(e.G.Nodes[n].In.Name)
	order := within[len(own)]
	for d := len(own) - 1; d >= 0; d-- {
		level := within[d]
		if len(level) == 0 {
			continue
		}
		if d == 0 {
			level = e.inline(n, level)
		}
		if e.returned[returned{comp, own[d]}] != kind {
			level = lastFirst(level)
		}
		order = append(order, level...)
	}
	return order
}

// inline replaces the calls in a list of users by their instructions, one call after the other. Of two calls of one
// function each has its instruction.
func (e *called) inline(n flat.NodeID, users []flat.NodeID) (list []flat.NodeID) {
	var calls []string
	var members [][]flat.NodeID
	for _, u := range users {
		of := e.calledFrom(u)
		if len(of) == 0 {
			list = append(list, u)
			continue
		}
		k := 0
		for k < len(calls) && (calls[k] != of[0] ||
			slices.ContainsFunc(members[k], func(m flat.NodeID) bool { return e.areAlike(n, m, u) })) {
			k++
		}
		if k == len(calls) {
			list = append(list, ^flat.NodeID(k)) // the call's place
			calls, members = append(calls, of[0]), append(members, nil)
		}
		members[k] = append(members[k], u)
	}
	for k, of := range members {
		list = append(list, of...)
		last := len(list) - 1
		list[slices.Index(list, ^flat.NodeID(k))] = list[last]
		list = list[:last]
	}
	return list
}

// find notes how the instructions are numbered and what the calls return.
func (e *called) find() {
	if e.returned != nil {
		return
	}
	e.returned, e.numbers = map[returned]string{}, map[returned]kinds{}
	nodes := flat.NodeID(len(e.G.Nodes) - 1)
	for n := range nodes {
		if isNamed(e.G.Nodes[n].In) {
			e.number(n)
		}
	}
	for n := range nodes {
		if isNamed(e.G.Nodes[n].In) && !isShared(e.G.Nodes[n].Op) {
			e.returns(n)
		}
	}
}

// number notes an instruction's number.
func (e *called) number(n flat.NodeID) {
	key := returned{comp: e.G.Nodes[n].Comp}
	if calls := e.originOf(e.G.Nodes[n].In).calls; len(calls) > 0 {
		key.call = calls[len(calls)-1]
	}
	if e.numbers[key] == nil {
		e.numbers[key] = kinds{}
	}
	kind, number := constraint.Numbered(e.G.Nodes[n].In.Name)
	span, ok := e.numbers[key][kind]
	if !ok {
		span = [2]int{number, number}
	}
	e.numbers[key][kind] = [2]int{min(span[0], number), max(span[1], number)}
}

// returns notes the calls that an instruction leaves towards its users.
func (e *called) returns(n flat.NodeID) {
	own := e.calledFrom(n)
	kind, _ := constraint.Numbered(e.G.Nodes[n].In.Name)
	for _, u := range e.G.Users(n) {
		calls := e.calledFrom(u.Node)
		for d := len(own) - 1; d >= 0 && (d >= len(calls) || calls[d] != own[d]); d-- {
			key := returned{e.G.Nodes[n].Comp, own[d]}
			if known, ok := e.returned[key]; ok && known != kind {
				e.returned[key] = severalKinds
			} else {
				e.returned[key] = kind
			}
		}
	}
}

// isRenewed reports whether the instructions of a call were made anew after they were read, as their numbers show: N
// instructions of one name are read as N to 2N-1, and those that the compiler makes have the numbers that are left.
// Some are made anew in every program: the limit is three in five kinds, as 80 programs have it.
func (e *called) isRenewed(call returned) bool {
	anew := 0
	for _, span := range e.numbers[call] {
		if span[1] >= 2*span[0] {
			anew++
		}
	}
	return 5*anew >= 3*len(e.numbers[call])
}

// calledFrom lists the calls that an instruction was inlined from. What JAX names a closed call is one where its
// instructions were made anew.
func (e *called) calledFrom(n flat.NodeID) []string {
	nd := &e.G.Nodes[n]
	calls := e.originOf(nd.In).calls
	noCall := func(call string) bool {
		return strings.HasSuffix(call, "closed_call") && !e.isRenewed(returned{nd.Comp, call})
	}
	if slices.ContainsFunc(calls, noCall) {
		return slices.DeleteFunc(slices.Clone(calls), noCall)
	}
	return calls
}

// areAlike reports whether two users of a value do the same with it. Slices do not: a function takes several parts.
func (e *called) areAlike(n, a, b flat.NodeID) bool {
	g := e.G
	loA, hiA := g.Slots(a)
	loB, hiB := g.Slots(b)
	alike := func(x, y flat.NodeID) bool { return (x == n) == (y == n) }
	return g.Nodes[a].Op == g.Nodes[b].Op && g.Nodes[a].Op != hlo.OpSlice && g.ShapeOf(a).Equal(g.ShapeOf(b)) &&
		slices.EqualFunc(g.Operands[loA:hiA], g.Operands[loB:hiB], alike)
}

// isShared reports whether equal instructions of several calls become one.
func isShared(op hlo.Opcode) bool {
	return op == hlo.OpBroadcast || op == hlo.OpConstant || op == hlo.OpIota || op == hlo.OpParameter
}
