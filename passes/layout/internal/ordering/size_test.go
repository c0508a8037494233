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
