package cute

// LogicalProduct repeats l as the tiler says: mode 0 is l, mode 1 moves from copy to copy and is compatible with the
// tiler's layout. Copies are disjoint when both are injective. A list acts mode by mode, `_` and unnamed modes are
// kept. Errors as Complement and Composition.
func LogicalProduct(l Layout, t Tiler) (Layout, error) { return byMode(l, t, product, true) }

func product(a, b Layout) (Layout, error) {
	size, err := a.Size()
	if err != nil {
		return Layout{}, err
	}
	cosize, err := b.Cosize()
	if err != nil {
		return Layout{}, err
	}
	room, ok := Mul(size, cosize)
	if !ok {
		return Layout{}, fail(ErrOverflow, "%d copies of %s do not fit int64", cosize, a.brief())
	}
	free, _, err := Complement(a, room)
	if err != nil {
		return Layout{}, err
	}
	r, err := Composition(free, b)
	if err != nil {
		return Layout{}, err
	}
	return listLayout([]Layout{a, r}), nil
}

// ZippedProduct is LogicalProduct gathered to ((l's modes),(the tiler's modes)), as ZippedDivide gathers.
func ZippedProduct(l Layout, t Tiler) (Layout, error) { return gather(l, t, product, zipped) }

// TiledProduct is ZippedProduct with the repetitions as modes of their own.
func TiledProduct(l Layout, t Tiler) (Layout, error) { return gather(l, t, product, tiled) }

// FlatProduct is ZippedProduct with everything as modes of their own.
func FlatProduct(l Layout, t Tiler) (Layout, error) { return gather(l, t, product, flat) }

// BlockedProduct repeats a as b says and pairs their modes, a's counting faster: copies stand side by side as blocks.
// The shorter one is padded with modes 1:0; nothing is coalesced (CoalesceBy does).
func BlockedProduct(a, b Layout) (Layout, error) {
	return paired(a, b, func(a, b Layout) []Layout { return []Layout{a, b} })
}

// RakedProduct is BlockedProduct with b's modes counting faster: copies are interleaved.
func RakedProduct(a, b Layout) (Layout, error) {
	return paired(a, b, func(a, b Layout) []Layout { return []Layout{b, a} })
}

func paired(a, b Layout, pair func(a, b Layout) []Layout) (Layout, error) {
	rank := max(a.Rank(), b.Rank())
	a, err := Append(a, rank)
	if err != nil {
		return Layout{}, err
	}
	if b, err = Append(b, rank); err != nil {
		return Layout{}, err
	}
	p, err := product(a, b)
	if err != nil {
		return Layout{}, err
	}
	modes := make([]Layout, rank)
	for i := range modes {
		modes[i] = listLayout(pair(p.modes[0].Mode(i), p.modes[1].Mode(i)))
	}
	return listLayout(modes).result()
}
