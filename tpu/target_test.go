package tpu_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"hlolayout/hlo"
	"hlolayout/tpu"
)

func TestByName(t *testing.T) {
	require.Equal(t, []string{"v2", "v3", "v4", "v5e", "v5p", "v6e", "v7x"}, tpu.Names())
	for _, name := range tpu.Names() {
		tgt, err := tpu.ByName(name)
		require.NoError(t, err)
		assert.Equal(t, name, tgt.Name)
		tgt.Lanes, tgt.MemorySpaces[0].Name = 7, "x" // a copy: the next call does not see it
		assert.NotEqual(t, tgt, target(t, name))
		assert.Equal(t, "HBM", target(t, name).MemorySpaces[0].Name)
	}
	for name, want := range map[string]string{
		"v7":   `unknown TPU generation "v7"; known are v2, v3, v4, v5e, v5p, v6e, v7x; nearest is "v7x"`,
		"h100": `unknown TPU generation "h100"; known are v2, v3, v4, v5e, v5p, v6e, v7x`,
	} {
		_, err := tpu.ByName(name)
		require.EqualError(t, err, want)
	}
}

func TestSpaces(t *testing.T) {
	for _, name := range tpu.Names() {
		tgt := target(t, name)
		want := map[int64]string{0: "HBM", 1: "VMEM", 2: "SFLAG", 4: "SMEM arrays", 5: "host", 6: "SMEM"}
		if name == "v4" {
			want[3] = "CMEM"
		}
		if name == "v5p" || name == "v6e" || name == "v7x" {
			want[8] = "SparseCore SFLAG"
			for n := int64(9); n <= 12; n++ {
				want[n] = fmt.Sprintf("memory %d", n)
			}
		}
		assert.Equal(t, want, tgt.Spaces(), name)
		for number, text := range want {
			s, ok := tgt.Space(number)
			assert.True(t, ok, name)
			assert.Equal(t, text, s.Name)
			assert.LessOrEqual(t, s.PlacementBytes, s.CapacityBytes, "%s %s", name, text)
		}
		_, ok := tgt.Space(99)
		assert.False(t, ok)
	}
	vmem, _ := target(t, "v5e").Space(1)
	assert.Equal(t, tpu.MemorySpace{Number: 1, Name: "VMEM", CapacityBytes: 128 << 20, PlacementBytes: 112 << 20,
		AlignmentBytes: 4096}, vmem)
	for name, bytes := range map[string]int64{"v5p": 48<<20 - 65536, "v6e": 96<<20 - 65536, "v7x": 64<<20 - 65536} {
		vmem, _ := target(t, name).Space(1)
		assert.Equal(t, bytes, vmem.PlacementBytes, name)
	}
	vmem, _ = target(t, "v2").Space(1)
	assert.Equal(t, tpu.MemorySpace{Number: 1, Name: "VMEM", CapacityBytes: 16 << 20}, vmem)
}

func TestPredPackingBit(t *testing.T) {
	bit, err := target(t, "v6e").WithOptions(tpu.Options{PredPacking: tpu.PredBit})
	require.NoError(t, err)
	for _, c := range []struct {
		dims     []int64
		boundary bool
		want     string
		bytes    int64
	}{
		{nil, false, "{:T(4096)E(1)}", 512},
		{[]int64{5000}, false, "{0:T(4096)(128)(32,1)E(1)}", 1024},
		{[]int64{8, 128}, false, "{1,0:T(32,128)(32,1)E(1)}", 512},
		{[]int64{256, 128}, true, "{1,0:T(256,128)(32,1)E(1)}", 4096},
		{[]int64{256, 0}, true, "{1,0:E(1)}", 0},
	} {
		assert.Equal(t, c.want, bit.Layout(hlo.Pred, c.dims, nil, c.boundary).String())
		bytes, ok := bit.Bytes(hlo.Pred, c.dims, nil)
		assert.True(t, ok)
		assert.Equal(t, c.bytes, bytes, "%v", c.dims)
		assert.Equal(t, bit.Layout(hlo.S1, c.dims, nil, c.boundary), bit.Layout(hlo.Pred, c.dims, nil, c.boundary))
	}
	assert.Equal(t, "{1,0:T(8,128)(4,1)}", bit.Layout(hlo.S8, []int64{8, 128}, nil, false).String())
	assert.Equal(t, bit.BoundaryOrder(hlo.S1, []int64{312, 304, 40}),
		bit.BoundaryOrder(hlo.Pred, []int64{312, 304, 40}))
}

