package folding

import (
	"slices"
	"strconv"
	"strings"

	"hlolayout/hlo"
)

// slicedAgain reads what a slice reads, or the part of a concatenate, of an update or of a pad, that holds all of it.
func slicedAgain(w *simplifier, in *hlo.Instruction) *hlo.Instruction {
	x := in.Operands[0]
	find := wholes[x.Opcode]
	if find == nil || in.Shape.IsDynamic() || x.Shape.IsDynamic() || in.Attr("sharding") != nil {
		return nil
	}
	first, ok := in.SliceStarts()
	if !ok {
		return nil
	}
	from := find(x, first, in.Shape.Dims)
	if from == nil {
		return nil
	}
	return namedSlice(sliced(w, from, first, in.Shape.Dims), in, "slice")
}

// namedSlice gives a slice the name of the one in whose place it is, and its attributes but for one.
func namedSlice(n, in *hlo.Instruction, without string) *hlo.Instruction {
	n.Attrs = slices.Concat(n.Attrs[:1], except(in.Attrs, without))
	n.Name, in.Name = in.Name, n.Name
	return n
}

// knownSlice slices where the place of a dynamic slice is known.
func knownSlice(w *simplifier, in *hlo.Instruction) *hlo.Instruction {
	first, ok := known(in.Operands[1:], in.Operands[0].Shape, in.Shape)
	if !ok || in.Attr("sharding") != nil {
		return nil
	}
	return namedSlice(sliced(w, in.Operands[0], first, in.Shape.Dims), in, "dynamic_slice_sizes")
}

// wholes return, by opcode, which operand holds all of a slice, nil for none, and move its first place to that.
var wholes = map[hlo.Opcode]func(x *hlo.Instruction, first, size []int64) *hlo.Instruction{
	hlo.OpSlice: func(x *hlo.Instruction, first, _ []int64) *hlo.Instruction {
		outer, ok := x.SliceStarts()
		if !ok {
			return nil
		}
		for d := range first {
			first[d] += outer[d]
		}
		return x.Operands[0]
	},
	hlo.OpConcatenate: func(x *hlo.Instruction, first, size []int64) *hlo.Instruction {
		along := x.Ints("dimensions")[0]
		for _, o := range x.Operands {
			n := o.Shape.Dims[along]
			if first[along] < n {
				if first[along]+size[along] > n {
					return nil
				}
				return o
			}
			first[along] -= n
		}
		return nil
	},
	// the array below the update is not read instead where others read the update, too (dumps of 22 programs)
	hlo.OpDynamicUpdateSlice: func(x *hlo.Instruction, first, size []int64) *hlo.Instruction {
		place, ok := placeOf(x)
		if !ok {
			return nil
		}
		for d, from := range place {
			first[d] -= from
			if first[d] < 0 || first[d]+size[d] > x.Operands[1].Shape.Dims[d] {
				return nil
			}
		}
		return x.Operands[1]
	},
	hlo.OpPad: func(x *hlo.Instruction, first, size []int64) *hlo.Instruction { // 4 probes, one with another reader
		if x.Attr("padding") == nil || x.Attr("sharding") != nil {
			return nil
		}
		for d, p := range x.Attr("padding").Paddings() {
			first[d] -= p.Low
			if p.Between != 0 || first[d] < 0 || first[d]+size[d] > x.Operands[0].Shape.Dims[d] {
				return nil
			}
		}
		return x.Operands[0]
	},
}

// slicedParts slices what is joined of those operands alone that it takes elements of (5 of 5 probes, with another
// reader of all of them and without).
func slicedParts(w *simplifier, in *hlo.Instruction) *hlo.Instruction {
	x := in.Operands[0]
	first, ok := in.SliceStarts()
	if x.Opcode != hlo.OpConcatenate || !ok || in.Shape.IsDynamic() || x.Shape.IsDynamic() ||
		in.Attr("sharding") != nil || x.Attr("sharding") != nil {
		return nil
	}
	along := x.Ints("dimensions")[0]
	at := 0
	for at < len(x.Operands) && first[along] >= x.Operands[at].Shape.Dims[along] {
		first[along] -= x.Operands[at].Shape.Dims[along]
		at++
	}
	end, left := at, first[along]+in.Shape.Dims[along]
	for end < len(x.Operands) && left > 0 {
		left -= x.Operands[end].Shape.Dims[along]
		end++
	}
	if end-at < 2 || end-at == len(x.Operands) {
		return nil
	}
	n := concatenated(w, x, along, x.Operands[at:end]...)
	if slices.Equal(n.Shape.Dims, in.Shape.Dims) {
		return n
	}
	return namedSlice(sliced(w, n, first, in.Shape.Dims), in, "slice")
}

