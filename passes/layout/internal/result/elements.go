package result

import (
	"hlolayout/hlo"
	"hlolayout/passes/plan"
)

// elementEdits are the edits that make users of a tuple's element use what the tuple was made of.
func (e *Result) elementEdits() (out []plan.Edit) {
	at := map[*hlo.Instruction]int{} // the number of an element's edit
	e.G.Elements(func(in, instead *hlo.Instruction) {
		at[in] = len(out)
		out = append(out, plan.Edit{Computation: in.Computation, Existing: instead})
	})
	if len(out) == 0 {
		return nil
	}
	for i := range e.G.Comps {
		c := e.G.Comps[i].Computation
		for _, user := range c.Instructions {
			for k, o := range user.Operands {
				if n, ok := at[o]; ok {
					out[n].Targets = append(out[n].Targets, plan.Target{User: user, Operand: k})
				}
			}
		}
		if n, ok := at[c.Root]; ok {
			out[n].Targets = append(out[n].Targets, plan.Target{})
		}
	}
	return out
}

// nameElements gives what is used in place of a tuple's element the name of that element, where it is one itself, and
// its metadata, where it has no op_name, as XLA does when it replaces an instruction (HloComputation's
// ReplaceInstructionWithDifferentShape).
func (e *Result) nameElements(names *Namer) {
	if names.elements {
		return
	}
	names.elements = true
	e.G.Elements(func(in, instead *hlo.Instruction) {
		if instead.Opcode == hlo.OpGetTupleElement {
			names.renamed(instead, in.Name)
		}
		names.inherits(instead, in.Attr("metadata"))
	})
}

// freedNames gives elements that are gone the names of those that took theirs.
func (e *Result) freedNames(names *Namer) (out []plan.Change) {
	e.G.Elements(func(in, instead *hlo.Instruction) {
		if names.changes[instead].Name == in.Name {
			out = append(out, plan.Change{Instruction: in, Name: instead.Name})
		}
	})
	return out
}
