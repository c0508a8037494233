//go:build linux

package main

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// mostTicks is how many hundredths of a second a command may compute after an interrupt, cleaning up included.
const mostTicks = 10

// A command that works, or that waits for a reader or a writer, stops at an interrupt and computes no further, with one
// line and no temporary file. Time on a processor counts, which is the same however many programs want it. The best of
// up to twenty hits counts: the interrupt comes a little later than the time is taken.
func TestInterruptIsQuick(t *testing.T) {
	heeded(t)
	hlolayout, in, dir := program(t), t.TempDir(), t.TempDir()
	module, scheduled, packed := filepath.Join(in, "in.hlo"), filepath.Join(in, "scheduled.hlo"),
		filepath.Join(in, "in.hlo.gz")
	text := large(80000)
	require.NoError(t, os.WriteFile(module, []byte(text), 0o666))
	require.NoError(t,
		os.WriteFile(scheduled, []byte(strings.Replace(text, "HloModule m", "HloModule m, is_scheduled=true", 1)),
			0o666))
	require.NoError(t, os.WriteFile(packed, compress([]byte(text), gz), 0o666))
	many := filepath.Join(in, "many")
	require.NoError(t, os.Mkdir(many, 0o777))
	for _, name := range []string{"0.hlo", "1.hlo", "2.hlo", "3.hlo", "4.hlo", "5.hlo"} {
		require.NoError(t, os.Link(module, filepath.Join(many, name)))
	}
	pipe := filepath.Join(in, "pipe")
	require.NoError(t, syscall.Mkfifo(pipe, 0o666))

	for _, c := range []struct {
		args   string
		stdout string // "unread" is a full pipe
		stderr string
	}{
		{args: "assign --verify -o OUT/out.hlo " + module}, {args: "assign -o OUT/out.hlo.gz " + module},
		{args: "assign -o OUT/out.hlo " + scheduled}, {args: "assign -o OUT/out.hlo " + packed},
		{args: "fmt --canonical -o OUT/out.hlo " + module}, {args: "fmt -d " + module},
		{args: "verify --tpu=v5e " + module}, {args: "stats " + module}, {args: "lint " + module},
		{args: "memory --svg OUT/out.svg " + scheduled}, {args: "diff " + module + " " + scheduled},
		{args: "report -o OUT/out.html " + module}, {args: "sweep " + module},
		{args: "check --update --allow-ci --golden OUT " + module}, {args: "explain " + module + " %r"},
		{args: "extract " + module + " %v40000"}, {args: "assign " + many}, {args: "lint " + many},
		{args: "fmt -"}, {args: "fmt " + pipe}, {args: "fmt -o " + pipe + " ../../testdata/attention.hlo"},
		{args: "fmt " + module, stdout: "unread"}, {args: "lint --top=0 " + module, stderr: "unread"},
	} {
		t.Run(strings.ReplaceAll(c.args, in, "IN"), func(t *testing.T) {
			best, hits := 1<<30, 0
			after := 20 * time.Millisecond
			for try := 0; try < 60 && hits < 20; try++ {
				took, through, hit := interrupted(t, hlolayout, strings.Fields(strings.ReplaceAll(c.args, "OUT", dir)),
					after, c.stdout == "unread", c.stderr == "unread")
				switch {
				case hit:
					best, hits = min(best, took), hits+1
					require.Empty(t, files(t, dir))
				case through:
					after -= after / 4
				default:
					after += after / 2
				}
				for _, left := range files(t, dir) { // it was through before the interrupt
					require.NoError(t, os.Remove(filepath.Join(dir, left)))
				}
				if best <= mostTicks && hits > 1 {
					break
				}
			}
			require.Positive(t, hits, "no interrupt came in time")
			assert.LessOrEqual(t, best, mostTicks)
			t.Log(best)
		})
	}
}

