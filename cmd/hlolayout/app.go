package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"hlolayout/printer/report"

	"github.com/urfave/cli/v3"
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
func (s streams) set(ctx context.Context, c *cli.Command) (context.Context, error) {
	s.q, s.v = c.Bool("q"), c.Bool("v")
	if err := cmp.Or(alone(c, "q", "v"), keepsInputs(c)); err != nil {
		return ctx, err
	}
	if !s.q && os.Getenv("TERM") != "dumb" && isTerminal(s.err) {
		s.progress = newProgress(bare(s.err))
	}
	return ctx, nil
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
		err = app.Run(context.Background(), append([]string{app.Name}, args...))
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

// maker is the name of a command and what makes it.
type maker struct {
	name string
	make func(streams) *cli.Command
}

// group is the commands that are for one task.
type group struct {
	task     string
	commands []maker
}

// groups are the commands by what they are for, as help lists them.
var groups = []group{
	{"Assign and explain", []maker{{"assign", assignCommand}, {"explain", explainCommand}, {"sweep", sweepCommand}}},
	{"Find cost", []maker{{"summary", summaryCommand}, {"stats", statsCommand}, {"lint", lintCommand},
		{"memory", memoryCommand}, {"oom", oomCommand}, {"report", reportCommand}}},
	{"Compare and guard", []maker{{"diff", diffCommand}, {"check", checkCommand}, {"verify", verifyCommand},
		{"score", scoreCommand}}},
	{"Read and print", []maker{{"fmt", fmtCommand}, {"dump", dumpCommand}, {"extract", extractCommand}}},
	{"Arithmetic of layouts", []maker{{"decode", decodeCommand}, {"index", indexCommand},
		{"relayout", relayoutCommand}, {"table", tableCommand}, {"cute", cuteCommand}, {"targets", targetsCommand}}},
	{"Shell", []maker{{"schema", schemaCommand}, {"completion", completionCommand}, {"man", manCommand}}},
}

// helpGroup is one of groups for the template of help.
type helpGroup struct {
	Task     string
	Commands []*cli.Command
}

// newApp returns the command line. Where only one command is to run it names it: the others, which take longer to make
// than a small module to parse, are left out.
func newApp(s streams, only string) *cli.Command {
	app := &cli.Command{
		Name:      "hlolayout",
		Usage:     "give every array of an XLA HLO module the layout that the TPU compiler would give it",
		UsageText: "hlolayout COMMAND [flags] [FILE...], or hlolayout FILE for a first look",
		Description: `FILE is HLO text as XLA dumps it, a directory (searched for *.hlo, *.txt, *.hlo.pb, these with .gz or
.zst, and *.pbtxt, hidden folders left out), a folder of --xla_dump_to (one text a module, see --stage), an archive
(tar, zip) or a file in one (dumps.tgz/a.hlo), a pattern such as 'dumps/**/*.hlo', or - for standard input. Commands
that judge modules leave out those of a folder that were compiled for CPU or GPU. Flags may stand before or behind the
files.

Exit code 0: all well; 1: a difference was found; 2: wrong usage, input or output.`,
		Version:         report.Version,
		HideHelpCommand: true, // arrange turns `help COMMAND` into `COMMAND --help`
		Reader:          s.in,
		Writer:          s.out,
		ErrWriter:       s.err,
		ExitErrHandler:  func(context.Context, *cli.Command, error) {}, // cli's own exits with 1 or 3
	}
	named := slices.ContainsFunc(groups, func(g group) bool {
		return slices.ContainsFunc(g.commands, func(m maker) bool { return m.name == only })
	})
	var listed []helpGroup
	for _, g := range groups {
		h := helpGroup{Task: g.task}
		for _, m := range g.commands {
			if !named || m.name == only {
				h.Commands = append(h.Commands, m.command(s))
			}
		}
		listed = append(listed, h)
		app.Commands = append(app.Commands, h.Commands...)
	}
	app.Metadata = map[string]any{"groups": listed}
	app.CustomRootCommandHelpTemplate = appHelp
	return app
}

// command returns the command with what all have.
func (m maker) command(s streams) *cli.Command {
	c := m.make(s)
	c.Name = m.name
	c.Flags = append(c.Flags, commonFlags(c)...)
	c.Before = s.set
	c.HideHelpCommand = true // or a file named "help" would be taken for it
	c.CustomHelpTemplate = commandHelp
	c.DisableSliceFlagSeparator = true // a path may have commas
	c.OnUsageError = notANumber
	return c
}

// notANumber says what is wrong with the value of a flag that takes a number; arrange says all else.
func notANumber(_ context.Context, c *cli.Command, err error, _ bool) error {
	text, _, _ := strings.Cut(err.Error(), ": strconv.")
	return usage(c.Name, "%s:%s", text, err.Error()[strings.LastIndexByte(err.Error(), ':')+1:])
}

const commandHelp = `{{.FullName}} - {{.Usage}}

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
