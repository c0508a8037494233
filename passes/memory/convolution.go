package memory

import (
	"strconv"
	"strings"

	"hlolayout/hlo"
)

// convolutionFlops counts the multiplications and additions of a convolution, those of the padding left out; 0 where
// its attributes do not fit its shapes.
func convolutionFlops(in *hlo.Instruction) float64 {
	labels := in.Attr("dim_labels")
	if labels == nil || len(in.Operands) < 2 || !in.Shape.IsArray() {
		return 0
	}
	lhs, rest, _ := strings.Cut(labels.Text, "_")
	rhs, out, _ := strings.Cut(rest, "->")
	x, k, y := in.Operands[0].Shape, in.Operands[1].Shape, in.Shape
	if len(lhs) != len(x.Dims) || len(rhs) != len(k.Dims) || len(out) != len(y.Dims) {
		return 0
	}
	size := func(s *hlo.Shape, labels string, l byte) int64 {
		if i := strings.IndexByte(labels, l); i >= 0 {
			return s.Dims[i]
		}
		return 0
	}
	f := 2 * float64(size(y, out, 'b')) * float64(size(y, out, 'f')) * float64(size(k, rhs, 'i'))
	w := in.Attr("window")
	spatial := len(lhs) - 2
	sizes, strides := windowInts(w, "size", spatial, 1), windowInts(w, "stride", spatial, 1)
	pads := windowInts(w, "pad", spatial, 0)
	baseDilation, windowDilation := windowInts(w, "lhs_dilate", spatial, 1), windowInts(w, "rhs_dilate", spatial, 1)
	for i := range spatial {
		l := byte('0' + i)
		outputs, inputs := size(y, out, l), size(x, lhs, l)
		if outputs <= 0 || inputs <= 0 {
			return 0
		}
		f *= validPositions(outputs, inputs, sizes[i], strides[i], pads[i], baseDilation[i], windowDilation[i])
	}
	return f
}

// validPositions counts the pairs of output and window positions that meet an element of the input.
func validPositions(outputs, inputs, size, stride, pad, baseDilation, windowDilation int64) float64 {
	if stride <= 0 || baseDilation <= 0 || windowDilation <= 0 {
		return 0
	}
	n := float64(0)
	span := (inputs-1)*baseDilation + 1
	// Long windows are those of products; counting a few thousand positions is enough to know their share.
	const most = 1 << 12
	step := max(1, size/most)
	for k := int64(0); k < size; k += step {
		c := k*windowDilation - pad
		lo, hi := int64(0), outputs-1
		if c < 0 {
			lo = (-c + stride - 1) / stride
		}
		if m := span - 1 - c; m < 0 {
			continue
		} else {
			hi = min(hi, m/stride)
		}
		if hi < lo {
			continue
		}
		if baseDilation == 1 {
			n += float64(hi - lo + 1)
			continue
		}
		// Outputs whose position is a multiple of the dilation repeat: o*stride = -c modulo the dilation has a solution where
		// c is a multiple of their common divisor, and then one in every period.
		period := baseDilation / gcd(baseDilation, stride)
		first := int64(none)
		for o := lo; o <= min(hi, lo+min(period, mostPeriod)-1); o++ {
			if (o*stride+c)%baseDilation == 0 {
				first = o
				break
			}
		}
		switch {
		case first >= 0:
			n += float64((hi-first)/period + 1)
		case period > mostPeriod && c%gcd(baseDilation, stride) == 0:
			n += float64(hi-lo+1) / float64(period)
		}
	}
	return n * float64(step)
}

// mostPeriod bounds the search for the first position; beyond, the mean stands for the count.
const mostPeriod = 1 << 12

func gcd(a, b int64) int64 {
	for b != 0 {
		a, b = b, a%b
	}
	return a
}

// windowInts reads one entry of a window, such as size=3x3 or pad=1_1x1_1 (of which it takes the low padding).
func windowInts(w *hlo.Value, key string, n int, missing int64) []int64 {
	out := make([]int64, n)
	for i := range out {
		out[i] = missing
	}
	v := w.Get(key)
	if v == nil {
		return out
	}
	for i, part := range strings.Split(v.Text, "x") {
		part, _, _ = strings.Cut(part, "_")
		if x, err := strconv.ParseInt(part, 10, 64); err == nil && i < n {
			out[i] = x
		}
	}
	return out
}
