package layout

import (
	"fmt"
	"slices"

	"hlolayout/hlo"
	"hlolayout/passes/plan"
	"hlolayout/tpu"
)

// Run gives every array of the module a layout and says which copies that takes. Parameters and result have the layouts that
// entry_computation_layout gives them; a shape without one there is left to the pass, and a module without the attribute
// gets the device's default layouts.
//
// A module in which every array outside of fusion bodies has a tile has been through the pass: the plan is then empty, with
// a note, unless opt.Reassign is set. The module is not modified. The error says where the module is malformed, or, an
// hlo.ErrorList with one of Codes, which of opt.Pins cannot be had.
func Run(m *hlo.Module, t *tpu.Target, opt plan.Options) (*plan.Plan, error) {
	g, err := newGraph(m)
	if err != nil {
		return nil, fmt.Errorf("layout: %w", err)
	}
	if !opt.Reassign && g.assigned() {
		if len(opt.Pins) > 0 {
			return nil, pinError(m, nil, "PIN107", "", "every array has a tile already: there is nothing left for a pin to decide")
		}
		return &plan.Plan{Notes: []string{"every array has a tile already: nothing to assign"}}, nil
	}
	e := newEngine(g, t)
	params, result, given, err := e.interfaceShapes()
	if err != nil {
		return nil, fmt.Errorf("layout: %w", err)
	}
	e.setEntry(params, result)
	if err := e.hold(opt.Pins); err != nil {
		return nil, err
	}
	names := newNamer(m)
	var final *namer
	e.steps(func() {
		final = names.clone()
		e.takeNames(names)
	})
	if err := e.checkHeld(); err != nil {
		return nil, err
	}
	e.settled = true
	e.keepGiven(params)
	layouts := &layoutMemo{t: t, orders: e.orders, made: map[layoutKey]*hlo.Layout{}}
	p := &plan.Plan{Edits: e.edits(final, layouts), Entry: e.entryLayout(params, result, given)}
	e.letGo()
	p.Decisions = e.decisions(layouts)
	for _, in := range final.changed {
		p.Changes = append(p.Changes, plan.Change{Instruction: in, Name: final.names[in]})
	}
	return p, nil
}

// assigned reports whether every array outside of fusion bodies has a tile, or an order where it has no elements.
func (g *graph) assigned() bool {
	for _, s := range g.leafShape {
		if s.IsArray() && (s.Layout == nil || len(s.Layout.Tiles) == 0 && !slices.Contains(s.Dims, 0)) {
			return false
		}
	}
	return true
}

// interfaceShapes returns the entry's parameters and result with the layouts that are given for them.
func (e *engine) interfaceShapes() (params []*hlo.Shape, result *hlo.Shape, given bool, err error) {
	entry := e.g.m.Entry
	c := &e.g.comps[e.g.entry]
	params, result, given = e.g.m.EntryLayout()
	if !given {
		for _, p := range c.params {
			params = append(params, e.deviceDefault(e.g.shapeOf(p)))
		}
		return params, e.deviceDefault(entry.Root.Shape), false, nil
	}
	if len(params) != len(c.params) {
		return nil, nil, false, fmt.Errorf("entry_computation_layout has %d parameters, the entry computation %d", len(params), len(c.params))
	}
	for i, p := range params {
		if in := e.g.nodes[c.params[i]].in; !p.Compatible(in.Shape) {
			return nil, nil, false, fmt.Errorf("entry_computation_layout gives parameter %d the shape %s, instruction %%%s has %s", i, p, in.Name, in.Shape)
		}
	}
	if !result.Compatible(entry.Root.Shape) {
		return nil, nil, false, fmt.Errorf("entry_computation_layout gives the result the shape %s, instruction %%%s has %s", result, entry.Root.Name, entry.Root.Shape)
	}
	for _, s := range append(slices.Clone(params), result) {
		for _, l := range e.g.shape(s).leaves {
			if l.Layout != nil && (len(l.Layout.MinorToMajor) != l.Rank() || !hlo.IsPermutation(l.Layout.MinorToMajor)) {
				return nil, nil, false, fmt.Errorf("entry_computation_layout: layout %s of %s is no order of its %d dimensions", l.Layout, l, l.Rank())
			}
		}
	}
	return params, result, true, nil
}

// deviceDefault returns a shape with the layouts that the compiler gives to a program's parameters and results.
func (e *engine) deviceDefault(s *hlo.Shape) *hlo.Shape {
	return s.WithLeaves(func(_ hlo.Index, l *hlo.Shape) *hlo.Shape {
		if !l.IsArray() {
			return l
		}
		return l.WithLayout(e.t.Layout(l.DType, l.Dims, e.t.BoundaryOrder(l.DType, l.Dims), true))
	})
}
