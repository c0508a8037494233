package tpu_test

import (
	"fmt"
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"hlolayout/hlo"
)

// Examples of tiles and orders, of libtpu 0.0.51.
func TestTilesExamples(t *testing.T) {
	const inside, boundary = false, true
	for _, c := range []struct {
		tpu      string
		d        hlo.DType
		dims     []int64
		boundary bool
		want     string // in descending order
	}{
		{"v5e", hlo.F32, nil, inside, "{:T(128)}"},
		{"v5e", hlo.BF16, nil, inside, "{:T(256)}"},
		{"v5e", hlo.S8, nil, inside, "{:T(512)}"},
		{"v5e", hlo.Pred, nil, inside, "{:T(512)}"},
		{"v5e", hlo.S4, nil, inside, "{:T(1024)E(4)}"},
		{"v2", hlo.F32, nil, inside, "{:T(256)}"},
		{"v2", hlo.S4, nil, inside, "{:T(1024)}"},

		{"v4", hlo.F32, []int64{128}, inside, "{0:T(128)}"},
		{"v4", hlo.F32, []int64{129}, inside, "{0:T(256)}"},
		{"v4", hlo.F32, []int64{257}, inside, "{0:T(512)}"},
		{"v4", hlo.F32, []int64{513}, inside, "{0:T(1024)}"},
		{"v4", hlo.F32, []int64{math.MaxInt64}, inside, "{0:T(1024)}"},
		{"v4", hlo.BF16, []int64{1}, inside, "{0:T(256)(128)(2,1)}"},
		{"v4", hlo.BF16, []int64{600}, inside, "{0:T(1024)(128)(2,1)}"},
		{"v4", hlo.Pred, []int64{512}, inside, "{0:T(512)(128)(4,1)}"},
		{"v4", hlo.S4, []int64{1}, inside, "{0:T(1024)(128)(8,1)E(4)}"},
		{"v4", hlo.S2, []int64{1}, inside, "{0:T(2048)(128)(16,1)E(2)}"},
		{"v4", hlo.S1, []int64{9999}, inside, "{0:T(4096)(128)(32,1)E(1)}"},
		{"v3", hlo.F32, []int64{1}, inside, "{0:T(256)}"},
		{"v3", hlo.BF16, []int64{512}, inside, "{0:T(512)(128)(2,1)}"},
		{"v3", hlo.BF16, []int64{513}, inside, "{0:T(1024)(128)(2,1)}"},
		{"v3", hlo.S2, []int64{1024}, inside, "{0:T(1024)(128)(4,1)}"},
		{"v3", hlo.S2, []int64{1025}, inside, "{0:T(2048)(128)(4,1)}"},
		{"v3", hlo.S1, []int64{1025}, inside, "{0:T(2048)(128)(4,1)}"},
		{"v3", hlo.S1, []int64{2049}, inside, "{0:T(4096)(128)(4,1)}"},

		{"v5e", hlo.S8, []int64{64, 256}, boundary, "{1,0:T(32,128)(4,1)}"},
		{"v5e", hlo.S8, []int64{64, 256}, inside, "{1,0:T(8,128)(4,1)}"},
		{"v5e", hlo.S8, []int64{33, 256}, boundary, "{1,0:T(8,128)(4,1)}"},
		{"v5e", hlo.BF16, []int64{64, 256}, boundary, "{1,0:T(8,128)(2,1)}"},
		{"v2", hlo.S8, []int64{64, 256}, boundary, "{1,0:T(8,128)(4,1)}"},
		{"v5e", hlo.S4, []int64{128, 256}, boundary, "{1,0:T(64,128)(8,1)E(4)}"},
		{"v5e", hlo.S2, []int64{128, 256}, boundary, "{1,0:T(128,128)(16,1)E(2)}"},
		{"v5e", hlo.S1, []int64{256, 256}, boundary, "{1,0:T(256,128)(32,1)E(1)}"},
		{"v5e", hlo.C128, []int64{2, 3, 1, 5}, inside, "{3,2,1,0:T(1,128)}"},

		{"v5e", hlo.F32, []int64{3, 0}, inside, "{1,0}"},
		{"v5e", hlo.S4, []int64{0, 3}, boundary, "{1,0:E(4)}"},
		{"v2", hlo.S4, []int64{0, 3}, boundary, "{1,0}"},
		{"v5e", hlo.F32, []int64{3, hlo.Unbounded}, inside, "{1,0}"},
		{"v5e", hlo.TokenType, []int64{3, 4}, inside, "{1,0}"},
		{"v5e", hlo.DTypeInvalid, nil, inside, ""},
		{"v5e", hlo.DType(250), []int64{3, 4}, inside, "{1,0}"},
	} {
		name := fmt.Sprintf("%s %s%v boundary=%v", c.tpu, c.d, c.dims, c.boundary)
		tgt := target(t, c.tpu)
		assert.Equal(t, c.want, tgt.Layout(c.d, c.dims, nil, c.boundary).String(), name)
		order := hlo.Descending(len(c.dims))
		tiles, bits := tgt.Tiles(c.d, c.dims, order, c.boundary)
		l := hlo.Layout{MinorToMajor: order, Tiles: tiles, ElementBits: bits}
		assert.Equal(t, c.want, l.String(), name)
	}
}

