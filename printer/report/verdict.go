package report

import (
	"fmt"
	"slices"
	"strings"

	"hlolayout/hlo"
	"hlolayout/printer/diff"
)

// Verdict says in one word and one line what differs.
type Verdict struct {
	// Kind is the gravest change: "interface changed", "program changed", "layouts changed" or "same".
	Kind string
	// Parts say each kind of change with counts and bytes, the gravest first.
	Parts []string
}

// String returns the line: the parts, and which of the kinds did not change.
func (v Verdict) String() string {
	if len(v.Parts) == 0 {
		return v.Kind
	}
	text := strings.Join(v.Parts, "; ")
	var same []string
	for _, k := range []string{"interface", "program", "layouts"} {
		if !slices.ContainsFunc(v.Parts, func(p string) bool { return strings.HasPrefix(p, k+" changed") }) {
			same = append(same, k)
		}
	}
	if len(same) > 0 {
		text += "; same " + strings.Join(same, " and ")
	}
	return text
}

// Verdict judges the differences.
func (d *Diff) Verdict() Verdict {
	v := Verdict{Kind: "same"}
	add := func(kind string, counts ...string) {
		counts = slices.DeleteFunc(counts, func(s string) bool { return s == "" })
		if len(counts) == 0 {
			return
		}
		if v.Kind == "same" {
			v.Kind = kind + " changed"
		}
		v.Parts = append(v.Parts, kind+" changed: "+strings.Join(counts, ", "))
	}
	add("interface", d.contractCounts()...)
	add("program", d.programCounts()...)
	add("layouts", d.layoutCounts()...)
	return v
}

// some returns "3 nouns", "" for none.
func some(n int, noun string) string {
	if n == 0 {
		return ""
	}
	return count(n, noun)
}

// contractCounts says how many parameters and results changed, and how.
func (d *Diff) contractCounts() (out []string) {
	n := map[string]int{}
	for i := range d.Contract {
		n[contractKind(&d.Contract[i])]++
	}
	for _, noun := range []string{"parameter", "result", "alias", "donor"} {
		for k := diff.Relaid; k <= diff.Removed; k++ {
			if x := n[noun+" "+k.String()]; x > 0 {
				out = append(out, count(x, noun)+" "+contractVerbs[k])
			}
		}
	}
	return out
}

var contractVerbs = map[diff.ContractKind]string{diff.Relaid: "with another layout", diff.Retyped: "with another type",
	diff.Reordered: "moved", diff.Inserted: "inserted", diff.Removed: "removed"}

func contractKind(c *diff.ContractChange) string {
	noun, _, _ := strings.Cut(c.What, " ")
	return noun + " " + c.Kind.String()
}

// programCounts says how many instructions in memory and how many bodies of fusions changed, copies aside: these follow
// from layouts.
func (d *Diff) programCounts() []string {
	settings, changed := 0, 0
	for i := range d.Changed {
		switch g := &d.Changed[i]; {
		case g.Compiled():
			settings += len(g.New)
		case g.Inside:
		default:
			changed += len(g.New)
		}
	}
	added, removed := ops(d.Added), ops(d.Removed)
	var out []string
	for _, s := range d.Sizes[:min(len(d.Sizes), 1)] {
		out = append(out, sizeText(s))
	}
	if n := len(d.Sizes) - 1; n > 0 {
		out[0] += fmt.Sprintf(" and %d more", n)
	}
	parts := []string{some(added, "instruction") + " added", some(removed, "instruction") + " removed",
		some(changed, "instruction") + " changed"}
	for i, n := range []int{added, removed, changed} {
		if n > 0 {
			out = append(out, parts[i])
		}
	}
	bodies := 0
	for _, b := range d.Bodies {
		if bodyChanged(b) {
			bodies++
		}
	}
	if bodies > 0 {
		text := "1 fusion body changed"
		if bodies > 1 {
			text = fmt.Sprintf("%d fusion bodies changed", bodies)
		}
		out = append(out, text)
	}
	if len(d.Kernels) > 0 {
		out = append(out, some(len(d.Kernels), "kernel")+" changed")
	}
	if settings > 0 {
		out = append(out, some(settings, "instruction")+" with other compiler settings")
	}
	if n := diff.Count(d.Passed) + diff.Count(d.Inside); n > 0 && len(d.Values) == 0 {
		out = append(out, some(n, "layout")+" that no array in memory has")
	}
	if n := len(d.Module); n > 0 {
		out = append(out, some(n, "module attribute"))
	}
	return out
}

