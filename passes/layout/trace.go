package layout

import (
	"hlolayout/hlo"
	"hlolayout/passes/internal/flat"
	"hlolayout/passes/layout/internal/constraint"
	"hlolayout/passes/layout/internal/ordering"
	"hlolayout/passes/layout/internal/result"
	"hlolayout/passes/layout/internal/rules"
	"hlolayout/passes/plan"
	"hlolayout/tpu"
)

// Event is one constraint that the pass sets: on a value, or on an operand.
type Event struct {
	// Run counts the runs of the generic algorithm, from 1.
	Run int
	// Instruction defines the value, at Index of its shape; or it has the operand, numbered from 0. Operand is -1 for
	// a value.
	Instruction    *hlo.Instruction
	Index          hlo.Index
	Operand        int
	MinorToMajor   []int
	Priority       int
	Mandatory, DFS bool
	Rule           string
}

// Trace runs the pass and calls f for every constraint that it sets, in order, so that they can be held against the
// compiler's own log (SetBufferLayout, SetOperandLayout). Of the options it heeds Pins and EntryLayouts. It plans
// nothing. The errors are those of Run.
func Trace(m *hlo.Module, t *tpu.Target, opt plan.Options, f func(Event)) error {
	g, err := flat.New(m, flat.Everything)
	if err != nil {
		return err
	}
	e := rules.New(g, t, result.Rules)
	run := 1
	e.Trace = func(x constraint.Event) {
		nd := &g.Nodes[x.Node]
		ev := Event{Run: run, Instruction: nd.In, Operand: -1, Priority: int(x.Priority), Mandatory: x.Mandatory,
			DFS: x.DFS, Rule: e.Row(x.Cause.Rule).Text}
		if x.Slot >= 0 {
			ev.Operand = int(x.Slot - nd.FirstSlot)
		} else {
			ev.Index = g.Shape(nd.In.Shape).Indices[x.Leaf]
		}
		if x.Layout.Order != ordering.None {
			ev.MinorToMajor = e.Orders.Get(x.Layout.Order)
		}
		f(ev)
	}
	_, err = solve(e, opt, func() { run++ })
	return err
}
