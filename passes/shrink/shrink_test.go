package shrink_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"hlolayout/parser"
	"hlolayout/passes/shrink"
	"hlolayout/tpu"
)

// The order of the first is what the compiler chose for the copy in an out-of-memory module: 8 GiB in place of 256.
func TestWays(t *testing.T) {
	v5e, err := tpu.ByName("v5e")
	require.NoError(t, err)
	for shape, want := range map[string][]shrink.Way{
		"f32[536870912,4]{1,0:T(8,128)}": {{Kind: "dtype", Text: "bf16 in place of f32, and order {0,1} in place of {1,0}",
			Bytes: 4 << 30, Saves: 252 << 30},
			{Kind: "order", Text: "order {0,1} in place of {1,0}", Bytes: 8 << 30, Saves: 248 << 30}},
		"s32[64,3,5]{2,1,0:T(8,128)}": {{Kind: "order", Text: "order {0,1,2} in place of {2,1,0}", Bytes: 5 * 4 * 128 * 4,
			Saves: 64*8*128*4 - 5*4*128*4},
			{Kind: "joined", Text: "a shape of s32[192,5], with two dimensions joined", Bytes: 16 * 128 * 4,
				Saves: 64*8*128*4 - 16*128*4}},
		"f32[1024,256]{1,0:T(8,128)}": {{Kind: "dtype", Text: "bf16 in place of f32", Bytes: 1 << 19, Saves: 1 << 19}},
		"s32[8,128]{1,0:T(8,128)}":    nil,
		"token[]":                     nil,
	} {
		s, err := parser.ParseShape(shape)
		require.NoError(t, err)
		assert.ElementsMatch(t, want, shrink.Ways(s, v5e), shape)
	}
}

func TestWhy(t *testing.T) {
	for shape, want := range map[string]string{
		"bf16[2,4,64,32]{2,3,1,0:T(8,128)(2,1)}": "dimension 2: 64 to 128",
		"f32[5,130]{1,0:T(8,128)}":               "dimension 1: 130 to 256, dimension 0: 5 to 8",
		"f32[8,128]{1,0:T(8,128)}":               "",
		"pred[8,128]{1,0:T(8,128)E(32)}":         "8 bits an element stored in 32",
		"f32[]{:T(128)}":                         "",
		"f32[5,130]{1,0}":                        "",
		"s32[3,5,7]{2,1,0:T(*,8)}":               "",
	} {
		s, err := parser.ParseShape(shape)
		require.NoError(t, err, shape)
		assert.Equal(t, want, shrink.Why(s), shape)
	}
}
