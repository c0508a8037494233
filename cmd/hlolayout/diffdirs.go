package main

import (
	"fmt"
	"path/filepath"
	"regexp"
	"strings"
	"sync"

	"hlolayout/hlo"
	"hlolayout/printer/report"
)

// directories compares the modules of two directories. Two folders of --xla_dump_to are compared function by function;
// else modules are paired by name and by what the name of the file says besides numbers: module_0001.jit_f.after.txt
// belongs to module_0042.jit_f.after.txt.
func (d *comparer) directories(old, new string) error {
	if d.stage != "all" {
		a, err := modulesOf(old)
		if err != nil {
			return err
		}
		b, err := modulesOf(new)
		if err != nil {
			return err
		}
		if len(a) > 0 && len(b) > 0 {
			return d.dumpFolders(old, new, a, b)
		}
	}
	olds, err := d.modules(old)
	if err != nil {
		return err
	}
	news, err := d.modules(new)
	if err != nil {
		return err
	}
	partner := pairFiles(olds, news)
	namedOf := func(list []dumped) (out []named) {
		for _, f := range list {
			out = append(out, named{f.module, f.path})
		}
		return out
	}
	if err := d.renamed(namedOf(olds), namedOf(news), partner); err != nil {
		return err
	}
	paired := map[int]bool{}
	for _, k := range partner {
		paired[k] = true
	}
	for k, f := range olds {
		if paired[k] {
			continue
		}
		if err := d.only(old, f, true); err != nil {
			return err
		}
	}
	d.bar().start(len(news))
	defer d.bar().clear()
	for i, f := range news {
		k := partner[i]
		if k < 0 {
			err = d.only(new, f, false)
		} else {
			err = d.compare(input{path: olds[k].path}, input{path: f.path}, nil)
		}
		if err != nil {
			return err
		}
		d.bar().done()
	}
	return nil
}

// only tells that one directory alone has a module.
func (d *comparer) only(dir string, f dumped, isOld bool) error {
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

// dumped is one file of a directory that holds a module.
type dumped struct {
	path, module string
	stage        string // the file's name without numbers
}

func (f dumped) pathIf(yes bool) string {
	if yes {
		return f.path
	}
	return ""
}

var digits = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`[0-9]+`) })

// modules returns the files of a directory that begin with a module; a folder of dumps has other files with the same
// extensions.
func (d *comparer) modules(dir string) ([]dumped, error) {
	found, err := (&finder{stage: allStages}).search(dir)
	if err != nil {
		return nil, err
	}
	var out []dumped
	for _, in := range found {
		p := in.path
		text, _, err := in.read()
		if err != nil {
			return nil, err
		}
		if name := moduleName(text); name != "" {
			base := strings.TrimSuffix(strings.TrimSuffix(strings.TrimSuffix(filepath.Base(p), ".gz"), ".txt"), ".hlo")
			stage := digits().ReplaceAllString(strings.ReplaceAll(base, name, ""), "")
			out = append(out, dumped{p, name, strings.Trim(stage, "._-")})
		}
	}
	return out, nil
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

// pairFiles returns, for each new file, its partner among the old ones, -1 for none: the same module and stage in the
// order of the names, then modules that are left over once on each side.
func pairFiles(olds, news []dumped) []int {
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
