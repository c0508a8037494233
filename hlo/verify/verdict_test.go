package verify_test

import (
	"bufio"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"hlolayout/hlo"
	"hlolayout/hlo/verify"
	"hlolayout/internal/testfiles"
	"hlolayout/parser"
)

var testdata = filepath.Join("..", "..", "testdata", "verify")

// modules returns the paths of the texts in a folder of testdata/verify.
func modules(t *testing.T, folder string) []string {
	files, err := filepath.Glob(filepath.Join(testdata, folder, "*.hlo"))
	require.NoError(t, err)
	require.NotEmpty(t, files)
	return files
}

func TestModulesThatTheCompilerTakes(t *testing.T) {
	clean(t, append(modules(t, "clean"), modules(t, "mutated")...))
}

// TestRefused compares with the real compiler: its verifier refuses each of these modules, and so must we.
func TestRefused(t *testing.T) {
	var got strings.Builder
	for _, path := range modules(t, "refused") {
		m, err := parser.Parse(filepath.Base(path), readText(t, path))
		require.NoError(t, err)
		list := verify.Module(m)
		assert.NotEmpty(t, list, path)
		for _, e := range list {
			fmt.Fprintln(&got, e)
		}
	}
	golden := filepath.Join(testdata, "refused", "findings.txt")
	assert.Equal(t, testfiles.Record(t, golden, got.String()), got.String(), "run with -update and read the difference")
}

// TestSuite runs XLA's own parser texts: suite.txt names those with findings (id, codes, why); all others have none.
func TestSuite(t *testing.T) {
	dir := shared(t, filepath.Join("hlo-text", "accept"))
	want := map[string]string{}
	f, err := os.Open(filepath.Join(testdata, "suite.txt"))
	require.NoError(t, err)
	defer f.Close()
	for sc := bufio.NewScanner(f); sc.Scan(); {
		if id, rest, ok := strings.Cut(sc.Text(), " "); ok && id != "#" {
			want[id], _, _ = strings.Cut(rest, " ")
		}
	}
	files, err := filepath.Glob(filepath.Join(dir, "*.hlo"))
	require.NoError(t, err)
	require.NotEmpty(t, files)
	seen := 0
	for _, path := range files {
		id := strings.TrimSuffix(filepath.Base(path), ".hlo")
		m, err := parser.Parse(path, readText(t, path))
		if !assert.NoError(t, err) {
			continue
		}
		codes := codesOf(verify.Module(m))
		assert.Equal(t, want[id], codes, "%s: %v", id, verify.Module(m))
		if codes != "" {
			seen++
		}
	}
	assert.Equal(t, len(want), seen)
	t.Logf("%d texts, %d with findings", len(files), seen)
}

// codesOf joins the codes in a list, each once.
func codesOf(list hlo.ErrorList) string {
	var codes []string
	for _, e := range list {
		if !slices.Contains(codes, e.Code) {
			codes = append(codes, e.Code)
		}
	}
	slices.Sort(codes)
	return strings.Join(codes, ",")
}

func BenchmarkModule(b *testing.B) {
	m, err := parser.Parse("", readText(b, filepath.Join(shared(b, "bench"), "gpt_L350.after.hlo.gz")))
	require.NoError(b, err)
	n := 0
	for _, c := range m.Computations {
		n += len(c.Instructions)
	}
	for b.Loop() {
		if list := verify.Module(m); len(list) > 0 {
			b.Fatal(list)
		}
	}
	b.ReportMetric(float64(n)*float64(b.N)/b.Elapsed().Seconds(), "instructions/s")
}
