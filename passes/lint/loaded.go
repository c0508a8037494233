package lint

import (
	"fmt"
	"slices"

	"hlolayout/hlo"
	"hlolayout/hlo/tiled"
	"hlolayout/passes/padding"
	"hlolayout/passes/relayout"
	"hlolayout/tpu"
)

// loaded says how a parameter would be loaded so that a relayout, the only thing that reads it, moves nothing, and what
// that saves; "" where no order of the parameter does it for certain, or where the parameter would have more bytes of
// padding than the relayout moves of data.
func loaded(l *relayout.Relayout, t *tpu.Target) (text string, saves int64) {
	p := l.Parameter.Shape
	if t == nil || !l.Only || l.Instruction.Opcode == hlo.OpFusion || // of transposes and bitcasts, perhaps
		!p.IsArray() || p.DType != l.From.DType || p.DType != l.To.DType || p.Layout == nil || l.From.Layout == nil ||
		l.To.Layout == nil || p.Layout.ElementBits != 0 || l.To.Layout.ElementBits != 0 {
		return "", 0
	}
	order, ok := loadedOrder(l)
	if !ok {
		return "", 0
	}
	layout := t.Layout(p.DType, p.Dims, order, true)
	if !sameMemory(p, layout, l) {
		return "", 0
	}
	was, now := padding.SizeOf(p), padding.SizeOf(p.WithLayout(layout))
	if grows := now.Padded - was.Padded; !was.Known || !now.Known || grows/max(1, l.Runs) > was.Logical {
		return "", 0
	} else if grows > 0 {
		text = fmt.Sprintf("; it then takes %s instead of %s", Size(now.Padded), Size(was.Padded))
	}
	if l.Instruction.Opcode == hlo.OpTranspose && l.Origin == l.Instruction.Operands[0] {
		return "nothing else reads the parameter: transpose it when it is loaded" + text, l.Total()
	}
	return fmt.Sprintf("nothing else reads the parameter: give it the order the copy makes when it is loaded: %s (major "+
		"to minor %s)%s", &hlo.Layout{MinorToMajor: order}, majorToMinor(order), text), l.Total()
}

// loadedOrder returns the order, minor to major, of the parameter's dimensions that is the relayout's result. Bitcasts
// leave the order of elements in memory, so that the physical dimensions of the parameter and of what is moved split
// into groups of equal size; each group of more than one dimension has to stay as it is.
func loadedOrder(l *relayout.Relayout) (order []int, ok bool) {
	p := l.Parameter.Shape
	a, b := majorFirst(p), majorFirst(l.From)
	// group and place say of each dimension of what is moved, size 1 left out, where it is.
	group, place := map[int]int{}, map[int]int{}
	var groups [][]int // the parameter's dimensions, major first
	for i, j := 0, 0; i < len(a) || j < len(b); {
		na, nb := int64(1), int64(1)
		var of []int
		for first := true; first || na != nb; first = false {
			switch {
			case (na < nb || first) && i < len(a):
				na, of, i = na*p.Dims[a[i]], append(of, a[i]), i+1
			case j < len(b):
				group[b[j]], place[b[j]] = len(groups), j
				nb, j = nb*l.From.Dims[b[j]], j+1
			default:
				return nil, false
			}
		}
		groups = append(groups, of)
	}
	var major []int
	last := -1 // the place of the dimension before
	for _, d := range majorFirst(l.To) {
		if l.Instruction.Opcode == hlo.OpTranspose {
			d = l.Instruction.Ints("dimensions")[d]
		}
		g, ok := group[d]
		switch starts := ok && (place[d] == 0 || group[b[place[d]-1]] != g); {
		case !ok:
			return nil, false
		case starts:
			major = append(major, groups[g]...)
		case place[d] != last+1:
			return nil, false
		}
		last = place[d]
	}
	for d, n := range p.Dims { // dimensions of size 1 are the most major: they pad nothing there
		if n == 1 {
			order = append(order, d)
		}
	}
	major = append(order, major...)
	slices.Reverse(major)
	return major, len(major) == p.Rank()
}

// majorFirst returns the dimensions of an array that are not of size 1, the most major first.
func majorFirst(s *hlo.Shape) (out []int) {
	for _, d := range slices.Backward(s.Layout.MinorToMajor) {
		if s.Dims[d] != 1 {
			out = append(out, d)
		}
	}
	return out
}

// sameMemory reports whether the parameter's elements are, in a layout, where the relayout puts them. Both are compared
// by the physical order of what is read, in which bitcasts keep elements.
func sameMemory(p *hlo.Shape, layout *hlo.Layout, l *relayout.Relayout) bool {
	permutation := l.From.Layout.MinorToMajor
	to := l.To.Layout.MinorToMajor
	if l.Instruction.Opcode == hlo.OpTranspose {
		dims := l.Instruction.Ints("dimensions")
		to = slices.Clone(to)
		for i, d := range to {
			to[i] = dims[d]
		}
	}
	a, err := tiled.New(turned(p, p.Layout.MinorToMajor, layout.MinorToMajor, layout))
	if err != nil {
		return false
	}
	b, err := tiled.New(turned(l.From, permutation, to, l.To.Layout))
	if err != nil {
		return false
	}
	match, err := tiled.ReshapeBitcast(a, b)
	return err == nil && match != tiled.Different
}

// turned is a shape with its dimensions numbered as an order, minor to major, has them in memory: order is given in the
// numbers of before, layout has its tiles.
func turned(s *hlo.Shape, numbers, order []int, layout *hlo.Layout) *hlo.Shape {
	at := make([]int, len(numbers))
	dims := make([]int64, len(numbers))
	for i, d := range slices.Backward(numbers) {
		at[d] = len(numbers) - 1 - i
		dims[at[d]] = s.Dims[d]
	}
	out := &hlo.Layout{Tiles: layout.Tiles}
	for _, d := range order {
		out.MinorToMajor = append(out.MinorToMajor, at[d])
	}
	return hlo.NewArray(s.DType, dims, out)
}
