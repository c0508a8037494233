package memory

import (
	"slices"

	"hlolayout/hlo"
)

// bound says how much of a dimension a window has: as many elements as it has of some dimensions of an array, one for
// so many of them. Of no dimension it has so many elements, 0 for all. Where an inner product's window moves over the
// dimension these are its positions: it has stride elements for each but the first, and more than one for that.
type bound struct {
	of           []int
	per          int64
	stride, more int64
}

// elements returns how many elements of a dimension of a size go with so many of an array.
func (b *bound) elements(of []int64, size int64) int64 {
	if b.of == nil {
		if b.per > 0 {
			size = min(size, b.per)
		}
		return size
	}
	n := int64(1)
	for _, d := range b.of {
		if d >= len(of) || n > size*b.per {
			return size
		}
		n *= of[d]
	}
	n = (n + b.per - 1) / max(1, b.per)
	return min(size, (n-1)*max(1, b.stride)+1+b.more)
}

// wholly bounds a dimension of which every window has all.
var wholly = bound{per: everything}

// whole reports whether every window has all of a dimension, single whether it has one element.
func (b *bound) whole() bool  { return b.of == nil && b.per == everything }
func (b *bound) single() bool { return b.of == nil && b.per == 1 }

// identity returns the bounds of an array's own dimensions.
func identity(s *hlo.Shape) []bound {
	dims := make([]bound, len(s.Dims))
	for i := range dims {
		dims[i] = bound{of: []int{i}, per: 1}
	}
	return dims
}

// operandBounds returns the bounds of an operand, given those of the result.
func operandBounds(in *hlo.Instruction, s *hlo.Shape, dims []bound) []bound {
	of := make([]bound, len(s.Dims))
	switch in.Opcode {
	case hlo.OpBroadcast:
		for i, d := range in.Ints("dimensions") {
			if i < len(of) && d >= 0 && d < len(dims) {
				of[i] = dims[d]
			}
		}
	case hlo.OpTranspose:
		for i, d := range in.Ints("dimensions") {
			if i < len(dims) && d >= 0 && d < len(of) {
				of[d] = dims[i]
			}
		}
	case hlo.OpReshape:
		reshaped(in.Shape.Dims, s.Dims, dims, of)
	case hlo.OpBitcast:
		return renamed(in.Shape, s, dims)
	default:
		if len(dims) == len(of) && in.Shape.IsArray() {
			sliced(in.Shape.Dims, s.Dims, dims, of)
		}
	}
	return of
}

// renamed returns the bounds of one side of a bitcast, given those of the other: what is the same are places in memory.
func renamed(from, to *hlo.Shape, dims []bound) []bound {
	of, order, toOrder := make([]bound, len(to.Dims)), majorFirst(from), majorFirst(to)
	switch {
	case len(order) != len(dims) || len(toOrder) != len(of):
	case slices.Equal(from.Dims, to.Dims) && slices.Equal(order, toOrder):
		copy(of, dims)
	default:
		bounds := make([]bound, len(of))
		reshaped(pick(from.Dims, order), pick(to.Dims, toOrder), pick(dims, order), bounds)
		for i, d := range toOrder {
			of[d] = bounds[i]
		}
	}
	return of
}

// sliced sets the bounds of sizes to, given those of sizes from, dimension by dimension: a slice takes no more than it
// makes.
func sliced(from, to []int64, dims, of []bound) {
	for i, p := range dims {
		if p.of == nil && p.per == 0 && from[i] < to[i] {
			p.per = from[i]
		}
		of[i] = p
	}
}

// majorFirst returns an array's dimensions from the major to the minor.
func majorFirst(s *hlo.Shape) (dims []int) {
	if !s.IsArray() || s.Layout == nil {
		return nil
	}
	dims = slices.Clone(s.Layout.MinorToMajor)
	slices.Reverse(dims)
	return dims
}

// longMajorFirst returns what majorFirst does, without the dimensions of one element.
func longMajorFirst(s *hlo.Shape) []int {
	return slices.DeleteFunc(majorFirst(s), func(d int) bool { return s.Dims[d] == 1 })
}

func pick[T any](list []T, at []int) []T {
	out := make([]T, len(at))
	for i, k := range at {
		out[i] = list[k]
	}
	return out
}

// reshaped sets the bounds of sizes to, given those of sizes from, which have as many elements: where one dimension
// becomes several or several become one. What is only mixed is needed whole.
func reshaped(from, to []int64, dims, of []bound) {
	if len(dims) != len(from) {
		return
	}
	for i, j := 0, 0; i < len(from) && j < len(to); {
		i0, j0, m, n := i, j, from[i], to[j]
		for i, j = i+1, j+1; m != n; {
			switch {
			case m < n && i < len(from):
				m, i = m*from[i], i+1
			case m > n && j < len(to):
				n, j = n*to[j], j+1
			default:
				return
			}
		}
		for i < len(from) && from[i] == 1 {
			i++
		}
		for j < len(to) && to[j] == 1 {
			j++
		}
		switch froms, tos := wide(from, i0, i), wide(to, j0, j); {
		case !slices.ContainsFunc(froms, func(d int) bool { return !dims[d].whole() }):
			for _, d := range tos {
				of[d] = wholly
			}
		case len(tos) == 1:
			p := bound{per: 1}
			for _, d := range froms {
				if dims[d].of == nil {
					p = bound{}
					break
				}
				p.of, p.per = append(p.of, dims[d].of...), p.per*dims[d].per
			}
			of[tos[0]] = p
		case len(froms) == 1:
			p := dims[froms[0]]
			for _, d := range slices.Backward(tos) {
				of[d] = p
				p.per *= to[d]
			}
		}
	}
}

// wide returns the dimensions from i up to j of more than one element.
func wide(sizes []int64, i, j int) (list []int) {
	for ; i < j; i++ {
		if sizes[i] > 1 {
			list = append(list, i)
		}
	}
	return list
}
