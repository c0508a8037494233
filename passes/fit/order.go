package fit

import (
	"cmp"
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
	v := newVisitor(c, func(in *hlo.Instruction) []*hlo.Instruction {
		ops := slices.Clone(in.Operands)
		slices.SortStableFunc(ops, func(a, b *hlo.Instruction) int { return cmp.Compare(bytes[a.Index], bytes[b.Index]) })
		return ops
	})
	for _, p := range c.Parameters() {
		if p != nil {
			v.visit(p)
		}
	}
	v.visit(c.Root)
	for _, in := range c.Instructions {
		v.visit(in)
	}
	return v.out
}

// visitor lists instructions depth first, each once, its operands before it.
type visitor struct {
	operands func(*hlo.Instruction) []*hlo.Instruction // in the reverse of the order in which they are visited
	begun    []bool                                    // by place
	listed   []bool                                    // by place
	out      []*hlo.Instruction
}

func newVisitor(c *hlo.Computation, operands func(*hlo.Instruction) []*hlo.Instruction) *visitor {
	n := len(c.Instructions)
	return &visitor{operands, make([]bool, n), make([]bool, n), make([]*hlo.Instruction, 0, n)}
}

// visit lists an instruction with what it needs, but for what is listed.
func (v *visitor) visit(root *hlo.Instruction) {
	stack := []*hlo.Instruction{root}
	for len(stack) > 0 {
		in := stack[len(stack)-1]
		if v.begun[in.Index] {
			stack = stack[:len(stack)-1]
			if !v.listed[in.Index] {
				v.listed[in.Index] = true
				v.out = append(v.out, in)
			}
			continue
		}
		v.begun[in.Index] = true
		for _, o := range v.operands(in) {
			if !v.begun[o.Index] {
				stack = append(stack, o)
			}
		}
	}
}
