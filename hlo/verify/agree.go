package verify

import (
	"slices"

	"hlolayout/hlo"
)

// agreement compares the two ends of a value: what is passed and what is taken. XLA compares layouts too once they
// are assigned (its option layout_sensitive), which a text shows by its schedule.
type agreement func(a, b *hlo.Shape) bool

// agreementIn returns the comparison for values in comp: identical in a scheduled module, compatible in any other.
func agreementIn(comp *hlo.Computation) agreement {
	if comp != nil && comp.Module != nil && comp.Module.IsScheduled() {
		return identical
	}
	return compatible
}

// identical compares everything: sizes, element types, which dimensions are dynamic, layouts.
func identical(a, b *hlo.Shape) bool {
	return alike(a, b, func(x, y *hlo.Layout) bool { return x.Equal(y) })
}

// sameOrder is identical, but of the layouts only the order and the bits of an element count: entry_computation_layout
// lacks tiles, and a dynamic-update-slice in a fusion has those of its surroundings.
func sameOrder(a, b *hlo.Shape) bool {
	return alike(a, b, func(x, y *hlo.Layout) bool {
		return slices.Equal(x.MinorToMajor, y.MinorToMajor) && x.ElementBits == y.ElementBits
	})
}

// sameMinorToMajor is identical, but of the layouts only the order counts.
func sameMinorToMajor(a, b *hlo.Shape) bool {
	return alike(a, b, func(x, y *hlo.Layout) bool { return slices.Equal(x.MinorToMajor, y.MinorToMajor) })
}

func alike(a, b *hlo.Shape, layouts func(x, y *hlo.Layout) bool) bool {
	if a == b {
		return true
	}
	if !compatible(a, b) {
		return false
	}
	if a.Kind == hlo.ArrayShape && a.Rank() > 0 && !layouts(layoutOf(a), layoutOf(b)) {
		return false
	}
	for i := range a.Dims {
		if dynamic(a, i) != dynamic(b, i) {
			return false
		}
	}
	for i := range a.Elems {
		if !alike(a.Elems[i], b.Elems[i], layouts) {
			return false
		}
	}
	return true
}

// layoutOf returns the layout of an array, the descending one where none is written.
func layoutOf(s *hlo.Shape) *hlo.Layout {
	if s.Layout == nil {
		return hlo.DescendingLayout(s.Rank())
	}
	return s.Layout
}

// texts returns two shapes that do not agree, for a message: without layouts if that shows the difference.
func texts(a, b *hlo.Shape) (string, string) {
	if a != nil && b != nil && compatible(a, b) {
		return a.String(), b.String()
	}
	return bare(a), bare(b)
}

// unlike returns the code of an error about two shapes that do not agree: VER304 where only their layouts differ.
func unlike(code string, a, b *hlo.Shape) string {
	if a != nil && b != nil && compatible(a, b) {
		return VER304
	}
	return code
}
