package main

import (
	"context"
	"strings"

	"hlolayout/hlo/stage"
	"hlolayout/parser/forms"
	"hlolayout/parser/oom"
	"hlolayout/passes/fit"
	"hlolayout/passes/memory"
	"hlolayout/passes/padding"
	"hlolayout/printer/report"
	"hlolayout/printer/report/html"

	"github.com/urfave/cli/v3"
)

func oomCommand(s streams) *cli.Command {
	return &cli.Command{
		Usage:     "say what does not fit and what would help: from the compiler's message, or from a module",
		UsageText: "hlolayout oom [flags] [FILE...]",
		Description: `FILE is an out-of-memory message (E1000, E1001, those without a code, with or without the list of
largest allocations, also in a log), or a module. Says how much is needed and how much there is, and lists the largest
arrays at the peak: bytes with and without padding, which dimensions are padded, the operation and its line, and what
would make each smaller: another order, joined dimensions, a smaller type. That looks at the array alone: the compiler
may choose another order where its users need it. Of a module that does not fit, What would help lists changes of the
program, with what they save and whether they suffice: donate (arguments whose shape a result has), padding (shapes and
orders without it), checkpoint (what the backward pass computes again), batch (a smaller one), dtype; several together
where none suffices alone.
A scheduled module, such as *.oom_intermediate_module.txt of a dump folder, is counted as the compiler counts it. Of
other modules fusion and schedule are foreseen: the verdict is fits, does not fit, or unknown where it is nearer to the
limit than the bound of the prediction's error. Exit code 1 if a module does not fit the target.

Keys of --format json: schema_version, version, file, source (message, module), code, module, target, space, scoped,
instruction, used_bytes, limit_bytes, requested_bytes, over_bytes, verdict, least_bytes, error_bound_bytes, parts,
allocations (value, op_name, source, line_of where these two are of another value, space, type, shape, bytes,
unpadded_bytes, expansion, padded, foreseen and written_bytes where it is foreseen to take less than it is written with,
smaller: text, bytes, saved_bytes), suggestions (kind, text, saved_bytes, peak_bytes, fits, size and to of a batch,
arguments to donate); of a module also stage, tpu, tpu_source and libtpu.

Examples:
   hlolayout oom --tpu v5e error.txt
   hlolayout oom - <error.txt
   hlolayout oom --tpu v6e --html oom.html scheduled.hlo
   hlolayout oom --tpu v5e before_optimizations.txt           foreseen: fits, does not fit, or unknown`,
		Flags: append(targetFlags(),
			oneOfFlag(&cli.StringFlag{Name: "format", Value: "text", Usage: "`FORMAT` of the output: text, or json " +
				"(a document a message or module)"}, "text", "json"),
			topFlag(10, "list the first `N` allocations; 0: all"),
			&cli.StringFlag{Name: "html", Usage: "write a page with a chart of the memory over the schedule to `FILE`"},
			strictFlag(),
		),
		Action: func(_ context.Context, c *cli.Command) error { return outOfMemory(c, s) },
	}
}

func outOfMemory(c *cli.Command, s streams) error {
	inputs, ts, err := s.analysis(c)
	if err != nil {
		return err
	}
	if c.IsSet("html") && len(inputs) > 1 {
		return usage("oom", "--html takes one input, there are %d", len(inputs))
	}
	return s.eachAtOnce(inputs, func(j *job) error {
		show := func(o *report.OOM, chart *report.Memory) error {
			for i := range o.Allocations {
				if a := &o.Allocations[i]; c.String("format") == "json" || c.IsSet("html") || c.Int("top") == 0 ||
					i < c.Int("top") {
					a.Measure(o.Target)
				}
			}
			if c.IsSet("html") {
				if err := writeFile(c.String("html"), html.AppendOOM(nil, o, chart), plain); err != nil {
					return err
				}
			}
			if c.String("format") == "json" {
				return j.appendJSON(o.JSON())
			}
			j.out = append(j.out, visibleLines(string(o.AppendText(nil, c.Int("top"))))...)
			return nil
		}
		if err := j.load(); err != nil {
			return err
		}
		if !strings.Contains(j.text, "HloModule ") {
			t, err := ts.of(j.input, nil)
			if err != nil {
				return err
			}
			m, ok := oom.Parse(forms.Bare(j.text))
			if !ok {
				return j.errorf("this is neither an out-of-memory message nor a module")
			}
			j.note("%s: out-of-memory message, for %s: savings are those of each array alone", j.name(), t.told())
			return show(said(j.name(), m, t), nil)
		}
		ms, err := j.modules(c.Bool("strict"))
		if err != nil {
			return err
		}
		for _, m := range ms {
			if j.skips(m) {
				continue
			}
			d, err := j.judge(c, ts, m)
			if err != nil {
				return err
			}
			p, chart, err := j.fitOf(d)
			if err != nil {
				return err
			}
			o := report.OOMOf(j.name(), p)
			o.Origin = d.origin()
			j.differs = j.differs || o.Verdict == "does not fit"
			if err := show(o, chart); err != nil {
				return err
			}
		}
		return nil
	})
}

// said is what a message says, as a report.
func said(file string, m *oom.Message, t target) *report.OOM {
	o := &report.OOM{File: file, Code: m.Code, Module: m.Module, Target: t.Target, Space: strings.ToUpper(m.Space),
		Scoped: m.Scoped, Instruction: m.Instruction, Used: m.Used, Limit: m.Limit, Requested: m.Requested}
	for _, p := range m.Parts {
		o.Parts = append(o.Parts, report.OOMPart(p))
	}
	for _, a := range m.Allocations {
		o.Allocations = append(o.Allocations, report.OOMAllocation{Name: a.Label, Op: a.Op, Source: a.Source,
			Space: strings.ToUpper(a.Space), Type: a.Type, Shape: a.Shape, Size: a.Size, Unpadded: a.Unpadded})
	}
	return o
}

// fitOf returns what a module holds, by its schedule and with a chart, or as it is foreseen.
func (j *job) fitOf(d *judged) (*fit.Program, *report.Memory, error) {
	if d.stage == stage.Scheduled {
		a, err := memory.Analyze(d.Module, d.target.Target)
		if err != nil {
			return nil, nil, j.errorf("%v", err)
		}
		r := &report.Memory{File: j.name(), Module: d.Module.Name, Target: d.target.Name, Origin: d.origin(),
			Report: a.Report()}
		return fit.Scheduled(d.Module, d.target.Target, r.Report), r, nil
	}
	if d.iface != nil && d.iface.Partitions > 1 {
		return nil, nil, j.errorf("module %s is for %d devices: what one of them holds is known once it is partitioned; "+
			"give the compiled module",
			d.Name, d.iface.Partitions)
	}
	if err := j.costed(d); err != nil {
		return nil, nil, err
	}
	if err := padding.Countable(d.Module); err != nil {
		return nil, nil, j.errorf("module %s: %v", d.Name, err)
	}
	return fit.Foreseen(d.Module, d.target.Target), nil, nil
}
