package folding

import (
	"fmt"
	"slices"
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
