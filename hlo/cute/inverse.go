package cute

import (
	"cmp"
	"slices"
)

// place is a coalesced leaf with the 1-D coordinate step that moves along it.
type place struct {
	leaf
	p int64
}

// places coalesces l and gives each leaf its running product; sorted by stride as each inverse wants it.
func places(l Layout, order func(a, b place) int) ([]place, error) {
	leaves, err := merge(l.flat(nil), false)
	if err != nil {
		return nil, err
	}
	out := make([]place, len(leaves))
	p, ok := int64(1), true
	for i, x := range leaves {
		if !ok {
			return nil, fail(ErrOverflow, "the size of %s does not fit int64", l.brief())
		}
		out[i] = place{x, p}
		p, ok = Mul(p, x.s)
	}
	if !ok {
		return nil, fail(ErrOverflow, "the size of %s does not fit int64", l.brief())
	}
	slices.SortStableFunc(out, order)
	return out, nil
}

// RightInverse returns the largest layout R with l(R(i)) = i for every i below its size. It has the size of l exactly
// if l is a bijection onto [0, size) without negative strides. ErrOverflow when the size of l does not
// fit.
func RightInverse(l Layout) (Layout, error) {
	all, err := places(l, func(a, b place) int {
		return cmp.Or(cmp.Compare(a.d, b.d), cmp.Compare(b.s, a.s), cmp.Compare(a.p, b.p))
	})
	if err != nil {
		return Layout{}, err
	}
	var out []leaf
	cur := int64(1)
	for _, x := range all {
		if x.s > 1 && x.d == cur {
			out = append(out, leaf{x.s, x.p})
			var ok bool
			if cur, ok = Mul(x.s, x.d); !ok {
				return Layout{}, fail(ErrOverflow, "the indices of %s do not fit int64", l.brief())
			}
		}
	}
	if out, err = merge(out, false); err != nil {
		return Layout{}, err
	}
	return fromLeaves(out), nil
}

// LeftInverse returns R with R(l(i)) = i for every i below the size of an injective l; always l(R(l(i))) = l(i).
// Errors: ErrNegativeStride, ErrNotInjective, ErrStrideDivisibility where a stride does not divide the next,
// ErrOverflow.
func LeftInverse(l Layout) (Layout, error) {
	all, err := places(l, func(a, b place) int { return cmp.Compare(a.d, b.d) })
	if err != nil {
		return Layout{}, err
	}
	all = slices.DeleteFunc(all, func(x place) bool { return x.s == 1 || x.d == 0 })
	var out []leaf
	last, step := place{leaf: leaf{1, 1}}, int64(0)
	for _, x := range all {
		reach, ok := Mul(last.s, last.d)
		switch {
		case x.d < 0:
			return Layout{}, fail(ErrNegativeStride, "leaf %d:%d of %s has a negative stride", x.s, x.d, l.brief())
		case !ok || x.d < reach:
			return Layout{}, fail(ErrNotInjective, "leaves %d:%d and %d:%d of %s overlap", last.s, last.d, x.s, x.d,
				l.brief())
		case x.d%last.d != 0:
			return Layout{}, fail(ErrStrideDivisibility, "stride %d of %s does not divide stride %d", last.d, l.brief(),
				x.d)
		}
		out = append(out, leaf{x.d / last.d, step})
		last, step = x, x.p
	}
	if len(all) > 0 {
		out = append(out, leaf{last.s, step})
	}
	if out, err = merge(out, false); err != nil {
		return Layout{}, err
	}
	return fromLeaves(out), nil
}

// MaxCommonVector returns how many consecutive indices from 0 on have the same coordinates in both layouts, as far as
// one leaf tells: the number of elements that can be copied in one step. Errors as Composition.
func MaxCommonVector(a, b Layout) (int64, error) {
	inv, err := RightInverse(b)
	if err != nil {
		return 0, err
	}
	common, err := Composition(a, inv)
	if err != nil {
		return 0, err
	}
	if common, err = Coalesce(common); err != nil {
		return 0, err
	}
	if first := common.list()[0]; first.d == 1 {
		return first.s, nil
	}
	return 1, nil
}

// MaxCommonLayout returns the layout R of that size with a(R(i)) = b(R(i)) = i; 1:0 where nothing is common.
func MaxCommonLayout(a, b Layout) (Layout, error) {
	n, err := MaxCommonVector(a, b)
	if err != nil {
		return Layout{}, err
	}
	if n == 1 {
		return unit, nil
	}
	inv, err := RightInverse(b)
	if err != nil {
		return Layout{}, err
	}
	r, err := Composition(inv, leafLayout(n, 1))
	if err != nil {
		return Layout{}, err
	}
	return r.result()
}

// Nullspace returns the layout of all 1-D coordinates that l maps to 0 through strides of 0; 1:0 where there is no such
// leaf. ErrOverflow when the size of l does not fit.
func Nullspace(l Layout) (Layout, error) {
	var out []leaf
	p, ok := int64(1), true
	for _, x := range l.flat(nil) {
		if x.d == 0 {
			out = append(out, leaf{x.s, p})
		}
		if p, ok = Mul(p, x.s); !ok {
			return Layout{}, fail(ErrOverflow, "the size of %s does not fit int64", l.brief())
		}
	}
	return fromLeaves(out).result()
}
