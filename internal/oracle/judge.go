package oracle

import (
	"bufio"
	"encoding/binary"
	"fmt"
	"io"
	"os/exec"
	"path/filepath"
	"testing"
)

// A Verdict is what XLA's parser says of a text.
type Verdict byte

// The verdicts.
const (
	Accepted Verdict = 'A'
	Refused  Verdict = 'R'
	Crashed  Verdict = 'C' // aborted, out of memory, or took too long
)

// Judge is XLA's parser and printer in a separate process.
type Judge struct {
	to   io.WriteCloser
	from *bufio.Reader
}

// NewJudge starts a judge that ends with the test; root is the path to the repository.
func NewJudge(t testing.TB, root string) *Judge {
	t.Helper()
	return start(t, exec.Command(Python(t, root), filepath.Join(root, "testdata", "oracle", "judge.py")))
}

func start(t testing.TB, cmd *exec.Cmd) *Judge {
	t.Helper()
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		in.Close()
		if err := cmd.Wait(); err != nil {
			t.Error("the judge:", err)
		}
	})
	return &Judge{in, bufio.NewReader(out)}
}

// Of returns XLA's verdict on a text, and what it prints after accepting it or its message when it refuses it.
func (j *Judge) Of(text string) (Verdict, string, error) {
	if _, err := j.to.Write(append(binary.LittleEndian.AppendUint32(nil, uint32(len(text))), text...)); err != nil {
		return 0, "", fmt.Errorf("asking XLA: %w", err)
	}
	head := make([]byte, 5)
	if _, err := io.ReadFull(j.from, head); err != nil {
		return 0, "", fmt.Errorf("XLA's answer: %w", err)
	}
	answer := make([]byte, binary.LittleEndian.Uint32(head[1:]))
	if _, err := io.ReadFull(j.from, answer); err != nil {
		return 0, "", fmt.Errorf("XLA's answer: %w", err)
	}
	return Verdict(head[0]), string(answer), nil
}
