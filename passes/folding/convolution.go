package folding

import (
	"slices"
	"strconv"
	"strings"

	"hlolayout/hlo"
)

// labelsOf reads the dim_labels of a convolution.
func labelsOf(in *hlo.Instruction) (l hlo.DimLabels, ok bool) {
	l, ok = in.DimLabels()
	rank := in.Shape.Rank()
	return l, ok && len(l.Input) == rank && len(l.Kernel) == rank && len(l.Output) == rank
}

// transposedImages has a convolution read transposed images and kernels as they are, with other labels (none of 2,699
// that enter layout assignment reads a transpose).
func transposedImages(_ *simplifier, in *hlo.Instruction) *hlo.Instruction {
	l, ok := labelsOf(in)
	if !ok || in.Attr("sharding") != nil {
		return nil
	}
	changed := false
	for i, labels := range []*string{&l.Input, &l.Kernel} {
		o := in.Operands[i]
		if o.Opcode != hlo.OpTranspose || !rearranges(o) {
			continue
		}
		now := []byte(*labels)
		for d, from := range o.Ints("dimensions") {
			now[from] = (*labels)[d]
		}
		*labels, in.Operands[i], changed = string(now), o.Operands[0], true
	}
	if !changed {
		return nil
	}
	setLabels(in, l)
	return in
}

// transposedConvolution has a convolution whose result is only transposed make that, with other labels.
func transposedConvolution(w *simplifier, in *hlo.Instruction) *hlo.Instruction {
	x := in.Operands[0]
	if x.Opcode != hlo.OpConvolution || w.note(x).uses > 1 || !rearranges(in) || x.Attr("sharding") != nil {
		return nil
	}
	l, ok := labelsOf(x)
	if !ok {
		return nil
	}
	var now []byte
	for _, d := range in.Ints("dimensions") {
		now = append(now, l.Output[d])
	}
	l.Output = string(now)
	n := likewise(w, x, in.Shape.Dims, x.Operands...)
	n.Name, x.Name = x.Name, n.Name
	setLabels(n, l)
	return n
}

// paddedImages has a convolution pad its images by itself where zeros are around them in spatial dimensions, and none
// between their elements (none of 2,699 reads such a pad).
func paddedImages(_ *simplifier, in *hlo.Instruction) *hlo.Instruction {
	x, window := in.Operands[0], in.Attr("window")
	l, ok := labelsOf(in)
	if !ok || window == nil || x.Opcode != hlo.OpPad || !isZero(x.Operands[1]) || in.Attr("sharding") != nil ||
		x.Attr("sharding") != nil || x.Shape.IsDynamic() {
		return nil
	}
	pads := make([]hlo.Padding, len(l.Input)-2)
	for d, p := range x.Attr("padding").Paddings() {
		at := int(l.Input[d]) - '0'
		spatial := at >= 0 && at < len(pads)
		if p.Between != 0 || !spatial && p != (hlo.Padding{}) {
			return nil
		}
		if spatial {
			pads[at] = p
		}
	}
	if window = paddedBy(window, pads); window == nil {
		return nil
	}
	in.Operands[0] = x.Operands[0]
	setValue(in, "window", window)
	return in
}

// padsOf returns how a window pads each of n dimensions.
func padsOf(window *hlo.Value, n int) []hlo.Padding {
	if v := window.Get("pad"); v != nil {
		return v.Paddings()
	}
	return make([]hlo.Padding, n)
}

// exchangedImages exchanges the images and the kernel of a convolution whose kernel is larger, as in gradients of
// transposed convolutions: the kernel is reversed then, and what is left between its elements is between those of the
// images (XLA's SwapConvOperands; 13 of 13 in 7 programs).
func exchangedImages(w *simplifier, in *hlo.Instruction) *hlo.Instruction {
	l, ok := labelsOf(in)
	window := in.Attr("window")
	if !ok || window == nil || in.Attr("feature_group_count") != nil || in.Attr("batch_group_count") != nil ||
		in.Attr("sharding") != nil || window.Get("rhs_reversal") != nil || in.Shape.IsDynamic() {
		return nil
	}
	x, y, n := in.Operands[0], in.Operands[1], len(l.Input)-2
	around := padsOf(window, n)
	between, apart := window.WindowInts("lhs_dilate", n), window.WindowInts("rhs_dilate", n)
	size, images, reversed := make([]int64, n), int64(1), make([]int, n)
	kernel := int64(1)
	for d := range n {
		letter := strconv.Itoa(d)
		at := strings.Index(l.Kernel, letter)
		size[d] = x.Shape.Dims[strings.Index(l.Input, letter)]
		more := (size[d]-1)*between[d] - (y.Shape.Dims[at]-1)*apart[d]
		around[d].Low, around[d].High = around[d].Low+more, around[d].High+more
		images, kernel = images*size[d], kernel*y.Shape.Dims[at]
		reversed[d] = at
	}
	if kernel <= images {
		return nil
	}
	r := w.make(hlo.OpReverse, y, y.Shape.Dims, y)
	slices.Sort(reversed)
	set(r, "dimensions", reversed)
	in.Operands = []*hlo.Instruction{r, x}
	v := with(nil, "size", windowText(size))
	ones := slices.Repeat([]int64{1}, n)
	if steps := window.WindowInts("stride", n); !slices.Equal(steps, ones) {
		v = with(v, "stride", windowText(steps))
	}
	if slices.ContainsFunc(around, func(p hlo.Padding) bool { return p != hlo.Padding{} }) {
		v = with(v, "pad", paddingText(around))
	}
	if !slices.Equal(apart, ones) {
		v = with(v, "lhs_dilate", windowText(apart))
	}
	if !slices.Equal(between, ones) {
		v = with(v, "rhs_dilate", windowText(between))
	}
	setValue(in, "window", with(v, "rhs_reversal", windowText(ones)))
	toImages, toKernel := strings.NewReplacer("i", "f", "o", "b"), strings.NewReplacer("f", "i", "b", "o")
	setLabels(in, hlo.DimLabels{Input: toImages.Replace(l.Kernel), Kernel: toKernel.Replace(l.Input),
		Output: strings.NewReplacer("b", "f", "f", "b").Replace(l.Output)})
	return in
}

// setLabels replaces the dim_labels of a convolution.
func setLabels(in *hlo.Instruction, l hlo.DimLabels) {
	v := *in.Attr("dim_labels")
	v.Text = l.String()
	setValue(in, "dim_labels", &v)
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
