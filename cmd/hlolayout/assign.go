package main

import (
	"context"
	"fmt"
	"slices"

	"hlolayout/hlo"
	"hlolayout/hlo/verify"
	"hlolayout/passes/folding"
	"hlolayout/printer"
	"hlolayout/printer/diff"
	"hlolayout/tpu"

	"github.com/urfave/cli/v3"
)

func assignCommand(s streams) *cli.Command {
	return &cli.Command{
		Usage:     "assign layouts and print the rewritten module",
		UsageText: "hlolayout assign [flags] [FILE...]",
		Description: `Reads each module, gives every array the layout that the TPU compiler's layout assignment would give it,
inserts the copies that this needs, and prints the module. A scheduled module gets its memory spaces, too, with the
moves between HBM and VMEM as instructions, copy-start and copy-done, as the compiler writes them (a prefetch that it
cuts into slices is one copy, and numbers in names may differ). With --spaces-only no move is written, and a value that
would move stays in HBM.

Examples:
   hlolayout assign --tpu v5e attention.hlo                 the rewritten module
   hlolayout assign --diff-only attention.hlo               only what changes
   hlolayout assign --diff -o assigned.hlo attention.hlo    both: the module to a file, the changes to the terminal
   gunzip -c dump.txt.gz | hlolayout assign - > out.hlo     from standard input
   hlolayout assign -w 'dumps/**/*before*.txt'              many files, each rewritten
   hlolayout assign --spaces-only scheduled.hlo             memory spaces without prefetches and evictions
   hlolayout assign --pin '%div.7={3,2,1,0}' attention.hlo  with that value in that order
   hlolayout assign --entry 'param 0={3,2,1,0}' attention.hlo
` + whatIfHelp,
		Flags: slices.Concat(targetFlags(), entryFlags(), []cli.Flag{
			oneOfFlag(&cli.StringFlag{Name: "pred-packing", Usage: "store a PRED as a `SIZE`: byte, as the compiler " +
				"does, or bit", DefaultText: tpu.PredByte},
				tpu.PredByte, tpu.PredBit),
			oneOfFlag(&cli.StringFlag{Name: "small-tiles", Usage: "tile a second-minor size of 1 by `RULE`: " +
				"measured, as the compiler does, or documented, as XLA's page has it",
				DefaultText: tpu.SmallMeasured}, tpu.SmallMeasured, tpu.SmallDocumented),
			&cli.BoolFlag{Name: "v", Usage: "list to standard error every constraint that " +
				"layout assignment sets, as the compiler's own log does, after what simplified a lowered or unoptimized module"},
			pinFlag(), entryFlag(),
			oneOfFlag(&cli.StringFlag{Name: "format", Value: "text", Usage: "`FORMAT` of what --pin and --entry " +
				"cost: text, or json (an object a module)"}, "text", "json"),
			&cli.BoolFlag{Name: "diff", Usage: "print what changed to standard error"},
			&cli.BoolFlag{Name: "diff-only", Usage: "print what changed instead of the " +
				"module"},
			&cli.BoolFlag{Name: "simplify", Usage: "print a lowered or unoptimized module " +
				"as the compiler's simplifications leave it: its layouts are then those of the compiled module more " +
				"often"},
			&cli.StringFlag{Name: "passes", Value: "auto", Usage: "run these `PASSES`, separated by commas; auto are " +
				"those of --list-passes"},
			&cli.BoolFlag{Name: "list-passes", Usage: "list the passes and what they do"},
			&cli.StringFlag{Name: "print-after", Usage: "print the module to standard error after this `PASS`"},
			&cli.BoolFlag{Name: "spaces-only", Usage: "do not write the moves of a " +
				"scheduled module between HBM and VMEM; what would move stays in HBM"},
			outputFlag(),
			writeFlag(),
			strictFlag(),
			shardFlag(),
			resumeFlag(),
			&cli.BoolFlag{Name: "verify", Usage: "refuse what XLA's verifier refuses (see " +
				"hlolayout verify)"},
			timingFlag(),
		}),
		Action: func(_ context.Context, c *cli.Command) error { return assign(c, s) },
	}
}

func assign(c *cli.Command, s streams) error {
	if c.Bool("list-passes") {
		return listPasses(s.out)
	}
	ts, err := targetsOf(c)
	if err != nil {
		return err
	}
	if c.Bool("diff-only") {
		if err := alone(c, "diff-only", "w"); err != nil {
			return err
		}
	}
	inputs, err := s.inputs(c)
	if err != nil {
		return err
	}
	out, err := outputOf(c, inputs)
	if err != nil {
		return err
	}
	pipeline, err := pipelineOf(c)
	if err != nil {
		return err
	}
	asked, err := wishesOf(c)
	if err != nil {
		return err
	}
	if c.String("format") == "json" && !asked.any() {
		return usage("assign", "--format json is of what --pin and --entry cost, and none is given; "+
			"hlolayout explain --all and stats have JSON of layouts and costs")
	}
	pipeline.options.Pins = asked.pins
	pipeline.options.SpacesOnly = c.Bool("spaces-only")
	pipeline.options.NoReasons = true
	each := s.eachAtOnce
	if c.IsSet("timing") { // processor time is the whole process's
		each = s.each
	}
	return each(inputs, func(j *job) error {
		j.timer = newTimer(c)
		ms, err := j.readAll(c.Bool("strict"))
		if err != nil {
			return err
		}
		if j.alone {
			pipeline.options.Spent = collectSpent
		}
		pipeline := pipeline
		for i, m := range ms {
			if c.Bool("verify") {
				if err := verify.Module(m).Err(); err != nil {
					return err
				}
			}
			d, err := j.judge(c, ts, m)
			if err != nil {
				return err
			}
			if c.Bool("simplify") {
				m = folding.Prepare(m, d.stage, d.target.Target).Module
				d.Module, d.iface, ms[i] = m, nil, m
			}
			pipeline.target, pipeline.options.EntryLayouts, pipeline.options.Checked = d.target.Target, d.entry, true
			if asked.any() {
				if err := j.assignAsked(pipeline, asked, i, d, c.Bool("v"), c.String("format")); err != nil {
					return err
				}
				continue
			}
			if c.Bool("v") {
				if err := j.logConstraints(m, pipeline.target, pipeline.options); err != nil {
					return err
				}
			}
			pipeline.options.Interface, pipeline.options.Stage = d.read(d.entry), &d.stage
			if _, err := pipeline.run(j, m); err != nil {
				return err
			}
		}
		if c.Bool("diff-only") {
			j.logTiming(c)
			return out.write(j, appendDiff(nil, j, ms, pipeline.target, out.path == "-" && colored(c, s.out)))
		}
		if err := out.print(j, ms, printer.Config{}); err != nil {
			return err
		}
		j.logTiming(c)
		if c.Bool("diff") {
			j.log = appendDiff(j.log, j, ms, pipeline.target, colored(c, s.err))
		}
		return nil
	})
}

// appendDiff appends what assignment changed, the copies it inserted, and the summary, for each module. The old modules
// are parsed once more: assignment rewrites those it is given.
func appendDiff(dst []byte, j *job, ms []*hlo.Module, t *tpu.Target, color bool) []byte {
	_, old, err := j.again()
	if err != nil {
		panic(err) // it parsed before
	}
	for i, m := range ms {
		name := j.label(m)
		d := diff.Compare(old[i], m)
		dst = d.Append(dst, diff.Options{Old: name, New: name + " with layouts of " + t.Name, Color: color})
		dst = d.AppendCopies(dst)
		dst = fmt.Appendf(dst, "%s: %s\n", name, d.Summary)
	}
	return dst
}
