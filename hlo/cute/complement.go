package cute

import "cmp"

// Complement returns the layout that fills the gaps of l and repeats it up to cotarget indices: its indices ascend, and
// sums of an index of l and one of it are all distinct. exact says that every division was exact, so that the sums are
// all of [0, n) without holes, n the larger of cotarget and the last period of l. Errors: ErrNotInjective
// for overlapping leaves or negative strides, ErrExtent for a cotarget below 1, ErrOverflow.
func Complement(l Layout, cotarget int64) (r Layout, exact bool, err error) {
	if cotarget < 1 {
		return Layout{}, false, fail(ErrExtent, "cotarget %d; it is at least 1", cotarget)
	}
	cur, exact := int64(1), true
	var out []leaf
	for _, x := range moving(l.flat(nil)) {
		if x.d < cur {
			return Layout{}, false, fail(ErrNotInjective, "leaf %d:%d of %s overlaps the %d indices below it", x.s, x.d,
				l.brief(), cur)
		}
		out = append(out, leaf{x.d / cur, cur})
		exact = exact && x.d%cur == 0
		var ok bool
		if cur, ok = Mul(x.s, x.d); !ok {
			return Layout{}, false, fail(ErrOverflow, "the period of leaf %d:%d does not fit int64", x.s, x.d)
		}
	}
	out = append(out, leaf{ceilDiv(cotarget, cur), cur})
	if out, err = merge(out, false); err != nil {
		return Layout{}, false, err
	}
	return fromLeaves(out), exact && (cotarget%cur == 0 || cotarget < cur), nil
}

// moving returns the leaves with more than one index in ascending order of stride, then of extent.
func moving(leaves []leaf) []leaf {
	perm := sorted(len(leaves), func(a, b int) int {
		return cmp.Or(cmp.Compare(leaves[a].d, leaves[b].d), cmp.Compare(leaves[a].s, leaves[b].s))
	})
	var out []leaf
	for _, i := range perm {
		if x := leaves[i]; x.s > 1 && x.d != 0 {
			out = append(out, x)
		}
	}
	return out
}
