package verify_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"hlolayout/hlo/verify"
	"hlolayout/parser"
)

// Sound has the findings about structure and sizes, and none about element types, layouts or groups of devices.
func TestSound(t *testing.T) {
	for _, test := range []struct{ name, text, want string }{
		{"sizes", "ENTRY e {\n  p = f32[2,3] parameter(0)\n  q = f32[3,2] parameter(1)\n  ROOT a = f32[2,3] add(p, " +
			"q)\n}", "VER104"},
		{"declared", "ENTRY e {\n  p = f32[2,3] parameter(0)\n  ROOT a = f32[5] transpose(p), dimensions={1,0}\n}",
			"VER110"},
		{"kinds", "ENTRY e {\n  p = (f32[2]) parameter(0)\n  ROOT a = f32[2] abs(p)\n}", "VER102"},
		{"a tuple throughout", "ENTRY e {\n  p = (f32[2]) parameter(0)\n  ROOT a = (f32[2]) abs(p)\n}", "VER102"},
		{"dimension numbers", "ENTRY e {\n  p = f32[2,3] parameter(0)\n  ROOT a = f32[3,2] transpose(p), " +
			"dimensions={1,2}\n}", "VER105"},
		{"no callee", "ENTRY e {\n  p = f32[2] parameter(0)\n  ROOT a = f32[2] call(p)\n}", "VER204"},
		{"parameters", "c {\n  p = f32[3] parameter(0)\n}\nENTRY e {\n  p = f32[2] parameter(0)\n  ROOT a = f32[3] " +
			"call(p), to_apply=c\n}", "VER202"},
		{"operands", "ENTRY e {\n  p = f32[2] parameter(0)\n  ROOT r = f32[2] ragged-all-to-all(p, p), " +
			"replica_groups={}\n}", "VER101"},
		{"unbounded", "ENTRY e {\n  p = f32[?,3] parameter(0)\n}", "VER113"},
		{"element types", "ENTRY e {\n  p = f32[2] parameter(0)\n  q = s32[2] parameter(1)\n  ROOT a = f32[2] add(p, " +
			"q)\n}", ""},
		{"a type that the operation does not take", "ENTRY e {\n  p = s32[2] parameter(0)\n  ROOT a = s32[2] " +
			"tanh(p)\n}", ""},
		{"layouts of a scheduled module", "HloModule m, is_scheduled=true\nc {\n  x = f32[4,8]{0,1} " +
			"parameter(0)\n}\nENTRY e {\n" +
			"  a = f32[4,8]{1,0} parameter(0)\n  ROOT r = f32[4,8]{0,1} call(a), to_apply=c\n}", ""},
		{"unknown opcode", "ENTRY e {\n  p = s32[2] parameter(0)\n  ROOT a = f32[7] frobnicate(p)\n}", ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			m, err := parser.Parse("m.hlo", test.text)
			require.NoError(t, err)
			list := verify.Sound(m)
			if test.want == "" {
				assert.Empty(t, list)
				return
			}
			require.NotEmpty(t, list)
			assert.Equal(t, test.want, list[0].Code)
			assert.Positive(t, list[0].Line)
		})
	}
}
