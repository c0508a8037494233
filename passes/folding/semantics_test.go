package folding_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"hlolayout/internal/oracle"
	"hlolayout/passes/folding"
	"hlolayout/printer"
)

// semantics runs programs, by name, on XLA's CPU backend as they are and simplified, and returns what semantics.py says
// of each; none differs. The tolerance is that of semantics.py where it is left out. It skips without XLA.
func semantics(t *testing.T, programs map[string]string, tolerance ...string) string {
	t.Helper()
	return semanticsFor(t, "v5e", programs, tolerance...)
}

// semanticsFor is semantics with what is simplified for a target.
func semanticsFor(t *testing.T, tpu string, programs map[string]string, tolerance ...string) string {
	t.Helper()
	python, dir := oracle.Python(t, "../.."), t.TempDir()
	for name, text := range programs {
		s := folding.Simplify(parse(t, text), target(t, tpu))
		checked(t, s.Module)
		stem := filepath.Join(dir, name)
		require.NoError(t, os.WriteFile(stem+".hlo", []byte(onCPU(text)), 0o666))
		require.NoError(t, os.WriteFile(stem+".assigned", []byte(onCPU(printer.Print(s.Module))), 0o666))
	}
	args := append([]string{"../../testdata/oracle/semantics.py", dir}, tolerance...)
	out, err := exec.Command(python, args...).Output()
	require.NoError(t, err)
	assert.NotContains(t, string(out), " differs")
	return string(out)
}
