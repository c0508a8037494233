package memory

import (
	"slices"
	"strings"

	"hlolayout/hlo"
)

// postOrder returns the instructions of a computation, each after its control predecessors and operands, as XLA's
// HloComputation::MakeInstructionPostOrder does.
func postOrder(c *hlo.Computation) []*hlo.Instruction {
	uses, before := c.Uses(), controlPredecessors(c)
	var out, stack []*hlo.Instruction
	const open, done = 1, 2
	state := make([]uint8, len(c.Instructions))
	push := func(in *hlo.Instruction) {
		if state[in.Index] != done {
			stack = append(stack, in)
		}
	}
	for _, root := range c.Instructions {
		if len(uses.Of(root)) > 0 {
			continue
		}
		for push(root); len(stack) > 0; {
			in := stack[len(stack)-1]
			if state[in.Index] == 0 {
				state[in.Index] = open
				for _, o := range slices.Backward(in.Operands) {
					push(o)
				}
				for _, o := range before[in] {
					push(o)
				}
				continue
			}
			if stack = stack[:len(stack)-1]; state[in.Index] == open {
				state[in.Index] = done
				out = append(out, in)
			}
		}
	}
	return out
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
		for _, e := range v.Elems {
			if x := byName[strings.TrimPrefix(e.Text, "%")]; x != nil {
				out[in] = append(out[in], x)
			}
		}
	}
	return out
}
