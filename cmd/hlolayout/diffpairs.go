package main

import (
	"fmt"
	"strings"

	"hlolayout/hlo"
	"hlolayout/printer/diff"
)

// renamed completes the pairs of the modules of two folders, the place in olds for each of news, -1 for none: what
// --pair names comes first, and modules without a partner of their name are paired with those that compute much the
// same.
func (d *comparer) renamed(olds, news []unit, toOld []int) error {
	if err := d.force(olds, news, toOld); err != nil {
		return err
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
				"forces a pair)\n", hlo.Visible(is.module), hlo.Visible(was.module), 100*alike[k])
		}
	}
	return nil
}

// force makes the pairs that --pair names.
func (d *comparer) force(olds, news []unit, toOld []int) error {
	for _, p := range d.pairs {
		was, is, ok := strings.Cut(p, "=")
		o, n := lastOf(olds, was), lastOf(news, is)
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
	return nil
}

// lastOf returns the place of the last unit that a word names, -1 for none.
func lastOf(list []unit, word string) int {
	i := len(list) - 1
	for i >= 0 && !list[i].is(word) {
		i--
	}
	return i
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
