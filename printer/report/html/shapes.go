package html

import (
	"cmp"
	"encoding/json"
	"slices"

	"hlolayout/hlo"
	"hlolayout/hlo/tiled"
	"hlolayout/passes/shrink"
	"hlolayout/printer/picture"
	"hlolayout/printer/report"
)

// maxPictures is how many shapes have a drawing of their tiles: those with the most padding, then the largest. A
// drawing is some 10 KB, and a module can have thousands of shapes.
const maxPictures = 200

// drawn are smaller pictures than those of a page of their own.
var drawn = picture.Limits{Rows: 18, Cols: 12, TileRows: 6, TileCols: 6}

// shapeRows are the rows of the table of shapes: type, layout, bytes of data, bytes with padding (-1 where they are not
// known), the memory, why it is padded, and the other orders with their bytes.
func (d *data) shapeRows() [][]any {
	var out [][]any
	for _, s := range d.shapes.list {
		layout := ""
		if s.Layout != nil {
			layout = s.Layout.String()
		}
		size := d.size(s)
		if !size.Known {
			size.Logical, size.Padded = -1, -1
		}
		space := ""
		if s.IsArray() {
			space = report.SpaceName(size.Space)
		}
		out = append(out, []any{clean(string(s.Append(nil, false))), clean(layout), size.Logical, size.Padded, space,
			shrink.Why(s), d.orders(s)})
	}
	return out
}

// order is an order of dimensions with the bytes that an array takes in it.
type order struct {
	order string
	bytes int64
}

// MarshalJSON writes a pair.
func (o order) MarshalJSON() ([]byte, error) { return json.Marshal([]any{o.order, o.bytes}) }

// orders returns the usual other orders of an array.
func (d *data) orders(s *hlo.Shape) []order {
	out := []order{}
	if d.in.Target == nil || !s.IsArray() || s.Rank() < 2 || !s.IsTiled() {
		return out
	}
	seen := [][]int{s.MinorToMajor()}
	for _, o := range [][]int{d.in.Target.BoundaryOrder(s.DType, s.Dims), hlo.Descending(s.Rank())} {
		if slices.ContainsFunc(seen, func(x []int) bool { return slices.Equal(x, o) }) {
			continue
		}
		seen = append(seen, o)
		if n, ok := d.in.Target.Bytes(s.DType, s.Dims, o); ok {
			out = append(out, order{orderText(o), n})
		}
	}
	return out
}

func orderText(order []int) string {
	return (&hlo.Layout{MinorToMajor: order}).String()
}

// pictures are drawings of the tiles, by the number of the shape; "" for those that have none.
func (d *data) pictures() string {
	order := make([]int, 0, len(d.shapes.list))
	for i, s := range d.shapes.list {
		if s.IsArray() && s.Rank() > 0 && s.IsTiled() && d.size(s).Known {
			order = append(order, i)
		}
	}
	slices.SortStableFunc(order, func(a, b int) int {
		x, y := d.size(d.shapes.list[a]), d.size(d.shapes.list[b])
		return cmp.Or(cmp.Compare(y.Waste(), x.Waste()), cmp.Compare(y.Padded, x.Padded))
	})
	out := make([]string, len(d.shapes.list))
	for _, i := range order[:min(len(order), maxPictures)] {
		a, err := tiled.New(d.shapes.list[i])
		if err != nil {
			continue
		}
		if p, err := picture.Tiles(a, drawn); err == nil {
			out[i] = string(p.AppendSVG(nil))
		}
	}
	text, err := json.Marshal(out)
	if err != nil {
		panic(err) // strings cannot fail
	}
	return string(text)
}
