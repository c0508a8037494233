package main

import (
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/klauspost/compress/zstd"
	"github.com/urfave/cli/v3"
)

// writeFile writes data to a file in one step: the old content stays until all of the new one is on the disk. A link is
// followed, and what is not a regular file (a device, a pipe) is written as it is, for replacing it would destroy it.
func writeFile(path string, data []byte, p packing) error { return writeTo(path, p, whole(data)) }

// content writes what a file is to hold, piece by piece or at once.
type content func(w io.Writer) error

// whole is a content that is there.
func whole(data []byte) content {
	return func(w io.Writer) error {
		_, err := w.Write(data)
		return err
	}
}

// writeTo is writeFile for a content that is written while it is made.
func writeTo(path string, p packing, what content) error {
	what = what.packed(p)
	path = linked(path)
	info, err := os.Stat(path)
	switch {
	case err == nil && info.IsDir():
		return fmt.Errorf("%s: is a directory", path)
	case err == nil && !info.Mode().IsRegular():
		err = writeDevice(path, what)
	case err == nil, errors.Is(err, fs.ErrNotExist):
		err = replaceFiles([]replacement{{path, what}}, 0o666)
	}
	if err != nil {
		return fmt.Errorf("%s: %v", path, reason(err))
	}
	return nil
}

// linked follows a link to where it points, whether there is something yet or not.
func linked(path string) string {
	if target, err := filepath.EvalSymlinks(path); err == nil {
		return target
	}
	if _, err := os.Stat(path); err == nil {
		return path // /dev/stdout is a link to no path where it is a pipe
	}
	for range 40 { // as many as Linux follows; the error of what is left says that there are too many
		target, err := os.Readlink(path)
		if err != nil {
			return path
		}
		if !filepath.IsAbs(target) {
			target = filepath.Dir(path) + string(filepath.Separator) + target // not Join: the folder may be a link, too
		}
		path = target
	}
	return path
}

// keepsInputs refuses an output that is an input of the command too, unless that is meant: assign and fmt may put a
// module in its own place.
func keepsInputs(c *cli.Command) error {
	outputs := []string{c.String("svg"), c.String("resume")}
	for _, text := range c.StringSlice("output") {
		_, path, _ := strings.Cut(text, "=")
		outputs = append(outputs, path)
	}
	if c.Bool("update-baseline") {
		outputs = append(outputs, c.String("baseline"))
	}
	if c.Name != "assign" && c.Name != "fmt" {
		outputs = append(outputs, c.String("o"))
	}
	for _, path := range outputs {
		out, err := os.Stat(path)
		if err != nil || !out.Mode().IsRegular() {
			continue
		}
		for _, arg := range c.Args().Slice() {
			found := []input{{path: arg}}
			if hasExtension(path) {
				if more, err := (&finder{stage: allStages}).expand(arg); err == nil {
					found = more
				}
			}
			for _, f := range found {
				if in, err := os.Stat(f.path); err == nil && os.SameFile(in, out) {
					return usage(c.Name, "%s is an input: it would be lost if it were written over", path)
				}
			}
		}
	}
	return nil
}

func writeDevice(path string, what content) error {
	f, err := os.OpenFile(path, os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	return errors.Join(what(f), f.Close())
}

// packed returns the content packed: the same bytes for the same content, for no time and no name are written.
func (what content) packed(p packing) content {
	if p == plain {
		return what
	}
	return func(w io.Writer) error {
		var pack io.WriteCloser = gzip.NewWriter(w)
		if p == zst {
			pack, _ = zstd.NewWriter(w, zstd.WithEncoderConcurrency(1)) // only wrong options fail
		}
		return errors.Join(what(pack), pack.Close())
	}
}
