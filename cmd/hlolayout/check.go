package main

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"hlolayout/hlo"
	"hlolayout/parser"
	"hlolayout/parser/dumps"
	"hlolayout/printer"
	"hlolayout/printer/diff"
	"hlolayout/printer/report"

	unified "github.com/rogpeppe/go-internal/diff"
	"github.com/urfave/cli/v2"
)

func checkCommand(s streams) *cli.Command {
	return &cli.Command{
		Name:      "check",
		Usage:     "compare modules with their goldens",
		UsageText: "hlolayout check [flags] [FILE...]",
		Description: `Compares each module with two files that are kept with the code: NAME.golden.hlo, the whole module in a normal form
(no metadata, names and channels numbered anew, bodies of kernels left out, nothing cut off), and NAME.lock, a few lines to review:
the layouts of the entry, what each memory space holds, the relayouts. They lie beside FILE, or in the directory of --golden;
NAME is that of FILE without its extension and the number of a dump (module_0042.). In a folder of --xla_dump_to it is the function and the
stage (jit_step.after_optimizations), with .2 for a second module of one function, in the folder of its process.
A module without layouts is assigned first; one that has them, such as a compiler's dump, is checked as it is.
The golden of a text that is cut, such as the first 2,000 lines of a module, is that of its whole computations.
Exit code 0: all agree; 1: one differs, or has no golden; 2: trouble.

Examples:
   hlolayout check --golden testdata/golden dumps/step.hlo
   hlolayout check --golden testdata/golden --update dumps/step.hlo
   hlolayout check --lock-only compiled.hlo
   hlolayout check --golden testdata/golden --output junit=check.xml dumps/step.hlo` + formatsHelp(),
		Flags: slices.Concat(targetFlags(), folderFlags(), resultFlags("text"), []cli.Flag{
			&cli.StringFlag{Name: "golden", Usage: "the `DIRECTORY` of the goldens", DefaultText: "that of the file"},
			&cli.BoolFlag{Name: "update", DisableDefaultText: true, Usage: "write the goldens, each at once or not at all"},
			&cli.BoolFlag{Name: "allow-ci", DisableDefaultText: true, Usage: "let --update run where the variable CI is set"},
			&cli.BoolFlag{Name: "lock-only", DisableDefaultText: true, Usage: "keep and compare the lock file alone"},
			strictFlag(),
			partialFlag(),
			shardFlag(),
			resumeFlag(),
		}),
		Action: func(c *cli.Context) error { return runCheck(c, s) },
	}
}

// goldens is how one run of check treats its inputs.
type goldens struct {
	dir              string
	update, lockOnly bool
	partial          bool // a cut text may be held against the golden of a whole one
	options          string
	command          string // the update command without the file
	color            bool
}

func runCheck(c *cli.Context, s streams) error {
	inputs, ts, err := s.analysis(c)
	if err != nil {
		return err
	}
	g := goldens{dir: c.String("golden"), update: c.Bool("update"), lockOnly: c.Bool("lock-only"), partial: c.Bool("partial"), color: colored(c, s.out)}
	if g.update && os.Getenv("CI") != "" && os.Getenv("CI") != "false" && !c.Bool("allow-ci") {
		return usage("check", "--update does not run where the variable CI is set, for it would accept any change: give --allow-ci to do so")
	}
	if g.dir == "" && hasStdin(inputs) {
		return usage("check", "standard input has no directory for its golden: give --golden DIRECTORY")
	}
	g.command = "hlolayout check --update"
	for _, f := range []string{"tpu", "target-file", "golden"} {
		if c.IsSet(f) {
			g.command += " --" + f + "=" + quoted(c.String(f))
		}
	}
	for _, f := range []string{"lock-only", "strict", "partial"} {
		if c.Bool(f) {
			g.command += " --" + f
		}
	}
	if c.IsSet("target-file") {
		g.options = "target-file=" + filepath.Base(c.String("target-file"))
	}
	taken := map[string]string{}
	r, err := s.sinksOf(c, "text")
	if err != nil {
		return err
	}
	return s.eachTo(r, inputs, func(j *job) error {
		j.partial = true
		return j.analyse(c, ts, func(d *judged) error {
			base := g.base(j)
			if was, ok := taken[base]; ok {
				return j.errorf("its golden %s is also that of %s: give the files other names, or directories of their own", base, was)
			}
			taken[base] = j.name()
			return g.check(j, r, d, base)
		})
	})
}