func TestSmallTilesDocumented(t *testing.T) {
	for _, c := range []struct {
		tpu                  string
		d                    hlo.DType
		dims                 []int64
		measured, documented string
	}{
		{"v5e", hlo.F32, []int64{1, 300}, "{1,0:T(1,128)}", "{1,0:T(2,128)}"},
		{"v5e", hlo.C128, []int64{4, 1, 300}, "{2,1,0:T(1,128)}", "{2,1,0:T(2,128)}"},
		{"v5e", hlo.F32, []int64{2, 300}, "{1,0:T(2,128)}", "{1,0:T(2,128)}"},
		{"v5e", hlo.F32, []int64{3, 300}, "{1,0:T(4,128)}", "{1,0:T(4,128)}"},
		{"v5e", hlo.BF16, []int64{1, 300}, "{1,0:T(2,128)(2,1)}", "{1,0:T(2,128)(2,1)}"},
		{"v5e", hlo.S8, []int64{1, 300}, "{1,0:T(4,128)(4,1)}", "{1,0:T(4,128)(4,1)}"},
		{"v2", hlo.F32, []int64{1, 300}, "{1,0:T(2,128)}", "{1,0:T(2,128)}"},
		{"v2", hlo.BF16, []int64{1, 300}, "{1,0:T(4,128)(2,1)}", "{1,0:T(4,128)(2,1)}"},
	} {
		tgt := target(t, c.tpu)
		documented, err := tgt.WithOptions(tpu.Options{SmallTiles: tpu.SmallDocumented})
		require.NoError(t, err)
		assert.Equal(t, c.measured, tgt.Layout(c.d, c.dims, nil, false).String())
		assert.Equal(t, c.documented, documented.Layout(c.d, c.dims, nil, false).String())
	}
	// Sizes and orders follow the tile: a second-minor size of 1 now pads to 2.
	documented, err := target(t, "v5e").WithOptions(tpu.Options{SmallTiles: tpu.SmallDocumented})
	require.NoError(t, err)
	bytes, _ := documented.Bytes(hlo.F32, []int64{1, 128}, nil)
	assert.EqualValues(t, 1024, bytes)
	dims := []int64{2, 1, 128}
	assert.Equal(t, []int{2, 1, 0}, target(t, "v5e").BoundaryOrder(hlo.F32, dims))
	assert.Equal(t, []int{2, 0, 1}, documented.BoundaryOrder(hlo.F32, dims))
}

func TestWithOptions(t *testing.T) {
	tgt := target(t, "v5e")
	changed, err := tgt.WithOptions(tpu.Options{PredPacking: tpu.PredBit, SmallTiles: tpu.SmallDocumented})
	require.NoError(t, err)
	assert.Equal(t, target(t, "v5e"), tgt, "the original is as it was")
	back, err := changed.WithOptions(tpu.Options{})
	require.NoError(t, err)
	assert.Equal(t, tgt, back)
	same, err := tgt.WithOptions(tpu.Options{PredPacking: tpu.PredByte, SmallTiles: tpu.SmallMeasured})
	require.NoError(t, err)
	for _, d := range hlo.DTypes() {
		assert.Equal(t, tgt.Layout(d, []int64{1, 5}, nil, false), same.Layout(d, []int64{1, 5}, nil, false))
	}

	for _, c := range []struct {
		tpu  string
		o    tpu.Options
		want string
	}{
		{"v5e", tpu.Options{PredPacking: "bits"},
			`options.pred_packing: unknown value "bits"; known are byte, bit; nearest is "bit"`},
		{"v5e", tpu.Options{SmallTiles: "document"},
			`options.small_tiles: unknown value "document"; known are measured, documented; nearest is "documented"`},
		{"v2", tpu.Options{PredPacking: "bit"},
			`options.pred_packing: "bit" is impossible on v2, which stores types of less than 8 bits as bytes; use ` +
				`"byte"`},
		{"v3", tpu.Options{PredPacking: "bit"},
			`options.pred_packing: "bit" is impossible on v3, which stores types of less than 8 bits as bytes; use ` +
				`"byte"`},
	} {
		_, err := target(t, c.tpu).WithOptions(c.o)
		assert.EqualError(t, err, c.want)
	}
}
