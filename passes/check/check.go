// Package check says whether the layouts of a module are legal for a target: what the compiler requires of any
// assignment, however it was found, and whether its memory spaces are: the target has
// them, values keep them, and what a schedule holds at one time fits. It shares no code with
// the passes that choose layouts.
package check

import (
	"fmt"
	"slices"

	"hlolayout/hlo"
	"hlolayout/tpu"
)

// Module returns what is illegal in m on the target t, sorted by position; the list is empty for a legal module.
// Operations inside of fusion bodies have no layouts of their own choice and are checked for being there only.
func Module(m *hlo.Module, t *tpu.Target) hlo.ErrorList {
	c := &checker{m: m, t: t, shapes: map[*hlo.Shape]*verdict{}}
	for _, comp := range m.Computations {
		fused := comp.IsFused()
		for _, in := range comp.Instructions {
			if in.Shape == nil || !c.shape(in) {
				continue
			}
			if fused && in.Opcode != hlo.OpFusion { // only a fusion inside a body has its own memory
				continue
			}
			c.spaces(in)
			if !fused {
				c.instruction(in)
			}
		}
	}
	c.entry()
	c.room()
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

// shape checks a result by itself and reports whether its orders can be checked.
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
	if v.code == "LAY103" && (c.keptTile(in) || c.lateTile(in) || onHost(in)) {
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
		return "LAY102", fmt.Sprintf("%s: {%v} is not an order of %d dimensions", s, l.MinorToMajor, s.Rank())
	}
	if l.MemorySpace != 0 {
		if msg := c.place(l.MemorySpace); msg != "" {
			return "LAY104", fmt.Sprintf("%s: %s", s, msg)
		}
	}
	if m, _ := c.t.Space(l.MemorySpace); len(l.Tiles) == 0 && s.Rank() == 0 || m.CapacityBytes == 0 &&
		l.MemorySpace != host {
		// the compiler's own late scalars name no tile, sync flags neither; memories of other units have tiles of their
		// own
		return "", ""
	}
	inside, boundary := c.t.Layout(s.DType, s.Dims, l.MinorToMajor, false), c.t.Layout(s.DType, s.Dims, l.MinorToMajor,
		true)
	for _, want := range []*hlo.Layout{inside, boundary} {
		if l.ElementBits == want.ElementBits && slices.EqualFunc(l.Tiles, want.Tiles, func(a, b hlo.Tile) bool {
			return slices.Equal(a, b)
		}) {
			return "", ""
		}
	}
	return "LAY103", fmt.Sprintf("%s: %s gives it %s", s, c.t.Name, inside)
}

// keptTile reports whether a tile is one that entry_computation_layout requires: the caller's tiles go with the
// parameter through elementwise operations.
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

// onHost reports whether an instruction runs on the host, whose arrays have no tiles.
func onHost(in *hlo.Instruction) bool {
	v := in.Computation.Attr("execution_thread")
	return v != nil && v.Text == `"host"` && in.Shape.IsArray() && len(in.Shape.Layout.Tiles) == 0
}

// lateTile reports whether the tiles of a scheduled module's array are ones that the compiler gives after layout
// assignment: none at all inside of fusions and for their results (seen where a convolution's is read outside, too),
// and operands of the matrix unit on full tiles of as many 32-bit rows as there are sublanes (seen in final modules
// of v7x, types of 16 bits).
func (c *checker) lateTile(in *hlo.Instruction) bool {
	if !c.m.IsScheduled() {
		return false
	}
	maker := in
	if in.Opcode == hlo.OpGetTupleElement {
		maker = in.Operands[0]
	}
	fused, late := in.Computation.IsFused() || maker.Opcode == hlo.OpFusion, true
	in.Shape.Leaves(func(_ hlo.Index, s *hlo.Shape) {
		if code, _ := c.array(s); code == "LAY103" {
			tiles, bits := s.Layout.Tiles, int64(s.DType.Bits())
			full := bits < 32 && len(tiles) > 1 && slices.Equal(tiles[0], hlo.Tile{c.t.Sublanes * 32 / bits, c.t.Lanes})
			late = late && (fused && len(tiles) == 0 || full)
		}
	})
	return late
}

// host is the number of the host's memory.
const host = 5

// entry compares the entry computation with entry_computation_layout, orders only: the interface has the boundary's
// tiles.
func (c *checker) entry() {
	params, result, ok := c.m.EntryLayout()
	if !ok || c.m.Entry == nil {
		return
	}
	for i, p := range c.m.Entry.Parameters() {
		if p != nil && i < len(params) {
			c.agree(p, "LAY124", params[i], p.Shape, "entry_computation_layout has %s, the parameter %s")
			c.boundary(p, params[i], p.Shape)
		}
	}
	c.agree(c.m.Entry.Root, "LAY124", result, c.m.Entry.Root.Shape, "entry_computation_layout has the result %s, the "+
		"root is %s")
	c.boundary(c.m.Entry.Root, result, c.m.Entry.Root.Shape)
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