// slicedBroadcast slices what is broadcast, before it is (7 probes, one with another reader, two that leave out
// elements in between).
func slicedBroadcast(w *simplifier, in *hlo.Instruction) *hlo.Instruction {
	x, v := in.Operands[0], in.Attr("slice")
	if x.Opcode != hlo.OpBroadcast || v == nil || len(v.Elems) != in.Shape.Rank() || in.Shape.IsDynamic() ||
		x.Shape.IsDynamic() || in.Attr("sharding") != nil {
		return nil
	}
	from, to := x.Operands[0], x.Ints("dimensions")
	size := sizes(in.Shape.Dims, to)
	for i, n := range size {
		if n > from.Shape.Dims[i] {
			return nil
		}
	}
	if !slices.Equal(size, from.Shape.Dims) {
		from = w.make(hlo.OpSlice, from, size, from)
		attribute(from, "slice", listOf(", ", sizes(v.Elems, to)...))
	}
	become(w, in, hlo.OpBroadcast, from)
	set(in, "dimensions", to)
	return in
}

// joinedSlices joins slices of one array that follow each other in it.
func joinedSlices(w *simplifier, in *hlo.Instruction) *hlo.Instruction {
	if in.Shape.IsDynamic() || in.Attr("sharding") != nil {
		return nil
	}
	along := in.Ints("dimensions")[0]
	for i, o := range in.Operands[1:] {
		before := in.Operands[i]
		if before.Opcode != hlo.OpSlice || o.Opcode != hlo.OpSlice || before.Operands[0] != o.Operands[0] ||
			before.Operands[0].Shape.IsDynamic() {
			continue
		}
		first, ok := before.SliceStarts()
		next, ok2 := o.SliceStarts()
		if !ok || !ok2 {
			continue
		}
		end := slices.Clone(first)
		end[along] += before.Shape.Dims[along]
		if !slices.Equal(end, next) {
			continue
		}
		size := slices.Clone(before.Shape.Dims)
		size[along] += o.Shape.Dims[along]
		in.Operands = slices.Replace(slices.Clone(in.Operands), i, i+2, sliced(w, before.Operands[0], first, size))
		return in
	}
	return nil
}

// reshapedSlice slices what a reshape reads, where a slice takes whole elements of its first dimension of more than one
// element (27 of 27 probes).
func reshapedSlice(w *simplifier, in *hlo.Instruction) *hlo.Instruction {
	x := in.Operands[0]
	if x.Opcode != hlo.OpReshape || in.Shape.IsDynamic() || x.Shape.IsDynamic() || in.Shape.IsScalar() ||
		in.Attr("sharding") != nil || x.Attr("sharding") != nil ||
		!slices.Equal(in.Shape.Dims[1:], x.Shape.Dims[1:]) {
		return nil
	}
	first, ok := in.SliceStarts()
	from := x.Operands[0]
	along := slices.IndexFunc(from.Shape.Dims, func(n int64) bool { return n > 1 })
	if !ok || along < 0 || in.Shape.Dims[0] == 0 {
		return nil
	}
	of, each := int64(1), int64(1) // elements of one place of the first dimension, after the reshape and before
	for _, n := range x.Shape.Dims[1:] {
		of *= n
	}
	for _, n := range from.Shape.Dims[along+1:] {
		each *= n
	}
	if each == 0 || first[0]*of%each != 0 || in.Shape.Dims[0]*of%each != 0 {
		return nil
	}
	n := cut(w, from, along, first[0]*of/each, (first[0]+in.Shape.Dims[0])*of/each)
	n.Attrs = slices.Concat(n.Attrs[:1], except(in.Attrs, "slice"))
	return w.make(hlo.OpReshape, in, in.Shape.Dims, n)
}

