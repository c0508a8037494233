// Package contract checks what a module and its caller agree on about memory: donated buffers, the layouts that custom
// calls demand, host memory, and the layouts of parameters.
package contract

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"hlolayout/hlo"
	"hlolayout/hlo/sharding"
	"hlolayout/passes/padding"
	"hlolayout/tpu"
)

// Kind is what a breach is about.
type Kind int

// The kinds of breaches.
const (
	// Donation: a donated parameter and the output that reuses its buffer have different layouts, so that the buffer is
	// lost.
	Donation Kind = iota
	// CustomCall: an operand of a custom call does not have the layout that operand_layout_constraints require.
	CustomCall
	// Host: an output that is meant for host memory is not placed there, or the entry's result and its root disagree.
	Host
	// Parameter: a parameter does not have the compiler's default layout, so that callers must match it.
	Parameter
)

// Breach is one contract that does not hold, or one that callers should know about.
type Breach struct {
	Kind        Kind
	Instruction *hlo.Instruction
	// What names the two sides, such as "parameter 3{1} and result {0}".
	What string
	// Have and Want are the two layouts, as shapes.
	Have, Want *hlo.Shape
	// Bytes is the padded size of Have.
	Bytes int64
}

// Check returns the breaches of a module that has its layouts, by kind, then in the order of the text. The target says
// which layouts parameters have by default.
func Check(m *hlo.Module, t *tpu.Target) []Breach {
	c := checker{m: m, t: t}
	if m.Entry == nil {
		return nil
	}
	c.entry = m.Entry.Parameters()
	var given bool
	if c.params, c.result, given = m.EntryLayout(); !given {
		for _, p := range c.entry {
			c.params = append(c.params, shapeOf(p))
		}
		c.result = m.Entry.Root.Shape
	}
	c.donations()
	c.customCalls()
	c.host()
	c.parameters()
	return c.out
}

func shapeOf(p *hlo.Instruction) *hlo.Shape {
	if p == nil {
		return hlo.NewTuple()
	}
	return p.Shape
}

type checker struct {
	m      *hlo.Module
	t      *tpu.Target
	params []*hlo.Shape
	result *hlo.Shape
	entry  []*hlo.Instruction // by parameter number
	out    []Breach
}

func (c *checker) add(kind Kind, in *hlo.Instruction, have, want *hlo.Shape, format string, args ...any) {
	c.out = append(c.out, Breach{kind, in, fmt.Sprintf(format, args...), have, want, padding.SizeOf(have).Padded})
}

// resultAt names the result, or the part of it at an index: "result {1}".
func resultAt(index hlo.Index) string { return strings.TrimSpace("result " + index.String()) }

// donations compares the two ends of each alias.
func (c *checker) donations() {
	for _, a := range c.m.Aliases() {
		if a.Number >= len(c.params) {
			continue
		}
		have, want := c.params[a.Number].At(a.Index), c.result.At(a.Output)
		if have == nil || want == nil || !have.IsArray() || !want.IsArray() || have.Layout == nil ||
			want.Layout == nil {
			continue
		}
		if have.DType != want.DType || !slices.Equal(have.Dims, want.Dims) || !have.Layout.Equal(want.Layout) {
			c.add(Donation, c.parameter(a.Number), have, want, "%s", a)
		}
	}
}

func (c *checker) parameter(n int) *hlo.Instruction {
	if n < len(c.entry) && c.entry[n] != nil {
		return c.entry[n]
	}
	return c.m.Entry.Root
}

// customCalls compares operands with operand_layout_constraints. The constraints of most targets name no tiles; those
// that do are held to them, and likewise for memory spaces.
func (c *checker) customCalls() {
	for _, comp := range c.m.InMemory() {
		for _, in := range comp.Instructions {
			v := in.Attr("operand_layout_constraints")
			if in.Opcode != hlo.OpCustomCall || v == nil {
				continue
			}
			for i := range v.Elems {
				want := v.Elems[i].Shape
				if want == nil || i >= len(in.Operands) {
					continue
				}
				want.Leaves(func(index hlo.Index, w *hlo.Shape) {
					have := in.Operands[i].Shape.At(index)
					if have == nil || !have.IsArray() || !w.IsArray() || have.Layout == nil || w.Layout == nil ||
						fits(have.Layout, w.Layout) {
						return
					}
					c.add(CustomCall, in, have, w, "operand %d%s", i, index)
				})
			}
		}
	}
}

