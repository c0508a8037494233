package passes

import (
	"slices"

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
	if at := stage.Of(m); m.Simplified || at != stage.Lowered && at != stage.Unoptimized {
		return opt
	}
	s := folding.Simplify(m)
	if len(s.Applied) == 0 {
		return opt
	}
	p, err := layout.Run(s.Module, t, Options{EntryLayouts: opt.EntryLayouts, Pins: carried(m, s, opt.Pins)})
	if err != nil {
		return opt // layout.Run says what is wrong with m itself
	}
	origin := make(map[*hlo.Instruction]*hlo.Instruction, len(p.Decisions))
	decided := make(map[*hlo.Instruction][]plan.Decision, len(p.Decisions))
	for rest := p.Decisions; len(rest) > 0; { // those of one instruction follow each other
		n := slices.IndexFunc(rest, func(d plan.Decision) bool { return d.Instruction != rest[0].Instruction })
		if n < 0 {
			n = len(rest)
		}
		decided[rest[0].Instruction], rest = rest[:n], rest[n:]
	}
	for _, c := range m.InMemory() {
		for _, in := range c.Instructions {
			if n := s.Of(in); n != nil && origin[n] == nil {
				origin[n] = in
			}
		}
	}
	pins := slices.Clone(opt.Pins)
	for _, c := range m.InMemory() {
		for _, in := range c.Instructions {
			n := s.Of(in)
			if n == nil || !n.Shape.Compatible(in.Shape) {
				continue
			}
			for _, d := range decided[n] {
				if len(d.Layout.MinorToMajor) < 2 {
					continue
				}
				why := d.Reason
				if from := origin[why.Source]; from != nil {
					why.Source = from
				}
				pins = append(pins, plan.Pin{Value: in, Index: d.Index, MinorToMajor: d.Layout.MinorToMajor,
					Because: &why})
			}
		}
	}
	opt.Pins = pins
	return opt
}

// carried returns the pins of a module as soft pins of its simplified form.
func carried(m *hlo.Module, s *folding.Simplified, pins []plan.Pin) (out []plan.Pin) {
	for _, p := range pins {
		in, _ := m.Find(p.Name)
		if in == nil {
			continue
		}
		if n := s.Of(in); n != nil && n.Shape.Compatible(in.Shape) {
			p.Value, p.Because = n, &plan.Reason{}
			out = append(out, p)
		}
	}
	return out
}
