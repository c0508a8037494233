package main

import (
	"cmp"
	"fmt"
	"io/fs"
	"maps"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"hlolayout/hlo"
	"hlolayout/parser/dumps"
	"hlolayout/printer/report"

	"github.com/urfave/cli/v3"
)

// allStages stands for every dump of a module where a stage is asked for.
const allStages = "all"

// stageFlag is the flag of a command that takes one text of each module in a dump folder; byDefault is a word of
// dumps.Module.At.
func stageFlag(byDefault, says string) cli.Flag {
	return &cli.StringFlag{Name: "stage", Value: byDefault, DefaultText: says, Usage: "of a folder of --xla_dump_to, " +
		"take each module at `STAGE`: final, " +
		"before_optimizations, after_optimizations, PASS or before_PASS such as before_layout-assignment, a step's " +
		"number, or all"}
}

// folderFlags are the flags of a command that takes one text of each module in a dump folder.
func folderFlags() []cli.Flag { return []cli.Flag{stageFlag("final", "final"), moduleFlag()} }

// entryFlags are folderFlags for a command that runs layout assignment.
func entryFlags() []cli.Flag {
	return []cli.Flag{stageFlag(dumps.LayoutEntry, "before_layout-assignment, or before_optimizations where passes "+
		"were not dumped"), moduleFlag()}
}

func moduleFlag() cli.Flag {
	return &cli.StringFlag{Name: "module", Usage: "only modules of this name (jit_f) or `NUMBER`: in a folder of " +
		"--xla_dump_to that of the dump's name, in a file of several modules the place, from 0 on"}
}

// finder finds the texts that arguments name.
type finder struct {
	stage, module string // what is asked for of a dump folder; "" is final, and every module
	modules       bool   // the command has --module
	goldens       bool   // leave out the goldens that check writes
	notes         []error
}

// finderOf reads --stage and --module.
func finderOf(c *cli.Command) *finder {
	return &finder{stage: c.String("stage"), module: c.String("module"), goldens: c.Name == "check",
		modules: findFlag(c.Flags, "module") != nil}
}

// oneInput returns the text that an argument names of a command that takes one module: a file, or of a dump folder the
// module and the stage that flags choose.
func (s streams) oneInput(c *cli.Command, arg string) ([]input, error) {
	f := finderOf(c)
	found, err := f.expand(arg)
	if err == nil {
		err = f.used(c, found)
	}
	switch {
	case err != nil:
		return nil, err
	case len(found) > 1 && found[0].module != nil:
		return nil, usage(c.Name, "%s holds %d texts: name one of its files, or choose a module of a dump with "+
			"--module NUMBER or NAME (hlolayout dump %s lists them)", arg, len(found), report.Quoted(arg))
	case len(found) > 1:
		return nil, usage(c.Name, "%s holds %d texts: name one of its files: %s", arg, len(found), severalPaths(found))
	}
	found[0].std = s.in
	return found, nil
}

// severalPaths lists the paths of inputs, at most some of them.
func severalPaths(found []input) string {
	names := make([]string, len(found))
	for i, in := range found {
		names[i] = in.path
	}
	return several(names, 8)
}

// used refuses the flag for dump folders where no argument is one.
func (f *finder) used(c *cli.Command, found []input) error {
	if c.IsSet("stage") && !slices.ContainsFunc(found, func(in input) bool { return in.module != nil }) {
		return usage(c.Name, "--stage is for folders of --xla_dump_to: no argument is one")
	}
	return nil
}

// text returns a single text.
func (f *finder) text(path string) input {
	return input{path: path, wanted: f.module, choosable: f.modules}
}

// nothing says that a directory has no text.
type nothing string

func (n nothing) Error() string {
	return fmt.Sprintf("%s: no file with a name in *%s", string(n), strings.Join(extensions, ", *"))
}

// expand returns the texts that one argument names. What is not a file, directory or pattern is returned as it is:
// opening it then says what is wrong. The error is nothing for a directory without any.
func (f *finder) expand(arg string) ([]input, error) {
	if arg == "-" {
		return []input{f.text(arg)}, nil
	}
	if isDirectory(arg) {
		return f.search(arg)
	}
	if !strings.ContainsAny(arg, "*?[") || exists(arg) {
		return []input{f.text(arg)}, nil
	}
	matches, err := glob(arg)
	if err != nil {
		return nil, fmt.Errorf("pattern %q: %v", arg, err)
	}
	if len(matches) == 0 {
		return nil, fmt.Errorf("pattern %q matches no file", arg)
	}
	var out []input
	for _, m := range matches {
		if !isDirectory(m) {
			out = append(out, f.text(m))
			continue
		}
		files, err := f.search(m)
		if err != nil {
			return nil, err
		}
		out = append(out, files...)
	}
	return out, nil
}

// search returns the texts in a directory and below it.
func (f *finder) search(dir string) ([]input, error) {
	paths, err := filesIn(dir)
	if err != nil {
		return nil, err
	}
	return f.choose(dir, paths)
}

// filesIn returns the paths of all files in a directory and below it, or in an archive or a folder of one, in lexical
// order. Hidden directories below it, such as .git and .cache, are left out.
func filesIn(dir string) (paths []string, err error) {
	if a := archiveAt(dir); a != nil {
		return a.paths, a.err
	}
	if paths = membersBelow(dir); len(paths) > 0 {
		return paths, nil
	}
	err = filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err == nil && d.IsDir() && path != dir && isHidden(path) {
			return filepath.SkipDir
		}
		if err == nil && !d.IsDir() {
			paths = append(paths, path)
		}
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("%s: %v", dir, reason(err))
	}
	return paths, nil
}

