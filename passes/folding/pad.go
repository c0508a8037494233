package folding

import (
	"slices"
	"strconv"

	"hlolayout/hlo"
)

// isZero reports whether a value is zero everywhere.
func isZero(in *hlo.Instruction) bool {
	x, ok := constantOf(in)
	return ok && x == 0
}

// negativePad slices where a pad takes elements away.
func negativePad(w *simplifier, in *hlo.Instruction) *hlo.Instruction {
	x := in.Operands[0]
	if in.Attr("padding") == nil || in.Attr("sharding") != nil || in.Shape.IsDynamic() {
		return nil
	}
	all := in.Attr("padding").Paddings()
	if !slices.ContainsFunc(all, func(p hlo.Padding) bool { return p.Low < 0 || p.High < 0 }) {
		return nil
	}
	first, dims := make([]int64, len(all)), slices.Clone(in.Shape.Dims)
	for d, p := range all {
		first[d] = max(0, -p.Low)
		dims[d] += first[d] + max(0, -p.High)
		all[d].Low, all[d].High = max(0, p.Low), max(0, p.High)
	}
	if slices.ContainsFunc(all, func(p hlo.Padding) bool { return p != hlo.Padding{} }) {
		x = surrounded(w, x, in.Operands[1], all, dims)
	}
	return sliced(w, x, first, in.Shape.Dims)
}

// padBack selects where a pad puts elements after those that a slice leaves of one dimension, as many as it took away
// or fewer: of 21 probes the 15 that are such are selected, and those before, on both sides or of two dimensions stay.
func padBack(w *simplifier, in *hlo.Instruction) *hlo.Instruction {
	x := in.Operands[0]
	if x.Opcode != hlo.OpSlice || in.Attr("padding") == nil || in.Attr("sharding") != nil || in.Shape.IsDynamic() ||
		x.Operands[0].Shape.IsDynamic() {
		return nil
	}
	first, ok := x.SliceStarts()
	along, of := -1, x.Operands[0]
	for d, p := range in.Attr("padding").Paddings() {
		switch n := of.Shape.Dims[d]; {
		case !ok || first[d] != 0:
			return nil
		case p == hlo.Padding{} && x.Shape.Dims[d] == n:
		case along < 0 && p == hlo.Padding{High: p.High} && p.High > 0 && in.Shape.Dims[d] <= n:
			along = d
		default:
			return nil
		}
	}
	if along < 0 {
		return nil
	}
	size := in.Shape.Dims[along]
	fill := broadcast(w, in, in.Operands[1], in.Shape.Dims, nil)
	kept := mask(w, w, in, maskOf(size, x.Shape.Dims[along]), []int{along})
	become(w, in, hlo.OpSelect, kept, cut(w, of, along, 0, size), fill)
	return in
}

// padInstead pads with what is one number everywhere and joined to another array.
func padInstead(w *simplifier, in *hlo.Instruction) *hlo.Instruction {
	if len(in.Operands) != 2 || in.Attr("sharding") != nil || in.Shape.IsDynamic() {
		return nil
	}
	along := in.Ints("dimensions")[0]
	first := make([]int64, in.Shape.Rank())
	for i, o := range in.Operands {
		if _, ok := scalar(o); !ok || o.Opcode != hlo.OpBroadcast {
			continue
		}
		if w.waitsFor(apart, in) {
			return nil
		}
		if i == 0 {
			first[along] = o.Shape.Dims[along]
		}
		return within(w, in.Operands[1-i], o.Operands[0], first, in.Shape.Dims)
	}
	return nil
}

// padPlaced pads what is written at a known place into one number everywhere.
func padPlaced(w *simplifier, in *hlo.Instruction) *hlo.Instruction {
	into, x := in.Operands[0], in.Operands[1]
	if _, ok := scalar(into); !ok || into.Opcode != hlo.OpBroadcast || w.waitsFor(apart, in) {
		return nil
	}
	first, ok := placeOf(in)
	if !ok {
		return nil
	}
	return within(w, x, into.Operands[0], first, in.Shape.Dims)
}

// placeOf returns where an array is written into another one; ok is false where that is not known.
func placeOf(in *hlo.Instruction) (first []int64, ok bool) {
	if in.Attr("sharding") != nil {
		return nil, false
	}
	return known(in.Operands[2:], in.Shape, in.Operands[1].Shape)
}

// known returns the first place of a part of an array, given by numbers; ok is false where it is not known.
func known(at []*hlo.Instruction, whole, part *hlo.Shape) (first []int64, ok bool) {
	if whole.IsDynamic() || part.IsDynamic() || len(at) != whole.Rank() || len(at) != part.Rank() {
		return nil, false
	}
	for d, o := range at {
		n, err := strconv.ParseInt(o.Literal(), 10, 64)
		if o.Opcode != hlo.OpConstant || err != nil || n < 0 || n+part.Dims[d] > whole.Dims[d] {
			return nil, false
		}
		first = append(first, n)
	}
	return first, true
}

// joinPlaced joins an array to what is written in the place of its padding, which is on one side of one dimension (7
// probes: not where it is on both, nor where a part of it stays).
func joinPlaced(w *simplifier, in *hlo.Instruction) *hlo.Instruction {
	into, x := in.Operands[0], in.Operands[1]
	if into.Opcode != hlo.OpPad || into.Attr("padding") == nil || into.Attr("sharding") != nil {
		return nil
	}
	first, ok := placeOf(in)
	pads, along := into.Attr("padding").Paddings(), -1
	if !ok || len(pads) != len(first) {
		return nil
	}
	for d, p := range pads {
		switch {
		case p == hlo.Padding{} && x.Shape.Dims[d] == in.Shape.Dims[d]:
		case along < 0 && (p == hlo.Padding{Low: x.Shape.Dims[d]} && first[d] == 0 ||
			p == hlo.Padding{High: x.Shape.Dims[d]} && first[d] == into.Operands[0].Shape.Dims[d]):
			along = d
		default:
			return nil
		}
	}
	if along < 0 {
		return nil
	}
	parts := []*hlo.Instruction{x, into.Operands[0]}
	if first[along] > 0 {
		slices.Reverse(parts)
	}
	return concatenated(w, in, along, parts...)
}
