package main

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"

	"hlolayout/hlo"
	"hlolayout/hlo/stage"
	"hlolayout/parser/dumps"
	"hlolayout/passes"
	"hlolayout/passes/extract"
	"hlolayout/passes/plan"
	"hlolayout/printer"
	"hlolayout/printer/report"

	"github.com/urfave/cli/v3"
)

func scoreCommand(s streams) *cli.Command {
	return &cli.Command{
		Usage:     "hold predictions against what a compiler did",
		UsageText: "hlolayout score [flags] DUMP...\n       hlolayout score [flags] BEFORE AFTER",
		Description: `Predicts the layouts of modules before layout assignment, and the memory spaces of scheduled ones, and
compares them with what the compiler made of these modules: instructions that are there before and after, by computation
and name. DUMP is a folder of --xla_dump_to with the dumps of passes (--xla_dump_hlo_pass_re=.*), or one with files
before.hlo and after.hlo, and pre_msa.hlo and final.hlo. BEFORE and AFTER are one module before and after layout
assignment; --spaces: before and after memory-space assignment.

Printed are, in percent: arrays whose order is the compiler's, and whose layout is; modules in which all are; how many
of the compiler's arrays were not compared; the same by the rule that gave the prediction; and the first wrong
instruction of each module. --extract writes the smallest module that shows the first wrong layout, with what the
compiler gave, for a bug report. Exit code 1 if some prediction is wrong, 2 if a pair cannot be read; the others of a
folder are compared.

Examples:
   hlolayout score --tpu v5e dumps.passes
   hlolayout score --tpu v5e --format json dumps.passes | jq .rules
   hlolayout score --tpu v7x --extract miss.hlo before.hlo after.hlo`,
		Flags: append(targetFlags(),
			&cli.BoolFlag{Name: "spaces", Usage: "BEFORE and AFTER are before and after " +
				"memory-space assignment"},
			&cli.StringFlag{Name: "extract", Usage: "write the smallest module that shows the first wrong layout to `FILE`"},
			topFlag(10, "list the first `N` rules and wrong instructions; 0: all"),
			oneOfFlag(&cli.StringFlag{Name: "format", Value: "text", Usage: "`FORMAT` of the output: text, json"}, "text",
				"json"),
		),
		Action: func(_ context.Context, c *cli.Command) error {
			ts, err := targetsOf(c)
			if err != nil {
				return err
			}
			pairs, foreign, err := pairsToScore(c)
			if err != nil {
				return err
			}
			return s.each([]input{{path: c.Args().First(), std: s.in}}, func(j *job) error {
				j.foreign = foreign
				return j.score(c, ts, pairs)
			})
		},
	}
}

// scored is one module before and after one of the compiler's passes.
type scored struct {
	before, after string
	spaces        bool
}

// pairsToScore finds the pairs that the arguments name, and the modules that are left out, for their final dumps are
// another platform's.
func pairsToScore(c *cli.Command) (out []scored, foreign []string, err error) {
	args := c.Args().Slice()
	if len(args) == 0 {
		return nil, nil, usage("score", "score takes a folder, or a module before and after a pass")
	}
	if len(args) == 2 && !isDirectory(args[0]) {
		return []scored{{args[0], args[1], c.Bool("spaces")}}, nil, nil
	}
	if len(args) == 1 && exists(args[0]) && !isDirectory(args[0]) {
		return nil, nil, usage("score", "%s is one module: score takes it before and after a pass, BEFORE AFTER, or a folder",
			report.Quoted(args[0]))
	}
	for _, dir := range args {
		paths, err := filesIn(dir)
		if err != nil {
			return nil, nil, err
		}
		found := namedPairs(paths)
		for _, m := range dumps.Group(paths) {
			pairs := dumpedPairs(m)
			if i := slices.IndexFunc(m.Stages, isForeign); i >= 0 && len(pairs) > 0 {
				foreign = append(foreign, hlo.Visible(m.Stages[i].Path))
				continue
			}
			found = append(found, pairs...)
		}
		if len(found) == 0 {
			return nil, nil, fmt.Errorf("%s: no module is there before and after layout assignment or memory-space assignment "+
				"(XLA dumps both with --xla_dump_hlo_pass_re=.*)", dir)
		}
		out = append(out, found...)
	}
	return out, foreign, nil
}

