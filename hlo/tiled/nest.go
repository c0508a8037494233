package tiled

import (
	"cmp"
	"slices"

	"hlolayout/hlo/cute"
)

// Loop is one loop of a copy. Each repetition goes on by Step positions in dimension Dim, by A elements in the source
// and by B elements in the target.
type Loop struct {
	Count   int64
	Dim     int // -1 where the loop was made of loops over several dimensions
	Step    int64
	A, B    int64
	Clipped bool // the loops over Dim together reach beyond the dimension: positions outside are left out
}

// Nest returns the copy from a to b, which have the same logical dimensions, as nested loops, outermost first: the
// source is walked through forwards. In contrast to Relayout the paddings may differ, and no padding is copied. Every
// dimension is cut where the tiles of either array end, and loops that go on where the next inner one ends, in both
// arrays, are one with it. Errors: ErrShape; ErrNoLayout where a map is not a layout, or the tiles of a dimension do
// not fit into each other.
func Nest(a, b *Array) ([]Loop, error) {
	if !slices.Equal(a.dims, b.dims) {
		return nil, fail(ErrShape, "%s and %s have different dimensions", a, b)
	}
	for _, x := range []*Array{a, b} {
		if !x.hasModes() {
			return nil, x.refusal
		}
	}
	var loops []Loop
	for d, n := range a.dims {
		cuts := append(append([]int64{1}, a.modes[d].cuts(n)...), b.modes[d].cuts(n)...)
		slices.Sort(cuts)
		cuts = append(slices.Compact(cuts), n)
		for k, from := range cuts[:len(cuts)-1] {
			to := cuts[k+1]
			if to%from != 0 && to != n {
				return nil, fail(ErrNoLayout, "dimension %d is cut every %d elements in one array and every %d in "+
					"the other", d, from, to)
			}
			if count := ceilDiv(to, from); count > 1 {
				loops = append(loops, Loop{Count: count, Dim: d, Step: from, A: a.modes[d].at(from),
					B: b.modes[d].at(from)})
			}
		}
		if last := cuts[len(cuts)-2]; n%last != 0 {
			for i := range loops {
				loops[i].Clipped = loops[i].Clipped || loops[i].Dim == d
			}
		}
	}
	slices.SortStableFunc(loops, func(x, y Loop) int { return cmp.Compare(y.A, x.A) })
	out := loops[:0]
	for _, l := range loops {
		if k := len(out) - 1; k >= 0 && !l.Clipped && !out[k].Clipped && goesOn(out[k], l) {
			if l.Dim != out[k].Dim {
				l.Dim = -1
			}
			l.Count *= out[k].Count // the elements of both together are no more than those of the array
			out[k] = l
			continue
		}
		out = append(out, l)
	}
	return out, nil
}

// goesOn says that the outer loop steps to where the inner one ends, in both arrays.
func goesOn(outer, inner Loop) bool {
	a, ok := cute.Mul(inner.Count, inner.A)
	b, ok2 := cute.Mul(inner.Count, inner.B)
	return ok && ok2 && outer.A == a && outer.B == b
}

// cuts returns the positions below n at which a digit of a mode ends and the next one begins.
func (m mode) cuts(n int64) []int64 {
	var out []int64
	at := int64(1)
	for _, d := range m[:max(len(m)-1, 0)] {
		if at *= d.extent; at >= n {
			break
		}
		out = append(out, at)
	}
	return out
}
