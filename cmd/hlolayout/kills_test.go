//go:build linux

package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// killedCalls are the system calls at which a write is killed: all that make, fill, name or remove a file.
var killedCalls = []string{"openat", "fchmod", "write", "fsync", "linkat", "renameat", "renameat2", "rename",
	"unlinkat", "unlink", "ftruncate"}

// A writing is a command line that writes into a folder with the files of before, and leaves those of after.
type writing struct {
	name string
	// stage puts files into the folder.
	stage func(t *testing.T, dir string)
	args  []string
	named bool // as where the file system has no files without a name
	// interrupted: the command is interrupted, too, and cleans up itself.
	interrupted bool
}

func copied(from, to string) func(t *testing.T, dir string) {
	return func(t *testing.T, dir string) {
		text, err := os.ReadFile(from)
		require.NoError(t, err)
		require.NoError(t, os.WriteFile(filepath.Join(dir, to), text, 0o666))
	}
}

// TestKilledAtEverySystemCall kills commands at each of their system calls in turn: the folder has its old
// files or its new ones, whole, a module's golden and lock are of one another, and nothing else is there.
func TestKilledAtEverySystemCall(t *testing.T) {
	if _, err := exec.LookPath("strace"); err != nil {
		t.Skip("strace kills at a system call")
	}
	hlolayout := program(t)
	attention, err := filepath.Abs("../../testdata/attention.hlo")
	require.NoError(t, err)
	golden := func(t *testing.T, dir string) {
		out, err := exec.Command(hlolayout, "check", "-q", "--golden", dir, "--tpu", "v5e", "--update", "--allow-ci",
			attention).CombinedOutput()
		require.NoError(t, err, string(out))
	}
	for _, w := range []writing{
		{name: "fmt -w", stage: copied("../../testdata/attention.hlo", "a.hlo"), args: []string{"fmt", "--canonical",
			"--long", "-w", "a.hlo"}},
		{name: "fmt -w with names", stage: copied("../../testdata/attention.hlo", "a.hlo"), args: []string{"fmt",
			"--canonical", "--long", "-w", "a.hlo"}, named: true, interrupted: true},
		{name: "-o", stage: func(*testing.T, string) {}, args: []string{"assign", "-q", "-o", "a.hlo", attention},
			interrupted: true},
		{name: "-o on a file", stage: copied("../../testdata/merge_heads.hlo", "a.hlo"), args: []string{"assign",
			"-q", "-o", "a.hlo", attention}},
		{name: "check --update", stage: golden, args: []string{"check", "-q", "--golden", ".", "--tpu", "v7x",
			"--update", "--allow-ci", attention}},
		{name: "check --update with names", stage: golden, args: []string{"check", "-q", "--golden", ".", "--tpu",
			"v7x", "--update", "--allow-ci", attention}, named: true},
		{name: "--resume", stage: copied("../../testdata/attention.hlo", "a.hlo"), args: []string{"fmt",
			"--canonical", "-w", "--resume", "done.txt", "a.hlo"}},
	} {
		t.Run(w.name, func(t *testing.T) { killedEverywhere(t, hlolayout, w) })
	}
}

func killedEverywhere(t *testing.T, hlolayout string, w writing) {
	env := append(os.Environ(), "LC_ALL=C") // what the guard runs opens 2 files then, not 30
	if w.named {
		env = append(env, withNames+"=1")
	}
	// trace runs the command in its own folder under strace and returns what is in the folder then.
	trace := func(stage bool, flags ...string) map[string]string {
		dir := t.TempDir()
		w.stage(t, dir)
		if stage {
			return contents(t, dir)
		}
		c := exec.Command("strace", append(append([]string{"-f", "-qq"}, flags...), append([]string{hlolayout},
			w.args...)...)...)
		c.Dir, c.Env = dir, env
		c.Run()
		return contents(t, dir)
	}
	before := trace(true)
	log := filepath.Join(t.TempDir(), "log")
	after := trace(false, "-o", log, "-e", "trace="+strings.Join(killedCalls, ","))
	require.NotEqual(t, before, after, "the command does something")
	text, err := os.ReadFile(log)
	require.NoError(t, err)
	kills, spared, signals := 0, 0, []string{"KILL"}
	if w.interrupted {
		heeded(t)
		signals = append(signals, "INT")
	}
	for k := range len(killedCalls) * len(signals) {
		call, signal := killedCalls[k/len(signals)], signals[k%len(signals)]
		n := bytes.Count(text, []byte(" "+call+"("))
		if n > 12 && (call == "openat" || call == "write") && testing.Short() {
			n = 12
		}
		for i := 1; i <= n; i++ {
			got := trace(false, "-o", log, "-e", "trace=execve,"+call, "-e",
				"inject="+call+":signal="+signal+":when="+strconv.Itoa(i))
			if guardKilled(t, log) {
				spared++
				continue
			}
			kills++
			assert.Truef(t, sameFiles(got, before) || sameFiles(got, after) || isStep(got, before, after),
				"%s at %s number %d: %s", signal, call, i, names(got))
		}
	}
	t.Logf("%d kills, and %d of the guard", kills, spared)
	require.Greater(t, kills, 5)
	require.Less(t, spared, kills/4)
}

// guardKilled reports whether the guard, or what it ran, was killed, too: each thread and process counts its own
// calls, and the guard's may reach the number that the command's have reached.
func guardKilled(t *testing.T, log string) bool {
	t.Helper()
	text, err := os.ReadFile(log)
	require.NoError(t, err)
	command, others := "", map[string]bool{}
	for line := range strings.Lines(string(text)) {
		pid, what, _ := strings.Cut(line, " ")
		what = strings.TrimLeft(what, " ") // pids are padded
		switch {
		case command == "":
			command = pid
		case strings.HasPrefix(what, "execve("):
			others[pid] = true
		case strings.HasPrefix(what, "+++ killed") && others[pid]:
			return true
		}
	}
	return false
}

// isStep reports whether a list of what is done is still to be written for a file that is: the one order that a
// crash may show.
func isStep(got, before, after map[string]string) bool {
	step := map[string]string{}
	for name, text := range after {
		step[name] = text
	}
	if _, ok := before["done.txt"]; !ok {
		delete(step, "done.txt")
	}
	empty := map[string]string{"done.txt": ""}
	for name, text := range step {
		empty[name] = text
	}
	_, lists := after["done.txt"]
	return lists && (sameFiles(got, step) || sameFiles(got, empty))
}

func sameFiles(a, b map[string]string) bool { return fmt.Sprint(a) == fmt.Sprint(b) }

func names(files map[string]string) (out []string) {
	for name, text := range files {
		out = append(out, fmt.Sprintf("%s (%d bytes)", name, len(text)))
	}
	return out
}

// contents returns the files of a folder.
func contents(t *testing.T, dir string) map[string]string {
	t.Helper()
	out := map[string]string{}
	for _, name := range files(t, dir) {
		text, err := os.ReadFile(filepath.Join(dir, name))
		require.NoError(t, err)
		out[name] = string(text)
	}
	return out
}