func isForeign(f dumps.File) bool { return stage.DumpedFor(f.Path) != "" }

// namedPairs finds pairs of files with the names that stages have: before.hlo with after.hlo, pre_msa.hlo with
// final.hlo.
func namedPairs(paths []string) (out []scored) {
	for _, p := range paths {
		dir, name := filepath.Split(p)
		for _, pair := range []scored{{"before.hlo", "after.hlo", false}, {"pre_msa.hlo", "final.hlo", true}} {
			if after := dir + pair.after; name == pair.before && slices.Contains(paths, after) {
				out = append(out, scored{p, after, pair.spaces})
			}
		}
	}
	return out
}

// dumpedPairs finds the pairs of one module of a dump: around layout assignment, and the last numbered dump with the
// final one.
func dumpedPairs(m *dumps.Module) (out []scored) {
	for _, p := range m.PassPairs("layout-assignment") {
		out = append(out, scored{p.Before.Path, p.After.Path, false})
	}
	if last, final := m.At("before_rename-tensor-core-fusion-ops"), m.At("after_optimizations"); last != nil &&
		final != nil {
		out = append(out, scored{last.Path, final.Path, true})
	}
	return out
}

// score scores pairs, prints that, and writes the module for --extract.
func (j *job) score(c *cli.Command, ts *targeting, pairs []scored) error {
	t, err := ts.of(input{path: pairs[0].before}, nil)
	if err != nil {
		return err
	}
	total := report.Score{Form: report.ThisForm, Rules: []report.RuleScore{}, Misses: []report.Miss{}}
	var failed []error
	for _, pair := range pairs {
		own, err := j.addPair(&total, ts, pair)
		switch {
		case err != nil:
			failed = append(failed, err)
		case t.source == "default" && t.doubt == "": // nothing named a generation before
			t = own
		}
	}
	total.TPU, total.TPUSource, total.LibTPU = t.Name, t.source, t.LibTPU
	worth := "predictions against what the compiler did"
	if t.doubt != "" {
		worth = "warning: " + t.doubt
	}
	j.note("%s: %s, for %s: %s", hlo.Visible(j.name()), plural(len(pairs), "pair", "pairs"), t.told(), worth)
	if len(failed) == len(pairs) {
		return errors.Join(failed...)
	}
	for _, err := range failed {
		j.log, j.failed = appendErrors(j.log, err), true
	}
	if path := c.String("extract"); path != "" {
		if err := j.extractMiss(&total, t, path); err != nil {
			return err
		}
	}
	j.differs = total.Wrong()
	if c.String("format") == "json" {
		return j.appendJSON(&total)
	}
	j.out = total.AppendText(j.out, c.Int("top"))
	return nil
}

// addPair adds what a pair scores, and returns its target.
func (j *job) addPair(total *report.Score, ts *targeting, pair scored) (own target, err error) {
	before, err := j.moduleAt(pair.before)
	if err != nil {
		return own, err
	}
	after, err := j.moduleAt(pair.after)
	if err != nil {
		return own, err
	}
	p := report.NewPredicted(before, pair.before)
	if err := mispaired(p, pair, before, after); err != nil {
		return own, err
	}
	own, err = ts.of(input{path: pair.before}, after)
	if err != nil {
		return own, err
	}
	decided, err := predict(before, own)
	if err != nil {
		return own, fmt.Errorf("%s: %w", pair.before, err)
	}
	if pair.spaces {
		total.AddSpaces(p, before, after)
		return own, nil
	}
	p.Decided(decided)
	total.AddLayouts(p, before, after)
	return own, nil
}

