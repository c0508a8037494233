package whatif

import (
	"slices"

	"hlolayout/hlo"
)

// saved is a module before a pass: what a plan changes.
type saved struct {
	m            *hlo.Module
	attrs        []hlo.Attr
	forecast     *hlo.Forecast
	computations []computation
}

type computation struct {
	root         *hlo.Instruction
	instructions []*hlo.Instruction
	were         []hlo.Instruction
	operands     []*hlo.Instruction // of all instructions
}

func save(m *hlo.Module) *saved {
	s := &saved{m: m, attrs: slices.Clone(m.Attrs), forecast: m.Forecast}
	for _, c := range m.Computations {
		k := computation{root: c.Root, instructions: slices.Clone(c.Instructions)}
		for _, in := range c.Instructions {
			k.were, k.operands = append(k.were, *in), append(k.operands, in.Operands...)
		}
		s.computations = append(s.computations, k)
	}
	return s
}

// restore makes the module what it was.
func (s *saved) restore() {
	s.m.Attrs, s.m.Forecast = slices.Clone(s.attrs), s.forecast
	for i, c := range s.m.Computations {
		k := &s.computations[i]
		c.Root, c.Instructions = k.root, append(c.Instructions[:0], k.instructions...)
		operands := k.operands
		for n, in := range c.Instructions {
			*in = k.were[n]
			operands = operands[copy(in.Operands, operands):]
		}
	}
	s.m.LinkCallers()
}
