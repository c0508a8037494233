package folding

import (
	"slices"

	"hlolayout/hlo"
)

// refined returns the value of a divided form of an array of n elements with parts that a stride divides.
func (w *simplifier) refined(f *divided, n, stride int64) *hlo.Instruction {
	to := f.at(f.along)
	dims := slices.Clone(f.value.Shape.Dims)
	if dims[to]%stride == 0 {
		return f.value
	}
	each := ((n+splits-1)/splits + stride - 1) / stride * stride
	whole := slices.Clone(dims)
	whole[to-1], whole[to] = dims[to-1]/splits, dims[to]*splits
	x := w.make(hlo.OpReshape, f.value, whole, f.value)
	if each*splits < whole[to] {
		x = cut(w, x, to, 0, each*splits)
	}
	x = w.padded(x, to, 0, max(0, each*splits-whole[to]))
	dims[to] = each
	return w.make(hlo.OpReshape, f.value, dims, x)
}

// divide returns the divided form of an array that is read by a convolution, with its borders.
func (w *simplifier) divide(in, x *hlo.Instruction, batch, along int, s spatial) *divided {
	order := slices.DeleteFunc(ascendingTo(x.Shape.Rank()), func(d int) bool { return d == batch })
	at := slices.Index(order, along)
	order = slices.Insert(order, at, batch)
	f := &divided{order: order, batch: batch, along: along}
	dims := sizes(x.Shape.Dims, order)
	n := x.Shape.Dims[along]
	each := (n + s.low + s.high + splits - 1) / splits
	each = (each + s.stride - 1) / s.stride * s.stride
	y := w.padded(transposed(w, x, order), at+1, s.low, max(0, each*splits-n-s.low))
	wide := slices.Clone(dims)
	wide[at], wide[at+1] = dims[at]*splits, each
	f.value = w.make(hlo.OpReshape, y, wide, y)
	f.value = w.bordered(in, f, 0, s.size-1)
	return f
}

// bordered returns the value of a divided form in which each part has low elements of the part before and high ones of
// the part after.
func (w *simplifier) bordered(in *hlo.Instruction, f *divided, low, high int64) *hlo.Instruction {
	to := f.at(f.along)
	dims := f.value.Shape.Dims
	each := dims[to]
	if low+high == 0 {
		return f.value
	}
	apart := slices.Insert(slices.Clone(dims), to, splits)
	apart[to-1] /= splits
	parts := w.make(hlo.OpReshape, f.value, apart, f.value)
	joined := []*hlo.Instruction{parts}
	if low > 0 {
		before := cut(w, cut(w, parts, to+1, each-low, each), to, 0, splits-1)
		joined = append([]*hlo.Instruction{w.padded(before, to, 1, 0)}, joined...)
	}
	if high > 0 {
		after := cut(w, cut(w, parts, to+1, 0, high), to, 1, splits)
		joined = append(joined, w.padded(after, to, 0, 1))
	}
	wide := slices.Clone(dims)
	wide[to] = each + low + high
	return w.make(hlo.OpReshape, in, wide, concatenated(w, f.value, to+1, joined...))
}