// interrupted runs a command line, interrupts it after a time, and returns how many ticks it computed from then on,
// whether it was through, and whether it had begun and was not. Nothing comes to its standard input, and unread streams
// are full already.
func interrupted(t *testing.T, program string, args []string, after time.Duration, stdout,
	stderr bool) (took int, through, hit bool) {
	t.Helper()
	var log bytes.Buffer
	c := exec.Command(program, args...)
	_, err := c.StdinPipe()
	require.NoError(t, err)
	c.Stderr = &log
	if stdout {
		c.Stdout = fullPipe(t)
	}
	if stderr {
		c.Stderr = fullPipe(t)
	}
	require.NoError(t, c.Start())
	time.Sleep(after)
	before := ticks(c.Process.Pid)
	if c.Process.Signal(os.Interrupt) != nil {
		c.Wait()
		return 0, true, false
	}
	c.Wait()
	took = int((c.ProcessState.UserTime()+c.ProcessState.SystemTime())/(10*time.Millisecond)) - before
	status := c.ProcessState.Sys().(syscall.WaitStatus)
	if status.Signaled() || status.ExitStatus() != 128+int(syscall.SIGINT) { // it had not begun, or was through
		return took, !status.Signaled(), false
	}
	if !stderr {
		said := log.String()
		if note, rest, ok := strings.Cut(said, "\n"); ok && strings.Contains(note, ".hlo: foreign module, for ") {
			said = rest // it was printing already
		}
		assert.Equal(t, "hlolayout: interrupt\n", said)
	}
	return took, false, true
}

// A sweep that is interrupted prints what it has found.
func TestInterruptedSweep(t *testing.T) {
	heeded(t)
	hlolayout, module := program(t), filepath.Join(t.TempDir(), "in.hlo")
	require.NoError(t, os.WriteFile(module, []byte(large(60_000)), 0o666))
	for wait := 10 * time.Millisecond; wait < 10*time.Second; wait = wait * 6 / 5 {
		var out bytes.Buffer
		c := exec.Command(hlolayout, "sweep", module)
		c.Stdout = &out
		require.NoError(t, c.Start())
		time.Sleep(wait)
		c.Process.Signal(os.Interrupt)
		c.Wait()
		if c.ProcessState.ExitCode() == 128+int(syscall.SIGINT) && out.Len() > 0 {
			assert.Contains(t, out.String(), "(as given)")
			return
		}
	}
	t.Fatal("no interrupt came in time")
}

// ticks returns how many hundredths of a second a process has computed, 0 where that is not known.
func ticks(pid int) int {
	text, _ := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	_, rest, _ := strings.Cut(string(text), ") ") // after the program's name
	fields, sum := strings.Fields(rest), 0
	for _, at := range []int{11, 12} { // user and system
		if at < len(fields) {
			n, _ := strconv.Atoi(fields[at])
			sum += n
		}
	}
	return sum
}

// fullPipe returns the end to write to of a pipe that is full and that nobody reads.
func fullPipe(t *testing.T) *os.File {
	t.Helper()
	r, w, err := os.Pipe()
	require.NoError(t, err)
	t.Cleanup(func() { r.Close(); w.Close() })
	require.NoError(t, w.SetWriteDeadline(time.Now().Add(50*time.Millisecond)))
	for _, err = w.Write(make([]byte, 1<<16)); err == nil; {
		_, err = w.Write(make([]byte, 1<<16))
	}
	require.ErrorIs(t, err, os.ErrDeadlineExceeded)
	return w
}

// What a command was started to ignore, as nohup and a script's jobs in the background are, does not end it.
func TestIgnoredSignals(t *testing.T) {
	needs(t, "sh")
	c := exec.Command("sh", "-c", `trap '' INT HUP; echo ready >&2; exec "$0" fmt -`, program(t))
	stdin, err := c.StdinPipe()
	require.NoError(t, err)
	stderr, err := c.StderrPipe()
	require.NoError(t, err)
	require.NoError(t, c.Start())
	_, err = io.ReadFull(stderr, make([]byte, len("ready\n")))
	require.NoError(t, err)
	for range 3 {
		require.NoError(t, c.Process.Signal(syscall.SIGINT))
		require.NoError(t, c.Process.Signal(syscall.SIGHUP))
		time.Sleep(30 * time.Millisecond)
	}
	_, err = io.WriteString(stdin, large(2))
	require.NoError(t, err)
	require.NoError(t, stdin.Close())
	assert.NoError(t, c.Wait())
}