// quoted puts quotes around what a shell would take apart.
func quoted(s string) string {
	if s != "" && !strings.ContainsAny(s, " \t\n'\"\\$*?[]()<>|&;`~#") {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}

var dumpNumber = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^module_[0-9]+\.`) })

// base is the path of a job's goldens without their extensions: for a dump its function and stage, without the numbers of one run and
// the compiler's build, unless there are goldens by the whole name of the file.
func (g *goldens) base(j *job) string {
	dir := g.dir
	if dir == "" {
		dir = filepath.Dir(j.path)
	} else if below, err := filepath.Rel(j.folder, filepath.Dir(j.path)); err == nil && j.module != nil {
		dir = filepath.Join(dir, below) // each process of a run may have a folder of its own
	}
	base := filepath.Join(dir, fileBase(j.path))
	f, ok := dumps.ParseName(j.path)
	if !ok || f.Holds == dumps.Other || f.Function == "" {
		return base
	}
	if _, err := os.Stat(base + ".lock"); err == nil {
		return base
	}
	name := f.Function
	if j.twin > 0 {
		name += "." + strconv.Itoa(j.twin+1)
	}
	return filepath.Join(dir, name+"."+unnumbered(&f))
}

// fileBase is a file's name without its extension and the number of its module.
func fileBase(path string) string {
	name := filepath.Base(path)
	if path == "-" {
		name = "stdin"
	}
	for _, e := range extensions {
		if rest, ok := strings.CutSuffix(name, e); ok && rest != "" {
			name = strings.TrimSuffix(strings.TrimSuffix(rest, ".hlo"), ".txt")
			break
		}
	}
	return dumpNumber().ReplaceAllString(name, "")
}

// golden is one file that is kept.
type golden struct {
	path string
	data []byte
}

// check compares a module with its goldens, or writes them.
func (g *goldens) check(j *job, r *sinks, d *judged, base string) error {
	m := d.Module
	header := report.LockHeader{Tool: version(), Target: "compiled", Options: g.options}
	if d.assigned {
		header.Target = d.target.Name
	}
	dropUnfinished(m)
	files := []golden{{base + ".lock", report.AppendLock(nil, m, header)}}
	if !g.lockOnly {
		diff.Normalize(m)
		text := fmt.Appendf(nil, "// hlolayout golden: tool %s, target %s\n", header.Tool, strings.TrimSpace(header.Target+" "+header.Options))
		files = append(files, golden{base + ".golden.hlo", printer.Append(text, m)})
	}
	if g.update {
		return g.write(j, files)
	}
	c := report.Case{File: j.name(), Module: m.Name, Target: header.Target, Origin: d.origin()}
	var text []byte
	accept := g.command + " " + quoted(j.path)
	for _, f := range files {
		was, err := readRegular(f.path)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			x := report.RuleOf(r.Rules, "no-golden")
			x.File, x.Message, x.Suggestion = j.name(), "there is no golden "+f.path, accept
			c.Findings = append(c.Findings, x)
			text = fmt.Appendf(text, "%s: there is no golden %s\n", hlo.Visible(j.name()), hlo.Visible(f.path))
		case err != nil:
			return fmt.Errorf("%s: %v", f.path, reason(err))
		case m.Cut != "" && !g.partial && f.path == files[0].path && !bytes.Contains(was, []byte("\ncut: ")):
			return j.errorf("the module is cut (%s), its golden %s is of a whole one: --partial compares them", m.Cut, f.path)
		case !bytes.Equal(withoutTool(was), withoutTool(f.data)):
			x := report.RuleOf(r.Rules, "golden")
			x.File, x.Message, x.Suggestion = f.path, j.name()+" differs from its golden", accept
			x.Details = strings.Split(strings.TrimRight(string(g.difference(j, f, was, false)), "\n"), "\n")
			c.Findings = append(c.Findings, x)
			text = fmt.Appendf(text, "%s: differs from %s\n", hlo.Visible(j.name()), hlo.Visible(f.path))
			text = append(text, g.difference(j, f, was, g.color)...)
		}
	}
	if len(c.Findings) > 0 {
		text = fmt.Appendf(text, "To accept: %s\n", hlo.Visible(accept))
	}
	j.found(r, c, func(string) []byte { return text })
	return nil
}

// difference says what differs: for a module change by change, where that shows it, else line by line.
func (g *goldens) difference(j *job, f golden, was []byte, color bool) []byte {
	if strings.HasSuffix(f.path, ".golden.hlo") {
		read := parser.Config{Partial: true}
		old, err := read.Parse(f.path, string(was))
		if err != nil {
			return appendErrors(nil, err)
		}
		now, err := read.Parse(j.name(), string(f.data))
		if err != nil {
			return appendErrors(nil, err)
		}
		if r := diff.NewReport(old, now, diff.DefaultIgnore); !r.Same() {
			return report.NewDiff(r, f.path, j.name()).AppendText(nil, report.Options{Top: 20, Color: color})
		}
	}
	text := unified.Diff(f.path, withoutTool(was), j.name(), withoutTool(f.data))
	lines := strings.Split(strings.TrimSuffix(string(text), "\n"), "\n")
	const most = 60
	if len(lines) > most {
		lines = append(lines[:most:most], fmt.Sprintf("... and %d more lines", len(lines)-most))
	}
	var out []byte
	for _, l := range lines[min(1, len(lines)):] {
		out = append(append(out, hlo.Visible(l)...), '\n')
	}
	return out
}

// toolVersion is the note of the tool's version in either file, which is not compared: a new version that gives the same layouts
// is no news.
var toolVersion = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?m)\A(hlolayout lock [0-9]+\ntool: .*\n|// hlolayout golden: tool [^,\n]*,)`)
})

func withoutTool(data []byte) []byte { return toolVersion().ReplaceAll(data, nil) }

func (g *goldens) write(j *job, files []golden) error {
	for _, f := range files {
		if was, err := readRegular(f.path); err == nil && bytes.Equal(was, f.data) {
			continue
		}
		if err := os.MkdirAll(filepath.Dir(f.path), 0o777); err != nil {
			return fmt.Errorf("%s: %v", f.path, reason(err))
		}
		if err := writeFile(f.path, f.data, plain); err != nil {
			return err
		}
		j.out = fmt.Appendf(j.out, "%s: written\n", f.path)
	}
	return nil
}
