package cute

import "math"

// Coalesce returns the shortest flat layout with the same size and the same index for every 1-D coordinate below the
// size: leaves of extent 1 go, s0:d0,s1:d1 merge where d1 = s0*d0. The result is canonical: two layouts of one size are
// the same function exactly if their coalesced forms are equal. ErrOverflow when the size does not fit.
func Coalesce(l Layout) (Layout, error) {
	leaves, err := merge(l.flat(nil), false)
	if err != nil {
		return Layout{}, err
	}
	return fromLeaves(leaves), nil
}

// merge coalesces leaves in place. With endless, the last leaf counts as unbounded: it stays even with extent 1, and
// its extent may saturate.
func merge(in []leaf, endless bool) ([]leaf, error) {
	out := in[:0]
	for i, x := range in {
		last := endless && i == len(in)-1
		if x.s == 1 && !last {
			continue
		}
		if k := len(out) - 1; k >= 0 {
			if next, ok := Mul(out[k].s, out[k].d); ok && next == x.d {
				n, ok := Mul(out[k].s, x.s)
				if !ok && !last {
					return nil, fail(ErrOverflow, "%d:%d followed by %d:%d has a size that does not fit int64",
						out[k].s, out[k].d, x.s, x.d)
				}
				if !ok {
					n = math.MaxInt64
				}
				out[k].s = n
				continue
			}
		}
		out = append(out, x)
	}
	return out, nil
}

// CoalesceBy coalesces at the integers of profile: each stands for a part of l that becomes flat. Modes that profile
// does not name are kept. Errors: ErrRank when profile has more entries than l, ErrOverflow.
func CoalesceBy(l Layout, profile IntTuple) (Layout, error) {
	r, err := coalesceBy(l, profile)
	if err != nil {
		return Layout{}, err
	}
	return r.result()
}

func coalesceBy(l Layout, profile IntTuple) (Layout, error) {
	if profile.list == nil {
		return Coalesce(l)
	}
	if profile.Rank() > l.Rank() {
		return Layout{}, fail(ErrRank, "profile %s has more entries than %s", profile.brief(), l.brief())
	}
	modes := make([]Layout, l.Rank())
	copy(modes, l.list())
	for i, p := range profile.list {
		var err error
		if modes[i], err = coalesceBy(modes[i], p); err != nil {
			return Layout{}, err
		}
	}
	return listLayout(modes), nil
}

// Equivalent reports whether two layouts have one size and are the same function on 1-D coordinates. ErrOverflow when a
// size does not fit int64.
func Equivalent(a, b Layout) (bool, error) {
	ca, err := Coalesce(a)
	if err != nil {
		return false, err
	}
	cb, err := Coalesce(b)
	if err != nil {
		return false, err
	}
	return ca.Equal(cb), nil
}

// FilterZeros returns l with extent 1 wherever the stride is 0, nesting kept.
func FilterZeros(l Layout) Layout {
	out := l.Normal()
	for _, x := range out.leafPointers(nil) {
		if x.d == 0 {
			x.s = 1
		}
	}
	return out
}

// Filter returns Coalesce(FilterZeros(l)): the leaves that move. ErrOverflow when their size does not fit.
func Filter(l Layout) (Layout, error) { return Coalesce(FilterZeros(l)) }
