package rules

import "hlolayout/passes/layout/internal/rule"

func tupleRules(e *Set) rule.Rows {
	return rule.Rows{
		rule.TupleElement: {Name: "tuple-element", Stage: rule.Copy, Evidence: []string{"tuple_element"},
			Doc: "What uses the element of a tuple of the same computation uses what the tuple was made of once the " +
				"first run is over (76 of 76 elements in 10 modules). An element of another tuple takes the name of " +
				"the one it replaces, as XLA names what replaces an instruction of the same opcode.",
			Ran: func() { e.G.TakeElements() }},
	}
}
