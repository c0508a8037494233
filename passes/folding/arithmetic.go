package folding

import (
	"math"
	"strconv"

	"hlolayout/hlo"
)

// constantOf returns the number that a value is everywhere; ok is false for other values.
func constantOf(in *hlo.Instruction) (x float64, ok bool) {
	literal, ok := scalar(in)
	if !ok {
		return 0, false
	}
	x, err := strconv.ParseFloat(literal, 64)
	return x, err == nil
}

// float returns the text of a number of an element type; ok is false for other types than f32 and bf16.
func float(t hlo.DType, x float64) (text string, ok bool) {
	switch t {
	case hlo.F32:
	case hlo.BF16:
		b := math.Float32bits(float32(x))
		x = float64(math.Float32frombits((b + 0x7fff + b>>16&1) &^ 0xffff))
	default:
		return "", false
	}
	return floatText(float64(float32(x))), true
}

// roots are the reciprocals of what a product takes in place of a quotient, where nothing else reads that, once what is
// common is one (8 of 8 probes).
var roots = map[hlo.Opcode]hlo.Opcode{hlo.OpSqrt: hlo.OpRsqrt, hlo.OpRsqrt: hlo.OpSqrt}

// quotient multiplies where a program divides by a number, a root, a power or a quotient, and divides once where it
// divides twice.
func quotient(w *simplifier, in *hlo.Instruction) *hlo.Instruction {
	x, y := in.Operands[0], in.Operands[1]
	if t := in.Shape.DType; t != hlo.F32 && t != hlo.BF16 || in.Attr("sharding") != nil || !in.Shape.IsArray() {
		return nil
	}
	if by, ok := constantOf(y); ok {
		reciprocal := float64(float32(1 / by))
		text, ok := float(in.Shape.DType, reciprocal)
		if _, both := constantOf(x); both || !ok || reciprocal == 0 || math.IsInf(reciprocal, 0) || math.IsNaN(reciprocal) {
			return nil
		}
		in.Operands[1] = everywhere(w, y, y.Shape.Dims, text)
		in.Opcode = hlo.OpMultiply
		in.SetOpText("")
		return in
	}
	switch root := roots[y.Opcode]; {
	case root != 0 && w.phase >= sinking && w.note(y).uses == 1: // x/sqrt(a) = x*rsqrt(a)
		in.Operands = []*hlo.Instruction{x, w.make(root, y, y.Shape.Dims, y.Operands[0])}
		in.Opcode = hlo.OpMultiply
		in.SetOpText("")
	case x.Opcode == hlo.OpDivide: // (a/b)/y = a/(b*y)
		in.Operands = []*hlo.Instruction{x.Operands[0], w.make(hlo.OpMultiply, in, in.Shape.Dims, x.Operands[1], y)}
	case y.Opcode == hlo.OpDivide: // x/(a/b) = (x*b)/a
		in.Operands = []*hlo.Instruction{w.make(hlo.OpMultiply, in, in.Shape.Dims, x, y.Operands[1]), y.Operands[0]}
	case y.Opcode == hlo.OpPower: // x/a^b = x*a^-b
		n := w.make(hlo.OpNegate, y, y.Shape.Dims, y.Operands[1])
		in.Operands = []*hlo.Instruction{x, w.make(hlo.OpPower, y, y.Shape.Dims, y.Operands[0], n)}
		in.Opcode = hlo.OpMultiply
		in.SetOpText("")
	default:
		return nil
	}
	return in
}

// difference adds the negative of a number that a program subtracts.
func difference(w *simplifier, in *hlo.Instruction) *hlo.Instruction {
	y := in.Operands[1]
	literal, ok := scalar(y)
	if !ok || in.Attr("sharding") != nil || literal == "" {
		return nil
	}
	switch in.Shape.DType {
	case hlo.F32, hlo.BF16, hlo.S32, hlo.S16, hlo.S8:
	default:
		return nil
	}
	x, err := strconv.ParseFloat(literal, 64)
	if _, both := scalar(in.Operands[0]); both || err != nil || math.IsNaN(x) {
		return nil
	}
	if literal[0] == '-' {
		literal = literal[1:]
	} else {
		literal = "-" + literal
	}
	if literal == "2147483648" || literal == "32768" || literal == "128" && in.Shape.DType == hlo.S8 {
		return nil
	}
	in.Operands[1] = everywhere(w, y, y.Shape.Dims, literal)
	in.Opcode = hlo.OpAdd
	in.SetOpText("")
	return in
}

// clamped makes one operation of a minimum of a maximum, or the other way round, both with numbers. Of one element both
// stay.
func clamped(w *simplifier, in *hlo.Instruction) *hlo.Instruction {
	inner := hlo.OpMaximum
	if in.Opcode == hlo.OpMaximum {
		inner = hlo.OpMinimum
	}
	if in.Attr("sharding") != nil || !in.Shape.IsArray() || in.Shape.IsScalar() {
		return nil
	}
	for i, a := range in.Operands {
		x := in.Operands[1-i]
		if !isNumber(a) || x.Opcode != inner {
			continue
		}
		for k, b := range x.Operands {
			low, high := b, a
			if inner == hlo.OpMinimum {
				low, high = a, b
			}
			bottom, _ := constantOf(low)
			if top, _ := constantOf(high); isNumber(b) && bottom <= top {
				in.Opcode, in.Operands = hlo.OpClamp, []*hlo.Instruction{low, x.Operands[1-k], high}
				in.SetOpText("")
				return in
			}
		}
	}
	return nil
}

func isNumber(x *hlo.Instruction) bool {
	_, ok := constantOf(x)
	return ok
}

// masked selects where a program multiplies by a predicate.
func masked(w *simplifier, in *hlo.Instruction) *hlo.Instruction {
	if in.Attr("sharding") != nil || !in.Shape.IsArray() {
		return nil
	}
	for i, c := range in.Operands {
		if c.Opcode != hlo.OpConvert || c.Operands[0].Shape.DType != hlo.Pred {
			continue
		}
		zero := filled(w, in, in.Shape.Dims, 0)
		in.Opcode, in.Operands = hlo.OpSelect, []*hlo.Instruction{c.Operands[0], in.Operands[1-i], zero}
		in.SetOpText("")
		return in
	}
	return nil
}

// comparison compares two numbers.
func comparison(w *simplifier, in *hlo.Instruction) *hlo.Instruction {
	x, y := in.Operands[0], in.Operands[1]
	a, ok := constantOf(x)
	b, both := constantOf(y)
	if !ok || !both || x.Opcode != hlo.OpConstant || y.Opcode != hlo.OpConstant {
		return nil
	}
	v := in.Attr("direction")
	if v == nil || comparisons[v.Text] == nil {
		return nil
	}
	become(w, in, hlo.OpConstant)
	in.SetLiteral(strconv.FormatBool(comparisons[v.Text](a, b)))
	return in
}
