package tiled

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"hlolayout/hlo"
)

// TestPaddedDimensions is the example of XLA's page: [2 x 3], dimension 0 minor, padded to [3, 5].
func TestPaddedDimensions(t *testing.T) {
	a, err := Padded(hlo.F32, []int64{2, 3}, []int{0, 1}, []int64{3, 5})
	require.NoError(t, err)
	memory, err := Fill(a, []string{"a", "b", "c", "d", "e", "f"}, "0")
	require.NoError(t, err)
	assert.Equal(t, "a d 0 b e 0 c f 0 0 0 0 0 0 0", strings.Join(memory, " "))
	memory, err = Fill(mustPad(t, []int64{2, 3}, []int{1, 0}, []int64{3, 5}), []string{"a", "b", "c", "d", "e", "f"},
		"0")
	require.NoError(t, err)
	assert.Equal(t, "a b c 0 0 d e f 0 0 0 0 0 0 0", strings.Join(memory, " "))
	dims, ok := a.PaddedDims()
	assert.True(t, ok)
	assert.Equal(t, []int64{3, 5}, dims)

	scalar := mustPad(t, nil, nil, nil)
	assert.Equal(t, int64(1), scalar.Total())
	for _, c := range []struct {
		dims, padded []int64
		order        []int
		kind         Kind
	}{
		{[]int64{2, 3}, []int64{3}, []int{0, 1}, ErrShape},
		{[]int64{2, 3}, []int64{3, 2}, []int{0, 1}, ErrShape},
		{[]int64{2, 3}, []int64{3, 5}, []int{0, 2}, ErrOrder},
		{[]int64{0, 3}, []int64{0, 5}, []int{0, 1}, ErrTile},
	} {
		_, err := Padded(hlo.F32, c.dims, c.order, c.padded)
		require.ErrorIs(t, err, c.kind)
	}
	_, err = Fill(a, []int{1, 2}, 0)
	require.ErrorIs(t, err, ErrShape)
	_, err = Fill(mustPad(t, []int64{1}, []int{0}, []int64{1 << 40}), []int{1}, 0)
	require.ErrorIs(t, err, ErrLimit)
	assert.Equal(t, "ZERO_PAD", ZeroPad.String())
	assert.Equal(t, "UNKNOWN_PAD", PaddingValue(77).String())
}

func mustPad(t *testing.T, dims []int64, order []int, padded []int64) *Array {
	a, err := Padded(hlo.F32, dims, order, padded)
	require.NoError(t, err)
	return a
}

func TestVocabulary(t *testing.T) {
	for _, c := range []struct{ rank, n, want int }{{3, -1, 2}, {3, -3, 0}, {3, 2, 2}, {1, 0, 0}} {
		got, err := Dimension(c.rank, c.n)
		require.NoError(t, err)
		assert.Equal(t, c.want, got)
	}
	for _, c := range []struct{ rank, n int }{{3, 3}, {3, -4}, {0, 0}, {0, -1}} {
		_, err := Dimension(c.rank, c.n)
		require.ErrorIs(t, err, ErrIndex)
	}
	assert.Equal(t, 2, TrueRank([]int64{1, 5, 0, 1, 7}))
	for rank, want := range []string{"", "x", "y,x", "z,y,x", "p,z,y,x", ""} {
		names, ok := AxisNames(rank)
		assert.Equal(t, want != "", ok)
		assert.Equal(t, want, strings.Join(names, ","))
	}
	assert.True(t, IsDescending([]int{2, 1, 0}))
	assert.False(t, IsDescending([]int{0, 1}))
	assert.True(t, IsAscending([]int{0, 1, 2}))
	assert.False(t, IsAscending([]int{1, 0}))
	assert.True(t, IsAscending(nil) && IsDescending(nil))
}

func TestLinearIndex(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		dims := genDims(t)
		size, _ := product(dims...)
		n := rapid.Int64Range(0, size-1).Draw(t, "n")
		index, err := MultiIndex(nil, dims, n)
		require.NoError(t, err)
		back, err := LinearIndex(dims, index)
		require.NoError(t, err)
		require.Equal(t, n, back)
		want, err := New(hlo.NewArray(hlo.F32, dims, nil))
		require.NoError(t, err)
		offset, err := want.Index(index...)
		require.NoError(t, err)
		require.Equal(t, n, offset)
	})
	for _, c := range []struct {
		dims, index []int64
		kind        Kind
	}{
		{[]int64{2, 3}, []int64{1}, ErrIndex},
		{[]int64{2, 3}, []int64{1, 3}, ErrIndex},
		{[]int64{2, 3}, []int64{-1, 0}, ErrIndex},
		{[]int64{1 << 40, 1 << 40}, []int64{0, 0}, ErrOverflow},
	} {
		_, err := LinearIndex(c.dims, c.index)
		require.ErrorIs(t, err, c.kind)
	}
	_, err := MultiIndex(nil, []int64{2, 3}, 6)
	require.ErrorIs(t, err, ErrIndex)
	_, err = MultiIndex(nil, []int64{2, 0}, 0)
	require.ErrorIs(t, err, ErrIndex)
	_, err = MultiIndex(nil, []int64{1 << 40, 1 << 40}, 6)
	require.ErrorIs(t, err, ErrOverflow)
}
