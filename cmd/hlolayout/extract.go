package main

import (
	"context"
	"strings"

	"hlolayout/hlo"
	"hlolayout/passes/extract"

	"hlolayout/printer"

	"github.com/urfave/cli/v3"
)

func extractCommand(s streams) *cli.Command {
	return &cli.Command{
		Usage:     "cut the neighbourhood of a value into a separate module",
		UsageText: "hlolayout extract [flags] FILE %NAME",
		Description: `Prints a module with the value %NAME, what it is computed from and what is computed from it, up to
--radius steps away. Operands from further away become parameters, what is used further away the result. Layouts, and
the computations that are called, stay as they are: a small module for a bug report. The shell may need the name in
quotes; the % may be left out.

Examples:
   hlolayout extract module.hlo %fusion.12
   hlolayout extract compiled.hlo copy.3 --radius 3 -o copy.hlo
   hlolayout extract dumps %fusion.12 --module 3      of a folder of --xla_dump_to`,
		Flags: append(folderFlags(),
			&cli.IntFlag{Name: "radius", Value: 1, Usage: "take what is up to `N` steps away; -1: all of the value's " +
				"computation"},
			outputFlag(),
			strictFlag(),
		),
		Action: func(_ context.Context, c *cli.Command) error {
			args := c.Args().Slice()
			if len(args) != 2 {
				return usage("extract", "extract takes a file and the name of a value, found %d", len(args))
			}
			out := output{path: c.String("o")}
			inputs, err := s.oneInput(c, args[0])
			if err != nil {
				return err
			}
			return s.each(inputs, func(j *job) error {
				m, err := j.read(c.Bool("strict"))
				if err != nil {
					return err
				}
				name := strings.TrimPrefix(strings.TrimSpace(args[1]), "%")
				if parts := valueName().FindStringSubmatch(name); parts != nil {
					name = parts[1] // of %fusion.12{1}, a part of a tuple, the whole value
				}
				j.noteNamed(m, name)
				m, err = extract.Around(m, name, c.Int("radius"))
				if err != nil {
					return j.errorf("%v%s", err, j.elsewhere(c, name))
				}
				return out.print(j, []*hlo.Module{m}, printer.Config{})
			})
		},
	}
}
