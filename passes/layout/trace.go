package layout

import (
	"hlolayout/hlo"
	"hlolayout/passes/entry"
	"hlolayout/passes/internal/flat"
	"hlolayout/passes/layout/internal/ordering"
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
	g, err := flat.New(m)
	if err != nil {
		return err
	}
	e := newEngine(g, t)
	iface, err := entry.Of(m, t, opt.EntryLayouts)
	if err != nil {
		return err
	}
	e.setEntry(iface)
	if err := e.hold(opt.Pins); err != nil {
		return err
	}
	run := 1
	e.trace = func(e *engine, i item) {
		ev := Event{Run: run, Operand: -1}
		if i < 0 {
			slot := int32(-1 - i)
			c := &e.operandC[slot]
			nd := &g.Nodes[g.SlotNode[slot]]
			ev.Instruction, ev.Operand = nd.In, int(slot-nd.FirstSlot)
			ev.Priority, ev.Mandatory, ev.DFS, ev.Rule = int(c.priority), c.mandatory, c.dfs, e.table[c.cause.rule].Text
			if c.Order != ordering.None {
				ev.MinorToMajor = e.Orders.Get(c.Order)
			}
		} else {
			c, v := &e.bufferC[i], &g.Values[i]
			ev.Instruction = g.Nodes[v.Node].In
			ev.Index = g.Shape(ev.Instruction.Shape).Indices[v.Leaf]
			ev.MinorToMajor = e.Orders.Get(c.Order)
			ev.Priority, ev.Mandatory, ev.DFS, ev.Rule = int(c.priority), c.mandatory, c.dfs, e.table[c.cause.rule].Text
		}
		f(ev)
	}
	e.steps(func() { run++ })
	return nil
}
