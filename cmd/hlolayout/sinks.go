package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"hlolayout/printer/report"

	"github.com/urfave/cli/v3"
)

// sinks are where the findings of one run go: one form to standard output (--format), further ones to files (--output).
type sinks struct {
	report.Results
	list     []*sink
	exitZero bool
	keep     bool // some form is made of the Results
	// adding is held by add and finish: where standard output fails, an input may still be worked on.
	adding sync.Mutex
}

// sink is one form of the findings and where it goes, "-" for standard output. The command's own forms come module by
// module.
type sink struct {
	format, path string
	own          bool
	text         []byte
}

// formatNames returns the names of a command's own forms and those of report.Formats.
func formatNames(own []string) []string {
	names := slices.Clone(own)
	for _, f := range report.Formats {
		if !slices.Contains(names, f.Name) {
			names = append(names, f.Name)
		}
	}
	return names
}

// formatsHelp lists the forms of report.Formats for help.
func formatsHelp() string {
	text := "\n\nForms of findings for --format and --output:\n"
	for _, f := range report.Formats {
		text += fmt.Sprintf("   %-14s%s\n", f.Name, f.Doc)
	}
	return strings.TrimSuffix(text, "\n")
}

// resultFlags are the flags that sinksOf reads, for a command with its own forms.
func resultFlags(own ...string) []cli.Flag {
	names := formatNames(own)
	return []cli.Flag{
		oneOfFlag(&cli.StringFlag{Name: "format", Value: own[0], Usage: "`FORMAT` of standard output: " +
			strings.Join(names, ", ")}, names...),
		&pairFlag{keys: names, StringSliceFlag: &cli.StringSliceFlag{Name: "output",
			Usage: "write the findings in one more form: `FORMAT=PATH`, where - is standard output; may be given " +
				"several times. With --resume it covers the inputs of this run"}},
		&cli.BoolFlag{Name: "exit-zero", Usage: "report only: what is found has no effect " +
			"on the exit code"},
	}
}

// sinksOf reads --format, --output and --exit-zero for a command with its own forms.
func (s streams) sinksOf(c *cli.Command, own ...string) (*sinks, error) {
	command := c.Name
	r := &sinks{Results: report.Results{Command: command, Version: report.Version, Rules: report.Rules(command)},
		exitZero: c.Bool("exit-zero")}
	names := formatNames(own)
	add := func(format, path string) {
		x := &sink{format: format, path: path, own: slices.Contains(own, format)}
		r.list = append(r.list, x)
		r.keep = r.keep || !x.own
	}
	for _, text := range c.StringSlice("output") {
		format, path, _ := strings.Cut(text, "=")
		switch {
		case !slices.Contains(names, format):
			return nil, usage(command, "--output %s: unknown format %q: %s", text, format, didYouMean(format, names))
		case path == "":
			return nil, usage(command, "--output %s says no file: write %s=PATH, or %s=- for standard output", text,
				format, format)
		}
		for _, x := range r.list {
			if filepath.Clean(x.path) == filepath.Clean(path) {
				return nil, usage(command, "two outputs go to %s: %s and %s", path, x.format, format)
			}
		}
		add(format, path)
	}
	switch taken := r.stdout(); {
	case taken == nil && (!s.quiet() || c.IsSet("format")):
		add(c.String("format"), "-")
	case taken != nil && c.IsSet("format"):
		return nil, usage(command, "--format %s and --output %s=- both take standard output", c.String("format"),
			taken.format)
	}
	return r, nil
}

// stdout returns the sink that goes to standard output, nil for none.
func (r *sinks) stdout() *sink {
	for _, x := range r.list {
		if x.path == "-" {
			return x
		}
	}
	return nil
}

// add takes a case, and what form makes of it for each of the command's own forms. It returns what goes to standard
// output now.
func (r *sinks) add(c report.Case, form func(format string) []byte) (out []byte) {
	r.adding.Lock()
	defer r.adding.Unlock()
	if r.keep {
		r.Cases = append(r.Cases, c)
	}
	for _, x := range r.list {
		switch {
		case !x.own:
		case x.path == "-":
			out = append(out, form(x.format)...)
		default:
			x.text = append(x.text, form(x.format)...)
		}
	}
	return out
}

// eachTo is streams.each with sinks: an input that fails is reported in all of them, and they are written when all
// inputs are done.
func (s streams) eachTo(r *sinks, inputs []input, f func(*job) error) error {
	return r.finish(s, s.each(inputs, func(j *job) error {
		err := j.safe(f)
		if err != nil {
			r.fail(j.name(), err)
		}
		return err
	}))
}

// fail takes an input that could not be examined.
func (r *sinks) fail(file string, err error) {
	r.add(report.FailedCase(file, err), func(string) []byte { return nil })
}

// found gives a case to the sinks; findings mean exit code 1, unless --exit-zero is given.
func (j *job) found(r *sinks, c report.Case, form func(format string) []byte) {
	j.out = append(j.out, r.add(c, form)...)
	j.differs = j.differs || len(c.Findings) > 0 && !r.exitZero
}

// finish writes what is left to write, and returns err, or what went wrong in writing. Each file is written whole or
// not at all.
func (r *sinks) finish(s streams, err error) error {
	r.adding.Lock()
	defer r.adding.Unlock()
	var failed []error
	for _, x := range r.list {
		if e := r.write(s, x); e != nil {
			failed = append(failed, e)
		}
	}
	if len(failed) > 0 {
		return errors.Join(failed...)
	}
	return err
}

func (r *sinks) write(s streams, x *sink) error {
	data := x.text
	if !x.own {
		f := report.FormatOf(x.format)
		var before []byte
		if f.Adds && x.path != "-" {
			var err error
			if info, statErr := os.Stat(x.path); statErr == nil && info.Mode().IsRegular() {
				before, err = os.ReadFile(x.path)
			}
			if err != nil {
				return fmt.Errorf("%s: %v", x.path, reason(err))
			}
		}
		made, err := f.Render(&r.Results, len(before))
		if err != nil {
			return fmt.Errorf("%s: %v", x.format, err)
		}
		data = append(before, made...)
	}
	if x.path != "-" {
		return writeFile(x.path, data, packingOf(x.path))
	}
	if _, err := s.out.Write(data); err != nil {
		return fmt.Errorf("standard output: %v", reason(err))
	}
	return nil
}
