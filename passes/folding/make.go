package folding

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"hlolayout/hlo"
)

// cut adds a slice of an array: the elements of a dimension from one to another.
func cut(b maker, x *hlo.Instruction, dim int, from, to int64) *hlo.Instruction {
	first, size := make([]int64, x.Shape.Rank()), slices.Clone(x.Shape.Dims)
	first[dim], size[dim] = from, to-from
	return sliced(b, x, first, size)
}

// sliced adds a slice of an array, of the given size from the given place.
func sliced(b maker, x *hlo.Instruction, first, size []int64) *hlo.Instruction {
	var ranges []hlo.Value
	for d, n := range size {
		ranges = append(ranges, hlo.Value{Kind: hlo.ListValue, Open: '[', Text: fmt.Sprintf("[%d:%d]", first[d], first[d]+n),
			Elems: []hlo.Value{{Kind: hlo.PairValue, Open: ':', Text: strconv.FormatInt(first[d], 10),
				Elems: []hlo.Value{*intOf(int(first[d] + n))}}}})
	}
	n := b.make(hlo.OpSlice, x, size, x)
	attribute(n, "slice", listOf(", ", ranges...))
	return n
}

// padded adds a pad of an array with zeros along a dimension; it is the array where there is nothing to pad.
func (w *simplifier) padded(x *hlo.Instruction, dim int, low, high int64) *hlo.Instruction {
	if low == 0 && high == 0 {
		return x
	}
	first, dims := make([]int64, x.Shape.Rank()), slices.Clone(x.Shape.Dims)
	first[dim], dims[dim] = low, dims[dim]+low+high
	return within(w, x, number(w, x, 0), first, dims)
}

// within adds a pad that puts an array at a place in one of the given dimensions.
func within(b maker, x, fill *hlo.Instruction, first, dims []int64) *hlo.Instruction {
	var texts []string
	for d, n := range dims {
		texts = append(texts, fmt.Sprintf("%d_%d", first[d], n-first[d]-x.Shape.Dims[d]))
	}
	n := b.make(hlo.OpPad, x, dims, x, fill)
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
