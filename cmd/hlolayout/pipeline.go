package main

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"

	"hlolayout/hlo"
	"hlolayout/passes"
	"hlolayout/printer"
	"hlolayout/tpu"

	"github.com/urfave/cli/v3"
)

// listPasses writes the passes in the order in which they run.
func listPasses(w io.Writer) error {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	for _, p := range passes.All() {
		fmt.Fprintf(t, "%s\t%s\n", p.Name, p.Doc)
	}
	fmt.Fprintf(t, "%s\tthe passes that the module is due for: none where it has its layouts\n", passes.Auto)
	if err := t.Flush(); err != nil {
		return fmt.Errorf("standard output: %v", reason(err))
	}
	return nil
}

// pipeline is what --passes and --print-after request.
type pipeline struct {
	passes     []string
	printAfter string
	target     *tpu.Target
	options    passes.Options
}

func pipelineOf(c *cli.Command) (pipeline, error) {
	p := pipeline{passes: strings.Split(c.String("passes"), ","), printAfter: c.String("print-after")}
	for _, name := range p.passes {
		if err := knownPass(c, "passes", name, append(passes.Names(), passes.Auto)); err != nil {
			return p, err
		}
	}
	if c.IsSet("print-after") {
		return p, knownPass(c, "print-after", p.printAfter, passes.Names())
	}
	return p, nil
}

func knownPass(c *cli.Command, flag, name string, known []string) error {
	if slices.Contains(known, name) {
		return nil
	}
	return usage(c.Name, "unknown pass %q of %s: %s", name, dashed(flag), didYouMean(name, known))
}

// run runs the passes on a job's module, and returns what they did. Each is a phase of the job's timer, which ran on
// since the module was parsed.
func (p pipeline) run(j *job, m *hlo.Module) (*passes.Result, error) {
	result, err := passes.Run(m, p.target, p.passes, p.options, passes.Observer{
		After: func(pass *passes.Pass, m *hlo.Module, _ passes.Ran) {
			j.timer.done(pass.Name)
			if pass.Name == p.printAfter {
				j.log = fmt.Appendf(j.log, "// %s after %s\n", j.name(), pass.Name)
				j.log = printer.Append(j.log, m)
				j.timer.start()
			}
		},
	})
	return result, j.passed(result, err)
}

// passed tells what the passes note, or returns their error as one of the input.
func (j *job) passed(result *passes.Result, err error) error {
	var list hlo.ErrorList
	switch {
	case errors.As(err, new(*passes.Panic)):
		return j.bug("%v", err)
	case errors.As(err, &list):
		return list
	case err != nil:
		return j.errorf("%v", err)
	}
	notes := result.Notes
	if len(result.Passes) > 0 { // why they ran is known
		notes = nil
		for _, ran := range result.Passes {
			notes = append(notes, ran.Plan.Notes...)
		}
	}
	for _, note := range notes {
		j.note("%s: note: %s", hlo.Visible(j.name()), note)
	}
	return nil
}
