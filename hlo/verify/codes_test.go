package verify_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"hlolayout/hlo"
	"hlolayout/hlo/verify"
	"hlolayout/parser"
)

// found returns the codes of all findings about a text.
func found(t *testing.T, text string) (codes []string, list hlo.ErrorList) {
	t.Helper()
	m, err := parser.Parse("example.hlo", text)
	require.NoError(t, err)
	list = verify.Module(m)
	for _, e := range list {
		codes = append(codes, e.Code)
	}
	return codes, list
}

func TestEveryCodeHasAnExampleThatCausesIt(t *testing.T) {
	for i, c := range verify.Codes {
		t.Run(c.Name, func(t *testing.T) {
			assert.NotEmpty(t, c.Meaning)
			if i > 0 {
				assert.Less(t, verify.Codes[i-1].Name, c.Name, "the table is in order, each code once")
			}
			if c.Example == "" {
				assert.Contains(t, edits, c.Name, "a code without a text needs a module that causes it")
				return
			}
			codes, list := found(t, c.Example)
			assert.Contains(t, codes, c.Name)
			for _, e := range list {
				assert.Positive(t, e.Line)
				assert.NotEmpty(t, e.Source)
			}
		})
	}
}

// origin={} stands for the origin of an empty tuple.
func TestOriginOfAnEmptyTuple(t *testing.T) {
	codes, _ := found(t, "ENTRY e { ROOT t = () tuple(), origin={} }")
	assert.Empty(t, codes)
}

// Nested shardings are compared in one walk: the work does not double with each of 60 levels.
func TestNestedShardings(t *testing.T) {
	nested := func(kind string) string {
		return ", sharding=" + strings.Repeat("{", 60) + kind + strings.Repeat("}", 60) + "\n"
	}
	for kind, want := range map[string][]string{"replicated": nil, "manual": {verify.VER403}} {
		codes, _ := found(t, "c {\n  ROOT p = f32[4] parameter(0)"+nested("replicated")+"}\n"+
			"d {\n  q = f32[4] parameter(0)\n  ROOT k = pred[] constant(true)\n}\n"+
			"ENTRY e {\n  a = f32[4] parameter(0)\n  ROOT w = f32[4] while(a), condition=d, body=c"+nested(kind)+"}\n")
		assert.Equal(t, want, codes, kind)
	}
}
