package diff

import (
	"slices"

	"hlolayout/hlo"
)

// Diff returns the pairs that differ as lines, each computation's in the order of the new module. Changes of layout
// count as in Report; so do users of values that were re-laid out, which have not changed.
func (m *Matching) Diff() *Diff {
	c := m.comparison()
	c.module()
	d := &Diff{Old: m.Old, New: m.New, Module: c.r.Module, matching: m}
	c.contract()
	if len(c.r.Contract) > 0 {
		for _, a := range compareAttrs(m.Old.Attrs, m.New.Attrs) {
			switch a.Name {
			case "entry_computation_layout", "input_output_alias", "buffer_donor":
				d.Module = append(d.Module, a)
			}
		}
	}
	for _, n := range m.New.Computations {
		p := m.toOld[n]
		if p == nil {
			d.add(nil, n, n.Instructions, func(in *hlo.Instruction) Change { return Change{New: in} })
			continue
		}
		lines := Computation{Old: p.Old, New: n}
		mergePairs(p.Old.Instructions, n.Instructions, p.toOld, func(o, n *hlo.Instruction) {
			if change, differs := c.change(d, o, n); differs {
				lines.Changes = append(lines.Changes, change)
			}
		})
		if len(lines.Changes) > 0 {
			d.Computations = append(d.Computations, lines)
		}
	}
	for _, o := range m.Old.Computations {
		if m.toNew[o] == nil {
			d.add(o, nil, o.Instructions, func(in *hlo.Instruction) Change { return Change{Old: in} })
		}
	}
	return d
}

func (d *Diff) add(o, n *hlo.Computation, list []*hlo.Instruction, change func(*hlo.Instruction) Change) {
	c := Computation{Old: o, New: n}
	for _, in := range list {
		c.Changes = append(c.Changes, change(in))
	}
	if n != nil {
		d.Added += len(list)
	} else {
		d.Removed += len(list)
	}
	d.Computations = append(d.Computations, c)
}

// change compares one pair, either of which may be nil, and counts it.
func (c *comparison) change(d *Diff, o, n *hlo.Instruction) (Change, bool) {
	switch {
	case o == nil:
		d.Added++
		if n.Opcode == hlo.OpCopy && len(n.Operands) == 1 {
			d.addCopy(n)
		}
		return Change{New: n}, true
	case n == nil:
		d.Removed++
		return Change{Old: o}, true
	}
	change := Change{Old: o, New: n}
	n.Shape.Leaves(func(index hlo.Index, leaf *hlo.Shape) {
		was := o.Shape.At(index)
		if was == nil || !leaf.IsArray() || !was.Compatible(leaf) {
			return
		}
		d.Arrays++
		switch {
		case c.ignore.equal(was.Layout, leaf.Layout):
			return
		case !slices.Equal(was.MinorToMajor(), leaf.MinorToMajor()):
			d.Reordered++
		case memorySpace(was) != memorySpace(leaf):
			d.Moved++
		default:
			d.Retiled++
		}
		change.Arrays = append(change.Arrays, Array{slices.Clone(index), was, leaf})
	})
	what := c.differences(o, n)
	for _, w := range what {
		if w == "kernel" {
			w = "backend_config"
		}
		if a, b := value(o.Attrs, w), value(n.Attrs, w); a != nil || b != nil {
			change.Attrs = append(change.Attrs, AttrChange{w, a, b})
		}
	}
	if len(what) > 0 {
		d.Changed++
	}
	return change, len(what) > 0 || len(change.Arrays) > 0
}
