package main

import (
	"context"
	"fmt"
	"slices"

	"hlolayout/passes/fit"
	"hlolayout/passes/lint"
	"hlolayout/passes/memory"
	"hlolayout/printer/report"

	"github.com/urfave/cli/v3"
)

func memoryCommand(s streams) *cli.Command {
	return &cli.Command{
		Usage:     "say what fills the memories of a scheduled module, and what stays out of VMEM",
		UsageText: "hlolayout memory [flags] [FILE...]",
		Description: `Places the values of each scheduled module (is_scheduled=true) as the compiler would, and prints the
peak of each memory with what it holds then, what stays in HBM and why, the prefetches and evictions, and the bytes of
arguments, outputs, aliases and temporaries as CompiledMemoryStats counts them, and those of constants. The peak
of stats (peak_bytes) is the HBM that a run takes: arguments, outputs that do not alias them, constants and temporaries.
It is not peak_memory_in_bytes of CompiledMemoryStats, which the compiler counts otherwise and which is not predicted;
the peak of a memory is what it holds at most at a time of the schedule. A module without tiles is assigned layouts
first; spaces that are there are kept. Exit code 1 if a budget is exceeded.

Keys of --format json: schema_version, version, file, module, target, stats, spaces (space, name, limit_bytes,
peak_bytes, peak_at, timeline, residents_at_peak), kept_in_hbm (value, bytes, reason), copies (value, bytes, text).

Examples:
   hlolayout memory --tpu v5e scheduled.hlo
   hlolayout memory --svg memory.svg scheduled.hlo        a chart over the schedule
   hlolayout memory --max-hbm 14GiB --max-vmem 100MiB dumps`,
		Flags: slices.Concat(targetFlags(), folderFlags(), []cli.Flag{
			oneOfFlag(&cli.StringFlag{Name: "format", Value: "text", Usage: "`FORMAT` of the output: text, or json " +
				"(a document a module)"}, "text", "json"),
			topFlag(10, "list the first `N` of everything; 0: all"),
			&cli.StringFlag{Name: "svg", Usage: "write a chart of the occupancy over the schedule to `FILE`"},
			&cli.StringFlag{Name: "max-hbm", Usage: "exit with 1 if a run takes more than `SIZE` of HBM, such as " +
				"14GiB"},
			&cli.StringFlag{Name: "max-vmem", Usage: "exit with 1 if the fast memory holds more than `SIZE` at its " +
				"peak"},
			strictFlag(),
			shardFlag(),
			resumeFlag(),
		}),
		Action: func(_ context.Context, c *cli.Command) error { return memoryUse(c, s) },
	}
}

func memoryUse(c *cli.Command, s streams) error {
	inputs, ts, err := s.analysis(c)
	if err != nil {
		return err
	}
	hbm, err := sizeFlag(c, "max-hbm")
	if err != nil {
		return err
	}
	vmem, err := sizeFlag(c, "max-vmem")
	if err != nil {
		return err
	}
	if c.IsSet("svg") && len(inputs) > 1 {
		return usage("memory", "--svg takes one input, there are %d", len(inputs))
	}
	return s.eachAtOnce(inputs, func(j *job) error {
		ms, err := j.readAll(c.Bool("strict"))
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
			target := d.target.Target
			a, err := memory.Analyze(m, target)
			if err != nil {
				return j.errorf("%v", err)
			}
			r := &report.Memory{File: j.name(), Module: m.Name, Target: target.Name, Origin: d.origin(),
				Report: a.Report()}
			if c.String("format") == "json" {
				if err := j.appendJSON(r.JSON()); err != nil {
					return err
				}
			} else {
				j.out = r.AppendText(j.out, c.Int("top"))
			}
			if c.IsSet("svg") {
				if err := writeFile(c.String("svg"), r.Chart().AppendSVG(nil), plain); err != nil {
					return err
				}
			}
			if o := fit.Scheduled(m, target, r.Report); o.Limit > 0 && o.Peak > o.Limit {
				j.note("%s: HBM: %s do not fit in the %s of %s: hlolayout oom lists what fills it", j.name(), lint.Size(o.Peak),
					lint.Size(o.Limit), target.Name)
			}
			j.overBudget("HBM", r.Stats.Peak(), hbm)
			for _, u := range r.Spaces {
				if u.Number != 0 {
					j.overBudget(u.Name, u.Peak, vmem)
				}
			}
		}
		return nil
	})
}

// overBudget tells that a memory holds more than its budget; 0 is none.
func (j *job) overBudget(name string, bytes, budget int64) {
	if budget > 0 && bytes > budget {
		j.differs = true
		j.log = fmt.Appendf(j.log, "%s: %s: %d bytes, the budget is %d\n", j.name(), name, bytes, budget)
	}
}

// sizeFlag reads a size in bytes, such as 4096 or 14GiB; 0 where the flag is not set.
func sizeFlag(c *cli.Command, flag string) (int64, error) {
	text := c.String(flag)
	if text == "" {
		return 0, nil
	}
	n, err := lint.ParseSize(text)
	if err != nil || n <= 0 {
		return 0, usage(c.Name, "--%s=%s is not a size: write bytes, or 14GiB, 100MiB", flag, text)
	}
	return n, nil
}
