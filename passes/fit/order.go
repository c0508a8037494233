package fit

import (
	"slices"

	"hlolayout/hlo"
	"hlolayout/passes/padding"
)

func asWritten(_ *foresight, c *hlo.Computation) []*hlo.Instruction { return c.Instructions }

// depthFirst orders a computation by need: before each instruction stand its operands with what they need, the largest
// first.
func depthFirst(_ *foresight, c *hlo.Computation) []*hlo.Instruction {
	bytes := make([]int64, len(c.Instructions))
	for i, in := range c.Instructions {
		in.Shape.Leaves(func(_ hlo.Index, s *hlo.Shape) { bytes[i] += padding.SizeOf(s).Padded })
	}
	out := make([]*hlo.Instruction, 0, len(c.Instructions))
	state := make([]uint8, len(c.Instructions))
	var stack []*hlo.Instruction
	visit := func(root *hlo.Instruction) {
		stack = append(stack, root)
		for len(stack) > 0 {
			in := stack[len(stack)-1]
			if state[in.Index] > 0 {
				stack = stack[:len(stack)-1]
				if state[in.Index] == 1 {
					state[in.Index] = 2
					out = append(out, in)
				}
				continue
			}
			state[in.Index] = 1
			ops := slices.Clone(in.Operands)
			slices.SortStableFunc(ops, func(a, b *hlo.Instruction) int {
				return int(min(1, max(-1, bytes[a.Index]-bytes[b.Index])))
			})
			for _, o := range ops { // the last is visited first
				if state[o.Index] == 0 {
					stack = append(stack, o)
				}
			}
		}
	}
	for _, p := range c.Parameters() {
		if p != nil {
			visit(p)
		}
	}
	visit(c.Root)
	for _, in := range c.Instructions {
		if state[in.Index] == 0 {
			visit(in)
		}
	}
	return out
}
