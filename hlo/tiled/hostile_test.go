package tiled

import (
	"errors"
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"hlolayout/hlo"
	"hlolayout/hlo/cute"
)

var edges = []int64{math.MinInt64, -2, -1, 0, 1, 2, 3, 7, 8, 128, 1000, 1 << 20, 1 << 31, 1<<31 + 1, 1 << 32, 1<<61 - 1,
	1 << 62, math.MaxInt64}

// TestHostileShapes: any numbers at all give an array or an error of this package, soon, and every method answers.
func TestHostileShapes(t *testing.T) {
	made := 0
	rapid.Check(t, func(t *rapid.T) {
		start := time.Now()
		number := rapid.SampledFrom(edges)
		draw := func(label string, most int) []int64 {
			return rapid.SliceOfN(number, 0, most).Draw(t, label)
		}
		make1 := func(label string, dims []int64) *Array {
			l := &hlo.Layout{TailPadding: number.Draw(t, "L"), ElementBits: number.Draw(t, "E"),
				MinorToMajor: hlo.Descending(len(dims))}
			if rapid.Bool().Draw(t, "any order") {
				l.MinorToMajor = rapid.SliceOfN(rapid.IntRange(-1, 4), 0, 4).Draw(t, "order")
			}
			if rapid.Bool().Draw(t, "plain") {
				l.TailPadding, l.ElementBits = 0, 0
			}
			for range rapid.IntRange(0, 3).Draw(t, "tiles") {
				l.Tiles = append(l.Tiles, draw("tile", 4))
			}
			a, err := New(hlo.NewArray(hlo.S8, dims, l))
			var e *Error
			require.True(t, err == nil || errors.As(err, &e), "%v", err)
			return a
		}
		dims := draw("dims", 4)
		a, b := make1("a", dims), make1("b", dims)
		for _, x := range []*Array{a, b} {
			if x == nil {
				continue
			}
			made++
			require.GreaterOrEqual(t, x.Total(), x.Elements(), "%s", x)
			require.GreaterOrEqual(t, x.Bytes(), int64(0))
			require.GreaterOrEqual(t, x.LogicalBytes(), int64(0))
			_ = x.Expansion()
			_ = x.Recipe()
			_, _ = x.PaddedDims()
			_, _ = x.Joined()
			index := make([]int64, len(dims))
			for i, d := range dims {
				index[i] = d - 1
			}
			n, err := x.Index(index...)
			require.Equal(t, x.Elements() == 0, err != nil, "%s", x)
			if err == nil {
				back, ok, err := x.Element(nil, n)
				require.NoError(t, err)
				require.True(t, ok)
				require.Equal(t, index, append([]int64{}, back...), "%s at %d", x, n)
				_, _ = x.Place(n)
			}
			_, _, _ = x.Element(nil, number.Draw(t, "offset"))
			_, _ = x.Offset(draw("physical", 6)...)
			if l, err := x.Layout(); err == nil {
				_, _ = FromCute(l, dims)
			}
		}
		if a != nil && b != nil {
			_, _ = Bitcast(a, b)
			_, _ = ReshapeBitcast(a, b)
			_, _ = Relayout(a, b)
			_, _ = Runs(a, b, 1000)
		}
		require.Less(t, time.Since(start), 5*time.Second)
	})
	require.Positive(t, made)
}

// TestHostileTiles: many tiles and long tiles end at the limit.
func TestHostileTiles(t *testing.T) {
	long := make(hlo.Tile, 5000)
	for i := range long {
		long[i] = 1
	}
	many := make([]hlo.Tile, 5000)
	for i := range many {
		many[i] = hlo.Tile{2}
	}
	for _, tiles := range [][]hlo.Tile{{long}, many} {
		_, err := New(hlo.NewArray(hlo.S8, []int64{4}, &hlo.Layout{MinorToMajor: []int{0}, Tiles: tiles}))
		require.ErrorIs(t, err, ErrLimit)
	}
	_, err := New(hlo.NewArray(hlo.S8, long, nil))
	require.ErrorIs(t, err, ErrLimit)
}

// TestHostileCute: layouts whose modes have huge or prime extents do not take the search for tiles long.
func TestHostileCute(t *testing.T) {
	for text, dims := range map[string][]int64{
		"2305843009213693951:1":                              {1},
		"(2305843009213693951,2):(2,1)":                      {5, 2},
		"(4611686018427387904,1):(1,0)":                      {3, 1},
		"((2,2,2,2,2,2,2,2),3):((128,64,32,16,8,4,2,1),256)": {200, 3},
	} {
		start := time.Now()
		l, err := cute.ParseLayout(text)
		require.NoError(t, err)
		tiles, err := FromCute(l, dims)
		require.Less(t, time.Since(start), time.Second)
		if err != nil {
			continue
		}
		a, err := New(hlo.NewArray(hlo.S8, dims, tiles))
		require.NoError(t, err)
		index := make([]int64, len(dims))
		for i, d := range dims {
			index[i] = d - 1
		}
		want, err := l.Index(index...)
		require.NoError(t, err)
		got, err := a.Index(index...)
		require.NoError(t, err)
		require.Equal(t, want, got, "%s: %s", text, tiles)
	}
}
