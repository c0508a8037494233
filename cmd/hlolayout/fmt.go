package main

import (
	"context"

	"github.com/rogpeppe/go-internal/diff"
	"github.com/urfave/cli/v3"

	"hlolayout/printer"
)

func fmtCommand(s streams) *cli.Command {
	return &cli.Command{
		Usage:     "parse modules and print them again",
		UsageText: "hlolayout fmt [flags] [FILE...]",
		Description: `Prints each module as XLA prints it, keeping what the text chose: whether names carry a %, whether
operands carry their shapes, the order of everything, comments. A text that is an XLA dump comes out as it went in.
With -l or -d the exit code is 1 where a file would change.

With --canonical it prints what XLA would print after parsing the text: names made unique, XLA's order of computations
and instructions, every attribute in XLA's form, default layouts filled in, no comments. --long adds operand shapes and
all constants, --short is XLA's short form, without names' %, signatures and metadata.

Examples:
   hlolayout fmt module.hlo            the module, printed
   hlolayout fmt -l dumps              the files of a directory that are not as fmt prints them
   hlolayout fmt -d module.hlo         the same as a unified diff, which patch applies
   hlolayout fmt -w module.hlo         rewrite the file
   hlolayout fmt --canonical a.hlo     the module as XLA would print it`,
		Flags: []cli.Flag{
			&cli.BoolFlag{Name: "l", Usage: "list the files that would change, instead of " +
				"printing modules"},
			&cli.BoolFlag{Name: "d", Usage: "print a unified diff of what would change, " +
				"instead of modules"},
			&cli.BoolFlag{Name: "canonical", Usage: "print as XLA would print the module, " +
				"not as it was written"},
			&cli.BoolFlag{Name: "long", Usage: "with --canonical: with operand shapes and " +
				"all constants"},
			&cli.BoolFlag{Name: "short", Usage: "with --canonical: XLA's short form"},
			stageFlag(allStages, allStages), moduleFlag(),
			outputFlag(),
			writeFlag(),
			strictFlag(),
			partialFlag(),
			shardFlag(),
			resumeFlag(),
			timingFlag(),
		},
		Action: func(_ context.Context, c *cli.Command) error { return format(c, s) },
	}
}

func format(c *cli.Command, s streams) error {
	inputs, err := s.inputs(c)
	if err != nil {
		return err
	}
	out, err := outputOf(c, inputs)
	if err != nil {
		return err
	}
	config, err := printerConfig(c)
	if err != nil {
		return err
	}
	list, unified := c.Bool("l"), c.Bool("d")
	each := s.eachAtOnce
	if c.IsSet("timing") { // processor time is the whole process's
		each = s.each
	}
	return each(inputs, func(j *job) error {
		j.timer = newTimer(c)
		j.partial = c.Bool("partial")
		ms, err := j.readAll(c.Bool("strict"))
		if err != nil {
			return err
		}
		if !list && !unified {
			err := out.print(j, ms, config)
			j.logTiming(c)
			return err
		}
		if err := j.whole(); err != nil {
			return err
		}
		data := j.print(ms, config)
		j.logTiming(c)
		if string(data) != j.text {
			j.differs = !out.inPlace
			if list {
				j.out = append(append(j.out, j.name()...), '\n')
			}
			if unified {
				j.out = append(j.out, diff.Diff(j.name(), []byte(j.text), j.name()+" formatted", data)...)
			}
		}
		if out.inPlace {
			return out.write(j, data)
		}
		return nil
	})
}

// printerConfig reads --canonical, --long and --short.
func printerConfig(c *cli.Command) (printer.Config, error) {
	if err := alone(c, "long", "short"); err != nil {
		return printer.Config{}, err
	}
	config := printer.Config{}
	if c.Bool("canonical") {
		config.Mode = printer.Canonical
	}
	for flag, format := range map[string]printer.Format{"long": printer.Long, "short": printer.Short} {
		if !c.Bool(flag) {
			continue
		}
		if config.Mode != printer.Canonical {
			return config, usage("fmt", "--%s is a form of --canonical: give both", flag)
		}
		config.Format = format
	}
	return config, nil
}
