package tiled

import (
	"cmp"
	"slices"

	"hlolayout/hlo/cute"
)

// Move is a copy from one layout to another as nested loops.
type Move struct {
	// Map takes an offset of the source to the offset of the target. Its leaves are the loops of a DMA descriptor,
	// innermost first: extents are counts, strides are steps in the target; the source runs through without a gap.
	Map cute.Layout
	// Vector is how many elements are consecutive in both: the innermost loop if its step is 1, else 1.
	Vector int64
}

// Relayout returns the copy from a to b, which have the same logical dimensions and are both unpadded or padded alike;
// padding is copied along. Errors: ErrShape, ErrNoLayout where a map is not a layout, ErrUndecided where
// the paddings differ: Runs counts there.
func Relayout(a, b *Array) (Move, error) {
	if !slices.Equal(a.dims, b.dims) || a.bits != b.bits {
		return Move{}, fail(ErrShape, "%s and %s differ in more than their layout", a, b)
	}
	var layouts [2]cute.Layout
	for i, x := range []*Array{a, b} {
		var err error
		if layouts[i], err = x.Layout(); err != nil {
			return Move{}, err
		}
		if n, err := layouts[i].Size(); err != nil || n != x.total {
			return Move{}, fail(ErrUndecided, "%s has holes between its elements", x)
		}
	}
	for d := range a.modes {
		if a.modes[d].extent() != b.modes[d].extent() {
			return Move{}, fail(ErrUndecided, "%s and %s pad dimension %d differently", a, b, d)
		}
	}
	inverse, err := cute.RightInverse(layouts[0])
	if err != nil {
		return Move{}, err
	}
	m, err := cute.Composition(layouts[1], inverse)
	if err != nil {
		return Move{}, err
	}
	if m, err = cute.Coalesce(m); err != nil {
		return Move{}, err
	}
	move := Move{m, 1}
	if extent, stride := m.Mode(0).Leaf(); stride == 1 {
		move.Vector = extent
	}
	return move, nil
}

// extent returns the padded extent of a mode.
func (m mode) extent() int64 {
	n := int64(1)
	for _, d := range m {
		n *= d.extent
	}
	return n
}

// RunCount counts the contiguous runs of a copy. A run is a longest sequence of logical elements whose addresses step
// by one in both arrays; lengths are in elements.
type RunCount struct{ Runs, Longest, Shortest int64 }

// Runs counts the runs of the copy from a to b over the logical elements in the order of their addresses in a; both
// have the same elements in row-major order, so b may be a reshape. It is exact. Two unpadded arrays of
// the same dimensions are counted from their layouts; others element by element, in 16 bytes of memory each, up to
// limit elements: ErrLimit beyond. Other errors: ErrShape.
func Runs(a, b *Array, limit int64) (RunCount, error) {
	if a.elements != b.elements {
		return RunCount{}, fail(ErrShape, "%s and %s have different numbers of elements", a, b)
	}
	if a.elements == 0 {
		return RunCount{}, nil
	}
	if a.total == a.elements && b.total == b.elements && slices.Equal(a.dims, b.dims) && a.bits == b.bits {
		if move, err := Relayout(a, b); err == nil {
			return loopRuns(move.Map), nil
		}
	}
	if a.elements > limit {
		return RunCount{}, fail(ErrLimit, "%s has %d elements; the limit to count runs one by one is %d", a, a.elements,
			limit)
	}
	type pair struct{ a, b int64 }
	all := make([]pair, a.elements)
	i, j := make([]int64, len(a.dims)), make([]int64, len(b.dims))
	for k := range all {
		all[k] = pair{a.at(i), b.at(j)}
		next(i, a.dims)
		next(j, b.dims)
	}
	slices.SortFunc(all, func(x, y pair) int { return cmp.Compare(x.a, y.a) })
	r := RunCount{Shortest: a.elements}
	start := 0
	for k := 1; k <= len(all); k++ {
		if k < len(all) && all[k].a == all[k-1].a+1 && all[k].b == all[k-1].b+1 {
			continue
		}
		n := int64(k - start)
		r.Runs, r.Longest, r.Shortest = r.Runs+1, max(r.Longest, n), min(r.Shortest, n)
		start = k
	}
	return r, nil
}

// loopRuns counts the runs of nested loops: each loop repeats the sequence of runs of the loops inside it, and where
// the target steps by one from one repetition to the next, the last run of the one goes on in the first of the other.
func loopRuns(m cute.Layout) RunCount {
	runs, first, last := int64(1), int64(1), int64(1)
	longest, shortest := int64(0), int64(1<<63-1) // of the runs between the first and the last
	between := func(n int64) { longest, shortest = max(longest, n), min(shortest, n) }
	reach := int64(0) // how far the loops inside get
	m.Leaves(func(extent, stride int64) {
		if extent == 1 {
			return
		}
		switch joins := stride-reach == 1; {
		case joins && runs == 1:
			first *= extent
			last = first
		case joins:
			between(last + first)
			runs = extent*(runs-1) + 1
		default:
			if runs > 1 || extent > 2 {
				between(last)
				between(first)
			}
			runs *= extent
		}
		reach += (extent - 1) * stride
	})
	if longest == 0 {
		return RunCount{runs, max(first, last), min(first, last)}
	}
	return RunCount{runs, max(first, last, longest), min(first, last, shortest)}
}
