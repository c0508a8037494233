package rules

import (
	"slices"

	"hlolayout/hlo"
	"hlolayout/passes/internal/flat"
	"hlolayout/passes/layout/internal/constraint"
	"hlolayout/passes/layout/internal/rule"
)

func inlinedRules(e *Set) rule.Rows {
	d := &inlined{Set: e}
	return rule.Rows{
		rule.UsersInlined: {Name: "users-inlined", Stage: rule.Propagate, Evidence: []string{"users_inlined"},
			Doc: "Equal constants of one shape become one: first those of the program, later those of functions " +
				"that it calls several times, which are inlined later, so that their users are last; where one of " +
				"theirs is the first in the text, it is the other way round (18 of 24 lists; two of 90 programs " +
				"come out by it). Names and op_name show the calls.", ListUsers: d.merged},
	}
}

// inlined is what tells the instructions of functions that are called several times, which the compiler inlines late
// and numbers last.
type inlined struct {
	*Set
	program map[string]int     // by stem, the highest number outside of functions
	places  map[produced]place // where a function's calls are that give such an instruction, severalCalls for several
}

// produced is a kind of instruction of a function.
type produced struct{ stem, shape, function string }

var severalCalls = place{call: "several"}

// merged asks for a constant of equal elements: users of the program and those of functions that are inlined late are
// apart, and those of the first one's kind come first.
func (e *inlined) merged(n flat.NodeID, users []flat.NodeID) []flat.NodeID {
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
func (e *inlined) isLate(n flat.NodeID) bool {
	in := e.G.Nodes[n].In
	from := e.originOf(in)
	if from.function == "" {
		return false
	}
	if e.program == nil {
		e.find()
	}
	base, number := constraint.Numbered(in.Name)
	highest, ok := e.program[base]
	return ok && number > highest && e.places[produced{base, in.Shape.Bare(), from.function}] == severalCalls
}

func (e *inlined) find() {
	e.program, e.places = map[string]int{}, map[produced]place{}
	for n := range e.G.Nodes[:len(e.G.Nodes)-1] {
		in := e.G.Nodes[n].In
		base, number := constraint.Numbered(in.Name)
		from := e.originOf(in)
		if from.function == "" {
			if highest, ok := e.program[base]; !ok || number > highest {
				e.program[base] = number
			}
			continue
		}
		key := produced{base, in.Shape.Bare(), from.function}
		if known, ok := e.places[key]; ok && known != from.place {
			from.place = severalCalls
		}
		e.places[key] = from.place
	}
}
