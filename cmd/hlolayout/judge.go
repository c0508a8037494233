package main

import (
	"fmt"
	"strings"

	"hlolayout/hlo"
	"hlolayout/hlo/stage"
	"hlolayout/parser/dumps"
	"hlolayout/passes"
	"hlolayout/passes/entry"
	"hlolayout/passes/plan"
	"hlolayout/printer/report"

	"github.com/urfave/cli/v3"
)

// verdict is what a command says of a module at one stage: what that is worth, or why there is none, with FILE for the
// module's file.
type verdict struct{ worth, refusal string }

// estimated is what costs before fusion are worth: an upper bound, but for the copies that later passes add.
const estimated = "costs are estimated upper bounds: fusion, and copies to the fast memory, are still to come"

// simplified is said where costs are those of the simplified module, named of the names there.
const (
	namedBy    = "values have the names that assign --simplify prints"
	simplified = estimated + "; " + namedBy
)

// The verdicts of commands of one kind, by the module's stage.
var (
	layoutAnswers = [stage.Count]verdict{
		stage.Lowered:     predicted,
		stage.Unoptimized: predicted,
		stage.PreLayout:   assigned,
		stage.LaidOut:     {worth: "layouts are the file's"},
		stage.Scheduled:   {worth: "layouts are the file's"},
		stage.Foreign: {worth: "layouts are what a TPU would give these instructions, which its compiler would " +
			"not have made"},
		stage.Cut: {worth: "layouts are the file's, of the computations that it holds"},
	}
	goldenAnswers = [stage.Count]verdict{
		stage.Lowered:     layoutAnswers[stage.Lowered],
		stage.Unoptimized: layoutAnswers[stage.Unoptimized],
		stage.PreLayout:   layoutAnswers[stage.PreLayout],
		stage.LaidOut:     layoutAnswers[stage.LaidOut],
		stage.Scheduled:   layoutAnswers[stage.Scheduled],
		stage.Foreign: {refusal: "it was compiled for another platform: a golden of it would have layouts that no " +
			"compiler made"},
		stage.Cut: layoutAnswers[stage.Cut],
	}
	costAnswers = [stage.Count]verdict{
		stage.Lowered:     {worth: simplified},
		stage.Unoptimized: {worth: simplified},
		stage.PreLayout:   {worth: estimated},
		stage.LaidOut:     {worth: estimated},
		stage.Scheduled:   {worth: "costs are exact for this file"},
		stage.Foreign: {worth: "costs are what a TPU would take for these instructions, which its compiler would " +
			"not have made"},
		stage.Cut: {worth: "costs are those of the computations that the file holds"},
	}
	memoryAnswers = [stage.Count]verdict{
		stage.Lowered:     notScheduled,
		stage.Unoptimized: notScheduled,
		stage.PreLayout:   notScheduled,
		stage.LaidOut:     notScheduled,
		stage.Scheduled:   {worth: "the schedule is the file's; memory spaces that it lacks are predicted"},
		stage.Foreign:     {refusal: "its schedule is another platform's and says nothing of a TPU's memory"},
		stage.Cut:         {refusal: "what lives when is not known from a part of a module"},
	}
	fitAnswers = [stage.Count]verdict{
		stage.Lowered:     {worth: foreseen.worth + "; " + namedBy},
		stage.Unoptimized: {worth: foreseen.worth + "; " + namedBy},
		stage.PreLayout:   foreseen,
		stage.LaidOut:     foreseen,
		stage.Scheduled:   memoryAnswers[stage.Scheduled],
		stage.Foreign:     {refusal: "it was compiled for another platform, and says nothing of a TPU's memory"},
		stage.Cut:         memoryAnswers[stage.Cut],
	}
	legalAnswers = [stage.Count]verdict{
		stage.Lowered:     {worth: "layouts are not assigned yet"},
		stage.Unoptimized: {worth: "layouts are not assigned yet"},
		stage.PreLayout:   {worth: "layouts are not assigned yet"},
		stage.LaidOut:     {worth: "layouts are held against the rules for this generation"},
		stage.Scheduled:   {worth: "layouts and memory spaces are held against the rules for this generation"},
		stage.Foreign:     {worth: "it was not compiled for a TPU"},
		stage.Cut:         {worth: "only the computations in the file are checked"},
	}
	predicted = verdict{worth: "layouts are predictions: the compiler optimizes the program first"}
	assigned  = verdict{worth: "layouts are those that the compiler assigns to this module"}
	foreseen  = verdict{worth: "arguments and outputs are exact, temporaries are predictions: fusion and the " +
		"schedule are still to come"}
	notScheduled = verdict{refusal: "it is not scheduled (is_scheduled=true), so what is in memory when is not known: " +
		"give the compiled module, .compile().as_text() or *after_optimizations*.txt of a dump; hlolayout oom FILE " +
		"foresees what this one takes"}
)

