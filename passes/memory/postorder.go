package memory

import "hlolayout/hlo"

// postOrder returns the instructions of a computation, each after its control predecessors and operands, as XLA's
// HloComputation::MakeInstructionPostOrder does.
func postOrder(c *hlo.Computation) []*hlo.Instruction {
	before := controlPredecessors(c)
	return c.PostOrderAfter(func(in *hlo.Instruction) []*hlo.Instruction { return before[in] })
}

// controlPredecessors returns what control-predecessors name, for the instructions of a computation that have any.
func controlPredecessors(c *hlo.Computation) map[*hlo.Instruction][]*hlo.Instruction {
	var out map[*hlo.Instruction][]*hlo.Instruction
	var byName map[string]*hlo.Instruction
	for _, in := range c.Instructions {
		v := in.Attr("control-predecessors")
		if v == nil {
			continue
		}
		if out == nil {
			out, byName = map[*hlo.Instruction][]*hlo.Instruction{}, make(map[string]*hlo.Instruction, len(c.Instructions))
			for _, x := range c.Instructions {
				byName[x.Name] = x
			}
		}
		for name := range v.Names() {
			if x := byName[name]; x != nil {
				out[in] = append(out[in], x)
			}
		}
	}
	return out
}
