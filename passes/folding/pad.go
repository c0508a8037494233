package folding

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"hlolayout/hlo"
)

// padding is what a pad puts around the elements of a dimension, and between them.
type padding struct{ low, high, between int64 }

// paddingOf returns what a value such as 0_0x1_2 or 0_1_0x0_0_0 says of each dimension.
func paddingOf(v *hlo.Value) []padding {
	var all []padding
	for text := range strings.SplitSeq(v.Text, "x") {
		var n [3]int64
		for i, part := range strings.SplitN(text, "_", 3) {
			n[i], _ = strconv.ParseInt(part, 10, 64)
		}
		all = append(all, padding{n[0], n[1], n[2]})
	}
	return all
}

// isZero reports whether a value is zero everywhere.
func isZero(in *hlo.Instruction) bool {
	x, ok := constantOf(in)
	return ok && x == 0
}

// negativePad slices where a pad takes elements away.
func negativePad(w *simplifier, in *hlo.Instruction) *hlo.Instruction {
	x := in.Operands[0]
	if in.Attr("padding") == nil || in.Attr("sharding") != nil || in.Shape.IsDynamic() {
		return nil
	}
	all := paddingOf(in.Attr("padding"))
	if !slices.ContainsFunc(all, func(p padding) bool { return p.low < 0 || p.high < 0 }) {
		return nil
	}
	first, dims, texts, pads := make([]int64, len(all)), slices.Clone(in.Shape.Dims), make([]string, len(all)), false
	for d, p := range all {
		first[d] = max(0, -p.low)
		dims[d] += first[d] + max(0, -p.high)
		texts[d] = fmt.Sprintf("%d_%d", max(0, p.low), max(0, p.high))
		if p.between > 0 {
			texts[d] += fmt.Sprintf("_%d", p.between)
		}
		pads = pads || p.low > 0 || p.high > 0 || p.between > 0
	}
	if pads {
		x = w.make(hlo.OpPad, in, dims, x, in.Operands[1])
		attribute(x, "padding", &hlo.Value{Kind: hlo.PatternValue, Text: strings.Join(texts, "x")})
	}
	return sliced(w, x, first, in.Shape.Dims)
}

// padInstead pads with what is one number everywhere and joined to another array.
func padInstead(w *simplifier, in *hlo.Instruction) *hlo.Instruction {
	if len(in.Operands) != 2 || in.Attr("sharding") != nil || in.Shape.IsDynamic() {
		return nil
	}
	along := in.Ints("dimensions")[0]
	first := make([]int64, in.Shape.Rank())
	for i, o := range in.Operands {
		if _, ok := scalar(o); !ok || o.Opcode != hlo.OpBroadcast {
			continue
		}
		if w.waitsFor(apart, in) {
			return nil
		}
		if i == 0 {
			first[along] = o.Shape.Dims[along]
		}
		return within(w, in.Operands[1-i], o.Operands[0], first, in.Shape.Dims)
	}
	return nil
}
