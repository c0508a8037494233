package parser_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"hlolayout/hlo"
	"hlolayout/parser"
)

// TestPlainValues reads values in the form that has a way of its own, and with a blank in front, which leaves them to
// the grammar: they have the same parts.
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
