package folding

import (
	"math"
	"slices"
	"strconv"
	"strings"

	"hlolayout/hlo"
)

// What operations that move elements, and reduces, make of known ones.

func foldedSlice(in *hlo.Instruction, xs []array, n int) (y array, ok bool) {
	v := in.Attr("slice")
	if v == nil || len(v.Elems) != in.Shape.Rank() {
		return y, false
	}
	first, step := make([]int64, len(v.Elems)), make([]int64, len(v.Elems))
	for d, e := range v.Elems {
		texts := strings.Split(strings.Trim(e.Text, "[]"), ":")
		step[d] = 1
		if len(texts) == 3 {
			step[d], _ = strconv.ParseInt(texts[2], 10, 64)
		}
		first[d], _ = strconv.ParseInt(texts[0], 10, 64)
		if end := first[d] + (in.Shape.Dims[d]-1)*step[d]; len(texts) < 2 || end < 0 || end >= xs[0].dims[d] {
			return y, false
		}
	}
	return xs[0].moved(in.Shape.Dims, n, func(at, from []int64) bool {
		for d := range at {
			from[d] = first[d] + at[d]*step[d]
		}
		return true
	}, 0), true
}

func foldedPad(in *hlo.Instruction, xs []array, n int) (y array, ok bool) {
	v := in.Attr("padding")
	if v == nil {
		return y, false
	}
	pads := v.Paddings()
	if len(pads) != in.Shape.Rank() {
		return y, false
	}
	return xs[0].moved(in.Shape.Dims, n, func(at, from []int64) bool {
		for d, p := range pads {
			k := at[d] - p.Low
			if from[d] = k / (p.Between + 1); k < 0 || k%(p.Between+1) != 0 || from[d] >= xs[0].dims[d] {
				return false
			}
		}
		return true
	}, xs[1].elements[0]), true
}

func foldedConcatenate(in *hlo.Instruction, xs []array, n int) (y array, ok bool) {
	dims := in.Ints("dimensions")
	if len(dims) != 1 {
		return y, false
	}
	along := dims[0]
	from := make([]int64, in.Shape.Rank())
	return arranged(in.Shape.Dims, n, func(at []int64) float64 {
		copy(from, at)
		for _, x := range xs {
			if from[along] < x.dims[along] {
				return x.elements[x.place(from)]
			}
			from[along] -= x.dims[along]
		}
		return math.NaN()
	}), true
}

func foldedReduce(in *hlo.Instruction, xs []array, n int) (y array, ok bool) {
	if len(xs) != 2 || len(in.Called()) != 1 || len(xs[1].elements) != 1 {
		return y, false
	}
	op, ok := combination(in.Called()[0])
	of, t := ofTwo[op], in.Shape.DType
	if !ok || of == nil || t.Class() == hlo.ClassFloat && op != hlo.OpMaximum && op != hlo.OpMinimum {
		return y, false // the order matters
	}
	kept := hlo.OtherDims(len(xs[0].dims), in.Ints("dimensions"))
	y = array{in.Shape.Dims, slices.Repeat(xs[1].elements, n)}
	into := make([]int64, len(kept))
	fine, next := true, 0
	arranged(xs[0].dims, len(xs[0].elements), func(at []int64) float64 {
		for i, d := range kept {
			into[i] = at[d]
		}
		k := y.place(into)
		e, one := of(y.elements[k], xs[0].elements[next], false)
		next++
		var two bool
		y.elements[k], two = rounded(t, e)
		fine = fine && one && two
		return 0
	})
	return y, fine
}

func foldedUpdate(in *hlo.Instruction, xs []array, n int) (y array, ok bool) {
	first := make([]int64, len(xs)-2)
	for d, x := range xs[2:] {
		if len(x.elements) != 1 {
			return y, false
		}
		first[d] = min(max(int64(x.elements[0]), 0), in.Shape.Dims[d]-xs[1].dims[d])
	}
	from := make([]int64, len(first))
	return arranged(in.Shape.Dims, n, func(at []int64) float64 {
		for d := range at {
			if from[d] = at[d] - first[d]; from[d] < 0 || from[d] >= xs[1].dims[d] {
				return xs[0].elements[xs[0].place(at)]
			}
		}
		return xs[1].elements[xs[1].place(from)]
	}), true
}

func foldedGather(in *hlo.Instruction, xs []array, n int) (y array, ok bool) {
	g, ok := windowOf(in)
	if !ok || len(g.batching[0]) > 0 {
		return y, false
	}
	table, indices := xs[0], xs[1]
	windowed := hlo.OtherDims(len(table.dims), g.single)
	batch := hlo.OtherDims(in.Shape.Rank(), g.offset)
	where := make([]int64, len(indices.dims))
	return table.moved(in.Shape.Dims, n, func(at, from []int64) bool {
		clear(from)
		for k, p := range g.places {
			next := 0
			for d := range where {
				if d == g.vector {
					where[d] = int64(k)
					continue
				}
				where[d] = at[batch[next]]
				next++
			}
			from[p] = min(max(int64(indices.elements[indices.place(where)]), 0), table.dims[p]-g.size[p])
		}
		for i, d := range windowed {
			from[d] += at[g.offset[i]]
		}
		return true
	}, 0), true
}
