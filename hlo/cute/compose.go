package cute

// Composition returns R with R(c) = a(b(c)) for every coordinate c of b; b's shape is compatible with R's. Where b
// reaches beyond the size of a, a's last leaf goes on without end. The leaves of b are followed through a one by one
// and their indices added, which is right exactly if no sum of digits overflows a leaf of a; that is checked.
// Errors: ErrStrideDivisibility, ErrShapeDivisibility, ErrCarry, ErrMixedSign, ErrOverflow, ErrLimit.
func Composition(a, b Layout) (Layout, error) {
	f, err := merge(a.flat(nil), true)
	if err != nil {
		return Layout{}, err
	}
	if len(f) > 1 && mixedSigns(b) {
		return Layout{}, fail(ErrMixedSign, "%s has strides of both signs and %s several leaves", b.brief(), a.brief())
	}
	c := composer{f: f, load: make([]int64, len(f))}
	r, err := c.layout(b)
	if err != nil {
		return Layout{}, err
	}
	for k, x := range f[:len(f)-1] {
		if c.load[k] >= x.s {
			return Layout{}, fail(ErrCarry, "%s takes digit %d of leaf %d:%d of %s, so the sum carries", b.brief(),
				c.load[k], x.s, x.d, a.brief())
		}
	}
	return r.limited()
}

func mixedSigns(l Layout) bool {
	pos, neg := false, false
	l.Leaves(func(s, d int64) {
		pos = pos || s > 1 && d > 0
		neg = neg || s > 1 && d < 0
	})
	return pos && neg
}

type composer struct {
	f       []leaf  // of the left side, the last one unbounded
	load    []int64 // the largest digit each of them is asked for so far
	emitted int
}

func (c *composer) layout(b Layout) (Layout, error) {
	if b.modes == nil {
		leaves, err := c.leaf(b.s, b.d)
		if err != nil {
			return Layout{}, err
		}
		return fromLeaves(leaves), nil
	}
	modes := make([]Layout, len(b.modes))
	for i, m := range b.modes {
		var err error
		if modes[i], err = c.layout(m); err != nil {
			return Layout{}, err
		}
	}
	return listLayout(modes), nil
}

// leaf follows one leaf s:d of the right side: first its stride uses up whole leaves, then its extent.
func (c *composer) leaf(s, d int64) ([]leaf, error) {
	if s == 1 || d == 0 {
		return []leaf{{s, 0}}, nil
	}
	rd, ok := abs(d)
	if !ok {
		return nil, fail(ErrOverflow, "stride %d has no absolute value", d)
	}
	sign, rs := d/rd, s
	var out []leaf
	for k, x := range c.f {
		last := k == len(c.f)-1
		if !last && rd%x.s == 0 {
			rd /= x.s
			continue
		}
		top, fits := Mul(rs-1, rd) // the largest digit wanted of this leaf
		if last || fits && top < x.s {
			if !fits && last {
				return nil, fail(ErrOverflow, "leaf %d:%d reaches beyond int64", s, d)
			}
			return out, c.emit(&out, k, rs, rd, top, sign)
		}
		if x.s%rd != 0 {
			return nil, fail(ErrStrideDivisibility, "leaf %d:%d steps by %d over leaf %d:%d; one must divide the other",
				s, d, rd, x.s, x.d)
		}
		n := x.s / rd
		if rs%n != 0 {
			return nil, fail(ErrShapeDivisibility, "leaf %d:%d has %d left to cover the %d positions of leaf %d:%d; "+
				"they must divide it", s, d, rs, n, x.s, x.d)
		}
		if err := c.emit(&out, k, n, rd, (n-1)*rd, sign); err != nil {
			return nil, err
		}
		if rs /= n; rs == 1 {
			return out, nil
		}
		rd = 1
	}
	return out, nil
}

func (c *composer) emit(out *[]leaf, k int, n, rd, top, sign int64) error {
	step, ok := Mul(sign*rd, c.f[k].d)
	if !ok {
		return fail(ErrOverflow, "a stride of the composition does not fit int64")
	}
	*out = append(*out, leaf{n, step})
	if c.emitted++; c.emitted > MaxLeaves {
		return limited(c.emitted, 0)
	}
	if c.load[k], ok = Add(c.load[k], top); !ok {
		c.load[k] = 1<<63 - 1 // at least every extent: a carry, unless the leaf is the endless one
	}
	return nil
}

// Compose composes l with a tiler: a list acts mode by mode and drops the modes it does not name, `_` keeps a mode.
// Errors as Composition, and ErrRank for more entries than modes.
func Compose(l Layout, t Tiler) (Layout, error) {
	return byMode(l, t, func(l, t Layout) (Layout, error) { return Composition(l, t) }, false)
}

// byMode applies op where the tiler's leaves meet the layout's modes. Modes beyond the tiler's list are kept or
// dropped.
func byMode(l Layout, t Tiler, op func(l, t Layout) (Layout, error), keep bool) (Layout, error) {
	r, err := byModeRaw(l, t, op, keep)
	if err != nil {
		return Layout{}, err
	}
	return r.result()
}

func byModeRaw(l Layout, t Tiler, op func(l, t Layout) (Layout, error), keep bool) (Layout, error) {
	switch {
	case t.keep:
		return l, nil
	case t.list == nil:
		return op(l, t.layout)
	}
	if err := t.fits(l); err != nil {
		return Layout{}, err
	}
	modes := make([]Layout, 0, l.Rank())
	for i, sub := range t.list {
		m, err := byModeRaw(l.Mode(i), sub, op, keep)
		if err != nil {
			return Layout{}, err
		}
		modes = append(modes, m)
	}
	if keep {
		modes = append(modes, l.list()[len(t.list):]...)
	}
	return listLayout(modes), nil
}
