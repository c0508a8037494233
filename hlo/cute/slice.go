package cute

// Slice returns the part of l that faces the underscores of coord, lifted into one list, and the offset of the rest,
// every underscore counted as 0. `_` alone gives l itself; without any underscore kept is the zero Layout. For every x,
// kept(x) + offset = l(coord with the underscores filled by x). Errors: ErrRank, ErrOverflow.
func Slice(coord IntTuple, l Layout) (kept Layout, offset int64, err error) {
	if coord.under {
		return l, 0, nil
	}
	modes, err := facing(coord, l, true, nil)
	if err != nil {
		return Layout{}, 0, err
	}
	if offset, err = l.Apply(coord.filled()); err != nil {
		return Layout{}, 0, err
	}
	if modes == nil {
		return Layout{}, offset, nil
	}
	return listLayout(modes), offset, nil
}

// Dice returns the part of l that faces the integers of coord, lifted into one list; an integer alone gives l itself.
// Errors: ErrRank, ErrEmpty when nothing is left.
func Dice(coord IntTuple, l Layout) (Layout, error) {
	if coord.IsInt() {
		return l, nil
	}
	modes, err := facing(coord, l, false, nil)
	if err != nil {
		return Layout{}, err
	}
	return Concat(modes...)
}

// facing appends the parts of l that face an underscore (under) or an integer (!under).
func facing(c IntTuple, l Layout, under bool, dst []Layout) ([]Layout, error) {
	if c.list == nil {
		if c.under == under {
			dst = append(dst, l)
		}
		return dst, nil
	}
	if len(c.list) != len(l.modes) {
		return nil, fail(ErrRank, "coordinate %s does not fit shape %s", c.brief(), l.Shape().brief())
	}
	for i, e := range c.list {
		var err error
		if dst, err = facing(e, l.modes[i], under, dst); err != nil {
			return nil, err
		}
	}
	return dst, nil
}

// filled is the coordinate with 0 for every underscore.
func (t IntTuple) filled() IntTuple {
	if t.list == nil {
		return Int(t.n)
	}
	out := IntTuple{list: make([]IntTuple, len(t.list))}
	for i, e := range t.list {
		out.list[i] = e.filled()
	}
	return out
}
