package check

import (
	"fmt"

	"hlolayout/hlo"
)

// place says what is wrong with the memory space of an array on the target, "" if nothing is.
func (c *checker) place(n int64) string {
	s, ok := c.t.Space(n)
	switch {
	case !ok:
		return fmt.Sprintf("%s has no memory space %d", c.t.Name, n)
	case n != 0 && s.AlignmentBytes == 0 && s.CapacityBytes > 0 && s.PlacementBytes == 0:
		return fmt.Sprintf("on %s no array may be placed in %s, S(%d)", c.t.Name, s.Name, n)
	}
	return ""
}

// spaces checks that values keep their memory where an instruction only hands them on.
func (c *checker) spaces(in *hlo.Instruction) {
	switch in.Opcode {
	case hlo.OpFusion:
		c.bodySpaces(in, "LAY131", in.CalledBy("calls"), in.Operands, in.Shape)
	case hlo.OpAsyncStart:
		c.bodySpaces(in, "LAY131", in.CalledBy("calls"), in.Operands, element(in.Shape, 1))
	case hlo.OpWhile:
		c.loopSpaces(in)
	case hlo.OpConditional:
		for k, b := range in.Called() {
			if k+1 < len(in.Operands) {
				c.bodySpaces(in, "LAY132", b, in.Operands[k+1:k+2], in.Shape)
			}
		}
	case hlo.OpCall:
		if len(in.Called()) > 0 {
			c.bodySpaces(in, "LAY132", in.Called()[0], in.Operands, in.Shape)
		}
	case hlo.OpTuple:
		for k, o := range in.Operands {
			c.sameSpace(in, "LAY133", o.Shape, element(in.Shape, k), "operand %d and its part of the tuple are in "+
				"different memories", k)
		}
	default:
		if row, ok := handedOn[in.Opcode]; ok && len(in.Operands) > 0 {
			from, to := row.parts(in)
			c.sameSpace(in, "LAY133", from, to, "%s", row.wrong)
		}
	}
}

// handedOn are operations whose result, or a part of it, is their operand or a part of that, and what is wrong where
// the two are in different memories.
var handedOn = map[hlo.Opcode]struct {
	parts func(in *hlo.Instruction) (from, to *hlo.Shape)
	wrong string
}{
	hlo.OpGetTupleElement: {pickedElement, "the element and the tuple's part are in different memories"},
	hlo.OpOptBarrier:      {wholeOperand, anotherForm},
	hlo.OpDomain:          {wholeOperand, anotherForm},
	hlo.OpAddDependency:   {wholeOperand, anotherForm},
	hlo.OpBitcast:         {wholeOperand, anotherForm},
	hlo.OpDynamicUpdateSlice: {wholeOperand,
		"the result is written over the operand, but is in another memory"},
	hlo.OpCopyStart: {func(in *hlo.Instruction) (from, to *hlo.Shape) {
		return in.Operands[0].Shape, element(in.Shape, 1)
	}, "the operand and the source of the copy are in different memories"},
	hlo.OpCopyDone: {func(in *hlo.Instruction) (from, to *hlo.Shape) {
		return element(in.Operands[0].Shape, 0), in.Shape
	}, "the copy begins and ends in different memories"},
	hlo.OpAsyncDone: {func(in *hlo.Instruction) (from, to *hlo.Shape) {
		return element(in.Operands[0].Shape, 1), in.Shape
	}, "the operation begins and ends in different memories"},
}

const anotherForm = "the result is the operand in another form, but is in another memory"

func wholeOperand(in *hlo.Instruction) (from, to *hlo.Shape) { return in.Operands[0].Shape, in.Shape }

func pickedElement(in *hlo.Instruction) (from, to *hlo.Shape) {
	k, ok := in.Attr("index").Int()
	if !ok {
		return nil, nil
	}
	return element(in.Operands[0].Shape, int(k)), in.Shape
}

// sameSpace reports two shapes that are in different memories; nil is a shape that is not known.
func (c *checker) sameSpace(in *hlo.Instruction, code string, a, b *hlo.Shape, format string, args ...any) {
	if a != nil && b != nil && !sameSpaces(a, b) {
		c.report(in, code, "%s: %s and %s", fmt.Sprintf(format, args...), a, b)
	}
}

// element returns a part of a tuple's shape, nil where there is none.
func element(s *hlo.Shape, k int) *hlo.Shape {
	if s == nil || !s.IsTuple() {
		return nil
	}
	return s.At(hlo.Index{k})
}

// bodySpaces compares a called computation's parameters and root with what it is given and what it gives.
func (c *checker) bodySpaces(in *hlo.Instruction, code string, callee *hlo.Computation, operands []*hlo.Instruction,
	result *hlo.Shape) {
	if callee == nil {
		return
	}
	for k, p := range callee.Parameters() {
		if p != nil && k < len(operands) {
			c.sameSpace(in, code, operands[k].Shape, p.Shape, "the operand and parameter %d of %%%s are in different "+
				"memories", k, callee.Name)
		}
	}
	if code == "LAY131" && callee.Root.Opcode == hlo.OpParameter {
		return // it stands for both its operand and the result, in one body
	}
	c.sameSpace(in, code, callee.Root.Shape, result, "the result of %%%s and that of the instruction are in different "+
		"memories", callee.Name)
}

// loopSpaces compares what a loop takes, gives and hands from run to run.
func (c *checker) loopSpaces(in *hlo.Instruction) {
	if len(in.Operands) == 0 {
		return
	}
	init := in.Operands[0].Shape
	for _, callee := range in.Called() {
		for _, p := range callee.Parameters() {
			c.sameSpace(in, "LAY132", init, p.Shape, "the loop's operand and the parameter of %%%s are in different "+
				"memories", callee.Name)
		}
	}
	if b := in.CalledBy("body"); b != nil {
		c.sameSpace(in, "LAY132", b.Root.Shape, in.Shape, "the result of the body and that of the loop are in "+
			"different memories")
	}
	c.sameSpace(in, "LAY132", init, in.Shape, "the loop's operand and its result are in different memories")
}

// boundary checks that the caller finds a parameter or the result in the memory that the interface names. Before
// scheduling the compiler itself leaves that open: a result for the host's memory is made elsewhere, to be moved later
// (host_out).
func (c *checker) boundary(in *hlo.Instruction, want, has *hlo.Shape) {
	if c.m.IsScheduled() && !sameSpaces(want, has) {
		c.report(in, "LAY130", "entry_computation_layout has %s, this is %s", want, has)
	}
}

func space(s *hlo.Shape) int64 {
	if s.Layout == nil {
		return 0
	}
	return s.Layout.MemorySpace
}

// sameSpaces reports whether two shapes have the same memory spaces, leaf by leaf; shapes of other structure are for
// others to report.
func sameSpaces(a, b *hlo.Shape) bool {
	if a == b {
		return true
	}
	if a.IsTuple() || b.IsTuple() {
		if len(a.Elems) != len(b.Elems) {
			return true
		}
		for i := range a.Elems {
			if !sameSpaces(a.Elems[i], b.Elems[i]) {
				return false
			}
		}
		return true
	}
	return space(a) == space(b)
}
