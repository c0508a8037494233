package oracle

import (
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestEnvironmentIsMadeOnce: the tests of several packages ask for the environment at the same time, and each gets one
// that works.
func TestEnvironmentIsMadeOnce(t *testing.T) {
	if exec.Command("python3", "-c", "import ensurepip").Run() != nil {
		t.Skip("needs python3 with venv")
	}
	cache := t.TempDir()
	t.Setenv("XDG_CACHE_HOME", cache)
	t.Setenv("HOME", cache)
	requirements := filepath.Join(t.TempDir(), "requirements.txt")
	require.NoError(t, os.WriteFile(requirements, []byte("# nothing\n"), 0o666))
	var all sync.WaitGroup
	for range 4 {
		all.Go(func() {
			python, err := environment(requirements)
			if assert.NoError(t, err) {
				assert.NoError(t, exec.Command(python, "-c", "import pip").Run())
			}
		})
	}
	all.Wait()
}
