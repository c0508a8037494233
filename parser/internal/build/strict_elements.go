package build

import (
	"math"
	"slices"

	"hlolayout/hlo"
)

// checkElements refuses elements of a tuple that are not valid arrays: XLA validates those when it makes the tuple, and
// not other arrays.
func (b *Builder) checkElements(elems []*hlo.Shape, at uint32) {
	if !b.opts.Strict {
		return
	}
	for _, e := range elems {
		if !e.IsArray() {
			continue
		}
		if !countable(e) {
			b.fail(at, CodeDimension, "the size of "+e.String()+" in bytes does not fit in 64 bits", "")
		}
		if e.Layout == nil {
			continue
		}
		for _, check := range elementChecks {
			if check.fails(e.Layout, e.Dims) {
				b.fail(at, CodeLayout, "the layout of "+e.String()+" "+check.fault, "")
			}
		}
	}
}

// countable reports whether the bytes of an array fit in 64 bits where its dimensions are multiplied from the left, as
// XLA multiplies them: a dimension of size 0 helps only those after it.
func countable(s *hlo.Shape) bool {
	size := int64(1)
	for _, d := range append(slices.Clone(s.Dims), int64(s.DType.Bits()+7)/8) {
		if d > 0 && size > math.MaxInt64/d {
			return false
		}
		if d >= 0 { // not of unbounded size
			size *= d
		}
	}
	return true
}

// elementChecks are what XLA refuses in the layout of an element of a tuple.
var elementChecks = []struct {
	fault string
	fails func(l *hlo.Layout, dims []int64) bool
}{
	{"does not name each dimension once", func(l *hlo.Layout, _ []int64) bool {
		return !hlo.IsPermutation(l.MinorToMajor)
	}},
	{"has a tile without sizes, or of size 0", func(l *hlo.Layout, _ []int64) bool {
		return slices.ContainsFunc(l.Tiles, func(tile hlo.Tile) bool {
			return len(tile) == 0 || slices.Contains(tile, 0)
		})
	}},
	{"has index or pointer types, and the array is dense", func(l *hlo.Layout, _ []int64) bool {
		return l.IndexType != hlo.DTypeInvalid || l.PointerType != hlo.DTypeInvalid
	}},
	{"cuts a dimension twice, or at indices that do not ascend inside of it", func(l *hlo.Layout, dims []int64) bool {
		cut := map[int64]bool{}
		for _, s := range l.Splits {
			if cut[s.Dim] || s.Dim < 0 || s.Dim >= int64(len(dims)) {
				return true
			}
			cut[s.Dim] = true
			last := int64(0)
			for _, i := range s.Indices {
				if i <= last || i >= dims[s.Dim] {
					return true
				}
				last = i
			}
		}
		return false
	}},
}
