package folding

import (
	"slices"
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

// finish gives the body its root, and puts it into the module.
func (b *body) finish(root *hlo.Instruction) {
	b.c.Root = root
	for _, in := range b.c.Instructions {
		in.Computation = b.c
	}
	m := b.w.Module
	b.c.Index = int32(len(m.Computations))
	m.Computations = slices.Insert(m.Computations, max(0, slices.Index(m.Computations, b.w.c)), b.c)
}

// name returns the value of an attribute that calls the body.
func (b *body) name() *hlo.Value { return hlo.WordOf("%" + b.c.Name) }

// fuse makes the fusion of a body with the given root.
func (b *body) fuse(root *hlo.Instruction) *hlo.Instruction {
	b.finish(root)
	f := b.w.make(hlo.OpFusion, b.of, root.Shape.Dims, b.operands...)
	f.SetCalled([]*hlo.Computation{b.c})
	attribute(f, "calls", b.name())
	attribute(f, "kind", hlo.WordOf("kCustom"))
	return f
}
