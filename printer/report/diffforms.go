package report

import (
	"fmt"
	"strings"

	"hlolayout/hlo"
	"hlolayout/printer/diff"
)

// AppendMarkdown appends the report as markdown, for a comment on a change. Nothing is appended where nothing differs.
func (d *Diff) AppendMarkdown(dst []byte, o Options) []byte {
	if d.Same() {
		return dst
	}
	dst = fmt.Appendf(dst, "### Layouts: `%s` -> `%s`\n", d.OldName, d.NewName)
	for _, s := range d.sections() {
		title := strings.ToUpper(s.title[:1]) + s.title[1:]
		if s.breaking {
			title = "**" + title + "**"
		}
		dst = fmt.Appendf(dst, "\n%s\n\n", title)
		for i, l := range s.lines {
			if o.Top > 0 && i >= o.Top && !s.whole && len(s.lines) > o.Top+1 {
				dst = fmt.Appendf(dst, "- ... and %d more\n", len(s.lines)-i)
				break
			}
			dst = fmt.Appendf(dst, "- %s\n", code(l))
		}
	}
	return dst
}

// code puts text into backticks: HLO is full of signs that markdown reads.
func code(text string) string {
	fence := "`"
	for strings.Contains(text, fence) {
		fence += "`"
	}
	if len(fence) > 1 {
		return fence + " " + text + " " + fence
	}
	return fence + text + fence
}

// AppendStat appends a line for each computation with changes, and one for all.
func (d *Diff) AppendStat(dst []byte) []byte {
	if d.Same() {
		return dst
	}
	type row struct{ layouts, added, removed, changed int }
	rows := map[string]*row{} // by name: both sides of a pair that kept its name are one row
	of := func(in *hlo.Instruction) *row {
		name := in.Computation.Name
		if rows[name] == nil {
			rows[name] = &row{}
		}
		return rows[name]
	}
	for _, groups := range [][]diff.LayoutGroup{d.Values, d.Passed, d.Inside} {
		for i := range groups {
			for _, in := range groups[i].Values {
				of(in).layouts++
			}
		}
	}
	for _, g := range d.Added {
		for _, in := range g.Values {
			of(in).added++
		}
	}
	for _, g := range d.Removed {
		for _, in := range g.Values {
			of(in).removed++
		}
	}
	for _, g := range d.Changed {
		for _, in := range g.New {
			of(in).changed++
		}
	}
	var total row
	width, n := 0, 0
	for name := range rows {
		width = max(width, len(name)+1)
	}
	write := func(c *hlo.Computation) {
		if r := rows[c.Name]; r != nil {
			delete(rows, c.Name)
			dst = fmt.Appendf(dst, " %-*s | %d layouts, %d added, %d removed, %d changed\n", width, "%"+c.Name, r.layouts, r.added, r.removed, r.changed)
			total = row{total.layouts + r.layouts, total.added + r.added, total.removed + r.removed, total.changed + r.changed}
			n++
		}
	}
	for _, m := range []*hlo.Module{d.Report.New, d.Report.Old} {
		for _, c := range m.Computations {
			write(c)
		}
	}
	return fmt.Appendf(dst, " %s and %d of the entry: %d layouts, %d added, %d removed, %d changed\n",
		count(n, "computation"), len(d.Contract), total.layouts, total.added, total.removed, total.changed)
}
