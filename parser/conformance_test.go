package parser_test

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"hlolayout/hlo"
	"hlolayout/parser"
)

// The conformance texts are XLA's own, with its verdicts: see their README.
const (
	conformance       = "../../shared/hlo-text"
	smallConformance  = "../testdata/hlo-text"
	conformanceAdvice = "no %s next to the clone: the copy in testdata is read"
)

func conformanceFiles(t *testing.T, pattern string) []string {
	t.Helper()
	dir := conformance
	if other := os.Getenv("HLOLAYOUT_CONFORMANCE"); other != "" { // another folder of such texts
		dir = other
	}
	if _, err := os.Stat(dir); err != nil {
		t.Logf(conformanceAdvice, dir)
		dir = smallConformance
	}
	files, err := filepath.Glob(filepath.Join(dir, pattern))
	require.NoError(t, err)
	return files
}

func read(t *testing.T, file string) string {
	t.Helper()
	text, err := os.ReadFile(file)
	require.NoError(t, err)
	return string(text)
}

func TestAccept(t *testing.T) {
	files := conformanceFiles(t, "accept/*.hlo")
	good := 0
	for _, file := range files {
		text := read(t, file)
		_, err := parser.Parse(filepath.Base(file), text)
		if assert.NoError(t, err) {
			good++
		}
		_, err = parser.Config{Strict: true}.Parse(filepath.Base(file)+" (strict)", text)
		assert.NoError(t, err)
	}
	assert.GreaterOrEqual(t, len(files), 50)
	t.Logf("accepted: %d of %d", good, len(files))
}

// betterPositions are the refused texts whose error we report elsewhere than XLA does, and why there.
var betterPositions = map[string]string{}

var xlaPosition = regexp.MustCompile(`was parsing (\d+):(\d+): error`)

// positions returns what XLA's message names, as our 1-based line:col: XLA's columns are 0-based on line 1 only.
func positions(message string) map[string]bool {
	at := map[string]bool{}
	for _, m := range xlaPosition.FindAllStringSubmatch(message, -1) {
		var line, col int
		fmt.Sscan(m[1], &line)
		fmt.Sscan(m[2], &col)
		if line == 1 {
			col++
		}
		at[fmt.Sprintf("%d:%d", line, col)] = true
	}
	return at
}

func TestReject(t *testing.T) {
	refused, placed, all := 0, 0, 0
	for _, pattern := range []string{"reject/*.hlo", "mutated/*.hlo"} {
		for _, file := range conformanceFiles(t, pattern) {
			verdict, err := os.ReadFile(strings.TrimSuffix(file, ".hlo") + ".err")
			_, got := parser.Config{Strict: true}.Parse(filepath.Base(file), read(t, file))
			if err != nil { // XLA accepts it
				assert.NoError(t, got, file)
				continue
			}
			all++
			if !assert.Error(t, got, "%s is accepted; XLA: %s", file, verdict) {
				continue
			}
			refused++
			want := positions(string(verdict))
			if len(want) == 0 /* XLA gives no position, or aborts */ || betterPositions[filepath.Base(file)] != "" {
				placed++
				continue
			}
			ok := false
			for _, e := range got.(hlo.ErrorList) {
				ok = ok || want[fmt.Sprintf("%d:%d", e.Line, e.Col)]
			}
			if ok {
				placed++
			} else {
				t.Errorf("%s:\n%v\nXLA: %s", file, got, verdict)
			}
		}
	}
	assert.GreaterOrEqual(t, all, 50)
	t.Logf("refused: %d of %d, at a position of XLA's: %d (%d reviewed exceptions)", refused, all, placed,
		len(betterPositions))
}
