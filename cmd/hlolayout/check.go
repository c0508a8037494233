package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"hlolayout"
	"hlolayout/hlo"
	"hlolayout/parser"
	"hlolayout/parser/dumps"
	"hlolayout/printer"
	"hlolayout/printer/diff"
	"hlolayout/printer/report"

	unified "github.com/rogpeppe/go-internal/diff"
	"github.com/urfave/cli/v3"
)

func checkCommand(s streams) *cli.Command {
	return &cli.Command{
		Usage:     "compare modules with their goldens",
		UsageText: "hlolayout check [flags] [FILE...]",
		Description: `Compares each module with two files that are kept with the code: NAME.golden.hlo, the whole module in a
normal form (no metadata, names and channels numbered anew, digests of kernels, nothing cut off), and NAME.lock, a few
lines to review: the layouts of the entry, what each memory space holds, the relayouts. They are next to FILE, or in the
directory of --golden; NAME is that of FILE without its extension and the number of a dump (module_0042.). In a folder
of --xla_dump_to it is the function and the stage (jit_step.after_optimizations), with .2 for a second module of one
function. Below the directory of --golden, goldens are in the folder that their files are in below the folder FILE.

Both files carry the version of the rules that decide layouts (--rules lists them), and the lock a fingerprint of the
program: where a module differs, check says whether the program changed or only the rules of a newer hlolayout did.
--update --rules-only accepts the latter and nothing else. Goldens of versions before are read and compared; they do not
say of which program they are. --update replaces each file whole or not at all, the lock last: if it is killed in
between, the lock is still the old one, check fails, and the same command completes the update. It follows no link that
leads out of the folder of the goldens. --min-confidence passes a module that differs in layouts that seldom right rules
predict, and in the copies next to these, alone.

--budget holds what a module takes at its peak against a budget: HBM with arguments, results and temporaries, VMEM (CMEM
on v4) with what the compiler moves there. A module that takes more is a finding (CHK004) with what the memory holds now
and did not in the golden module, by shape, with lines of the program. Of a module that is not scheduled arguments and
results are exact, temporaries predictions: what these do not decide is a finding of its own (CHK005); compiled modules
decide it. --budget-only needs no goldens.

A module without layouts is assigned first; one that has them, such as a compiler's dump, is checked as it is.
The golden of a text that is cut, such as the first 2,000 lines of a module, is that of its whole computations.
Exit code 0: all agree; 1: one differs, has no golden, or does not keep to its budget; 2: trouble.

Examples:
   hlolayout check --golden testdata/golden dumps/step.hlo
   hlolayout check --golden testdata/golden --update dumps/step.hlo
   hlolayout check --update --rules-only --golden testdata/golden dumps/step.hlo       after an upgrade of hlolayout
   hlolayout check --lock-only compiled.hlo
   hlolayout check --budget-only --budget hbm=12GiB,vmem=100MiB compiled.hlo
   hlolayout check --golden testdata/golden --output junit=check.xml dumps/step.hlo` + formatsHelp(),
		Flags: slices.Concat(targetFlags(), folderFlags(), resultFlags("text"), []cli.Flag{
			&cli.StringFlag{Name: "golden", Usage: "the `DIRECTORY` of the goldens", DefaultText: "that of the file"},
			&cli.BoolFlag{Name: "update", Usage: "write the goldens"},
			&cli.BoolFlag{Name: "rules-only", Usage: "with --update, accept only what a " +
				"new version of hlolayout's rules has changed in the same program"},
			&cli.BoolFlag{Name: "rules", Usage: "print the versions of the rules, and what " +
				"changed in each"},
			&cli.BoolFlag{Name: "allow-ci", Usage: "let --update run where the variable CI " +
				"is set"},
			&cli.StringFlag{Name: "budget", Usage: "what a module may take of each memory, `LIST` such as " +
				"hbm=12GiB,vmem=100MiB"},
			&cli.BoolFlag{Name: "budget-only", Usage: "compare with the budget alone; a " +
				"golden may be missing"},
			&cli.BoolFlag{Name: "lock-only", Usage: "keep and compare the lock file alone"},
			confidenceFlag("differences of predicted layouts"),
			strictFlag(),
			partialFlag(),
			shardFlag(),
			resumeFlag(),
		}),
		Action: func(_ context.Context, c *cli.Command) error { return runCheck(c, s) },
	}
}