// slicedConvolution has a convolution that nothing else reads compute what a slice leaves of it: with less padding in
// spatial dimensions, as in gradients of images that a program pads, of a slice of the images and of one of the
// kernel's features, where these have no groups (18 of 18 probes; that groups of the batch are as those of features is
// a guess).
func slicedConvolution(w *simplifier, in *hlo.Instruction) *hlo.Instruction {
	c := in.Operands[0]
	if c.Opcode != hlo.OpConvolution || in.Attr("sharding") != nil || c.Attr("sharding") != nil ||
		c.Shape.IsDynamic() || c.Attr("window") == nil {
		return nil
	}
	first, ok := in.SliceStarts()
	l, labeled := labelsOf(c)
	if !ok || !labeled || !w.readsAlone(in, c) {
		return nil
	}
	b, f := strings.IndexByte(l.Output, 'b'), strings.IndexByte(l.Output, 'f')
	fewImages, fewFeatures := in.Shape.Dims[b] < c.Shape.Dims[b], in.Shape.Dims[f] < c.Shape.Dims[f]
	if c.Attr("batch_group_count") != nil && (fewImages || fewFeatures) ||
		c.Attr("feature_group_count") != nil && fewFeatures {
		return nil
	}
	images, kernel := c.Operands[0], c.Operands[1]
	if fewImages {
		images = cut(w, images, strings.IndexByte(l.Input, 'b'), first[b], first[b]+in.Shape.Dims[b])
	}
	if fewFeatures {
		kernel = cut(w, kernel, strings.IndexByte(l.Kernel, 'o'), first[f], first[f]+in.Shape.Dims[f])
	}
	n := likewise(w, c, in.Shape.Dims, images, kernel)
	setValue(n, "window", with(c.Attr("window"), "pad", paddingText(slicedPadding(c, l, first, in.Shape.Dims))))
	n.Name, in.Name = in.Name, n.Name
	return n
}

// slicedPadding returns the padding with which a convolution computes a part of its result.
func slicedPadding(in *hlo.Instruction, l hlo.DimLabels, first, dims []int64) []hlo.Padding {
	window, n := in.Attr("window"), len(l.Input)-2
	around, size, stride := padsOf(window, n), window.WindowInts("size", n), window.WindowInts("stride", n)
	between, apart := window.WindowInts("lhs_dilate", n), window.WindowInts("rhs_dilate", n)
	for i := range around {
		letter := strconv.Itoa(i)
		d := strings.Index(l.Output, letter)
		images := (in.Operands[0].Shape.Dims[strings.Index(l.Input, letter)]-1)*between[i] + 1
		around[i].Low -= first[d] * stride[i]
		around[i].High = (dims[d]-1)*stride[i] + (size[i]-1)*apart[i] + 1 - images - around[i].Low
	}
	return around
}

// mostHeads is how many heads become slices: five do, and six do not.
const mostHeads = 5

// joinedHeads has slices joined where a program splits the last dimension, as the heads of attention are, exchanges the
// two middle ones of the last four and joins the first two of these. Other orders, and reshapes to other dimensions,
// stay.
func joinedHeads(w *simplifier, in *hlo.Instruction) *hlo.Instruction {
	turned := in.Operands[0]
	if !rearranges(in) || turned.Opcode != hlo.OpTranspose || !rearranges(turned) {
		return nil
	}
	split, last := turned.Operands[0], turned.Shape.Rank()-1
	if split.Opcode != hlo.OpReshape || !rearranges(split) || last < 3 {
		return nil
	}
	x, d := split.Operands[0], split.Shape.Dims
	heads, order := d[last-1], ascendingTo(last+1)
	order[last-2], order[last-1] = last-1, last-2
	if heads < 2 || heads > mostHeads || !slices.Equal(turned.Ints("dimensions"), order) ||
		!slices.Equal(x.Shape.Dims, slices.Concat(d[:last-1], []int64{heads * d[last]})) ||
		!slices.Equal(in.Shape.Dims, slices.Concat(d[:last-3], []int64{d[last-3] * heads, d[last-2], d[last]})) {
		return nil
	}
	var parts []*hlo.Instruction
	for i := range heads {
		parts = append(parts, cut(w, x, last-1, i*d[last], (i+1)*d[last]))
	}
	become(w, in, hlo.OpReshape, concatenated(w, x, last-2, parts...))
	return in
}
