package folding

import (
	"strings"

	"hlolayout/hlo"
)

// spatial is what a convolution says of its last spatial dimension, and of its labels.
type spatial struct {
	hlo.DimLabels
	letter                  byte
	size, stride, low, high int64
}

// spatialOf reads the attributes of a convolution; ok is false for those that are not divided, or not modelled:
// backward ones, which are dilated.
func spatialOf(in *hlo.Instruction) (s spatial, ok bool) {
	l, ok := labelsOf(in)
	window := in.Attr("window")
	if !ok || window == nil || in.Attr("batch_group_count") != nil || window.Get("size") == nil {
		return s, false
	}
	for _, key := range []string{"lhs_dilate", "rhs_dilate"} {
		if window.Get(key) != nil {
			return s, false
		}
	}
	last := len(l.Input) - 3
	if last < 0 {
		return s, false
	}
	pad := padsOf(window, last+1)[last]
	s = spatial{DimLabels: l, letter: byte('0' + last), size: window.WindowInts("size", last+1)[last],
		stride: window.WindowInts("stride", last+1)[last], low: pad.Low, high: pad.High}
	labelled := func(labels string) bool {
		return strings.IndexByte(labels, s.letter) >= 0 && strings.Contains(labels, "b")
	}
	return s, s.low >= 0 && s.high >= 0 && s.stride > 0 && labelled(l.Input) && labelled(l.Output)
}

// dividedConvolution returns the divided form of a convolution's result, nil where it is not divided.
func (w *simplifier) dividedConvolution(in *hlo.Instruction) *divided {
	s, ok := spatialOf(in)
	if !ok {
		return nil
	}
	x := in.Operands[0]
	batch, along := strings.IndexByte(s.Input, 'b'), strings.IndexByte(s.Input, s.letter)
	n := x.Shape.Dims[along]
	if x.Shape.Dims[batch] > mostBatch || x.Shape.IsDynamic() {
		return nil
	}
	f := w.forms[x]
	if f == nil || f.along != along || f.batch != batch {
		if (n+s.low+s.high)/splits < max(leastPart, s.size-1) {
			return nil
		}
		out := w.convolved(in, w.divide(in, x, batch, along, s), s)
		if out != nil {
			w.blank(out, in.Shape.Dims[out.along])
		}
		return out
	}
	w.blank(f, n)
	again := &divided{value: w.refined(f, n, s.stride), order: f.order, batch: batch, along: along}
	if s.size-1 > again.value.Shape.Dims[again.at(along)] {
		return nil
	}
	again.value = w.bordered(in, again, s.low, max(0, s.size-1-s.low))
	return w.convolved(in, again, s)
}

// convolved returns the divided form of a convolution of a divided array that has its borders.
func (w *simplifier) convolved(in *hlo.Instruction, f *divided, s spatial) *divided {
	input := make([]byte, len(f.order))
	for i, d := range f.order {
		input[i] = s.Input[d]
	}
	var output []byte
	for c := byte('0'); c <= s.letter; c++ {
		if c == s.letter {
			output = append(output, 'b')
		}
		output = append(output, c)
	}
	output = append(output, 'f')
	out := &divided{batch: strings.IndexByte(s.Output, 'b'), along: strings.IndexByte(s.Output, s.letter)}
	dims := make([]int64, len(output))
	for i, c := range output {
		d := strings.IndexByte(s.Output, c)
		out.order = append(out.order, d)
		dims[i] = in.Shape.Dims[d]
	}
	to, from := out.at(out.along), f.at(f.along)
	dims[to-1] = f.value.Shape.Dims[from-1]
	dims[to] = (f.value.Shape.Dims[from]-s.size)/s.stride + 1
	if dims[to] < 1 || dims[to]*splits < in.Shape.Dims[out.along] {
		return nil
	}
	out.value = w.make(in.Opcode, in, dims, f.value, in.Operands[1])
	out.value.Attrs = in.Attrs
	setLabels(out.value, hlo.DimLabels{Input: string(input), Kernel: s.Kernel, Output: string(output)})
	if window := in.Attr("window"); window.Get("pad") != nil { // of the last dimension
		pads := window.Get("pad").Paddings()
		pads[len(pads)-1] = hlo.Padding{}
		setValue(out.value, "window", with(window, "pad", paddingText(pads)))
	}
	return out
}

// setLabels replaces the dim_labels of a convolution.
func setLabels(in *hlo.Instruction, l hlo.DimLabels) {
	v := *in.Attr("dim_labels")
	v.Text = l.String()
	setValue(in, "dim_labels", &v)
}

// blank puts zeros into a divided form where its parts have more than the n elements of the array.
func (w *simplifier) blank(f *divided, n int64) {
	x, to := f.value, f.at(f.along)
	dims := x.Shape.Dims
	if f.blank || dims[to]*splits == n {
		return
	}
	var rows []string
	for part := range dims[to-1] {
		row := make([]string, dims[to])
		for i := range row {
			row[i] = "0"
			if part%splits*dims[to]+int64(i) < n {
				row[i] = "1"
			}
		}
		rows = append(rows, "{"+strings.Join(row, ",")+"}")
	}
	within := w.make(hlo.OpCompare, x, dims[to-1:to+1]) // of pred
	become(w, within, hlo.OpConstant)
	within.SetLiteral("{" + strings.Join(rows, ",") + "}")
	every := w.make(hlo.OpBroadcast, within, dims, within)
	set(every, "dimensions", []int{to - 1, to})
	f.value, f.blank = w.make(hlo.OpSelect, x, dims, every, x, filled(w, x, dims, 0)), true
}

// reversedKernel reads the kernel of a convolution backwards where its spatial dimensions are reversed.
func reversedKernel(w *simplifier, in *hlo.Instruction) *hlo.Instruction {
	kernel, window := in.Operands[1], in.Attr("window")
	l, ok := labelsOf(in)
	if kernel.Opcode != hlo.OpReverse || window == nil || !ok || window.Get("rhs_reversal") != nil ||
		in.Attr("sharding") != nil {
		return nil
	}
	backwards := make([]int64, len(l.Kernel)-2)
	for _, d := range kernel.Ints("dimensions") {
		if n := int(l.Kernel[d] - '0'); n < len(backwards) {
			backwards[n] = 1
		} else {
			return nil
		}
	}
	in.Operands[1] = kernel.Operands[0]
	setValue(in, "window", with(window, "rhs_reversal", windowText(backwards)))
	return in
}
