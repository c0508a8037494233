package main

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"

	"hlolayout/hlo/stage"
	"hlolayout/parser/forms"
	"hlolayout/printer/report"

	"github.com/urfave/cli/v3"
)

func summaryCommand(s streams) *cli.Command {
	return &cli.Command{
		Usage:     "say in half a page what a module or a folder is, what costs most, and what to run next",
		UsageText: "hlolayout [summary] [flags] [FILE...]",
		Description: `Prints what each module is (name, stage, instructions), the target, its parameters, results and arrays,
padding, relayouts, memory, the three worst findings with the lines of the program that they come from, and which
command to run next. Of several modules, or a folder of --xla_dump_to, it prints a table, the worst first: those with
most bytes of padding and relayouts. The name of the command may be left out. A module that has its layouts is taken as
it is; one without is assigned first. Findings have no effect on the exit code.

Examples:
   hlolayout compiled.hlo
   hlolayout dumps                           a folder of --xla_dump_to
   hlolayout summary --tpu v6e before.hlo
   hlolayout summary --format json compiled.hlo | jq '.modules[0].findings'`,
		Flags: slices.Concat(targetFlags(), folderFlags(), []cli.Flag{
			oneOfFlag(&cli.StringFlag{Name: "format", Value: "text", Usage: "`FORMAT` of the output: text, or json " +
				"(one document)"}, "text", "json"),
			strictFlag(),
		}),
		Action: func(_ context.Context, c *cli.Command) error { return summarize(c, s) },
	}
}

func summarize(c *cli.Command, s streams) error {
	inputs, ts, err := s.analysis(c)
	if err != nil {
		return err
	}
	all := report.Summaries{Form: report.ThisForm, Modules: []*report.Summary{},
		Failed: []report.Result{}, Next: []report.SummaryNextStep{}}
	found := make(map[string][]*report.Summary, len(inputs))
	failed := map[string]error{}
	var adding sync.Mutex
	code := s.eachAtOnce(inputs, func(j *job) error {
		list, err := j.summaries(c, ts)
		adding.Lock()
		defer adding.Unlock()
		found[j.path], failed[j.path] = list, err
		return err
	})
	for _, in := range inputs {
		all.Modules = append(all.Modules, found[in.path]...)
		if err := failed[in.path]; err != nil {
			all.Failed = append(all.Failed, report.FailedCase(in.name(), err).Errors...)
		}
	}
	if len(all.Modules) == 0 && code != nil {
		return code
	}
	slices.SortStableFunc(all.Modules, func(a, b *report.Summary) int { return cmp.Compare(b.Cost(), a.Cost()) })
	var args []string
	for _, a := range c.Args().Slice() {
		args = append(args, report.Quoted(a))
	}
	name := strings.Join(args, " ")
	all.Advise(name, adviseFlags(c))
	out := &job{}
	if c.String("format") == "json" {
		err = out.appendJSON(all)
	} else {
		out.out = all.AppendText(nil, name)
	}
	if err == nil {
		err = s.print(out.out)
	}
	return cmp.Or(err, code)
}

// adviseFlags are the flags that a command to run next is given, too.
func adviseFlags(c *cli.Command) (text string) {
	for _, f := range []string{"tpu", "target-file", "libtpu", "entry-layouts"} {
		if c.IsSet(f) {
			text += " --" + f + "=" + report.Quoted(c.String(f))
		}
	}
	return text
}

// summaries reads a job's modules, gives those their layouts that have none, and sums them up.
func (j *job) summaries(c *cli.Command, ts *targeting) (list []*report.Summary, err error) {
	if err := j.load(); err != nil {
		return nil, err
	}
	j.partial, j.lines = true, !forms.IsOOM(j.text) // the error says what reads such a message
	ms, err := j.modules(c.Bool("strict"))
	if err != nil {
		return nil, err
	}
	for i, m := range ms {
		d, worth, err := j.weigh(c, ts, m)
		if err != nil {
			return nil, err
		}
		s := report.NewSummary(m, j.name(), d.origin(), worth)
		list = append(list, s)
		if j.module != nil {
			s.Folder, s.Number, s.Prefix = j.folder, &j.module.Number, j.module.Prefix
		}
		flags := adviseFlags(c)
		if j.holds > 1 && j.module == nil {
			s.Place = &j.places[i]
			flags += fmt.Sprintf(" --module %d", j.places[i])
		}
		switch d.stage {
		case stage.Foreign:
			s.Platform, _ = stage.Platform(m)
		case stage.Cut:
			s.AddPart(m)
		default:
			if err := j.costed(d); err != nil {
				return nil, err
			}
			s.Judge(d.Module, d.iface, d.target.Target, d.assigned)
		}
		file := report.Quoted(j.path)
		if file == "-" {
			file = "FILE"
		}
		s.Advise(file, flags)
	}
	return list, nil
}
