package verify

import (
	"slices"

	"hlolayout/hlo"
)

// shapeFacts is what the rules ask of a shape again and again.
type shapeFacts struct {
	layout    error // what is wrong with its layouts, nil if nothing is
	buffers   bool  // it is or holds a buffer
	unbounded bool  // it has a dimension without a bound
}

// shape returns the facts of a shape; each interned shape is examined once.
func (c *checker) shape(s *hlo.Shape) shapeFacts {
	f, known := c.shapes[s]
	if !known && s != nil {
		f = shapeFacts{layoutError(s), hasBuffer(s), unbounded(s)}
		c.shapes[s] = f
	}
	return f
}

// layoutError says what is wrong with the layouts in a shape, nil if nothing is (XLA's ValidateLayoutForShape, and the
// values that XLA's Layout cannot hold).
func layoutError(s *hlo.Shape) error {
	for _, e := range s.Elems {
		if err := layoutError(e); err != nil {
			return err
		}
	}
	for i, d := range s.Dims {
		if d < 0 && d != hlo.Unbounded {
			return fail(VER301, "dimension %d of %s has size %d", i, bare(s), d)
		}
	}
	l := s.Layout
	if l == nil {
		return nil
	}
	if len(l.MinorToMajor) != s.Rank() {
		return fail(VER301, "the layout of %s lists %s, but the shape has %d", s,
			plural(len(l.MinorToMajor), "dimension"), s.Rank())
	}
	if !hlo.IsPermutation(l.MinorToMajor) {
		return fail(VER301, "the layout of %s is not a permutation of its dimensions", s)
	}
	for _, t := range l.Tiles {
		if len(t) == 0 {
			return fail(VER302, "the layout of %s has a tile without sizes", s)
		}
		for _, n := range t {
			if n < 1 && n != hlo.Combined {
				return fail(VER302, "the layout of %s has a tile with the size %d", s, n)
			}
		}
	}
	switch {
	case l.TailPadding < 0 || l.ElementBits < 0 || l.MemorySpace < 0 || l.MetadataPrefix < 0:
		return fail(VER302, "the layout of %s has a negative property", s)
	case l.Physical != nil:
		return fail(VER302, "the layout of %s has a physical shape, which only sparse arrays had", s)
	case l.IndexType != hlo.DTypeInvalid || l.PointerType != hlo.DTypeInvalid:
		return fail(VER302, "the layout of %s has an index or pointer type, which only sparse arrays had", s)
	}
	var cut []int64
	for _, split := range l.Splits {
		if split.Dim < 0 || split.Dim >= int64(s.Rank()) || slices.Contains(cut, split.Dim) {
			return fail(VER302, "the layout of %s splits dimension %d, which it does not have or has split before", s,
				split.Dim)
		}
		cut = append(cut, split.Dim)
		for i, n := range split.Indices {
			if n < 0 || n > s.Dims[split.Dim] && s.Dims[split.Dim] >= 0 || i > 0 && n <= split.Indices[i-1] {
				return fail(VER302, "the layout of %s splits dimension %d at %d; the indices must ascend within its "+
					"size", s, split.Dim, n)
			}
		}
	}
	return nil
}
