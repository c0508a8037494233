package main

import (
	"context"
	"slices"
	"strings"

	"github.com/urfave/cli/v3"
)

// optionalFlag is a flag with or without a value: --name stands for --name=bare.
type optionalFlag struct {
	*choiceFlag
	bare string
}

// String is the flag's line of the help text.
func (f *optionalFlag) String() string {
	return dashed(f.Name) + "[=" + f.DefaultText + "]\t" + f.Usage
}

// choiceFlag is a flag that takes one of a few words, which completion offers.
type choiceFlag struct {
	*cli.StringFlag
	words []string
}

// oneOfFlag makes a flag take one of a few words only.
func oneOfFlag(f *cli.StringFlag, words ...string) *choiceFlag {
	f.Action = oneOf(f.Name, words...)
	return &choiceFlag{f, words}
}

// topFlag is the flag for how many of everything are listed.
func topFlag(value int, usageText string) *cli.IntFlag {
	return &cli.IntFlag{Name: "top", Value: value, Usage: usageText,
		Action: func(_ context.Context, c *cli.Command, n int) error {
			if n < 0 {
				return usage(c.Name, "--top is how many are listed, 0 for all, found %d", n)
			}
			return nil
		}}
}

// pairFlag is a flag that takes KEY=PATH, several times; keys are those that completion offers.
type pairFlag struct {
	*cli.StringSliceFlag
	keys []string
}

// oneOf returns the check of a flag that takes one of a few words.
func oneOf(flag string, words ...string) func(context.Context, *cli.Command, string) error {
	return func(_ context.Context, c *cli.Command, value string) error {
		if slices.Contains(words, value) {
			return nil
		}
		return usage(c.Name, "unknown value %q of --%s: it is one of %s", value, flag,
			strings.Join(words, ", "))
	}
}

// The flags that several commands have. Each call makes a new one: cli keeps state in them.
func outputFlag() cli.Flag {
	return &cli.StringFlag{Name: "o", Value: "-", DefaultText: "standard output", Usage: "write to `FILE`, in one step " +
		"and only if all is well (compressed if its name ends in .gz)"}
}

func writeFlag() cli.Flag {
	return &cli.BoolFlag{Name: "w", Usage: "write each result back to the file it was read " +
		"from"}
}

func strictFlag() cli.Flag {
	return &cli.BoolFlag{Name: "strict", Usage: "refuse what XLA's own parser refuses, " +
		"such as unknown opcodes and attributes"}
}

func partialFlag() cli.Flag {
	return &cli.BoolFlag{Name: "partial", Usage: "read what is whole of a text that is " +
		"cut; what follows the cut is not known"}
}

func timingFlag() cli.Flag {
	return &optionalFlag{bare: "text", choiceFlag: oneOfFlag(&cli.StringFlag{Name: "timing", DefaultText: "json",
		Usage: "print to standard error what each phase took, in milliseconds and bytes allocated; json: one object " +
			"a file"}, "text", "json")}
}

// commonFlags are those of every command; one that a command has itself is left out.
func commonFlags(c *cli.Command) []cli.Flag {
	var out []cli.Flag
	quiet := "be quiet: no warnings, notes and progress; errors and results are printed"
	switch {
	case findFlag(c.Flags, "output") != nil: // findings go to sinks
		quiet = "be quiet: no warnings, notes and progress; of what was found nothing but the exit code and --output"
	case c.Name == "verify":
		quiet = "be quiet: no warnings, notes and progress; findings are printed"
	}
	for _, f := range []cli.Flag{
		oneOfFlag(&cli.StringFlag{Name: "color", Value: "auto", Usage: "`WHEN` to use colours: auto (on a terminal, " +
			"unless NO_COLOR is set), always, never"}, "auto", "always", "never"),
		&cli.BoolFlag{Name: "q", Usage: quiet},
		&cli.BoolFlag{Name: "v", Usage: "be verbose: say on standard error what is read"},
	} {
		if findFlag(c.Flags, f.Names()[0]) == nil {
			out = append(out, f)
		}
	}
	return out
}

// noArguments refuses arguments for a command that takes none.
func noArguments(c *cli.Command) error {
	if c.Args().Present() {
		return usage(c.Name, "%s takes no arguments, found %q", c.Name, c.Args().First())
	}
	return nil
}

// alone refuses flags that do not go together.
func alone(c *cli.Command, flags ...string) error {
	var set []string
	for _, f := range flags {
		if c.IsSet(f) {
			set = append(set, dashed(f))
		}
	}
	if len(set) > 1 {
		return usage(c.Name, "%s and %s do not go together", strings.Join(set[:len(set)-1], ", "),
			set[len(set)-1])
	}
	return nil
}
