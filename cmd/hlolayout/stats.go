package main

import (
	"encoding/json"
	"slices"
	"strings"

	"hlolayout/hlo"
	"hlolayout/passes"
	"hlolayout/printer/report"
	"hlolayout/tpu"

	"github.com/urfave/cli/v2"
)

func statsCommand(s streams) *cli.Command {
	return &cli.Command{
		Name:      "stats",
		Usage:     "list what arrays take in memory, and what is moved",
		UsageText: "hlolayout stats [flags] [FILE...]",
		Description: `Adds up the arrays of each module that lie in memory: the size of their data, and with the padding of tiles what the
compiler allocates, in the words of its out-of-memory messages. Lists the copies and transposes that move an array into another
order, times the rounds of their loops, and which two sides want different orders. Values inside of fusions are not counted.
A module that has its layouts is taken as it is; one without is assigned first. Findings have no effect on the exit code.

Examples:
   hlolayout stats --tpu v5e before.hlo
   hlolayout stats --sort size --top 50 compiled.hlo
   hlolayout stats --format json dumps | jq '.padded_bytes'`,
		Flags: slices.Concat(targetFlags(), folderFlags(), []cli.Flag{
			oneOfFlag(&cli.StringFlag{Name: "format", Value: "text", Usage: "`FORMAT` of the output: text, or json (an object a module)"}, "text", "json"),
			&cli.IntFlag{Name: "top", Value: 10, Usage: "list the first `N` of everything; 0: all"},
			oneOfFlag(&cli.StringFlag{Name: "sort", Value: "padding", Usage: "list arrays by `KEY`: padding or size"}, "padding", "size"),
			strictFlag(),
			partialFlag(),
			shardFlag(),
			resumeFlag(),
		}),
		Action: func(c *cli.Context) error {
			inputs, target, err := s.analysis(c)
			if err != nil {
				return err
			}
			return s.eachAtOnce(inputs, func(j *job) error {
				return j.analyse(c, target, func(m *hlo.Module, assigned bool) error {
					stats := report.NewStats(m, j.name(), c.String("sort") == "size")
					if assigned {
						stats.Target = target.Name
					}
					if c.String("format") == "json" {
						return j.appendJSON(stats.JSON())
					}
					j.out = stats.AppendText(j.out, c.Int("top"))
					return nil
				})
			})
		},
	}
}

// targetFlags are the flags that targetOf reads.
func targetFlags() []cli.Flag {
	return []cli.Flag{
		&cli.StringFlag{Name: "tpu", Value: "v5e", Usage: "the `GENERATION` that a module without layouts is assigned for, and whose defaults hold: " + strings.Join(tpu.Names(), ", ")},
		&cli.StringFlag{Name: "target-file", Usage: "the target in the JSON `FILE` instead of --tpu"},
	}
}

// analysis returns the inputs and the target of a command that looks at layouts.
func (s streams) analysis(c *cli.Context) ([]input, *tpu.Target, error) {
	target, err := targetOf(c)
	if err != nil {
		return nil, nil, err
	}
	inputs, err := s.inputs(c)
	return inputs, target, err
}

// analyse reads a job's modules, gives those their layouts that have none, and calls f on each.
func (j *job) analyse(c *cli.Context, t *tpu.Target, f func(m *hlo.Module, assigned bool) error) error {
	j.partial = j.partial || c.Bool("partial")
	ms, err := j.readAll(c.Bool("strict"))
	if err != nil {
		return err
	}
	for _, m := range ms {
		assigned := !m.HasTiles() && m.Cut == "" // layouts of a part would say nothing of the whole
		if j.verbose() {
			how := "has its layouts"
			if assigned {
				how = "assigned for " + t.Name
			}
			j.note("%s: %s: %s", hlo.Visible(j.name()), m.Name, how)
		}
		if assigned {
			if err := (pipeline{passes: []string{passes.Auto}, target: t}).run(j, m); err != nil {
				return err
			}
		}
		if err := f(m, assigned); err != nil {
			return err
		}
	}
	return nil
}

// appendJSON appends v as JSON to the job's output.
func (j *job) appendJSON(v any) error {
	text, err := json.MarshalIndent(v, "", "  ")
	j.out = append(append(j.out, text...), '\n')
	return err
}
