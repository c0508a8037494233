package folding

import (
	"math"
	"slices"

	"hlolayout/hlo"
)

// stableSort has a sort that keeps the order of equal elements compare their places where neither is before the other;
// places that are not sorted along with them are added. Numbers that are compared in their total order become integers
// (112 of 112 probes; XLA, hlo/transforms/expanders: stable_sort_expander.cc and comparison_expander.cc).
func stableSort(w *simplifier, in *hlo.Instruction) *hlo.Instruction {
	along := in.Ints("dimensions")
	if in.Attr("sharding") != nil || in.Operands[0].Shape.IsDynamic() || len(along) != 1 || len(in.Called()) != 1 ||
		len(in.Called()[0].Instructions) > mostCompared {
		return nil
	}
	stable := in.Attr("is_stable").Bool()
	if !stable && !slices.ContainsFunc(in.Called()[0].Instructions, isTotal) {
		return nil
	}
	x, operands, place := in.Operands[0], slices.Clone(in.Operands), -1
	if stable {
		place = slices.IndexFunc(operands, func(o *hlo.Instruction) bool {
			at, ok := o.Attr("iota_dimension").Int()
			return o.Opcode == hlo.OpIota && ok && int(at) == along[0] && o.Shape.DType == hlo.S32
		})
	}
	if stable && place < 0 {
		at := counting(w, x, x.Shape.Dims, along[0])
		at.Shape, place, operands = w.shape(hlo.S32, x.Shape.Dims), len(operands), append(operands, at)
	}
	c := comparator{body: newBody(w, in, "comparator")}
	if !c.compare(in.Called()[0], operands, place) {
		return nil
	}
	attrs := except(in.Attrs, "is_stable")
	if len(operands) == len(in.Operands) {
		in.Attrs = attrs
		c.appliedBy(in)
		return in
	}
	n := w.make(hlo.OpSort, x, x.Shape.Dims, operands...)
	var shapes []*hlo.Shape
	for _, o := range operands {
		shapes = append(shapes, w.shape(o.Shape.DType, o.Shape.Dims))
	}
	n.Shape = w.Module.Intern(hlo.NewTuple(shapes...))
	n.Attrs = attrs
	c.appliedBy(n)
	n.Name, in.Name = in.Name, n.Name
	var elements []*hlo.Instruction
	for i, o := range in.Operands {
		elements = append(elements, elementOf(w, n, o, i))
	}
	if in.Shape.IsArray() {
		return elements[0]
	}
	shape := in.Shape
	become(w, in, hlo.OpTuple, elements...)
	in.Shape = shape
	return in
}

// mostCompared is how many instructions a comparator has that is followed: those of programs have tens.
const mostCompared = 1000

// comparator is the body that a sort applies to two elements of each operand.
type comparator struct{ *body }

// compare makes the body: what another comparator says, and where it says the same of the elements exchanged, which
// place comes first; place is that of the operand, -1 for none. It reports whether the other one is understood.
func (c comparator) compare(of *hlo.Computation, operands []*hlo.Instruction, place int) bool {
	var sides, exchanged []*hlo.Instruction
	for _, o := range operands {
		var pair [2]*hlo.Instruction
		for i := range pair {
			pair[i] = c.parameter(o)
			pair[i].Shape = c.w.shape(o.Shape.DType, nil)
		}
		sides, exchanged = append(sides, pair[:]...), append(exchanged, pair[1], pair[0])
	}
	first, ok := c.copy(of, sides)
	if !ok {
		return false
	}
	if place < 0 {
		c.finish(first)
		return true
	}
	second, _ := c.copy(of, exchanged)
	alike := compared(c, first, second, "EQ")
	before := compared(c, sides[2*place], sides[2*place+1], "LT")
	c.finish(c.make(hlo.OpSelect, first, nil, alike, before, first))
	return true
}

// copy adds what a comparator computes of the given elements, without what is there already, and returns the result;
// ok is false where it calls something.
func (c comparator) copy(of *hlo.Computation, parameters []*hlo.Instruction) (root *hlo.Instruction, ok bool) {
	copies := map[*hlo.Instruction]*hlo.Instruction{}
	for _, in := range of.Instructions {
		if len(in.Called()) > 0 || !in.Shape.IsArray() {
			return nil, false
		}
		if in.Opcode == hlo.OpParameter {
			copies[in] = parameters[in.Parameter]
			continue
		}
		var operands []*hlo.Instruction
		for _, o := range in.Operands {
			operands = append(operands, copies[o])
		}
		n := &hlo.Instruction{Opcode: in.Opcode, Operands: operands, Shape: in.Shape, Attrs: in.Attrs}
		n.SetLiteral(in.Literal())
		if isTotal(in) {
			n.Attrs = except(in.Attrs, "type", "order")
			for i, o := range operands {
				n.Operands[i] = c.ordered(o)
			}
		}
		copies[in] = c.once(n)
	}
	return copies[of.Root], true
}

// once adds an instruction, or returns the one that is like it.
func (c comparator) once(in *hlo.Instruction) *hlo.Instruction {
	for _, was := range c.c.Instructions {
		if was.Opcode == in.Opcode && was.Opcode != hlo.OpParameter && slices.Equal(was.Operands, in.Operands) &&
			was.Shape == in.Shape && was.Literal() == in.Literal() && sameDirection(was, in) {
			return was
		}
	}
	n := c.make(in.Opcode, c.of, nil, in.Operands...)
	n.Shape, n.Attrs = in.Shape, in.Attrs
	if in.Opcode == hlo.OpConstant {
		n.SetLiteral(in.Literal())
	}
	return n
}

// isTotal reports whether a comparison is of the total order, as texts of both versions of XLA say it.
func isTotal(in *hlo.Instruction) bool {
	kind, order := in.Attr("type"), in.Attr("order")
	return kind != nil && kind.Text == "TOTALORDER" || order != nil && order.Text == "TOTAL"
}

// sameDirection reports whether two comparisons compare alike, or two other instructions are given.
func sameDirection(a, b *hlo.Instruction) bool {
	x, y := a.Attr("direction"), b.Attr("direction")
	return (x == nil) == (y == nil) && (x == nil || x.Text == y.Text)
}

// ordered returns a floating-point number as an integer of the same order.
func (c comparator) ordered(x *hlo.Instruction) *hlo.Instruction {
	if x.Shape.DType.Class() != hlo.ClassFloat {
		return x
	}
	made := func(op hlo.Opcode, t hlo.DType, operands ...*hlo.Instruction) *hlo.Instruction {
		return c.once(&hlo.Instruction{Opcode: op, Operands: operands, Shape: c.w.shape(t, nil)})
	}
	if x.Shape.DType != hlo.F32 {
		x = made(hlo.OpConvert, hlo.F32, x)
	}
	number := func(n int64) *hlo.Instruction {
		in := &hlo.Instruction{Opcode: hlo.OpConstant, Shape: c.w.shape(hlo.S32, nil)}
		in.SetLiteral(numberText(hlo.S32, float64(n), true))
		return c.once(in)
	}
	bits := made(hlo.OpBitcastConvert, hlo.S32, x)
	below := &hlo.Instruction{Opcode: hlo.OpCompare, Operands: []*hlo.Instruction{bits, number(0)},
		Shape: c.w.shape(hlo.Pred, nil)}
	attribute(below, "direction", hlo.WordOf("LT"))
	return made(hlo.OpSelect, hlo.S32, c.once(below), made(hlo.OpXor, hlo.S32, number(math.MaxInt32), bits), bits)
}
