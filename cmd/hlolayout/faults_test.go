//go:build linux

package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// program returns the command: the test's own binary under that name, which is what TestMain goes by.
func program(t *testing.T) string {
	t.Helper()
	self, err := os.Executable()
	require.NoError(t, err)
	file := filepath.Join(t.TempDir(), "hlolayout")
	require.NoError(t, os.Symlink(self, file))
	return file
}

// ignored are the signals that the tests were started to ignore. Once one was heeded, signal.Ignored no longer knows.
var ignored = slices.DeleteFunc([]os.Signal{syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP},
	func(s os.Signal) bool { return !signal.Ignored(s) })

// heeded makes commands heed signals that the tests were started to ignore.
func heeded(t *testing.T) {
	if len(ignored) > 0 { // Notify takes none for all
		signals := make(chan os.Signal, 1)
		signal.Notify(signals, ignored...)
		t.Cleanup(func() { signal.Stop(signals) })
	}
}

// mount mounts a file system of 64 KB and returns its directory.
func mount(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	if err := syscall.Mount("tmpfs", dir, "tmpfs", 0, "size=64k"); err != nil {
		t.Skipf("no file system of 64 KB can be mounted here: %v", err)
	}
	t.Cleanup(func() { assert.NoError(t, syscall.Unmount(dir, 0)) })
	return dir
}

// large returns a module of some megabytes.
func large(lines int) string {
	var b strings.Builder
	b.WriteString("HloModule m\n\nENTRY %e {\n  %v0 = f32[64,128] parameter(0)\n")
	for i := 1; i < lines; i++ {
		fmt.Fprintf(&b, "  %%v%d = f32[64,128] negate(%%v%d)\n", i, i-1)
	}
	fmt.Fprintf(&b, "  ROOT %%r = f32[64,128] negate(%%v%d)\n}\n", lines-1)
	return b.String()
}

// runs runs the command and returns its exit code and standard error.
func runs(t *testing.T, c *exec.Cmd) (code int, log string) {
	t.Helper()
	var e bytes.Buffer
	c.Stderr = &e
	err := c.Run()
	if _, ok := err.(*exec.ExitError); !ok {
		require.NoError(t, err)
	}
	return c.ProcessState.ExitCode(), e.String()
}

func files(t *testing.T, dir string) (names []string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	require.NoError(t, err)
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names
}

// A disk that gets full, or that nobody may write to, leaves the old output whole and no other file.
func TestFullAndReadOnlyDisk(t *testing.T) {
	hlolayout := program(t)
	dir := mount(t)
	in, out := filepath.Join(t.TempDir(), "in.hlo"), filepath.Join(dir, "out.hlo")
	require.NoError(t, os.WriteFile(in, []byte(large(3000)), 0o666))
	const old = "the old output\n"
	require.NoError(t, os.WriteFile(out, []byte(old), 0o666))
	unchanged := func() {
		t.Helper()
		text, err := os.ReadFile(out)
		require.NoError(t, err)
		assert.Equal(t, old, string(text))
		assert.Equal(t, []string{"out.hlo"}, files(t, dir))
	}

	code, log := runs(t, exec.Command(hlolayout, "assign", "-q", "-o", out, in))
	assert.Equal(t, exitTrouble, code)
	assert.Equal(t, out+": no space left on device\n", strings.TrimPrefix(log, "hlolayout: "))
	unchanged()

	full, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
	require.NoError(t, err)
	defer full.Close()
	c := exec.Command(hlolayout, "assign", "-q", in)
	c.Stdout = full
	code, log = runs(t, c)
	assert.Equal(t, exitTrouble, code)
	assert.Equal(t, "hlolayout: standard output: no space left on device\n", log)

	require.NoError(t, syscall.Mount("tmpfs", dir, "tmpfs", syscall.MS_REMOUNT|syscall.MS_RDONLY, "size=64k"))
	small := filepath.Join(t.TempDir(), "small.hlo")
	require.NoError(t, os.WriteFile(small, []byte(large(2)), 0o666))
	code, log = runs(t, exec.Command(hlolayout, "assign", "-q", "-o", out, small))
	assert.Equal(t, exitTrouble, code)
	assert.Equal(t, out+": read-only file system\n", strings.TrimPrefix(log, "hlolayout: "))
	code, log = runs(t, exec.Command(hlolayout, "check", "--golden", dir, "--update", "--allow-ci", small))
	assert.Equal(t, exitTrouble, code)
	assert.Contains(t, log, "read-only file system\n")
	unchanged()
}

