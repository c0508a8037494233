package folding

import (
	"slices"

	"hlolayout/hlo"
)

// foldable are the operations that are computed of constants in addition to elementwise ones, and how; nil for those
// that are not modelled, whose results are known to be constants only where the text leaves their elements out, too.
var foldable map[hlo.Opcode]func(in *hlo.Instruction, xs []array, n int) (y array, ok bool)

func init() {
	foldable = map[hlo.Opcode]func(*hlo.Instruction, []array, int) (array, bool){
		hlo.OpReshape: func(in *hlo.Instruction, xs []array, _ int) (array, bool) {
			return array{in.Shape.Dims, xs[0].elements}, true
		},
		hlo.OpTranspose: func(in *hlo.Instruction, xs []array, n int) (array, bool) {
			order := in.Ints("dimensions")
			return xs[0].moved(in.Shape.Dims, n, func(at, from []int64) bool {
				for i, d := range order {
					from[d] = at[i]
				}
				return true
			}, 0), true
		},
		hlo.OpReverse: func(in *hlo.Instruction, xs []array, n int) (array, bool) {
			return xs[0].moved(in.Shape.Dims, n, func(at, from []int64) bool {
				copy(from, at)
				for _, d := range in.Ints("dimensions") {
					from[d] = in.Shape.Dims[d] - 1 - at[d]
				}
				return true
			}, 0), true
		},
		hlo.OpSlice:              foldedSlice,
		hlo.OpPad:                foldedPad,
		hlo.OpConcatenate:        foldedConcatenate,
		hlo.OpReduce:             foldedReduce,
		hlo.OpDynamicUpdateSlice: foldedUpdate,
		hlo.OpGather:             foldedGather,
		hlo.OpDot:                nil, hlo.OpReduceWindow: nil, hlo.OpSort: nil, hlo.OpDynamicSlice: nil,
		hlo.OpConvolution: nil, hlo.OpMap: nil,
	}
}

// folded computes what only constants are read by, such as the places that gathers are made of, where one of them is
// a constant itself: iotas and broadcasts alone stay, but for broadcasts that are joined, and what is padded of one
// (43 probes; constant-folding). What reads numbers alone is left to computed: the compiler computes more of it, which
// two programs are further from without the passes that follow there.
func folded(w *simplifier, in *hlo.Instruction) *hlo.Instruction {
	if !w.foldsConstants(in) {
		return nil
	}
	text := ""
	if y, ok := w.fold(in); ok {
		if text = y.literal(in.Shape.DType); text == "" {
			return nil
		}
	} else if text = elided; !w.leavesOut(in) || in.Shape.IsScalar() { // a text leaves out elements, and no number
		return nil
	}
	var origin uint32
	if text == elided {
		origin = w.origin(in)
	}
	become(w, in, hlo.OpConstant)
	in.SetLiteral(text)
	w.note(in).origin = origin
	return in
}

// folds reports whether an operation is one that is folded.
func folds(op hlo.Opcode) bool {
	_, ok := foldable[op]
	return ok || op.Elementwise()
}

// foldsConstants reports whether the operands of one that is folded may be.
func (w *simplifier) foldsConstants(in *hlo.Instruction) bool {
	if in.Attr("sharding") != nil || !in.Shape.IsArray() || in.Shape.IsDynamic() ||
		len(in.Operands) == 0 || in.Opcode == hlo.OpPad && in.Operands[0].Opcode != hlo.OpConstant {
		return false
	}
	direct, arrays := false, !in.Shape.IsScalar()
	joins := in.Opcode == hlo.OpConcatenate
	for _, o := range in.Operands {
		switch {
		case !o.Shape.IsArray() || o.Attr("sharding") != nil:
			return false
		case o.Opcode == hlo.OpConstant:
			direct = true
		case o.Opcode == hlo.OpIota:
			joins = false
		case o.Opcode != hlo.OpBroadcast || o.Operands[0].Opcode != hlo.OpConstant:
			return false
		}
		arrays = arrays || !o.Shape.IsScalar()
	}
	return (direct || joins) && arrays
}

