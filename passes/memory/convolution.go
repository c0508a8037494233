package memory

import (
	"strings"

	"hlolayout/hlo"
)

// convolution is a convolution's attributes, by spatial dimension.
type convolution struct {
	in                   *hlo.Instruction
	x, k, y              *hlo.Shape
	lhs, rhs, out        string
	spatial              int
	sizes, strides       []int64
	lows, highs          []int64 // padding
	dilations, stretches []int64 // of the input, of the window
	held                 float64 // pairs of matrices whose results are held for each that is multiplied; 0 for one
}

// convolutionOf reads a convolution; ok is false where its attributes do not fit its shapes.
func convolutionOf(in *hlo.Instruction) (c convolution, ok bool) {
	l, ok := in.DimLabels()
	if !ok || len(in.Operands) < 2 || !in.Shape.IsArray() {
		return c, false
	}
	c = convolution{in: in, x: in.Operands[0].Shape, k: in.Operands[1].Shape, y: in.Shape, lhs: l.Input, rhs: l.Kernel,
		out: l.Output, spatial: len(l.Input) - 2}
	if c.spatial < 0 || len(l.Input) != len(c.x.Dims) || len(l.Kernel) != len(c.k.Dims) ||
		len(l.Output) != len(c.y.Dims) {
		return c, false
	}
	w, n := in.Attr("window"), c.spatial
	c.sizes, c.strides = w.WindowInts("size", n), w.WindowInts("stride", n)
	c.dilations, c.stretches = w.WindowInts("lhs_dilate", n), w.WindowInts("rhs_dilate", n)
	c.lows, c.highs = make([]int64, n), make([]int64, n)
	for i, p := range w.Get("pad").Paddings() {
		if i < n {
			c.lows[i], c.highs[i] = p.Low, p.High
		}
	}
	for i := range c.spatial {
		inputs, outputs := c.at(i)
		if inputs <= 0 || outputs <= 0 {
			return c, false
		}
		// A dimension that both operands and the result have is written in one of two ways: this is the one, backwards,
		// that a product has which was a gradient's.
		if n := c.sizes[i]; n > 1 && inputs == n && c.strides[i] == n && c.dilations[i] == n-1 &&
			c.lows[i] == n-1 && c.highs[i] == n-1 {
			c.strides[i], c.dilations[i], c.lows[i], c.highs[i] = n-1, n, 0, 0
		}
	}
	return c, true
}

// size returns the size of the dimension with a label, 0 where there is none.
func (c *convolution) size(s *hlo.Shape, labels string, l byte) int64 {
	if i := strings.IndexByte(labels, l); i >= 0 {
		return s.Dims[i]
	}
	return 0
}

// at returns the sizes of a spatial dimension.
func (c *convolution) at(i int) (inputs, outputs int64) {
	l := byte('0' + i)
	return c.size(c.x, c.lhs, l), c.size(c.y, c.out, l)
}

// flops counts the multiplications and additions, those of the padding left out.
func (c *convolution) flops() float64 {
	f := 2 * float64(c.size(c.y, c.out, 'b')) * float64(c.size(c.y, c.out, 'f')) * float64(c.size(c.k, c.rhs, 'i'))
	for i := range c.spatial {
		inputs, outputs := c.at(i)
		f *= validPositions(outputs, inputs, c.sizes[i], c.strides[i], c.lows[i], c.dilations[i], c.stretches[i])
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