// The rows of a tile: for each type the rows at second-minor sizes 1, 2, 3, 4, 5 and 1000, and the
// large tile where there is one.
func TestRows(t *testing.T) {
	for _, c := range []struct {
		tpu   string
		types []hlo.DType
		rows  [6]int64
		large int64
	}{
		{"v6e", []hlo.DType{hlo.F32, hlo.S64, hlo.C128}, [6]int64{1, 2, 4, 4, 8, 8}, 0},
		{"v2", []hlo.DType{hlo.F32, hlo.S64, hlo.C128}, [6]int64{2, 2, 4, 4, 8, 8}, 0},
		{"v6e", []hlo.DType{hlo.BF16, hlo.U16}, [6]int64{2, 2, 4, 4, 8, 8}, 0},
		{"v2", []hlo.DType{hlo.BF16, hlo.U16}, [6]int64{4, 4, 4, 4, 8, 8}, 0},
		{"v6e", []hlo.DType{hlo.Pred, hlo.S8, hlo.F8E5M2, hlo.F6E2M3FN}, [6]int64{4, 4, 4, 4, 8, 8}, 32},
		{"v2", []hlo.DType{hlo.Pred, hlo.S8, hlo.F8E5M2, hlo.F6E2M3FN}, [6]int64{8, 8, 8, 8, 8, 8}, 0},
		{"v6e", []hlo.DType{hlo.S4, hlo.F4E2M1FN}, [6]int64{8, 8, 8, 8, 8, 8}, 64},
		{"v2", []hlo.DType{hlo.S4, hlo.F4E2M1FN}, [6]int64{8, 8, 8, 8, 8, 8}, 0},
		{"v6e", []hlo.DType{hlo.S2, hlo.U2}, [6]int64{16, 16, 16, 16, 16, 16}, 128},
		{"v2", []hlo.DType{hlo.S2, hlo.U2}, [6]int64{16, 16, 16, 16, 16, 16}, 0},
		{"v6e", []hlo.DType{hlo.S1, hlo.U1}, [6]int64{32, 32, 32, 32, 32, 32}, 256},
		{"v2", []hlo.DType{hlo.S1, hlo.U1}, [6]int64{32, 32, 32, 32, 32, 32}, 0},
	} {
		tgt := target(t, c.tpu)
		for _, d := range c.types {
			for k, second := range []int64{1, 2, 3, 4, 5, 1000} {
				assert.Equal(t, c.rows[k], tgt.Rows(d, second, false), "%s %s %d", c.tpu, d, second)
			}
			large := c.large
			if large == 0 {
				large = c.rows[5]
			}
			assert.Equal(t, large, tgt.Rows(d, 512, true), "%s %s", c.tpu, d)
			assert.Equal(t, c.rows[5], tgt.Rows(d, 511, true), "%s %s", c.tpu, d)
		}
	}
	assert.Zero(t, target(t, "v5e").Rows(hlo.TokenType, 8, false))
}

// An order that does not fit the dimensions has no tiles and no size.
func TestOrderThatDoesNotFit(t *testing.T) {
	tgt := target(t, "v5e")
	for _, order := range [][]int{{}, {0}, {0, 1, 2}, {0, 0}, {2, 0}, {0, -1}} {
		tiles, bits := tgt.Tiles(hlo.S4, []int64{8, 8}, order, false)
		assert.Empty(t, tiles, order)
		assert.EqualValues(t, 4, bits, order)
		_, ok := tgt.Bytes(hlo.S4, []int64{8, 8}, order)
		assert.False(t, ok, order)
	}
}

// A caller who appends to one tile must not write into the next one.
func TestTilesAreApart(t *testing.T) {
	tiles, _ := target(t, "v5e").Tiles(hlo.S8, []int64{600}, nil, false)
	require.Len(t, tiles, 3)
	_ = append(tiles[0], 77)
	require.Equal(t, []hlo.Tile{{1024}, {128}, {4, 1}}, tiles)
}
