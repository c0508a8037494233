package rules

import (
	"slices"

	"hlolayout/hlo"
	"hlolayout/passes/internal/flat"
	"hlolayout/passes/layout/internal/rule"
)

func inlinedRules(e *Set) rule.Rows {
	return rule.Rows{
		rule.UsersInlined: {Name: "users-inlined", Stage: rule.Propagate, Evidence: []string{"users_inlined"},
			Doc: "Equal constants of one shape become one: first those of the program, later those of functions " +
				"that it calls several times, which are inlined later, so that their users are last; where one of " +
				"theirs is the first in the text, it is the other way round (18 of 24 lists; two of 90 programs " +
				"come out by it). Names and op_name show the calls.", ListUsers: e.merged},
	}
}

// merged asks for a constant of equal elements: users of the program and those of functions that are inlined late are
// apart, and those of the first one's kind come first.
func (e *Set) merged(n flat.NodeID, users []flat.NodeID) []flat.NodeID {
	if e.G.Nodes[n].Op != hlo.OpBroadcast || e.G.Nodes[e.G.Operand(n, 0)].Op != hlo.OpConstant {
		return nil
	}
	first := e.isLate(users[0])
	later := func(u flat.NodeID) bool { return e.isLate(u) != first }
	if !slices.ContainsFunc(users, later) {
		return nil
	}
	return slices.Concat(slices.DeleteFunc(slices.Clone(users), later),
		slices.DeleteFunc(slices.Clone(users), func(u flat.NodeID) bool { return !later(u) }))
}

// isLate reports whether an instruction is one of a function that is called elsewhere, too, and has a number
// above those of its kind outside of functions.
func (e *Set) isLate(n flat.NodeID) bool {
	from := &e.sources.of[n]
	if from.function == 0 {
		return false
	}
	e.findPlaces()
	highest, ok := e.sources.program[from.stem]
	return ok && from.number > highest && e.sources.places[e.produced(n)] == severalCalls
}
