package ordering

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"hlolayout/hlo"
	"hlolayout/tpu"
)

// The log of libtpu 0.0.51 weighs a cluster of this shape, the update of depthwise filters, with these sizes.
func TestWordsOf(t *testing.T) {
	for name, want := range map[string]int64{"v2": 7 * 7 * 2 * 128, "v5e": 7 * 7 * 128} {
		target, err := tpu.ByName(name)
		require.NoError(t, err)
		e := NewTiles(target)
		s := &hlo.Shape{DType: hlo.BF16, Dims: []int64{7, 7, 1, 48}}
		assert.Equal(t, want, e.WordsOf(s, e.Orders.Descending(4).Carrying(0)), name)
		assert.EqualValues(t, 7*8*128, e.WordsOf(s, e.Orders.Of([]int{3, 1, 2, 0}).Carrying(0)), name)
	}
}

// Both orders of these take the same size; libtpu 0.0.51 scatters elements into them in the order named.
func TestMemoryOrderOfOneSize(t *testing.T) {
	target, err := tpu.ByName("v5e")
	require.NoError(t, err)
	e := NewTiles(target)
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
