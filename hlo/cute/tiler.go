package cute

// Tiler says what an operation does to each mode: a layout (an integer n is n:1) acts on the whole of what it meets,
// `_` leaves it alone, a list acts mode by mode. Written `<8:1,_,(2,4):(1,8)>`. The zero value is not a tiler.
type Tiler struct {
	layout Layout
	keep   bool
	list   []Tiler
}

// TileBy returns the tiler that acts with a layout.
func TileBy(l Layout) Tiler { return Tiler{layout: l} }

// Keep returns the tiler `_`.
func Keep() Tiler { return Tiler{keep: true} }

// TileModes returns the tiler that acts mode by mode.
func TileModes(first Tiler, more ...Tiler) Tiler {
	return Tiler{list: append([]Tiler{first}, more...)}
}

// TileShape returns the tiler of a shape: an integer n acts as n:1, a list acts mode by mode. Errors: ErrExtent,
// ErrLimit.
func TileShape(shape IntTuple) (Tiler, error) {
	if err := limited(shape.count()); err != nil {
		return Tiler{}, err
	}
	return tileShape(shape)
}

func tileShape(shape IntTuple) (Tiler, error) {
	if shape.list == nil {
		return TileBy(leafLayout(shape.n, 1)), shape.extent()
	}
	t := Tiler{list: make([]Tiler, len(shape.list))}
	for i, s := range shape.list {
		var err error
		if t.list[i], err = tileShape(s); err != nil {
			return Tiler{}, err
		}
	}
	return t, nil
}

// Layout returns the layout of a tiler that acts with one; ok is false for `_` and lists.
func (t Tiler) Layout() (l Layout, ok bool) { return t.layout, !t.keep && t.list == nil }

// String returns the canonical text.
func (t Tiler) String() string { return string(t.Append(nil)) }

// Append appends the canonical text to dst.
func (t Tiler) Append(dst []byte) []byte {
	switch {
	case t.keep:
		return append(dst, '_')
	case t.list == nil:
		return t.layout.Append(dst)
	}
	for i, sub := range t.list {
		open := byte('<')
		if i > 0 {
			open = ','
		}
		dst = sub.Append(append(dst, open))
	}
	return append(dst, '>')
}

func (t Tiler) fits(l Layout) error {
	if len(t.list) > l.Rank() {
		return fail(ErrRank, "tiler %s has %d entries for the %d modes of %s", brief(t.String()), len(t.list), l.Rank(),
			l.brief())
	}
	return nil
}
