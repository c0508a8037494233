package diff

import (
	"slices"

	"hlolayout/hlo"
)

// Compare pairs the computations of two modules by name, and their instructions by name within the computation, and
// returns what differs. The time is linear in the size of the modules.
func Compare(old, new *hlo.Module) *Diff {
	d := &Diff{Old: old, New: new, Module: compareAttrs(old.Attrs, new.Attrs)}
	merge(old.Computations, new.Computations,
		func(c *hlo.Computation) string { return c.Name },
		func(o, n *hlo.Computation) {
			c := Computation{Old: o, New: n}
			merge(instructions(o), instructions(n),
				func(in *hlo.Instruction) string { return in.Name },
				func(o, n *hlo.Instruction) {
					if change, differs := d.compare(o, n); differs {
						c.Changes = append(c.Changes, change)
					}
				})
			if len(c.Changes) > 0 {
				d.Computations = append(d.Computations, c)
			}
		})
	return d
}

func instructions(c *hlo.Computation) []*hlo.Instruction {
	if c == nil {
		return nil
	}
	return c.Instructions
}

// merge calls f for each pair of equal names, in the order of new; for what only one list has with the zero value
// in place of the other. What only old has comes before the first pair that follows it in old.
func merge[T any](old, new []T, name func(T) string, f func(o, n T)) {
	mergePairs(old, new, pair(old, new, name), f)
}

// mergePairs is merge for pairs that are known: partner is the place in old of each item of new, -1 for none.
func mergePairs[T any, P int | int32](old, new []T, partner []P, f func(o, n T)) {
	var none T
	paired := make([]bool, len(old))
	for _, k := range partner {
		if k >= 0 {
			paired[k] = true
		}
	}
	next := 0
	removed := func(end int) {
		for ; next < end; next++ {
			if !paired[next] {
				f(old[next], none)
			}
		}
	}
	for i, n := range new {
		k := int(partner[i])
		if k < 0 {
			f(none, n)
			continue
		}
		removed(k)
		f(old[k], n)
	}
	removed(len(old))
}

// pair returns, for each item of new, the place of the item of old with the same name, -1 where there is none. Where a
// name stands twice, the later ones are left alone.
func pair[T any](old, new []T, name func(T) string) []int {
	partner := make([]int, len(new))
	var byName map[string]int // built when the two orders first part
	next := 0
	for i, n := range new {
		if byName == nil && next < len(old) && name(old[next]) == name(n) {
			partner[i] = next
			next++
			continue
		}
		if byName == nil {
			byName = make(map[string]int, len(old)-next)
			for k := len(old) - 1; k >= next; k-- {
				byName[name(old[k])] = k
			}
		}
		k, ok := byName[name(n)]
		if !ok {
			partner[i] = -1
			continue
		}
		partner[i] = k
		delete(byName, name(n))
	}
	return partner
}

// compare compares one pair, either of which may be nil, and counts it.
func (d *Diff) compare(o, n *hlo.Instruction) (change Change, differs bool) {
	change = Change{Old: o, New: n}
	switch {
	case o == nil:
		d.Added++
		if n.Opcode == hlo.OpCopy && len(n.Operands) == 1 {
			d.addCopy(n)
		}
		return change, true
	case n == nil:
		d.Removed++
		return change, true
	}
	n.Shape.Leaves(func(index hlo.Index, leaf *hlo.Shape) {
		if !leaf.IsArray() {
			return
		}
		was := o.Shape.At(index)
		if was == nil || !was.Compatible(leaf) {
			return
		}
		d.Arrays++
		switch {
		case was.Layout.Equal(leaf.Layout):
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
	change.Attrs = compareAttrs(o.Attrs, n.Attrs)
	if len(change.Attrs) > 0 || !sameOperation(o, n) {
		d.Changed++
		return change, true
	}
	return change, len(change.Arrays) > 0
}

func memorySpace(s *hlo.Shape) int64 {
	if s.Layout == nil {
		return 0
	}
	return s.Layout.MemorySpace
}

func (d *Diff) addCopy(in *hlo.Instruction) {
	c := Copy{Instruction: in, From: in.Operands[0].Shape, To: in.Shape}
	if in.Shape.IsArray() {
		c.Bytes, _ = paddedBytes(in.Shape)
	}
	d.Inserted = append(d.Inserted, c)
	d.Copies++
	d.CopyBytes += c.Bytes
}

// sameOperation compares what a layout does not touch, attributes aside.
func sameOperation(o, n *hlo.Instruction) bool {
	return o.Opcode == n.Opcode && o.OpText() == n.OpText() && o.Parameter == n.Parameter && o.Literal() == n.Literal() &&
		o.IsRoot() == n.IsRoot() && o.Shape.Compatible(n.Shape) &&
		slices.EqualFunc(o.Operands, n.Operands, func(a, b *hlo.Instruction) bool { return a.Name == b.Name })
}

// compareAttrs returns the attributes that differ: new's in their order, then those that only old has. The order in
// which attributes are written does not count.
func compareAttrs(old, new []hlo.Attr) []AttrChange {
	var out []AttrChange
	for _, a := range new {
		if was := value(old, a.Key.Name); a.Key.Name != "metadata" && !equalValue(was, a.Value) {
			out = append(out, AttrChange{a.Key.Name, was, a.Value})
		}
	}
	for _, a := range old {
		if a.Key.Name != "metadata" && value(new, a.Key.Name) == nil {
			out = append(out, AttrChange{a.Key.Name, a.Value, nil})
		}
	}
	return out
}

func value(attrs []hlo.Attr, name string) *hlo.Value {
	for i := range attrs {
		if attrs[i].Key.Name == name {
			return attrs[i].Value
		}
	}
	return nil
}

func equalValue(a, b *hlo.Value) bool {
	if a == nil || b == nil {
		return a == b
	}
	return a == b || a.Text == b.Text && a.Kind == b.Kind
}