func fits(have, want *hlo.Layout) bool {
	return slices.Equal(have.MinorToMajor, want.MinorToMajor) &&
		(len(want.Tiles) == 0 || slices.EqualFunc(have.Tiles, want.Tiles, func(a, b hlo.Tile) bool {
			return slices.Equal(a, b)
		})) &&
		(want.MemorySpace == 0 || want.MemorySpace == have.MemorySpace)
}

const hostSpace = 5

// host compares what the front end asked for (out_memory_spaces, MoveToHost) and what the root has with the entry's
// result. Tiles are compared in modules alone that the compiler scheduled: layout assignment leaves a pred result in
// tiles of (8,128) where the entry has (32,128), and a later pass copies it.
func (c *checker) host() {
	root := c.m.Entry.Root
	asked := c.askedSpaces()
	leaf := 0
	c.result.Leaves(func(index hlo.Index, want *hlo.Shape) {
		k := leaf
		leaf++
		if !want.IsArray() || want.Layout == nil {
			return
		}
		if k < len(asked) && asked[k] == hostSpace && want.Layout.MemorySpace != hostSpace {
			c.add(Host, root, want, inSpace(want, hostSpace), "%s asked for in host memory by out_memory_spaces",
				resultAt(index))
			return
		}
		if source := leafOrigin(root, index); source != nil && movesToHost(source) &&
			want.Layout.MemorySpace != hostSpace {
			c.add(Host, source, want, inSpace(want, hostSpace), "%s made by MoveToHost", resultAt(index))
			return
		}
		if have := root.Shape.At(index); have != nil && have.IsArray() && have.Layout != nil &&
			!have.Layout.Equal(want.Layout) &&
			!((divided(root, k, want) || !c.m.IsScheduled() || c.m.Assigned) &&
				fits(have.Layout, &hlo.Layout{MinorToMajor: want.Layout.MinorToMajor,
					MemorySpace: want.Layout.MemorySpace})) {
			c.add(Host, root, have, want, "%s of the root and of entry_computation_layout",
				resultAt(index))
		}
	})
}

// askedSpaces returns the front end's out_memory_spaces, by leaf of the result.
func (c *checker) askedSpaces() []int64 {
	v := c.m.Attr("frontend_attributes").Get("out_memory_spaces")
	if v == nil {
		return nil
	}
	var out []int64
	for _, w := range strings.Split(strings.Trim(v.Text, `"`), ";") {
		n, err := strconv.ParseInt(w, 10, 64)
		if err != nil {
			return nil
		}
		out = append(out, n)
	}
	return out
}

func inSpace(s *hlo.Shape, space int64) *hlo.Shape {
	l := *s.Layout
	l.MemorySpace = space
	return s.WithLayout(&l)
}

// leafOrigin returns the operand of a root tuple at an index, the root for the whole.
func leafOrigin(root *hlo.Instruction, index hlo.Index) *hlo.Instruction {
	for _, k := range index {
		if root.Opcode != hlo.OpTuple || k >= len(root.Operands) {
			return nil
		}
		root = root.Operands[k]
	}
	for root.Opcode == hlo.OpCopy || root.Opcode == hlo.OpBitcast || root.Opcode == hlo.OpReshape {
		root = root.Operands[0]
	}
	return root
}

func movesToHost(in *hlo.Instruction) bool {
	v := in.Attr("custom_call_target")
	return in.Opcode == hlo.OpCustomCall && v != nil && strings.Trim(v.Text, `"`) == "MoveToHost"
}

// divided reports whether an instruction's sharding divides a leaf of its shape: the tiles of the interface are then
// those of one device's part, the ones inside those of the whole.
func divided(in *hlo.Instruction, leaf int, s *hlo.Shape) bool {
	parts, _ := sharding.Parts(sharding.Leaf(in.Attr("sharding"), leaf), s.Rank())
	return sharding.Divides(parts)
}

// parameters compares the entry's parameters with the target's default layouts, which are chosen for what one device
// holds. Memory spaces are not compared.
func (c *checker) parameters() {
	for i, p := range c.params {
		leaf := -1
		p.Leaves(func(index hlo.Index, have *hlo.Shape) {
			leaf++
			if !have.IsArray() || have.Layout == nil || len(have.Layout.Tiles) == 0 || c.t == nil {
				return
			}
			parts, _ := sharding.Parts(sharding.Leaf(c.parameter(i).Attr("sharding"), leaf), have.Rank())
			device := sharding.Device(have, parts)
			want := *c.t.BoundaryLayout(device.DType, device.Dims)
			want.MemorySpace = have.Layout.MemorySpace
			if !have.Layout.Equal(&want) {
				c.add(Parameter, c.parameter(i), have, have.WithLayout(&want), "parameter %d%s", i, index)
			}
		})
	}
}
