package main

import (
	"bytes"
	"io"
	"regexp"
	"slices"
	"sync"
	"unicode/utf8"

	"hlolayout/hlo"
)

// shown is a stream for reports and messages, which hold names, strings and paths of others: what a terminal or
// GitHub's log would obey is written so that it only shows. The colours that the program writes itself pass where it is
// to write any.
type shown struct {
	io.Writer
	color bool
}

// show wraps the streams of a command line: standard error always, standard output where it is a report. HLO text keeps
// every byte, unless it goes to a terminal.
func (s streams) show(args []string) streams {
	always := slices.Contains(args, "--color=always") || slices.Contains(args, "always")
	s.err = shown{s.err, always || isTerminal(s.err)}
	if isTerminal(s.out) && !isNull(s.out) || !writesText(args) {
		s.out = shown{s.out, always || isTerminal(s.out)}
	}
	return s
}

// bare returns the stream that is shown or watched.
func bare(w io.Writer) io.Writer {
	for {
		switch x := w.(type) {
		case shown:
			w = x.Writer
		case *watched:
			w = x.Writer
		default:
			return w
		}
	}
}

// watched is a stream that remembers the first error of writing to it: nothing that prints can forget to tell.
type watched struct {
	io.Writer
	err error
}

func (w *watched) Write(p []byte) (int, error) {
	n, err := w.Writer.Write(p)
	if w.err == nil {
		w.err = err
	}
	return n, err
}

// writesText reports whether a command line's standard output is HLO text, or a script.
func writesText(args []string) bool {
	if len(args) == 0 {
		return false
	}
	has := func(flags ...string) bool {
		return slices.ContainsFunc(args, func(a string) bool { return slices.Contains(flags, a) })
	}
	switch args[0] {
	case "assign":
		return !has("--diff-only")
	case "fmt":
		return !has("-l", "-d")
	case "diff":
		return has("unified", "--format=unified")
	case "extract", "completion", "man":
		return true
	}
	return false
}

var (
	// ownColors are the sequences that the program writes.
	ownColors = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\x1b\[[0-9;]{1,5}m`) })
	// command is the start of a line that GitHub's log takes for a command, and of the file of a finding, which is one
	// of ours.
	command = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`(?m)^[ \t]*(::)(?:(error|warning|notice) file=)?`)
	})
)

// Write writes p, shown; the count is that of p.
func (w shown) Write(p []byte) (int, error) {
	out := p
	if slices.ContainsFunc(p, func(b byte) bool { return b < ' ' && b != '\n' || b >= 0x7f }) {
		out = w.visible(p)
	}
	if bytes.Contains(out, []byte("::")) {
		out = command().ReplaceAllFunc(out, func(m []byte) []byte {
			if bytes.HasSuffix(m, []byte(" file=")) {
				return m
			}
			return bytes.Replace(m, []byte("::"), []byte(`\::`), 1)
		})
	}
	if n, err := w.Writer.Write(out); err != nil {
		return min(n, len(p)), err
	}
	return len(p), nil
}

// visible leaves line ends, tabs and, where there are to be any, colours as they are.
func (w shown) visible(p []byte) []byte {
	out := make([]byte, 0, len(p)+len(p)/8)
	for len(p) > 0 {
		if w.color && p[0] == 0x1b {
			if m := ownColors().Find(p[:min(len(p), 8)]); m != nil && bytes.HasPrefix(p, m) {
				out, p = append(out, m...), p[len(m):]
				continue
			}
		}
		_, n := utf8.DecodeRune(p)
		if p[0] == '\n' || p[0] == '\t' {
			out = append(out, p[0])
		} else {
			out = append(out, hlo.Visible(string(p[:n]))...)
		}
		p = p[n:]
	}
	return out
}
