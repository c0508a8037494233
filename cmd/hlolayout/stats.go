package main

import (
	"context"
	"encoding/json"
	"slices"

	"hlolayout/printer/report"

	"github.com/urfave/cli/v3"
)

func statsCommand(s streams) *cli.Command {
	return &cli.Command{
		Usage:     "list what arrays take in memory, and what is moved",
		UsageText: "hlolayout stats [flags] [FILE...]",
		Description: `Adds up the arrays of each module that lie in memory: the size of their data, and with the padding of
tiles what the compiler allocates, in the words of its out-of-memory messages. Lists the copies and transposes that move
an array into another order, times the rounds of their loops, and which two sides want different orders. Values inside
of fusions are not counted. A module that has its layouts is taken as it is; one without is assigned first. Instructions
that stand alone, as in profiles and messages, are counted as they are. Findings have no effect on the exit code.
Sums of a module that is not compiled to the end are upper estimates: what fusion is not sure to take in counts, copies
that later passes add do not (of 168 programs the compiled module moves more in relayouts in 39, and by more than a
quarter in 14).

Examples:
   hlolayout stats --tpu v5e before.hlo
   hlolayout stats --sort size --top 50 compiled.hlo
   hlolayout stats --format json dumps | jq '.padded_bytes'`,
		Flags: slices.Concat(targetFlags(), folderFlags(), []cli.Flag{
			oneOfFlag(&cli.StringFlag{Name: "format", Value: "text", Usage: "`FORMAT` of the output: text, or json " +
				"(an object a module)"}, "text", "json"),
			topFlag(10, "list the first `N` of everything; 0: all"),
			oneOfFlag(&cli.StringFlag{Name: "sort", Value: "padding", Usage: "list arrays by `KEY`: padding or size"},
				"padding", "size"),
			strictFlag(),
			partialFlag(),
			shardFlag(),
			resumeFlag(),
		}),
		Action: func(_ context.Context, c *cli.Command) error {
			inputs, ts, err := s.analysis(c)
			if err != nil {
				return err
			}
			return s.eachAtOnce(inputs, func(j *job) error {
				j.lines = true
				return j.analyse(c, ts, func(d *judged) error {
					stats := report.NewStats(d.Module, j.name(), c.String("sort") == "size")
					stats.Origin, stats.Entry, stats.Title = d.origin(), d.iface, d.title
					if d.assigned {
						stats.Target = d.target.Name
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

// appendJSON appends v as JSON to the job's output.
func (j *job) appendJSON(v any) (err error) {
	j.out, err = appendJSON(j.out, v)
	return err
}

func appendJSON(dst []byte, v any) ([]byte, error) {
	text, err := json.MarshalIndent(v, "", "  ")
	return append(append(dst, text...), '\n'), err
}
