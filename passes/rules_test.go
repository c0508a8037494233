package passes

import (
	"crypto/sha256"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"hlolayout"
	"hlolayout/internal/testfiles"
	"hlolayout/parser"
	"hlolayout/tpu"
)

// TestRulesVersion holds what the rules give for the modules of testdata, on all targets, against what was recorded for
// the version of the rules: users tell by the version why a golden differs.
func TestRulesVersion(t *testing.T) {
	var files []string
	for _, pattern := range []string{"*.hlo", "memory/*.pre_msa.hlo", "corpus/*/*/before.hlo"} {
		found, err := filepath.Glob("../testdata/" + pattern)
		require.NoError(t, err)
		files = append(files, found...)
	}
	require.Greater(t, len(files), 30)
	h := sha256.New()
	for _, file := range files {
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		for _, name := range tpu.Names() {
			target, err := tpu.ByName(name)
			require.NoError(t, err)
			m, err := parser.Parse(file, string(text))
			require.NoError(t, err)
			if _, err := Run(m, target, []string{Auto}, Options{}, Observer{}); err != nil {
				fmt.Fprintln(h, err)
				continue
			}
			for _, c := range m.Computations {
				for _, in := range c.Instructions {
					fmt.Fprintln(h, in.OpName(), in.Shape)
				}
			}
			if params, result, ok := m.EntryLayout(); ok {
				fmt.Fprintln(h, params, result)
			}
		}
	}
	sum := fmt.Sprintf("rules %d\n%x\n", hlolayout.RulesVersion(), h.Sum(nil))
	was := testfiles.Record(t, "../testdata/rules.sum", sum)
	require.Equal(t, was, sum, `The rules give something else than what was recorded for their version.
If this version is released, users' goldens would change without notice: add a version, a section "Rules N" of
CHANGELOG.md, with what changed and why. Then renew the record:
go test ./passes -run RulesVersion -update`)
}
