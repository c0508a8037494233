// Package picture draws how arrays are laid out in memory: the tiles of an array and the table of offsets of a layout,
// as SVG and as plain text.
//
// A Picture is data: panels of cells that say what stands where. Tiles and Table make one, AppendText and AppendSVG
// write it. The same picture is the same text, byte for byte.
package picture

// Picture is panels under a title.
type Picture struct {
	Title string
	// Text says in words what there is to see, for those who cannot.
	Text   string
	Panels []Panel
}

// Panel is a table of cells.
type Panel struct {
	Caption    string
	Rows, Cols Axis
	// Cells are len(Rows.Marks) rows of len(Cols.Marks) cells; those of gaps are not drawn.
	Cells [][]Cell
	// Blocks says that a cell stands for a whole tile: it has room for two lines of text, and is partly shaded where
	// the tile is partly padding. Otherwise a cell is one element.
	Blocks bool
}

// Axis is the rows or the columns of a panel.
type Axis struct {
	Name  string // may be empty
	Marks []Mark
}

// Mark is one row or column.
type Mark struct {
	Label string
	Gap   bool // it stands for those that were left out
	Edge  bool // a tile begins here
}

// Cell is one field of a panel.
type Cell struct {
	Lines []string
	// Width and Height are how much of the cell is data, 0 to 1; the rest is padding.
	Width, Height float64
}

// Limits are how many rows and columns a panel has at most, about: the rest is left out, but never the first, the last,
// and where the padding begins.
type Limits struct {
	Rows, Cols         int // of elements
	TileRows, TileCols int // of tiles
}

// The limits that suit a terminal and a page.
var (
	Terminal = Limits{Rows: 12, Cols: 12, TileRows: 6, TileCols: 6}
	Page     = Limits{Rows: 32, Cols: 20, TileRows: 12, TileCols: 10}
)

// pick returns which of n positions to show, about most of them, -1 for those left out in between. Shown are the first,
// the last, and the two around border where that is within.
func pick(n int64, most int, border int64) []int64 {
	var out []int64
	if n <= int64(most) {
		for i := range n {
			out = append(out, i)
		}
		return out
	}
	head := int64(max(most/2, 1))
	last := int64(-1)
	show := func(from, to int64) {
		for i := max(from, last+1); i < min(to, n); i++ {
			if i == last+2 {
				out = append(out, last+1) // one position takes no more room than its gap
			} else if i > last+2 {
				out = append(out, -1)
			}
			out = append(out, i)
			last = i
		}
	}
	show(0, head)
	if border > 0 && border < n {
		show(border-1, border+1)
	}
	show(n-2, n)
	return out
}
