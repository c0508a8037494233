package verify_test

import (
	"compress/gzip"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"hlolayout/hlo/verify"
	"hlolayout/parser"
)

// shared returns a folder of ../shared next to the repository, or skips the test.
func shared(t testing.TB, folder string) string {
	t.Helper()
	dir := filepath.Join("..", "..", "..", "shared", folder)
	if _, err := os.Stat(dir); err != nil {
		t.Skipf("no %s next to the repository: these are the compiler's dumps, too large to be in it", dir)
	}
	return dir
}

// readText returns the text of a file, decompressed if it ends in .gz.
func readText(t testing.TB, path string) string {
	t.Helper()
	f, err := os.Open(path)
	require.NoError(t, err)
	defer f.Close()
	var r io.Reader = f
	if strings.HasSuffix(path, ".gz") {
		r, err = gzip.NewReader(f)
		require.NoError(t, err)
	}
	text, err := io.ReadAll(r)
	require.NoError(t, err)
	return string(text)
}

// clean checks that the compiler's own modules have no finding.
func clean(t *testing.T, files []string) {
	t.Helper()
	require.NotEmpty(t, files)
	dirty := 0
	for _, path := range files {
		m, err := parser.Parse(path, readText(t, path))
		require.NoError(t, err)
		if list := verify.Module(m); !assert.Empty(t, list, path) {
			if dirty++; dirty == 20 {
				t.FailNow()
			}
		}
	}
	t.Logf("%d of %d modules clean", len(files)-dirty, len(files))
}

func TestCorpusIsClean(t *testing.T) {
	files, err := filepath.Glob(filepath.Join(shared(t, "corpus"), "*", "*", "*.hlo"))
	require.NoError(t, err)
	clean(t, files)
}

func TestBenchIsClean(t *testing.T) {
	files, err := filepath.Glob(filepath.Join(shared(t, "bench"), "*.hlo*"))
	require.NoError(t, err)
	clean(t, files)
}
