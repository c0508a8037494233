package folding

import (
	"slices"
	"strconv"
	"strings"

	"hlolayout/hlo"
)

// ungrouped makes the groups of a convolution's features, or of its images as in gradients, one more spatial dimension,
// in which each element of the result reads one of the input: those are apart by zeros. So are all 9, of 3 programs,
// whose groups have several input features each, and all 12, of 4 programs, with several images each (libtpu 0.0.51);
// of 76 in 17 programs with one feature each 75 stay, and so do all of 26 programs with one image each.
func ungrouped(w *simplifier, in *hlo.Instruction) *hlo.Instruction {
	counts, split := "feature_group_count", "f"
	if in.Attr(counts) == nil {
		counts, split = "batch_group_count", "b"
	}
	groups, ok := in.Attr(counts).Int()
	l, known := labelsOf(in)
	window := in.Attr("window")
	if !ok || groups < 2 || !known || window == nil || split == "f" && in.Attr("batch_group_count") != nil ||
		in.Attr("sharding") != nil || in.Shape.IsDynamic() {
		return nil
	}
	several := extent(l.Kernel, "i", in.Operands[1].Shape.Dims)
	if split == "b" {
		several = extent(l.Input, "b", in.Operands[0].Shape.Dims) / groups
	}
	spatials := len(l.Input) - 2
	if several < 2 || spatials < 1 || spatials > 8 {
		return nil
	}
	digit := strconv.Itoa(spatials)
	apart := func(dims []int64, labels, letter string) (out []int64, now string) {
		at := strings.Index(labels, letter)
		out = slices.Insert(slices.Clone(dims), at, groups)
		out[at+1] /= groups
		return out, strings.Replace(labels, letter, digit+letter, 1)
	}
	left, input := apart(in.Operands[0].Shape.Dims, l.Input, split)
	right, kernel := apart(in.Operands[1].Shape.Dims, l.Kernel, "o")
	dims, output := apart(in.Shape.Dims, l.Output, "f")
	n := w.make(in.Opcode, in, dims, reshaped(w, in.Operands[0], left), reshaped(w, in.Operands[1], right))
	n.Attrs = except(in.Attrs, counts)
	setLabels(n, hlo.DimLabels{Input: input, Kernel: kernel, Output: output})
	setValue(n, "window", widerWindow(window, spatials, int(groups)))
	n.Name, in.Name = in.Name, n.Name
	become(w, in, hlo.OpReshape, n)
	return in
}

// extent returns the size of the dimension that has a label, 0 where none has it.
func extent(labels, letter string, dims []int64) int64 {
	if at := strings.Index(labels, letter); at >= 0 {
		return dims[at]
	}
	return 0
}

// widerWindow returns a window with one more dimension, of groups.
func widerWindow(window *hlo.Value, spatials, groups int) *hlo.Value {
	var out *hlo.Value
	for _, part := range []struct{ key, none, more string }{
		{"size", "1", strconv.Itoa(groups)}, {"stride", "1", strconv.Itoa(groups - 1)}, {"pad", "0_0", "0_0"},
		{"lhs_dilate", "1", strconv.Itoa(groups)}, {"rhs_dilate", "1", "1"}, {"rhs_reversal", "0", "0"},
	} {
		text := strings.Join(slices.Repeat([]string{part.none}, spatials), "x")
		if v := window.Get(part.key); v != nil {
			text = v.Text
		} else if part.more == part.none {
			continue
		}
		out = with(out, part.key, text+"x"+part.more)
	}
	return out
}
