package report

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"hlolayout/hlo"
	"hlolayout/passes/padding"
	"hlolayout/passes/relayout"
	"hlolayout/printer/diff"
)

// Diff is what differs between two modules, with what each takes and moves.
type Diff struct {
	*diff.Report
	// OldName and NewName are the names of the two texts.
	OldName, NewName string
	Old, New         Account
	// Copies that one side alone has.
	CopiesAdded, CopiesRemoved Copies
}

// Account is what a module takes in memory, and moves.
type Account struct {
	Spaces    map[int64]*padding.Totals
	Relayouts int
	// RelayoutBytes are the bytes that relayouts write in one run; Moved the same by the memory they write to.
	RelayoutBytes int64
	Moved         map[int64]int64
}

// Copies are copy instructions and their padded bytes.
type Copies struct {
	Count int
	Bytes int64
}

// AccountOf adds up a module.
func AccountOf(m *hlo.Module) Account {
	moves := relayout.Find(m)
	a := Account{map[int64]*padding.Totals{}, len(moves), relayout.Sum(moves), map[int64]int64{}}
	padding.Each(m, func(v *padding.Value) {
		if a.Spaces[v.Space] == nil {
			a.Spaces[v.Space] = &padding.Totals{}
		}
		a.Spaces[v.Space].Add(v.Size)
	})
	for i := range moves {
		a.Moved[spaceOf(moves[i].To)] += moves[i].Total()
	}
	return a
}

// NewDiff adds the totals of both modules to a report.
func NewDiff(r *diff.Report, oldName, newName string) *Diff {
	d := &Diff{Report: r, OldName: oldName, NewName: newName}
	done := make(chan struct{})
	go func() { d.Old = AccountOf(r.Old); close(done) }()
	d.New = AccountOf(r.New)
	<-done
	d.CopiesAdded, d.CopiesRemoved = copies(r.Added), copies(r.Removed)
	return d
}

// copies counts copies, those between memories too.
func copies(groups []diff.OpGroup) (c Copies) {
	for _, g := range groups {
		target := g.Shape
		switch g.Values[0].Opcode {
		case hlo.OpCopy:
		case hlo.OpCopyStart:
			target = g.Shape.At(hlo.Index{0})
		default:
			continue
		}
		c.Count += len(g.Values)
		if target != nil && target.IsArray() {
			c.Bytes += int64(len(g.Values)) * padding.SizeOf(target).Padded
		}
	}
	return c
}

// Options say how a Diff is rendered.
type Options struct {
	// Top is the most groups that a section lists; 0 lists all.
	Top int
	// Color marks the headings by ANSI colours.
	Color bool
}

// AppendText appends the report as text: the two names, breaking changes, then layouts, instructions, totals. Nothing is appended
// where nothing differs.
func (d *Diff) AppendText(dst []byte, o Options) []byte {
	if d.Same() {
		return dst
	}
	w := writer{dst, o}
	w.head("--- " + d.OldName)
	w.head("+++ " + d.NewName)
	for _, s := range d.sections() {
		w.section(s)
	}
	return w.dst
}

// section is a heading with lines; breaking ones stand out.
type section struct {
	rule  string // the name of the rule in diffRules, "" for what is no finding
	title string
	lines []line
	whole bool // never cut
}

func (s *section) breaking() bool { return s.rule == "entry" }

// line is one line of a section, and the values that it is about.
type line struct {
	text    string
	values  []*hlo.Instruction
	indices []hlo.Index
	removed bool // the values are those of the old module
}

type writer struct {
	dst []byte
	Options
}

func (w *writer) head(text string) {
	if w.Color {
		text = "\x1b[1m" + text + "\x1b[0m"
	}
	w.dst = append(append(w.dst, text...), '\n')
}

func (w *writer) section(s section) {
	title := s.title
	if w.Color && s.breaking() {
		title = "\x1b[31m" + title + "\x1b[0m"
	} else if w.Color {
		title = "\x1b[36m" + title + "\x1b[0m"
	}
	w.dst = append(append(w.dst, title...), '\n')
	for i, l := range s.lines {
		if w.Top > 0 && i >= w.Top && !s.whole && len(s.lines) > w.Top+1 {
			w.dst = fmt.Appendf(w.dst, "  ... and %d more (--top 0 shows all)\n", len(s.lines)-i)
			break
		}
		w.dst = append(append(append(w.dst, "  "...), hlo.Visible(l.text)...), '\n')
	}
}

