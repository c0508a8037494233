package parser_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"hlolayout/hlo"
	"hlolayout/parser"
)

func TestParseAll(t *testing.T) {
	one := "HloModule a\n\nENTRY e {\n  p = f32[2] parameter(0)\n}\n"
	two := "HloModule b\n\nENTRY e {\n  p = f32[3] parameter(0)\n}\n"
	for _, c := range []struct {
		name, text string
		modules    []string
	}{
		{"one", one, []string{"a"}},
		{"divided", one + "// -----\n" + two, []string{"a", "b"}},
		{"divided with nothing between", "// -----\n" + one + "// -----\n// -----\n\n" + two + "// -----\n",
			[]string{"a", "b"}},
		{"one after the other", one + two + one, []string{"a", "b", "a"}},
		{"a headerless part", one + "// -----\nENTRY f { p = f32[] parameter(0) }\n", []string{"a", "module_f"}},
		{"one instruction", "f32[2] negate(f32[2] x)", []string{"_"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			ms, err := parser.Config{}.ParseAll("in.hlo", c.text)
			require.NoError(t, err)
			var names []string
			for _, m := range ms {
				names = append(names, m.Name)
			}
			assert.Equal(t, c.modules, names)
		})
	}
	_, err := parser.Config{}.ParseAll("in.hlo", one+"// -----\n"+two+"// -----\nHloModule c\nENTRY e {\n  p = "+
		"f32[4] negate(x)\n}\n")
	require.Error(t, err)
	assert.Equal(t, 15, err.(hlo.ErrorList)[0].Line)
	assert.Equal(t, "      p = f32[4] negate(x)\n                        ^\n", err.(hlo.ErrorList)[0].Snippet())
}
