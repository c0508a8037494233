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
	if _, ok := scalar(into); !ok || into.Opcode != hlo.OpBroadcast || in.Attr("sharding") != nil ||
		in.Shape.IsDynamic() || x.Shape.IsDynamic() || len(in.Operands) != 2+x.Shape.Rank() || w.waitsFor(apart, in) {
		return nil
	}
	first := make([]int64, x.Shape.Rank())
	for d, o := range in.Operands[2:] {
		n, err := strconv.ParseInt(o.Literal(), 10, 64)
		if o.Opcode != hlo.OpConstant || err != nil || n < 0 || n+x.Shape.Dims[d] > in.Shape.Dims[d] {
			return nil
		}
		first[d] = n
	}
	return within(w, x, into.Operands[0], first, in.Shape.Dims)
}
