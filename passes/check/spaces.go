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
	same := func(code string, a, b *hlo.Shape, format string, args ...any) {
		if a != nil && b != nil && !sameSpaces(a, b) {
			c.report(in, code, "%s: %s and %s", fmt.Sprintf(format, args...), a, b)
		}
	}
	operand := func(k int) *hlo.Shape {
		if k < len(in.Operands) {
			return in.Operands[k].Shape
		}
		return nil
	}
	element := func(s *hlo.Shape, k int) *hlo.Shape {
		if s == nil || !s.IsTuple() {
			return nil
		}
		return s.At(hlo.Index{k})
	}
	// body compares a called computation's parameters and root with what it is given and what it gives.
	body := func(code string, callee *hlo.Computation, operands []*hlo.Instruction, result *hlo.Shape) {
		for k, p := range callee.Parameters() {
			if p != nil && k < len(operands) {
				same(code, operands[k].Shape, p.Shape, "the operand and parameter %d of %%%s are in different memories",
					k, callee.Name)
			}
		}
		if code == "LAY131" && callee.Root.Opcode == hlo.OpParameter {
			return // it stands for both its operand and the result, in one body
		}
		same(code, callee.Root.Shape, result, "the result of %%%s and that of the instruction are in different "+
			"memories", callee.Name)
	}
	switch in.Opcode {
	case hlo.OpFusion:
		if callee := in.CalledBy("calls"); callee != nil {
			body("LAY131", callee, in.Operands, in.Shape)
		}
	case hlo.OpAsyncStart:
		if callee := in.CalledBy("calls"); callee != nil {
			body("LAY131", callee, in.Operands, element(in.Shape, 1))
		}
	case hlo.OpWhile:
		for _, callee := range in.Called {
			for _, p := range callee.Parameters() {
				same("LAY132", operand(0), p.Shape, "the loop's operand and the parameter of %%%s are in different "+
					"memories", callee.Name)
			}
		}
		if b := in.CalledBy("body"); b != nil {
			same("LAY132", b.Root.Shape, in.Shape, "the result of the body and that of the loop are in different "+
				"memories")
		}
		same("LAY132", operand(0), in.Shape, "the loop's operand and its result are in different memories")
	case hlo.OpConditional:
		for k, b := range in.Called {
			if k+1 < len(in.Operands) {
				body("LAY132", b, in.Operands[k+1:k+2], in.Shape)
			}
		}
	case hlo.OpCall:
		if len(in.Called) > 0 {
			body("LAY132", in.Called[0], in.Operands, in.Shape)
		}
	case hlo.OpGetTupleElement:
		if k, ok := in.Attr("index").Int(); ok {
			same("LAY133", element(operand(0), int(k)), in.Shape, "the element and the tuple's part are in different "+
				"memories")
		}
	case hlo.OpOptBarrier, hlo.OpDomain, hlo.OpAddDependency, hlo.OpBitcast:
		same("LAY133", operand(0), in.Shape, "the result is the operand in another form, but is in another memory")
	case hlo.OpDynamicUpdateSlice:
		same("LAY133", operand(0), in.Shape, "the result is written over the operand, but is in another memory")
	case hlo.OpCopyStart:
		same("LAY133", operand(0), element(in.Shape, 1), "the operand and the source of the copy are in different "+
			"memories")
	case hlo.OpCopyDone:
		same("LAY133", element(operand(0), 0), in.Shape, "the copy begins and ends in different memories")
	case hlo.OpAsyncDone:
		same("LAY133", element(operand(0), 1), in.Shape, "the operation begins and ends in different memories")
	case hlo.OpTuple:
		for k, o := range in.Operands {
			if e := element(in.Shape, k); e != nil {
				same("LAY133", o.Shape, e, "operand %d and its part of the tuple are in different memories", k)
			}
		}
	}
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
