package layout

import (
	"fmt"

	"hlolayout/hlo"
	"hlolayout/passes/entry"
	"hlolayout/passes/internal/flat"
	"hlolayout/passes/layout/internal/constraint"
	"hlolayout/passes/layout/internal/ordering"
	"hlolayout/passes/layout/internal/result"
	"hlolayout/passes/layout/internal/rules"
	"hlolayout/passes/plan"
	"hlolayout/tpu"
)

// Run gives every array of the module a layout and says which copies that takes. Parameters and result have the
// layouts that entry.Of gives them: those of entry_computation_layout where they are more than placeholders, else the
// target's defaults.
//
// A module in which every array outside of fusion bodies has a tile has been through the pass: the plan is then
// empty, with a note, unless opt.Reassign is set. The module is not modified. It is one in which hlo.Check finds
// nothing. The error says which instruction has attributes or computations that do not fit its shapes, or, an
// hlo.ErrorList with one of Codes, which of opt.Pins is not possible.
func Run(m *hlo.Module, t *tpu.Target, opt plan.Options) (*plan.Plan, error) {
	g, err := flat.New(m, flat.Decided)
	if err != nil {
		return nil, fmt.Errorf("layout: %w", err)
	}
	if !opt.Reassign && g.Assigned() {
		if len(opt.Pins) > 0 {
			return nil, rules.PinError(m, nil, "PIN107", "",
				"every array has a tile already: there is nothing left for a pin to decide")
		}
		return &plan.Plan{Notes: []string{"every array has a tile already: nothing to assign"}}, nil
	}
	return run(rules.New(g, t, result.Rules), opt)
}

// run is Run of a module that is to be assigned.
func run(e *rules.Set, opt plan.Options) (*plan.Plan, error) {
	names := result.NewNamer(e.G.Module)
	out := result.New(e.State, opt)
	spent := opt.Spent // and not opt, whose pins only solve reads
	first := names.Clone()
	iface, err := solve(e, opt, func() { out.TakeNames(names) })
	if err != nil {
		return nil, err
	}
	if e.RunNumber() == 0 { // the names as the last run found them
		names = first
	}
	return out.Plan(names, iface, func() {
		e.Release()
		if spent != nil {
			spent(false)
		}
	}), nil
}

// Decide runs the pass and returns what it decides about arrays of two dimensions or more, nil for a module in which
// every array has a tile.
func Decide(m *hlo.Module, t *tpu.Target, opt plan.Options) (*result.Result, error) {
	g, err := flat.New(m, flat.Decided)
	if err != nil || g.Assigned() {
		return nil, err
	}
	e := rules.New(g, t, result.Rules)
	if _, err := solve(e, opt, func() {}); err != nil {
		return nil, err
	}
	out := result.New(e.State, opt)
	out.Decide(e.Release)
	return out, nil
}

// solve reads the interface, holds what the caller pins and runs the pass, calling each as Steps does.
func solve(e *rules.Set, opt plan.Options, each func()) (*entry.Interface, error) {
	iface, err := opt.Entry(e.G.Module, e.Target)
	if err != nil {
		return nil, fmt.Errorf("layout: %w", err)
	}
	e.SetEntry(iface)
	e.Fit = opt.Fit
	if err := e.Hold(opt.Pins, opt.Soft); err != nil {
		return nil, err
	}
	e.Steps(each)
	return iface, e.CheckHeld()
}

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
			ev.Operand = g.OperandNumber(x.Slot)
		} else {
			ev.Index = g.Shape(nd.In.Shape).Indices[x.Leaf]
		}
		if x.Order != ordering.None {
			ev.MinorToMajor = e.Orders.Get(x.Order)
		}
		f(ev)
	}
	_, err = solve(e, opt, func() { run++ })
	return err
}
