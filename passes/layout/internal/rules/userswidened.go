package rules

import (
	"strings"

	"hlolayout/hlo"
	"hlolayout/passes/internal/flat"
	"hlolayout/passes/layout/internal/rule"
)

func widenedRules(e *Set) rule.Rows {
	return rule.Rows{
		rule.UsersWidened: {Name: "users-widened", Stage: rule.Propagate, Evidence: []string{"users_widened"},
			Doc: "A loop whose state was widened calls its former body, which is then inlined, with a tuple of what the state " +
				"had before: this tuple was the first user of each of these elements, and its place has the last one (98 lists; " +
				"17 have the order of the text, most of them in loops that were copied several times since). Elements that came " +
				"with the widening, which the body passes on, have the order of the text (55 of 60).",
			ListUsers: (&widened{e, map[flat.CompID]int{}}).list},
	}
}

// widened knows how many elements the state of each loop had before it was widened.
type widened struct {
	*Set
	former map[flat.CompID]int // by the body
}

// list requires an element of the former state of a widened loop.
func (e *widened) list(n flat.NodeID, users []flat.NodeID) []flat.NodeID {
	nd := &e.G.Nodes[n]
	if nd.Op != hlo.OpGetTupleElement {
		return nil
	}
	of := e.G.Operand(n, 0)
	if c := &e.G.Comps[nd.Comp]; e.G.Nodes[of].Op != hlo.OpParameter || !c.Looped ||
		!strings.HasPrefix(c.Computation.Name, "wide.") || e.elementOf(n) >= e.formerState(nd.Comp) {
		return nil
	}
	return lastFirst(users)
}

// formerState returns the number of elements of a loop's state without those at its end that the body passes on.
func (e *widened) formerState(ci flat.CompID) int {
	return memo(e.former, ci, func() int {
		root := e.G.Comps[ci].Root
		operands := e.G.OperandsOf(root)
		last := len(operands)
		for last > 0 && e.passesOn(operands[last-1], last-1) {
			last--
		}
		return last
	})
}

// passesOn reports whether what a body gives back as an element is the element that it was given.
func (e *widened) passesOn(n flat.NodeID, k int) bool {
	nd := &e.G.Nodes[n]
	return nd.Op == hlo.OpGetTupleElement && e.G.Nodes[e.G.Operand(n, 0)].Op == hlo.OpParameter && e.elementOf(n) == k
}

func (e *widened) elementOf(n flat.NodeID) int {
	k, _ := e.G.Nodes[n].In.Attr("index").Int()
	return int(k)
}
