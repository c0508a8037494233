package picture

import (
	"bytes"
	"encoding/xml"
	"errors"
	"io"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"hlolayout/hlo/cute"
	"hlolayout/hlo/tiled"
	"hlolayout/internal/testfiles"
	"hlolayout/parser"
)

func array(t *testing.T, text string) *tiled.Array {
	t.Helper()
	s, err := parser.ParseShape(text)
	require.NoError(t, err, text)
	a, err := tiled.New(s)
	require.NoError(t, err, text)
	return a
}

func tiles(t *testing.T, text string, l Limits) Picture {
	t.Helper()
	p, err := Tiles(array(t, text), l)
	require.NoError(t, err, text)
	return p
}

func table(t *testing.T, text string, l Limits) Picture {
	t.Helper()
	v, err := cute.Eval(text)
	require.NoError(t, err, text)
	p, ok := Picture{}, false
	if v.Type == cute.TypeComposed {
		p, ok = Table(v.String(), v.Composed.Inner, v.Composed.Apply, l)
	} else {
		p, ok = Table(v.String(), v.Layout, v.Layout.Apply, l)
	}
	require.True(t, ok, text)
	return p
}

// drawings are the pictures of testdata/pictures.
func drawings(t *testing.T) map[string]Picture {
	return map[string]Picture{
		"small_tiles":  tiles(t, "F32[3,5]{1,0:(2,2)}", Page),
		"packed":       tiles(t, "bf16[20,300]{1,0:T(8,128)(2,1)}", Page),
		"column_major": tiles(t, "s8[64,1000,64]{1,2,0:T(32,128)(4,1)}", Page),
		"joined":       tiles(t, "f32[2,3,5]{2,1,0:T(*,2)}", Page),
		"vector":       tiles(t, "bf16[1000]{0:T(1024)(128)(2,1)}", Page),
		"scalar":       tiles(t, "f32[]{:T(128)}", Page),
		"untiled":      tiles(t, "f32[4,3]{0,1}", Page),
		"swizzle":      table(t, "Sw<3,0,3> o 0 o (8,8):(8,1)", Page),
	}
}

func TestGoldenSVG(t *testing.T) {
	for name, p := range drawings(t) {
		path := filepath.Join("../../testdata/pictures", name+".svg")
		got := p.AppendSVG(nil)
		assert.Equal(t, got, p.AppendSVG(nil), "the same picture is the same text")
		want := testfiles.Record(t, path, string(got))
		assert.Equal(t, want, string(got), "%s; go test ./printer/picture -update rewrites it", path)
	}
}

// element is an XML element with what the tests look at.
type element struct {
	XMLName xml.Name
	Attrs   []xml.Attr `xml:",any,attr"`
	Text    string     `xml:",chardata"`
	Inner   []element  `xml:",any"`
}

func (e element) attr(name string) string {
	for _, a := range e.Attrs {
		if a.Name.Local == name {
			return a.Value
		}
	}
	return ""
}

func (e element) number(t *testing.T, name string) int {
	n, err := strconv.Atoi(e.attr(name))
	require.NoError(t, err, "%s of %s", name, e.XMLName.Local)
	return n
}

func readSVG(t *testing.T, svg []byte) element {
	t.Helper()
	var e element
	d := xml.NewDecoder(bytes.NewReader(svg))
	require.NoError(t, d.Decode(&e))
	_, err := d.Token()
	for err == nil {
		_, err = d.Token()
	}
	require.ErrorIs(t, err, io.EOF)
	return e
}

func TestSVGIsWellFormedAndTells(t *testing.T) {
	for name, p := range drawings(t) {
		e := readSVG(t, p.AppendSVG(nil))
		assert.Equal(t, "img", e.attr("role"), name)
		require.Equal(t, "title", e.Inner[0].XMLName.Local, name)
		assert.Equal(t, p.Title, e.Inner[0].Text, name)
		require.Equal(t, "desc", e.Inner[1].XMLName.Local, name)
		assert.Equal(t, p.Text, e.Inner[1].Text, name)
		assert.Contains(t, e.Inner[2].Text, "prefers-color-scheme:dark", name)
		for _, in := range e.Inner { // nothing is cut off
			if in.XMLName.Local == "rect" && in.attr("class") != "paper" {
				assert.LessOrEqual(t, in.number(t, "x")+in.number(t, "width"), e.number(t, "width"), name)
				assert.LessOrEqual(t, in.number(t, "y")+in.number(t, "height"), e.number(t, "height"), name)
			}
		}
	}
}