// leavesOut reports whether the text leaves out the elements of an operand.
func (w *simplifier) leavesOut(in *hlo.Instruction) bool {
	return w.folds > mostFolded || slices.ContainsFunc(in.Operands, func(o *hlo.Instruction) bool {
		if o.Opcode == hlo.OpBroadcast {
			o = o.Operands[0]
		}
		return o.Opcode == hlo.OpConstant && o.Literal() == elided
	})
}

// origin returns a number for what an operation computes: equal ones are one constant.
func (w *simplifier) origin(in *hlo.Instruction) uint32 {
	key, ok := w.key(nil, in)
	if !ok {
		return 0
	}
	n := w.origins[string(key)]
	if n == 0 {
		n = uint32(len(w.origins) + 1)
		w.origins[string(key)] = n
	}
	return n
}

// fold returns the elements of what an operation computes; ok is false where they are not known.
func (w *simplifier) fold(in *hlo.Instruction) (y array, ok bool) {
	n, ok := w.sized(in.Shape.Dims)
	of := foldable[in.Opcode]
	if !ok || of == nil && !in.Opcode.Elementwise() || in.Shape.DType.Bits() > 32 {
		return y, false
	}
	var xs []array
	for _, o := range in.Operands {
		x := w.arrayOf(o)
		if x.elements == nil {
			return y, false
		}
		xs = append(xs, x)
	}
	if of != nil {
		return of(in, xs, n)
	}
	return foldedElements(in, xs, n)
}

// plainConstant makes a broadcast of a constant that is one number everywhere, an iota of a vector that counts, and a
// multiple of one of integers that count in other steps (algsimp; 7 of 7 probes, 0 of 1 of floating-point numbers).
func plainConstant(w *simplifier, in *hlo.Instruction) *hlo.Instruction {
	if !in.Shape.IsArray() || in.Shape.IsScalar() || in.Attr("sharding") != nil || in.Literal() == elided {
		return nil
	}
	x := w.arrayOf(in)
	if len(x.elements) < 2 {
		return nil
	}
	one := !slices.ContainsFunc(x.elements, func(e float64) bool { return e != x.elements[0] })
	step, counts := stepOf(x.elements)
	class := in.Shape.DType.Class()
	switch {
	case one:
		return everywhere(w, in, in.Shape.Dims, numberText(in.Shape.DType, x.elements[0], true))
	case !counts || len(x.dims) != 1:
	case step == 1:
		return counting(w, in, in.Shape.Dims, 0)
	case class == hlo.ClassSigned || class == hlo.ClassUnsigned:
		count := counting(w, in, in.Shape.Dims, 0)
		steps := everywhere(w, in, in.Shape.Dims, numberText(in.Shape.DType, step, true))
		return w.make(hlo.OpMultiply, in, in.Shape.Dims, count, steps)
	}
	return nil
}

// stepOf returns the step in which numbers count from zero; counts is false where they do not.
func stepOf[T int64 | float64](ns []T) (step T, counts bool) {
	if len(ns) < 2 {
		return 0, false
	}
	for i, n := range ns {
		if n != T(i)*ns[1] {
			return 0, false
		}
	}
	return ns[1], true
}

// broadcastNumber broadcasts what is one number as that, whatever its dimensions.
func broadcastNumber(w *simplifier, in *hlo.Instruction) *hlo.Instruction {
	x := in.Operands[0]
	if x.Opcode != hlo.OpConstant || x.Shape.IsScalar() || !x.Shape.IsArray() || in.Attr("sharding") != nil {
		return nil
	}
	if n, ok := x.Shape.Elements(); !ok || n != 1 {
		return nil
	}
	y := parsed(x.Literal(), 1)
	if y == nil {
		return nil
	}
	return everywhere(w, in, in.Shape.Dims, numberText(in.Shape.DType, y[0], true))
}
