package rules

import (
	"cmp"

	"hlolayout/hlo"
	"hlolayout/passes/internal/flat"
	"hlolayout/passes/layout/internal/ordering"
	"hlolayout/passes/layout/internal/rule"
)

func legalRules(e *Set) rule.Rows {
	return rule.Rows{
		rule.Legal: {Name: "legal", Stage: rule.Copy, Evidence: []string{"legal"},
			Doc: "An operand is copied where an operation cannot make its result from it, though no constraint " +
				"requests another layout. No log shows this; it keeps random modules legal.",
			Ops: hlo.Ops(hlo.OpBroadcast, hlo.OpTranspose, hlo.OpReshape, hlo.OpSort), Legal: e.legalOrder},
		rule.TupleElement: {Name: "tuple-element", Stage: rule.Copy, Evidence: []string{"tuple_element"},
			Doc: "What uses the element of a tuple of the same computation uses what the tuple was made of once the " +
				"first run is over (76 of 76 elements in 10 modules), and counts as its reader from then on (5 programs with " +
				"layers that v7x inlines late, whose dots choose M and N anew). An element of another tuple takes the name of " +
				"the one it replaces, as XLA names what replaces an instruction of the same opcode.",
			Ran: e.takeElements},
	}
}

// takeElements takes the elements of tuples once, and has dots ask anew who reads them.
func (e *Set) takeElements() {
	if !e.TakeElements() {
		return
	}
	e.reached = nil
	for _, x := range e.dots.list {
		x.known = false
	}
}

// legalOrder returns the order in which an instruction has to read an operand. A conditional or a call gets its
// result's layout after its users were constrained, and the users' constraints then follow the value; where a user
// cannot follow, it takes a copy.
func (e *Set) legalOrder(n flat.NodeID, k int, have ordering.Order) ordering.Order {
	out := e.OrderAt(n, 0)
	if e.reshapes(n, have, out) {
		return have
	}
	want, _ := e.readsAs(n, k, out)
	return cmp.Or(want, have)
}
