package picture

import (
	"fmt"
	"strconv"
	"strings"

	"hlolayout/hlo"
	"hlolayout/hlo/tiled"
)

// Tiles returns the picture of the two minor physical dimensions of an array: where its tiles are, and the offset of
// each element, padding shaded. Offsets are in elements. Dimensions above the two are at position 0. An array that is
// too large gets two panels: the tiles, and the elements of the first one. Errors: ErrNoLayout for an array without
// elements, else as tiled.New.
func Tiles(a *tiled.Array, l Limits) (Picture, error) {
	if a.Elements() == 0 {
		return Picture{}, &tiled.Error{Kind: tiled.ErrNoLayout, Msg: fmt.Sprintf("%s has no elements to draw", a)}
	}
	v, err := viewOf(a)
	if err != nil {
		return Picture{}, err
	}
	p := Picture{Title: a.String()}
	whole := v.rows.padded <= int64(l.Rows) && v.cols.padded <= int64(l.Cols)
	if v.cols.tile > 0 && !whole && v.rows.tiles()*v.cols.tiles() > 1 {
		p.Panels = append(p.Panels, v.tiles(l), v.elements(l, true))
	} else {
		p.Panels = append(p.Panels, v.elements(l, false))
	}
	p.Text = v.text()
	return p, nil
}

// view is the slice of an array that is drawn.
type view struct {
	array *tiled.Array
	// the same memory, where the padding of the first tile counts as elements, in physical order
	full       *tiled.Array
	zero       []int64 // the index of the first element in it
	rows, cols side
	above      []side
	tile       string // the sizes of a tile, such as "8 x 128"
	perTile    int64  // elements of a tile; 0 where a tile is not contiguous, or there is none
}

func viewOf(a *tiled.Array) (*view, error) {
	sides, tile := sidesOf(a)
	dims := make([]int64, len(sides))
	for i, s := range sides {
		dims[i] = s.padded
	}
	layout := hlo.DescendingLayout(len(dims))
	if tile != nil {
		layout.Tiles = append([]hlo.Tile{tile}, a.Tiles()[1:]...)
	}
	full, err := tiled.New(hlo.NewArray(a.DType(), dims, layout))
	if err != nil {
		return nil, err
	}
	one := side{extent: 1, padded: 1}
	if tile != nil {
		one.tile = 1
	}
	v := &view{array: a, full: full, zero: make([]int64, len(dims)), rows: one, cols: one}
	if n := len(sides); n > 0 {
		v.cols = sides[n-1]
		if n > 1 {
			v.rows, v.above = sides[n-2], sides[:n-2]
		}
	}
	for i, n := range tile {
		if i > 0 {
			v.tile += " x "
		}
		v.tile += strconv.FormatInt(n, 10)
	}
	if n, err := a.TileElements(); err == nil {
		v.perTile = n
	}
	return v, nil
}

// offset returns the place of the element of a row and a column.
func (v *view) offset(row, col int64) int64 {
	index := append(make([]int64, 0, 8), v.zero...)
	if n := len(index); n > 0 {
		index[n-1] = col
		if n > 1 {
			index[n-2] = row
		}
	}
	offset, err := v.full.Index(index...)
	if err != nil {
		panic(err) // rows and columns are below the padded extents
	}
	return offset
}

// tiles returns the panel with one cell a tile.
func (v *view) tiles(l Limits) Panel {
	rowStep, colStep := v.rows.step(), v.cols.step()
	rows := pick(v.rows.tiles(), l.TileRows, 0)
	cols := pick(v.cols.tiles(), l.TileCols, 0)
	p := Panel{
		Caption: v.caption("Tiles of " + v.tile + "; @ is the offset of a tile's first element"),
		Rows:    axis(v.rows, rows, rowStep, 1),
		Cols:    axis(v.cols, cols, colStep, 1),
		Blocks:  true,
	}
	for _, i := range rows {
		line := make([]Cell, len(cols))
		for k, j := range cols {
			if i < 0 || j < 0 {
				continue
			}
			offset := v.offset(i*rowStep, j*colStep)
			lines := []string{"@" + strconv.FormatInt(offset, 10)}
			if v.perTile > 0 {
				lines = []string{"tile " + strconv.FormatInt(offset/v.perTile, 10), lines[0]}
			}
			line[k] = Cell{lines, share(v.cols.extent, j, colStep), share(v.rows.extent, i, rowStep)}
		}
		p.Cells = append(p.Cells, line)
	}
	return p
}