// goldens is how one run of check treats its inputs.
type goldens struct {
	dir              string
	update, lockOnly bool
	partial          bool // a cut text may be held against the golden of a whole one
	rulesOnly        bool // update only what another version of the rules has changed
	options          string
	command          string // the update command without the file and the folder of its goldens
	color            bool
	budgets          []budget
	budgetOnly       bool // goldens are not compared, only what fills the memory
	// waits says that two files may have one golden: nothing is written before it is known that none have.
	waits   bool
	waiting []waiting
	refused bool
}

// waiting are goldens that are to be written, of a file.
type waiting struct {
	path  string
	files []golden
}

func runCheck(c *cli.Command, s streams) error {
	if c.Bool("rules") {
		return s.print([]byte(hlolayout.Changelog(0)))
	}
	if c.Bool("rules-only") && !c.Bool("update") {
		return usage("check", "--rules-only says what --update accepts: give both")
	}
	if c.IsSet("min-confidence") && c.Bool("lock-only") {
		return usage("check", "--min-confidence compares the values of modules, which --lock-only does not keep: give one "+
			"of the two")
	}
	inputs, ts, err := s.analysis(c)
	if err != nil {
		return err
	}
	g, err := goldensOf(c, s)
	if err != nil {
		return err
	}
	if g.dir == "" && hasStdin(inputs) && !g.budgetOnly {
		return usage("check", "standard input has no directory for its golden: give --golden DIRECTORY")
	}
	taken := map[string]string{}
	g.waits = g.update && g.mayMeet(inputs)
	r, err := s.sinksOf(c, "text")
	if err != nil {
		return err
	}
	err = s.eachTo(r, inputs, func(j *job) error {
		j.partial = true
		return j.analyse(c, ts, func(d *judged) error {
			base := g.base(j, d)
			if was, ok := taken[base]; ok {
				g.refused = true
				return j.errorf("its golden %s is also that of %s: name the folder above both, whose subfolders "+
					"goldens have as well, or give the files other names", base, was)
			}
			taken[base] = j.name()
			return g.check(j, r, d, doubtOf(c, d), base)
		})
	})
	if err := g.writeWaiting(s); err != nil {
		return err
	}
	if err == nil && len(taken) == 0 && !c.IsSet("shard") && !c.IsSet("resume") {
		return errors.New("nothing was checked: all modules were compiled for other platforms")
	}
	return err
}

// writeWaiting writes what waits until it is known that no two files have one golden.
func (g *goldens) writeWaiting(s streams) error {
	if g.refused {
		if len(g.waiting) > 0 && !s.quiet() {
			fmt.Fprintln(s.err, "hlolayout: no golden is written")
		}
		return nil
	}
	for _, w := range g.waiting {
		write := func(j *job) error { return g.write(j, w.files) }
		if err := s.each([]input{{path: w.path}}, write); err != nil {
			return err
		}
	}
	return nil
}

