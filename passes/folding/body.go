package folding

import (
	"strconv"

	"hlolayout/hlo"
)

// body is a computation of what takes the place of an instruction.
type body struct {
	w        *simplifier
	of       *hlo.Instruction
	c        *hlo.Computation
	operands []*hlo.Instruction
}

func newBody(w *simplifier, of *hlo.Instruction, kind string) *body {
	return &body{w: w, of: of, c: &hlo.Computation{Name: of.Name + "." + kind, Module: w.Module, Pos: of.Pos}}
}

// parameter adds a parameter for an operand of the fusion.
func (b *body) parameter(operand *hlo.Instruction) *hlo.Instruction {
	p := b.make(hlo.OpParameter, operand, operand.Shape.Dims)
	p.Parameter, p.Attrs = int32(len(b.operands)), nil
	b.operands = append(b.operands, operand)
	return p
}

// make is simplifier.make inside of the body.
func (b *body) make(op hlo.Opcode, like *hlo.Instruction, dims []int64, operands ...*hlo.Instruction) *hlo.Instruction {
	n := b.w.instructionLike(op, like, dims, operands)
	n.Name = b.c.Name + "." + strconv.Itoa(len(b.c.Instructions)) + "." + op.String()
	b.c.Instructions = append(b.c.Instructions, n)
	return n
}

// finish gives the body its root. It is put into the module at the end of the round.
func (b *body) finish(root *hlo.Instruction) {
	b.c.Root = root
	for _, in := range b.c.Instructions {
		in.Computation = b.c
	}
	b.c.Index = int32(len(b.w.Module.Computations) + len(b.w.made))
	b.w.made = append(b.w.made, madeBody{b.c, b.w.c})
}

// combining returns the body that combines two elements by an operation, such as a sum's; first is one of them.
func combining(w *simplifier, of *hlo.Instruction, op hlo.Opcode, first *hlo.Instruction) *body {
	b := newBody(w, of, op.String())
	b.finish(b.make(op, first, nil, b.parameter(first), b.parameter(first)))
	return b
}

// madeBody is the body that an instruction of a computation calls.
type madeBody struct{ body, caller *hlo.Computation }

// addBodies puts the bodies of a round into the module, each before its caller, and reports whether there are any.
// They are in the order of their callers.
func (w *simplifier) addBodies() bool {
	if len(w.made) == 0 {
		return false
	}
	m := w.Module
	all := make([]*hlo.Computation, 0, len(m.Computations)+len(w.made))
	for _, c := range m.Computations {
		for ; len(w.made) > 0 && w.made[0].caller == c; w.made = w.made[1:] {
			all = append(all, w.made[0].body)
		}
		all = append(all, c)
	}
	m.Computations = all
	return true
}

// name returns the value of an attribute that calls the body, in the style of the text.
func (b *body) name() *hlo.Value {
	if b.w.Module.Style.Percent {
		return hlo.WordOf("%" + b.c.Name)
	}
	return hlo.WordOf(b.c.Name)
}

// appliedBy has an instruction apply the body, as a reduce does.
func (b *body) appliedBy(n *hlo.Instruction) {
	n.SetCalled([]*hlo.Computation{b.c})
	setValue(n, "to_apply", b.name())
}

// fuse makes the fusion of a body with the given root.
func (b *body) fuse(root *hlo.Instruction) *hlo.Instruction {
	b.finish(root)
	f := b.w.make(hlo.OpFusion, b.of, root.Shape.Dims, b.operands...)
	f.SetCalled([]*hlo.Computation{b.c})
	attribute(f, "calls", b.name())
	attribute(f, "kind", hlo.WordOf("kCustom"))
	return f
}