// bodyChanged reports whether a body differs in more than layouts.
func bodyChanged(b *diff.Body) bool { return len(b.Added)+len(b.Removed)+len(b.Changed) > 0 }

// ops counts the instructions in memory that are neither copies nor said elsewhere.
func ops(groups []diff.OpGroup) (n int) {
	for i := range groups {
		if !groups[i].Inside && !isCopy(&groups[i]) && !isParameter(&groups[i]) {
			n += len(groups[i].Values)
		}
	}
	return n
}

// isParameter says that a group are parameters of the entry, which the interface has.
func isParameter(g *diff.OpGroup) bool { return g.Values[0].Opcode == hlo.OpParameter && !g.Inside }

func isCopy(g *diff.OpGroup) bool {
	switch g.Values[0].Opcode {
	case hlo.OpCopy, hlo.OpCopyStart, hlo.OpCopyDone:
		return true
	}
	return false
}

// layoutCounts says how many arrays have another layout, what that adds to each memory, and the copies.
func (d *Diff) layoutCounts() []string {
	n, moved := diff.Count(d.Values), spaceOnly(d.Values)
	var out []string
	switch {
	case n == 0:
	case n == moved:
		out = append(out, fmt.Sprintf("%s of %d in memory space only", count(n, "array"), d.Leaves))
	case moved > 0:
		out = append(out, fmt.Sprintf("%s of %d, %d of them in memory space only", count(n, "array"), d.Leaves, moved))
	default:
		out = append(out, fmt.Sprintf("%s of %d", count(n, "array"), d.Leaves))
	}
	var delta int64
	for i := range d.Values {
		if g := &d.Values[i]; g.Known && g.From.Compatible(g.To) {
			delta += g.Delta()
		}
	}
	if delta != 0 {
		out = append(out, Signed(delta)+" padded")
	}
	for _, c := range []struct {
		n    Copies
		one  string
		many string
	}{
		{d.CopiesAdded, "copy added", "copies added"}, {d.CopiesRemoved, "copy removed", "copies removed"},
		{d.MovesAdded, "move between memories added", "moves between memories added"},
		{d.MovesRemoved, "move between memories removed", "moves between memories removed"},
	} {
		if c.n.Count == 1 {
			out = append(out, fmt.Sprintf("1 %s (%s)", c.one, Bytes(c.n.Bytes)))
		} else if c.n.Count > 1 {
			out = append(out, fmt.Sprintf("%d %s (%s)", c.n.Count, c.many, Bytes(c.n.Bytes)))
		}
	}
	return out
}

// spaceOnly counts the values whose layouts differ in the memory space only.
func spaceOnly(groups []diff.LayoutGroup) (n int) {
	for i := range groups {
		a, b := groups[i].From.Layout, groups[i].To.Layout
		if a == nil || b == nil {
			continue
		}
		x, y := *a, *b
		x.MemorySpace, y.MemorySpace = 0, 0
		if x.Equal(&y) {
			n += len(groups[i].Values)
		}
	}
	return n
}

func sizeText(s diff.Size) string {
	what := "element type"
	if s.Dimension {
		what = "dimension"
	}
	return fmt.Sprintf("%s %s -> %s in %s", what, s.From, s.To, count(s.Shapes, "shape"))
}

// SameText is the verdict for modules that do not differ: how many instructions were compared, and what was no
// difference.
func SameText(r *diff.Report) string {
	text := "same: " + count(r.Pairs, "instruction")
	if n := (&Diff{Report: r}).noise(); n != "" {
		text += "; no difference: " + n
	}
	return text
}
