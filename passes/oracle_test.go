package passes

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"hlolayout/internal/oracle"
	"hlolayout/internal/randhlo"
	"hlolayout/parser"
	"hlolayout/printer"
)

// TestOracle asks XLA itself and the TPU compiler itself: 20 modules of the corpus, and 20 random ones that nobody
// tuned on. It downloads 400 MB once, so it runs where HLOLAYOUT_ORACLE=1 is set, as in .ci/run.
func TestOracle(t *testing.T) {
	python := oracle.Python(t, "..")
	for _, batch := range []struct {
		name string
		in   func(*testing.T, string)
		// right is the least share of leaves whose order is the compiler's.
		right float64
	}{
		{"corpus", corpusTexts, 0.99},
		{"random", randomTexts, 0.97},
	} {
		t.Run(batch.name, func(t *testing.T) {
			dir := t.TempDir()
			batch.in(t, dir)
			out, err := exec.Command(python, "../testdata/oracle/ask.py", "v5e", dir).CombinedOutput()
			require.NoError(t, err, string(out))
			compareWithOracle(t, dir, batch.right)
		})
	}
}

// corpusTexts writes 20 modules of testdata's corpus that are compiled for one device.
func corpusTexts(t *testing.T, dir string) {
	files, err := filepath.Glob("../testdata/corpus/*/*/before.hlo")
	require.NoError(t, err)
	n := 0
	for _, f := range files {
		text, err := os.ReadFile(f)
		require.NoError(t, err)
		m := parse(t, string(text))
		if n == 20 || m.Attr("num_partitions") != nil || m.Attr("replica_count") != nil {
			continue
		}
		n++
		require.NoError(t, os.WriteFile(filepath.Join(dir, fmt.Sprintf("%02d.hlo", n)), text, 0o666))
	}
	require.Equal(t, 20, n)
}

// randomTexts writes 20 random modules with every feature that compiles for one device.
func randomTexts(t *testing.T, dir string) {
	modules := randhlo.Module(randhlo.Options{Features: randhlo.All &^ (randhlo.Collectives | randhlo.CustomCalls),
		Operations: 20})
	for n := range 20 {
		require.NoError(t, os.WriteFile(filepath.Join(dir, fmt.Sprintf("%02d.hlo", n)), []byte(modules.Example(n)),
			0o666))
	}
}

// compareWithOracle holds what hlolayout makes of the texts in dir against the answers next to them: XLA's verdict and
// print of each, and the layouts of what the compiler took into its layout assignment.
func compareWithOracle(t *testing.T, dir string, least float64) {
	files, err := filepath.Glob(filepath.Join(dir, "*.hlo"))
	require.NoError(t, err)
	compiled, exact, leaves, right := 0, 0, 0, 0
	for _, f := range files {
		text, err := os.ReadFile(f)
		require.NoError(t, err)
		stem := f[:len(f)-len(".hlo")]
		m, err := parser.Config{Strict: true}.Parse(filepath.Base(f), string(text))
		xla, refused := os.ReadFile(stem + ".xla")
		assert.Equalf(t, refused == nil, err == nil, "XLA's parser and this one disagree: %v\n%s", err, text)
		if err != nil || refused != nil {
			continue
		}
		assert.Equal(t, string(xla), string(printer.Config{Mode: printer.Canonical}.Append(nil, m)),
			"XLA prints otherwise")

		before, err1 := os.ReadFile(stem + ".before")
		after, err2 := os.ReadFile(stem + ".after")
		if err1 != nil || err2 != nil {
			continue // the compiler has no such operation, or took another way
		}
		compiled++
		ours := parse(t, string(before))
		known := orders(ours)
		_, err = Run(ours, target(t, "v5e"), []string{"layout"}, Options{}, Observer{})
		require.NoError(t, err)
		if trimmed(printer.Print(ours)) == trimmed(string(after)) {
			exact++
		}
		got := orders(ours)
		for key, list := range orders(parse(t, string(after))) {
			for i, order := range list {
				if known[key] == nil {
					continue // a copy that the compiler added
				}
				leaves++
				if i < len(got[key]) && slices.Equal(got[key][i], order) {
					right++
				}
			}
		}
	}
	t.Logf("%d modules, %d compiled: %d of %d orders are the compiler's, %d modules byte for byte", len(files),
		compiled, right, leaves, exact)
	require.GreaterOrEqual(t, compiled, len(files)/2)
	assert.GreaterOrEqual(t, float64(right)/float64(leaves), least)
}
