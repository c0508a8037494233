package folding

import (
	"slices"
	"strings"

	"hlolayout/hlo"
)

// batchBefore returns the form of an array whose batch is before the dimension that is to be divided.
func (d *divider) batchBefore(x *hlo.Instruction, batch, along int) *divided {
	order := ascendingTo(x.Shape.Rank())
	if along != batch+1 {
		order = slices.Delete(order, batch, batch+1)
		order = slices.Insert(order, slices.Index(order, along), batch)
	}
	return &divided{value: transposed(d, x, order), batch: batch, along: along, to: inverse(order)}
}

// split divides a dimension, after the batch, into parts of each elements, which join the batch.
func (d *divider) split(x *hlo.Instruction, batch int, each int64) *hlo.Instruction {
	dims := slices.Clone(x.Shape.Dims)
	dims[batch], dims[batch+1] = dims[batch]*splits, each
	return d.make(hlo.OpReshape, x, dims, x)
}

// resized returns a divided array with parts of each elements.
func (d *divider) resized(x *hlo.Instruction, batch int, each int64) *hlo.Instruction {
	dims := slices.Clone(x.Shape.Dims)
	dims[batch], dims[batch+1] = dims[batch]/splits, dims[batch+1]*splits
	x = d.make(hlo.OpReshape, x, dims, x)
	if more := each*splits - dims[batch+1]; more > 0 {
		x = padded(d, x, batch+1, 0, more)
	} else if more < 0 {
		x = cut(d, x, batch+1, 0, each*splits)
	}
	return d.split(x, batch, each)
}

// bordered returns a divided array in which each part begins with low elements of the part before, and ends with
// those of border that are left of the part after. Before the first part and after the last is fill, zero for nil. A
// low below zero leaves out as many elements of each part.
func (d *divider) bordered(x *hlo.Instruction, batch int, low, border int64, fill *hlo.Instruction) *hlo.Instruction {
	dims := x.Shape.Dims
	each := dims[batch+1]
	if low == 0 && border <= 0 {
		return x
	}
	apart := slices.Insert(slices.Clone(dims), batch+1, splits)
	apart[batch] /= splits
	parts := d.make(hlo.OpReshape, x, apart, x)
	piece := func(part, parts2, from, to int64) *hlo.Instruction {
		first, size := make([]int64, len(apart)), slices.Clone(apart)
		first[batch+1], size[batch+1] = part, parts2
		first[batch+2], size[batch+2] = from, to-from
		return sliced(d, parts, first, size)
	}
	around := func(x *hlo.Instruction, before int64) *hlo.Instruction {
		if fill == nil {
			return padded(d, x, batch+1, before, 1-before)
		}
		first, to := make([]int64, len(apart)), slices.Clone(x.Shape.Dims)
		first[batch+1], to[batch+1] = before, splits
		return within(d, x, fill, first, to)
	}
	var pieces []*hlo.Instruction
	if low > 0 {
		pieces = append(pieces, around(piece(0, splits-1, each-low, each), 1))
	}
	switch {
	case low > 0 && border == 0:
		pieces = append(pieces, piece(0, splits, 0, each-low))
	case low < 0:
		pieces = append(pieces, piece(0, splits, -low, each))
	default:
		pieces = append(pieces, parts)
	}
	if border > low {
		pieces = append(pieces, around(piece(1, splits-1, 0, border-low), 0))
	}
	y := joined(d, x, batch+2, pieces...)
	wide := slices.Clone(dims)
	wide[batch+1] = y.Shape.Dims[batch+2]
	return d.make(hlo.OpReshape, x, wide, y)
}

// mostMasked is how many elements of a mask are written out: as many as an image of 8,192 rows has.
const mostMasked = 1 << 16

// maskOf returns a literal that is true for the first n of size elements.
func maskOf(size, n int64) string {
	if size > mostMasked {
		return elided
	}
	n = min(max(n, 0), size)
	return "{" + strings.TrimSuffix(strings.Repeat("1,", int(n))+strings.Repeat("0,", int(size-n)), ",") + "}"
}

// masksOf returns a literal that is true for the first n elements of each image, whose parts have size elements.
func masksOf(parts, size, n int64) string {
	if size > mostMasked/parts {
		return elided
	}
	var rows []string
	for part := range parts {
		rows = append(rows, maskOf(size, n-part%splits*size))
	}
	return "{" + strings.Join(rows, ",") + "}"
}

// masked returns a divided form with fill, zero for nil, where its parts have more than the n elements of the array.
func (d *divider) masked(f *divided, n int64, fill *hlo.Instruction) *divided {
	if f.size()*splits <= n || f.blank && fill == nil {
		return f
	}
	x := f.value
	dims := x.Shape.Dims
	at, space := f.parts(), f.space()
	every := mask(d.simplifier, d, x, masksOf(dims[at], dims[space], n), []int{at, space})
	out := *f
	if out.blank = fill == nil; out.blank {
		fill = number(d, x, 0)
	}
	out.value = d.make(hlo.OpSelect, x, dims, every, x, broadcast(d, x, fill, dims, nil))
	return &out
}
