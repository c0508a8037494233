package report

import (
	"cmp"
	"fmt"
	"slices"

	"hlolayout/hlo"
	"hlolayout/passes/padding"
	"hlolayout/printer/diff"
)

// Copies are copy instructions and their padded bytes.
type Copies struct {
	Count int
	Bytes int64
}

// copies counts the copies in memory, and apart from them those that change nothing but the memory space.
func copies(groups []diff.OpGroup) (copies, moves Copies) {
	for _, g := range groups {
		if g.Inside || g.Values[0].Opcode != hlo.OpCopy && g.Values[0].Opcode != hlo.OpCopyStart {
			continue
		}
		for _, in := range g.Values {
			target := copied(in)
			c := &copies
			if target != nil && len(in.Operands) == 1 && movesOnly(in.Operands[0].Shape, target) {
				c = &moves
			}
			c.Count++
			if target != nil && target.IsArray() {
				c.Bytes += padding.SizeOf(target).Padded
			}
		}
	}
	return copies, moves
}

// movesOnly reports whether two shapes differ in the memory space alone.
func movesOnly(from, to *hlo.Shape) bool {
	if from == nil || !from.Compatible(to) || from.Layout == nil || to.Layout == nil {
		return false
	}
	a, b := *from.Layout, *to.Layout
	if a.MemorySpace == b.MemorySpace {
		return false
	}
	a.MemorySpace, b.MemorySpace = 0, 0
	return a.Equal(&b)
}

// copied returns the shape that a copy writes, nil where it has none.
func copied(in *hlo.Instruction) *hlo.Shape {
	if in.Opcode == hlo.OpCopyStart {
		return in.Shape.At(hlo.Index{0})
	}
	return in.Shape
}

// copyLines says the copies in memory, those of equal shapes in one line: what changes, and their bytes.
func copyLines(groups []diff.OpGroup, removed bool) []line {
	type key struct{ op, text string }
	var order []key
	values, bytes := map[key][]*hlo.Instruction{}, map[key]int64{}
	for _, g := range groups {
		if g.Inside || !isCopy(&g) || g.Values[0].Opcode == hlo.OpCopyDone {
			continue
		}
		for _, in := range g.Values {
			to := copied(in)
			if to == nil || len(in.Operands) != 1 {
				continue
			}
			k := key{in.OpName(), bare(to)}
			if from := in.Operands[0].Shape; from != nil && from.IsArray() && to.IsArray() && !from.Equal(to) {
				k.text += " " + Change(from, to)
			} else {
				k.text = shapeText(to)
			}
			if values[k] == nil {
				order = append(order, k)
			}
			values[k] = append(values[k], in)
			if to.IsArray() {
				bytes[k] += padding.SizeOf(to).Padded
			}
		}
	}
	slices.SortStableFunc(order, func(a, b key) int { return cmp.Compare(bytes[b], bytes[a]) })
	var out []line
	for _, k := range order {
		text := k.op + " " + k.text
		if n := len(values[k]); n > 1 {
			text += fmt.Sprintf(" x%d", n)
		}
		if bytes[k] > 0 {
			text += ", " + Bytes(bytes[k])
		}
		out = append(out, line{text: text + "  (" + names(values[k], 2) + sourceLines(values[k], 2) + ")",
			values: values[k], removed: removed})
	}
	return out
}
