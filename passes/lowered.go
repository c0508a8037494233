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
	if at := stage.Of(m); at != stage.Lowered && at != stage.Unoptimized {
		return opt
	}
	s := folding.Survivors(m, t)
	if len(s.Applied) == 0 {
		return opt
	}
	decisions, err := layout.Decide(s.Module, t, Options{EntryLayouts: opt.EntryLayouts, Pins: carried(m, s, opt.Pins),
		NoReasons: opt.NoReasons})
	if err != nil {
		return opt // layout.Run says what is wrong with m itself
	}
	of := survivors(s, decisions)
	if !opt.NoReasons {
		of.trace(m, s)
	}
	for i := range decisions {
		decisions[i].Instruction = nil // the pins keep the reasons, not the copy
		if opt.NoReasons {
			decisions[i].Reason = noReason
		} else {
			of.original(m, decisions[i].Reason)
		}
	}
	pins := len(opt.Pins)
	of.pinned(m, s, func(_ *hlo.Instruction, decided []plan.Decision) { pins += len(decided) })
	opt.Pins = append(make([]plan.Pin, 0, pins), opt.Pins...)
	of.pinned(m, s, func(in *hlo.Instruction, decided []plan.Decision) {
		for i := range decided {
			d := &decided[i]
			opt.Pins = append(opt.Pins, plan.Pin{Value: in, Index: d.Index, MinorToMajor: d.Layout.MinorToMajor,
				Because: d.Reason})
		}
	})
	if opt.Spent != nil {
		opt.Spent()
	}
	return opt
}

// noReason makes a pin a soft one where nobody requests reasons.
var noReason = &plan.Reason{}

// pinned calls f with the values of a module that survive, and what was decided about them.
func (t table) pinned(m *hlo.Module, s *folding.Simplified, f func(*hlo.Instruction, []plan.Decision)) {
	for _, c := range m.InMemory() {
		for _, in := range c.Instructions {
			if n := s.Of(in); n != nil && n.Shape.Compatible(in.Shape) {
				f(in, t.decided(n))
			}
		}
	}
}

// original makes a reason name instructions of the module in place of those of the copy, or, of what only the copy has,
// ones without operands: the copy is not kept for them.
func (t table) original(m *hlo.Module, why *plan.Reason) {
	replace := func(source **hlo.Instruction) {
		if *source == nil {
			return
		}
		of := t.of(*source)
		if of.origin == nil {
			alone := **source
			alone.SetCalled(nil)
			alone.Operands, alone.Computation = nil, &hlo.Computation{Name: alone.Computation.Name,
				Module: m, Pos: alone.Computation.Pos, Index: alone.Computation.Index}
			of.origin = &alone
		}
		*source = of.origin
	}
	replace(&why.Source)
	for _, lost := range [][]plan.Overridden{why.Beat(), why.Refused()} {
		for i := range lost {
			replace(&lost[i].Source)
		}
	}
}

// survivor is what is known of an instruction of the simplified copy.
type survivor struct {
	first, end int32            // of the decisions about it
	origin     *hlo.Instruction // the first one of the module that it stands for
}

// table has a survivor for each instruction of the simplified copy, by computation, and the decisions about them.
type table struct {
	survivors [][]survivor
	decisions []plan.Decision
}

func (t table) of(in *hlo.Instruction) *survivor { return &t.survivors[in.Computation.Index][in.Index] }

// decided returns what was decided about an instruction of the copy.
func (t table) decided(in *hlo.Instruction) []plan.Decision {
	x := t.of(in)
	return t.decisions[x.first:x.end]
}

// survivors notes the decisions about the copy s of a module, those of one instruction after each other.
func survivors(s *folding.Simplified, decisions []plan.Decision) table {
	out := table{make([][]survivor, len(s.Module.Computations)), decisions}
	for i, c := range s.Module.Computations {
		out.survivors[i] = make([]survivor, len(c.Instructions))
	}
	first := 0
	for i := range decisions {
		if decisions[i].Instruction != decisions[first].Instruction {
			first = i
		}
		x := out.of(decisions[i].Instruction)
		x.first, x.end = int32(first), int32(i+1)
	}
	return out
}

// trace notes what each instruction of the copy stands for.
func (t table) trace(m *hlo.Module, s *folding.Simplified) {
	for _, c := range m.InMemory() {
		for _, in := range c.Instructions {
			if n := s.Of(in); n != nil && t.of(n).origin == nil {
				t.of(n).origin = in
			}
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
