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
		"f32[536870912,4]{1,0:T(8,128)}": {{Text: "bf16 in place of f32", Bytes: 4 << 30, Saves: 252 << 30}, {Text: "order {0,1} in place of {1,0}", Bytes: 8 << 30, Saves: 248 << 30}},
		"s32[64,3,5]{2,1,0:T(8,128)}": {{Text: "order {0,1,2} in place of {2,1,0}", Bytes: 5 * 4 * 128 * 4, Saves: 64*8*128*4 - 5*4*128*4},
			{Text: "a shape of s32[192,5], with two dimensions joined", Bytes: 16 * 128 * 4, Saves: 64*8*128*4 - 16*128*4}},
		"s32[8,128]{1,0:T(8,128)}": nil,
		"token[]":                  nil,
	} {
		s, err := parser.ParseShape(shape)
		require.NoError(t, err)
		assert.ElementsMatch(t, want, shrink.Ways(s, v5e), shape)
	}
}
