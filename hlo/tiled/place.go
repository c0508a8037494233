package tiled

// What a TPU register holds: 32-bit words in lanes (the minor size of a tile is always 128).
const (
	Lanes    = 128
	WordBits = 32
)

// Place is the place of an element in terms of a TPU's registers.
type Place struct {
	Tile    int64 // number of the tile, row-major over TileGrid
	Within  int64 // offset in the tile, in elements
	Sublane int64 // row of 128 words in the tile
	Lane    int64 // word in the row
	Packed  int64 // position in the 32-bit word, 0 for elements of 32 bits and more
}

// TileGrid returns how many tiles of the first level there are in each direction, major to minor: the dimensions the
// first tile leaves alone, then the tile counts. ErrNoLayout for an array without tiles, or where a later tile reaches
// beyond the first, so that it is not contiguous.
func (a *Array) TileGrid() ([]int64, error) {
	if len(a.levels) == 0 {
		return nil, fail(ErrNoLayout, "%s has no tiles", a)
	}
	inside := len(a.levels[0].groups) // physical dimensions that belong to a tile
	for k, lv := range a.levels[1:] {
		if len(a.tiles[k+1]) > inside {
			return nil, fail(ErrNoLayout, "tile %d of %s reaches beyond the first", k+1, a)
		}
		inside += len(lv.groups)*2 - len(a.tiles[k+1])
	}
	return a.final[:len(a.final)-inside], nil
}

// TileElements returns the elements of a tile of the first level, padding by inner tiles included. Errors as TileGrid.
func (a *Array) TileElements() (int64, error) {
	grid, err := a.TileGrid()
	if err != nil {
		return 0, err
	}
	n, _ := product(a.final[len(grid):]...)
	return n, nil
}

// Place returns the tile, sublane, lane and packing position of an offset: sublane, lane and position are
// those of its bits in the tile, counted in 32-bit words, 128 to a row; an element of more than 32 bits counts as one
// word, as 64-bit types tile like 32-bit ones. Errors: ErrIndex, and as TileGrid.
func (a *Array) Place(offset int64) (Place, error) {
	if err := a.checkOffset(offset); err != nil {
		return Place{}, err
	}
	if a.inTail(offset) {
		return Place{}, fail(ErrIndex, "offset %d is in the padding of %s", offset, a)
	}
	n, err := a.TileElements()
	if err != nil {
		return Place{}, err
	}
	p := Place{Tile: offset / n, Within: offset % n}
	packing := max(WordBits/a.bits, 1)
	word := p.Within / packing
	p.Packed, p.Sublane, p.Lane = p.Within%packing, word/Lanes, word%Lanes
	return p, nil
}
