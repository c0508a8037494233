package cute

import "slices"

// LogicalDivide splits l into tiles: mode 0 runs inside a tile, mode 1 from tile to tile. Where tiles do not fill l the
// last one sticks out. A list of tilers acts mode by mode, `_` and unnamed modes are kept. Errors as
// Compose and Complement.
func LogicalDivide(l Layout, t Tiler) (Layout, error) { return byMode(l, t, divide, true) }

func divide(a, b Layout) (Layout, error) {
	size, err := a.Size()
	if err != nil {
		return Layout{}, err
	}
	rest, _, err := Complement(b, size)
	if err != nil {
		return Layout{}, err
	}
	return Composition(a, listLayout([]Layout{b, rest}))
}

// ZippedDivide is LogicalDivide gathered to ((tile of each mode),(rest of each mode, unnamed modes)); `_` gives the
// tile 1:0 and the whole mode as rest.
func ZippedDivide(l Layout, t Tiler) (Layout, error) { return gather(l, t, divide, zipped) }

// TiledDivide is ZippedDivide with the rests as modes of their own: (tile, rest0, rest1, ...).
func TiledDivide(l Layout, t Tiler) (Layout, error) { return gather(l, t, divide, tiled) }

// FlatDivide is ZippedDivide with everything as modes of their own: (tile0, tile1, ..., rest0, rest1, ...).
func FlatDivide(l Layout, t Tiler) (Layout, error) { return gather(l, t, divide, flat) }

func zipped(tile, rest Layout) []Layout { return []Layout{tile, rest} }
func tiled(tile, rest Layout) []Layout  { return slices.Concat([]Layout{tile}, rest.list()) }
func flat(tile, rest Layout) []Layout   { return slices.Concat(tile.list(), rest.list()) }

func gather(l Layout, t Tiler, op func(a, b Layout) (Layout, error), form func(tile, rest Layout) []Layout) (Layout,
	error) {
	tile, rest, err := unzip(l, t, op)
	if err != nil {
		return Layout{}, err
	}
	return listLayout(form(tile, rest)).result()
}

// unzip applies op, whose results have two modes, by mode and gathers first and second modes.
func unzip(l Layout, t Tiler, op func(a, b Layout) (Layout, error)) (tile, rest Layout, err error) {
	switch {
	case t.keep:
		return unit, l, nil
	case t.list == nil:
		r, err := op(l, t.layout)
		if err != nil {
			return Layout{}, Layout{}, err
		}
		return r.modes[0], r.modes[1], nil
	}
	if err := t.fits(l); err != nil {
		return Layout{}, Layout{}, err
	}
	var tiles, rests []Layout
	for i, sub := range t.list {
		a, b, err := unzip(l.Mode(i), sub, op)
		if err != nil {
			return Layout{}, Layout{}, err
		}
		tiles, rests = append(tiles, a), append(rests, b)
	}
	return listLayout(tiles), listLayout(append(rests, l.list()[len(t.list):]...)), nil
}
