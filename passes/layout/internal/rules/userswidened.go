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
				"with the widening, which the body passes on, have the order of the text (55 of 60). A select that the " +
				"compiler puts in the place of an element, for the first time has another value, has its users (13 of 13).",
			ListUsers: (&widened{e, map[flat.CompID]int{}}).list},
	}
}

// widened knows how many elements the state of each loop had before it was widened.
type widened struct {
	*Set
	former map[flat.CompID]int // by the body
}

// list requires an element of the former state of a widened loop, or the select that the compiler put in its place,
// where the first time has another value.
func (e *widened) list(n flat.NodeID, users []flat.NodeID) []flat.NodeID {
	ci := e.G.Nodes[n].Comp
	if c := &e.G.Comps[ci]; !c.Looped || !strings.HasPrefix(c.Computation.Name, "wide.") {
		return nil
	}
	if e.G.Nodes[n].Op == hlo.OpSelect && e.isMade(n) && e.sources.of[n].metadata == nil {
		n = e.G.Operand(n, 2)
	}
	if k := e.elementOf(n); k < 0 || k >= e.formerState(ci) {
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
		for last > 0 && e.elementOf(operands[last-1]) == last-1 {
			last--
		}
		return last
	})
}

// elementOf returns which element of its computation's parameter an instruction is, -1 where it is none.
func (e *widened) elementOf(n flat.NodeID) int {
	nd := &e.G.Nodes[n]
	if nd.Op != hlo.OpGetTupleElement || e.G.Nodes[e.G.Operand(n, 0)].Op != hlo.OpParameter {
		return -1
	}
	k, _ := nd.In.Attr("index").Int()
	return int(k)
}
