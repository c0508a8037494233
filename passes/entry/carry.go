package entry

import (
	"slices"
	"strings"

	"hlolayout/hlo"
)

// array is forward for operations on arrays; nil where nothing is carried.
func (p *spreader) array(in *hlo.Instruction, all []*division) *division {
	a, out := in.Operands[0], &division{dims: make([][]string, in.Shape.Rank())}
	carry := func(to int, d *division, from int) {
		if d != nil && to < len(out.dims) && from < len(d.dims) {
			out.dims[to] = d.dims[from]
		}
	}
	switch in.Opcode {
	case hlo.OpTranspose:
		for to, from := range in.Ints("dimensions") {
			carry(to, all[0], from)
		}
	case hlo.OpBroadcast:
		for from, to := range in.Ints("dimensions") {
			carry(to, all[0], from)
		}
	case hlo.OpReduce:
		to := 0
		for from := range a.Shape.Rank() {
			if !slices.Contains(in.Ints("dimensions"), from) {
				carry(to, all[0], from)
				to++
			}
		}
	case hlo.OpReshape:
		p.reshape(out, in, all[0])
	case hlo.OpDot:
		dot(carry, in, all)
	case hlo.OpGather:
		p.gather(carry, in, all)
	case hlo.OpConvolution:
		convolution(carry, in, all)
	default:
		out = elementwise(out, in, all)
	}
	if !slices.ContainsFunc(out.dims, func(axes []string) bool { return len(axes) > 0 }) {
		return nil
	}
	return once(out)
}

// elementwise carries the axes of each operand's dimensions that have the result's size: of the first operand, of an
// update, and of operands of the result's shape.
func elementwise(out *division, in *hlo.Instruction, all []*division) *division {
	for k, o := range in.Operands {
		if all[k] == nil || !o.Shape.IsArray() || o.Shape.Rank() != in.Shape.Rank() ||
			k > 0 && in.Opcode != hlo.OpDynamicUpdateSlice && !slices.Equal(o.Shape.Dims, in.Shape.Dims) {
			continue
		}
		x := &division{dims: make([][]string, in.Shape.Rank())}
		for i := range x.dims {
			if i < len(all[k].dims) && o.Shape.Dims[i] == in.Shape.Dims[i] {
				x.dims[i] = all[k].dims[i]
			}
		}
		out = merged(out, x)
	}
	return out
}

// dot carries the axes of the batch dimensions, then those of the left and of the right side's free dimensions.
func dot(carry func(int, *division, int), in *hlo.Instruction, all []*division) {
	to := 0
	for k, side := range []string{"lhs", "rhs"} {
		batch, contracted := in.Ints(side+"_batch_dims"), in.Ints(side+"_contracting_dims")
		if k == 0 {
			for _, from := range batch {
				carry(to, all[0], from)
				to++
			}
		}
		for _, from := range hlo.OtherDims(in.Operands[k].Shape.Rank(), batch, contracted) {
			carry(to, all[k], from)
			to++
		}
	}
}

// reshape carries the axes of dimensions that stay, and of the first dimension of each group that is split or joined.
func (p *spreader) reshape(out *division, in *hlo.Instruction, d *division) {
	from, to := in.Operands[0].Shape.Dims, in.Shape.Dims
	if d == nil {
		return
	}
	for i, j := 0, 0; i < len(from) && j < len(to); {
		if from[i] == 1 && to[j] != 1 {
			i++
			continue
		}
		if to[j] == 1 && from[i] != 1 {
			j++
			continue
		}
		n := int64(1)
		for _, x := range d.dims[i] {
			n *= max(1, p.axes[x])
		}
		if to[j]%n == 0 {
			out.dims[j] = d.dims[i]
		}
		a, b := from[i], to[j]
		i, j = i+1, j+1
		for a != b && (a < b && i < len(from) || b < a && j < len(to)) {
			if a < b {
				a *= from[i]
				i++
			} else {
				b *= to[j]
				j++
			}
		}
	}
}

// gather carries the axes of the indices to the batch dimensions, and those of dimensions taken whole to the offsets.
func (p *spreader) gather(carry func(int, *division, int), in *hlo.Instruction, all []*division) {
	if len(in.Operands) < 2 {
		return
	}
	table, indices := in.Operands[0].Shape, in.Operands[1].Shape
	offsets, sizes := in.Ints("offset_dims"), in.Ints("slice_sizes")
	collapsed := append(in.Ints("collapsed_slice_dims"), in.Ints("operand_batching_dims")...)
	vector := indices.Rank()
	if v := in.Ints("index_vector_dim"); len(v) == 1 {
		vector = v[0]
	} else if n, ok := in.Attr("index_vector_dim").Int(); ok {
		vector = int(n)
	}
	from := 0
	for to := range in.Shape.Rank() {
		if slices.Contains(offsets, to) {
			continue
		}
		if from == vector {
			from++
		}
		carry(to, all[1], from)
		from++
	}
	k := 0
	for d := range table.Rank() {
		if slices.Contains(collapsed, d) || k >= len(offsets) || d >= len(sizes) {
			continue
		}
		if int64(sizes[d]) == table.Dims[d] {
			carry(offsets[k], all[0], d)
		}
		k++
	}
}

// convolution carries the axes of the batch and of spatial dimensions that keep their size from the input, those of the
// output features from the kernel.
func convolution(carry func(int, *division, int), in *hlo.Instruction, all []*division) {
	l, ok := in.DimLabels()
	if !ok || len(in.Operands) < 2 {
		return
	}
	for to, label := range l.Output {
		side, from := 0, strings.IndexRune(l.Input, label)
		if label == 'f' {
			side, from = 1, strings.IndexByte(l.Kernel, 'o')
		}
		s := in.Operands[side].Shape
		if from >= 0 && from < s.Rank() && to < in.Shape.Rank() && s.Dims[from] == in.Shape.Dims[to] {
			carry(to, all[side], from)
		}
	}
}
