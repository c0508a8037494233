package diff

import (
	"encoding/csv"
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"hlolayout/hlo"
	"hlolayout/parser"
)

// shape reads one array shape.
func shape(t *testing.T, text string) *hlo.Shape {
	t.Helper()
	m, err := parser.Parse("test", "ENTRY main {\n  ROOT p = "+text+" parameter(0)\n}\n")
	require.NoError(t, err, text)
	return m.Entry.Root.Shape
}

// Sizes that TPU compilers printed in public issues, and the edges.
func TestBytes(t *testing.T) {
	for text, want := range map[string]int64{
		"s32[8388608,8,4]{2,1,0:T(8,128)}":             32 << 30,
		"s32[2048,1,128,128,4]{4,3,2,0,1:T(8,128)}":    16 << 30,
		"bf16[2048,1,2048,128]{0,1,3,2:T(4,128)(2,1)}": 4 << 30,
		"f32[29184,1,2560]{2,1,0:T(2,128)}":            29184 * 2 * 2560 * 4,
		"u32[12582912,1]{1,0:T(8,128)}":                6 << 30,
		"bf16[16,1280,40]{2,1,0:T(8,128)(2,1)}":        5242880,
		"bf16[16,1280,40]{1,2,0:T(8,128)(2,1)}":        1638400,
		"f32[5,4,3]{0,1,2:T(4,128)}":                   6144,
		"bf16[128,4096,352]{2,1,0:T(16,128)(2,1)}":     384 << 20,
		"u8[327680,327680]{1,0:T(8,128)(4,1)}":         107374182400,
		"pred[64,512,2048]{2,1,0:T(8,128)E(32)}":       256 << 20,
		"f32[5,4,3]":                                   240,
		"bf16[]{:T(256)}":                              512,
		"s4[8]{0}":                                     8,
		"s4[9]{0:E(4)}":                                5,
		"f32[0,8]{1,0:T(8,128)}":                       0,
		"c128[2]":                                      32,
	} {
		got, ok := paddedBytes(shape(t, text))
		assert.True(t, ok, text)
		assert.Equal(t, want, got, text)
	}
	for _, text := range []string{"f32[4611686018427387904]{0:T(1024)}", "f32[?]"} {
		_, ok := paddedBytes(shape(t, text))
		assert.False(t, ok, text)
	}
}

// What the compiler allocated.
func TestBytesAsCompiled(t *testing.T) {
	f, err := os.Open("../../testdata/tpu/default_layouts.csv")
	require.NoError(t, err)
	defer f.Close()
	rows, err := csv.NewReader(f).ReadAll()
	require.NoError(t, err)
	require.Greater(t, len(rows), 100)
	for _, r := range rows[1:] { // tpu, dtype, dims, layout, padded_bytes
		if r[4] == "" {
			continue
		}
		text := r[1] + "[" + strings.ReplaceAll(r[2], " ", ",") + "]" + r[3]
		got, ok := paddedBytes(shape(t, text))
		require.True(t, ok, r)
		require.Equal(t, r[4], strconv.FormatInt(got, 10), r)
	}
}
