package cute

// Congruent reports whether a and b nest the same way.
func Congruent(a, b IntTuple) bool {
	if len(a.list) != len(b.list) {
		return false
	}
	for i := range a.list {
		if !Congruent(a.list[i], b.list[i]) {
			return false
		}
	}
	return true
}

// WeaklyCongruent reports whether a's nesting is a pruning of b's: an integer of a may face anything.
func WeaklyCongruent(a, b IntTuple) bool {
	if a.list == nil {
		return true
	}
	if len(a.list) != len(b.list) {
		return false
	}
	for i := range a.list {
		if !WeaklyCongruent(a.list[i], b.list[i]) {
			return false
		}
	}
	return true
}

// Compatible reports whether shape a is a coarser form of shape b: weakly congruent, and every integer of a is the size
// of what it faces, so that every coordinate of a is one of b. False where a size does not fit int64.
func Compatible(a, b IntTuple) bool {
	if a.list == nil {
		n, err := b.Size()
		return err == nil && a.IsInt() && n == a.n
	}
	if len(a.list) != len(b.list) {
		return false
	}
	for i := range a.list {
		if !Compatible(a.list[i], b.list[i]) {
			return false
		}
	}
	return true
}

// At returns the index of the 1-D coordinate i, the leftmost leaf counting fastest. i may be beyond the size: the last
// leaf goes on without end; L(-i) = -L(i). ErrOverflow when the index does not fit int64. At does not
// allocate.
func (l Layout) At(i int64) (int64, error) {
	sum := int64(0)
	if l.spread(&i, &sum, true) {
		return sum, nil
	}
	return 0, fail(ErrOverflow, "an index of %s does not fit int64", l.brief())
}

// spread takes l's digits off *c and adds their indices to *sum; last says that nothing follows to take what remains.
func (l *Layout) spread(c, sum *int64, last bool) (ok bool) {
	if l.modes == nil {
		digit := *c
		if !last {
			digit %= l.s
			*c /= l.s
		}
		*sum, ok = addMul(*sum, digit, l.d)
		return ok
	}
	for k := range l.modes {
		if !l.modes[k].spread(c, sum, last && k == len(l.modes)-1) {
			return false
		}
	}
	return true
}

// Index returns the index of a coordinate with one integer per mode. Errors: ErrRank for another number of them,
// ErrOverflow. Index does not allocate.
func (l Layout) Index(coord ...int64) (int64, error) {
	if len(coord) != l.Rank() {
		return 0, fail(ErrRank, "%d coordinates for %s, which has rank %d", len(coord), l.brief(), l.Rank())
	}
	if l.modes == nil {
		return l.At(coord[0])
	}
	sum := int64(0)
	for k := range l.modes {
		c := coord[k]
		if !l.modes[k].spread(&c, &sum, true) {
			return 0, fail(ErrOverflow, "an index of %s does not fit int64", l.brief())
		}
	}
	return sum, nil
}

// Apply returns the index of any coordinate: integers may stand for whole sub-trees. Errors: ErrRank when the
// coordinate has other lengths or is nested deeper than the shape, ErrOverflow.
func (l Layout) Apply(coord IntTuple) (int64, error) {
	sum := int64(0)
	return sum, l.apply(coord, &sum)
}

func (l *Layout) apply(c IntTuple, sum *int64) error {
	if c.under {
		return fail(ErrRank, "`_` in a coordinate to evaluate; slice takes it")
	}
	if c.list == nil {
		rest := c.n
		if !l.spread(&rest, sum, true) {
			return fail(ErrOverflow, "an index of %s does not fit int64", l.brief())
		}
		return nil
	}
	if len(c.list) != len(l.modes) {
		return fail(ErrRank, "coordinate %s does not fit shape %s", c.brief(), l.Shape().brief())
	}
	for k := range l.modes {
		if err := l.modes[k].apply(c.list[k], sum); err != nil {
			return err
		}
	}
	return nil
}

// Crd2Idx returns the index of a coordinate under shape:stride. Errors as New and Apply.
func Crd2Idx(coord, shape, stride IntTuple) (int64, error) {
	l, err := New(shape, stride)
	if err != nil {
		return 0, err
	}
	return l.Apply(coord)
}

