package rules

import (
	"slices"

	"hlolayout/hlo"
	"hlolayout/passes/internal/flat"
	"hlolayout/passes/layout/internal/rule"
)

func inlinedRules(e *Set) rule.Rows {
	return rule.Rows{
		rule.UsersInlined: {Name: "users-inlined", Stage: rule.Propagate, Evidence: []string{"users_inlined",
			"users_packed"},
			Doc: "Equal constants of one shape become one, first in the program and in each function, then, once calls are " +
				"inlined, those of all: the users of each call follow each other, in the order in which the text comes to the " +
				"calls. A clamp that the compiler made of a max and a min is the last user where the max is still there (of " +
				"lists that differ from the text 137 come out, 24 keep its order). The shifts that pack the indices of gathers " +
				"come after their clamps (41 of 44 lists that the text has otherwise). Names and op_name show the calls.",
			ListUsers: (&inlined{Set: e}).list},
	}
}

// inlined knows which calls an instruction was inlined from.
type inlined struct {
	*Set
	calls map[callSite]*callNumbers
}

// callSite is where a function is called, once or, in a function that is called several times itself, more often.
type callSite struct {
	comp  flat.CompID
	call  int32
	frame string
}

// callNumbers are the numbers of the instructions of calls from one site, by stem and ascending.
type callNumbers struct {
	of    map[int32][]int
	times int // how often the site was inlined: the stem that it has least often
}

// instance is one call; the zero value is the program.
type instance struct {
	callSite
	time int
}

// list requires a constant of equal elements. Shifts that pack indices come after the clamps.
func (e *inlined) list(n flat.NodeID, users []flat.NodeID) []flat.NodeID {
	if e.G.Nodes[n].Op != hlo.OpBroadcast || e.G.Nodes[e.G.Operand(n, 0)].Op != hlo.OpConstant {
		return nil
	}
	last := len(users) - 1
	for last >= 0 && e.G.Nodes[users[last]].Op != hlo.OpClamp {
		last--
	}
	rest, shifts := apart(users, func(i int, u flat.NodeID) bool {
		return i < last && e.G.Nodes[u].Op == hlo.OpShiftLeft
	})
	if shifts == nil {
		return e.byCall(n, users)
	}
	return slices.Insert(rest, slices.Index(rest, users[last])+1, shifts...)
}

// byCall requires a user in a call, in a computation that no pass made anew.
func (e *inlined) byCall(n flat.NodeID, users []flat.NodeID) []flat.NodeID {
	of := e.sources.of
	if !slices.ContainsFunc(users, func(u flat.NodeID) bool { return len(of[u].calls) > 0 }) ||
		!slices.ContainsFunc(users, func(u flat.NodeID) bool { return of[u].named }) || e.isMadeAnew(n) {
		return nil
	}
	e.findCalls()
	groups := map[instance][]flat.NodeID{}
	var order []instance
	users, clamps := e.clampsApart(users)
	for _, u := range users {
		i := e.instance(u)
		if groups[i] == nil {
			order = append(order, i)
		}
		groups[i] = append(groups[i], u)
	}
	list := make([]flat.NodeID, 0, len(users))
	for _, i := range order {
		if i.call != 0 {
			e.sortStems(groups[i])
		}
		list = append(list, groups[i]...)
	}
	return append(list, clamps...)
}

// site returns where the innermost call is that an instruction was inlined from.
func (e *inlined) site(n flat.NodeID) (at callSite) {
	from := &e.sources.of[n]
	if last := len(from.calls) - 1; last >= 0 {
		at = callSite{e.G.Nodes[n].Comp, from.calls[last], from.frame()}
	}
	return at
}

// findCalls notes the numbers of the instructions of calls once.
func (e *inlined) findCalls() {
	if e.calls != nil {
		return
	}
	e.calls = map[callSite]*callNumbers{}
	for n := range e.sources.of {
		from := &e.sources.of[n]
		if len(from.calls) == 0 || !from.named {
			continue
		}
		at := e.site(flat.NodeID(n))
		c := e.calls[at]
		if c == nil {
			c = &callNumbers{of: map[int32][]int{}}
			e.calls[at] = c
		}
		c.of[from.stem] = append(c.of[from.stem], from.number)
	}
	for _, c := range e.calls {
		for _, numbers := range c.of {
			slices.Sort(numbers)
			if c.times == 0 || len(numbers) < c.times {
				c.times = len(numbers)
			}
		}
	}
}

// instance returns the call of an instruction: each has as many instructions of one stem.
func (e *inlined) instance(n flat.NodeID) instance {
	at, from := e.site(n), &e.sources.of[n]
	if at.call == 0 || !from.named {
		return instance{callSite: at}
	}
	c := e.calls[at]
	k, _ := slices.BinarySearch(c.of[from.stem], from.number)
	return instance{at, k / (len(c.of[from.stem]) / c.times)}
}

// sortStems puts the instructions of each stem in the order of their numbers, in the places that they have.
func (e *inlined) sortStems(nodes []flat.NodeID) {
	of := e.sources.of
	byNumber := slices.Clone(nodes)
	slices.SortStableFunc(byNumber, func(a, b flat.NodeID) int { return of[a].number - of[b].number })
	next := map[int32][]flat.NodeID{}
	for _, n := range byNumber {
		next[of[n].stem] = append(next[of[n].stem], n)
	}
	for i, n := range nodes {
		stem := of[n].stem
		nodes[i], next[stem] = next[stem][0], next[stem][1:]
	}
}