// goldensOf reads the flags.
func goldensOf(c *cli.Command, s streams) (*goldens, error) {
	g := &goldens{dir: c.String("golden"), update: c.Bool("update"), lockOnly: c.Bool("lock-only"),
		partial: c.Bool("partial"), rulesOnly: c.Bool("rules-only"), color: colored(c, s.out)}
	var err error
	if g.budgets, err = budgetsOf(c); err != nil {
		return nil, err
	}
	if g.budgetOnly = c.Bool("budget-only"); g.budgetOnly && (len(g.budgets) == 0 || g.update) {
		return nil, usage("check", "--budget-only goes with --budget, and without --update")
	}
	if g.update && os.Getenv("CI") != "" && os.Getenv("CI") != "false" && !c.Bool("allow-ci") {
		return nil, usage("check", "--update does not run where the variable CI is set, for it would accept any "+
			"change: give --allow-ci to do so")
	}
	g.command = "hlolayout check --update"
	for _, f := range []string{"tpu", "target-file", "libtpu", "entry-layouts", "stage"} {
		if c.IsSet(f) {
			g.command += " --" + f + "=" + report.Quoted(c.String(f))
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
	if v := c.String("libtpu"); v != "" {
		g.options = strings.TrimPrefix(g.options+", libtpu="+v, ", ")
	}
	return g, nil
}

var dumpNumber = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^module_[0-9]+\.`) })

// folderOf is the folder of a job's goldens: next to the file, or below that of --golden as the file is below the named
// folder.
func (g *goldens) folderOf(j *job) string {
	if g.dir == "" {
		return filepath.Dir(j.path)
	}
	below, err := filepath.Rel(j.folder, filepath.Dir(j.path))
	if j.folder == "" || err != nil || below == "." {
		return g.dir
	}
	return filepath.Join(g.dir, below)
}

// base is the path of a module's goldens without their extensions: that of the file, with the module's name where it
// has several, and .2 for a second one of that name. For a dump it is the function and the stage, without the numbers
// of one run and the compiler's build, unless there are goldens by the whole name of the file.
func (g *goldens) base(j *job, d *judged) string {
	dir := g.folderOf(j)
	base := filepath.Join(dir, fileBase(j.path))
	if j.holds > 1 {
		return numbered(base+"."+d.Name, j.twins[d.at])
	}
	f, ok := dumps.ParseName(j.path)
	if !ok || f.Holds == dumps.Other || f.Function == "" {
		return base
	}
	if _, err := os.Stat(base + ".lock"); err == nil {
		return base
	}
	return filepath.Join(dir, numbered(f.Function, j.twin)+"."+unnumbered(&f))
}

// mayMeet reports whether two files may have goldens of one name, which base says when they are read. Those of one dump
// folder have numbers that tell them apart.
func (g *goldens) mayMeet(inputs []input) bool {
	at := map[string]string{} // the folder of the file
	for i := range inputs {
		j := &job{input: inputs[i]}
		name, folder := filepath.Join(g.folderOf(j), fileBase(j.path)), filepath.Dir(j.path)
		_, dump := dumps.ParseName(j.path)
		if was, ok := at[name]; ok && (!dump || was != folder) {
			return true
		}
		at[name] = folder
	}
	return false
}

// numbered is a name after so many others of the same: the second one has .2.
func numbered(name string, before int) string {
	if before > 0 {
		return name + "." + strconv.Itoa(before+1)
	}
	return name
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

// check compares a module with its goldens, or writes them.
func (g *goldens) check(j *job, r *sinks, d *judged, unsure *doubt, base string) error {
	m := d.Module
	c := report.Case{File: j.name(), Module: m.Name, Origin: d.origin()}
	text, err := g.weigh(j, r, d, &c, base)
	if err != nil {
		return err
	}
	if g.budgetOnly {
		j.found(r, c, func(string) []byte { return text })
		return nil
	}
	header, files := g.made(j, d, base)
	same := true
	for i := range files {
		if err := files[i].read(); err != nil && !g.update {
			return err
		}
		same = same && !files[i].missing() && !files[i].differs()
	}
	why := causeOf(report.ReadLockHeader(files[0].was), header)
	if g.update && (!g.rulesOnly || same || why.rules) {
		if g.waits {
			g.waiting = append(g.waiting, waiting{j.path, files})
		} else if err := g.write(j, files); err != nil {
			return err
		}
		if len(c.Findings) == 0 {
			return nil
		}
		j.found(r, c, func(string) []byte { return text })
		return nil
	}
	if err := g.comparable(j, m, &files[0]); err != nil {
		return err
	}
	c.Target = header.Target
	if same || unsure == nil || !g.doubted(j, m, unsure, files) {
		text = append(text, g.judge(j, r, &c, files, why)...)
	}
	j.found(r, c, func(string) []byte { return text })
	return nil
}

// made returns the goldens that a module would have now, and their header.
func (g *goldens) made(j *job, d *judged, base string) (report.LockHeader, []golden) {
	header := report.LockHeader{Tool: report.Version, Rules: hlolayout.RulesVersion(), Program: j.programOf(d),
		Target: compiled, Options: g.options}
	if d.assigned {
		header.Target = d.target.Name
	}
	m := d.Module
	dropUnfinished(m)
	files := []golden{{path: base + ".lock", data: report.AppendLock(nil, m, header)}}
	if !g.lockOnly {
		diff.Normalize(m)
		files = append(files,
			golden{path: base + ".golden.hlo", data: printer.Append(report.AppendGoldenHeader(nil, header), m)})
	}
	return header, files
}

// comparable refuses a module that is cut where its lock is of a whole one, unless parts are asked for.
func (g *goldens) comparable(j *job, m *hlo.Module, lock *golden) error {
	if m.Cut != "" && !g.partial && !lock.missing() && !bytes.Contains(lock.was, []byte("\ncut: ")) {
		return j.errorf("the module is cut (%s), its golden %s is of a whole one: --partial compares them", m.Cut,
			lock.path)
	}
	return nil
}

// doubted reports whether a module differs from its goldens in doubted layouts only. A lock's sums follow from the
// module.
func (g *goldens) doubted(j *job, m *hlo.Module, unsure *doubt, files []golden) bool {
	if files[0].missing() || files[1].missing() || !files[1].differs() {
		return false
	}
	old, err := parser.Config{Partial: true}.Parse(files[1].path, string(files[1].was))
	if err != nil || !unsure.explains(old, m) {
		return false
	}
	j.note("%s: differs from %s in layouts that are predicted with less than %g %% confidence, which are left out",
		hlo.Visible(j.name()),
		hlo.Visible(files[1].path), unsure.least)
	return true
}

// judge adds to a case which goldens are missing or differ, and returns it as text.
func (g *goldens) judge(j *job, r *sinks, c *report.Case, files []golden, why cause) (text []byte) {
	rule, accept := "golden", g.accept(j, why)
	if why.rules {
		rule = "rules"
	}
	missing, differ := 0, 0
	for i := range files {
		switch f := &files[i]; {
		case f.missing():
			missing++
			x := report.RuleOf(r.Rules, "no-golden")
			x.File, x.Message, x.Suggestion = j.name(), "no golden "+f.path, accept
			c.Findings = append(c.Findings, x)
			text = fmt.Appendf(text, "%s: no golden %s\n", hlo.Visible(j.name()), hlo.Visible(f.path))
		case f.differs():
			differ++
			x := report.RuleOf(r.Rules, rule)
			x.File, x.Message, x.Suggestion = f.path, j.name()+" differs from its golden", accept
			x.Details = strings.Split(why.text+"\n"+strings.TrimRight(string(g.difference(j, f, false)), "\n"), "\n")
			c.Findings = append(c.Findings, x)
			text = fmt.Appendf(text, "%s: differs from %s\n", hlo.Visible(j.name()), hlo.Visible(f.path))
			text = append(text, g.difference(j, f, g.color)...)
		}
	}
	if differ > 0 {
		text = fmt.Appendf(text, "Why: %s\n", visibleLines(why.text))
	}
	if missing+differ > 0 {
		text = fmt.Appendf(text, "To accept: %s\n", hlo.Visible(accept))
	}
	return text
}

// accept is the command that accepts what a module is now.
func (g *goldens) accept(j *job, why cause) string {
	text := g.command
	switch {
	case g.dir == "":
	case j.module != nil: // the folder is named
		text += " --golden=" + report.Quoted(g.dir)
	default:
		text += " --golden=" + report.Quoted(g.folderOf(j))
	}
	if j.wanted != "" {
		text += " --module=" + report.Quoted(j.wanted)
	}
	if why.rules {
		text += " --rules-only"
	}
	if j.module != nil {
		return fmt.Sprintf("%s --module=%d %s", text, j.module.Number, report.Quoted(j.folder))
	}
	return text + " " + report.Quoted(j.path)
}

// difference says what differs: for a module change by change, where that shows it, else line by line.
func (g *goldens) difference(j *job, f *golden, color bool) []byte {
	if strings.HasSuffix(f.path, ".golden.hlo") {
		read := parser.Config{Partial: true}
		old, err := read.Parse(f.path, string(f.was))
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
	was, now := report.Comparable(f.was, f.data)
	text := unified.Diff(f.path, was, j.name(), now)
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