// sections returns what both text and markdown show.
func (d *Diff) sections() []section {
	var out []section
	add := func(rule, title string, lines []line) {
		if len(lines) > 0 {
			out = append(out, section{rule: rule, title: title, lines: lines})
		}
	}
	add("entry", "BREAKING: "+count(len(d.Contract), "change")+" of the entry", plainLines(contractLines(d.Contract)))
	if n := diff.Count(d.Values); n > 0 {
		add("layout", layoutTitle(n, d.Values), layoutLines(d.Values, true))
	}
	if n := diff.Count(d.Passed); n > 0 && len(d.Values) == 0 {
		add("inner-layout", "layouts of "+count(n, "value")+" that only pass on others", layoutLines(d.Passed, false))
	}
	if n := diff.Count(d.Inside); n > 0 && len(d.Values) == 0 {
		add("inner-layout", "layouts of "+count(n, "value")+" inside of fusions and reducers, which never lie in memory", layoutLines(d.Inside, false))
	}
	add("instruction-added", "instructions added", opLines(d.Added, false))
	add("instruction-removed", "instructions removed", opLines(d.Removed, true))
	add("instruction-changed", "instructions changed", changeLines(d.Changed))
	var lines []string
	for _, a := range d.Module {
		lines = append(lines, fmt.Sprintf("%s: %s -> %s", a.Name, valueText(a.Old), valueText(a.New)))
	}
	add("module-attribute", "module attributes", plainLines(lines))
	return append(out, section{title: "totals", lines: plainLines(d.totals()), whole: true})
}

func plainLines(texts []string) []line {
	out := make([]line, len(texts))
	for i, t := range texts {
		out[i] = line{text: t}
	}
	return out
}

// layoutTitle says how many layouts changed, and in what.
func layoutTitle(n int, groups []diff.LayoutGroup) string {
	moved := 0
	for i := range groups {
		a, b := *groups[i].From, *groups[i].To
		if a.Layout != nil && b.Layout != nil {
			la, lb := *a.Layout, *b.Layout
			la.MemorySpace, lb.MemorySpace = 0, 0
			if la.Equal(&lb) {
				moved += len(groups[i].Values)
			}
		}
	}
	switch moved {
	case 0:
		return count(n, "layout") + " changed"
	case n:
		return count(n, "layout") + " changed, in memory space only"
	}
	return fmt.Sprintf("%s changed, %d in memory space only", count(n, "layout"), moved)
}

// contractLines groups equal changes of the entry.
func contractLines(list []diff.ContractChange) []string {
	type key struct{ from, to, old, new, kind string }
	var order []key
	who := map[key][]string{}
	shapes := map[key]diff.ContractChange{}
	for _, c := range list {
		k := key{old: c.Old, new: c.New, kind: strings.FieldsFunc(c.What, func(r rune) bool { return r == ' ' || r == '{' })[0]}
		if c.From != nil || c.To != nil {
			k.from, k.to = shapeText(c.From), shapeText(c.To)
		}
		if who[k] == nil {
			order = append(order, k)
			shapes[k] = c
		}
		who[k] = append(who[k], strings.TrimSpace(strings.TrimPrefix(c.What, k.kind)))
	}
	var out []string
	for _, k := range order {
		c := shapes[k]
		switch {
		case c.From == nil && c.To == nil:
			text := c.What + " added: " + c.New
			if c.New == "" {
				text = c.What + " removed: " + c.Old
			}
			out = append(out, text)
			continue
		case c.From == nil || c.To == nil || !c.From.Compatible(c.To):
			out = append(out, k.kind+places(who[k])+": "+Change(c.From, c.To))
			continue
		}
		text := k.kind + places(who[k]) + ": " + bare(c.To)
		if n := len(who[k]); n > 1 {
			text += fmt.Sprintf(" x%d", n)
		}
		text += ": " + Change(c.From, c.To)
		a, b := padding.SizeOf(c.From), padding.SizeOf(c.To)
		if a.Known && b.Known && a.Padded != b.Padded {
			text += fmt.Sprintf(", %s -> %s", Bytes(a.Padded), Bytes(b.Padded))
		}
		out = append(out, text)
	}
	return out
}

// places lists numbers and indices, the first few: "s 0, 1, 2 and 9 more".
func places(list []string) string {
	const most = 6
	if len(list) == 1 {
		return strings.TrimRight(" "+list[0], " ")
	}
	if len(list) <= most {
		return "s " + strings.Join(list, ", ")
	}
	return fmt.Sprintf("s %s and %d more", strings.Join(list[:most], ", "), len(list)-most)
}

// layoutLines says each change with the values that have it, and what it costs where these are arrays of their own.
func layoutLines(groups []diff.LayoutGroup, own bool) []line {
	var out []line
	for i := range groups {
		g := &groups[i]
		text := bare(g.To)
		if n := len(g.Values); n > 1 {
			text += fmt.Sprintf(" x%d", n)
		}
		text += ": " + Change(g.From, g.To)
		if g.Known && own {
			a, b := spaceOf(g.From), spaceOf(g.To)
			n := int64(len(g.Values))
			switch {
			case a != b:
				text += fmt.Sprintf(", %s", Signed(-n*g.OldBytes))
				if g.OldBytes != g.NewBytes {
					text += fmt.Sprintf(" %s, %s %s", SpaceName(a), Signed(n*g.NewBytes), SpaceName(b))
				} else {
					text += " " + SpaceName(a)
				}
			case g.Delta() != 0:
				text += ", " + Signed(g.Delta())
			}
		}
		out = append(out, line{text: text + "  (" + valueNames(g.Values, g.Indices, 2) + ")", values: g.Values, indices: g.Indices})
	}
	return out
}

