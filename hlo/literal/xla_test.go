package literal_test

import (
	"bufio"
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"hlolayout/hlo"
	"hlolayout/hlo/literal"
	"hlolayout/parser"
)

const testdata = "../../testdata/literal"

var shapes = map[string]*hlo.Shape{}

// shape reads a shape with the parser.
func shape(t testing.TB, text string) *hlo.Shape {
	t.Helper()
	if s := shapes[text]; s != nil {
		return s
	}
	m, err := parser.Parse("shape", "HloModule m\nENTRY e {\n  p = "+text+" parameter(0)\n}\n")
	require.NoError(t, err, text)
	shapes[text] = m.Entry.Root.Shape
	return m.Entry.Root.Shape
}

// TestXLA compares with XLA's own answers (testdata/literal/README.md): what it prints, or where it sees the first
// error.
func TestXLA(t *testing.T) {
	files, err := filepath.Glob(filepath.Join(testdata, "*.tsv"))
	require.NoError(t, err)
	require.NotEmpty(t, files)
	accepted, refused := 0, 0
	for _, name := range files {
		f, err := os.Open(name)
		require.NoError(t, err)
		defer f.Close()
		lines := bufio.NewScanner(f)
		lines.Buffer(nil, 1<<26)
		for lines.Scan() {
			row := strings.Split(lines.Text(), "\t")
			require.Len(t, row, 3, lines.Text())
			what := row[0] + " constant(" + row[1] + ")"
			l, err := literal.Parse(shape(t, row[0]), row[1])
			if want, ok := strings.CutPrefix(row[2], "="); ok {
				accepted++
				if assert.NoError(t, err, what) && !l.Elided() {
					assert.Equal(t, want, l.String(), what)
				}
				continue
			}
			refused++
			var e *literal.Error
			if !assert.True(t, errors.As(err, &e), "%s: XLA refuses it", what) || row[2] == "abort" {
				continue
			}
			at, err := strconv.Atoi(strings.TrimPrefix(row[2], "!"))
			require.NoError(t, err, row[2])
			assert.Equal(t, at, e.Offset, "%s: %v", what, e)
		}
		require.NoError(t, lines.Err())
	}
	t.Logf("XLA accepts %d and refuses %d", accepted, refused)
	require.NotZero(t, accepted)
	require.NotZero(t, refused)
}