// A command that is killed or interrupted before it has its whole input leaves the old output, and no temporary file.
// (TestKilledAtEverySystemCall does so while it writes.)
func TestKilledAndInterrupted(t *testing.T) {
	dir := t.TempDir()
	f, err := createUnnamed(dir, 0o600)
	if err == nil {
		f.Close()
		t.Run("unnamed", func(t *testing.T) { killed(t, t.TempDir()) })
	}
	t.Setenv(withNames, "1")
	t.Run("named", func(t *testing.T) { killed(t, t.TempDir()) })
}

// killed sends a signal when a command has read a part of its input and waits for the rest.
func killed(t *testing.T, dir string) {
	hlolayout, text := program(t), large(15000)
	heeded(t)
	in, out := filepath.Join(t.TempDir(), "in.hlo"), filepath.Join(dir, "out.hlo")
	require.NoError(t, syscall.Mkfifo(in, 0o666))
	const old = "the old output\n"
	for i, signal := range []syscall.Signal{syscall.SIGINT, syscall.SIGKILL, syscall.SIGHUP, syscall.SIGKILL,
		syscall.SIGTERM, syscall.SIGKILL, syscall.SIGINT} {
		require.NoError(t, os.WriteFile(out, []byte(old), 0o666))
		c := exec.Command(hlolayout, "assign", "-q", "-o", out, in)
		var log bytes.Buffer
		c.Stderr = &log
		require.NoError(t, c.Start())
		w, err := os.OpenFile(in, os.O_WRONLY, 0) // waits for the command
		require.NoError(t, err)
		_, err = w.WriteString(text[:len(text)*i/6])
		require.NoError(t, err)
		time.Sleep(10 * beforeHeeding)
		require.NoError(t, c.Process.Signal(signal))
		c.Wait()
		require.NoError(t, w.Close())
		kept, err := os.ReadFile(out)
		require.NoError(t, err)
		require.Equal(t, old, string(kept), signal)
		assert.Equal(t, []string{"out.hlo"}, files(t, dir))
		if signal != syscall.SIGKILL {
			assert.Equal(t, 128+int(signal), c.ProcessState.ExitCode())
			assert.Equal(t, "hlolayout: "+signal.String()+"\n", log.String())
		}
	}
}

// An input that vanishes, cannot be read, or is a directory has its message; a reader that has seen enough ends the
// program as it does cat.
func TestVanishedInputAndClosedOutput(t *testing.T) {
	hlolayout := program(t)
	dir := t.TempDir()
	in, gone := filepath.Join(dir, "in.hlo"), filepath.Join(dir, "gone.hlo")
	require.NoError(t, os.WriteFile(in, []byte(large(3000)), 0o666))
	require.NoError(t, os.Symlink(filepath.Join(dir, "nowhere"), gone))
	var out bytes.Buffer
	c := exec.Command(hlolayout, "fmt", gone, in)
	c.Stdout = &out
	code, log := runs(t, c)
	assert.Equal(t, exitTrouble, code)
	assert.Equal(t, gone+": no such file or directory\n", log)
	assert.True(t, strings.HasPrefix(out.String(), large(3000)), "the other file is printed")

	needs(t, "sh", "head")
	c = exec.Command("sh", "-c", `{ "$0" assign -q "$1"; echo $? >&2; } | head -c 1 >/dev/null`, hlolayout, in)
	_, log = runs(t, c)
	assert.Equal(t, fmt.Sprintln(128+int(syscall.SIGPIPE)), log)
}