func spaceOf(s *hlo.Shape) int64 {
	if s.Layout == nil {
		return 0
	}
	return s.Layout.MemorySpace
}

func opLines(groups []diff.OpGroup, removed bool) []line {
	var out []line
	for _, g := range groups {
		text := g.Op + " " + g.Shape.String()
		if len(text) > 200 {
			text = text[:200] + " ..."
		}
		if n := len(g.Values); n > 1 {
			text += fmt.Sprintf(" x%d", n)
		}
		if g.Bytes > 0 {
			text += ", " + Bytes(g.Bytes)
		}
		out = append(out, line{text: text + "  (" + names(g.Values, 2) + ")", values: g.Values, removed: removed})
	}
	return out
}

func changeLines(groups []diff.ChangeGroup) []line {
	var out []line
	for _, g := range groups {
		text := g.Op
		if n := len(g.New); n > 1 {
			text += fmt.Sprintf(" x%d", n)
		}
		out = append(out, line{text: text + ": " + strings.Join(g.What, ", ") + "  (" + names(g.New, 2) + ")", values: g.New})
	}
	return out
}

func valueText(v *hlo.Value) string {
	if v == nil {
		return "none"
	}
	if len(v.Text) > 100 {
		return v.Text[:100] + " ..."
	}
	return v.Text
}

// totals are the sums: what each space holds, copies, relayouts, and what was no difference.
func (d *Diff) totals() []string {
	var out []string
	spaces := map[int64]bool{}
	for _, a := range []Account{d.Old, d.New} {
		for s := range a.Spaces {
			spaces[s] = true
		}
	}
	for _, s := range slices.Sorted(maps.Keys(spaces)) {
		a, b := padded(d.Old.Spaces[s]), padded(d.New.Spaces[s])
		text := fmt.Sprintf("padded bytes in %s: %s", SpaceName(s), Bytes(a))
		if a != b {
			text += fmt.Sprintf(" -> %s (%s)", Bytes(b), Signed(b-a))
		}
		out = append(out, text)
	}
	if d.CopiesAdded.Count+d.CopiesRemoved.Count > 0 {
		out = append(out, fmt.Sprintf("copies: %d added (%s), %d removed (%s)", d.CopiesAdded.Count, Bytes(d.CopiesAdded.Bytes), d.CopiesRemoved.Count, Bytes(d.CopiesRemoved.Bytes)))
	}
	if d.Old.Relayouts+d.New.Relayouts > 0 {
		text := fmt.Sprintf("relayouts: %d", d.Old.Relayouts)
		if d.Old.Relayouts != d.New.Relayouts {
			text += fmt.Sprintf(" -> %d", d.New.Relayouts)
		}
		out = append(out, text)
		spaces := maps.Clone(d.Old.Moved)
		maps.Copy(spaces, d.New.Moved)
		for _, s := range sortedKeys(spaces) {
			a, b := d.Old.Moved[s], d.New.Moved[s]
			text := fmt.Sprintf("moved by relayouts into %s: %s", SpaceName(s), Bytes(a))
			if a != b {
				text += fmt.Sprintf(" -> %s (%s)", Bytes(b), Signed(b-a))
			}
			out = append(out, text+" a run")
		}
	}
	if n, m := diff.Count(d.Passed), diff.Count(d.Inside); n+m > 0 && len(d.Values) > 0 {
		out = append(out, fmt.Sprintf("said again by %d tuples, loops and bitcasts, and %d values inside of fusions and reducers", n, m))
	}
	if text := d.noise(); text != "" {
		out = append(out, "no difference: "+text)
	}
	return out
}

func padded(t *padding.Totals) int64 {
	if t == nil {
		return 0
	}
	return t.Padded
}

// noise says what pairs differ in that was left out.
func (d *Diff) noise() string {
	var parts []string
	for _, p := range []struct {
		n    int
		what string
		on   bool
	}{
		{d.Noise.Renumbered, "renumbered", d.Ignore.IDs || d.Ignore.Names},
		{d.Noise.Renamed, "renamed", d.Ignore.Names},
		{d.Noise.Metadata, "with other metadata", true},
		{d.Noise.BackendConfig, "with another backend_config", true},
		{d.Noise.Constants, "with another literal", true},
		{d.Noise.Layouts, "with another layout", true},
	} {
		if p.n > 0 && p.on {
			parts = append(parts, fmt.Sprintf("%d %s", p.n, p.what))
		}
	}
	if len(parts) == 0 {
		return ""
	}
	return strings.Join(parts, ", ") + fmt.Sprintf(", of %d instructions", d.Pairs)
}
