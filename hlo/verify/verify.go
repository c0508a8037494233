// Package verify says what XLA's HloVerifier would say about a module, and infers result shapes.
//
// Reading text does not verify: XLA's parser accepts a shape that no operation could give. Module finds those, and
// every other break of a rule that the compiler checks before its first pass. The rules come from XLA's ShapeInference
// (service/shape_inference.cc) and HloVerifier (service/hlo_verifier.cc) with the options that libtpu uses on its
// input: layouts are not compared, and operands of different float types are refused. A scheduled module is held to
// what libtpu requires after its passes: operands may differ in float type, but layouts must agree wherever a value is
// passed on as it is (calls, loops, tuples, asynchronous operations). Tested against libtpu 0.0.51 on both kinds.
package verify

import (
	"fmt"
	"strings"

	"hlolayout/hlo"
)

// Module returns everything that is wrong with m, sorted by position: at most one finding for an instruction's own
// shape and operands, and one for each module rule it breaks. The codes are in Codes. The list is empty for a module
// that XLA's verifier accepts. Opcodes that the opcode table does not know are not looked into; dead instructions are
// (libtpu drops them before it verifies).
func Module(m *hlo.Module) hlo.ErrorList {
	c := &checker{m: m, scheduled: m.IsScheduled(), shapes: map[*hlo.Shape]shapeFacts{}}
	c.module()
	for _, comp := range m.Computations {
		c.computation(comp)
	}
	c.list.Sort()
	return c.list
}

// checker carries what the rules share while one module is checked.
type checker struct {
	m *hlo.Module
	// scheduled says that the module is past the passes: layouts are final, and float types may differ.
	scheduled bool
	list      hlo.ErrorList
	callers   map[*hlo.Computation][]*hlo.Instruction
	shapes    map[*hlo.Shape]shapeFacts
}

// computation checks one computation: its instructions one by one, then what they are to each other.
func (c *checker) computation(comp *hlo.Computation) {
	usable := c.structure(comp)
	for _, in := range comp.Instructions {
		c.instruction(in)
	}
	if !usable {
		return
	}
	uses := comp.Uses()
	for _, in := range comp.Instructions {
		c.pairs(in, uses)
	}
	c.role(comp, uses)
	c.buffers(comp, uses)
}

// instruction checks what concerns one instruction and its operands.
func (c *checker) instruction(in *hlo.Instruction) {
	if in.Shape == nil {
		c.add(in, VER110, "it has no result shape")
		return
	}
	if err := c.shape(in.Shape).layout; err != nil {
		c.report(in, err)
	}
	if in.Opcode == hlo.OpUnknown {
		return
	}
	if c.shape(in.Shape).unbounded {
		c.add(in, VER113, "its shape %s has a dimension without a bound", bare(in.Shape))
	}
	if err := c.checkShape(in); err != nil {
		c.report(in, err)
	}
	c.threads(in)
	c.origin(in)
	if in.Opcode == hlo.OpWhile || in.Opcode == hlo.OpConditional {
		c.shardings(in)
	}
}

// checkShape infers the shape of in and compares it with the declared one.
func (c *checker) checkShape(in *hlo.Instruction) error {
	want, err := infer(in)
	if err != nil {
		return err
	}
	if !c.scheduled {
		if err := precision(in); err != nil {
			return err
		}
	}
	if want != nil && !remade[in.Opcode] && !c.agreement(in)(want, in.Shape) {
		gives, has := texts(want, in.Shape)
		return fail(VER110, "its operands and attributes give %s, but it is declared %s", gives, has)
	}
	if in.Opcode.Elementwise() {
		return sameDims(in)
	}
	return nil
}

// agreement says how the inferred shape of in and the declared one are compared (HloVerifier's CheckShape).
func (c *checker) agreement(in *hlo.Instruction) agreement {
	switch {
	case !c.scheduled:
		return compatible
	case !keepsType[in.Opcode]:
		return compatibleFloats
	case in.Opcode == hlo.OpCopyStart:
		return sameMinorToMajor
	case in.Opcode == hlo.OpDynamicUpdateSlice && c.fused(in.Computation):
		return sameOrder
	}
	return identical
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
	e.Source = sourceLine(c.m.Source, pos)
	c.list = append(c.list, e)
}

// sourceLine returns the line of text that holds the byte at pos, without its end.
func sourceLine(text string, pos int32) string {
	if pos < 0 || int(pos) > len(text) {
		return ""
	}
	line := text[strings.LastIndexByte(text[:pos], '\n')+1:]
	if end := strings.IndexByte(line, '\n'); end >= 0 {
		line = line[:end]
	}
	return strings.TrimSuffix(line, "\r")
}

// fail makes the error of one broken rule.
func fail(code, format string, args ...any) error {
	return &hlo.Error{Code: code, Msg: fmt.Sprintf(format, args...)}
}
