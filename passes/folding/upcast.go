package folding

import "hlolayout/hlo"

// narrowProducts has products and convolutions read what is converted to a type that has all its values as it was
// before, through reshapes, slices, transposes and gathers: the compiler's convert_operand_folding, which comes once,
// before its other simplifications (13 of 13 probes; a broadcast ends it, and so does a convert from s32 to f32).
func (w *simplifier) narrowProducts() {
	done := map[*hlo.Instruction]*hlo.Instruction{}
	for _, c := range w.Module.InMemory() {
		w.rewrite(c, func(in *hlo.Instruction) *hlo.Instruction {
			if in.Opcode == hlo.OpDot || in.Opcode == hlo.OpConvolution {
				for i, o := range in.Operands {
					if x := w.beforeUpcast(o, done); x != nil {
						in.Operands[i] = x
						w.Applied["narrowed-product"]++
					}
				}
			}
			return nil
		})
	}
}

var keepsValues = ops(hlo.OpReshape, hlo.OpSlice, hlo.OpTranspose, hlo.OpDynamicSlice, hlo.OpGather)

// beforeUpcast returns a value as it is before it is converted to a type that has all its values, nil where it is not.
// Done has what was found of moves before: a chain of them may have a product at each.
func (w *simplifier) beforeUpcast(in *hlo.Instruction, done map[*hlo.Instruction]*hlo.Instruction) *hlo.Instruction {
	if in.Attr("sharding") != nil || !in.Shape.IsArray() || in.Shape.IsDynamic() {
		return nil
	}
	switch {
	case in.Opcode == hlo.OpConvert && upcast(in.Operands[0].Shape.DType, in.Shape.DType):
		return in.Operands[0]
	case !keepsValues(in.Opcode):
		return nil
	}
	n, ok := done[in]
	if ok {
		return n
	}
	if x := w.beforeUpcast(in.Operands[0], done); x != nil {
		n = w.instructionLike(in.Opcode, x, in.Shape.Dims, append([]*hlo.Instruction{x}, in.Operands[1:]...))
		n.Name, n.Attrs = nameLike(in.Name, n), in.Attrs
		w.add(n)
	}
	done[in] = n
	return n
}

// precisions are the bits of the significands of floating-point types that others are converted to.
var precisions = map[hlo.DType]int{hlo.F16: 11, hlo.BF16: 8, hlo.F32: 24, hlo.F64: 53}

// upcast reports whether a type has all the values of another one, XLA's CastPreservesValues. Of the types of 8 bits
// and fewer those of floating point are left out.
func upcast(from, to hlo.DType) bool {
	a, b := from.Class(), to.Class()
	bits := from.Bits()
	if a == hlo.ClassSigned {
		bits-- // without the sign
	}
	switch {
	case a == hlo.ClassPred:
		return b == hlo.ClassSigned || b == hlo.ClassUnsigned || b == hlo.ClassFloat
	case a == hlo.ClassFloat && b == hlo.ClassFloat:
		return to.Bits() > from.Bits() && precisions[from] > 0 && precisions[to] > 0
	case a != hlo.ClassSigned && a != hlo.ClassUnsigned:
		return false
	case b == hlo.ClassFloat:
		return bits <= precisions[to]
	case b == hlo.ClassSigned:
		return bits <= to.Bits()-1
	}
	return a == hlo.ClassUnsigned && b == a && from.Bits() < to.Bits()
}

// movesParts are the operations that come after what makes numbers smaller, and before what makes them larger: XLA's
// convert_mover. Reshapes and transposes come after all that is elementwise anyway.
var movesParts = ops(hlo.OpConcatenate, hlo.OpPad, hlo.OpSlice)

// narrowedParts converts the parts of an array that a convert to fewer bits alone reads (of 3,400 such converts of 230
// programs none is left after a concatenate or slice, one after a pad).
func narrowedParts(w *simplifier, in *hlo.Instruction) *hlo.Instruction {
	x, t := in.Operands[0], in.Shape.DType
	if !movesParts(x.Opcode) || t.Bits() >= x.Shape.DType.Bits() || x.Shape.IsDynamic() ||
		in.Attr("sharding") != nil || x.Attr("sharding") != nil || !w.readsAlone(in, x) || w.waitsFor(sinking, in) {
		return nil
	}
	operands := make([]*hlo.Instruction, len(x.Operands))
	for i, o := range x.Operands {
		operands[i] = w.typed(hlo.OpConvert, in, t, o.Shape.Dims, o)
		operands[i].Attrs = nil // not even metadata
	}
	n := w.typed(x.Opcode, x, t, x.Shape.Dims, operands...)
	n.Attrs = x.Attrs
	return n
}

// widenedWhole converts an array to more bits whose parts are converted, each for it alone.
func widenedWhole(w *simplifier, in *hlo.Instruction) *hlo.Instruction {
	first := in.Operands[0]
	if first.Opcode != hlo.OpConvert || in.Shape.IsDynamic() || in.Attr("sharding") != nil {
		return nil
	}
	from, to := first.Operands[0].Shape.DType, in.Shape.DType
	if !upcast(from, to) || from.Bits() >= to.Bits() {
		return nil
	}
	operands := make([]*hlo.Instruction, len(in.Operands))
	for i, o := range in.Operands {
		switch literal, isNumber := scalar(o); {
		case o.Opcode == hlo.OpConvert && o.Operands[0].Shape.DType == from && w.readsAlone(in, o):
			operands[i] = o.Operands[0]
		case isNumber && o.Opcode == hlo.OpConstant && literal == "0":
			operands[i] = number(w, first.Operands[0], 0)
		default:
			return nil
		}
	}
	if w.waitsFor(sinking, in) {
		return nil
	}
	n := w.typed(in.Opcode, in, from, in.Shape.Dims, operands...)
	n.Attrs = in.Attrs
	become(w, in, hlo.OpConvert, n)
	return in
}