func TestSVGEscapes(t *testing.T) {
	p := Picture{Title: `</title><script>alert("1")</script>`, Text: "a & b\x00\x1b", Panels: []Panel{{
		Caption: "<b>", Rows: Axis{"<r>", []Mark{{Label: "<m>"}}}, Cols: Axis{"&", []Mark{{Label: "]]>"}}},
		Cells: [][]Cell{{{[]string{"<c>"}, 1, 1}}},
	}}}
	svg := p.AppendSVG(nil)
	e := readSVG(t, svg)
	assert.Equal(t, p.Title, e.Inner[0].Text)
	assert.Equal(t, "a & b\uFFFD\uFFFD", e.Inner[1].Text)
	assert.NotContains(t, string(svg), "<script")
	assert.NotContains(t, string(svg), "<c>")
}

// TestCellsHoldOffsets compares each element's cell with the array's own index map.
func TestCellsHoldOffsets(t *testing.T) {
	all := Limits{Rows: 64, Cols: 300, TileRows: 64, TileCols: 64}
	for _, text := range []string{
		"f32[3,5]{1,0:T(2,2)}", "f32[3,5]{0,1:T(2,2)}", "bf16[20,300]{1,0:T(8,128)(2,1)}",
		"bf16[6,200]{1,0:T(8,128)(2,1)}",
		"f32[2,3,5]{2,1,0:T(*,2)}", "f32[2,3,5]{0,2,1:T(*,4)}", "s8[4,40,64]{1,2,0:T(32,128)(4,1)}",
		"f32[300]{0:T(256)}", "f32[7]", "f32[]",
		"f32[]{:T(128)}", "f32[5]{0:T(2,4)}", "f32[4,5]{1,0:T(3,2)(2,1)}", "f32[9,7]{1,0:T(4)(2,2)}",
		"f32[2,3,4]{2,1,0:T(2,2,2)}", "f32[6,6]{1,0:T(*,*,4)}",
	} {
		a := array(t, text)
		p := tiles(t, text, all)
		seen := 0
		for _, panel := range p.Panels {
			if panel.Blocks {
				continue
			}
			dims := a.MinorToMajor()
			for i, row := range panel.Rows.Marks {
				for j, col := range panel.Cols.Marks {
					if row.Gap || col.Gap || panel.Cells[i][j].Width == 0 {
						continue
					}
					index := make([]int64, len(dims))
					place(t, index, a, panel.Rows.Name, row.Label)
					place(t, index, a, panel.Cols.Name, col.Label)
					want, err := a.Index(index...)
					require.NoError(t, err, "%s at %v", text, index)
					assert.Equal(t, strconv.FormatInt(want, 10), panel.Cells[i][j].Lines[0], "%s at %v", text, index)
					seen++
				}
			}
		}
		assert.Positive(t, seen, text)
	}
}

// place sets the entries of an index that an axis with this name stands for.
func place(t *testing.T, index []int64, a *tiled.Array, name, label string) {
	t.Helper()
	var dims []int
	for _, word := range strings.FieldsFunc(name, func(r rune) bool { return r < '0' || r > '9' }) {
		d, err := strconv.Atoi(word)
		require.NoError(t, err)
		dims = append(dims, d)
	}
	if len(dims) == 0 {
		return
	}
	n, err := strconv.ParseInt(label, 10, 64)
	require.NoError(t, err)
	for _, d := range slices.Backward(dims) {
		index[d], n = n%a.Dims()[d], n/a.Dims()[d]
	}
}

