package parser_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"hlolayout/parser"
	"hlolayout/printer"
)

// What XLA's parser makes of a single instruction, printed by XLA.
func TestSingleInstruction(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"foo = f32[10] add(f32[10] a, f32[10])", `%_ (a: f32[10], _1: f32[10]) -> f32[10] {
  %a = f32[10]{0} parameter(0)
  %_1 = f32[10]{0} parameter(1)
  ROOT %foo = f32[10]{0} add(%a, %_1)
}`},
		{"f32[10] negate(f32[10])", `%_ (_0: f32[10]) -> f32[10] {
  %_0 = f32[10]{0} parameter(0)
  ROOT %_ = f32[10]{0} negate(%_0)
}`},
		{"r = f32[10] add(f32[10] negate(f32[10] a), f32[10] b)",
			`%_ (negate: f32[10], a: f32[10], b: f32[10]) -> f32[10] {
  %negate = f32[10]{0} parameter(0)
  %a = f32[10]{0} parameter(1)
  %negate.anon = f32[10]{0} negate(%a)
  %b = f32[10]{0} parameter(2)
  ROOT %r = f32[10]{0} add(%negate.anon, %b)
}`},
		{"r = f32[4] map(f32[4] x), to_apply={ x = f32[] parameter(0) }", `%_.1 (x.1: f32[]) -> f32[] {
  ROOT %x.1 = f32[] parameter(0)
}

ENTRY %_ (x: f32[4]) -> f32[4] {
  %x = f32[4]{0} parameter(0)
  ROOT %r = f32[4]{0} map(%x), dimensions={0}, to_apply=%_.1
}`},
	} {
		m, err := parser.Parse("one.hlo", c.text)
		require.NoError(t, err, c.text)
		got := printer.Config{Mode: printer.Canonical}.Print(m)
		header, body, _ := strings.Cut(got, "\n\n")
		assert.Contains(t, header, "HloModule _, is_scheduled=true, entry_computation_layout={(")
		assert.Equal(t, c.want, strings.TrimPrefix(strings.TrimSpace(body), "ENTRY "), c.text)
	}
}
