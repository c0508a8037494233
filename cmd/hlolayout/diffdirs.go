package main

import (
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"

	"hlolayout/hlo"
	"hlolayout/parser/dumps"
	"hlolayout/printer/report"
)

// directories compares the modules of two directories. Where both hold folders of --xla_dump_to, the functions in these
// are compared; the other files are paired by the module's name and by what the name of the file says besides numbers:
// module_0001.jit_f.after.txt belongs to module_0042.jit_f.after.txt.
func (d *comparer) directories(old, new string) error {
	olds, news, err := d.sides(old, new)
	if err != nil {
		return err
	}
	partner := pairUnits(olds, news)
	if err := d.renamed(olds, news, partner); err != nil {
		return err
	}
	for k, f := range olds {
		if !slices.Contains(partner, k) {
			if err := d.only(old, f, true); err != nil {
				return err
			}
		}
	}
	d.bar().start(len(news))
	defer d.bar().clear()
	for i, f := range news {
		if k := partner[i]; k < 0 {
			err = d.only(new, f, false)
		} else {
			err = d.units(olds[k], f)
		}
		if err != nil {
			return err
		}
		d.bar().done()
	}
	return nil
}

// sides returns what to compare of two directories. A module of a dump is one unit where both have dumps, unless all
// stages are asked for.
func (d *comparer) sides(old, new string) (olds, news []unit, err error) {
	a, err := modulesOf(old)
	if err != nil {
		return nil, nil, err
	}
	b, err := modulesOf(new)
	if err != nil {
		return nil, nil, err
	}
	if d.staged && d.stage != allStages && (len(a) == 0 || len(b) == 0) {
		without := old
		if len(a) > 0 {
			without = new
		}
		return nil, nil, usage("diff", "--stage is for folders of --xla_dump_to: %s is not one", report.Quoted(without))
	}
	if d.stage == allStages || len(a) == 0 || len(b) == 0 {
		a, b = nil, nil
	}
	if olds, err = unitsIn(old, a); err != nil {
		return nil, nil, err
	}
	news, err = unitsIn(new, b)
	return olds, news, err
}

// only tells that one directory alone has a module.
func (d *comparer) only(dir string, f unit, isOld bool) error {
	if !d.sinks.exitZero {
		d.code = max(d.code, exitDiffers)
	}
	old, new := f.pathIf(isOld), f.pathIf(!isOld)
	if d.wantsJSON() {
		d.json = append(d.json, report.OnlyJSON(old, new))
	}
	return d.print(d.sinks.add(report.OnlyCase(old, new, f.module), func(format string) []byte {
		if format == "json" {
			return nil
		}
		return fmt.Appendf(nil, "only in %s: %s (module %s)\n", hlo.Visible(dir), hlo.Visible(f.path),
			hlo.Visible(f.module))
	}))
}

// unit is what is compared as one: a file of a directory that holds a module, or all files of a module in a dump.
type unit struct {
	path, module string        // of a dump, the last stage's
	stage        string        // the file's name without numbers
	dump         *dumps.Module // nil for a file
}

// is reports whether a person's word names the unit.
func (f unit) is(word string) bool {
	return f.module == word || f.path == word || filepath.Base(f.path) == word
}

func (f unit) pathIf(yes bool) string {
	if yes {
		return f.path
	}
	return ""
}

var digits = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`[0-9]+`) })

// unitsIn returns the modules of dumps that are to be units, and after them the other files of a directory that hold a
// module; a folder of dumps has other files with the same extensions. Without dumps each stage is a file.
func unitsIn(dir string, modules []*dumps.Module) (out []unit, err error) {
	for _, m := range modules {
		out = append(out, unit{path: m.Final().Path, module: m.Function, dump: m})
	}
	found, err := (&finder{stage: allStages}).search(dir)
	if err != nil {
		return nil, err
	}
	for _, in := range found {
		if in.module != nil && len(modules) > 0 {
			continue
		}
		text, _, err := in.read()
		if err != nil {
			return nil, err
		}
		if name := in.firstModule(text); name != "" {
			base := filepath.Base(in.path)
			base = strings.TrimSuffix(strings.TrimSuffix(strings.TrimSuffix(base, ".gz"), ".txt"), ".hlo")
			stage := digits().ReplaceAllString(strings.ReplaceAll(base, name, ""), "")
			out = append(out, unit{path: in.path, module: name, stage: strings.Trim(stage, "._-")})
		}
	}
	return out, nil
}

// firstModule returns the name of the first module of a text; "" for a text without any.
func (in input) firstModule(text string) string {
	if name := moduleName(text); name != "" {
		return name // without reading all of it
	}
	j := &job{input: in, settings: &settings{q: true}, text: text, partial: true}
	ms, err := j.parse(false)
	if err != nil || len(ms) == 0 {
		return ""
	}
	return ms[0].Name
}

// moduleName returns the name after the first HloModule of a text, which only comments may precede; "" for other texts.
func moduleName(text string) string {
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if rest, ok := strings.CutPrefix(line, "HloModule "); ok {
			return strings.TrimRight(strings.Fields(rest + " ")[0], ",")
		}
		if line != "" && !strings.HasPrefix(line, "//") {
			break
		}
	}
	return ""
}

// pairUnits returns, for each new unit, its partner among the old ones, -1 for none. Dumps, which come first, have
// dumps as partners, and files have files.
func pairUnits(olds, news []unit) []int {
	isFile := func(f unit) bool { return f.dump == nil }
	files := [2]int{} // where they begin
	var modules [2][]*dumps.Module
	for side, list := range [][]unit{olds, news} {
		if files[side] = slices.IndexFunc(list, isFile); files[side] < 0 {
			files[side] = len(list)
		}
		for _, f := range list[:files[side]] {
			modules[side] = append(modules[side], f.dump)
		}
	}
	var out []int
	partner := pairModules(modules[0], modules[1])
	for _, n := range modules[1] {
		out = append(out, slices.Index(modules[0], partner[n]))
	}
	for _, k := range pairFiles(olds[files[0]:], news[files[1]:]) {
		if k >= 0 {
			k += files[0]
		}
		out = append(out, k)
	}
	return out
}

// pairFiles returns, for each new file, its partner among the old ones, -1 for none: the same module and stage in the
// order of the names, then modules that are left over once on each side.
func pairFiles(olds, news []unit) []int {
	out := make([]int, len(news))
	used := make([]bool, len(olds))
	type key struct{ module, stage string }
	byKey := map[key][]int{}
	for k, f := range olds {
		byKey[key{f.module, f.stage}] = append(byKey[key{f.module, f.stage}], k)
	}
	for i, f := range news {
		out[i] = -1
		if list := byKey[key{f.module, f.stage}]; len(list) > 0 {
			out[i], used[list[0]] = list[0], true
			byKey[key{f.module, f.stage}] = list[1:]
		}
	}
	left := map[string][2][]int{}
	for k, f := range olds {
		if !used[k] {
			l := left[f.module]
			l[0] = append(l[0], k)
			left[f.module] = l
		}
	}
	for i, f := range news {
		if out[i] < 0 {
			l := left[f.module]
			l[1] = append(l[1], i)
			left[f.module] = l
		}
	}
	for _, l := range left {
		if len(l[0]) == 1 && len(l[1]) == 1 {
			out[l[1][0]] = l[0][0]
		}
	}
	return out
}
