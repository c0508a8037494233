package main

import (
	"context"
	"strings"

	"hlolayout/hlo"
	"hlolayout/hlo/verify"
	"hlolayout/passes"
	"hlolayout/passes/check"
	"hlolayout/tpu"

	"github.com/urfave/cli/v3"
)

func verifyCommand(s streams) *cli.Command {
	return &cli.Command{
		Usage:     "say what XLA's verifier would refuse",
		UsageText: "hlolayout verify [flags] [FILE...]",
		Description: `Checks each module as XLA's HloVerifier does: result shapes against the operation and its operands,
operand counts, the signatures of called computations, layouts, entry_computation_layout, aliases. XLA's parser checks
none of this. Each finding is one line with a code; hlolayout explain CODE tells more. Exit code 2 if there is any
finding.

With --tpu it also checks that the layouts are legal for that generation: every array has a dimension order and tiles
that the compiler would give that order, and what must agree does (elementwise operands, loops, branches, fusions, the
entry). Memory spaces must be ones that the generation has and agree in the same way; in a scheduled module, what is
held at one time must fit them.

Examples:
   hlolayout verify module.hlo         nothing, if all is well
   hlolayout assign module.hlo | hlolayout verify --tpu v5e -
   hlolayout verify --strict dumps     refuse also what XLA's parser refuses`,
		Flags: append(folderFlags(),
			&cli.StringFlag{Name: "tpu", Usage: "check the layouts, too, for this `GENERATION`: " +
				strings.Join(tpu.Names(), ", ")},
			strictFlag(),
			shardFlag(),
			resumeFlag(),
		),
		Action: func(_ context.Context, c *cli.Command) error {
			ts, err := targetsOf(c)
			if err != nil {
				return err
			}
			inputs, err := s.inputs(c)
			if err != nil {
				return err
			}
			return s.eachAtOnce(inputs, func(j *job) error {
				ms, err := j.readAll(c.Bool("strict"))
				if err != nil {
					return err
				}
				var list hlo.ErrorList
				for _, m := range ms {
					if ts.asked != nil && j.skips(m) {
						continue
					}
					list = append(list, verify.Module(m)...)
					if ts.asked != nil && passes.Check(m) == nil {
						d, err := j.judge(c, ts, m)
						if err != nil {
							return err
						}
						found := check.Module(m, d.target.Target)
						if more := len(found) - 1; more > 0 && d.stage.BeforeLayout() {
							j.note("%s: %s, for layouts are not assigned yet: hlolayout assign gives them", d.title,
								plural(more, "more finding", "more findings"))
							found = found[:1]
						}
						list = append(list, found...)
					}
				}
				if err := list.Err(); err != nil {
					return err
				}
				if len(j.foreign) < len(ms) {
					j.note("%s: no findings", hlo.Visible(j.name()))
				}
				return nil
			})
		},
	}
}