// verdicts says which verdicts each command gives.
var verdicts = map[string]*[stage.Count]verdict{
	"assign": &layoutAnswers, "explain": &layoutAnswers, "check": &goldenAnswers,
	"stats": &costAnswers, "lint": &costAnswers, "report": &costAnswers, "sweep": &costAnswers,
	"summary": &costAnswers, "explain --root-causes": &costAnswers,
	"memory": &memoryAnswers, "oom": &fitAnswers, "verify": &legalAnswers,
}

// judged is a module that a command gives an answer about.
type judged struct {
	*hlo.Module
	at     int         // its place among the job's modules
	title  string      // what messages call it (job.called)
	stage  stage.Stage // as it was read
	target target
	entry  entry.Mode
	// iface is what the module takes and returns; nil where that is not known.
	iface *entry.Interface
	// assigned says that the module came without layouts, and has those of the passes.
	assigned bool
	// plan is what layout assignment decided, nil where it did not run.
	plan *plan.Plan
}

// weigh decides what a command says of a module, before any pass changes it. worth says what that is worth; the error,
// why no answer is possible.
func (j *job) weigh(c *cli.Command, ts *targeting, m *hlo.Module) (d *judged, worth string, err error) {
	t, err := ts.of(j.input, m)
	if err != nil {
		return nil, "", err
	}
	d = &judged{Module: m, title: j.called(m), stage: stage.Of(m), target: t, entry: ts.entry}
	command := c.Name
	if c.Bool("root-causes") {
		command += " --root-causes"
	}
	v := verdicts[command][d.stage]
	if v == assigned && j.early() {
		v = predicted
	}
	if t.doubt != "" {
		v.worth = "warning: " + t.doubt
	}
	if v.refusal != "" {
		return nil, "", j.errorf("module %s: %s", m.Name, strings.ReplaceAll(v.refusal, "FILE", report.Quoted(j.path)))
	}
	if d.stage != stage.Cut { // of a part, not even the structure is whole
		if err := passes.Check(m); err != nil {
			return nil, "", err
		}
		d.iface, _ = entry.Of(m, t.Target, d.mode()) // the passes say what is wrong with it
	}
	return d, strings.Join(append([]string{v.worth}, d.remarks()...), "; "), nil
}

// early reports whether the input is named as the dump of a pass that others follow before layout assignment, if the
// module has no layouts.
func (j *job) early() bool {
	f, ok := dumps.ParseName(j.path)
	return ok && f.Before != "" && f.Before != "layout-assignment"
}

// skips reports whether a module is to be left out, and remembers it for the run's note: one that was compiled for
// another platform, in a folder of which nothing was named.
func (j *job) skips(m *hlo.Module) bool {
	if j.folder == "" || j.named || stage.Of(m) != stage.Foreign {
		return false
	}
	j.foreign = append(j.foreign, j.label(m))
	return true
}

// foreignNote is one note for all modules that were left out.
func foreignNote(names []string) string {
	return fmt.Sprintf("note: %s left out: %s", plural(len(names), "module that was compiled for another platform is",
		"modules that were compiled for other platforms are"), several(names, 4))
}

// judge is weigh for commands that tell on standard error what their answer is worth.
func (j *job) judge(c *cli.Command, ts *targeting, m *hlo.Module) (*judged, error) {
	d, worth, err := j.weigh(c, ts, m)
	if err != nil {
		return nil, err
	}
	if c.Name == "assign" && c.String("format") == "json" {
		return d, nil // the JSON goes to standard error, and says it
	}
	j.note("%s: %s module, for %s: %s", j.label(m), d.stage, d.target.told(), worth)
	return d, nil
}

// told names the generation, the compiler's version where one is known, and what named them.
func (t target) told() string {
	compiler := ""
	if t.built != "" {
		compiler = fmt.Sprintf(", libtpu %s (%s)", t.LibTPU, t.built)
	}
	if t.source == "default" {
		return t.Name + " (default, see --tpu)" + compiler
	}
	return fmt.Sprintf("%s (%s)", t.Name, t.source) + compiler
}

// hasLayouts reports whether the module's layouts are the file's, which nothing is to change.
func (d *judged) hasLayouts() bool { return d.stage == stage.LaidOut || d.stage == stage.Scheduled }

