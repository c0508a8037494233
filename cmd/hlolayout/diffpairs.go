package main

import (
	"fmt"
	"path/filepath"
	"strings"

	"hlolayout/hlo"
	"hlolayout/printer/diff"
)

// named is one module of a folder: its function's name, and its file.
type named struct{ name, path string }

func (n named) is(word string) bool {
	return n.name == word || n.path == word || filepath.Base(n.path) == word
}

// renamed completes the pairs of the modules of two folders, the place in olds for each of news, -1 for none: what
// --pair names comes first, and modules without a partner of their name are paired with those that compute much the
// same.
func (d *comparer) renamed(olds, news []named, toOld []int) error {
	for _, p := range d.pairs {
		was, is, ok := strings.Cut(p, "=")
		o, n := -1, -1
		for i := range olds {
			if olds[i].is(was) {
				o = i
			}
		}
		for i := range news {
			if news[i].is(is) {
				n = i
			}
		}
		if !ok || o < 0 || n < 0 {
			return usage("diff", "--pair %s: OLD=NEW names a module, or its file, of each side", p)
		}
		for i := range toOld {
			if toOld[i] == o {
				toOld[i] = -1
			}
		}
		toOld[n] = o
	}
	paired := map[int]bool{}
	for _, o := range toOld {
		paired[o] = true
	}
	var a, b []*hlo.Module
	var atA, atB []int
	for i := range olds {
		if !paired[i] {
			atA = append(atA, i)
		}
	}
	for i, o := range toOld {
		if o < 0 {
			atB = append(atB, i)
		}
	}
	if len(atA) == 0 || len(atB) == 0 {
		return nil
	}
	for _, i := range atA {
		a = append(a, moduleAt(olds[i].path))
	}
	for _, i := range atB {
		b = append(b, moduleAt(news[i].path))
	}
	found, alike := diff.PairModules(a, b)
	for k, o := range found {
		if o < 0 {
			continue
		}
		was, is := olds[atA[o]], news[atB[k]]
		toOld[atB[k]] = atA[o]
		if !d.quiet() {
			fmt.Fprintf(d.err, "%s is compared with %s: %.0f %% of their operations are the same (--pair OLD=NEW "+
				"forces a pair)\n", hlo.Visible(is.name), hlo.Visible(was.name), 100*alike[k])
		}
	}
	return nil
}

// moduleAt reads the one module in a file, nil where that is not possible: the comparison says why.
func moduleAt(path string) *hlo.Module {
	in := input{path: path}
	text, _, err := in.read()
	if err != nil {
		return nil
	}
	m, err := (&job{input: in}).only(text)
	if err != nil {
		return nil
	}
	return m
}
