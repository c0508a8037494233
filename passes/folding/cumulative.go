package folding

import (
	"slices"

	"hlolayout/hlo"
)

// block is how many elements the compiler accumulates in one window: of 116 windows over all elements before one that
// enter layout assignment none has more.
const block = 128

// accumulation is a reduce-window that combines each element of a dimension with all before it, or all after it.
type accumulation struct {
	in       *hlo.Instruction
	op       hlo.Opcode
	dim      int
	backward bool
}

func accumulationOf(in *hlo.Instruction) (a accumulation, ok bool) {
	window := in.Attr("window")
	if len(in.Operands) != 2 || len(in.Called()) != 1 || window.Get("size") == nil || window.Get("pad") == nil ||
		len(window.Elems) != 2 || in.Attr("sharding") != nil || in.Shape.IsDynamic() {
		return a, false
	}
	a = accumulation{in: in, dim: -1}
	if a.op, ok = combination(in.Called()[0]); !ok || !same(in.Shape, in.Operands[0].Shape) {
		return a, false
	}
	pads := window.Get("pad").Paddings()
	for d, n := range window.WindowInts("size", in.Shape.Rank()) {
		switch {
		case n == 1:
		case a.dim < 0 && n == in.Shape.Dims[d] && pads[d].Low+pads[d].High == n-1 && min(pads[d].Low, pads[d].High) == 0:
			a.dim, a.backward = d, pads[d].High > 0
		default:
			return a, false
		}
	}
	return a, a.dim >= 0
}

// accumulatedByBlocks accumulates in blocks, with the dimension and the last one exchanged for it
// (tpu-reduce-window-rewriter: all of 24 programs, 6 probes).
func accumulatedByBlocks(w *simplifier, in *hlo.Instruction) *hlo.Instruction {
	a, ok := accumulationOf(in)
	if !ok || in.Shape.Dims[a.dim] <= block {
		return nil
	}
	order := ascendingTo(in.Shape.Rank())
	last := len(order) - 1
	order[a.dim], order[last] = last, a.dim
	x := transposed(w, a.byBlocks(w, transposed(w, in.Operands[0], order)), order)
	if n := in.Shape.Dims[a.dim]; x.Shape.Dims[a.dim] > n {
		return cut(w, x, a.dim, 0, n)
	}
	return x
}

// byBlocks accumulates along the last dimension in blocks, then what is before each block, and combines both. The
// result has whole blocks.
func (a *accumulation) byBlocks(w *simplifier, x *hlo.Instruction) *hlo.Instruction {
	last := x.Shape.Rank() - 1
	blocks := (x.Shape.Dims[last] + block - 1) / block
	whole := slices.Clone(x.Shape.Dims)
	if whole[last] = blocks * block; whole[last] > x.Shape.Dims[last] {
		x = within(w, x, a.in.Operands[1], make([]int64, last+1), whole)
	}
	parts := append(slices.Clone(whole[:last]), blocks, block)
	x = a.window(w, w.make(hlo.OpReshape, a.in, parts, x), last+1, block-1)
	end, before := int64(block-1), int64(0)
	if a.backward {
		end, before = 0, 1
	}
	ends := cut(w, x, last+1, end, end+1)
	if last > 0 || blocks > block {
		ends = w.make(hlo.OpReshape, a.in, parts[:last+1], ends)
	}
	if blocks > block {
		ends = cut(w, a.byBlocks(w, ends), last, 0, blocks)
		first, more := make([]int64, last+1), slices.Clone(ends.Shape.Dims)
		first[last], more[last] = 1-before, blocks+1
		ends = within(w, ends, a.in.Operands[1], first, more)
	} else {
		ends = a.window(w, ends, last, blocks)
	}
	ends = cut(w, ends, last, before, before+blocks)
	b := broadcast(w, a.in, reshaped(w, ends, parts[:last+1]), parts, ascendingTo(last+1))
	return w.make(hlo.OpReshape, a.in, whole, w.make(a.op, a.in, parts, x, b))
}

// window adds a reduce-window like a's along all of a dimension, with a pad on the same side: one element more than the
// pad is left.
func (a *accumulation) window(w *simplifier, x *hlo.Instruction, dim int, pad int64) *hlo.Instruction {
	dims, size := slices.Clone(x.Shape.Dims), x.Shape.Dims[dim]
	dims[dim] = pad + 1
	sizes, pads := slices.Repeat([]int64{1}, len(dims)), make([]hlo.Padding, len(dims))
	sizes[dim], pads[dim].Low = size, pad
	if a.backward {
		pads[dim] = hlo.Padding{High: pad}
	}
	n := likewise(w, a.in, dims, x, a.in.Operands[1])
	setValue(n, "window", with(with(nil, "size", windowText(sizes)), "pad", paddingText(pads)))
	return n
}

// accumulatedNumber counts where a program adds up one number everywhere, as in encodings of places of images: only
// forwards, in one block (3 of 3 probes; one backwards and one of a number that is not known stay).
func accumulatedNumber(w *simplifier, in *hlo.Instruction) *hlo.Instruction {
	a, ok := accumulationOf(in)
	if !ok || a.op != hlo.OpAdd || a.backward || in.Shape.Dims[a.dim] > block || !isZero(in.Operands[1]) {
		return nil
	}
	each, ok := constantOf(in.Operands[0])
	if t := in.Shape.DType; !ok || t != hlo.F32 && t != hlo.S32 {
		return nil
	}
	dims := in.Shape.Dims
	n := counting(w, in, dims, a.dim)
	n.Shape = w.shape(hlo.S32, dims)
	n = w.make(hlo.OpAdd, n, dims, n, filled(w, n, dims, 1))
	if in.Shape.DType != hlo.S32 {
		n = w.make(hlo.OpConvert, in, dims, n)
	}
	if each != 1 {
		n = w.make(hlo.OpMultiply, in, dims, in.Operands[0], n)
	}
	return n
}