// mode is where the interface's layouts come from: a module that has its layouts is taken at its word.
func (d *judged) mode() entry.Mode {
	if d.stage != stage.Lowered && d.stage != stage.PreLayout && d.HasTiles() {
		return entry.AsWritten
	}
	return d.entry
}

// read returns the interface with the layouts of a mode, nil where it was not read with those.
func (d *judged) read(mode entry.Mode) *entry.Interface {
	if d.mode() != mode {
		return nil
	}
	return d.iface
}

// remarks are what else a reader has to know of the interface and the platform.
func (d *judged) remarks() (out []string) {
	if platform, why := stage.Platform(d.Module); platform != "" {
		verb := "lowered"
		if d.stage == stage.Foreign {
			verb = "compiled"
		}
		out = append(out, fmt.Sprintf("it was %s for %s: %s", verb, platform, why))
	}
	iface := d.iface
	if iface == nil {
		return out
	}
	if n := iface.Placeholders(); n > 0 {
		out = append(out, fmt.Sprintf("%s in the text %s, replaced by the target's default (pins do not show; "+
			"--entry-layouts=as-written "+
			"keeps what is written)", plural(n, "entry layout", "entry layouts"),
			map[bool]string{true: "is a placeholder", false: "are placeholders"}[n == 1]))
	}
	if iface.Partitions > 1 {
		text := fmt.Sprintf("it is for %d devices or more: entry layouts are those of one device's part, values "+
			"inside are whole", iface.Partitions)
		unknown := 0
		for i := range iface.Arrays {
			if !iface.Arrays[i].Known {
				unknown++
			}
		}
		if unknown > 0 {
			text += fmt.Sprintf("; how %s divided is left to the partitioner",
				plural(unknown, "entry array is", "entry arrays are"))
		}
		out = append(out, text)
	}
	return out
}

// origin is what JSON says of the module.
func (d *judged) origin() report.Origin {
	return report.Origin{Stage: d.stage.String(), TPU: d.target.Name, TPUSource: d.target.source, LibTPU: d.target.LibTPU}
}

// analysis returns the inputs and targets of a command that looks at layouts.
func (s streams) analysis(c *cli.Command) ([]input, *targeting, error) {
	ts, err := targetsOf(c)
	if err != nil {
		return nil, nil, err
	}
	inputs, err := s.inputs(c)
	return inputs, ts, err
}

// analyse reads a job's modules, gives those their layouts that have none, and calls f on each.
func (j *job) analyse(c *cli.Command, ts *targeting, f func(d *judged) error) error {
	j.partial = j.partial || c.Bool("partial")
	ms, err := j.readAll(c.Bool("strict"))
	if err != nil {
		return err
	}
	for i, m := range ms {
		if j.skips(m) {
			continue
		}
		d, err := j.judge(c, ts, m)
		if err != nil {
			return err
		}
		d.at = i
		prepare := j.laidOut
		if verdicts[c.Name] == &costAnswers {
			prepare = j.costed
		}
		if err := prepare(d); err != nil {
			return err
		}
		if err := f(d); err != nil {
			return err
		}
	}
	return nil
}

// laidOut gives a module its layouts that has none.
func (j *job) laidOut(d *judged) error {
	d.assigned = !passes.Laid(d.Module)
	if !d.assigned {
		return nil
	}
	p := pipeline{passes: passes.DueAt(d.stage), target: d.target.Target, options: d.options()}
	result, err := p.run(j, d.Module)
	if err != nil {
		return err
	}
	d.keep(result)
	d.settle()
	return nil
}

// keep remembers what layout assignment decided.
func (d *judged) keep(result *passes.Result) {
	for _, ran := range result.Passes {
		if ran.Pass.Name == "layout" {
			d.plan = ran.Plan
		}
	}
}

func (d *judged) options() passes.Options {
	return passes.Options{EntryLayouts: d.entry, Checked: true}
}

// settle tells the interface the layouts that the passes gave it.
func (d *judged) settle() {
	if d.assigned && d.iface != nil {
		d.iface.Settle(d.Module)
	}
}

// costed makes a module one whose bytes can be added up (passes.Costed).
func (j *job) costed(d *judged) error {
	_, err := j.costedUnder(d, passes.Observer{})
	return err
}

func (j *job) costedUnder(d *judged, o passes.Observer) (*passes.Result, error) {
	d.assigned = !passes.Laid(d.Module)
	m, result, err := passes.Costed(d.Module, d.target.Target, d.options(), o)
	if err := j.passed(result, err); err != nil {
		return nil, err
	}
	d.Module = m
	d.keep(result)
	d.settle()
	return result, nil
}
