package diff

import (
	"slices"

	"hlolayout/hlo"
)

func (c *comparison) names(o, n *hlo.Instruction) {
	switch {
	case o.Name == n.Name:
	case hlo.BaseName(o.Name) == hlo.BaseName(n.Name):
		c.r.Noise.Renumbered++
	default:
		c.r.Noise.Renamed++
	}
}

// leaves compares the layouts of one pair.
func (c *comparison) leaves(o, n *hlo.Instruction) {
	before := c.r.LeafCounts
	c.compareLeaves(o, n)
	if o.Name == n.Name && o.Computation.Name == n.Computation.Name {
		c.r.Named.add(LeafCounts{c.r.Leaves - before.Leaves, c.r.SameOrder - before.SameOrder,
			c.r.SameLayout - before.SameLayout})
	}
}

func (c *comparison) compareLeaves(o, n *hlo.Instruction) {
	k := shapePair{o.Shape, n.Shape}
	count, same := c.equal[k]
	if !same && o.Shape.Equal(n.Shape) {
		n.Shape.Leaves(func(hlo.Index, *hlo.Shape) { count++ })
		c.equal[k], same = count, true
	}
	if same { // most pairs
		c.r.add(LeafCounts{count, count, count})
		return
	}
	n.Shape.Leaves(func(index hlo.Index, leaf *hlo.Shape) {
		c.r.Leaves++
		was := o.Shape.At(index)
		if was == nil {
			return
		}
		if !was.Compatible(leaf) {
			if !resizedOnly(was, leaf) || c.ignore.equal(placement(was.Layout), placement(leaf.Layout)) {
				return
			}
			c.resizedLayouts = append(c.resizedLayouts, resizedLayout{n, slices.Clone(index), was, leaf})
			return
		}
		if !leaf.IsArray() || slices.Equal(was.MinorToMajor(), leaf.MinorToMajor()) {
			c.r.SameOrder++
		}
		if !leaf.IsArray() || was.Layout.Equal(leaf.Layout) {
			c.r.SameLayout++
			return
		}
		if c.ignore.equal(was.Layout, leaf.Layout) {
			c.r.Noise.Layouts++
			return
		}
		c.layout(n, index, was, leaf)
	})
}

// layout notes a part of a pair that has another layout.
func (c *comparison) layout(n *hlo.Instruction, index hlo.Index, was, leaf *hlo.Shape) {
	class := 0
	switch inside := !c.memory[n.Computation]; {
	case inside && !c.boundary(n):
		class = 2
	case !inside && !n.OwnsBuffer(index):
		class = 1
	}
	list, k := c.groups()[class], shapePair{was, leaf}
	at, ok := c.layouts[class][k]
	if !ok {
		at = len(*list)
		c.layouts[class][k] = at
		g := LayoutGroup{From: was, To: leaf}
		a, okA := paddedBytes(was)
		b, okB := paddedBytes(leaf)
		if g.Known = okA && okB; g.Known {
			g.OldBytes, g.NewBytes = a, b
		}
		*list = append(*list, g)
	}
	g := &(*list)[at]
	g.Values = append(g.Values, n)
	g.Indices = append(g.Indices, slices.Clone(index))
	if b := c.body(c.toOld[n.Computation]); b != nil {
		b.Layouts++
	}
}

// resizedLayout is an array of a pair that has another size, and another order or memory space.
type resizedLayout struct {
	in       *hlo.Instruction
	index    hlo.Index
	old, new *hlo.Shape
}

// boundary reports whether an instruction of a text without an entry stands for an array in memory: the parameters and
// roots of computations that nothing calls have the layouts of the operands and results of the fusions that would call
// them. Scalars are those of reducers.
func (c *comparison) boundary(n *hlo.Instruction) bool {
	return c.New.Entry == nil && (n.Opcode == hlo.OpParameter || n.IsRoot()) && rank(n.Shape) != 0 &&
		len(n.Computation.Callers()) == 0
}