// isHidden reports whether the last name of a path begins with a dot.
func isHidden(path string) bool { return strings.HasPrefix(filepath.Base(path), ".") }

// choose returns the texts to work on among the paths of all files of a folder, which need not be on a disk: each
// module of a dump at the stage that is asked for, and the files that are none of a dump.
func (f *finder) choose(dir string, paths []string) ([]input, error) {
	wanted := map[*dumps.Module]bool{}
	var names []string
	entries, lacking := dumps.Folder(paths, func(m *dumps.Module) []*dumps.File {
		names = append(names, m.Function)
		if wanted[m] = f.module == "" || m.Is(f.module); !wanted[m] {
			return nil
		}
		return stagesAt(m, cmp.Or(f.stage, "final"))
	})
	var out []input
	twins := map[[2]string]int{}
	numbered := map[*dumps.Module]int{}
	for _, e := range entries {
		own := hasExtension(e.Path) && f.module == "" && !(f.goldens && strings.Contains(e.Path, ".golden.hlo"))
		if e.Module != nil || own {
			in := input{path: e.Path, folder: dir, named: f.module != "", module: e.Module, stage: e.Stage}
			if m := e.Module; m != nil {
				if _, seen := numbered[m]; !seen {
					k := [2]string{filepath.Dir(e.Path), m.Function}
					numbered[m] = twins[k]
					twins[k]++
				}
				in.twin = numbered[m]
			}
			out = append(out, in)
		}
	}
	lacking = slices.DeleteFunc(lacking, func(m *dumps.Module) bool { return !wanted[m] })
	switch {
	case len(out) > 0:
		for _, m := range lacking {
			f.notes = append(f.notes, fmt.Errorf("%s: note: %s has no dump %s and is left out", dir, m.Name(), f.stage))
		}
		return out, nil
	case len(lacking) > 0:
		return nil, fmt.Errorf("%s: no module has a dump %s: %s", dir, f.stage, stageHint(lacking, f.stage))
	case len(names) > 0:
		return nil, fmt.Errorf("%s: no module %s: %s", dir, f.module,
			didYouMean(f.module, slices.Compact(slices.Sorted(slices.Values(names)))))
	}
	if f.module != "" {
		return nil, fmt.Errorf("%s: no module %s: no file has a name that --xla_dump_to gives", dir, f.module)
	}
	return nil, nothing(dir)
}

// stagesAt returns the dumps that --stage names.
func stagesAt(m *dumps.Module, stage string) (out []*dumps.File) {
	if stage != allStages {
		if f := m.At(stage); f != nil {
			out = append(out, f)
		}
		return out
	}
	for i := range m.Stages {
		out = append(out, &m.Stages[i])
	}
	return out
}

// elsewhere says which other dump of a module has a value, the last one, and the commands to see it; "" for none.
func (j *job) elsewhere(c *cli.Command, value string) string {
	if j.module == nil {
		return ""
	}
	for i := len(j.module.Stages) - 1; i >= 0; i-- {
		f := &j.module.Stages[i]
		other := &job{input: input{path: f.Path}}
		text, _, err := other.input.read()
		if err != nil || !strings.Contains(text, value) {
			continue
		}
		m, err := other.only(text)
		if err != nil {
			continue
		}
		if in, _ := m.Find(value); in == nil {
			continue
		}
		stage := f.Stage
		if f.Step >= 0 {
			stage = strconv.Itoa(f.Step)
		}
		of := fmt.Sprintf("--module %d %s", j.module.Number, report.Quoted(j.folder))
		return fmt.Sprintf("; dump %s has it: hlolayout %s --stage %s %s '%%%s', or hlolayout dump --value '%%%[5]s' "+
			"%[4]s for all dumps", f.Title(), c.Name, stage, of, value)
	}
	return ""
}

// stageHint says which stages modules have, for one that is not there: the nearest name, or all except passes.
func stageHint(modules []*dumps.Module, stage string) string {
	names, passes := map[string]bool{"final": true, allStages: true}, map[string]bool{}
	for _, m := range modules {
		for i := range m.Stages {
			f := &m.Stages[i]
			if f.Step < 0 {
				names[f.Stage] = true
			}
			for _, p := range []string{f.After, f.Before} {
				if p != "" && p != dumps.PipelineStart && p != dumps.PipelineEnd {
					passes[p] = true
				}
			}
		}
	}
	known := slices.Sorted(maps.Keys(names))
	if near := hlo.Nearest(stage, known); near != "" || len(passes) == 0 {
		return didYouMean(stage, known)
	}
	pass := strings.TrimPrefix(strings.TrimPrefix(stage, "before_"), "after_")
	if near := hlo.Nearest(pass, slices.Sorted(maps.Keys(passes))); near != "" {
		return fmt.Sprintf("did you mean %s?", strings.TrimSuffix(stage, pass)+near)
	}
	return fmt.Sprintf("known are %s, and PASS and before_PASS for %d passes (hlolayout dump lists those that "+
		"changed something)", strings.Join(known, ", "), len(passes))
}
