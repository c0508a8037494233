// Package verify says what XLA's HloVerifier would say about a module, and infers result shapes.
//
// Reading text does not verify: XLA's parser accepts a shape that no operation could give. Module finds those, and
// every other break of a rule that the compiler checks before its first pass. The rules come from XLA's ShapeInference
// (service/shape_inference.cc) and HloVerifier (service/hlo_verifier.cc) with the options that libtpu uses on its
// input: layouts are not compared (passes/check does that), and operands of different float types are refused. In a
// scheduled module they are allowed, as in libtpu's own dumps behind its last passes.
package verify

import (
	"fmt"

	"hlolayout/hlo"
)

// Module returns everything that is wrong with m, sorted by position: at most one finding for an instruction's own
// shape and operands, and one for each module rule it breaks. The codes are in Codes. The list is empty for a module
// that XLA's verifier accepts. Opcodes that the opcode table does not know are not looked into.
func Module(m *hlo.Module) hlo.ErrorList {
	c := &checker{m: m, mixed: m.IsScheduled(), layouts: map[*hlo.Shape]error{}}
	c.module()
	for _, comp := range m.Computations {
		c.computation(comp)
	}
	c.list.Sort()
	return c.list
}

// checker carries what the rules share while one module is looked at.
type checker struct {
	m       *hlo.Module
	mixed   bool // float types may differ: the module is past the passes that see to them
	list    hlo.ErrorList
	callers map[*hlo.Computation][]*hlo.Instruction
	layouts map[*hlo.Shape]error // what is wrong with the layouts of a shape, by interned shape
}

// computation checks one computation: its instructions one by one, then what they are to each other.
func (c *checker) computation(comp *hlo.Computation) {
	c.structure(comp)
	uses := comp.Uses()
	for _, in := range comp.Instructions {
		c.instruction(in)
		c.pairs(in, uses)
	}
	c.role(comp, uses)
}

// instruction checks what concerns one instruction and its operands.
func (c *checker) instruction(in *hlo.Instruction) {
	if in.Shape == nil {
		c.add(in, VER110, "it has no result shape")
		return
	}
	if err := c.layoutsOf(in.Shape); err != nil {
		c.report(in, err)
	}
	if in.Opcode == hlo.OpUnknown {
		return
	}
	if err := c.checkShape(in); err != nil {
		c.report(in, err)
	}
	c.threads(in)
}

// checkShape infers the shape of in and compares it with the declared one.
func (c *checker) checkShape(in *hlo.Instruction) error {
	want, err := infer(in)
	if err != nil {
		return err
	}
	same := compatible
	if !c.mixed {
		err = precision(in)
	} else if !keepsType[in.Opcode] {
		same = compatibleFloats
	}
	if err != nil {
		return err
	}
	if want != nil && !remade[in.Opcode] && !same(want, in.Shape) {
		return fail(VER110, "its operands and attributes give %s, but it is declared %s", bare(want), bare(in.Shape))
	}
	if in.Opcode.Elementwise() {
		return sameDims(in)
	}
	return nil
}

// report adds a finding about in. err is what the rules return: an *hlo.Error without a position.
func (c *checker) report(in *hlo.Instruction, err error) {
	e, ok := err.(*hlo.Error)
	if !ok {
		e = &hlo.Error{Code: VER110, Msg: err.Error()}
	}
	found := *e
	found.Msg = fmt.Sprintf("%s %%%s: %s", in.OpName(), in.Name, e.Msg)
	c.place(&found, in.Pos)
}

// add is report for a message that is made on the spot.
func (c *checker) add(in *hlo.Instruction, code string, format string, args ...any) {
	c.report(in, fail(code, format, args...))
}

// addAt adds a finding about the module or a computation, at a byte offset of the source.
func (c *checker) addAt(pos int32, code, format string, args ...any) {
	c.place(&hlo.Error{Code: code, Msg: fmt.Sprintf(format, args...)}, pos)
}

func (c *checker) place(e *hlo.Error, pos int32) {
	e.File = c.m.File
	e.Line, e.Col = c.m.Position(pos)
	c.list = append(c.list, e)
}

// fail makes the error of one broken rule.
func fail(code, format string, args ...any) error {
	return &hlo.Error{Code: code, Msg: fmt.Sprintf(format, args...)}
}
