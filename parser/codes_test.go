package parser_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"hlolayout/hlo"
	"hlolayout/parser"
)

// TestCodes reads the example of every code, strictly, and expects the code.
func TestCodes(t *testing.T) {
	seen := map[string]bool{}
	for _, c := range parser.Codes() {
		assert.False(t, seen[c.Name], "%s is described twice", c.Name)
		seen[c.Name] = true
		assert.NotEmpty(t, c.Meaning)
		if c.Example == "" {
			continue
		}
		text := strings.TrimSpace(c.Example)
		if !strings.HasPrefix(text, "HloModule") {
			text = "HloModule m\n" + text
		}
		strict := strings.Contains(c.Meaning, "strict")
		m, err := parser.Config{Strict: strict}.Parse("in.hlo", text)
		if err == nil {
			err = hlo.Check(m).Err()
		}
		if assert.Error(t, err, c.Name) {
			assert.Contains(t, err.Error(), "["+c.Name+"]")
			e := err.(hlo.ErrorList)[0]
			assert.Positive(t, e.Line)
		}
	}
	assert.Greater(t, len(seen), 25)
}

// TestSeveralErrors: one mistake does not hide the others, and causes no others.
func TestSeveralErrors(t *testing.T) {
	_, err := parser.Parse("in.hlo", `HloModule m

f {
  a = f32[2] parameter(0)
  b = f32[2 negate(a)
  c = f32[2] add(a, b)
  ROOT d = f32[2] add(c, missing)
}

ENTRY e {
  p = f32[2] parameter(0)
  q = f32[2] call(p), to_apply=f, metadata={op_name="x"
  r = f32[2] negate(q)
  s = f33[2] negate(r)
  ROOT u = f32[2] negate(s)
}
`)
	require.Error(t, err)
	var got []string
	for _, e := range err.(hlo.ErrorList) {
		got = append(got, e.Error())
	}
	assert.Equal(t, []string{
		`in.hlo:5:13: unexpected "negate"; expected ` + "`]`" + ` [HLO001]`,
		`in.hlo:7:26: no instruction "missing"; an instruction is defined before its use, in the same ` +
			`computation [HLO010]`,
		`in.hlo:13:3: unexpected "r"; expected ` + "`}`" + ` [HLO001]`,
		`in.hlo:14:7: "f33" is not an element type; did you mean f32? [HLO030]`,
	}, got)
}

// TestSmallTextsThatCostMuch: the time and memory of reading grow with the text, not with what it says.
func TestSmallTextsThatCostMuch(t *testing.T) {
	deep := strings.Repeat("{", 1_000_000)
	for i, text := range []string{
		"HloModule m\nENTRY e {\n p = f32[] constant(" + deep + ")\n}",
		"HloModule m\nENTRY e {\n p = f32[] parameter(0), sharding=" + deep + "\n}",
		"HloModule m\nENTRY e {\n p = f32[] parameter(0), sharding=" + strings.Repeat("{", 100_000) +
			strings.Repeat("}", 100_000) + "\n}",
		"HloModule m\nENTRY e {\n p = " + strings.Repeat("(", 1_000_000) + " parameter(0)\n}",
		"HloModule m\nENTRY e {\n p = f32[] add(" + strings.Repeat("add(", 1_000_000) + "\n}",
		"HloModule m\nENTRY e (p: " + strings.Repeat("(", 1_000_000) + "\n}",
		deep, strings.Repeat("(", 1_000_000), strings.Repeat("\n", 1_000_000), strings.Repeat("/*", 1_000_000),
		"HloModule " + strings.Repeat("a", 10_000_000),
		"HloModule m\nENTRY e {\n" + strings.Repeat("%x = f32[2] negate(%y)\n", 50_000) + "}",
	} {
		_, err := parser.Config{Strict: true}.Parse("in.hlo", text)
		require.Error(t, err, i)
		assert.LessOrEqual(t, len(err.(hlo.ErrorList)), 101)
	}
}