// Whatever a command prints, it says so when that cannot be written; what it reads again of an earlier run is a file
// with an end.
func TestOutputsThatFail(t *testing.T) {
	hlolayout := program(t)
	full, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
	require.NoError(t, err)
	defer full.Close()
	readable, err := os.Open(os.DevNull)
	require.NoError(t, err)
	defer readable.Close()
	const in = "../../testdata/attention.hlo"
	for _, args := range []string{"help", "--version", "help fmt", "man", "completion bash", "explain LAY101",
		"targets --format=json", "schema results", "cute size(4:1)", "decode f32[8,8]", "index f32[8,8]{1,0} 1,1",
		"table f32 8,8", "relayout f32[8,8]{1,0} f32[8,8]{0,1}", "assign --list-passes", "fmt -l --canonical " + in,
		"stats " + in, "sweep " + in, "lint --output text=- " + in, "diff " + in +
			" ../../testdata/attention.v5e.hlo"} {
		for stdout, why := range map[*os.File]string{full: "no space left on device", readable: "bad file descriptor"} {
			c := exec.Command(hlolayout, strings.Fields(args)...)
			c.Stdout = stdout
			code, log := runs(t, c)
			assert.Equal(t, exitTrouble, code, args)
			assert.Contains(t, log, "hlolayout: standard output: "+why+"\n", args)
		}
	}
	for args, want := range map[string]string{
		"report -o /dev/full " + in:                          "/dev/full: no space left on device\n",
		"lint --output step-summary=/dev/full " + in:         "hlolayout: /dev/full: no space left on device\n",
		"lint --output json=/dev/full " + in:                 "hlolayout: /dev/full: no space left on device\n",
		"assign -o /dev/null --resume /dev/zero " + in:       "hlolayout: /dev/zero: not a regular file\n",
		"lint --config /dev/zero " + in:                      "hlolayout: /dev/zero",
		"assign -o /dev/null --target-file /dev/zero " + in:  "hlolayout: /dev/zero",
		"lint --baseline /dev/zero " + in:                    "hlolayout: /dev/zero",
		"fmt -o " + strings.Repeat("x", 300) + " " + in:      "file name too long\n",
		"decode --svg /dev/full f32[8,8]{1,0:T(8,128)}":      "/dev/full: no space left on device\n",
		"diff --output markdown=/dev/full " + in + " " + in:  "/dev/full: no space left on device\n",
		"check --golden /dev/null --update --allow-ci " + in: "not a directory\n",
	} {
		code, log := runs(t, exec.Command(hlolayout, strings.Fields(args)...))
		assert.Equal(t, exitTrouble, code, args)
		assert.Contains(t, log, want, args)
	}
	out, err := exec.Command(hlolayout, "lint", "--top=0", "--exit-zero", "--output", "step-summary=/dev/stdout",
		in).Output()
	require.NoError(t, err)
	assert.Contains(t, string(out), "#", "the way to standard output that is a pipe")
}

// Standard streams that are closed harm nothing: no file that the command opens gets their number, and with it what was
// meant for them. A closed standard output is /dev/null to the command: Go's runtime opens it there before the program
// begins, for reading and writing, and Python's DEVNULL and Node's "ignore" hand over the very same, so that it cannot
// be distinguished from one that was requested.
func TestStreamsThatAreClosed(t *testing.T) {
	hlolayout, dir := program(t), t.TempDir()
	text, err := os.ReadFile("../../testdata/attention.hlo")
	require.NoError(t, err)
	in, out := filepath.Join(dir, "in.hlo"), filepath.Join(dir, "out.hlo")
	require.NoError(t, os.WriteFile(in, text, 0o666))
	want, err := exec.Command(hlolayout, "fmt", in).Output()
	require.NoError(t, err)
	needs(t, "sh")
	for _, closed := range []string{">&-", "2>&-", "<&-", "<&- >&- 2>&-"} {
		for _, args := range []string{"fmt " + in, "fmt -o " + out + " " + in, "lint --output text=" +
			filepath.Join(dir, "lint.txt") + " " + in, "fmt " + filepath.Join(dir, "none.hlo")} {
			code, _ := runs(t, exec.Command("sh", "-c", hlolayout+" "+args+" "+closed))
			assert.Equal(t, strings.Contains(args, "none"), code == exitTrouble, "%s %s", args, closed)
			assert.Contains(t, []int{exitSame, exitTrouble}, code, "%s %s", args, closed)
			after, err := os.ReadFile(in)
			require.NoError(t, err)
			require.Equal(t, string(text), string(after), "%s %s", args, closed)
		}
		got, err := os.ReadFile(out)
		require.NoError(t, err)
		assert.Equal(t, string(want), string(got), closed)
		require.NoError(t, os.Remove(out))
	}
}
