package folding

import (
	"math/bits"
	"slices"
	"strconv"

	"hlolayout/hlo"
)

// shifted takes bits in place of a quotient or a remainder of integers by a power of two; a negative number is divided
// as its opposite (11 of 11 probes; 6 of other divisors stay).
func shifted(w *simplifier, in *hlo.Instruction) *hlo.Instruction {
	t := in.Shape.DType
	literal, ok := scalar(in.Operands[1])
	if t != hlo.S32 && t != hlo.U32 || !ok || in.Attr("sharding") != nil {
		return nil
	}
	by, err := strconv.ParseInt(literal, 10, 64)
	if err != nil || by <= 0 || by&(by-1) != 0 {
		return nil
	}
	x, dims := in.Operands[0], in.Shape.Dims
	if _, known := scalar(x); known || by == 1 && in.Opcode == hlo.OpDivide {
		return nil // which is computed, and the other one is x
	}
	if by == 1 {
		return filled(w, in, dims, 0)
	}
	of := func(x *hlo.Instruction) *hlo.Instruction {
		if in.Opcode == hlo.OpRemainder {
			return w.make(hlo.OpAnd, in, dims, x, filled(w, in, dims, by-1))
		}
		return w.make(hlo.OpShiftRightLogical, in, dims, x, filled(w, in, dims, int64(bits.TrailingZeros64(uint64(by)))))
	}
	if t == hlo.U32 {
		return of(x)
	}
	below := compared(w, x, filled(w, x, dims, 0), "LT")
	q := of(w.make(hlo.OpSelect, in, dims, below, w.make(hlo.OpNegate, in, dims, x), x))
	return w.make(hlo.OpSelect, in, dims, below, w.make(hlo.OpNegate, in, dims, q), q)
}

// powers are the products that take the place of a power of floats, by exponent (9 of 9 probes; those of 4 other
// exponents stay). One of 0 is 1, but most become known only where the power is divided by: then they are -0, and stay.
var powers = map[float64]func(w *simplifier, in, x *hlo.Instruction) *hlo.Instruction{
	-1: func(w *simplifier, in, x *hlo.Instruction) *hlo.Instruction {
		return w.make(hlo.OpDivide, in, in.Shape.Dims, filled(w, in, in.Shape.Dims, 1), x)
	},
	1: func(_ *simplifier, _, x *hlo.Instruction) *hlo.Instruction { return x },
	2: func(w *simplifier, in, x *hlo.Instruction) *hlo.Instruction {
		return w.make(hlo.OpMultiply, in, in.Shape.Dims, x, x)
	},
	3: func(w *simplifier, in, x *hlo.Instruction) *hlo.Instruction {
		return w.make(hlo.OpMultiply, in, in.Shape.Dims, x, w.make(hlo.OpMultiply, in, in.Shape.Dims, x, x))
	},
}

// power multiplies, or divides, where a program raises to a small power.
func power(w *simplifier, in *hlo.Instruction) *hlo.Instruction {
	n, ok := constantOf(in.Operands[1])
	t := in.Shape.DType
	if !ok || t != hlo.F32 && t != hlo.BF16 || powers[n] == nil || in.Attr("sharding") != nil {
		return nil
	}
	return powers[n](w, in, in.Operands[0])
}

// alike are the results of comparisons of a value with itself.
var alike = map[string]string{"EQ": "true", "LE": "true", "GE": "true", "NE": "false", "LT": "false", "GT": "false"}

// itself simplifies what is computed of one value twice, of integers where one that is not a number makes a difference
// (12 of 12 probes; with floats, x - x, x / x and comparisons stay, and so does and(x, x)).
func itself(w *simplifier, in *hlo.Instruction) *hlo.Instruction {
	x := in.Operands[0]
	if x != in.Operands[len(in.Operands)-1] || in.Attr("sharding") != nil || !in.Shape.IsArray() {
		return undone(in)
	}
	class := x.Shape.DType.Class()
	whole := class == hlo.ClassSigned || class == hlo.ClassUnsigned
	switch v := in.Attr("direction"); {
	case in.Opcode == hlo.OpMaximum || in.Opcode == hlo.OpMinimum:
		return x
	case in.Opcode == hlo.OpSubtract && whole:
		return filled(w, in, in.Shape.Dims, 0)
	case in.Opcode == hlo.OpCompare && whole && v != nil && alike[v.Text] != "":
		return everywhere(w, in, in.Shape.Dims, alike[v.Text])
	}
	return undone(in)
}

// undone returns what an operation takes away that another one has added: negate(negate(x)) is x, and so is
// reverse(reverse(x)); max(max(x, 2), 2) is max(x, 2); abs(x) is x where that is never negative.
func undone(in *hlo.Instruction) *hlo.Instruction {
	x := in.Operands[0]
	switch {
	case in.Opcode == hlo.OpAbs && neverNegative(x) && in.Attr("sharding") == nil:
		return inPlaceOf(in, x)
	case x.Opcode != in.Opcode || in.Attr("sharding") != nil:
	case in.Opcode == hlo.OpNegate:
		return inPlaceOf(in, x.Operands[0])
	case in.Opcode == hlo.OpReverse && slices.Equal(in.Ints("dimensions"), x.Ints("dimensions")):
		return inPlaceOf(in, x.Operands[0])
	case in.Opcode == hlo.OpMaximum && isNumber(in.Operands[1]) && slices.Contains(x.Operands, in.Operands[1]):
		return inPlaceOf(in, x)
	}
	return nil
}

// oneNumber adds or multiplies by one number where a program does so by two, of integers (10 of 10 probes; of floats,
// and with other operations, both stay), also where the first one is what is subtracted from (9 of 9), as of the place
// in a scan that goes backwards.
func oneNumber(w *simplifier, in *hlo.Instruction) *hlo.Instruction {
	if t := in.Shape.DType; t != hlo.S32 && t != hlo.U32 || in.Attr("sharding") != nil {
		return nil
	}
	for i, second := range in.Operands {
		b, ok := scalar(second)
		x := in.Operands[1-i]
		from := in.Opcode == hlo.OpAdd && x.Opcode == hlo.OpSubtract
		if !ok || x.Opcode != in.Opcode && !from || x.Attr("sharding") != nil {
			continue
		}
		for k, first := range x.Operands {
			a, ok := scalar(first)
			text, exact := compute(in.Shape.DType, in.Opcode, a, b)
			switch {
			case !ok || !exact || from && k > 0:
				continue
			case from:
				become(w, in, hlo.OpSubtract, everywhere(w, second, second.Shape.Dims, text), x.Operands[1])
			default:
				in.Operands = []*hlo.Instruction{x.Operands[1-k], everywhere(w, second, second.Shape.Dims, text)}
			}
			return in
		}
	}
	return nil
}
