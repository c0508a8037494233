package folding

import (
	"slices"

	"hlolayout/hlo"
	"hlolayout/tpu"
)

// A dot may have its operands exchanged, where the result is transposed so that its dimensions are in their places.

// exchangesParameters reports whether a dot's left operand that is like a parameter becomes the right one, for a
// target: on v6e and v7x, as 47 of 47 probes show, not on v2, v3, v4, v5e and v5p. This is algsimp's
// MoveDotParamToRhs.
func exchangesParameters(t *tpu.Target) bool { return t.Name == "v6e" || t.Name == "v7x" }

// mostLike is how many operations likeParameter goes through: all, in programs that people write.
const mostLike = 256

// likeParameter reports whether a value is a parameter, or computed of one by operations of one operand each: slices,
// broadcasts and loops are among them, not an operation with two, be it one with a number, nor a slice at a computed
// place. A parameter of what is called late is one, see calls.go. The partitioner puts parts of parameters in the place
// of what a program cuts for its devices.
func (w *simplifier) likeParameter(in *hlo.Instruction) bool {
	for range mostLike {
		switch {
		case in.Opcode == hlo.OpParameter || w.note(in).gate == gateIn:
			return true
		case len(in.Operands) != 1 || w.note(in).gate == gateOut:
			return false
		}
		x := in.Operands[0]
		if k, ok := in.Attr("index").Int(); ok && k >= 0 && int(k) < len(x.Operands) {
			if _, known := cutBy(x); known {
				x = x.Operands[k]
			}
		}
		in = x
	}
	return false
}

// belongsRight reports whether an operand of a dot is to be the right one, and the other one the left.
func (w *simplifier) belongsRight(in, other *hlo.Instruction) bool {
	return exchangesParameters(w.target) && w.likeParameter(in) && !w.likeParameter(other)
}

// parameterRight exchanges the operands of a dot of which the left one belongs on the right.
func parameterRight(w *simplifier, in *hlo.Instruction) *hlo.Instruction {
	if !w.belongsRight(in.Operands[0], in.Operands[1]) {
		return nil
	}
	p, ok := factoredOf(in)
	if !ok {
		return nil
	}
	batch, rows, columns := len(p.batch[0]), len(p.outer[0]), len(p.outer[1])
	if rows == 0 || columns == 0 {
		exchange(in, in)
		return in
	}
	all := ascendingTo(batch + rows + columns)
	dims := sizes(in.Shape.Dims, slices.Concat(all[:batch], all[batch+rows:], all[batch:batch+rows]))
	n := w.make(in.Opcode, in, dims)
	exchange(n, in)
	become(w, in, hlo.OpTranspose, n)
	set(in, "dimensions", slices.Concat(all[:batch], all[batch+columns:], all[batch:batch+columns]))
	return in
}

// exchange gives an instruction the operands of a dot, the right one first, and its attributes, and keeps its metadata.
func exchange(in, dot *hlo.Instruction) {
	attrs := slices.Clone(dot.Attrs)
	if k := slices.IndexFunc(in.Attrs, func(a hlo.Attr) bool { return a.Key.Name == "metadata" }); k >= 0 {
		attrs = append(except(attrs, "metadata"), in.Attrs[k])
	}
	in.Opcode, in.Operands = hlo.OpDot, []*hlo.Instruction{dot.Operands[1], dot.Operands[0]}
	in.Attrs = attrs
	for _, names := range []struct{ left, right string }{
		{sides[0].contracting, sides[1].contracting}, {sides[0].batch, sides[1].batch},
	} {
		left, right := dot.Ints(names.left), dot.Ints(names.right)
		if len(left)+len(right) > 0 {
			set(in, names.left, right)
			set(in, names.right, left)
		}
	}
	if v := dot.Attr("operand_precision"); v != nil && len(v.Elems) == 2 {
		setValue(in, "operand_precision", listOf(",", v.Elems[1], v.Elems[0]))
	}
}

// swapsOperands reports whether a permutation of a dot's result exchanges the dimensions of its operands and nothing
// else.
func swapsOperands(dot *hlo.Instruction, permutation []int) bool {
	if dot.Opcode != hlo.OpDot || len(dot.Operands) != 2 {
		return false
	}
	batch, all := len(dot.Ints(sides[0].batch)), ascendingTo(len(permutation))
	left := dot.Operands[0].Shape.Rank() - len(dot.Ints(sides[0].contracting))
	return slices.Equal(permutation, slices.Concat(all[:batch], all[left:], all[batch:left]))
}

// transposedProduct exchanges the operands of a dot that nothing but a transpose reads, unless a product reads that,
// which comes before it (11 of 11 probes).
func transposedProduct(w *simplifier, in *hlo.Instruction) *hlo.Instruction {
	x := in.Operands[0]
	if w.note(x).uses != 1 || !swapsOperands(x, in.Ints("dimensions")) {
		return nil
	}
	if w.note(in).inProduct {
		w.note(in).tried = false
		return nil
	}
	if w.belongsRight(x.Operands[1], x.Operands[0]) {
		return nil // parameterRight would exchange them again
	}
	exchange(in, x)
	in.Shape = w.shape(in.Shape.DType, in.Shape.Dims)
	return in
}
