package plan

import (
	"fmt"
	"slices"

	"hlolayout/hlo"
)

// Split makes an async-start begin before its operands are there: an async-update takes them where it was.
type Split struct {
	// Start is the async-start of a scheduled computation, Update the new async-update of it, which an edit inserts after
	// it and gives to its users; what else Start reads becomes Update's.
	Start, Update *hlo.Instruction
	// After is where Start goes: directly after this instruction and what edits put there.
	After *hlo.Instruction
	// State is what the operation has before it has operands, and Shared how many elements of that Update has, too.
	State  *hlo.Shape
	Shared int
}

// apply moves operands, and what waits for others, from the start to the update.
func (s *Split) apply(m *hlo.Module) {
	in, none := s.Start, m.Intern(hlo.NewTuple())
	s.Update.Operands = append([]*hlo.Instruction{in}, in.Operands...)
	s.Update.Shape = m.Intern(hlo.NewTuple(in.Shape.Elems[0], in.Shape.Elems[1],
		m.Intern(hlo.NewTuple(s.State.Elems[:s.Shared]...))))
	in.Operands, in.Shape = nil, m.Intern(hlo.NewTuple(none, none, s.State))
	waits := func(a hlo.Attr) bool { return a.Key == hlo.InstructionAttr("control-predecessors") }
	if i := slices.IndexFunc(in.Attrs, waits); i >= 0 {
		s.Update.Attrs = append(slices.Clone(s.Update.Attrs), in.Attrs[i])
		in.Attrs = slices.DeleteFunc(slices.Clone(in.Attrs), waits)
	}
}

// checkSplits refuses what Split cannot do.
func (p *Plan) checkSplits(m *hlo.Module) error {
	for _, s := range p.Splits {
		in := s.Start
		if c := in.Computation; c == nil || c.Module != m || !m.IsScheduled() || s.After.Computation != c {
			return fmt.Errorf("plan: %%%s, which is to start earlier, is not in a schedule of the module", in.Name)
		}
		if in.Opcode != hlo.OpAsyncStart || !in.Shape.IsTuple() || len(in.Shape.Elems) < 2 {
			return fmt.Errorf("plan: %%%s, which is to start earlier, is not an async-start", in.Name)
		}
	}
	return nil
}
