package folding

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"hlolayout/hlo"
)

// cut adds a slice of an array: the elements of a dimension from one to another.
func (w *simplifier) cut(x *hlo.Instruction, dim int, from, to int64) *hlo.Instruction {
	dims := slices.Clone(x.Shape.Dims)
	var ranges []hlo.Value
	for d, n := range dims {
		first, end := int64(0), n
		if d == dim {
			first, end, dims[d] = from, to, to-from
		}
		ranges = append(ranges, hlo.Value{Kind: hlo.ListValue, Open: '[', Text: fmt.Sprintf("[%d:%d]", first, end),
			Elems: []hlo.Value{{Kind: hlo.PairValue, Open: ':', Text: strconv.FormatInt(first, 10),
				Elems: []hlo.Value{*intOf(int(end))}}}})
	}
	n := w.make(hlo.OpSlice, x, dims, x)
	attribute(n, "slice", listOf(", ", ranges...))
	return n
}

// padded adds a pad of an array with zeros along a dimension; it is the array where there is nothing to pad.
func (w *simplifier) padded(x *hlo.Instruction, dim int, low, high int64) *hlo.Instruction {
	if low == 0 && high == 0 {
		return x
	}
	dims := slices.Clone(x.Shape.Dims)
	var texts []string
	for d := range dims {
		if d == dim {
			dims[d] += low + high
			texts = append(texts, fmt.Sprintf("%d_%d", low, high))
		} else {
			texts = append(texts, "0_0")
		}
	}
	zero := w.make(hlo.OpConstant, x, nil)
	zero.SetLiteral("0")
	if x.Shape.DType == hlo.Pred {
		zero.SetLiteral("false")
	}
	n := w.make(hlo.OpPad, x, dims, x, zero)
	attribute(n, "padding", &hlo.Value{Kind: hlo.PatternValue, Text: strings.Join(texts, "x")})
	return n
}

// listOf returns a list, such as {a,b}.
func listOf(separator string, elems ...hlo.Value) *hlo.Value {
	var texts []string
	for _, e := range elems {
		texts = append(texts, e.Text)
	}
	return &hlo.Value{Kind: hlo.ListValue, Open: '{', Text: "{" + strings.Join(texts, separator) + "}", Elems: elems}
}

// attribute adds an attribute before the others.
func attribute(in *hlo.Instruction, name string, v *hlo.Value) {
	in.Attrs = slices.Insert(slices.Clone(in.Attrs), 0, hlo.Attr{Key: hlo.InstructionAttr(name), Value: v})
}

// ascendingTo returns the numbers below n.
func ascendingTo(n int) []int {
	out := hlo.Descending(n)
	slices.Reverse(out)
	return out
}
