package hlo

import (
	"slices"
	"strconv"
	"strings"
)

// DimLabels names the dimensions of a convolution's operands and of its result, with a letter for each: b and f are the
// batch and the features of the input and the result, i and o the features of the kernel, and digits the spatial
// dimensions.
type DimLabels struct{ Input, Kernel, Output string }

// DimLabels reads dim_labels=b01f_01io->b01f; ok is false for an instruction without it, or in another form. The labels
// need not fit the shapes.
func (in *Instruction) DimLabels() (l DimLabels, ok bool) {
	v := in.Attr("dim_labels")
	if v == nil {
		return l, false
	}
	operands, output, ok1 := strings.Cut(v.Text, "->")
	input, kernel, ok2 := strings.Cut(operands, "_")
	return DimLabels{input, kernel, output}, ok1 && ok2
}

func (l DimLabels) String() string { return l.Input + "_" + l.Kernel + "->" + l.Output }

// WindowInts returns what an entry of a window, such as size=3x3, says of each of n dimensions: 1 where it says
// nothing.
func (v *Value) WindowInts(key string, n int) []int64 {
	out := slices.Repeat([]int64{1}, n)
	entry := v.Get(key)
	if entry == nil {
		return out
	}
	d := 0
	for text := range strings.SplitSeq(entry.Text, "x") {
		if d == n {
			break
		}
		if k, err := strconv.ParseInt(text, 10, 64); err == nil {
			out[d] = k
		}
		d++
	}
	return out
}

// Padding is how many elements are put before those of a dimension, after them, and between two of them.
type Padding struct{ Low, High, Between int64 }

// Paddings returns what a value such as 0_0x1_2, of a window, or 0_1_0x0_0_0, of a pad, says of each dimension: 0 where
// it has no number. It is nil for no value.
func (v *Value) Paddings() (all []Padding) {
	if v == nil {
		return nil
	}
	for text := range strings.SplitSeq(v.Text, "x") {
		var n [3]int64
		for i, part := range strings.SplitN(text, "_", 3) {
			n[i], _ = strconv.ParseInt(part, 10, 64)
		}
		all = append(all, Padding{n[0], n[1], n[2]})
	}
	return all
}
