package ordering

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"hlolayout/hlo"
)

// Rows of 128 that fill whole tiles, and a single row, follow one another as the elements of rank 1 do; tiles of
// different rows do where they are one tile wide.
func TestTilesAgree(t *testing.T) {
	e := tilesOf(t, "v5e")
	for _, c := range []struct {
		in   []int64
		a    []int
		out  []int64
		b    []int
		want bool
	}{
		{[]int64{256}, []int{0}, []int64{2, 128}, []int{1, 0}, true},
		{[]int64{2, 128}, []int{1, 0}, []int64{256}, []int{0}, true},
		{[]int64{384}, []int{0}, []int64{3, 128}, []int{1, 0}, false},
		{[]int64{300}, []int{0}, []int64{3, 100}, []int{1, 0}, false},
		{[]int64{300}, []int{0}, []int64{1, 300}, []int{1, 0}, true},
		{[]int64{1, 1}, []int{1, 0}, []int64{}, []int{}, true},
		{[]int64{}, []int{}, []int64{1, 1}, []int{1, 0}, true},
		{[]int64{8, 4, 128}, []int{2, 1, 0}, []int64{32, 128}, []int{1, 0}, true},
		{[]int64{8, 4, 256}, []int{2, 1, 0}, []int64{32, 256}, []int{1, 0}, false},
		{[]int64{8, 5, 128}, []int{2, 1, 0}, []int64{40, 128}, []int{1, 0}, false},
		{[]int64{8, 16, 128}, []int{2, 1, 0}, []int64{128, 128}, []int{1, 0}, true},
	} {
		assert.Equal(t, c.want, e.TilesAgree(hlo.F32, c.in, c.a, c.out, c.b), "%v %v", c.in, c.out)
	}
}

// A dimension of size 1 goes second-minor only where one was, of words that hold one row, and where nothing moves.
func TestSingleRow(t *testing.T) {
	e := tilesOf(t, "v5e")
	for _, c := range []struct {
		t                hlo.DType
		in               []int64
		mm               []int
		out              []int64
		aligned, ordered []int
	}{
		{hlo.F32, []int64{1, 300}, []int{1, 0}, []int64{300, 1}, []int{0, 1}, []int{0, 1}},
		{hlo.F32, []int64{300, 1}, []int{0, 1}, []int64{1, 300}, []int{1, 0}, []int{1, 0}},
		{hlo.BF16, []int64{1, 300}, []int{1, 0}, []int64{300, 1}, []int{0, 1}, nil},
		{hlo.F32, []int64{300}, []int{0}, []int64{1, 300}, []int{1, 0}, nil},
		{hlo.F32, []int64{1, 300}, []int{1, 0}, []int64{300}, []int{0}, nil},
		{hlo.F32, []int64{1, 4, 128}, []int{2, 0, 1}, []int64{4, 128}, []int{1, 0}, nil},
		{hlo.F32, []int64{4, 128}, []int{1, 0}, []int64{1, 4, 128}, []int{2, 1, 0}, nil},
		{hlo.F32, []int64{5, 1, 300}, []int{2, 1, 0}, []int64{1, 5, 1, 300}, []int{3, 1, 2, 0}, []int{3, 2, 1, 0}},
		{hlo.F32, []int64{2, 1, 1, 256}, []int{3, 2, 1, 0}, []int64{1, 2, 1, 1, 256}, []int{4, 1, 3, 2, 0},
			[]int{4, 3, 2, 1, 0}},
		{hlo.F32, []int64{1, 97, 131, 1}, []int{3, 0, 2, 1}, []int64{97, 1, 131, 1}, []int{2, 0, 3, 1}, []int{3, 1, 2, 0}},
		{hlo.F32, []int64{1, 97, 131, 1}, []int{3, 0, 2, 1}, []int64{97, 131, 1}, []int{1, 0, 2}, nil},
	} {
		assert.Equal(t, c.ordered, e.SingleRow(c.t, c.in, c.mm, c.out, c.aligned), "%v %v", c.in, c.out)
	}
}

// Rows that do not fill tiles have no runs.
func TestTileRuns(t *testing.T) {
	e := tilesOf(t, "v5e")
	for rows, runs := range map[int64]bool{16: true, 8: true, 12: false, 4: true} {
		assert.Equal(t, runs, e.TileRuns(hlo.F32, []int64{rows, 256}, []int{1, 0}) != nil, rows)
	}
}

func TestSecondRows(t *testing.T) {
	e := tilesOf(t, "v5e")
	for _, c := range []struct {
		t    hlo.DType
		dims []int64
		want int64
	}{
		{hlo.F32, []int64{8}, 8}, {hlo.F32, []int64{16, 5}, 8}, {hlo.F32, []int64{4, 5}, 0}, {hlo.F32, []int64{2, 5}, 0},
		{hlo.F32, []int64{1, 5}, 0}, {hlo.BF16, []int64{4, 32}, 0}, {hlo.BF16, []int64{2, 32}, 0},
	} {
		assert.Equal(t, c.want, e.SecondRows(c.t, c.dims, hlo.Descending(len(c.dims))), c)
	}
}
