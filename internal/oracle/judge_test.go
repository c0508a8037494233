package oracle

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// parser stands for XLA's: what it does is in the text.
const parser = `import os, signal

class Module:
    def __init__(self, text):
        self.text = text
    def to_string(self):
        if self.text == "not UTF-8":
            b"\xff".decode()
        return "printed " + self.text

def hlo_module_from_text(text):
    if text.startswith("refuse"):
        raise ValueError("no: " + text)
    if text == "exhaust":
        raise ValueError("RESOURCE_EXHAUSTED: " + text)
    if text == "abort":
        os.abort()
    if text == "leave":
        os._exit(3)
    if text == "too long":
        os.kill(os.getpid(), signal.SIGALRM)
    return Module(text)
`

// The judge answers each text in turn, whatever the parser does to its process, and ends with its input.
func TestJudge(t *testing.T) {
	python, err := exec.LookPath("python3")
	if err != nil {
		t.Skip("no python3")
	}
	dir := t.TempDir()
	require.NoError(t, os.Mkdir(filepath.Join(dir, "jaxlib"), 0o777))
	for name, text := range map[string]string{"__init__.py": "", "_hlo.py": parser} {
		require.NoError(t, os.WriteFile(filepath.Join(dir, "jaxlib", name), []byte(text), 0o666))
	}
	c := exec.Command(python, "../../testdata/oracle/judge.py")
	c.Env = append(os.Environ(), "PYTHONPATH="+dir)
	j := start(t, c)
	long := strings.Repeat("long ", 1<<16) // more than a pipe holds
	for _, c := range []struct {
		text    string
		verdict Verdict
		says    string
	}{
		{"one", Accepted, "printed one"}, {"refuse this", Refused, "no: refuse this"}, {"", Accepted, "printed "},
		{"abort", Crashed, "-6"}, {"abort", Crashed, "-6"}, {"two", Accepted, "printed two"},
		{"exhaust", Crashed, "RESOURCE_EXHAUSTED: exhaust"},
		{"leave", Crashed, "3"}, {"refuse ümlaut", Refused, "no: refuse ümlaut"}, {"too long", Crashed, "-14"},
		{long, Accepted, "printed " + long}, {"not UTF-8", Accepted, ""}, {"\xff", Refused, "codec"},
		{"last", Accepted, "printed last"},
	} {
		verdict, says, err := j.Of(c.text)
		require.NoError(t, err, c.text)
		assert.Equal(t, string(c.verdict), string(verdict), c.text)
		if c.says == "codec" {
			assert.Contains(t, says, c.says)
		} else {
			assert.True(t, c.says == says, "%.100s: %.100s", c.text, says)
		}
	}
}