// share returns how much of block number i is data.
func share(extent, i, step int64) float64 {
	return float64(min(extent-i*step, step)) / float64(step)
}

// elements returns the panel with one cell an element, of the whole slice or of its first tile.
func (v *view) elements(l Limits, first bool) Panel {
	rows, cols := v.rows, v.cols
	what := "Offsets of the elements"
	if first {
		rows.padded, cols.padded = rows.step(), cols.step()
		what = "Offsets of the elements of the first tile"
	}
	if !first {
		what = v.caption(what)
	}
	is, js := pick(rows.padded, l.Rows, rows.extent), pick(cols.padded, l.Cols, cols.extent)
	p := Panel{Caption: what, Rows: axis(rows, is, 1, rows.step()), Cols: axis(cols, js, 1, cols.step())}
	for _, i := range is {
		line := make([]Cell, len(js))
		for k, j := range js {
			if i < 0 || j < 0 {
				continue
			}
			line[k].Lines = []string{strconv.FormatInt(v.offset(i, j), 10)}
			if i < rows.extent && j < cols.extent {
				line[k].Width, line[k].Height = 1, 1
			}
		}
		p.Cells = append(p.Cells, line)
	}
	return p
}

// axis returns the marks at positions, -1 for a gap, each of which stands for step elements; edges are every `edge` of
// them.
func axis(s side, positions []int64, step, edge int64) Axis {
	a := Axis{Name: s.name()}
	for k, i := range positions {
		if i < 0 {
			a.Marks = append(a.Marks, Mark{Gap: true})
			continue
		}
		m := Mark{Label: strconv.FormatInt(i*step, 10), Edge: i%edge == 0}
		if k > 0 && positions[k-1] < 0 { // a tile may have begun in the gap
			before := positions[k-2]
			m.Edge = m.Edge || i/edge != before/edge
		}
		a.Marks = append(a.Marks, m)
	}
	if len(s.dims) == 0 && len(a.Marks) == 1 {
		a.Marks[0].Label = "" // the only row of an array that has no rows
	}
	return a
}

// caption adds which slice of the array is drawn.
func (v *view) caption(what string) string {
	n := int64(1)
	var names []string
	for _, s := range v.above {
		if n *= s.extent; s.extent > 1 {
			names = append(names, s.name()+" at 0")
		}
	}
	if n == 1 {
		return what
	}
	return fmt.Sprintf("%s; %s, one of %d such slices", what, strings.Join(names, ", "), n)
}

// text says what there is to see.
func (v *view) text() string {
	var b strings.Builder
	describe := func(role string, s side) {
		if name := s.name(); name != "" {
			fmt.Fprintf(&b, " %s are %s, %d long", role, name, s.extent)
			if s.padded != s.extent {
				fmt.Fprintf(&b, " and padded to %d", s.padded)
			}
			b.WriteByte('.')
		}
	}
	fmt.Fprintf(&b, "Places of the elements of %s in memory.", v.array)
	describe("Rows", v.rows)
	describe("Columns", v.cols)
	if v.cols.tile > 0 {
		fmt.Fprintf(&b, " Tiles are %s, in a grid of %d rows and %d columns.", v.tile, v.rows.tiles(), v.cols.tiles())
	}
	if n := v.array.Padding(); n > 0 {
		fmt.Fprintf(&b, " Of room for %d elements in memory %d are padding, which is shaded.", v.array.Total(), n)
	}
	return b.String()
}
