package ordering

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"hlolayout/hlo"
	"hlolayout/tpu"
)

func tilesOf(t *testing.T, target string) *Tiles {
	t.Helper()
	x, err := tpu.ByName(target)
	require.NoError(t, err)
	return NewTiles(x)
}

// The log of libtpu 0.0.51 weighs a cluster of this shape, the update of depthwise filters, with these sizes.
func TestWordsOf(t *testing.T) {
	for name, want := range map[string]int64{"v2": 7 * 7 * 2 * 128, "v5e": 7 * 7 * 128} {
		e := tilesOf(t, name)
		s := &hlo.Shape{DType: hlo.BF16, Dims: []int64{7, 7, 1, 48}}
		assert.Equal(t, want, e.WordsOf(s, e.Orders.Descending(4).Carrying(0)), name)
		assert.EqualValues(t, 7*8*128, e.WordsOf(s, e.Orders.Of([]int{3, 1, 2, 0}).Carrying(0)), name)
	}
}

// Both orders of these take the same size; libtpu 0.0.51 scatters elements into them in the order named.
func TestMemoryOrderOfOneSize(t *testing.T) {
	e := tilesOf(t, "v5e")
	for minor, shapes := range [][][]int64{
		{{21, 20}, {23, 20}, {24, 20}, {24, 22}, {48, 41}, {48, 44}, {48, 45}, {48, 47}},
		{{22, 20}, {24, 17}, {24, 21}, {24, 23}, {24, 24}, {48, 42}, {48, 43}, {48, 46}, {56, 50}, {64, 57}, {16, 12}},
	} {
		for _, dims := range shapes {
			o := e.CompactOrder(&hlo.Shape{DType: hlo.S32, Dims: dims}, 0)
			assert.Equal(t, minor, e.Orders.Get(o)[0], dims)
		}
	}
}

// Of a packed type the rows count that 32 bits would take, unless the layout carries a full tile.
func TestWordsOfCarriedTiles(t *testing.T) {
	e := tilesOf(t, "v5e")
	for _, c := range []struct {
		t    hlo.DType
		rows int32
		want int64
	}{{hlo.BF16, 8, 128}, {hlo.BF16, 16, 8 * 128}, {hlo.S4, 16, 128}, {hlo.S4, 32, 8 * 128}, {hlo.F32, 4, 4 * 128},
		{hlo.F32, 0, 8 * 128}} {
		s := &hlo.Shape{DType: c.t, Dims: []int64{1, 48}}
		assert.Equal(t, c.want, e.WordsOf(s, e.Orders.Descending(2).Carrying(c.rows)), c)
	}
}

func TestMinorPair(t *testing.T) {
	e := tilesOf(t, "v5e")
	for _, c := range []struct {
		dims       []int64
		a, b       int
		keep       bool
		minor, row int
	}{
		{[]int64{8, 128}, 0, 1, false, 1, 0},
		{[]int64{128, 8}, 0, 1, false, 0, 1},
		{[]int64{128, 128}, 0, 1, false, 0, 1}, // of equals the first one
		{[]int64{128, 128}, 1, 0, false, 1, 0},
		{[]int64{128, 128}, 0, 1, true, 1, 0}, // or the higher one
		{[]int64{128, 128}, 1, 0, true, 1, 0},
	} {
		assert.Equal(t, []int{c.minor, c.row}, e.MinorPair(hlo.F32, c.dims, c.a, c.b, c.keep), c)
	}
}

func TestLeastSize(t *testing.T) {
	e := tilesOf(t, "v5e")
	assert.EqualValues(t, 4*128, e.LeastSize(hlo.F32, []int64{1, 3, 128}), "the two that are not ones are minor")
	assert.EqualValues(t, 128, e.LeastSize(hlo.F32, []int64{1, 1, 128}))
}

func TestSizesSaturate(t *testing.T) {
	assert.EqualValues(t, 0, Times(0, 5))
	assert.EqualValues(t, 0, Times(5, 0))
	assert.EqualValues(t, Most-3, Times(Most/4, 4))
	assert.EqualValues(t, Most, Times(Most/4+1, 4))
	assert.EqualValues(t, Most-7, RoundUp(Most-8, 8))
	assert.EqualValues(t, Most, RoundUp(Most-7, 8))
}
