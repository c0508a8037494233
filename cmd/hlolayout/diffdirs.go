package main

import (
	"fmt"
	"path/filepath"
	"regexp"
	"strings"

	"hlolayout/printer/report"
)

// directories compares the modules of two directories, paired by module name and by what the name of the file says besides
// numbers: module_0001.jit_f.after_optimizations.txt belongs to module_0042.jit_f.after_optimizations.txt.
func (d *comparer) directories(old, new string) error {
	olds, err := d.modules(old)
	if err != nil {
		return err
	}
	news, err := d.modules(new)
	if err != nil {
		return err
	}
	code := exitSame
	list := []*report.DiffJSON{}
	only := func(dir string, f dumped) {
		code = max(code, exitDiffers)
		if d.format != "json" {
			fmt.Fprintf(d.out, "only in %s: %s (module %s)\n", dir, f.path, f.module)
		} else {
			list = append(list, report.OnlyJSON(f.pathIf(dir == old), f.pathIf(dir == new)))
		}
	}
	partner := pairFiles(olds, news)
	paired := map[int]bool{}
	for _, k := range partner {
		paired[k] = true
	}
	for k, f := range olds {
		if !paired[k] {
			only(old, f)
		}
	}
	for i, f := range news {
		k := partner[i]
		if k < 0 {
			only(new, f)
			continue
		}
		p := d.compare(input{path: olds[k].path}, input{path: f.path})
		d.err.Write(p.log)
		switch {
		case p.failed:
			code = exitTrouble
			continue
		case p.differs:
			code = max(code, exitDiffers)
		}
		if d.format == "json" {
			list = append(list, p.json)
			continue
		}
		if _, err := d.out.Write(p.text); err != nil {
			return fmt.Errorf("standard output: %v", reason(err))
		}
	}
	if d.format == "json" {
		if err := writeJSON(d.out, list); err != nil {
			return fmt.Errorf("standard output: %v", reason(err))
		}
	}
	if code != exitSame {
		return exitCode(code)
	}
	return nil
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

var digits = regexp.MustCompile(`[0-9]+`)

// modules returns the files of a directory that begin with a module; dumps lie beside others with the same extensions.
func (d *comparer) modules(dir string) ([]dumped, error) {
	paths, err := search(dir)
	if err != nil {
		return nil, err
	}
	var out []dumped
	for _, p := range paths {
		text, _, err := input{path: p}.read()
		if err != nil {
			return nil, err
		}
		if name := moduleName(text); name != "" {
			base := strings.TrimSuffix(strings.TrimSuffix(strings.TrimSuffix(filepath.Base(p), ".gz"), ".txt"), ".hlo")
			stage := digits.ReplaceAllString(strings.ReplaceAll(base, name, ""), "")
			out = append(out, dumped{p, name, strings.Trim(stage, "._-")})
		}
	}
	return out, nil
}

// moduleName returns the name behind the first HloModule of a text, which only comments may precede; "" for other texts.
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

// pairFiles returns, for each new file, its partner among the old ones, -1 for none: the same module and stage in the order of
// the names, then modules that are left over once on each side.
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
