package main

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"hlolayout/hlo"
	"hlolayout/passes"
	"hlolayout/passes/memory"
	"hlolayout/passes/reasons"
	"hlolayout/printer/diff"
	"hlolayout/printer/report"
	"hlolayout/printer/report/html"

	"github.com/urfave/cli/v3"
)

func reportCommand(s streams) *cli.Command {
	return &cli.Command{
		Usage:     "write an HTML page of what layouts cost and why",
		UsageText: "hlolayout report [flags] FILE",
		Description: `Writes one HTML file about a module: what padding and relayouts cost, the values with their layouts
before and after, why each has its layout, where its tiles lie, and for a scheduled module what fills the memories. The
file needs nothing else and opens offline. A module without layouts is assigned first, and the page then shows the
reasons; one that has them is shown as it is. Of several modules, such as those of a folder of --xla_dump_to or of one
text, each has a page, FILE.NAME.html, and FILE.html is a table of them with links, those with most padding and
relayouts first; where -o names a folder, or ends in /, they are NAME.html and index.html in it. With --diff the page
shows what each value was in another module, the values matched as the command diff does.

Examples:
   hlolayout report --tpu v5e -o report.html before.hlo           with the reasons for each layout
   hlolayout report -o report.html scheduled.hlo                  with what fills the memories
   hlolayout report -o report.html dumps                          a page for each module, and a table of them
   hlolayout report --diff golden.hlo -o report.html new.hlo      what each value was in the other`,
		Flags: slices.Concat(targetFlags(), folderFlags(), []cli.Flag{
			outputFlag(),
			&cli.StringFlag{Name: "diff", Usage: "show what each value was in the module in `FILE`"},
			strictFlag(),
		}),
		Action: func(_ context.Context, c *cli.Command) error { return writeReport(c, s) },
	}
}

// reportMemory is how many times the memory of assign a report takes: reasons, shapes before and the page are kept
// next to the module.
const reportMemory = 3

func writeReport(c *cli.Command, s streams) error {
	inputs, ts, err := s.analysis(c)
	if err != nil {
		return err
	}
	to, err := outputOf(c, inputs[:1])
	if err != nil {
		return err
	}
	pages := pagesAt(to.path)
	switch {
	case len(inputs) == 1:
	case to.path == "-":
		return usage("report", "there are %d modules: give -o FILE.html for a page each and an index of them, or "+
			"--module for one", len(inputs))
	case c.IsSet("diff"):
		return usage("report", "--diff compares one module, there are %d: choose with --module", len(inputs))
	}
	err = s.each(inputs, func(j *job) error {
		ms, err := j.readAll(c.Bool("strict"))
		if err != nil {
			return err
		}
		if len(ms) > 1 && (to.path == "-" || c.IsSet("diff")) {
			_, err = j.onlyOf(ms)
			return err
		}
		collectLate(reportMemory * textAtWork.Load())
		for i, m := range ms {
			if j.skips(m) {
				continue
			}
			d, data, err := j.page(c, ts, m)
			switch {
			case err != nil:
			case j.alone && len(ms) == 1 && !pages.folder:
				err = to.write(j, data)
			default:
				err = pages.write(j, d, j.places[i], data)
			}
			if err != nil {
				return err
			}
		}
		return nil
	})
	if len(pages.rows) == 0 {
		return err
	}
	return cmp.Or(pages.finish(strings.Join(c.Args().Slice(), " ")), err)
}

// page returns the page of a module.
func (j *job) page(c *cli.Command, ts *targeting, m *hlo.Module) (d *judged, data []byte, err error) {
	if d, err = j.judge(c, ts, m); err != nil {
		return nil, nil, err
	}
	in, err := j.reportOf(d)
	if err != nil {
		return nil, nil, err
	}
	if old := c.String("diff"); old != "" {
		if err := compareWith(in, j, input{path: old, std: j.std}, c.Bool("strict")); err != nil {
			return nil, nil, err
		}
	}
	if data, err = html.Append(nil, in); err != nil {
		return nil, nil, j.errorf("%v", err)
	}
	return d, data, nil
}

// reportOf gives a module its layouts if it has none, and keeps what a report tells of how they came about.
func (j *job) reportOf(d *judged) (*html.Input, error) {
	in := &html.Input{File: j.name(), Target: d.target.Target}
	result, err := j.costedUnder(d, passes.Observer{Before: func(_ *passes.Pass, m *hlo.Module) {
		if in.Before == nil {
			before := shapesOf(m)
			in.Before = func(x *hlo.Instruction) *hlo.Shape { return before[x] }
			in.Compared = "the module before layout assignment"
		}
	}})
	if err != nil {
		return nil, err
	}
	in.Module = d.Module
	for _, ran := range result.Passes {
		if ran.Pass.Name == "layout" {
			in.Plan = ran.Plan
		}
	}
	if d.hasLayouts() {
		in.Plan = reasons.Of(d.Module, d.target.Target, d.mode()).Plan
	}
	if d.IsScheduled() {
		a, err := memory.Analyze(d.Module, d.target.Target)
		if err != nil {
			j.log = fmt.Appendf(j.log, "%s: note: no account of the memories: %v\n", j.name(), err)
		} else {
			in.Memory = &report.Memory{File: j.name(), Module: d.Name, Target: d.target.Name, Report: a.Report()}
		}
	}
	return in, nil
}

func shapesOf(m *hlo.Module) map[*hlo.Instruction]*hlo.Shape {
	n := 0
	for _, c := range m.Computations {
		n += len(c.Instructions)
	}
	out := make(map[*hlo.Instruction]*hlo.Shape, n)
	for _, c := range m.Computations {
		for _, in := range c.Instructions {
			out[in] = in.Shape
		}
	}
	return out
}

// compareWith makes the report tell what each value was in another module.
func compareWith(in *html.Input, j *job, old input, strict bool) error {
	if old.path == "-" && j.path == "-" {
		return usage("report", "standard input cannot be both modules")
	}
	o := &job{input: old}
	m, err := o.read(strict)
	j.log = append(j.log, o.log...)
	if err != nil {
		return err
	}
	match := diff.Match(m, in.Module, diff.DefaultIgnore)
	in.Compared = o.name()
	in.Before = func(x *hlo.Instruction) *hlo.Shape {
		if was := match.OldOf(x); was != nil {
			return was.Shape
		}
		return nil
	}
	return nil
}
