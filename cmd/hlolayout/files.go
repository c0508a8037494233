package main

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"github.com/urfave/cli/v3"
)

// extensions are the names that are read when a directory is given.
var extensions = []string{".hlo", ".txt", ".hlo.gz", ".txt.gz", ".hlo.zst", ".txt.zst", ".hlo.pb", ".hlo.pb.gz",
	".hlo.pb.zst", ".pbtxt"}

func hasExtension(path string) bool {
	return slices.ContainsFunc(extensions, func(e string) bool { return strings.HasSuffix(path, e) })
}

// inputs returns the texts that a command's arguments name, in their order, each once. Without arguments that is
// standard input, unless it is a terminal.
func (s streams) inputs(c *cli.Command) ([]input, error) {
	args := c.Args().Slice()
	if len(args) == 0 {
		if isTerminal(s.in) {
			return nil, usage(c.Name, "no input: give files, directories, patterns, or - for standard input")
		}
		args = []string{"-"}
	}
	finder := finderOf(c)
	done, err := readDone(c.String("resume"))
	if err != nil {
		return nil, err
	}
	seen := map[string]bool{}
	var out []input
	var failed, empty []error
	for _, arg := range args {
		found, err := finder.expand(arg)
		switch {
		case errors.As(err, new(nothing)):
			empty = append(empty, err)
		case err != nil:
			failed = append(failed, err)
			found = []input{{path: arg, failed: err}}
		}
		for _, in := range found {
			if p := filepath.Clean(in.path); !seen[p] {
				seen[p] = true
				in.std, in.done = s.in, done
				out = append(out, in)
			}
		}
	}
	if len(out) == len(failed) { // or there is none at all
		return nil, errors.Join(append(empty, failed...)...)
	}
	if !s.quiet() {
		for _, e := range append(empty, finder.notes...) {
			fmt.Fprintln(s.err, visibleLines(e.Error()))
		}
	}
	if err := finder.used(c, out); err != nil {
		return nil, err
	}
	if out, err = shard(c, out); err == nil && !s.quiet() {
		fmt.Fprint(s.err, done.note(out))
	}
	return out, err
}

// glob is filepath.Glob with ** for any number of directories, none included, but hidden ones. The matches are sorted.
func glob(pattern string) ([]string, error) {
	before, after, deep := strings.Cut(filepath.ToSlash(pattern), "**/")
	if !deep {
		return filepath.Glob(pattern)
	}
	roots, err := filepath.Glob(filepath.Clean(before)) // Clean makes . of nothing, and drops the last /
	if err != nil {
		return nil, err
	}
	var out []string
	for _, root := range roots {
		err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
			if err != nil || !d.IsDir() {
				return err
			}
			if path != root && isHidden(path) {
				return filepath.SkipDir
			}
			found, err := glob(filepath.Join(path, after))
			out = append(out, found...)
			return err
		})
		if err != nil {
			return nil, err
		}
	}
	slices.Sort(out)
	return slices.Compact(out), nil
}
