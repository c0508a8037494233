package folding

import (
	"math"

	"hlolayout/hlo"
)

// What elementwise operations are of known elements. All is computed in float64, and rounded to the type of the result.

// foldedElements computes an elementwise operation.
func foldedElements(in *hlo.Instruction, xs []array, n int) (y array, ok bool) {
	of := operationOf(in)
	if of == nil {
		return y, false
	}
	y = array{in.Shape.Dims, make([]float64, n)}
	args := make([]float64, len(xs))
	for i := range n {
		for k, x := range xs {
			if len(x.elements) == 1 {
				args[k] = x.elements[0] // a number that a select or a clamp takes
				continue
			}
			args[k] = x.elements[i]
		}
		e, fine := of(args)
		if y.elements[i], ok = rounded(in.Shape.DType, e); !ok || !fine {
			return y, false
		}
	}
	return y, true
}

// operationOf returns how an elementwise operation computes an element; nil for those that are not modelled, which are
// those whose results are not exact but for one rounding.
func operationOf(in *hlo.Instruction) func(x []float64) (y float64, ok bool) {
	switch in.Opcode {
	case hlo.OpCompare:
		v := in.Attr("direction")
		if v == nil || comparisons[v.Text] == nil {
			return nil
		}
		is := comparisons[v.Text]
		return func(x []float64) (float64, bool) { return truth(is(x[0], x[1])), true }
	case hlo.OpSelect:
		return func(x []float64) (float64, bool) {
			if x[0] != 0 {
				return x[1], true
			}
			return x[2], true
		}
	case hlo.OpIsFinite:
		return func(x []float64) (float64, bool) { return truth(!math.IsInf(x[0], 0) && !math.IsNaN(x[0])), true }
	case hlo.OpNot:
		if in.Shape.DType != hlo.Pred {
			return nil
		}
		return func(x []float64) (float64, bool) { return 1 - x[0], true }
	case hlo.OpClamp:
		return func(x []float64) (float64, bool) { return min(max(x[0], x[1]), x[2]), true }
	case hlo.OpConvert:
		from, to := in.Operands[0].Shape.DType, in.Shape.DType
		return func(x []float64) (float64, bool) {
			switch {
			case to == hlo.Pred:
				return truth(x[0] != 0), true
			case from.Class() == hlo.ClassFloat && to.Class() != hlo.ClassFloat:
				y := math.Trunc(x[0])
				z, ok := rounded(to, y)
				return y, ok && y == z
			}
			return x[0], true
		}
	}
	if of, ok := ofOne[in.Opcode]; ok && len(in.Operands) == 1 {
		return func(x []float64) (float64, bool) { return of(x[0]), true }
	}
	if of, ok := ofTwo[in.Opcode]; ok && len(in.Operands) == 2 {
		float := in.Shape.DType.Class() == hlo.ClassFloat
		return func(x []float64) (float64, bool) { return of(x[0], x[1], float) }
	}
	return nil
}

func truth(is bool) float64 {
	if is {
		return 1
	}
	return 0
}

var comparisons = map[string]func(x, y float64) bool{
	"EQ": func(x, y float64) bool { return x == y }, "NE": func(x, y float64) bool { return x != y },
	"LT": func(x, y float64) bool { return x < y }, "LE": func(x, y float64) bool { return x <= y },
	"GT": func(x, y float64) bool { return x > y }, "GE": func(x, y float64) bool { return x >= y },
}

var ofOne = map[hlo.Opcode]func(float64) float64{
	hlo.OpAbs: math.Abs, hlo.OpFloor: math.Floor, hlo.OpCeil: math.Ceil, hlo.OpSqrt: math.Sqrt,
	hlo.OpExponential: math.Exp, hlo.OpLog: math.Log,
	hlo.OpNegate: func(x float64) float64 { return -x },
	hlo.OpSign: func(x float64) float64 {
		if x == 0 || x != x {
			return x
		}
		return math.Copysign(1, x)
	},
}

// ofTwo computes elements of two operands, integers where float is false; ok is false for what no number is.
var ofTwo = map[hlo.Opcode]func(x, y float64, float bool) (z float64, ok bool){
	hlo.OpAdd:      func(x, y float64, _ bool) (float64, bool) { return x + y, true },
	hlo.OpSubtract: func(x, y float64, _ bool) (float64, bool) { return x - y, true },
	hlo.OpMultiply: func(x, y float64, _ bool) (float64, bool) { return x * y, true },
	hlo.OpMaximum:  func(x, y float64, _ bool) (float64, bool) { return max(x, y), true },
	hlo.OpMinimum:  func(x, y float64, _ bool) (float64, bool) { return min(x, y), true },
	hlo.OpDivide: func(x, y float64, float bool) (float64, bool) {
		if float {
			return x / y, true
		}
		return math.Trunc(x / y), y != 0
	},
	hlo.OpPower:     func(x, y float64, float bool) (float64, bool) { return math.Pow(x, y), float },
	hlo.OpRemainder: func(x, y float64, float bool) (float64, bool) { return math.Mod(x, y), !float && y != 0 },
	hlo.OpAnd:       bitwise(func(x, y int64) int64 { return x & y }),
	hlo.OpOr:        bitwise(func(x, y int64) int64 { return x | y }),
	hlo.OpXor:       bitwise(func(x, y int64) int64 { return x ^ y }),
}

func bitwise(of func(x, y int64) int64) func(x, y float64, float bool) (z float64, ok bool) {
	return func(x, y float64, float bool) (float64, bool) { return float64(of(int64(x), int64(y))), !float }
}
