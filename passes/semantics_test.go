package passes

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"hlolayout/internal/oracle"
	"hlolayout/internal/randhlo"
	"hlolayout/printer"
	"hlolayout/tpu"
)

// TestSameBits runs random modules on XLA's CPU backend before and after the passes: they compute the same
// bits. It skips without XLA.
func TestSameBits(t *testing.T) {
	python, dir := oracle.Python(t, ".."), t.TempDir()
	const size = 1 << 12 // elements of an array; larger ones take long
	modules := randhlo.Module(randhlo.Options{Operations: 12,
		Features: randhlo.Compiled &^ (randhlo.Collectives | randhlo.DeadCode | randhlo.Convolutions)})
	const wanted = 100
	for n, seed := 0, 0; n < wanted+5; seed++ {
		text := modules.Example(seed)
		m := parse(t, text)
		large := false
		for _, c := range m.Computations {
			for _, in := range c.Instructions {
				elements, _ := in.Shape.Elements()
				large = large || in.Shape.IsArray() && elements > size
			}
		}
		if large {
			continue
		}
		_, err := Run(m, target(t, tpu.Names()[seed%len(tpu.Names())]), []string{Auto}, Options{}, Observer{})
		require.NoError(t, err)
		stem := filepath.Join(dir, fmt.Sprintf("%03d", n))
		require.NoError(t, os.WriteFile(stem+".hlo", []byte(text), 0o666))
		require.NoError(t, os.WriteFile(stem+".assigned", []byte(printer.Print(m)), 0o666))
		n++
	}
	out, err := exec.Command(python, "../testdata/oracle/semantics.py", dir).Output()
	require.NoError(t, err)
	equal := 0
	for line := range strings.Lines(string(out)) {
		switch name, answer, _ := strings.Cut(strings.TrimSpace(line), " "); answer {
		case "equal":
			equal++
		case "differs":
			text, _ := os.ReadFile(filepath.Join(dir, name+".hlo"))
			assert.Fail(t, "other bits", "%s", text)
		default:
			t.Log(line)
		}
	}
	assert.GreaterOrEqual(t, equal, wanted)
	t.Logf("%d modules compute the same bits", equal)
}
