package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"slices"
	"strings"
	"sync"

	"hlolayout/hlo"
	"hlolayout/hlo/stage"
	"hlolayout/printer"
	"hlolayout/printer/diff"
	"hlolayout/printer/report"

	unified "github.com/rogpeppe/go-internal/diff"
	"github.com/urfave/cli/v3"
)

// diffFormats are diff's own forms; json is another than that of lint and check.
var diffFormats = []string{"text", "unified", "inline", "side-by-side", "stat", "json"}

func diffCommand(s streams) *cli.Command {
	return &cli.Command{
		Usage:     "compare the layouts of two modules",
		UsageText: "hlolayout diff [flags] OLD NEW",
		Description: `Says what differs between two modules: the verdict in one line (same, layouts changed, program changed,
interface changed), then changes of the entry (parameters, results, aliases), layouts (order, tile, memory space,
element bits, padded bytes), sizes that changed all over, instructions and totals. Values are matched by name, or by
what they compute and who uses them: renumbering is no difference, and neither are metadata, the order of operands that
commute, and where the source of a kernel is. Parameters are matched by the names of their arguments, types and uses. Of
fusions that differ inside one line says what; --full lists all. Of two texts that are cut, such as the first 2,000
lines of modules, what both have is compared; --partial does so where one is whole. OLD and NEW may be directories (one
alone: its file of the other's name, or its dump of the other's module, is compared): their modules are paired by module
name, not by the number of the dump. Of two folders of --xla_dump_to the functions are compared as they were compiled,
and the dump is named in which they first differ; other modules next to the dumps are compared, too. --stage chooses
another dump: before_optimizations, a pass (behind it), before_PASS, or all.
Exit code 0: the same; 1: different; 2: trouble.

Examples:
   hlolayout diff before.hlo after.hlo
   hlolayout diff --ignore=backend-config golden.hlo new.hlo       what a new compiler version renames in there
   hlolayout diff --format=inline before.hlo after.hlo             the lines that differ, changes marked
   hlolayout diff --format=unified old.hlo new.hlo | patch old.hlo
   hlolayout diff --format=markdown dumps.main dumps.pr            two directories, for a comment on a change
   hlolayout diff --exit-zero --output=json=d.json a.hlo b.hlo     text here, JSON to a file
   hlolayout assign module.hlo | hlolayout diff compiler.hlo -     ours against the compiler's

Formats: text; unified: for patch, NEW with OLD's names and metadata; inline: changed lines above each other;
side-by-side; stat: counts by computation; json; and those for CI, which --output writes to files at the same time. To
ignore: metadata, names, ids (the numbers in names, channel ids), backend-config, constants, layout (all of it), tile
(tiles and element bits), space. The first three always are, unless the list begins with none.` +
			strings.Replace(formatsHelp(), "one document", "diff's own document", 1),
		Flags: append(resultFlags(diffFormats...),
			&cli.StringFlag{Name: "ignore", Usage: "differences to ignore: `WORDS` separated by commas"},
			topFlag(12, "list at most `N` groups in each section of text; 0: all"),
			&cli.StringSliceFlag{Name: "pair", Usage: "of two folders, compare the modules `OLD=NEW`: names of " +
				"functions, or files"},
			&cli.BoolFlag{Name: "full", Usage: "list also what is inside of fusions, reducers and the like"},
			&cli.StringFlag{Name: "stage", Value: "final", Usage: "of two dump folders, compare the modules at " +
				"`STAGE`: final, all, before_optimizations, before_PASS, or after_PASS"},
			&cli.IntFlag{Name: "width", Value: 160, Usage: "`COLUMNS` of side-by-side, 40 to 1000"},
			strictFlag(),
			partialFlag(),
		),
		Action: func(_ context.Context, c *cli.Command) error { return compare(c, s) },
	}
}

// comparer compares pairs of texts as the flags say.
type comparer struct {
	streams
	sinks   *sinks
	ignore  diff.Ignore
	options report.Options
	lines   diff.Options
	strict  bool
	partial bool
	stage   string
	pairs   []string // OLD=NEW
	json    []*report.DiffJSON
	code    int
	several bool // two folders, not two texts
	staged  bool // stage was given
}

