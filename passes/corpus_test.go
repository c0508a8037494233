package passes

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"hlolayout/hlo"
	"hlolayout/passes/check"
	"hlolayout/printer"
)

// pairOf returns the two files of a case; a pair that several generations share is stored with one of them.
func pairOf(dir, generation, name string) (before, after string) {
	at := filepath.Join(dir, generation, name)
	if _, err := os.Stat(filepath.Join(at, "before.hlo")); err != nil {
		var meta struct {
			Same string `json:"before_after_same_as"`
		}
		b, err := os.ReadFile(filepath.Join(at, "meta.json"))
		if err != nil || json.Unmarshal(b, &meta) != nil || meta.Same == "" {
			return "", ""
		}
		at = filepath.Join(dir, meta.Same, name)
	}
	return filepath.Join(at, "before.hlo"), filepath.Join(at, "after.hlo")
}

func trimmed(text string) string {
	lines := strings.Split(text, "\n")
	for i, l := range lines {
		lines[i] = strings.TrimRight(l, " ")
	}
	return strings.TrimSpace(strings.Join(lines, "\n"))
}

// orders lists the dimension orders of all leaves of a module by computation and instruction name.
func orders(m *hlo.Module) map[string][][]int {
	out := map[string][][]int{}
	for _, c := range m.Computations {
		for _, in := range c.Instructions {
			var list [][]int
			in.Shape.Leaves(func(_ hlo.Index, s *hlo.Shape) { list = append(list, s.MinorToMajor()) })
			out[c.Name+"/"+in.Name] = list
		}
	}
	return out
}

// figures are the numbers of ../shared/tools/fidelity.py, counted.
type figures struct{ cases, exact, leaves, right int }

func measure(t *testing.T, dir, generation string, f *figures) {
	cases, err := os.ReadDir(filepath.Join(dir, generation))
	require.NoError(t, err)
	for _, c := range cases {
		bf, af := pairOf(dir, generation, c.Name())
		text, err1 := os.ReadFile(bf)
		want, err2 := os.ReadFile(af)
		if err1 != nil || err2 != nil {
			continue
		}
		name := generation + "/" + c.Name()
		m := parse(t, string(text))
		before := orders(m)
		_, err := Run(m, target(t, generation), []string{"layout"}, Options{}, Observer{})
		require.NoError(t, err, name)
		assert.Empty(t, check.Module(m, target(t, generation)), name)
		ours := printer.Print(m)
		f.cases++
		if trimmed(ours) == trimmed(string(want)) {
			f.exact++
		}
		got := orders(m)
		for key, list := range orders(parse(t, string(want))) {
			if before[key] == nil {
				continue
			}
			for i, o := range list {
				f.leaves++
				if i < len(got[key]) && slices.Equal(got[key][i], o) {
					f.right++
				}
			}
		}

		again := parse(t, ours)
		_, err = Run(again, target(t, generation), []string{"layout"}, Options{}, Observer{})
		require.NoError(t, err, name)
		assert.Equal(t, ours, printer.Print(again), "%s: assigning twice is not assigning once", name)
	}
}

// The real compiler's answers for the small corpus: 30 programs on seven generations.
func TestCorpus(t *testing.T) {
	dir := corpusDir(t, false)
	generations, err := os.ReadDir(dir)
	require.NoError(t, err)
	var f figures
	for _, g := range generations {
		measure(t, dir, g.Name(), &f)
	}
	require.GreaterOrEqual(t, f.cases, 30)
	assert.GreaterOrEqual(t, float64(f.right)/float64(f.leaves), 0.995, "%+v", f)
	assert.GreaterOrEqual(t, f.exact, smallCorpusExact, "%+v", f)
}

// smallCorpusExact is how many of the small corpus's modules come out byte for byte: a floor, to be raised.
const smallCorpusExact = 29

// The same for v5e's whole public corpus, where it is next to the repository.
func TestSharedCorpus(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds")
	}
	dir := corpusDir(t, true)
	var f figures
	measure(t, dir, "v5e", &f)
	assert.GreaterOrEqual(t, float64(f.right)/float64(f.leaves), 0.995, "%+v", f)
	assert.GreaterOrEqual(t, float64(f.exact)/float64(f.cases), 0.87, "%+v", f)
}

// Every module that the compiler made is legal, so that what the checker says of others means something.
func TestCheckerAcceptsTheCompiler(t *testing.T) {
	dir := corpusDir(t, false)
	files, err := filepath.Glob(filepath.Join(dir, "*", "*", "after.hlo"))
	require.NoError(t, err)
	require.NotEmpty(t, files)
	for _, f := range files {
		text, err := os.ReadFile(f)
		require.NoError(t, err)
		generation := filepath.Base(filepath.Dir(filepath.Dir(f)))
		assert.Empty(t, check.Module(parse(t, string(text)), target(t, generation)), f)
	}
}
