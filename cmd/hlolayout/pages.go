package main

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"hlolayout/parser/dumps"
	"hlolayout/printer/report"
	"hlolayout/printer/report/html"
)

// pages are the reports of several modules, and an index of them.
type pages struct {
	index, stem string // the path of the index, and what those of pages begin with
	folder      bool   // they go into a folder, which is made
	rows        []html.Row
	taken       map[string]int
}

// pagesAt returns where the pages of several modules go: into a folder, or next to an index.
func pagesAt(path string) *pages {
	if path != "" && os.IsPathSeparator(path[len(path)-1]) || isDirectory(path) {
		return &pages{index: filepath.Join(path, "index.html"), stem: filepath.Clean(path) + string(filepath.Separator),
			folder: true}
	}
	return &pages{index: path, stem: strings.TrimSuffix(path, ".html") + "."}
}

// write writes the page of a module, by its place in its text, and keeps its row of the index.
func (p *pages) write(j *job, d *judged, place int, data []byte) error {
	if p.taken == nil {
		p.taken = map[string]int{}
		if p.folder {
			if err := os.MkdirAll(filepath.Dir(p.index), 0o777); err != nil {
				return err
			}
		}
	}
	name := pageName(j)
	if j.holds > 1 {
		name += fmt.Sprintf(".%d", place)
	}
	if p.taken[name]++; p.taken[name] > 1 {
		name += fmt.Sprintf(".%d", p.taken[name])
	}
	path := p.stem + name + ".html"
	s := report.NewSummary(d.Module, j.name(), d.origin(), "")
	s.Judge(d.Module, d.iface, d.target.Target, d.assigned)
	p.rows = append(p.rows, html.Row{Page: filepath.Base(path), Summary: s})
	return writeFile(path, data, plain)
}

// pageName is what a module's page is called: by function and stage in a dump, else as its file.
func pageName(j *job) string {
	if j.module != nil && j.module.Function != "" {
		return j.module.Function + "." + unnumbered(j.stage)
	}
	if f, ok := dumps.ParseName(j.path); ok && f.Holds != dumps.Other && f.Function != "" {
		return f.Function + "." + unnumbered(&f)
	}
	return fileBase(j.path)
}

// finish writes the index, the worst module first.
func (p *pages) finish(title string) error {
	slices.SortStableFunc(p.rows, func(a, b html.Row) int { return cmp.Compare(b.Summary.Cost(), a.Summary.Cost()) })
	return writeFile(p.index, html.AppendIndex(nil, title, p.rows), plain)
}
