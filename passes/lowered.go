package passes

import (
	"hlolayout/hlo"
	"hlolayout/hlo/stage"
	"hlolayout/passes/folding"
	"hlolayout/passes/layout"
	"hlolayout/passes/plan"
	"hlolayout/tpu"
)

// assignLayouts is the layout pass. The compiler assigns layouts to the simplified form of a lowered or unoptimized
// module, so the values that survive simplification get the orders that they have there; layout.Run gives the others
// theirs.
func assignLayouts(m *hlo.Module, t *tpu.Target, opt Options) (*plan.Plan, error) {
	return layout.Run(m, t, followed(m, t, opt))
}

// Layouts returns what the layout pass plans for a module, which it does not modify.
func Layouts(m *hlo.Module, t *tpu.Target, opt Options) (*plan.Plan, error) {
	return assignLayouts(m, t, opt)
}

// followed adds to the options a soft pin for each value of a lowered or unoptimized module that survives
// simplification.
func followed(m *hlo.Module, t *tpu.Target, opt Options) Options {
	if m.Simplified {
		return opt
	}
	if opt.Stage == nil {
		at := stage.Of(m)
		opt.Stage = &at
	}
	if !opt.Stage.BeforeSimplification() {
		return opt
	}
	s := folding.Survivors(m, t)
	if len(s.Applied) == 0 {
		return opt
	}
	var err error
	if opt.Interface, err = opt.Entry(m, t); err != nil {
		return opt // layout.Run says what is wrong with m itself
	}
	decided, err := layout.Decide(s.Module, t, Options{Interface: opt.Interface, Pins: carried(m, s, opt.Pins),
		NoReasons: opt.NoReasons})
	if err != nil || decided == nil {
		return opt
	}
	room := decided.Arrays()
	pins := make([]plan.SoftPin, 0, room+room/4) // several values may survive as one
	survive(m, s, func(in, n *hlo.Instruction) { pins = decided.Pins(pins, in, n) })
	opt.Fit, opt.Soft = true, plan.SoftPins{List: pins, Orders: decided.Orders.All()}
	var of origins
	if !opt.NoReasons {
		of = trace(m, s)
	}
	for i := range pins {
		if opt.NoReasons {
			pins[i].Because = noReason
		} else {
			of.original(m, pins[i].Because) // the pins keep the reasons, not the copy
		}
	}
	if opt.Spent != nil {
		opt.Spent(true)
	}
	return opt
}

// noReason makes a pin a soft one where nobody requests reasons.
var noReason = &plan.Reason{}

// survive calls f with the instructions of a module whose values survive, and those of the copy that have these.
func survive(m *hlo.Module, s *folding.Simplified, f func(in, n *hlo.Instruction)) {
	for _, c := range m.InMemory() {
		for _, in := range c.Instructions {
			if n := s.Of(in); n != nil && n.Shape.Compatible(in.Shape) {
				f(in, n)
			}
		}
	}
}

// origins are, by computation and instruction of the copy, the first instruction of the module that it stands for.
type origins [][]*hlo.Instruction

func (t origins) of(in *hlo.Instruction) **hlo.Instruction { return &t[in.Computation.Index][in.Index] }

func trace(m *hlo.Module, s *folding.Simplified) origins {
	out := make(origins, len(s.Module.Computations))
	for i, c := range s.Module.Computations {
		out[i] = make([]*hlo.Instruction, len(c.Instructions))
	}
	for _, c := range m.InMemory() {
		for _, in := range c.Instructions {
			if n := s.Of(in); n != nil && *out.of(n) == nil {
				*out.of(n) = in
			}
		}
	}
	return out
}

// original makes a reason name instructions of the module in place of those of the copy, or, of what only the copy has,
// ones without operands: the copy is not kept for them.
func (t origins) original(m *hlo.Module, why *plan.Reason) {
	replace := func(source **hlo.Instruction) {
		if *source == nil {
			return
		}
		of := t.of(*source)
		if *of == nil {
			alone := **source
			alone.SetCalled(nil)
			alone.Operands, alone.Computation = nil, &hlo.Computation{Name: alone.Computation.Name,
				Module: m, Pos: alone.Computation.Pos, Index: alone.Computation.Index}
			*of = &alone
		}
		*source = *of
	}
	replace(&why.Source)
	for _, lost := range [][]plan.Overridden{why.Beat(), why.Refused()} {
		for i := range lost {
			replace(&lost[i].Source)
		}
	}
}

// carried returns the pins of a module as soft pins of its simplified form.
func carried(m *hlo.Module, s *folding.Simplified, pins []plan.Pin) (out []plan.Pin) {
	for _, p := range pins {
		in, _ := m.Find(p.Name)
		if in == nil {
			continue
		}
		if n := s.Of(in); n != nil && n.Shape.Compatible(in.Shape) {
			p.Value, p.Because = n, noReason
			out = append(out, p)
		}
	}
	return out
}
