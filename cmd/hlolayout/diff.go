package main

import (
	"fmt"
	"os"
	"runtime/debug"
	"sync"

	"hlolayout/hlo"
	"hlolayout/printer"
	"hlolayout/printer/diff"
	"hlolayout/printer/report"

	unified "github.com/rogpeppe/go-internal/diff"
	"github.com/urfave/cli/v2"
)

var diffFormats = []string{"text", "unified", "inline", "side-by-side", "stat", "json", "markdown"}

func diffCommand(s streams) *cli.Command {
	return &cli.Command{
		Name:      "diff",
		Usage:     "compare the layouts of two modules",
		UsageText: "hlolayout diff [flags] OLD NEW",
		Description: `Says what differs between two modules, change by change: breaking changes of the entry first (parameters, results,
aliases), then layouts (order, tile, memory space, element bits, padded bytes), equal changes in one line, then instructions
and totals. Values are matched by name, or by what they compute and who uses them: renumbering is no difference, and neither
is metadata. A user of a value that was re-laid out has not changed.
OLD and NEW may be directories: their modules are paired by module name, not by the number of the dump. Of two folders of
--xla_dump_to the functions are compared as they were compiled, and the dump is named in which they first differ; --stage chooses
another dump: before_optimizations, a pass (behind it), or all.
Exit code 0: the same; 1: different; 2: trouble.

Examples:
   hlolayout diff before.hlo after.hlo
   hlolayout diff --ignore=backend-config golden.hlo new.hlo       what a new compiler version renames in there
   hlolayout diff --format=inline before.hlo after.hlo             the lines that differ, with what changed marked inside
   hlolayout diff --format=unified old.hlo new.hlo | patch old.hlo
   hlolayout diff --format=markdown dumps.main dumps.pr            two directories, for a comment on a change
   hlolayout assign module.hlo | hlolayout diff compiler.hlo -     ours against the compiler's

Formats: text; unified: for patch, NEW with OLD's names and metadata; inline: changed lines above each other; side-by-side;
stat: counts by computation; json; markdown.
To ignore: metadata, names, ids (the numbers in names, channel ids), backend-config, constants, layout (all of it), tile (tiles
and element bits), space. The first three always are, unless the list begins with none.`,
		Flags: []cli.Flag{
			&cli.StringFlag{Name: "format", Value: "text", Usage: "`FORMAT` of the output: text, unified, inline, side-by-side, stat, json, markdown", Action: oneOf("format", diffFormats...)},
			&cli.StringFlag{Name: "ignore", Usage: "what is no difference: `WORDS` separated by commas"},
			&cli.IntFlag{Name: "top", Value: 40, Usage: "list at most `N` groups in each section of text and markdown; 0: all"},
			&cli.StringFlag{Name: "stage", Value: "final", Usage: "of two dump folders, compare the modules at `STAGE`: final, all, before_optimizations, or behind a pass"},
			&cli.IntFlag{Name: "width", Value: 160, Usage: "`COLUMNS` of side-by-side"},
			colorFlag(),
			strictFlag(),
		},
		Action: func(c *cli.Context) error { return compare(c, s) },
	}
}

// comparer compares pairs of texts as the flags say.
type comparer struct {
	streams
	format  string
	ignore  diff.Ignore
	options report.Options
	lines   diff.Options
	strict  bool
	stage   string
}

func compare(c *cli.Context, s streams) error {
	args := c.Args().Slice()
	if len(args) != 2 {
		return usage("diff", "diff takes two files, found %d", len(args))
	}
	if args[0] == "-" && args[1] == "-" {
		return usage("diff", "standard input cannot be both files")
	}
	ignore, err := diff.ParseIgnore(c.String("ignore"))
	if err != nil {
		return usage("diff", "--ignore: %v", err)
	}
	if os.Getenv("GOGC") == "" { // both modules live to the end: what is collected on the way there is little
		defer debug.SetGCPercent(debug.SetGCPercent(400))
	}
	color := colored(c, s.out)
	d := comparer{streams: s, format: c.String("format"), ignore: ignore, strict: c.Bool("strict"), stage: c.String("stage"),
		options: report.Options{Top: c.Int("top"), Color: color}, lines: diff.Options{Color: color}}
	if d.format == "side-by-side" {
		d.lines.Width = max(c.Int("width"), 40)
	}
	if isDirectory(args[0]) && isDirectory(args[1]) {
		return d.directories(args[0], args[1])
	}
	p := d.compare(input{path: args[0], std: s.in}, input{path: args[1], std: s.in})
	s.err.Write(p.log)
	if p.failed {
		return exitCode(exitTrouble)
	}
	if d.format == "json" {
		err = writeJSON(s.out, p.json)
	} else {
		_, err = s.out.Write(p.text)
	}
	if err != nil {
		return fmt.Errorf("standard output: %v", reason(err))
	}
	if p.differs {
		return exitCode(exitDiffers)
	}
	return nil
}

func isDirectory(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}

// compared is the outcome of one pair of texts.
type compared struct {
	text            []byte
	json            *report.DiffJSON
	log             []byte
	differs, failed bool
}

// compare reads both texts at the same time and compares them.
func (d *comparer) compare(old, new input) (out compared) {
	jobs := [2]*job{{input: old}, {input: new}}
	var modules [2]*hlo.Module
	var errs [2]error
	var both sync.WaitGroup
	for i, j := range jobs {
		both.Go(func() {
			errs[i] = j.run(func(j *job) (err error) {
				modules[i], err = j.read(d.strict)
				return err
			})
		})
	}
	both.Wait()
	for i, j := range jobs {
		out.log = append(out.log, j.log...)
		if errs[i] != nil {
			out.log, out.failed = appendErrors(out.log, errs[i]), true
		}
	}
	if out.failed {
		return out
	}
	if err := jobs[1].run(func(*job) error { d.report(&out, modules, jobs); return nil }); err != nil {
		out.log, out.failed = appendErrors(out.log, err), true
	}
	return out
}

func (d *comparer) report(out *compared, modules [2]*hlo.Module, jobs [2]*job) {
	m := diff.Match(modules[0], modules[1], d.ignore)
	r := m.Report()
	out.differs = !r.Same()
	if !out.differs && d.format != "json" {
		return
	}
	oldName, newName := jobs[0].name(), jobs[1].name()
	switch d.format {
	case "text":
		out.text = report.NewDiff(r, oldName, newName).AppendText(nil, d.options)
	case "markdown":
		out.text = report.NewDiff(r, oldName, newName).AppendMarkdown(nil, d.options)
	case "stat":
		out.text = report.NewDiff(r, oldName, newName).AppendStat(nil)
	case "json":
		out.json = report.NewDiff(r, oldName, newName).JSON()
	case "unified":
		out.text = d.unified(m, jobs)
	default:
		lines := m.Diff()
		options := d.lines
		options.Old, options.New = oldName, newName
		out.text = lines.AppendCopies(lines.Append(nil, options))
		out.text = fmt.Appendln(out.text, lines.Summary)
	}
}

// unified compares the texts line by line, the new one with the old one's names and whatever else is ignored. Where the old
// text is not as it would be printed, that would make every line a difference: then the texts are compared as they are.
func (d *comparer) unified(m *diff.Matching, jobs [2]*job) []byte {
	old, new := jobs[0].text, jobs[1].text
	if d.ignore != (diff.Ignore{}) && printer.Print(m.Old) == old {
		m.Rewrite()
		new = printer.Print(m.New)
	}
	return unified.Diff(jobs[0].name(), []byte(old), jobs[1].name(), []byte(new))
}
