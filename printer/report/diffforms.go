package report

import (
	"cmp"
	"fmt"

	"hlolayout/hlo"
	"hlolayout/printer/diff"
)

// Case returns the differences as findings, each at the first of its values.
func (d *Diff) Case() Case {
	c := Case{File: d.NewName, Against: d.OldName, Module: d.Report.New.Name}
	if d.Same() {
		return c
	}
	for _, s := range d.sections(false) {
		for _, l := range s.lines {
			if s.rule == "" {
				c.Notes = append(c.Notes, l.text)
				continue
			}
			x := RuleOf(diffRules, s.rule)
			x.Message, x.Values = l.text, valuesJSON(l.values, l.indices)
			file := d.NewName
			if l.removed {
				file = d.OldName
			}
			var in *hlo.Instruction
			if len(l.values) > 0 {
				in = l.values[0]
			}
			x.place(file, in)
			c.Findings = append(c.Findings, x)
		}
	}
	return c
}

// OnlyCase is the case of a text without a partner: the name of the other side is "".
func OnlyCase(oldName, newName, module string) Case {
	x := RuleOf(diffRules, "one-side-only")
	x.File = cmp.Or(newName, oldName)
	x.Message = "only the old side has the module " + module
	if oldName == "" {
		x.Message = "only the new side has the module " + module
	}
	return Case{File: newName, Against: oldName, Module: module, Findings: []Result{x}}
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
			dst = fmt.Appendf(dst, " %-*s | %d layouts, %d added, %d removed, %d changed\n", width, "%"+c.Name,
				r.layouts, r.added, r.removed, r.changed)
			total = row{total.layouts + r.layouts, total.added + r.added, total.removed + r.removed, total.changed +
				r.changed}
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
