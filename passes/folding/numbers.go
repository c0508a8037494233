package folding

import (
	"math"
	"strconv"

	"hlolayout/hlo"
)

// ofNumbers are the operations on two numbers that are computed, in f32, in s32 and in u32. Each is exact but for one
// rounding, as on the device. What is of u32 alone is of bits, and so of s32, too.
var ofNumbers = map[hlo.Opcode]struct {
	floats     func(x, y float32) float32
	ints       func(x, y int64) int64
	ofUnsigned func(x, y uint32) uint32
}{
	hlo.OpAdd: {func(x, y float32) float32 { return x + y }, func(x, y int64) int64 { return x + y },
		func(x, y uint32) uint32 { return x + y }},
	hlo.OpSubtract: {func(x, y float32) float32 { return x - y }, func(x, y int64) int64 { return x - y },
		func(x, y uint32) uint32 { return x - y }},
	hlo.OpMultiply: {func(x, y float32) float32 { return x * y }, func(x, y int64) int64 { return x * y },
		func(x, y uint32) uint32 { return x * y }},
	hlo.OpDivide:    {floats: func(x, y float32) float32 { return x / y }, ints: quotientOf},
	hlo.OpPower:     {floats: func(x, y float32) float32 { return float32(math.Pow(float64(x), float64(y))) }},
	hlo.OpRemainder: {ints: func(x, y int64) int64 { return x - y*quotientOf(x, y) }},
	hlo.OpMaximum:   {ints: func(x, y int64) int64 { return max(x, y) }},
	hlo.OpMinimum:   {ints: func(x, y int64) int64 { return min(x, y) }},
	hlo.OpAnd:       {ofUnsigned: func(x, y uint32) uint32 { return x & y }},
	hlo.OpOr:        {ofUnsigned: func(x, y uint32) uint32 { return x | y }},
	hlo.OpXor:       {ofUnsigned: func(x, y uint32) uint32 { return x ^ y }},
	// Go shifts by more than all bits as the device does, and a negative number is a large one.
	hlo.OpShiftLeft:         {ofUnsigned: func(x, y uint32) uint32 { return x << y }},
	hlo.OpShiftRightLogical: {ofUnsigned: func(x, y uint32) uint32 { return x >> y }},
}

// quotientOf returns a quotient as XLA has it: -1 where the divisor is 0.
func quotientOf(x, y int64) int64 {
	if y == 0 {
		return -1
	}
	return x / y
}

// ofNumber are the operations on one number that are computed, in f32 and in s32. The last digit may be another one
// than the device's where they are not exact.
var ofNumber = map[hlo.Opcode]func(x float64) float64{
	hlo.OpAbs:    math.Abs,
	hlo.OpCeil:   math.Ceil,
	hlo.OpFloor:  math.Floor,
	hlo.OpNegate: func(x float64) float64 { return -x },
	hlo.OpSign: func(x float64) float64 {
		if x == 0 {
			return x
		}
		return math.Copysign(1, x)
	},
	hlo.OpSqrt: math.Sqrt,

	hlo.OpCosine:      math.Cos,
	hlo.OpExponential: math.Exp,
	hlo.OpLog:         math.Log,
	hlo.OpSine:        math.Sin,
	hlo.OpTanh:        math.Tanh,
}

// computeOne returns what an operation on one number of an element type gives.
func computeOne(t hlo.DType, opcode hlo.Opcode, x string) (text string, ok bool) {
	op := ofNumber[opcode]
	n, err := strconv.ParseFloat(x, 64)
	if op == nil || err != nil {
		return "", false
	}
	switch n = op(n); {
	case math.IsInf(n, 0) || math.IsNaN(n):
		return "", false
	case t == hlo.S32:
		return strconv.FormatFloat(n+0, 'f', 0, 64), n == float64(int32(n))
	case t == hlo.F32:
		return float(t, n)
	}
	return "", false
}

// computed is what an operation on one or two numbers gives, each everywhere in its array; those that are not finite or
// leave the type's range are left.
func computed(w *simplifier, in *hlo.Instruction) *hlo.Instruction {
	if in.Attr("sharding") != nil {
		return nil
	}
	var x []string
	for _, o := range in.Operands {
		literal, ok := scalar(o)
		if !ok {
			return nil
		}
		x = append(x, literal)
	}
	text, ok := "", false
	switch {
	case in.Opcode == hlo.OpClamp:
		if text, ok = compute(in.Shape.DType, hlo.OpMaximum, x[0], x[1]); ok {
			text, ok = compute(in.Shape.DType, hlo.OpMinimum, text, x[2])
		}
	case in.Opcode == hlo.OpConvert:
		text, ok = converted(in.Operands[0].Shape.DType, in.Shape.DType, x[0])
	case in.Opcode == hlo.OpIsFinite:
		n, err := strconv.ParseFloat(x[0], 64)
		text, ok = "true", err == nil && !math.IsInf(n, 0) && !math.IsNaN(n)
	case in.Opcode == hlo.OpNot && in.Shape.DType == hlo.Pred:
		text, ok = strconv.FormatBool(x[0] == "false"), true
	case len(x) == 1:
		text, ok = computeOne(in.Shape.DType, in.Opcode, x[0])
	case len(x) == 2:
		text, ok = compute(in.Shape.DType, in.Opcode, x[0], x[1])
	}
	if !ok {
		return nil
	}
	return everywhere(w, in, in.Shape.Dims, text)
}

// compute returns what an operation on two numbers of an element type gives.
func compute(t hlo.DType, opcode hlo.Opcode, x, y string) (text string, ok bool) {
	op := ofNumbers[opcode]
	switch {
	case t == hlo.F32 && op.floats != nil:
		a, err := strconv.ParseFloat(x, 32)
		b, other := strconv.ParseFloat(y, 32)
		n := float64(op.floats(float32(a), float32(b)))
		if err != nil || other != nil || math.IsInf(n, 0) || math.IsNaN(n) {
			return "", false
		}
		return float(t, n)
	case t == hlo.S32 && (op.ints != nil || op.ofUnsigned != nil):
		a, err := strconv.ParseInt(x, 10, 32)
		b, other := strconv.ParseInt(y, 10, 32)
		var n int64
		if op.ints != nil {
			n = op.ints(a, b)
		} else {
			n = int64(int32(op.ofUnsigned(uint32(a), uint32(b))))
		}
		return strconv.FormatInt(n, 10), err == nil && other == nil && n == int64(int32(n))
	case t == hlo.U32 && op.ofUnsigned != nil:
		a, err := strconv.ParseUint(x, 10, 32)
		b, other := strconv.ParseUint(y, 10, 32)
		return strconv.FormatUint(uint64(op.ofUnsigned(uint32(a), uint32(b))), 10), err == nil && other == nil
	}
	return "", false
}

// converted returns a number in another element type, where it is exact but for one rounding.
func converted(from, to hlo.DType, x string) (text string, ok bool) {
	n, err := strconv.ParseFloat(x, 64)
	switch from {
	case hlo.Pred:
		n, err = 0, nil
		if x == "true" {
			n = 1
		}
	case hlo.S32, hlo.F32, hlo.BF16:
	default:
		return "", false
	}
	switch {
	case err != nil || math.IsInf(n, 0) || math.IsNaN(n):
		return "", false
	case to == hlo.S32 && (from == hlo.Pred || n == math.Trunc(n) && math.Abs(n) < 1<<31):
		return strconv.FormatFloat(n, 'f', 0, 64), true
	}
	return float(to, n)
}