func TestText(t *testing.T) {
	for _, c := range []struct {
		picture Picture
		want    string
	}{
		{tiles(t, "F32[3,5]{1,0:(2,2)}", Terminal), `
Offsets of the elements; . is padding
down: dimension 0, right: dimension 1
     0   1    2   3    4   5
  +--------+--------+--------+
0 |  0   1 |  4   5 |  8   . |
1 |  2   3 |  6   7 | 10   . |
  +--------+--------+--------+
2 | 12  13 | 16  17 | 20   . |
3 |  .   . |  .   . |  .   . |
  +--------+--------+--------+
`},
		{tiles(t, "bf16[2,20,300]{2,1,0:T(8,128)(2,1)}", Limits{Rows: 4, Cols: 4, TileRows: 2, TileCols: 9}), `
Tiles of 8 x 128; @ is the offset of a tile's first element; dimension 0 at 0, one of 2 such slices; : is padding
down: dimension 1, right: dimension 2
     0          128        256
   +----------+----------+----------+
 0 | tile 0   | tile 1   | tile 2:::|
   | @0       | @1024    | @2048::::|
   |          |          |   :::::::|
   +----------+----------+----------+
 8 | tile 3   | tile 4   | tile 5:::|
   | @3072    | @4096    | @5120::::|
   |          |          |   :::::::|
   +----------+----------+----------+
16 | tile 6   | tile 7   | tile 8:::|
   | @6144    | @7168    | @8192::::|
   |::::::::::|::::::::::|::::::::::|
   +----------+----------+----------+

Offsets of the elements of the first tile
down: dimension 1, right: dimension 2
         0     1  ...   126   127
    +-----------------------------+
  0 |    0     2  ...   252   254 |
  1 |    1     3  ...   253   255 |
... |                             |
  6 |  768   770  ...  1020  1022 |
  7 |  769   771  ...  1021  1023 |
    +-----------------------------+
`},
		{table(t, "(2,(2,2)):(1,(4,2))", Terminal), `
Index of each coordinate
down: mode 0, right: mode 1
    0  1  2  3
  +------------+
0 | 0  4  2  6 |
1 | 1  5  3  7 |
  +------------+
`},
		{table(t, "5:3", Terminal), `
Index of each coordinate
right: coordinate
    0   1   2   3   4
 +--------------------+
 |  0   3   6   9  12 |
 +--------------------+
`},
	} {
		assert.Equal(t, strings.TrimPrefix(c.want, "\n"), string(c.picture.AppendText(nil)))
	}
}

func TestTextIsASCII(t *testing.T) {
	for name, p := range drawings(t) {
		for i, c := range p.AppendText(nil) {
			require.True(t, c == '\n' || c >= ' ' && c < 0x7f, "%s: byte %d is %q", name, i, c)
		}
	}
}

func TestPick(t *testing.T) {
	for _, c := range []struct {
		n      int64
		most   int
		border int64
		want   []int64
	}{
		{0, 4, 0, nil},
		{4, 4, 2, []int64{0, 1, 2, 3}},
		{5, 4, 0, []int64{0, 1, 2, 3, 4}}, // a gap of one is not shorter than what it hides
		{6, 4, 0, []int64{0, 1, -1, 4, 5}},
		{100, 4, 50, []int64{0, 1, -1, 49, 50, -1, 98, 99}},
		{100, 4, 3, []int64{0, 1, 2, 3, -1, 98, 99}},
		{100, 4, 99, []int64{0, 1, -1, 98, 99}},
		{100, 4, 100, []int64{0, 1, -1, 98, 99}},
		{1 << 62, 1, 1 << 61, []int64{0, -1, 1<<61 - 1, 1 << 61, -1, 1<<62 - 2, 1<<62 - 1}},
	} {
		assert.Equal(t, c.want, pick(c.n, c.most, c.border), "%d of %d, border %d", c.most, c.n, c.border)
	}
}

func TestHugeArraysAreDrawnAtOnce(t *testing.T) {
	p := tiles(t, "bf16[1000000,1000000]{1,0:T(8,128)(2,1)}", Page)
	assert.Less(t, len(p.AppendSVG(nil)), 1<<20)
	assert.Less(t, len(p.AppendText(nil)), 1<<16)
	p = table(t, "(1000000,1000000):(1,1000000)", Page)
	assert.Less(t, len(p.AppendSVG(nil)), 1<<20)
}

func TestNothingToDraw(t *testing.T) {
	_, err := Tiles(array(t, "f32[0,3]"), Page)
	assert.ErrorIs(t, err, tiled.ErrNoLayout)
	var e *tiled.Error
	require.True(t, errors.As(err, &e))

	l, err := cute.Eval("(2,2,2)")
	require.NoError(t, err)
	_, ok := Table("", l.Layout, l.Layout.Apply, Page)
	assert.False(t, ok, "three modes are not a table")
}
