package main

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"hlolayout/hlo"

	"github.com/urfave/cli/v3"
)

func shardFlag() cli.Flag {
	return &cli.StringFlag{Name: "shard", Usage: "work only on every Nth file, beginning with the `I/N`th: 1/4 to " +
		"4/4 together are all of them, as in a CI matrix"}
}

func resumeFlag() cli.Flag {
	return &cli.StringFlag{Name: "resume", Usage: "leave out the files that `LIST` names, and add each file to it " +
		"that is done; what failed is not added"}
}

// shard returns the inputs of --shard I/N: the Ith, the I+Nth and so on. An order of files thus spreads over all
// shards.
func shard(c *cli.Command, inputs []input) ([]input, error) {
	text := c.String("shard")
	if text == "" {
		return inputs, nil
	}
	before, after, _ := strings.Cut(text, "/")
	i, err1 := strconv.Atoi(before)
	n, err2 := strconv.Atoi(after)
	if err1 != nil || err2 != nil || i < 1 || i > n {
		return nil, usage(c.Name, "--shard %s: it is I/N with 1 <= I <= N, such as 1/4", text)
	}
	var out []input
	for k := i - 1; k < len(inputs); k += n {
		out = append(out, inputs[k])
	}
	return out, nil
}

// doneList is the file of --resume: the inputs that are done, a line each, and after a tab 1 where that left a
// difference or finding. Paths with control characters or a quote in front are quoted as in Go. A nil list has nothing
// and keeps nothing.
type doneList struct {
	path  string
	codes map[string]int
}

// readDone reads the list; one that is not there is empty. A last line without its end is one that a crash cut off: it
// counts as not done.
func readDone(path string) (*doneList, error) {
	if path == "" {
		return nil, nil
	}
	d := &doneList{path, map[string]int{}}
	text, err := readRegular(path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("%s: %v", path, reason(err))
	}
	whole := text[:bytes.LastIndexByte(text, '\n')+1]
	if len(whole) < len(text) {
		if err := os.Truncate(path, int64(len(whole))); err != nil {
			return nil, fmt.Errorf("%s: %v", path, reason(err))
		}
	}
	i := 0
	for line := range strings.Lines(string(whole)) {
		i++
		name, code, _ := strings.Cut(strings.TrimSuffix(line, "\n"), "\t")
		if code != "" && code != strconv.Itoa(exitDiffers) {
			return nil, fmt.Errorf("%s:%d: a line is a path, optionally followed by a tab and at most %d", path, i,
				exitDiffers)
		}
		if strings.HasPrefix(name, `"`) {
			if name, err = strconv.Unquote(name); err != nil {
				return nil, fmt.Errorf("%s:%d: a path with a quote in front is quoted as in Go: %v", path, i, err)
			}
		}
		d.codes[filepath.Clean(name)] = len(code) // no code or one digit: exitSame or exitDiffers
	}
	return d, nil
}

// readRegular reads a file that an earlier run may have written. A device or a pipe may have no end.
func readRegular(path string) ([]byte, error) {
	info, err := os.Stat(path)
	switch {
	case err != nil:
		text, err := memberAt(path, err)
		if err != nil {
			return nil, err
		}
		return []byte(text), nil
	case !info.Mode().IsRegular() && !info.IsDir():
		return nil, errors.New("not a regular file")
	}
	return os.ReadFile(path)
}

// code returns the exit code that an input left when it was done, and whether it was.
func (d *doneList) code(path string) (code int, done bool) {
	if d == nil {
		return 0, false
	}
	code, done = d.codes[filepath.Clean(path)]
	return code, done
}

// note says in a line how many inputs are left out, and how many of them decide on the exit code; "" where none is.
func (d *doneList) note(inputs []input) string {
	var done, differ int
	for _, in := range inputs {
		if code, ok := d.code(in.path); ok {
			done, differ = done+1, differ+min(code, 1)
		}
	}
	if done == 0 {
		return ""
	}
	text := fmt.Sprintf("%s: %d of %s done already", hlo.Visible(d.path), done, plural(len(inputs), "file is",
		"files are"))
	if differ > 0 {
		text += fmt.Sprintf(", %d with a finding or difference (exit code 1)", differ)
	}
	return text + "\n"
}

// add appends an input that is done to the list. One write a line: a crash leaves whole lines.
func (d *doneList) add(path string, code int) error {
	if d == nil {
		return nil
	}
	line := path
	if strings.HasPrefix(path, `"`) || strings.ContainsFunc(path, func(r rune) bool { return r < ' ' }) {
		line = strconv.Quote(path)
	}
	if code == exitDiffers {
		line += "\t" + strconv.Itoa(code)
	}
	f, err := os.OpenFile(d.path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o666)
	if err == nil {
		_, err = f.WriteString(line + "\n")
		err = errors.Join(err, f.Close())
	}
	if err != nil {
		return fmt.Errorf("%s: %v", d.path, reason(err))
	}
	return nil
}