func compare(c *cli.Command, s streams) error {
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
	r, err := s.sinksOf(c, diffFormats...)
	if err != nil {
		return err
	}
	slices.SortStableFunc(r.list, func(a, b *sink) int {
		switch { // unified comes last: it changes the modules
		case a.format == b.format:
			return 0
		case a.format == "unified":
			return 1
		case b.format == "unified":
			return -1
		}
		return 0
	})
	color := colored(c, s.out)
	d := comparer{streams: s, sinks: r, ignore: ignore, strict: c.Bool("strict"), pairs: c.StringSlice("pair"),
		partial: c.Bool("partial"), stage: c.String("stage"), json: []*report.DiffJSON{},
		options: report.Options{Top: c.Int("top"), Full: c.Bool("full"), Color: color},
		lines:   diff.Options{Color: color}}
	d.lines.Width = min(max(c.Int("width"), 40), 1000)
	both := isDirectory(args[0]) && isDirectory(args[1])
	if d.staged = c.IsSet("stage"); d.staged && !isDirectory(args[0]) && !isDirectory(args[1]) {
		return usage("diff", "--stage is for folders of --xla_dump_to: no argument is one")
	}
	if d.several = both; both {
		err = d.directories(args[0], args[1])
	} else {
		err = d.texts(args)
	}
	if err != nil {
		return err
	}
	for _, x := range r.list {
		if x.format != "json" {
			continue
		}
		var b bytes.Buffer
		switch {
		case both:
			err = writeJSON(&b, d.json)
		case len(d.json) == 1:
			err = writeJSON(&b, d.json[0])
		}
		if err != nil {
			return err
		}
		x.text = b.Bytes()
	}
	if d.code != exitSame {
		err = exitCode(d.code)
	}
	return r.finish(s, err)
}

// texts compares two texts. Where one argument is a folder, it is the module of the other's name in it, or its only
// one.
func (d *comparer) texts(args []string) (err error) {
	var in [2]input
	for i, path := range args {
		if in[i] = (input{path: path, std: d.in}); isDirectory(path) {
			if in[i], err = d.inFolder(path, args[1-i]); err != nil {
				return err
			}
		}
	}
	return d.compare(in[0], in[1], nil)
}

// isDirectory reports whether a path is that of a directory, or of an archive that is read as one, or of a folder in an
// archive.
func isDirectory(path string) bool {
	info, err := os.Stat(path)
	if err != nil {
		return path != "" && len(membersBelow(path)) > 0
	}
	return info.IsDir() || archiveAt(path) != nil
}

// compared is the outcome of one pair of texts: text goes to standard output, log to standard error.
type compared struct {
	text, log       []byte
	differs, failed bool
}

// compare compares two texts and writes what comes of it: where they differ, head first, which may be nil. Its error is
// one of writing, or of head.
func (d *comparer) compare(old, new input, head func() (string, error)) error {
	p, err := d.pair(old, new, head)
	d.bar().clear()
	d.err.Write(p.log)
	switch {
	case p.failed:
		d.code = exitTrouble
	case p.differs && !d.sinks.exitZero:
		d.code = max(d.code, exitDiffers)
	}
	if err != nil {
		return err
	}
	return d.print(p.text)
}

// pair reads both texts at the same time, compares them and gives the outcome to the sinks. Its error is one of head.
func (d *comparer) pair(old, new input, head func() (string, error)) (out compared, err error) {
	jobs := [2]*job{{input: old, settings: d.settings, partial: true},
		{input: new, settings: d.settings, partial: true}}
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
	defer jobs[0].release()
	defer jobs[1].release()
	for _, j := range jobs {
		out.log = append(out.log, j.log...)
	}
	if errs[0] == nil && errs[1] == nil {
		errs[0] = d.reduce(modules, jobs)
	}
	if errs[0] == nil && errs[1] == nil {
		errs[1] = jobs[1].safe(func(*job) error { err = d.report(&out, modules, jobs, head); return nil })
	}
	for i, e := range errs {
		if e != nil {
			out.log, out.failed = appendErrors(out.log, e), true
			d.sinks.fail(jobs[i].name(), e)
		}
	}
	return out, err
}

func (d *comparer) wantsJSON() bool {
	return slices.ContainsFunc(d.sinks.list, func(x *sink) bool { return x.format == "json" })
}

