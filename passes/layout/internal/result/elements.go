package result

import (
	"hlolayout/hlo"
	"hlolayout/passes/plan"
)

// elementEdits are the edits that make users of a tuple's element use what the tuple was made of.
func (e *Result) elementEdits() (out []plan.Edit) {
	e.G.Elements(func(in, instead *hlo.Instruction) {
		c := in.Computation
		edit := plan.Edit{Computation: c, Existing: instead}
		for _, user := range c.Instructions[in.Index+1:] {
			for k, o := range user.Operands {
				if o == in {
					edit.Targets = append(edit.Targets, plan.Target{User: user, Operand: k})
				}
			}
		}
		if c.Root == in {
			edit.Targets = append(edit.Targets, plan.Target{})
		}
		out = append(out, edit)
	})
	return out
}

// nameElements gives what is used in place of a tuple's element the name of that element, where it is one itself, as
// XLA does when it replaces an instruction by one of the same opcode.
func (e *Result) nameElements(names *Namer) {
	if names.elements {
		return
	}
	names.elements = true
	e.G.Elements(func(in, instead *hlo.Instruction) {
		if instead.Opcode == hlo.OpGetTupleElement {
			names.renamed(instead, in.Name)
		}
	})
}

// freedNames gives elements that are gone the names of those that took theirs.
func (e *Result) freedNames(names *Namer) (out []plan.Change) {
	e.G.Elements(func(in, instead *hlo.Instruction) {
		if names.names[instead] == in.Name {
			out = append(out, plan.Change{Instruction: in, Name: instead.Name})
		}
	})
	return out
}
