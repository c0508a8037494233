package ordering

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"hlolayout/hlo"
	"hlolayout/tpu"
)

// Rows of 128 that fill whole tiles, and a single row, follow one another as the elements of rank 1 do; tiles of
// different rows do where they are one tile wide.
func TestTilesAgree(t *testing.T) {
	target, err := tpu.ByName("v5e")
	require.NoError(t, err)
	e := NewTiles(target)
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
