package folding

import (
	"math"
	"slices"
	"strconv"
	"strings"

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
	} else if text = elided; !w.leavesOut(in) {
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

// foldsConstants reports whether an operation is one that is folded, of operands that may be.
func (w *simplifier) foldsConstants(in *hlo.Instruction) bool {
	_, ok := foldable[in.Opcode]
	if !ok && !in.Opcode.Elementwise() || in.Attr("sharding") != nil || !in.Shape.IsArray() || in.Shape.IsDynamic() ||
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

func foldedSlice(in *hlo.Instruction, xs []array, n int) (y array, ok bool) {
	v := in.Attr("slice")
	if v == nil || len(v.Elems) != in.Shape.Rank() {
		return y, false
	}
	first, step := make([]int64, len(v.Elems)), make([]int64, len(v.Elems))
	for d, e := range v.Elems {
		texts := strings.Split(strings.Trim(e.Text, "[]"), ":")
		step[d] = 1
		if len(texts) == 3 {
			step[d], _ = strconv.ParseInt(texts[2], 10, 64)
		}
		first[d], _ = strconv.ParseInt(texts[0], 10, 64)
		if end := first[d] + (in.Shape.Dims[d]-1)*step[d]; len(texts) < 2 || end < 0 || end >= xs[0].dims[d] {
			return y, false
		}
	}
	return xs[0].moved(in.Shape.Dims, n, func(at, from []int64) bool {
		for d := range at {
			from[d] = first[d] + at[d]*step[d]
		}
		return true
	}, 0), true
}

func foldedPad(in *hlo.Instruction, xs []array, n int) (y array, ok bool) {
	v := in.Attr("padding")
	if v == nil {
		return y, false
	}
	pads := v.Paddings()
	if len(pads) != in.Shape.Rank() {
		return y, false
	}
	return xs[0].moved(in.Shape.Dims, n, func(at, from []int64) bool {
		for d, p := range pads {
			k := at[d] - p.Low
			if from[d] = k / (p.Between + 1); k < 0 || k%(p.Between+1) != 0 || from[d] >= xs[0].dims[d] {
				return false
			}
		}
		return true
	}, xs[1].elements[0]), true
}

func foldedConcatenate(in *hlo.Instruction, xs []array, n int) (y array, ok bool) {
	dims := in.Ints("dimensions")
	if len(dims) != 1 {
		return y, false
	}
	along := dims[0]
	from := make([]int64, in.Shape.Rank())
	return arranged(in.Shape.Dims, n, func(at []int64) float64 {
		copy(from, at)
		for _, x := range xs {
			if from[along] < x.dims[along] {
				return x.elements[x.place(from)]
			}
			from[along] -= x.dims[along]
		}
		return math.NaN()
	}), true
}

func foldedReduce(in *hlo.Instruction, xs []array, n int) (y array, ok bool) {
	if len(xs) != 2 || len(in.Called()) != 1 || len(xs[1].elements) != 1 {
		return y, false
	}
	op, ok := combination(in.Called()[0])
	of, t := ofTwo[op], in.Shape.DType
	if !ok || of == nil || t.Class() == hlo.ClassFloat && op != hlo.OpMaximum && op != hlo.OpMinimum {
		return y, false // the order matters
	}
	kept := hlo.OtherDims(len(xs[0].dims), in.Ints("dimensions"))
	y = array{in.Shape.Dims, slices.Repeat(xs[1].elements, n)}
	into := make([]int64, len(kept))
	fine, next := true, 0
	arranged(xs[0].dims, len(xs[0].elements), func(at []int64) float64 {
		for i, d := range kept {
			into[i] = at[d]
		}
		k := y.place(into)
		e, one := of(y.elements[k], xs[0].elements[next], false)
		next++
		var two bool
		y.elements[k], two = rounded(t, e)
		fine = fine && one && two
		return 0
	})
	return y, fine
}

func foldedUpdate(in *hlo.Instruction, xs []array, n int) (y array, ok bool) {
	first := make([]int64, len(xs)-2)
	for d, x := range xs[2:] {
		if len(x.elements) != 1 {
			return y, false
		}
		first[d] = min(max(int64(x.elements[0]), 0), in.Shape.Dims[d]-xs[1].dims[d])
	}
	from := make([]int64, len(first))
	return arranged(in.Shape.Dims, n, func(at []int64) float64 {
		for d := range at {
			if from[d] = at[d] - first[d]; from[d] < 0 || from[d] >= xs[1].dims[d] {
				return xs[0].elements[xs[0].place(at)]
			}
		}
		return xs[1].elements[xs[1].place(from)]
	}), true
}

func foldedGather(in *hlo.Instruction, xs []array, n int) (y array, ok bool) {
	g, ok := windowOf(in)
	if !ok || len(g.batching[0]) > 0 {
		return y, false
	}
	table, indices := xs[0], xs[1]
	windowed := hlo.OtherDims(len(table.dims), g.single)
	batch := hlo.OtherDims(in.Shape.Rank(), g.offset)
	where := make([]int64, len(indices.dims))
	return table.moved(in.Shape.Dims, n, func(at, from []int64) bool {
		clear(from)
		for k, p := range g.places {
			next := 0
			for d := range where {
				if d == g.vector {
					where[d] = int64(k)
					continue
				}
				where[d] = at[batch[next]]
				next++
			}
			from[p] = min(max(int64(indices.elements[indices.place(where)]), 0), table.dims[p]-g.size[p])
		}
		for i, d := range windowed {
			from[d] += at[g.offset[i]]
		}
		return true
	}, 0), true
}

// plainConstant makes a broadcast of a constant that is one number everywhere, and an iota of a vector that counts
// (algsimp).
func plainConstant(w *simplifier, in *hlo.Instruction) *hlo.Instruction {
	if !in.Shape.IsArray() || in.Shape.IsScalar() || in.Attr("sharding") != nil || in.Literal() == elided {
		return nil
	}
	x := w.arrayOf(in)
	if len(x.elements) < 2 {
		return nil
	}
	one, counts := true, len(x.dims) == 1
	for i, e := range x.elements {
		one, counts = one && e == x.elements[0], counts && e == float64(i)
	}
	switch {
	case one:
		return everywhere(w, in, in.Shape.Dims, numberText(in.Shape.DType, x.elements[0], true))
	case counts:
		return counting(w, in, in.Shape.Dims, 0)
	}
	return nil
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
