package folding

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"hlolayout/hlo"
)

// labels are the dim_labels of a convolution: of its operands, and of its result.
type labels [3]string

func labelsOf(in *hlo.Instruction) (l labels, ok bool) {
	v := in.Attr("dim_labels")
	if v == nil {
		return l, false
	}
	operands, output, ok1 := strings.Cut(v.Text, "->")
	input, kernel, ok2 := strings.Cut(operands, "_")
	l = labels{input, kernel, output}
	return l, ok1 && ok2 && len(input) == in.Shape.Rank() && len(kernel) == len(input) && len(output) == len(input)
}

// transposedImages has a convolution read transposed images and kernels as they are, with other labels (none of 2,699
// that enter layout assignment reads a transpose).
func transposedImages(_ *simplifier, in *hlo.Instruction) *hlo.Instruction {
	l, ok := labelsOf(in)
	if !ok || in.Attr("sharding") != nil {
		return nil
	}
	changed := false
	for i, o := range in.Operands {
		if o.Opcode != hlo.OpTranspose || !rearranges(o) {
			continue
		}
		was, now := l[i], []byte(l[i])
		for d, from := range o.Ints("dimensions") {
			now[from] = was[d]
		}
		l[i], in.Operands[i], changed = string(now), o.Operands[0], true
	}
	if !changed {
		return nil
	}
	setLabels(in, l[0], l[1], l[2])
	return in
}

// transposedConvolution has a convolution whose result is only transposed make that, with other labels.
func transposedConvolution(w *simplifier, in *hlo.Instruction) *hlo.Instruction {
	x := in.Operands[0]
	if x.Opcode != hlo.OpConvolution || w.notes[x.Index].uses > 1 || !rearranges(in) || x.Attr("sharding") != nil {
		return nil
	}
	l, ok := labelsOf(x)
	if !ok {
		return nil
	}
	var now []byte
	for _, d := range in.Ints("dimensions") {
		now = append(now, l[2][d])
	}
	n := w.make(x.Opcode, x, in.Shape.Dims, x.Operands...)
	n.Attrs = x.Attrs
	n.Name, x.Name = x.Name, n.Name
	setLabels(n, l[0], l[1], string(now))
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
	around := make([]padding, len(l[0])-2)
	if v := window.Get("pad"); v != nil {
		around = paddingOf(v)
	}
	for d, p := range paddingOf(x.Attr("padding")) {
		at := int(l[0][d]) - '0'
		spatial := at >= 0 && at < len(around)
		if p.low < 0 || p.high < 0 || p.between != 0 || !spatial && p.low+p.high > 0 {
			return nil
		}
		if spatial {
			around[at].low, around[at].high = around[at].low+p.low, around[at].high+p.high
		}
	}
	in.Operands[0] = x.Operands[0]
	texts := make([]string, len(around))
	for i, p := range around {
		texts[i] = fmt.Sprintf("%d_%d", p.low, p.high)
	}
	setValue(in, "window", with(window, "pad", strings.Join(texts, "x")))
	return in
}

// with returns a window in which a key has a value.
func with(window *hlo.Value, key, text string) *hlo.Value {
	v := hlo.Value{Kind: window.Kind, Open: window.Open}
	v.Elems = slices.DeleteFunc(slices.Clone(window.Elems), func(e hlo.Value) bool { return e.Text == key })
	v.Elems = append(v.Elems, hlo.Value{Kind: hlo.PairValue, Open: '=', Text: key,
		Elems: []hlo.Value{{Kind: hlo.WordValue, Text: text}}})
	texts := make([]string, len(v.Elems))
	for i, e := range v.Elems {
		texts[i] = e.Text + "=" + e.Elems[0].Text
	}
	v.Text = "{" + strings.Join(texts, " ") + "}"
	return &v
}

// exchangedImages exchanges the images and the kernel of a convolution whose kernel is larger, as in gradients of
// transposed convolutions: the kernel is reversed then, and what is left between its elements is between those of the
// images (XLA's SwapConvOperands; 10 of 10 in 6 programs).
func exchangedImages(w *simplifier, in *hlo.Instruction) *hlo.Instruction {
	l, ok := labelsOf(in)
	window := in.Attr("window")
	if !ok || window == nil || in.Attr("feature_group_count") != nil || in.Attr("batch_group_count") != nil ||
		in.Attr("sharding") != nil || window.Get("stride") != nil || window.Get("rhs_reversal") != nil ||
		in.Shape.IsDynamic() {
		return nil
	}
	x, y, n := in.Operands[0], in.Operands[1], len(l[0])-2
	around := make([]padding, n)
	if v := window.Get("pad"); v != nil {
		around = paddingOf(v)
	}
	between, apart := windowList(window, "lhs_dilate", n), windowList(window, "rhs_dilate", n)
	size, images, reversed := make([]int64, n), int64(1), make([]int, n)
	kernel := int64(1)
	for d := range n {
		letter := strconv.Itoa(d)
		at := strings.Index(l[1], letter)
		size[d] = x.Shape.Dims[strings.Index(l[0], letter)]
		more := (size[d]-1)*between[d] - (y.Shape.Dims[at]-1)*apart[d]
		around[d].low, around[d].high = around[d].low+more, around[d].high+more
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
	v := with(&hlo.Value{Kind: hlo.ListValue, Open: '{'}, "size", joinedBy(size))
	pads := make([]string, n)
	for d, p := range around {
		pads[d] = fmt.Sprintf("%d_%d", p.low, p.high)
	}
	v = with(v, "pad", strings.Join(pads, "x"))
	ones := slices.Repeat([]int64{1}, n)
	if !slices.Equal(apart, ones) {
		v = with(v, "lhs_dilate", joinedBy(apart))
	}
	if !slices.Equal(between, ones) {
		v = with(v, "rhs_dilate", joinedBy(between))
	}
	v = with(v, "rhs_reversal", joinedBy(ones))
	setValue(in, "window", v)
	toImages, toKernel := strings.NewReplacer("i", "f", "o", "b"), strings.NewReplacer("f", "i", "b", "o")
	setLabels(in, toImages.Replace(l[1]), toKernel.Replace(l[0]), strings.NewReplacer("b", "f", "f", "b").Replace(l[2]))
	return in
}

// windowList returns what a window says of each of n dimensions, 1 where it says nothing.
func windowList(window *hlo.Value, key string, n int) []int64 {
	out := slices.Repeat([]int64{1}, n)
	if v := window.Get(key); v != nil {
		for d, text := range strings.Split(v.Text, "x") {
			if d < n {
				out[d], _ = strconv.ParseInt(text, 10, 64)
			}
		}
	}
	return out
}

// joinedBy returns numbers as a window has them, such as 3x3.
func joinedBy(ns []int64) string {
	texts := make([]string, len(ns))
	for i, n := range ns {
		texts[i] = strconv.FormatInt(n, 10)
	}
	return strings.Join(texts, "x")
}
