package parser_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestGeneratedFilesAreFresh runs the generator and compares. It needs Java and the ANTLR tool;
// HLOLAYOUT_REQUIRE_ANTLR=1 (set in CI) turns its skipping into a failure.
func TestGeneratedFilesAreFresh(t *testing.T) {
	out := t.TempDir()
	message, err := exec.Command("go", "run", "./internal/lexgen", "-grammars", ".", "-out", out).CombinedOutput()
	if err != nil {
		if os.Getenv("HLOLAYOUT_REQUIRE_ANTLR") == "" {
			t.Skipf("the generator cannot run here (Java 11 or later and the ANTLR tool are needed): %s", message)
		}
		t.Fatalf("%v\n%s", err, message)
	}
	for _, name := range []string{"hlo_parser.go", "lexer_tables.go", "testdata/HLOLexer.interp"} {
		want, err := os.ReadFile(filepath.Join(out, name))
		require.NoError(t, err)
		got, err := os.ReadFile(filepath.Join("internal/grammar", name))
		require.NoError(t, err)
		assert.True(t, string(want) == string(got), "%s is stale: run `go generate ./parser`", name)
	}
}

// TestEveryDecisionLooksOneTokenAhead: AdaptivePredict is ANTLR's search over more tokens. The fast base class does not
// serve it, and one ambiguous rule is enough to need it.
func TestEveryDecisionLooksOneTokenAhead(t *testing.T) {
	text, err := os.ReadFile("internal/grammar/hlo_parser.go")
	require.NoError(t, err)
	assert.Contains(t, string(text), "func (p *HLOParser) Instructions()")
	assert.NotContains(t, string(text), "AdaptivePredict")
}
