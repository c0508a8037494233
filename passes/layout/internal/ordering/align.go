package ordering

import (
	"slices"

	"hlolayout/hlo"
)

// AfterReshape returns the dimension that a reshape makes of d, as it is; -1 where it merges or splits it.
func AfterReshape(from, to []int64, d int) int {
	before := product(from[:d])
	for k := range to {
		if to[k] == from[d] && product(to[:k]) == before {
			return k
		}
	}
	return -1
}

func product(dims []int64) int64 {
	n := int64(1)
	for _, d := range dims {
		n = Times(n, d)
	}
	return n
}

// group is a run of dimensions of each side of a reshape, with equal products; it cannot be cut finer.
type group struct{ InLo, InHi, OutLo, OutHi int }

// IsOpen reports whether a group has no dimensions on one side, as where the products differ.
func (g group) IsOpen() bool { return g.InLo == g.InHi || g.OutLo == g.OutHi }

// CommonFactors cuts two dimension lists of the same product, without ones, into the finest groups.
func CommonFactors(in, out []int64) []group { return appendFactors(nil, in, out) }

func appendFactors(gs []group, in, out []int64) []group {
	for i, j := 0, 0; i < len(in) || j < len(out); {
		g := group{InLo: i, OutLo: j}
		a, b := int64(1), int64(1)
		if i < len(in) {
			a, i = in[i], i+1
		}
		if j < len(out) {
			b, j = out[j], j+1
		}
		for a != b {
			switch {
			case a < b && i < len(in):
				a, i = Times(a, in[i]), i+1
			case b < a && j < len(out):
				b, j = Times(b, out[j]), j+1
			default: // the products differ: one group takes the rest
				i, j, a, b = len(in), len(out), 0, 0
			}
		}
		g.InHi, g.OutHi = i, j
		gs = append(gs, g)
	}
	return gs
}

// Dense returns the dimensions that are not 1, and their sizes.
func Dense(dims []int64) (which []int, sizes []int64) { return appendDense(nil, nil, dims) }

func appendDense(which []int, sizes, dims []int64) ([]int, []int64) {
	for d, n := range dims {
		if n != 1 {
			which = append(which, d)
			sizes = append(sizes, n)
		}
	}
	return which, sizes
}

// SameSizes reports whether two lists agree when ones are left out.
func SameSizes(a, b []int64) bool {
	var dims [8]int
	var x, y [8]int64
	_, inA := appendDense(dims[:0], x[:0], a)
	_, inB := appendDense(dims[:0], y[:0], b)
	return slices.Equal(inA, inB)
}

// appendAligned puts the minor-to-major order of out for which a reshape from in, in the order mm, moves nothing into
// an empty list; it reports whether there is one. Dimensions of size 1 are most major, descending.
func appendAligned(order []int, in []int64, mm []int, out []int64) ([]int, bool) {
	var room struct { // shapes of up to 8 dimensions need no memory from the heap
		in, out, mm       [8]int
		inSizes, outSizes [8]int64
		groups            [8]group
	}
	inDims, inSizes := appendDense(room.in[:0], room.inSizes[:0], in)
	outDims, outSizes := appendDense(room.out[:0], room.outSizes[:0], out)
	groups := appendFactors(room.groups[:0], inSizes, outSizes)
	if slices.ContainsFunc(groups, group.IsOpen) {
		return nil, false
	}
	for mm = withoutOnes(room.mm[:0], in, mm); len(mm) > 0; {
		at := slices.IndexFunc(groups, func(g group) bool { return inDims[g.InHi-1] == mm[0] })
		if at == -1 {
			return nil, false
		}
		g := groups[at]
		for _, d := range slices.Backward(inDims[g.InLo:g.InHi]) {
			if mm[0] != d {
				return nil, false
			}
			mm = mm[1:]
		}
		for _, d := range slices.Backward(outDims[g.OutLo:g.OutHi]) {
			order = append(order, d)
		}
	}
	for d := len(out) - 1; d >= 0; d-- {
		if out[d] == 1 {
			order = append(order, d)
		}
	}
	return order, len(order) == len(out)
}

// Aligns reports whether a reshape between two orders moves nothing but dimensions of size 1, before tiles.
func Aligns(in []int64, a []int, out []int64, b []int) bool {
	var room [8]int
	to, ok := appendAligned(room[:0], in, a, out)
	return ok && SameDense(out, to, b)
}

// Reshaped is what is asked of each reshape again and again: its shapes, with the order of one of them.
type Reshaped struct {
	From, To *hlo.Shape
	Order    Order
}

// Aligned returns the order of out with which a reshape from in, in the order o, moves nothing, None if there is none.
func (t *Table) Aligned(in *hlo.Shape, o Order, out *hlo.Shape) Order {
	return Memo(t.aligned, Reshaped{in, out, o}, func() (to Order) {
		var room [8]int
		if list, ok := appendAligned(room[:0], in.Dims, t.Get(o), out.Dims); ok {
			to = t.Of(list)
		}
		return to
	})
}

// EffectiveRank returns how many dimensions are not 1.
func EffectiveRank(dims []int64) int {
	which, _ := Dense(dims)
	return len(which)
}

// SameDense reports whether two orders of the same dimensions agree when dimensions of size 1 are left out.
func SameDense(dims []int64, a, b []int) bool {
	var x, y [8]int
	return slices.Equal(withoutOnes(x[:0], dims, a), withoutOnes(y[:0], dims, b))
}

// withoutOnes appends an order without the dimensions of size 1.
func withoutOnes(list []int, dims []int64, mm []int) []int {
	for _, d := range mm {
		if dims[d] != 1 {
			list = append(list, d)
		}
	}
	return list
}
