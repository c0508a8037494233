package hlo_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"hlolayout/hlo"
)

func TestUnquote(t *testing.T) {
	for _, c := range []struct {
		text, want string
		ok         bool
	}{
		{`""`, "", true}, {`"a'b"`, "a'b", true}, {`'a"b'`, `a"b`, true}, {`"a\tb\n\r\\\"\'\?"`, "a\tb\n\r\\\"'?",
			true},
		{`"\101\0\377\1a"`, "A\x00\xff\x01a", true}, {`"\x41\xfz"`, "A\x0fz", true}, {`"\u00e9\U0001f600"`, "é😀", true},
		{"\"é\n\"", "é\n", true}, {`"\a\b\f\v"`, "\a\b\f\v", true},
		{`"\q"`, "", false}, {`"\400"`, "", false}, {`"\x"`, "", false}, {`"\x100"`, "", false}, {`"\u00e"`, "", false},
		{`"\ud800"`, "", false}, {`"\U00110000"`, "", false}, {`"\"`, "", false}, {`abc`, "", false}, {`"`, "", false},
		{`"a'`, "", false},
	} {
		got, ok := hlo.Unquote(c.text)
		assert.Equal(t, c.ok, ok, "%s", c.text)
		assert.Equal(t, c.want, got, "%s", c.text)
	}
}

func TestAppendQuoted(t *testing.T) {
	assert.Equal(t, `x"a\'b\"\\\n\r\t\303\251\000\177~ "`,
		string(hlo.AppendQuoted([]byte("x"), "a'b\"\\\n\r\té\x00\x7f~ ")))
}

func TestVisible(t *testing.T) {
	for in, want := range map[string]string{
		"plain é 層": "plain é 層", "a\nb\x1b[1m\x7f": `a\nb\x1b[1m\x7f`, "\u202e\u2028\u200b": `\u202e\u2028\u200b`,
		"\xff\xc3": `\xff\xc3`, "": "", `\`: `\`,
	} {
		assert.Equal(t, want, hlo.Visible(in))
	}
}
