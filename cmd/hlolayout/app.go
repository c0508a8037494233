package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"hlolayout/printer/report"

	"github.com/urfave/cli/v2"
)

// The exit codes are those of diff and grep.
const (
	exitSame    = 0 // all well, nothing to report
	exitDiffers = 1 // a difference was found
	exitTrouble = 2 // wrong usage, unreadable or wrong input, failed output
)

// streams are the standard streams of one run, and how much is said on them.
type streams struct {
	in       io.Reader
	out, err io.Writer
	*settings
}

// settings are what the flags of every command say. They are set before the command's action runs.
type settings struct {
	q, v     bool
	progress *progress
}

// They may be nil, for a command that was not begun by run.
func (s *settings) quiet() bool   { return s != nil && s.q }
func (s *settings) verbose() bool { return s != nil && s.v }

func (s *settings) bar() *progress {
	if s == nil {
		return nil
	}
	return s.progress
}

// set reads the flags.
func (s streams) set(c *cli.Context) error {
	s.q, s.v = c.Bool("q"), c.Bool("v")
	if err := alone(c, "q", "v"); err != nil {
		return err
	}
	if err := keepsInputs(c); err != nil {
		return err
	}
	if !s.q && os.Getenv("TERM") != "dumb" && isTerminal(s.err) {
		s.progress = newProgress(bare(s.err))
	}
	return nil
}

// run runs one command line (without the program's name) and returns the exit code.
func run(args []string, s streams) int {
	s = s.show(args)
	out := &watched{Writer: s.out}
	s.out, s.settings = out, &settings{}
	app := newApp(s, commandIn(args))
	if len(args) > 0 && args[0] == completeWord {
		return s.report(s.print(complete(app, args[1:])))
	}
	args, err := arrange(app, args)
	if err == nil {
		err = app.Run(append([]string{app.Name}, args...))
	}
	if err == nil && out.err != nil {
		err = fmt.Errorf("standard output: %v", reason(out.err))
	}
	return s.report(err)
}

// commandIn returns the first argument where it alone says what runs, "" where all commands may be asked for.
func commandIn(args []string) string {
	if len(args) == 0 || args[0] == "man" { // whose page has them all
		return ""
	}
	return args[0]
}

// exitCode is an error that has been told already: the exit code is what is left of it.
type exitCode int

func (c exitCode) Error() string { return fmt.Sprintf("exit code %d", int(c)) }

// usageError is a command line that cannot be run.
type usageError struct {
	command string // "" before a command was found
	message string
}

func usage(command, format string, args ...any) error {
	return &usageError{command, fmt.Sprintf(format, args...)}
}

func (e *usageError) Error() string {
	return fmt.Sprintf("%s\nRun '%s --help' for usage.", e.message, strings.TrimSpace("hlolayout "+e.command))
}

// report writes an error that nobody told yet to standard error, and returns the exit code.
func (s streams) report(err error) int {
	var code exitCode
	switch {
	case err == nil:
		return exitSame
	case errors.As(err, &code):
		return int(code)
	}
	fmt.Fprintf(s.err, "hlolayout: %s\n", visibleLines(err.Error()))
	return exitTrouble
}

// groups are the commands by what they are for, as help lists them.
var groups = []struct {
	task     string
	commands []func(streams) *cli.Command
}{
	{"Assign and explain", []func(streams) *cli.Command{assignCommand, explainCommand, sweepCommand}},
	{"Find cost", []func(streams) *cli.Command{summaryCommand, statsCommand, lintCommand, memoryCommand, oomCommand,
		reportCommand}},
	{"Compare and guard", []func(streams) *cli.Command{diffCommand, checkCommand, verifyCommand, scoreCommand}},
	{"Read and print", []func(streams) *cli.Command{fmtCommand, dumpCommand, extractCommand}},
	{"Arithmetic of layouts", []func(streams) *cli.Command{decodeCommand, indexCommand, relayoutCommand, tableCommand,
		cuteCommand, targetsCommand}},
	{"Shell", []func(streams) *cli.Command{schemaCommand, completionCommand, manCommand}},
}

// helpGroup is one of groups for the template of help.
type helpGroup struct {
	Task     string
	Commands []*cli.Command
}

// newApp returns the command line. Where only one command is to run it names it: the others then lack the flags that
// all have, whose names take longer to compare than a small module to parse.
func newApp(s streams, only string) *cli.App {
	app := &cli.App{
		Name:      "hlolayout",
		Usage:     "give every array of an XLA HLO module the layout that the TPU compiler would give it",
		UsageText: "hlolayout COMMAND [flags] [FILE...], or hlolayout FILE for a first look",
		Description: `FILE is HLO text as XLA dumps it, a directory (searched for *.hlo, *.txt and these with .gz), a folder
of --xla_dump_to (one text a module, see --stage), a pattern such as 'dumps/**/*.hlo', or - for standard input. Flags
may stand before or behind the files.

Exit code 0: all well; 1: a difference was found; 2: wrong usage, input or output.`,
		Version: report.Version,
		// a path may have commas
		DisableSliceFlagSeparator: true,
		HideHelpCommand:           true, // arrange turns `help COMMAND` into `COMMAND --help`
		Reader:                    s.in,
		Writer:                    s.out,
		ErrWriter:                 s.err,
		ExitErrHandler:            func(*cli.Context, error) {}, // cli's own exits with 1 or 3
	}
	var listed []helpGroup
	for _, g := range groups {
		h := helpGroup{Task: g.task}
		for _, command := range g.commands {
			h.Commands = append(h.Commands, command(s))
		}
		listed = append(listed, h)
		app.Commands = append(app.Commands, h.Commands...)
	}
	app.Metadata = map[string]any{"groups": listed}
	app.CustomAppHelpTemplate = appHelp
	named := slices.ContainsFunc(app.Commands, func(c *cli.Command) bool { return c.Name == only })
	for _, c := range app.Commands {
		if !named || c.Name == only {
			c.Flags = append(c.Flags, commonFlags(c)...)
		}
		c.Before = s.set
		c.HideHelpCommand = true // or a file named "help" would be taken for it
		c.CustomHelpTemplate = commandHelp
	}
	return app
}

const commandHelp = `{{.HelpName}} - {{.Usage}}

Usage: {{.UsageText}}

{{.Description}}

Flags:{{range .VisibleFlags}}
   {{.}}{{end}}
`

const appHelp = `{{.Name}} - {{.Usage}}

Usage: {{.UsageText}}
{{range .Metadata.groups}}
{{.Task}}:{{range .Commands}}
   {{.Name}}{{"\t"}}{{.Usage}}{{end}}
{{end}}
hlolayout help COMMAND shows the flags and examples of a command.

{{.Description}}

Flags:{{range .VisibleFlags}}
   {{.}}{{end}}
`
