package main

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"hlolayout/hlo"
	"hlolayout/parser/dumps"
	"hlolayout/printer/diff"
	"hlolayout/printer/report"

	"github.com/urfave/cli/v3"
)

func dumpCommand(s streams) *cli.Command {
	return &cli.Command{
		Usage:     "find one's way in a folder of --xla_dump_to",
		UsageText: "hlolayout dump [flags] DIR",
		Description: `Lists the modules of a dump folder and the dumps of each (before_optimizations, the numbered ones
between passes, after_optimizations) that differ from the one before: instructions, bytes of all arrays with padding,
and the copies and transposes that move data. XLA dumps between passes with --xla_dump_hlo_pass_re=.* and behind a pass
only if it changed the module.

--pass NAME finds the module before and after a pass; NAME is a pass, PIPELINE.PASS, or the number of a step. --print
says what to print: diff (as the command diff does), files (the two paths), before, after (that module's text).
--value %NAME follows one value's shape and layout through all dumps, forwards and backwards: by name, by what it
computes, then by what its users read in its place; each step that is not by name says so, and where that fails, the
line ends. Two folders are compared with the command diff.

Keys of --format json: with --value schema_version, version, module, value, dumps, points (stage, until, file, value,
computation, opcode, shape, fused, notes); without it a list of modules (module, function, prefix, files, stages: file,
stage, step, pipeline, after, before, changed, instructions, padded_bytes, relayouts, relayout_bytes).

Examples:
   hlolayout dump dumps.v5e                                            the modules, and what changed them
   hlolayout dump dumps.v5e --module jit_attend --pass layout-assignment
   hlolayout dump dumps.v5e --pass 31 --print files
   hlolayout dump dumps.v5e --module jit_attend --value %transpose.5
   hlolayout diff dumps.v5e dumps.v7x                                  two folders, function by function`,
		Flags: []cli.Flag{
			&cli.StringFlag{Name: "module", Usage: "only modules of this function (jit_f) or `NUMBER`"},
			&cli.StringFlag{Name: "pass", Usage: "what the pass `NAME` changed"},
			oneOfFlag(&cli.StringFlag{Name: "print", Value: "diff", Usage: "with --pass, print `WHAT`: diff, files, " +
				"before, after"}, "diff", "files", "before", "after"),
			&cli.StringFlag{Name: "value", Usage: "the shapes and layouts of the value `%NAME` (or %NAME{0}) from " +
				"dump to dump"},
			&cli.BoolFlag{Name: "all", Usage: "list also the dumps that are the same as " +
				"the one before"},
			oneOfFlag(&cli.StringFlag{Name: "format", Value: "text", Usage: "`FORMAT` of the output: text, json"},
				"text", "json"),
			topFlag(40, "list at most `N` groups in each section of a diff; 0: all"),
		},
		Action: func(_ context.Context, c *cli.Command) error { return dump(c, s) },
	}
}

func dump(c *cli.Command, s streams) error {
	if c.NArg() != 1 {
		return usage("dump", "dump takes one directory, found %d", c.NArg())
	}
	if err := alone(c, "pass", "value"); err != nil {
		return err
	}
	if c.IsSet("pass") && c.String("format") == "json" {
		return usage("dump", "--pass prints text: for JSON give its two files to diff --format=json")
	}
	dir := c.Args().First()
	modules, err := modulesOf(dir)
	if err != nil {
		return err
	}
	if len(modules) == 0 {
		return fmt.Errorf("%s: no file is named as --xla_dump_to does, such as "+
			"module_0001.jit_f.before_optimizations.txt", dir)
	}
	chosen := modules
	if want := c.String("module"); want != "" {
		chosen = slices.DeleteFunc(slices.Clone(modules), func(m *dumps.Module) bool { return !m.Is(want) })
		if len(chosen) == 0 {
			var names []string
			for _, m := range modules {
				names = append(names, m.Function)
			}
			return fmt.Errorf("%s: no module %s: %s", dir, want,
				didYouMean(want, slices.Compact(slices.Sorted(slices.Values(names)))))
		}
	}
	d := dumper{s, c}
	switch {
	case c.IsSet("pass"):
		return d.pass(chosen, c.String("pass"))
	case c.IsSet("value"):
		return d.value(chosen, c.String("value"))
	}
	return d.list(chosen)
}

// modulesOf returns the modules of a dump folder and of the folders in it.
func modulesOf(dir string) ([]*dumps.Module, error) {
	paths, err := filesIn(dir)
	return dumps.Group(paths), err
}

// dumper answers one question about a dump folder.
type dumper struct {
	streams
	c *cli.Command
}

// write runs f as a job and writes what it leaves.
func (d dumper) write(f func(j *job) error) error {
	return d.each([]input{{path: d.c.Args().First()}}, f)
}

// stages returns the dumps of a module in the form in which a timeline reads them.
func stages(m *dumps.Module) []report.Stage {
	var out []report.Stage
	for i := range m.Stages {
		f := &m.Stages[i]
		j := &job{input: input{path: f.Path}}
		out = append(out, report.Stage{Title: f.Title(), File: f.Path,
			Read: func() (string, error) {
				text, _, err := j.input.read()
				return text, err
			},
			Parse: func(text string) (*hlo.Module, error) { return j.only(text) },
		})
	}
	return out
}

