package picture

import (
	"fmt"
	"strconv"

	"hlolayout/hlo/cute"
)

// Table returns the table of the indices of a layout: mode 0 runs down, mode 1 to the right, a layout of one mode is
// one row. The index of a coordinate is what at says, so that a swizzle or an offset may come after the layout. Title
// is its notation. ok is false for more than two modes, and where a size or an index does not fit int64.
func Table(title string, layout cute.Layout, at func(cute.IntTuple) (int64, error), l Limits) (p Picture, ok bool) {
	rows, cols := int64(1), int64(1)
	panel := Panel{Caption: "Index of each coordinate"}
	switch layout.Rank() {
	case 1:
		n, err := layout.Size()
		if err != nil {
			return p, false
		}
		cols = n
		p.Text = fmt.Sprintf("The %d indices of %s in a row.", n, title)
		panel.Rows.Marks, panel.Cols.Name = make([]Mark, 1), "coordinate"
	case 2:
		m, err := layout.Mode(0).Size()
		n, err2 := layout.Mode(1).Size()
		if err != nil || err2 != nil {
			return p, false
		}
		rows, cols = m, n
		p.Text = fmt.Sprintf("The indices of %s in %d rows, its mode 0, and %d columns, its mode 1.", title, m, n)
		panel.Rows.Name, panel.Cols.Name = "mode 0", "mode 1"
	default:
		return p, false
	}
	is, js := pick(rows, l.Rows, 0), pick(cols, l.Cols, 0)
	if panel.Rows.Marks == nil {
		panel.Rows.Marks = numbers(is)
	}
	panel.Cols.Marks = numbers(js)
	for _, i := range is {
		line := make([]Cell, len(js))
		for k, j := range js {
			if i < 0 || j < 0 {
				continue
			}
			coord := cute.Int(j)
			if panel.Rows.Name != "" {
				coord = cute.Ints(i, j)
			}
			index, err := at(coord)
			if err != nil {
				return p, false
			}
			line[k] = Cell{[]string{strconv.FormatInt(index, 10)}, 1, 1}
		}
		panel.Cells = append(panel.Cells, line)
	}
	p.Title, p.Panels = title, []Panel{panel}
	return p, true
}

// numbers returns the marks of positions, -1 for a gap.
func numbers(positions []int64) []Mark {
	marks := make([]Mark, len(positions))
	for k, i := range positions {
		if i < 0 {
			marks[k].Gap = true
		} else {
			marks[k].Label = strconv.FormatInt(i, 10)
		}
	}
	return marks
}
