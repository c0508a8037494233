package main

import (
	"fmt"

	"hlolayout/hlo"
	"hlolayout/printer/diff"

	"github.com/urfave/cli/v2"
)

func diffCommand(s streams) *cli.Command {
	return &cli.Command{
		Name:      "diff",
		Usage:     "compare the layouts of two modules",
		UsageText: "hlolayout diff [flags] OLD NEW",
		Description: `Pairs the instructions of two modules by computation and name, and shows each pair that differs: the old line (-) above
the new one (+), with what changed marked inside. Metadata and source positions are not compared.
Exit code 0: the same; 1: different; 2: trouble.

Examples:
   hlolayout diff before.hlo after.hlo
   hlolayout assign module.hlo | hlolayout diff compiler.hlo -     ours against the compiler's`,
		Flags: []cli.Flag{
			colorFlag(),
			strictFlag(),
		},
		Action: func(c *cli.Context) error { return compare(c, s) },
	}
}

func compare(c *cli.Context, s streams) error {
	args := c.Args().Slice()
	if len(args) != 2 {
		return usage("diff", "diff takes two files, found %d", len(args))
	}
	if args[0] == "-" && args[1] == "-" {
		return usage("diff", "standard input cannot be both files")
	}
	inputs := []input{{args[0], s.in}, {args[1], s.in}}
	var modules []*hlo.Module
	err := s.each(inputs, func(j *job) error {
		m, err := j.read(c.Bool("strict"))
		modules = append(modules, m)
		return err
	})
	if err != nil {
		return err
	}
	d := diff.Compare(modules[0], modules[1])
	if d.Same() {
		return nil
	}
	text := d.Append(nil, diff.Options{Old: inputs[0].name(), New: inputs[1].name(), Color: colored(c, s.out)})
	text = d.AppendCopies(text)
	if _, err := s.out.Write(fmt.Appendln(text, d.Summary)); err != nil {
		return fmt.Errorf("standard output: %v", reason(err))
	}
	return exitCode(exitDiffers)
}
