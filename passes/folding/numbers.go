package folding

import (
	"math"
	"strconv"

	"hlolayout/hlo"
)

// ofNumbers are the operations on two numbers that are computed, in f32 and in integers. Each is exact but for one
// rounding, as on the device.
var ofNumbers = map[hlo.Opcode]struct {
	floats func(x, y float32) float32
	ints   func(x, y int64) int64
}{
	hlo.OpAdd:      {func(x, y float32) float32 { return x + y }, func(x, y int64) int64 { return x + y }},
	hlo.OpSubtract: {func(x, y float32) float32 { return x - y }, func(x, y int64) int64 { return x - y }},
	hlo.OpMultiply: {func(x, y float32) float32 { return x * y }, func(x, y int64) int64 { return x * y }},
}

// computed is what an operation on two numbers gives, each everywhere in its array; those that are not finite or leave
// the type's range are left.
func computed(w *simplifier, in *hlo.Instruction) *hlo.Instruction {
	op, ok := ofNumbers[in.Opcode]
	if !ok || in.Attr("sharding") != nil {
		return nil
	}
	x, ok := scalar(in.Operands[0])
	y, both := scalar(in.Operands[1])
	if !ok || !both {
		return nil
	}
	var text string
	switch in.Shape.DType {
	case hlo.F32:
		a, err := strconv.ParseFloat(x, 32)
		b, other := strconv.ParseFloat(y, 32)
		n := float64(op.floats(float32(a), float32(b)))
		if err != nil || other != nil || math.IsInf(n, 0) || math.IsNaN(n) {
			return nil
		}
		text, _ = float(hlo.F32, n)
	case hlo.S32:
		a, err := strconv.ParseInt(x, 10, 32)
		b, other := strconv.ParseInt(y, 10, 32)
		n := op.ints(a, b)
		if err != nil || other != nil || n != int64(int32(n)) {
			return nil
		}
		text = strconv.FormatInt(n, 10)
	default:
		return nil
	}
	return w.like(in, text)
}
