package main

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"hlolayout/hlo"
	"hlolayout/hlo/stage"
	"hlolayout/passes"
	"hlolayout/passes/entry"
	"hlolayout/passes/whatif"
	"hlolayout/printer/report"
	"hlolayout/tpu"

	"github.com/urfave/cli/v3"
)

func sweepCommand(s streams) *cli.Command {
	return &cli.Command{
		Usage:     "try orders of parameters and results, and list what pads and copies least",
		UsageText: "hlolayout sweep [flags] [FILE...]",
		Description: `Assigns layouts to each module again and again, with other orders of its parameters and results each
time, and lists for each generation the choices of which no other takes fewer padded bytes and copies fewer bytes (the
Pareto list), with the flags of assign that lead to each. Interface bytes, what parameters and results take, are exact;
the others are estimates: copied bytes are within a quarter in 85 % of programs. A choice with a larger interface is
therefore listed only where the interface grows by at most a quarter, and by less than a quarter of the copied bytes
that are saved.

Candidates for each array are the order given, the one that layout assignment gives when the interface is left to it,
the generation's default, the descending order, the given one with its two minor dimensions swapped, and those of the
copies behind a parameter or before the result. A parameter and the part of the result that shares its memory
(input_output_alias) change together.
If there are at most --runs combinations, each is tried. Otherwise, after those that take one kind of candidate
everywhere, three greedy searches share the runs: for the least sum, the least bytes copied and the least padded bytes.
Each goes through the arrays, those first whose copies and padding are the most bytes, and keeps what is better, until
nothing is. What is tried does not depend on time or chance. Ctrl-C prints what was found until then.

Bytes copied are what copies write in one run of the module, those in loops as often as they run; padded bytes are the
sum over all arrays. Both leave out what fusions surely take in, as stats does, and are of the simplified module, which
assign prints with --simplify: of lowered and unoptimized text the flags have it, so that assign reports the same sums.

Keys of --format json, an object a module: schema_version, version, file, module, tried (tpu, arrays, choices, runs),
rows (tpu, padded_bytes, copied_bytes, copies, interface_bytes, given, pareto, flags: arguments of assign).

Examples:
   hlolayout sweep --tpu v5e,v6e attention.hlo
   hlolayout sweep --runs 1000 --format json attention.hlo | jq '.rows[].flags'`,
		Flags: append(entryFlags(),
			libtpuFlag(""),
			&cli.StringFlag{Name: "tpu", Value: "all",
				Usage: "try these `GENERATIONS`, separated by commas: all, or of " + strings.Join(tpu.Names(), ", ")},
			&cli.IntFlag{Name: "runs", Value: whatif.DefaultRuns, Usage: "try at most `N` combinations for each " +
				"generation",
				Action: func(_ context.Context, c *cli.Command, n int) error {
					if n < 1 {
						return usage("sweep", "--runs takes a number from 1 on, found %d", n)
					}
					return nil
				}},
			oneOfFlag(&cli.StringFlag{Name: "format", Value: "text", Usage: "`FORMAT` of the output: text, or json " +
				"(an object a module)"}, "text", "json"),
			strictFlag(),
		),
		Action: func(_ context.Context, c *cli.Command) error { return sweep(c, s) },
	}
}

func sweep(c *cli.Command, s streams) error {
	inputs, err := s.inputs(c)
	if err != nil {
		return err
	}
	mode := entry.Mode(c.String("entry-layouts"))
	names := strings.Split(c.String("tpu"), ",")
	if c.String("tpu") == "all" {
		names = tpu.Names()
	}
	var targets []*tpu.Target
	for _, name := range names {
		t, err := tpu.ByName(strings.TrimSpace(name))
		if err != nil {
			return err
		}
		if slices.ContainsFunc(targets, func(x *tpu.Target) bool { return x.Name == t.Name }) {
			continue // named twice
		}
		if t, err = t.WithLibTPU(c.String("libtpu")); err != nil {
			return usage("sweep", "--%v", err)
		}
		targets = append(targets, t)
	}
	return s.eachAtOnce(inputs, func(j *job) error {
		ms, err := j.readAll(c.Bool("strict"))
		if err != nil {
			return err
		}
		defer lastWords.Store(func() []byte { return nil })
		for _, m := range ms {
			if j.skips(m) {
				continue
			}
			if due, _ := passes.Select(m); len(due) == 0 || due[0] != "layout" {
				return j.errorf("module %s has its layouts already: sweep takes modules from before layout assignment",
					m.Name)
			}
			at := stage.Of(m)
			j.note("%s: %s module: %s", hlo.Visible(j.name()), at, verdicts[c.Name][at].worth)
			r := report.Sweep{Form: report.ThisForm, File: j.name(), Module: m.Name, Flags: sweptFlags(c, m, at)}
			looks := &patience{s: s, alone: j.alone, name: j.name(), limit: c.Int("runs"), sweeps: distinct(targets)}
			s.bar().start(looks.sweeps)
			all := make([]*whatif.Swept, len(targets))
			for i, t := range targets {
				if k := firstAlike(targets, i); k < i {
					all[i] = all[k]
				} else if all[i], err = whatif.Sweep(m, t, mode, c.Int("runs"), func(soFar *whatif.Swept) {
					looks.ran(soFar)
					found := r
					found.Tried, found.Rows = slices.Clip(r.Tried), slices.Clip(r.Rows)
					lastWords.Store(func() []byte {
						found.Add(t.Name, soFar)
						return appendSweep(nil, &found, c.String("format"))
					})
				}); err != nil {
					return fmt.Errorf("%w", err)
				}
				r.Add(t.Name, all[i])
			}
			s.bar().clear()
			j.out = appendSweep(j.out, &r, c.String("format"))
		}
		return nil
	})
}

// sweptFlags are the flags that lead to what a row of a module says, besides those of its target and orders.
func sweptFlags(c *cli.Command, m *hlo.Module, at stage.Stage) (flags []string) {
	if c.IsSet("libtpu") {
		flags = append(flags, "--libtpu="+c.String("libtpu"))
	}
	if !m.Simplified && at.BeforeSimplification() {
		flags = append(flags, "--"+simplifies)
	}
	return flags
}

// firstAlike returns the first target that is like target i: its sweep is that of both.
func firstAlike(targets []*tpu.Target, i int) int {
	return slices.IndexFunc(targets, func(t *tpu.Target) bool { return whatif.Alike(t, targets[i]) })
}

// distinct returns how many sweeps targets take: one for all that are alike.
func distinct(targets []*tpu.Target) (n int) {
	for i := range targets {
		if firstAlike(targets, i) == i {
			n++
		}
	}
	return n
}

// appendSweep appends the outcome in a format.
func appendSweep(dst []byte, r *report.Sweep, format string) []byte {
	if format != "json" {
		return r.AppendText(dst)
	}
	dst, err := appendJSON(dst, r)
	if err != nil {
		panic(err) // strings and numbers
	}
	return dst
}
