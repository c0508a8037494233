package folding

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

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
	pads := paddingOf(window.Get("pad"))
	for d, text := range strings.Split(window.Get("size").Text, "x") {
		switch n, _ := strconv.ParseInt(text, 10, 64); {
		case n == 1:
		case a.dim < 0 && n == in.Shape.Dims[d] && pads[d].low+pads[d].high == n-1 && min(pads[d].low, pads[d].high) == 0:
			a.dim, a.backward = d, pads[d].high > 0
		default:
			return a, false
		}
	}
	return a, a.dim >= 0
}

// accumulatedByBlocks accumulates in blocks, then the last elements of the blocks, and combines both: the dimension is
// the last one for it (tpu-reduce-window-rewriter).
func accumulatedByBlocks(w *simplifier, in *hlo.Instruction) *hlo.Instruction {
	a, ok := accumulationOf(in)
	if !ok || in.Shape.Dims[a.dim] <= block {
		return nil
	}
	x, n, last := in.Operands[0], in.Shape.Dims[a.dim], in.Shape.Rank()-1
	order := append(slices.DeleteFunc(ascendingTo(last+1), func(d int) bool { return d == a.dim }), a.dim)
	if a.dim != last {
		x = transposed(w, x, order)
	}
	blocks := (n + block - 1) / block
	whole := slices.Clone(x.Shape.Dims)
	if whole[last] = blocks * block; whole[last] > n {
		x = within(w, x, in.Operands[1], make([]int64, last+1), whole)
	}
	parts := append(slices.Clone(whole[:last]), blocks, block)
	x = a.window(w, w.make(hlo.OpReshape, in, parts, x), last+1, block-1)
	at := int64(block - 1)
	if a.backward {
		at = 0
	}
	ends := cut(w, x, last+1, at, at+1)
	if last > 0 {
		ends = w.make(hlo.OpReshape, in, parts[:last+1], ends)
	}
	ends = a.window(w, ends, last, blocks)
	at = 0
	if a.backward {
		at = 1
	}
	ends = cut(w, ends, last, at, at+blocks)
	if last == 0 {
		ends = w.make(hlo.OpReshape, in, parts[:last+1], ends)
	}
	b := w.make(hlo.OpBroadcast, in, parts, ends)
	set(b, "dimensions", ascendingTo(last+1))
	x = w.make(hlo.OpReshape, in, whole, w.make(a.op, in, parts, x, b))
	if a.dim != last {
		back := make([]int, len(order))
		for i, d := range order {
			back[d] = i
		}
		x = transposed(w, x, back)
	}
	if whole[last] == n {
		return x
	}
	return cut(w, x, a.dim, 0, n)
}

// window adds a reduce-window like a's along a dimension, with a pad on the same side. It has one more element than that
// has than before where the pad has all.
func (a *accumulation) window(w *simplifier, x *hlo.Instruction, dim int, pad int64) *hlo.Instruction {
	dims, size := slices.Clone(x.Shape.Dims), x.Shape.Dims[dim]
	dims[dim] = pad + 1
	sizes, pads := make([]string, len(dims)), make([]string, len(dims))
	for d := range dims {
		sizes[d], pads[d] = "1", "0_0"
	}
	sizes[dim], pads[dim] = strconv.FormatInt(size, 10), fmt.Sprintf("%d_0", pad)
	if a.backward {
		pads[dim] = fmt.Sprintf("0_%d", pad)
	}
	n := w.make(hlo.OpReduceWindow, a.in, dims, x, a.in.Operands[1])
	n.Attrs = a.in.Attrs
	n.SetCalled(a.in.Called())
	setValue(n, "window", with(with(&hlo.Value{Kind: hlo.ListValue, Open: '{'}, "size", strings.Join(sizes, "x")), "pad",
		strings.Join(pads, "x")))
	return n
}
