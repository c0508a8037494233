package layout

import (
	"fmt"
	"hlolayout/hlo"
	"hlolayout/passes/entry"
	"hlolayout/passes/internal/flat"
	"hlolayout/passes/plan"
	"hlolayout/tpu"
)

// Run gives every array of the module a layout and says which copies that takes. Parameters and result have the
// layouts that entry.Of gives them: those of entry_computation_layout where they are more than placeholders, else the
// target's defaults.
//
// A module in which every array outside of fusion bodies has a tile has been through the pass: the plan is then
// empty, with a note, unless opt.Reassign is set. The module is not modified. The error says where the module is
// malformed, or, an hlo.ErrorList with one of Codes, which of opt.Pins cannot be had.
func Run(m *hlo.Module, t *tpu.Target, opt plan.Options) (*plan.Plan, error) {
	g, err := flat.New(m)
	if err != nil {
		return nil, fmt.Errorf("layout: %w", err)
	}
	if !opt.Reassign && g.Assigned() {
		if len(opt.Pins) > 0 {
			return nil, pinError(m, nil, "PIN107", "", "every array has a tile already: there is nothing left for a pin to decide")
		}
		return &plan.Plan{Notes: []string{"every array has a tile already: nothing to assign"}}, nil
	}
	e := newEngine(g, t)
	return e.run(opt)
}

// run is Run of a module that is to be assigned.
func (e *engine) run(opt plan.Options) (*plan.Plan, error) {
	iface, err := entry.Of(e.g.Module, e.Target, opt.EntryLayouts)
	if err != nil {
		return nil, fmt.Errorf("layout: %w", err)
	}
	e.setEntry(iface)
	if err := e.hold(opt.Pins); err != nil {
		return nil, err
	}
	names := newNamer(e.g.Module)
	var final *namer
	e.steps(func() {
		final = names.clone()
		e.takeNames(names)
	})
	if err := e.checkHeld(); err != nil {
		return nil, err
	}
	e.settled = true
	e.keepGiven(iface.Params)
	layouts := &layoutMemo{t: e.Target, orders: e.Orders, made: map[layoutKey]*hlo.Layout{}}
	p := &plan.Plan{Edits: e.edits(final, layouts), Entry: e.entryLayout(iface)}
	e.letGo()
	p.Decisions = e.decisions(layouts)
	for _, in := range final.changed {
		p.Changes = append(p.Changes, plan.Change{Instruction: in, Name: final.names[in]})
	}
	return p, nil
}
