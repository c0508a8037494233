package tiled

import (
	"testing"

	"github.com/stretchr/testify/require"

	"hlolayout/hlo"
)

// The first position after the last one of each physical dimension is refused, and so is one below the first.
func TestOffsetBounds(t *testing.T) {
	a, err := New(hlo.NewArray(hlo.F32, []int64{20, 300}, &hlo.Layout{MinorToMajor: []int{1, 0},
		Tiles: []hlo.Tile{{8, 128}}}))
	require.NoError(t, err)
	sizes := a.final
	last := make([]int64, len(sizes))
	for i, n := range sizes {
		last[i] = n - 1
	}
	_, err = a.Offset(last...)
	require.NoError(t, err)
	for i := range sizes {
		for _, wrong := range []int64{sizes[i], -1} {
			at := append([]int64(nil), last...)
			at[i] = wrong
			_, err := a.Offset(at...)
			require.ErrorIs(t, err, ErrIndex, "dimension %d at %d", i, wrong)
		}
	}
}