// InRange returns an error unless the coordinate fits the shape (ErrRank) and every entry is inside (ErrRange).
func InRange(coord, shape IntTuple) error {
	_, err := Idx2Crd(coord, shape)
	return err
}

// Idx2Crd returns the natural coordinate, nested as the shape, of a 1-D one; a tuple is converted entry by entry.
// Errors: ErrRange outside the shape, ErrRank, ErrExtent, ErrOverflow.
func Idx2Crd(index, shape IntTuple) (IntTuple, error) {
	if index.under {
		return IntTuple{}, fail(ErrRank, "`_` in a coordinate to convert")
	}
	if index.list == nil {
		size, err := shape.Size()
		if err != nil {
			return IntTuple{}, err
		}
		if index.n < 0 || index.n >= size {
			return IntTuple{}, fail(ErrRange, "%d is outside shape %s, which has size %d", index.n, shape.brief(), size)
		}
		rest := index.n
		return digits(&rest, shape), nil
	}
	if len(index.list) != len(shape.list) {
		return IntTuple{}, fail(ErrRank, "coordinate %s does not fit shape %s", index.brief(), shape.brief())
	}
	out := IntTuple{list: make([]IntTuple, len(shape.list))}
	for i := range out.list {
		var err error
		if out.list[i], err = Idx2Crd(index.list[i], shape.list[i]); err != nil {
			return IntTuple{}, err
		}
	}
	return out, nil
}

func digits(rest *int64, shape IntTuple) IntTuple {
	if shape.list == nil {
		c := *rest % shape.n
		*rest /= shape.n
		return Int(c)
	}
	out := IntTuple{list: make([]IntTuple, len(shape.list))}
	for i, s := range shape.list {
		out.list[i] = digits(rest, s)
	}
	return out
}

// Preimage returns the natural coordinate that a compact layout maps to the index: (index/stride)%extent per leaf. The
// answer is evaluated again, so that a layout which is not compact gives ErrNotInjective instead of a wrong coordinate;
// an index that l does not take is ErrRange.
func Preimage(index int64, l Layout) (IntTuple, error) {
	lo, hi, err := l.Range()
	if err != nil {
		return IntTuple{}, err
	}
	if lo < 0 {
		return IntTuple{}, fail(ErrNegativeStride, "%s has negative strides", l.brief())
	}
	if index < 0 || index > hi {
		return IntTuple{}, fail(ErrRange, "%d is outside the indices 0 to %d of %s", index, hi, l.brief())
	}
	var walk func(Layout) (IntTuple, error)
	walk = func(l Layout) (IntTuple, error) {
		switch {
		case l.modes != nil:
			out := IntTuple{list: make([]IntTuple, len(l.modes))}
			for i, m := range l.modes {
				if out.list[i], err = walk(m); err != nil {
					return IntTuple{}, err
				}
			}
			return out, nil
		case l.s == 1:
			return Int(0), nil
		case l.d == 0:
			return IntTuple{}, fail(ErrNotInjective, "leaf %s has stride 0", l)
		}
		return Int(index / l.d % l.s), nil
	}
	c, err := walk(l)
	if err != nil {
		return IntTuple{}, err
	}
	if back, err := l.Apply(c); err != nil || back != index {
		return IntTuple{}, fail(ErrNotInjective, "%s is not compact, so dividing by strides does not invert it at %d",
			l.brief(), index)
	}
	return c, nil
}

// Crd2Crd returns the coordinate of shape dst with the same 1-D number as coord has in shape src. ErrSize when the
// shapes have different sizes; else as Idx2Crd.
func Crd2Crd(coord, src, dst IntTuple) (IntTuple, error) {
	from, err := src.Size()
	if err != nil {
		return IntTuple{}, err
	}
	to, err := dst.Size()
	if err != nil {
		return IntTuple{}, err
	}
	if from != to {
		return IntTuple{}, fail(ErrSize, "shapes %s and %s have sizes %d and %d", src.brief(), dst.brief(), from, to)
	}
	l, err := Left(src)
	if err != nil {
		return IntTuple{}, err
	}
	i, err := l.Apply(coord)
	if err != nil {
		return IntTuple{}, err
	}
	return Idx2Crd(Int(i), dst)
}
