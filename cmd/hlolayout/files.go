package main

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"
)

// extensions are the names that are read when a directory is given.
var extensions = []string{".hlo", ".txt", ".hlo.gz", ".txt.gz", ".hlo.zst", ".txt.zst", ".hlo.pb", ".pbtxt"}

func hasExtension(path string) bool {
	return slices.ContainsFunc(extensions, func(e string) bool { return strings.HasSuffix(path, e) })
}

// inputs returns the texts that a command's arguments name, in their order, each once. Without arguments that is standard
// input, unless it is a terminal.
func (s streams) inputs(c *cli.Context) ([]input, error) {
	args := c.Args().Slice()
	if len(args) == 0 {
		if isTerminal(s.in) {
			return nil, usage(c.Command.Name, "no input: give files, directories, patterns, or - for standard input")
		}
		args = []string{"-"}
	}
	var paths []string
	for _, arg := range args {
		found, err := expand(arg)
		if err != nil {
			return nil, err
		}
		paths = append(paths, found...)
	}
	done, err := readDone(c.String("resume"))
	if err != nil {
		return nil, err
	}
	seen := map[string]bool{}
	var out []input
	for _, p := range paths {
		if !seen[filepath.Clean(p)] {
			seen[filepath.Clean(p)] = true
			out = append(out, input{p, s.in, done})
		}
	}
	return shard(c, out)
}

// expand returns the files that one argument names. What is no file, directory or pattern is returned as it is: opening
// it then says what is wrong.
func expand(arg string) ([]string, error) {
	if arg == "-" {
		return []string{arg}, nil
	}
	info, err := os.Stat(arg)
	if err == nil && info.IsDir() {
		return search(arg)
	}
	if err == nil || !strings.ContainsAny(arg, "*?[") {
		return []string{arg}, nil
	}
	matches, err := glob(arg)
	if err != nil {
		return nil, fmt.Errorf("pattern %q: %v", arg, err)
	}
	if len(matches) == 0 {
		return nil, fmt.Errorf("pattern %q matches no file", arg)
	}
	var out []string
	for _, m := range matches {
		if info, err := os.Stat(m); err != nil || !info.IsDir() {
			out = append(out, m)
			continue
		}
		files, err := search(m)
		if err != nil {
			return nil, err
		}
		out = append(out, files...)
	}
	return out, nil
}

// search returns the files with one of the extensions below dir, in lexical order.
func search(dir string) ([]string, error) {
	var out []string
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() && hasExtension(path) {
			out = append(out, path)
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	if len(out) == 0 {
		return nil, fmt.Errorf("%s: no file with a name in *%s", dir, strings.Join(extensions, ", *"))
	}
	return out, nil
}

// glob is filepath.Glob with ** for any number of directories, none included. The matches are sorted.
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