// reduce leaves of modules that are cut what can be compared. A cut one next to a whole one is an error, unless parts
// are asked for.
func (d *comparer) reduce(modules [2]*hlo.Module, jobs [2]*job) error {
	if modules[0].Cut == "" && modules[1].Cut == "" {
		return nil
	}
	for i, m := range modules {
		if m.Cut == "" && !d.partial {
			return jobs[1-i].errorf("the module is cut (%s) and %s is whole: --partial compares what both have",
				modules[1-i].Cut, jobs[i].name())
		}
	}
	keepCommon(modules[0], modules[1])
	return nil
}

// report gives a pair to the sinks.
func (d *comparer) report(out *compared, modules [2]*hlo.Module, jobs [2]*job,
	head func() (string, error)) (err error) {
	m := diff.Match(modules[0], modules[1], d.ignore)
	r := m.Report()
	full := sync.OnceValue(func() *report.Diff { return report.NewDiff(r, jobs[0].name(), jobs[1].name()) })
	c := report.Case{File: jobs[1].name(), Against: jobs[0].name(), Module: r.New.Name}
	if out.differs = !r.Same(); !out.differs && !d.quiet() {
		out.log = fmt.Appendf(out.log, "%s: %s\n", hlo.Visible(jobs[1].name()), report.SameText(r))
	}
	if out.differs && !d.quiet() {
		out.log = appendSizeNotes(out.log, modules, jobs)
	}
	if out.differs && d.sinks.keep {
		c = full().Case()
	}
	if d.wantsJSON() {
		x := full().JSON()
		x.OldCut, x.NewCut = modules[0].Cut, modules[1].Cut
		x.OldStage, x.NewStage = stage.Of(modules[0]).String(), stage.Of(modules[1]).String()
		d.json = append(d.json, x)
	}
	out.text = d.sinks.add(c, func(format string) []byte {
		if !out.differs {
			return nil
		}
		switch format {
		case "json": // written at the end
			return nil
		case "text":
			var above string
			if head != nil {
				above, err = head()
			}
			return full().AppendText([]byte(above), d.options)
		case "stat":
			var above []byte
			if d.several {
				above = fmt.Appendf(nil, "%s -> %s\n", hlo.Visible(jobs[0].name()), hlo.Visible(jobs[1].name()))
			}
			return full().AppendStat(above)
		case "unified":
			return d.unified(m, jobs)
		}
		lines, options := m.Diff(), d.lines
		options.Old, options.New = jobs[0].name(), jobs[1].name()
		if format == "inline" {
			options.Width = 0
		}
		return fmt.Appendln(lines.AppendCopies(lines.Append(nil, options)), lines.Summary)
	})
	return err
}

// sizeAnswers are what the sizes of a comparison are worth, by stage; "" where they are those of the file.
var sizeAnswers = [stage.Count]string{
	stage.Lowered: untiledSizes, stage.Unoptimized: untiledSizes, stage.PreLayout: untiledSizes,
}

const untiledSizes = "sizes are those of the data, without padding: the compiler has yet to assign layouts " +
	"(relayouts are those of the text) and to fuse; hlolayout stats says what it takes on a TPU"

// appendSizeNotes says at which stage the modules are, and what their sizes are worth: in one line where that is the
// same for both.
func appendSizeNotes(dst []byte, modules [2]*hlo.Module, jobs [2]*job) []byte {
	at := [2]stage.Stage{stage.Of(modules[0]), stage.Of(modules[1])}
	for i, j := range jobs {
		switch worth := sizeAnswers[at[i]]; {
		case worth == "":
		case i == 0 && at[0] == at[1]:
			return fmt.Appendf(dst, "%s and %s: %s modules: %s\n", hlo.Visible(j.name()), hlo.Visible(jobs[1].name()),
				at[0], worth)
		default:
			dst = fmt.Appendf(dst, "%s: %s module: %s\n", hlo.Visible(j.name()), at[i], worth)
		}
	}
	return dst
}

// unified compares the texts line by line, the new one with the old one's names and whatever else is ignored. Where the
// old text is not as it would be printed, that would make every line a difference: then the texts are compared as they
// are.
func (d *comparer) unified(m *diff.Matching, jobs [2]*job) []byte {
	old, new := jobs[0].text, jobs[1].text
	if d.ignore != (diff.Ignore{}) && printer.Print(m.Old) == old {
		m.Rewrite()
		new = printer.Print(m.New)
	}
	return unified.Diff(jobs[0].name(), []byte(old), jobs[1].name(), []byte(new))
}
