// Package oracle lets tests ask XLA and the TPU compiler, which live in a Python environment.
package oracle

import (
	"crypto/sha256"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/rogpeppe/go-internal/lockedfile"
)

// Python returns the Python of a virtual environment with the packages that testdata/oracle/requirements.txt pins;
// root is the path to the repository. HLOLAYOUT_ORACLE=1 makes the environment in the user's cache folder, a download
// of 400 MB; HLOLAYOUT_ORACLE_PYTHON names one that is there. Otherwise the test is skipped.
func Python(t testing.TB, root string) string {
	t.Helper()
	if python := os.Getenv("HLOLAYOUT_ORACLE_PYTHON"); python != "" {
		return python
	}
	if os.Getenv("HLOLAYOUT_ORACLE") != "1" {
		t.Skip("HLOLAYOUT_ORACLE=1 asks XLA and libtpu; it downloads 400 MB once")
	}
	python, err := environment(filepath.Join(root, "testdata", "oracle", "requirements.txt"))
	if err != nil {
		t.Fatal(err)
	}
	return python
}

// environment returns the Python of the environment for a list of packages, made if it is not there.
func environment(requirements string) (string, error) {
	cache, err := os.UserCacheDir()
	if err != nil {
		return "", err
	}
	pins, err := os.ReadFile(requirements)
	if err != nil {
		return "", err
	}
	venv := filepath.Join(cache, "hlolayout", fmt.Sprintf("oracle-%x", sha256.Sum256(pins))[:20])
	python, done := filepath.Join(venv, "bin", "python"), filepath.Join(venv, "complete")
	if err := os.MkdirAll(filepath.Dir(venv), 0o777); err != nil {
		return "", err
	}
	unlock, err := lockedfile.MutexAt(venv + ".lock").Lock() // the tests of several packages run at the same time
	if err != nil {
		return "", err
	}
	defer unlock()
	if _, err := os.Stat(done); err == nil {
		return python, nil
	}
	for _, command := range [][]string{
		{"python3", "-m", "venv", "--clear", venv},
		{python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "-r", requirements},
	} {
		if out, err := exec.Command(command[0], command[1:]...).CombinedOutput(); err != nil {
			return "", fmt.Errorf("%v: %w: %s", command, err, out)
		}
	}
	return python, os.WriteFile(done, nil, 0o666)
}
