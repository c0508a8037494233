package parser_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"hlolayout/hlo"
	"hlolayout/parser"
)

// TestPlainValues reads values in the form that is read without the grammar, and with a blank in front, which leaves
// them to the grammar: they have the same parts.
func TestPlainValues(t *testing.T) {
	read := func(value string) *hlo.Value {
		m, err := parser.Parse("in.hlo", "HloModule m\n\nENTRY %e {\n  ROOT %p = f32[] parameter(0), unknown="+value+"\n}\n")
		require.NoError(t, err, value)
		return m.Entry.Root.Attr("unknown")
	}
	for _, value := range []string{
		"{0}", "{0,1}", "{0, -1,2}", "{1 2}", "{a=1}", "{a=1, b=2,c=3}", "{size=3 pad=-1}", "{123456789012345678,1}",
		`{op_name="x" stack_frame_id=12}`, `{op_name="a\"}b" source_file="/a b.py" source_line=3}`, `{"a","b"}`,
		"{}", "{0,}", "{,0}", "{a=b}", "{a=1.5}", "{1e5}", "{3x3}", "{1_1}", "{a.b-c=1}", "{a={1}}", "{-1}",
		"{9223372036854775807}", "{true}", `{a="b"c}`, `{a='b'}`, "{size=3x3}", "{1/*c*/,2}",
	} {
		got, want := read(value), read("{ "+value[1:])
		assert.Equal(t, value, got.Text)
		assert.Equal(t, want.Kind, got.Kind, value)
		assert.Equal(t, want.Open, got.Open, value)
		assert.Equal(t, want.Elems, got.Elems, value)
	}
}

// TestPlainShapes reads shapes in the form that is read without the grammar, and with a blank in front of the
// dimensions, which leaves them to the grammar: they are the same, or refused alike.
func TestPlainShapes(t *testing.T) {
	for _, text := range []string{
		"f32[]", "f32[2]", "bf16[2,3]", "pred[0]", "s4[128]{0:E(4)}", "f32[2,3]{1,0}", "f32[2,3]{0,1:T(8,128)}",
		"bf16[2,3]{1,0:T(8,128)(2,1)S(1)}", "u32[]{:T(128)}", "u32[]{:S(5)}", "f32[1,2]{1,0:T(1,2)E(8)S(3)}",
		"f32[02]", "f32[2]{00}", "f32[2,3]{1,1}", "f32[2,3]{1}", "f32[2]{0,1}", "f32[2]{1}", "f32[2]{:T(8)}", "F32[2]",
		"f32[2]{0:S(0)}", "f32[2]{0:S(1)E(4)}", "f32[2]{0:T(8)L(2)}", "f32[2]{0:T()}", "f32[2]{0:T(0)}", "f32[2]{0:T(*,8)}",
		"f32[<=2]", "f32[?]", "f32[2,]", "f32[,2]", "f32[2]{0:}", "f32[2]{0", "f32[2", "f32", "f33[2]", "token[]", "opaque[]",
		"f32[99999999999999999999]", "f32[2]{0:T(8,128)(2,1}", "f32[2]{0:T}", "f32[2]{0:S1}",
		"(f32[2])", "(f32[2]{0:T(128)}, (bf16[2,3]{1,0}, f32[2]{0:T(128)}), pred[])",
		"(f32[2],f32[2])", "(f32[2],  f32[2])",
		"(f32[1], f32[2], f32[3], f32[4], f32[5], /*index=5*/f32[6], f32[7])", "(f32[1], /*index=1*/f32[2])",
		"(f32[1], f32[2], f32[3], f32[4], f32[5], f32[6])",
		"(f32[2], ((f32[2], f32[3]), (f32[2], f32[3])), (f32[2], f32[3]))",
		"(f32[2], token[])", "(f32[2], f33[2])", "(f32[2]", "(f32[2],)", "(f32[2]{0, f32[3])", "(f32[2], f32[2]{1})",
		"((f32[2]), (f32[2]))", "(f32[2], ())", "(f32[<=2], f32[2])",
		strings.Repeat("(", 150) + "f32[2]" + strings.Repeat(")", 150),
	} {
		read := func(text string) (s *hlo.Shape, warned hlo.ErrorList) {
			c := parser.Config{Warn: func(e *hlo.Error) { warned = append(warned, e) }}
			m, err := c.Parse("in.hlo", "HloModule m\n\nENTRY %e {\n  ROOT %p = "+text+" parameter(0)\n}\n")
			if err != nil {
				return nil, err.(hlo.ErrorList)
			}
			return m.Entry.Root.Shape, warned
		}
		got, gotErrors := read(text)
		blank := strings.Replace(text, "[", "[ ", 1)
		if text[0] == '(' {
			blank = "( " + text[1:]
		}
		want, wantErrors := read(blank)
		assert.Equal(t, len(wantErrors), len(gotErrors), text)
		assertSame(t, want, got, text)
		if text[0] != '(' {
			assert.Equal(t, want, got, text)
		}
	}
}

// assertSame compares shapes: all but whether an empty list is nil.
func assertSame(t *testing.T, want, got *hlo.Shape, text string) {
	if want == nil || got == nil {
		assert.Equal(t, want, got, text)
		return
	}
	assert.True(t, want.Equal(got), text)
	assert.Equal(t, want.String(), got.String(), text)
	assert.Equal(t, want.Bare(), got.Bare(), text)
}

// TestPlainEntryLayouts reads layouts of entries in the form that is read without the grammar, and with a blank in
// front, which leaves them to the grammar.
func TestPlainEntryLayouts(t *testing.T) {
	for _, text := range []string{
		"(f32[2]{0}, (bf16[2,3]{1,0}, pred[]))->f32[2]{0}",
		"(f32[2]{0:T(128)})->(f32[2]{0:T(128)}, f32[2]{0:T(128)})",
		"(f32[2], token[])->f32[2]", "(f32[2])->token[]", "(f32[2])-> f32[2]", "(f32[2]) -> f32[2]",
		"()->f32[2]", "(f32[2])->()", "f32[2]->f32[2]", "(f32[2])", "(f32[2])->f32[2], f32[3]",
		"(f32[2])->f32[2]}", "(f32[2])->", "(f32[2]->f32[2]",
	} {
		read := func(text string) (shapes []*hlo.Shape, errors int) {
			m, err := parser.Parse("in.hlo", "HloModule m, entry_computation_layout={"+text+
				"}\n\nENTRY %e {\n  ROOT %p = f32[2] parameter(0)\n}\n")
			if err != nil {
				return nil, len(err.(hlo.ErrorList))
			}
			params, result, _ := m.EntryLayout()
			return append(params, result), 0
		}
		got, gotErrors := read(text)
		want, wantErrors := read(" " + text)
		assert.Equal(t, wantErrors, gotErrors, text)
		require.Len(t, got, len(want), text)
		for i := range want {
			assertSame(t, want[i], got[i], text)
		}
	}
}
