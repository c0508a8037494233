package main

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"hlolayout/hlo"
	"hlolayout/parser/dumps"
	"hlolayout/printer/diff"
)

// inFolder returns the module of a folder that a text is to be compared with: the only one, the file of the text's
// name, or that of a dump with the text's module.
func (d *comparer) inFolder(dir, text string) (input, error) {
	found, err := (&finder{stage: d.stage}).search(dir)
	if err != nil || len(found) == 1 {
		return append(found, input{})[0], err
	}
	name := nameOf(input{path: text})
	for _, other := range []func(in input) bool{
		func(in input) bool { return filepath.Base(in.path) != filepath.Base(text) },
		func(in input) bool { return in.module == nil || in.module.Function != name },
	} {
		if fitting := slices.DeleteFunc(slices.Clone(found), other); len(fitting) == 1 {
			return fitting[0], nil
		}
	}
	return input{}, usage("diff", "%s holds %d modules, and not exactly one with the name of the other side's file or "+
		"module: name one of its files: %s", hlo.Visible(dir), len(found), hlo.Visible(severalPaths(found)))
}

// nameOf returns the name of the one module in a text, "" where that cannot be read.
func nameOf(in input) string {
	if in.path == "-" {
		return "" // it is read once only
	}
	if m := moduleAt(in.path); m != nil {
		return m.Name
	}
	return ""
}

// functionsText names the function of two modules, or both.
func functionsText(o, n *dumps.Module) string {
	if o.Function == n.Function {
		return o.Function
	}
	return o.Function + " and " + n.Function
}

// units compares two modules: of a dump as it was compiled, or as d.stage says. Where both are of dumps, a difference
// in text is headed by the dump in which it first shows.
func (d *comparer) units(o, n unit) error {
	var at [2]input
	for i, f := range []unit{o, n} {
		at[i].path = f.path
		if f.dump == nil {
			continue
		}
		stage := f.dump.At(d.stage)
		if stage == nil {
			d.code = exitTrouble
			fmt.Fprintf(d.err, "%s has no dump %s, the last is %s\n", hlo.Visible(f.dump.Name()), d.stage,
				hlo.Visible(f.dump.Final().Path))
			return nil
		}
		at[i].path = stage.Path
	}
	if o.dump == nil || n.dump == nil {
		return d.compare(at[0], at[1], nil)
	}
	return d.compare(at[0], at[1], func() (string, error) {
		first, err := d.firstDifference(o.dump, n.dump)
		return fmt.Sprintf("%s: %s against %s, %s\n", functionsText(o.dump, n.dump), number(o.dump), number(n.dump),
			o.dump.At(d.stage).Title()) + first, err
	})
}

func number(m *dumps.Module) string {
	return strings.TrimPrefix(fmt.Sprintf("%s.module_%04d", m.Prefix, m.Number), ".")
}

// firstDifference says in which of the dumps that both modules have a difference first shows. Dumps that are the same
// text as the one before on both sides are not compared again.
func (d *comparer) firstDifference(o, n *dumps.Module) (string, error) {
	byName := map[string][]int{}
	for i := range n.Stages {
		k := unnumbered(&n.Stages[i])
		byName[k] = append(byName[k], i)
	}
	same := ""
	var was [2]string
	for i := range o.Stages {
		k := unnumbered(&o.Stages[i])
		if len(byName[k]) == 0 {
			continue
		}
		j := byName[k][0]
		byName[k] = byName[k][1:]
		var texts [2]string
		for s, path := range []string{o.Stages[i].Path, n.Stages[j].Path} {
			var err error
			if texts[s], _, err = (input{path: path}).read(); err != nil {
				return "", err
			}
		}
		if texts != was {
			was = texts
			a, errA := (&job{input: input{path: o.Stages[i].Path}}).only(texts[0])
			b, errB := (&job{input: input{path: n.Stages[j].Path}}).only(texts[1])
			if errA != nil || errB != nil {
				continue // the dump that is compared said what is wrong
			}
			if !diff.NewReport(a, b, d.ignore).Same() {
				if same == "" {
					return fmt.Sprintf("they differ from the first dump that both have: %s\n", o.Stages[i].Title()), nil
				}
				return fmt.Sprintf("the same up to %s; they differ from %s on\n", same, o.Stages[i].Title()), nil
			}
		}
		same = o.Stages[i].Title()
	}
	return "", nil
}

// unnumbered is the name of a dump without the number of its step.
func unnumbered(f *dumps.File) string {
	if f.Step < 0 {
		return f.Stage
	}
	return f.Stage[strings.IndexByte(f.Stage, '.')+1:]
}

// pairModules returns the old module for each new one of the same function. Numbers of modules and steps differ from
// run to run: modules are paired by function, then by the types of the entry, then in their order.
func pairModules(olds, news []*dumps.Module) map[*dumps.Module]*dumps.Module {
	left := map[string][]*dumps.Module{}
	for _, m := range olds {
		left[m.Function] = append(left[m.Function], m)
	}
	count := map[string]int{}
	for _, m := range news {
		count[m.Function]++
	}
	out := map[*dumps.Module]*dumps.Module{}
	take := func(n *dumps.Module, fits func(o *dumps.Module) bool) {
		list := left[n.Function]
		if i := slices.IndexFunc(list, fits); i >= 0 && out[n] == nil {
			out[n] = list[i]
			left[n.Function] = slices.Delete(slices.Clone(list), i, i+1)
		}
	}
	types := map[*dumps.Module]string{}
	typesOf := func(m *dumps.Module) string {
		if _, ok := types[m]; !ok {
			types[m] = entryTypes(m.Final())
		}
		return types[m]
	}
	for _, n := range news {
		if count[n.Function] > 1 || len(left[n.Function]) > 1 {
			take(n, func(o *dumps.Module) bool { return typesOf(o) == typesOf(n) })
		}
	}
	for _, n := range news {
		take(n, func(*dumps.Module) bool { return true })
	}
	return out
}

// entryTypes returns the types of the entry's parameters and result; "" for a file that cannot be read.
func entryTypes(f *dumps.File) string {
	j := &job{input: input{path: f.Path}}
	text, _, err := j.input.read()
	if err != nil {
		return ""
	}
	m, err := j.only(text)
	if err != nil || m.Entry == nil {
		return ""
	}
	var out []byte
	for _, p := range m.Entry.Parameters() {
		if p != nil {
			out = append(p.Shape.Append(out, false), ' ')
		}
	}
	if m.Entry.Root != nil {
		out = m.Entry.Root.Shape.Append(out, false)
	}
	return string(out)
}
