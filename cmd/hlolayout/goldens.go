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
	"hlolayout/printer/report"
)

// golden is one file that is kept.
type golden struct {
	path      string
	data, was []byte // was is nil without a file
}

// read reads what is kept.
func (f *golden) read() (err error) {
	f.was, err = readRegular(f.path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("%s: %v", f.path, reason(err))
	}
	return nil
}

// missing reports whether there is no such file; differs, whether what is kept says something else.
func (f *golden) missing() bool { return f.was == nil }

func (f *golden) differs() bool {
	was, now := report.Comparable(f.was, f.data)
	return !f.missing() && !bytes.Equal(was, now)
}

// compiled stands for the target of a module that came with its layouts.
const compiled = "compiled"

// cause is why a module differs from its golden.
type cause struct {
	rules bool // the program is the same, and the rules are not
	text  string
}

// causeOf compares what a lock says about the program and the rules with how they are now.
func causeOf(was, now report.LockHeader) cause {
	since := fmt.Sprintf("the lock is of rules %d, these are rules %d", was.Rules, now.Rules)
	if was.Rules == now.Rules {
		since = fmt.Sprintf("the rules are the same, version %d", now.Rules)
	}
	version, _, _ := strings.Cut(was.Program, "-")
	switch {
	case was.Target != now.Target || was.Options != now.Options:
		return cause{text: fmt.Sprintf("the target is another: %s, now %s",
			strings.TrimSpace(was.Target+" "+was.Options), strings.TrimSpace(now.Target+" "+now.Options))}
	case was.Program == "" || now.Program == "":
		return cause{text: "whether the program or the rules changed is unknown: the lock does not say which program " +
			"it is of"}
	case version != strconv.Itoa(report.FingerprintVersion):
		return cause{text: "whether the program changed is unknown: the lock's fingerprint is of another version; " +
			since}
	case was.Program != now.Program && now.Target == compiled:
		return cause{text: "the file changed, whose layouts and memory spaces are its compiler's; " + since}
	case was.Program != now.Program:
		return cause{text: "the program changed; " + since}
	case was.Rules != now.Rules:
		return cause{rules: true, text: fmt.Sprintf("only hlolayout's rules changed, from version %d to %d (hlolayout "+
			"check --rules says how); the program is the same", was.Rules, now.Rules)}
	}
	return cause{text: "neither the program nor the version of the rules changed: the golden was edited, an update " +
		"was interrupted, " +
		"or one of the two hlolayouts is a development build"}
}

// programOf returns the fingerprint of a module as it was read, "" where it cannot be read again.
func (j *job) programOf(d *judged) string {
	before, err := j.asRead(d)
	if err != nil {
		return ""
	}
	dropUnfinished(before)
	return report.Fingerprint(before)
}

// asRead reads a module once more: as it was before any pass changed it.
func (j *job) asRead(d *judged) (*hlo.Module, error) {
	_, ms, err := j.again()
	if err != nil {
		return nil, err
	}
	if d.at >= len(ms) {
		return nil, j.errorf("module %s is not found when it is read again", d.Name)
	}
	return ms[d.at], nil
}

// write replaces the goldens of a module, all of them or none; the lock last. A file that is the same is left alone.
func (g *goldens) write(j *job, files []golden) error {
	var list []replacement
	var written []string
	for i := len(files) - 1; i >= 0; i-- {
		path, err := g.place(j, files[i].path)
		if err != nil {
			return err
		}
		if bytes.Equal(files[i].was, files[i].data) {
			continue
		}
		if info, err := os.Stat(path); err == nil && !info.Mode().IsRegular() {
			return fmt.Errorf("%s: not a regular file", path)
		}
		list, written = append(list, replacement{path, whole(files[i].data)}), append(written, files[i].path)
	}
	if err := replaceFiles(list, 0o666); err != nil {
		var at *fs.PathError
		errors.As(err, &at)
		return fmt.Errorf("%s: %v", at.Path, at.Err)
	}
	if j.quiet() {
		return nil
	}
	for _, path := range written {
		j.out = fmt.Appendf(j.out, "%s: written\n", path)
	}
	return nil
}

// place makes the folder of a golden and returns the path to write to. It is that of a link where one is there, but
// never one outside of the folder of the goldens.
func (g *goldens) place(j *job, path string) (string, error) {
	root := g.dir
	if root == "" {
		root = filepath.Dir(j.path)
	}
	if err := os.MkdirAll(root, 0o777); err != nil {
		return "", fmt.Errorf("%s: %v", root, reason(err))
	}
	root, err := filepath.EvalSymlinks(root)
	if err != nil {
		return "", fmt.Errorf("%s: %v", g.dir, reason(err))
	}
	to := linked(path)
	parent := filepath.Dir(to)
	for { // the nearest folder that is there
		real, err := filepath.EvalSymlinks(parent)
		if err == nil {
			parent = real
			break
		}
		if up := filepath.Dir(parent); up != parent {
			parent = up
			continue
		}
		return "", fmt.Errorf("%s: %v", path, reason(err))
	}
	if below, err := filepath.Rel(root, parent); err != nil || below == ".." ||
		strings.HasPrefix(below, ".."+string(filepath.Separator)) {
		return "", fmt.Errorf("%s: a link leads to %s, outside of the folder of the goldens: it is not written; "+
			"remove the link", path, to)
	}
	if err := os.MkdirAll(filepath.Dir(to), 0o777); err != nil {
		return "", fmt.Errorf("%s: %v", path, reason(err))
	}
	return to, nil
}
