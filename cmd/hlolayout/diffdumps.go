package main

import (
	"fmt"
	"slices"
	"strings"

	"hlolayout/hlo"
	"hlolayout/parser/dumps"
	"hlolayout/printer/diff"
)

// dumpFolders compares two folders of --xla_dump_to, function by function: the modules as they were compiled, or as
// d.stage says. For numbers of modules and steps differ from run to run, modules are paired by function, then by the
// types of the entry, then in their order. In text each difference is headed by the dump in which it first shows.
func (d *comparer) dumpFolders(old, new string, olds, news []*dumps.Module) error {
	f := folders{d}
	partner, err := d.dumpPairs(olds, news)
	if err != nil {
		return err
	}
	paired := map[*dumps.Module]bool{}
	for _, m := range partner {
		paired[m] = true
	}
	for _, m := range olds {
		if !paired[m] {
			if err := d.only(old, dumped{path: m.Final().Path, module: m.Function}, true); err != nil {
				return err
			}
		}
	}
	for _, n := range news {
		o := partner[n]
		if o == nil {
			if err := d.only(new, dumped{path: n.Final().Path, module: n.Function}, false); err != nil {
				return err
			}
			continue
		}
		if err := f.functions(o, n); err != nil {
			return err
		}
	}
	return nil
}

// dumpPairs is pairModules, with what renamed adds.
func (d *comparer) dumpPairs(olds, news []*dumps.Module) (map[*dumps.Module]*dumps.Module, error) {
	partner := pairModules(olds, news)
	namedOf := func(list []*dumps.Module) (out []named) {
		for _, m := range list {
			out = append(out, named{m.Function, m.Final().Path})
		}
		return out
	}
	toOld := make([]int, len(news))
	for i, n := range news {
		toOld[i] = slices.Index(olds, partner[n])
	}
	if err := d.renamed(namedOf(olds), namedOf(news), toOld); err != nil {
		return nil, err
	}
	clear(partner)
	for i, n := range news {
		if toOld[i] >= 0 {
			partner[n] = olds[toOld[i]]
		}
	}
	return partner, nil
}

// inFolder returns the module of a folder that a text is to be compared with: the only one, or that of the text's name.
func (d *comparer) inFolder(dir, text string) (input, error) {
	found, err := (&finder{stage: d.stage}).search(dir)
	if err != nil || len(found) == 1 {
		return append(found, input{})[0], err
	}
	name := nameOf(input{path: text})
	fitting := slices.DeleteFunc(slices.Clone(found), func(in input) bool {
		return in.module == nil || in.module.Function != name
	})
	if len(fitting) == 1 {
		return fitting[0], nil
	}
	return input{},
		usage("diff", "%s holds %d modules, %d of them with the name of the other side: give the file of one",
			hlo.Visible(dir), len(found), len(fitting))
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

// folders is the comparison of two dump folders.
type folders struct {
	*comparer
}

// functions compares two modules of one function.
func (f folders) functions(o, n *dumps.Module) error {
	a, b := o.At(f.stage), n.At(f.stage)
	if a == nil || b == nil {
		missing := o
		if a != nil {
			missing = n
		}
		f.code = exitTrouble
		fmt.Fprintf(f.err, "%s has no dump %s, the last is %s\n", hlo.Visible(missing.Name()), f.stage,
			hlo.Visible(missing.Final().Path))
		return nil
	}
	return f.compare(input{path: a.Path}, input{path: b.Path}, func() (string, error) {
		first, err := f.firstDifference(o, n)
		return fmt.Sprintf("%s: %s against %s, %s\n", functionsText(o, n), number(o), number(n), a.Title()) + first, err
	})
}

func number(m *dumps.Module) string {
	return strings.TrimPrefix(fmt.Sprintf("%s.module_%04d", m.Prefix, m.Number), ".")
}

// firstDifference says in which of the dumps that both modules have a difference first shows. Dumps that are the same
// text as the one before on both sides are not compared again.
func (f folders) firstDifference(o, n *dumps.Module) (string, error) {
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
			if !diff.NewReport(a, b, f.ignore).Same() {
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

// pairModules returns the old module for each new one of the same function.
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
