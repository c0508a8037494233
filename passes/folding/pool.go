package folding

import (
	"slices"

	"hlolayout/hlo"
)

// A gradient of pooling comes as a pad, with zeros between the elements for a stride, and a reduce-window over it.

// paddedWindow has a reduce-window pad by itself what is padded with the number that it begins with, between the
// elements, too. Where each window then has one element of a dimension that has only one, it is a broadcast, as in the
// gradient of the mean of an image (15 of 15 probes).
func paddedWindow(w *simplifier, in *hlo.Instruction) *hlo.Instruction {
	x, window := in.Operands[0], in.Attr("window")
	if len(in.Operands) != 2 || window == nil || in.Shape.IsDynamic() || in.Attr("sharding") != nil ||
		x.Opcode != hlo.OpPad || x.Attr("padding") == nil || x.Shape.IsDynamic() || x.Attr("sharding") != nil ||
		!sameNumber(x.Operands[1], in.Operands[1]) {
		return nil
	}
	pads := x.Attr("padding").Paddings()
	for d := range pads {
		if x.Operands[0].Shape.Dims[d] == 1 {
			pads[d].Between = 0 // nothing is between one
		}
	}
	if spreadsOne(in, x.Operands[0], pads) && startsNothing(in) {
		return spreadOver(w, in, x.Operands[0])
	}
	if window = paddedBy(window, pads); window == nil {
		return nil
	}
	in.Operands = []*hlo.Instruction{x.Operands[0], in.Operands[1]}
	setValue(in, "window", window)
	return in
}

// paddedBy returns a window that pads by itself as a pad does, nil where none can: elements are taken away, or others
// are between them twice.
func paddedBy(window *hlo.Value, pads []hlo.Padding) *hlo.Value {
	around, between := padsOf(window, len(pads)), window.WindowInts("lhs_dilate", len(pads))
	if len(around) != len(pads) || len(between) != len(pads) {
		return nil
	}
	dilated := slices.Max(between) > 1
	for d, p := range pads {
		if p.Low < 0 || p.High < 0 || p.Between > 0 && dilated {
			return nil
		}
		around[d].Low, around[d].High = around[d].Low+p.Low, around[d].High+p.High
		between[d] *= 1 + p.Between
	}
	window = with(window, "pad", paddingText(around))
	if slices.Max(between) > 1 {
		window = with(window, "lhs_dilate", windowText(between))
	}
	return window
}

// sameNumber reports whether two scalars are one value, or constants of one number.
func sameNumber(a, b *hlo.Instruction) bool {
	x, known := scalar(a)
	y, both := scalar(b)
	return a == b || known && both && x == y
}

// spreadsOne reports whether every window over a padded array has one element of it: windows go by one, padded
// dimensions have one element and as much padding before as after it, which no window is within, and no window has more
// than one element of another dimension. (The compiler broadcasts where the window pads, too, or does not begin with
// what changes nothing, and gives another result than the program's then: these are left.)
func spreadsOne(in, of *hlo.Instruction, pads []hlo.Padding) bool {
	window, n := in.Attr("window"), in.Shape.Rank()
	size, stride := window.WindowInts("size", n), window.WindowInts("stride", n)
	if len(size) != n || len(stride) != n || slices.Max(stride) > 1 || window.Get("pad") != nil ||
		window.Get("lhs_dilate") != nil || window.Get("rhs_dilate") != nil {
		return false
	}
	padded := false
	for d, p := range pads {
		one := of.Shape.Dims[d] == 1
		if p.Between != 0 || p.Low != p.High || p.Low < 0 || p.Low > 0 && (!one || size[d] <= p.Low) ||
			!one && size[d] != 1 {
			return false
		}
		padded = padded || p.Low > 0
	}
	return padded
}

// spreadOver returns an array broadcast to the dimensions of an instruction, which where they differ it has one of.
func spreadOver(w *simplifier, in, x *hlo.Instruction) *hlo.Instruction {
	var kept []int
	for d, n := range x.Shape.Dims {
		if n == in.Shape.Dims[d] {
			kept = append(kept, d)
		}
	}
	return broadcast(w, in, reshaped(w, x, sizes(x.Shape.Dims, kept)), in.Shape.Dims, kept)
}
