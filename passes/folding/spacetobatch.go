package folding

import (
	"slices"

	"hlolayout/hlo"
	"hlolayout/tpu"
)

// A convolution of few images is made one of more: the last spatial dimension of each is divided into splits parts,
// which join the batch, with a border of the part after (XLA's space-to-batch converter). So are all convolutions of
// batches of 1 to 7 in 30 programs for v5e and v7x whose parts have two elements at least, and none of 8 and more.
const (
	splits    = 8
	mostBatch = 7
	leastPart = 2
)

// divided is the form of an array whose images are divided: value has the spatial dimensions, the batch before the
// divided one, and the features last.
type divided struct {
	value *hlo.Instruction
	order []int // the array's dimensions, as value has them
	batch int   // the array's dimension, and
	along int   // the one that is divided
	blank bool  // what is beyond the array's elements is zero
}

// at returns the place of a dimension of the array in value.
func (f *divided) at(dim int) int { return slices.Index(f.order, dim) }

// dividesImages reports whether the compiler divides convolutions for a target: it does for v4 and later ones, whose
// tiles may have one row, and not for v2 and v3 (a convolution of two images compiled for all).
func dividesImages(t *tpu.Target) bool { return t.MinRows == 1 }

// spaceToBatch divides a convolution, and what is elementwise of one that is divided.
func spaceToBatch(w *simplifier, in *hlo.Instruction) *hlo.Instruction {
	if !dividesImages(w.target) || in.Opcode != hlo.OpConvolution && len(w.forms) == 0 ||
		!in.Shape.IsArray() || in.Shape.IsDynamic() || in.Attr("sharding") != nil {
		return nil
	}
	var f *divided
	switch {
	case in.Opcode == hlo.OpReduce:
		return w.dividedReduce(in)
	case in.Opcode == hlo.OpConvolution:
		f = w.dividedConvolution(in)
	case in.Opcode.Elementwise() && in.Opcode != hlo.OpCopy:
		f = w.dividedElementwise(in)
	}
	if f == nil {
		return nil
	}
	if w.forms == nil {
		w.forms = map[*hlo.Instruction]*divided{}
	}
	w.joined(in, f)
	w.forms[in] = f
	return in
}

// joined makes an instruction the array of which f is the divided form.
func (w *simplifier) joined(in *hlo.Instruction, f *divided) {
	to := f.at(f.along)
	dims := slices.Clone(f.value.Shape.Dims)
	dims[to-1], dims[to] = dims[to-1]/splits, dims[to]*splits
	x := w.make(hlo.OpReshape, in, dims, f.value)
	if n := in.Shape.Dims[f.along]; n < dims[to] {
		x = cut(w, x, to, 0, n)
	}
	become(w, in, hlo.OpTranspose, x)
	set(in, "dimensions", inverse(f.order))
}

// dividedElementwise returns the form of what is computed of divided arrays, constants, and vectors that are the same
// for all images and along the divided dimension; nil for other operands.
func (w *simplifier) dividedElementwise(in *hlo.Instruction) *divided {
	var f *divided
	for _, o := range in.Operands {
		if g := w.forms[o]; g != nil && f == nil {
			f = g
		}
	}
	if f == nil {
		return nil
	}
	dims := f.value.Shape.Dims
	operands := slices.Clone(in.Operands)
	for i, o := range operands {
		g := w.forms[o]
		switch {
		case g != nil && slices.Equal(g.order, f.order) && slices.Equal(g.value.Shape.Dims, dims):
			operands[i] = g.value
		case o.Shape.IsScalar():
		case g == nil && o.Opcode == hlo.OpBroadcast:
			if operands[i] = w.dividedBroadcast(o, f); operands[i] == nil {
				return nil
			}
		default:
			return nil
		}
	}
	out := *f
	out.blank = false
	out.value = w.make(in.Opcode, in, dims, operands...)
	out.value.Attrs = in.Attrs
	return &out
}

// dividedBroadcast returns a broadcast of the dimensions of a divided form, nil where its operand differs from image to
// image or along the divided dimension.
func (w *simplifier) dividedBroadcast(in *hlo.Instruction, f *divided) *hlo.Instruction {
	var to []int
	for _, d := range in.Ints("dimensions") {
		if d == f.batch || d == f.along {
			return nil
		}
		to = append(to, f.at(d))
	}
	if !slices.IsSorted(to) {
		return nil
	}
	n := w.make(hlo.OpBroadcast, in, f.value.Shape.Dims, in.Operands[0])
	set(n, "dimensions", to)
	return n
}

// dividedReduce reduces a divided array along the divided dimension first in each part, then over the parts of an
// image; nil for other reductions.
func (w *simplifier) dividedReduce(in *hlo.Instruction) *hlo.Instruction {
	f := w.forms[in.Operands[0]]
	dims := in.Ints("dimensions")
	if f == nil || len(in.Operands) != 2 || !slices.Contains(dims, f.along) || slices.Contains(dims, f.batch) {
		return nil
	}
	w.blank(f, in.Operands[0].Shape.Dims[f.along])
	var places []int
	var left []int64
	var kept []int // of the array, as they are left
	for i, d := range f.order {
		if slices.Contains(dims, d) {
			places = append(places, i)
		} else {
			left, kept = append(left, f.value.Shape.Dims[i]), append(kept, d)
		}
	}
	if !slices.IsSorted(kept) {
		return nil
	}
	parts := w.make(hlo.OpReduce, in, left, f.value, in.Operands[1])
	parts.Attrs = in.Attrs
	parts.SetCalled(in.Called())
	set(parts, "dimensions", places)
	at := slices.Index(kept, f.batch)
	apart := slices.Insert(slices.Clone(left), at+1, splits)
	apart[at] /= splits
	in.Operands = []*hlo.Instruction{w.make(hlo.OpReshape, in, apart, parts), in.Operands[1]}
	set(in, "dimensions", []int{at + 1})
	return in
}