// mispaired returns why a pair is not one module before and after a pass, nil where it may be.
func mispaired(p *report.Predicted, pair scored, before, after *hlo.Module) error {
	if platform, why := stage.Platform(after); platform != "" && stage.Of(after) == stage.Foreign {
		return fmt.Errorf("%s: it was compiled for %s: %s; score takes a module of the TPU's compiler", pair.after,
			platform, why)
	}
	if pair.spaces && report.HasSpaces(before) && !report.HasSpaces(after) {
		return fmt.Errorf("%s: this module has no memory spaces, and %s has: score --spaces takes the module before "+
			"memory-space assignment first, then the one after it", pair.after, pair.before)
	}
	if at := stage.Of(after); !pair.spaces && at.BeforeLayout() {
		return fmt.Errorf("%s: this %s module has no layouts of the compiler: score takes the module before layout "+
			"assignment first, then the one after it", pair.after, at)
	}
	switch named, same := p.Shared(after); {
	case named == 0:
		return fmt.Errorf("%s: it has no instruction of %s, by computation and name: the two are not one module before "+
			"and after a pass", pair.after, pair.before)
	case 2*same < named: // the passes between them change no shapes
		return fmt.Errorf("%s: of %s that have a name in %s, too, %d have the shape that they have there: the two are "+
			"not one module before and after a pass", pair.after, plural(named, "instruction", "instructions"),
			pair.before, same)
	}
	return nil
}

// moduleAt reads the one module of a file.
func (j *job) moduleAt(path string) (*hlo.Module, error) {
	one := &job{input: input{path: path, std: j.std}, settings: j.settings}
	text, _, err := one.input.read()
	if err != nil {
		return nil, err
	}
	return one.only(text)
}

// predict runs the passes that a module is due for, and returns the plan of layout assignment, an empty one where that
// is not due.
func predict(m *hlo.Module, t target) (*plan.Plan, error) {
	result, err := passes.Run(m, t.Target, []string{passes.Auto}, passes.Options{}, passes.Observer{})
	if err != nil {
		return nil, err
	}
	for _, ran := range result.Passes {
		if ran.Pass.Name == "layout" {
			return ran.Plan, nil
		}
	}
	return &plan.Plan{}, nil
}

// extractMiss writes the smallest cut-out of the first module with a wrong layout in which the prediction is as wrong.
func (j *job) extractMiss(total *report.Score, t target, path string) error {
	for _, miss := range total.Misses {
		if miss.Rule == "" || miss.Predicted == "" {
			continue
		}
		name := valueName().FindStringSubmatch(miss.Value)
		for _, radius := range []int{0, 1, 2, 3, 4, 6, 8, 12, 16, -1} {
			cut, err := j.cut(miss.File, miss.Computation+"/"+name[1], radius)
			if err != nil {
				return err
			}
			text := printer.Print(cut)
			if _, err := predict(cut, t); err != nil {
				continue // of a part that is not a module
			}
			in, _ := cut.Find(name[1])
			if part := in.Shape.At(indexOf(name[2])); part == nil || part.String() != miss.Predicted {
				continue
			}
			note := fmt.Sprintf("// %s in %%%s of %s: predicted %s [%s], the compiler has %s\n", miss.Value, miss.Computation,
				miss.Module,
				miss.Predicted, miss.Rule, miss.Compiler)
			return writeFile(path, []byte(note+text), plain)
		}
	}
	j.note("no wrong layout: %s is not written", path)
	return nil
}

// cut reads a module and cuts out what is around a value.
func (j *job) cut(file, value string, radius int) (*hlo.Module, error) {
	m, err := j.moduleAt(file)
	if err != nil {
		return nil, err
	}
	return extract.Around(m, value, radius)
}
