// Package check says whether the layouts of a module are legal for a target: what the compiler requires of any assignment,
// however it was found (docs/layout-assignment.md 2.11). It shares no code with the passes that choose layouts.
package check

import (
	"fmt"
	"slices"

	"hlolayout/hlo"
	"hlolayout/tpu"
)

// Codes says what each code of a finding means.
var Codes = []hlo.Code{
	{Name: "LAY101", Meaning: "an array has no layout"},
	{Name: "LAY102", Meaning: "minor_to_major is no permutation of the dimensions"},
	{Name: "LAY103", Meaning: "the tiles or the element size are not those that the target gives to the shape"},
	{Name: "LAY104", Meaning: "the target has no such memory space"},
	{Name: "LAY110", Meaning: "operands and result of an operation that keeps layouts differ in order"},
	{Name: "LAY111", Meaning: "the operand of a broadcast does not lie as the result restricted to its dimensions"},
	{Name: "LAY112", Meaning: "a transpose moves data: its orders are not each other's permutation"},
	{Name: "LAY113", Meaning: "a reshape moves data: its orders are not aligned"},
	{Name: "LAY114", Meaning: "the result of a reduce does not lie as its operand without the reduced dimensions"},
	{Name: "LAY120", Meaning: "an element of a tuple changes its layout on the way"},
	{Name: "LAY121", Meaning: "initial value, parameters, root and result of a loop differ"},
	{Name: "LAY122", Meaning: "operands, parameters, roots and result of a conditional, call or fusion differ"},
	{Name: "LAY123", Meaning: "a custom call does not get the layouts it asks for"},
	{Name: "LAY124", Meaning: "the entry computation does not have the orders of entry_computation_layout"},
}

// Module returns what is illegal in m on the target t, sorted by position; the list is empty for a legal module. Operations
// inside of fusion bodies have no layouts of their own choice and are checked for being there only.
func Module(m *hlo.Module, t *tpu.Target) hlo.ErrorList {
	c := &checker{m: m, t: t, shapes: map[*hlo.Shape]*verdict{}}
	for _, comp := range m.Computations {
		fused := comp.IsFused()
		for _, in := range comp.Instructions {
			if in.Shape == nil || !c.shape(in) || fused {
				continue
			}
			c.instruction(in)
		}
	}
	c.entry()
	c.list.Sort()
	return c.list
}

type checker struct {
	m      *hlo.Module
	t      *tpu.Target
	list   hlo.ErrorList
	shapes map[*hlo.Shape]*verdict
}

// verdict is what is wrong with a shape by itself; code is empty for nothing.
type verdict struct{ code, msg string }

func (c *checker) report(in *hlo.Instruction, code, format string, args ...any) {
	e := &hlo.Error{File: c.m.File, Code: code, Msg: "%" + in.Name + ": " + fmt.Sprintf(format, args...)}
	e.Line, e.Col = c.m.Position(in.Pos)
	c.list = append(c.list, e)
}

// shape checks a result by itself and reports whether its orders can be looked at.
func (c *checker) shape(in *hlo.Instruction) bool {
	v := c.shapes[in.Shape]
	if v == nil {
		v = &verdict{}
		in.Shape.Leaves(func(_ hlo.Index, s *hlo.Shape) {
			if v.code == "" && s.IsArray() {
				v.code, v.msg = c.array(s)
			}
		})
		c.shapes[in.Shape] = v
	}
	if v.code == "" {
		return true
	}
	if v.code == "LAY103" && c.keptTile(in) {
		return true
	}
	c.report(in, v.code, "%s", v.msg)
	return v.code != "LAY101" && v.code != "LAY102"
}

// array checks one array: that it has a layout, an order, the target's tiles and a memory that there is.
func (c *checker) array(s *hlo.Shape) (code, msg string) {
	l := s.Layout
	if l == nil {
		if s.Rank() == 0 {
			l = &hlo.Layout{}
		} else {
			return "LAY101", fmt.Sprintf("%s has no layout", s)
		}
	}
	if len(l.MinorToMajor) != s.Rank() || !hlo.IsPermutation(l.MinorToMajor) {
		return "LAY102", fmt.Sprintf("%s: {%v} is no order of %d dimensions", s, l.MinorToMajor, s.Rank())
	}
	if l.MemorySpace != 0 {
		if _, ok := c.t.Space(l.MemorySpace); !ok {
			return "LAY104", fmt.Sprintf("%s: %s has no memory space %d", s, c.t.Name, l.MemorySpace)
		}
	}
	inside, boundary := c.t.Layout(s.DType, s.Dims, l.MinorToMajor, false), c.t.Layout(s.DType, s.Dims, l.MinorToMajor, true)
	for _, want := range []*hlo.Layout{inside, boundary} {
		if l.ElementBits == want.ElementBits && slices.EqualFunc(l.Tiles, want.Tiles, func(a, b hlo.Tile) bool { return slices.Equal(a, b) }) {
			return "", ""
		}
	}
	return "LAY103", fmt.Sprintf("%s: %s gives it %s", s, c.t.Name, inside)
}

// keptTile reports whether a tile is one that entry_computation_layout asks for: the caller's tiles go with the parameter
// through elementwise operations (docs/tiling.md section 1).
func (c *checker) keptTile(in *hlo.Instruction) bool {
	if in.Opcode == hlo.OpParameter && in.Computation.IsEntry() {
		params, _, ok := c.m.EntryLayout()
		return ok && int(in.Parameter) < len(params) && params[in.Parameter].Equal(in.Shape)
	}
	if !in.Opcode.Elementwise() && in.Opcode != hlo.OpCopy || !in.Shape.IsArray() || in.Shape.Layout == nil {
		return false
	}
	for _, o := range in.Operands {
		if l := o.Shape.Layout; l != nil && l.EqualBesidesOrder(in.Shape.Layout) {
			return true
		}
	}
	return false
}

// entry compares the entry computation with entry_computation_layout, orders only: the interface has the boundary's tiles.
func (c *checker) entry() {
	params, result, ok := c.m.EntryLayout()
	if !ok || c.m.Entry == nil {
		return
	}
	for i, p := range c.m.Entry.Parameters() {
		if p != nil && i < len(params) {
			c.agree(p, "LAY124", params[i], p.Shape, "entry_computation_layout has %s, the parameter %s")
		}
	}
	c.agree(c.m.Entry.Root, "LAY124", result, c.m.Entry.Root.Shape, "entry_computation_layout has the result %s, the root is %s")
}

// agree reports when two shapes of the same arrays differ in order somewhere.
func (c *checker) agree(in *hlo.Instruction, code string, a, b *hlo.Shape, format string) {
	if !sameOrders(a, b) {
		c.report(in, code, format, a, b)
	}
}

// sameOrders reports whether two shapes have the same orders, leaf by leaf.
func sameOrders(a, b *hlo.Shape) bool {
	if a == b {
		return true
	}
	if a.IsTuple() || b.IsTuple() {
		if len(a.Elems) != len(b.Elems) {
			return false
		}
		for i := range a.Elems {
			if !sameOrders(a.Elems[i], b.Elems[i]) {
				return false
			}
		}
		return true
	}
	return a.Kind != hlo.ArrayShape || slices.Equal(a.MinorToMajor(), b.MinorToMajor())
}
