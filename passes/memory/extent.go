package memory

import (
	"strings"

	"hlolayout/hlo"
)

// window returns the elements that windows take of an array, by dimension.
func (w *windows) window(k int, e *extents) []int64 {
	s := w.arrays[k]
	dims := make([]int64, len(s.Dims))
	minor, second := tileSizes(s)
	at0, at1 := minorDims(s)
	for d, size := range s.Dims {
		n := size
		switch l := w.labels[k][d]; {
		case l == 'b' || l == 'i' || l == 'o':
			n = *e.of(l)
		case int(l-'0') < w.v.spatial:
			n = w.positions(k, int(l-'0'), size, e)
		}
		switch {
		case n > 0:
		case d == at0:
			n = minor
		case d == at1:
			n = second
		default:
			n = 1
		}
		dims[d] = min(n, size)
	}
	return dims
}

// positions returns what windows take of a spatial dimension of an array.
func (w *windows) positions(k, i int, size int64, e *extents) int64 {
	switch {
	case k == leftOf:
		return w.reached(i, size, e)
	case k == resultOf:
		return e.space[i]
	case w.v.batch(i) || w.v.spreads(i):
		return min(e.space[i], e.reach[i])
	}
	return e.reach[i]
}

// reached returns the positions of the first operand, of so many, that a window of the result takes, however far they
// are apart: those for a window of the second operand, and those for the next.
func (w *windows) reached(i int, inputs int64, e *extents) int64 {
	_, outputs := w.v.at(i)
	n := min(e.space[i], outputs)
	if !w.v.batch(i) {
		n += min(e.reach[i], w.v.sizes[i]) - 1 + e.next[i]
	}
	return min(inputs, n)
}

// minorFirst returns the spatial dimensions, the minor one of the result first.
func (v *convolution) minorFirst() (list []int) {
	if l := v.y.Layout; l != nil {
		for _, d := range l.MinorToMajor {
			if i := int(v.out[d] - '0'); i < v.spatial {
				list = append(list, i)
			}
		}
	}
	return list
}

// dimension returns the dimension of an array that is the batch b, the inputs i or the outputs o; -1 if none is.
func (w *windows) dimension(k int, label byte) int { return strings.IndexByte(w.labels[k], label) }

// size returns the largest size of the dimensions with a label.
func (w *windows) size(label byte) int64 {
	n := int64(1)
	for k, s := range w.arrays {
		if d := w.dimension(k, label); d >= 0 {
			n = max(n, s.Dims[d])
		}
	}
	return n
}

// tiles returns how many tiles so many elements of each dimension of an array take, and whether they are all; of a
// single number none.
func tiles(s *hlo.Shape, dims []int64) (n float64, whole bool) {
	if len(dims) == 0 {
		return 0, true
	}
	n, whole = 1, true
	minor, second := tileSizes(s)
	at0, at1 := minorDims(s)
	for d, elements := range dims {
		unit := int64(1)
		switch d {
		case at0:
			unit = minor
		case at1:
			unit = second
		}
		n *= count(elements, unit)
		whole = whole && elements == s.Dims[d]
	}
	return n, whole
}

// minorDims returns the minor and the second-minor dimension of an array, -1 where there is none.
func minorDims(s *hlo.Shape) (minor, second int) {
	minor, second = none, none
	if l := s.Layout; l != nil && len(l.MinorToMajor) == len(s.Dims) {
		if len(s.Dims) > 0 {
			minor = l.MinorToMajor[0]
		}
		if len(s.Dims) > 1 {
			second = l.MinorToMajor[1]
		}
	}
	return minor, second
}

// tileSizes returns the sizes of a tile of an array along the minor and the second-minor dimension, of packed rows
// those of one register. What a fusion makes without tiles takes registers as if it had them.
func tileSizes(s *hlo.Shape) (minor, second int64) {
	if s.Layout == nil || len(s.Layout.Tiles) == 0 {
		return lanes, oneTile
	}
	switch t := s.Layout.Tiles[0]; len(t) {
	case 0:
		return 1, 1
	case 1:
		return max(1, t[0]), 1
	default:
		return max(1, t[len(t)-1]), max(1, min(t[len(t)-2], oneTile))
	}
}
