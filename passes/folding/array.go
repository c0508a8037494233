package folding

import (
	"math"
	"slices"
	"strconv"
	"strings"

	"hlolayout/hlo"
)

// mostFolded is how many elements of arrays are read or computed in a module: the text of more is left out.
const mostFolded = 1 << 22

// array holds the elements of an array, the last dimension first; nil where they are not known.
type array struct {
	dims     []int64
	elements []float64
}

// sized returns how many elements an array of some dimensions has, and takes them off what may still be computed; ok is
// false where that is too many.
func (w *simplifier) sized(dims []int64) (n int, ok bool) {
	size := int64(1)
	for _, d := range dims {
		if size > 0 && d > mostFolded/size {
			return 0, false
		}
		size *= d
	}
	w.folds += int(size)
	return int(size), w.folds <= mostFolded
}

// arrayOf returns the elements of a constant, of an iota, or of a broadcast of a constant.
func (w *simplifier) arrayOf(in *hlo.Instruction) array {
	x := array{dims: in.Shape.Dims}
	n, ok := w.sized(x.dims)
	if !ok || in.Shape.DType.Bits() > 32 {
		return x
	}
	switch in.Opcode {
	case hlo.OpConstant:
		x.elements = parsed(in.Literal(), n)
		for i, e := range x.elements {
			if x.elements[i], ok = rounded(in.Shape.DType, e); !ok {
				return array{dims: x.dims}
			}
		}
	case hlo.OpIota:
		if along, ok := in.Attr("iota_dimension").Int(); ok {
			return arranged(x.dims, n, func(at []int64) float64 { return float64(at[along]) })
		}
	case hlo.OpBroadcast:
		y, to := w.arrayOf(in.Operands[0]), in.Ints("dimensions")
		if y.elements != nil {
			return y.moved(x.dims, n, func(at, from []int64) bool {
				for i, d := range to {
					from[i] = at[d]
				}
				return true
			}, 0)
		}
	}
	return x
}

// parsed reads the n elements of a literal, nil for those that are not numbers or left out.
func parsed(literal string, n int) []float64 {
	texts := strings.Split(withoutBraces.Replace(literal), ",")
	if len(texts) != n {
		return nil
	}
	out := make([]float64, n)
	for i, text := range texts {
		switch text {
		case "true":
			text = "1"
		case "false":
			text = "0"
		}
		x, err := strconv.ParseFloat(text, 64)
		if err != nil {
			return nil
		}
		out[i] = x
	}
	return out
}

var withoutBraces = strings.NewReplacer("{", "", "}", "", " ", "")

// arranged returns an array of n elements, each made of its place.
func arranged(dims []int64, n int, element func(at []int64) float64) array {
	out, at := make([]float64, 0, n), make([]int64, len(dims))
	for range n {
		out = append(out, element(at))
		for d := len(dims) - 1; d >= 0; d-- {
			if at[d]++; at[d] < dims[d] {
				break
			}
			at[d] = 0
		}
	}
	return array{dims, out}
}

// moved returns an array whose elements come from another one; source reports from where, and is false for those that
// are fill.
func (x array) moved(dims []int64, n int, source func(at, from []int64) bool, fill float64) array {
	from := make([]int64, len(x.dims))
	return arranged(dims, n, func(at []int64) float64 {
		if !source(at, from) {
			return fill
		}
		return x.elements[x.place(from)]
	})
}

func (x array) place(at []int64) (k int64) {
	for d, i := range at {
		k = k*x.dims[d] + i
	}
	return k
}

// rounded returns a number as an element type holds it; ok is false for types that are not modelled.
func rounded(t hlo.DType, x float64) (y float64, ok bool) {
	switch {
	case t == hlo.F32:
		return float64(float32(x)), true
	case t == hlo.BF16:
		b := math.Float32bits(float32(x))
		return float64(math.Float32frombits((b + 0x7fff + b>>16&1) &^ 0xffff)), x == x
	case t == hlo.Pred:
		return x, x == 0 || x == 1
	case x != math.Trunc(x) || math.Abs(x) >= 1<<53:
		return x, false
	case t.Class() == hlo.ClassSigned:
		shift := 64 - t.Bits()
		return float64(int64(x) << shift >> shift), true
	case t.Class() == hlo.ClassUnsigned:
		return float64(uint64(int64(x)) & (1<<t.Bits() - 1)), true
	}
	return x, false
}

// literal returns the text of an array, "" where an element has none in the type.
func (x array) literal(t hlo.DType) string {
	texts := make([]string, len(x.elements))
	for i, e := range x.elements {
		y, ok := rounded(t, e)
		if !ok {
			return ""
		}
		texts[i] = numberText(t, y, len(x.dims) == 0)
	}
	for d := len(x.dims) - 1; d >= 0; d-- {
		n := int(x.dims[d])
		if n == 0 {
			return ""
		}
		var joined []string
		open, end := "{", "}"
		if d < len(x.dims)-1 {
			open, end = "{ ", " }"
		}
		for part := range slices.Chunk(texts, n) {
			joined = append(joined, open+strings.Join(part, ", ")+end)
		}
		texts = joined
	}
	return texts[0]
}

func numberText(t hlo.DType, x float64, alone bool) string {
	switch {
	case t == hlo.Pred && alone:
		return strconv.FormatBool(x != 0)
	case math.IsInf(x, 0), math.IsNaN(x):
		return strings.ToLower(strings.TrimPrefix(strconv.FormatFloat(x, 'g', -1, 64), "+"))
	case t.Class() == hlo.ClassFloat:
		return floatText(x)
	}
	return strconv.FormatFloat(x, 'f', 0, 64)
}

// floatText returns the text of an f32 number as the compiler writes it, so that it is common with those of the
// program: six digits where they are enough, and nine.
func floatText(x float64) string {
	for _, digits := range []int{6, 9} {
		text := strconv.FormatFloat(x, 'g', digits, 64)
		if y, err := strconv.ParseFloat(text, 32); err == nil && y == x {
			return text
		}
	}
	return strconv.FormatFloat(x, 'g', -1, 32)
}
