package tiled

import (
	"encoding/csv"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"hlolayout/hlo"
)

// TestBytesOfTheCompiler compares Bytes with the allocation sizes that the TPU compiler reports for its default
// layouts.
func TestBytesOfTheCompiler(t *testing.T) {
	path := "../../../shared/tpu/default_layouts_public.csv"
	if _, err := os.Stat(path); err != nil {
		path = "../../testdata/cute/default_layouts_sample.csv"
	}
	f, err := os.Open(path)
	require.NoError(t, err)
	defer f.Close()
	rows, err := csv.NewReader(f).ReadAll()
	require.NoError(t, err)
	right, all := 0, 0
	for _, r := range rows[1:] {
		if r[4] == "" { // not measured
			continue
		}
		all++
		want, err := strconv.ParseInt(r[4], 10, 64)
		require.NoError(t, err)
		a := read(t, r[1]+"["+strings.ReplaceAll(r[2], " ", ",")+"]"+r[3])
		if assert.Equal(t, want, a.Bytes(), "%v", r) && assert.Equal(t, a.Total(), a.ArraySize(), "%v", r) {
			right++
		}
	}
	t.Logf("%s: %d of %d sizes right", filepath.Base(path), right, all)
	require.Positive(t, all)
}

// TestPaddingOfReports are the sizes that users met in error messages.
func TestPaddingOfReports(t *testing.T) {
	const mib = 1 << 20
	for _, c := range []struct {
		text            string
		logical, padded int64
	}{
		{"s32[8388608,8,4]{2,1,0:T(8,128)}", 1024 * mib, 32 * 1024 * mib},
		{"s32[2048,1,128,128,4]{4,3,2,0,1:T(8,128)}", 512 * mib, 16 * 1024 * mib},
		{"bf16[2048,1,2048,128]{0,1,3,2:T(4,128)(2,1)}", 1024 * mib, 4 * 1024 * mib},
		{"f32[29184,1,2560]{2,1,0:T(2,128)}", 285 * mib, 570 * mib},
		{"u32[12582912,1]{1,0:T(8,128)}", 48 * mib, 6 * 1024 * mib},
		{"bf16[512,16,3072]{2,1,0:T(8,128)(2,1)}", 48 * mib, 48 * mib},
		{"bf16[16,1280,40]{2,1,0:T(8,128)(2,1)}", 1638400, 5242880},
		{"bf16[16,1280,40]{1,2,0:T(8,128)(2,1)}", 1638400, 1638400},
		{"f32[5,4,3]{0,1,2:T(4,128)}", 240, 6144},
		{"f32[5,4,3]{2,1,0:T(4,128)}", 240, 10240},
		{"bf16[128,4096,352]{2,1,0:T(16,128)(2,1)}", 352 * mib, 384 * mib},
		{"u8[327680,327680]{1,0:T(8,128)(4,1)}", 107374182400, 107374182400},
		{"f32[128,3]{1,0:T(8,128)}", 1536, 64 << 10},
		{"pred[64,512,2048]{2,1,0:T(8,128)E(32)}", 64 * mib, 256 * mib},
	} {
		a := read(t, c.text)
		assert.Equal(t, c.logical, a.LogicalBytes(), c.text)
		assert.Equal(t, c.padded, a.Bytes(), c.text)
		assert.Equal(t, c.padded, a.ArrayBytes(), c.text)
		assert.Equal(t, c.padded-c.logical, a.Waste(), c.text)
		assert.InEpsilon(t, float64(c.padded)/float64(c.logical), a.Expansion(), 1e-9, c.text)
	}
}

func TestSizes(t *testing.T) {
	for _, c := range []struct {
		text                              string
		elements, total, arraySize, bytes int64
	}{
		{"f32[]", 1, 1, 1, 4},
		{"f32[]{:T(128)}", 1, 128, 128, 512},
		{"bf16[]{:T(256)}", 1, 256, 256, 512},
		{"f32[5]{0:L(4)}", 5, 8, 8, 32},
		{"f32[0,7]{1,0}", 0, 0, 0, 0},
		{"f32[0,7]{1,0:T(8,128)}", 0, 0, 0, 0},
		{"f32[7,0]{1,0:T(8,128)L(4)}", 0, 0, 0, 0},
		{"s4[64,256]{1,0:T(8,128)(8,1)E(4)}", 64 * 256, 64 * 256, 64 * 256, 8192},
		{"s4[64,256]{1,0:T(8,128)(4,1)}", 64 * 256, 64 * 256, 64 * 256, 16384}, // without E a byte each
		{"s4[3]{0:E(4)}", 3, 3, 3, 2},
		{"bf16[3,1024]{1,0:T(1,128)(2,1)}", 3072, 6144, 3072, 12288}, // the inner tile pads
		{"f32[8]{0:T(8,128)}", 8, 1024, 1024, 4096},                  // more entries than dimensions
	} {
		a := read(t, c.text)
		assert.Equal(t, []int64{c.elements, c.total, c.arraySize, c.bytes},
			[]int64{a.Elements(), a.Total(), a.ArraySize(), a.Bytes()}, c.text)
		assert.Equal(t, c.total-c.elements, a.Padding())
		assert.Equal(t, c.text, strings.TrimSuffix(a.String(), "{0}"), c.text)
	}
	a := read(t, "f32[0,7]")
	assert.InDelta(t, 1, a.Expansion(), 0)
	assert.Zero(t, a.LogicalBytes())
}

func TestPaddedDims(t *testing.T) {
	for text, want := range map[string][]int64{
		"f32[1024,1000]{0,1:T(8,128)}":  {1024, 1000},
		"f32[1024,1000]{1,0:T(8,128)}":  {1024, 1024},
		"f32[3,20,300]{1,2,0:T(8,128)}": {3, 128, 304},
		"f32[5]{0:T(8,128)}":            {128},
		"f32[3,5]{0,1}":                 {3, 5},
		"f32[2,3,4]{2,1,0:T(*,2,8)}":    nil,
	} {
		dims, ok := read(t, text).PaddedDims()
		assert.Equal(t, want != nil, ok, text)
		assert.Equal(t, want, dims, text)
	}
}

// TestDynamic: a dynamic dimension counts with its bound, an unbounded one has no size.
func TestDynamic(t *testing.T) {
	s := shape(t, "f32[5,130]{1,0:T(8,128)}")
	s.Dynamic = []bool{true, false}
	a, err := New(s)
	require.NoError(t, err)
	assert.Equal(t, int64(8*256*4), a.Bytes())
	s.Dims = []int64{hlo.Unbounded, 130}
	_, err = New(s)
	require.ErrorIs(t, err, ErrShape)
}