// only parses a text that is read already, which holds one module.
func (j *job) only(text string) (*hlo.Module, error) {
	j.text = text
	defer func() { j.text = "" }()
	ms, err := j.parse(false)
	if err != nil {
		return nil, err
	}
	if len(ms) != 1 {
		return nil, j.errorf("the file holds %d modules, not one", len(ms))
	}
	return ms[0], nil
}

func (d dumper) value(modules []*dumps.Module, name string) error {
	parts := valueName().FindStringSubmatch(name)
	if parts == nil {
		return usage("dump", "%q is not a value: write %%name, %%name{0} or %%computation/%%name", name)
	}
	return d.write(func(j *job) error {
		found := false
		for _, m := range modules {
			t, err := report.NewTimeline(m.Name(), parts[1], indexOf(parts[2]), stages(m))
			if err != nil {
				return err
			}
			if t == nil {
				continue
			}
			for _, err := range t.Skipped {
				j.log = appendErrors(j.log, err)
			}
			j.noteOthers(t.Named)
			found = true
			if d.c.String("format") == "json" {
				if err := j.appendJSON(t.JSON()); err != nil {
					return err
				}
			} else {
				j.out = t.AppendText(j.out)
			}
		}
		if !found {
			near := nearestIn(modules, parts[1])
			if near != "" {
				near = ": did you mean %" + near + "?"
			}
			return j.errorf("no dump has a value %%%s%s", parts[1], near)
		}
		return nil
	})
}

// nearestIn returns the value of a dump that may be meant by a name which none has; "" for none. It looks into the last
// dump of each module, which has the names of messages and profiles, and into the first, which has the program's.
func nearestIn(modules []*dumps.Module, name string) string {
	for _, m := range modules {
		all := stages(m)
		for _, stage := range []report.Stage{all[len(all)-1], all[0]} {
			text, err := stage.Read()
			if err != nil {
				continue
			}
			if m, err := stage.Parse(text); err == nil {
				if _, near := m.Find(name); near != "" {
					return near
				}
			}
		}
	}
	return ""
}

// indexOf reads the numbers of a part of a tuple, such as 1,0.
func indexOf(text string) (index hlo.Index) {
	for _, n := range strings.FieldsFunc(text, func(r rune) bool { return r == ',' }) {
		k, _ := strconv.Atoi(n)
		index = append(index, k)
	}
	return index
}

func (d dumper) pass(modules []*dumps.Module, pass string) error {
	type found struct {
		*dumps.Module
		dumps.Pair
	}
	var pairs []found
	var known []string
	mentioned := false
	for _, m := range modules {
		for _, p := range m.PassPairs(pass) {
			pairs = append(pairs, found{m, p})
		}
		mentioned = mentioned || m.Mentions(pass)
		for _, p := range m.Passes() {
			known = append(known, p.After.After)
		}
	}
	what := d.c.String("print")
	switch {
	case len(pairs) == 0 && mentioned:
		return fmt.Errorf("%s: pass %s changed nothing, or is the last that was dumped: no dump follows",
			d.c.Args().First(), pass)
	case len(pairs) == 0:
		slices.Sort(known)
		return fmt.Errorf("%s: no dump after a pass %s: %s", d.c.Args().First(), pass,
			didYouMean(pass, slices.Compact(known)))
	case len(pairs) > 1 && (what == "before" || what == "after"):
		var steps []string
		for _, p := range pairs {
			steps = append(steps, fmt.Sprintf("%s --pass %d", p.Name(), p.After.Step))
		}
		return usage("dump", "--print %s takes one run of a pass, there are %d: %s", what, len(pairs),
			strings.Join(steps, ", "))
	}
	return d.write(func(j *job) error {
		for _, p := range pairs {
			if err := d.around(j, p.Module, p.Pair, what); err != nil {
				return err
			}
		}
		return nil
	})
}

// around appends what is asked for of the modules before and after one run of a pass.
func (d dumper) around(j *job, m *dumps.Module, p dumps.Pair, what string) error {
	switch what {
	case "files":
		j.out = fmt.Appendf(j.out, "%s %s\n", p.Before.Path, p.After.Path)
		return nil
	case "before", "after":
		text, _, err := input{path: map[string]string{"before": p.Before.Path, "after": p.After.Path}[what]}.read()
		j.out = append(j.out, text...)
		return err
	}
	c := comparer{streams: d.streams, sinks: &sinks{list: []*sink{{format: "text", path: "-", own: true}}},
		ignore: diff.DefaultIgnore, options: report.Options{Top: d.c.Int("top"), Color: colored(d.c, d.out)}}
	x, err := c.pair(input{path: p.Before.Path}, input{path: p.After.Path}, nil)
	if err != nil {
		return err
	}
	j.log = append(j.log, x.log...)
	if x.failed {
		return exitCode(exitTrouble)
	}
	j.out = fmt.Appendf(j.out, "%s: %s\n", m.Name(), p.After.Title())
	if !x.differs {
		j.out = append(j.out, "no difference but in names, numbers and metadata\n"...)
	}
	j.out = append(j.out, x.text...)
	return nil
}
