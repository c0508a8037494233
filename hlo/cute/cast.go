package cute

// Upcast returns the layout of an array whose elements are taken n at a time: index i becomes i/n. A leaf of stride d
// keeps its extent where n divides d and is shortened where |d| divides n. Errors: ErrStrideDivisibility,
// ErrShapeDivisibility, ErrExtent for n < 1.
func Upcast(l Layout, n int64) (Layout, error) {
	r, err := upcast(l, n)
	if err != nil {
		return Layout{}, err
	}
	return r.result()
}

// upcast leaves the strides of new extents 1 alone: Recast's second half reads them.
func upcast(l Layout, n int64) (Layout, error) {
	return eachLeaf(l, n, func(s, d int64) (Layout, error) {
		if d == 0 || s == 1 {
			return leafLayout(s, 0), nil
		}
		if d%n == 0 {
			return leafLayout(s, d/n), nil
		}
		step, ok := abs(d)
		if !ok || n%step != 0 {
			return Layout{}, fail(ErrStrideDivisibility, "stride %d of leaf %d:%d and %d do not divide each other", d,
				s, d, n)
		}
		if k := n / step; s%k == 0 {
			return leafLayout(s/k, d/step), nil
		}
		return Layout{}, fail(ErrShapeDivisibility, "leaf %d:%d does not split into groups of %d", s, d, n/step)
	})
}

// Downcast returns the layout of an array whose elements are cut into n: index i becomes n*i and those after it.
// Errors: ErrNoUnitStride when no stride is 1 or -1, ErrOverflow, ErrExtent for n < 1.
func Downcast(l Layout, n int64) (Layout, error) {
	unit := false
	r, err := eachLeaf(l, n, func(s, d int64) (Layout, error) {
		to, by := &d, n
		if d == 1 || d == -1 {
			to, unit = &s, true
		}
		var ok bool
		if *to, ok = Mul(*to, by); !ok {
			return Layout{}, fail(ErrOverflow, "%s cut into %d does not fit int64", l.brief(), n)
		}
		return leafLayout(s, d), nil
	})
	if err != nil {
		return Layout{}, err
	}
	if !unit {
		return Layout{}, fail(ErrNoUnitStride, "no stride of %s is 1 or -1, so its elements cannot be cut", l.brief())
	}
	return r.result()
}

// Recast returns the layout for elements of newBits instead of oldBits: Upcast by newBits/g, then Downcast by
// oldBits/g, g their greatest common divisor; a factor of 1 does nothing. Errors as both.
func Recast(l Layout, oldBits, newBits int64) (Layout, error) {
	if oldBits < 1 || newBits < 1 {
		return Layout{}, fail(ErrExtent, "elements of %d and %d bits; a width is at least 1", oldBits, newBits)
	}
	g := gcd(oldBits, newBits)
	if newBits > g {
		var err error
		if l, err = upcast(l, newBits/g); err != nil {
			return Layout{}, err
		}
	}
	if oldBits > g {
		return Downcast(l, oldBits/g)
	}
	return l.result()
}

func eachLeaf(l Layout, n int64, f func(s, d int64) (Layout, error)) (Layout, error) {
	if n < 1 {
		return Layout{}, fail(ErrExtent, "a factor of %d; it is at least 1", n)
	}
	if l.modes == nil {
		return f(l.s, l.d)
	}
	modes := make([]Layout, len(l.modes))
	for i, m := range l.modes {
		var err error
		if modes[i], err = eachLeaf(m, n, f); err != nil {
			return Layout{}, err
		}
	}
	return listLayout(modes), nil
}
