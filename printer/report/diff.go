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
	// Copies that one side alone has, and of them those that change nothing but the memory space.
	CopiesAdded, CopiesRemoved Copies
	MovesAdded, MovesRemoved   Copies
}

// Account is what a module takes in memory, and moves.
type Account struct {
	Spaces    map[int64]*padding.Totals
	Relayouts int
	// RelayoutBytes are the bytes that relayouts write in one run; Moved the same by the memory they write to.
	RelayoutBytes int64
	Moved         map[int64]int64
	// Untiled says that no array has a tile, as before layout assignment: the bytes are those of the data alone.
	Untiled bool
}

// AccountOf adds up a module.
func AccountOf(m *hlo.Module) Account {
	moves := relayout.Find(m)
	a := Account{map[int64]*padding.Totals{}, len(moves), relayout.Sum(moves), map[int64]int64{}, true}
	padding.Each(m, func(v *padding.Value) {
		a.Untiled = a.Untiled && !v.Shape.IsTiled()
		if a.Spaces[v.Space] == nil {
			a.Spaces[v.Space] = &padding.Totals{}
		}
		a.Spaces[v.Space].Add(v.Size)
	})
	a.Untiled = a.Untiled && len(a.Spaces) > 0
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
	d.CopiesAdded, d.MovesAdded = copies(r.Added)
	d.CopiesRemoved, d.MovesRemoved = copies(r.Removed)
	return d
}

// Options say how a Diff is rendered.
type Options struct {
	// Top is the most groups that a section lists; 0 lists all.
	Top int
	// Full lists the instructions inside of fusions, reducers and the like, too.
	Full bool
	// Color marks the headings by ANSI colours.
	Color bool
}

// AppendText appends the report as text: the verdict, the two names, changes of the entry, then layouts, sizes,
// instructions, totals. Nothing is appended where nothing differs.
func (d *Diff) AppendText(dst []byte, o Options) []byte {
	if d.Same() {
		return dst
	}
	w := writer{dst, o}
	w.head(hlo.Visible(d.Verdict().String()))
	w.head("--- " + hlo.Visible(d.OldName))
	w.head("+++ " + hlo.Visible(d.NewName))
	for _, s := range d.sections(o.Full) {
		w.section(s)
	}
	return w.dst
}

// section is a heading with lines; breaking ones stand out.
type section struct {
	rule  string // the name of the rule in diffRules, "" for what is not a finding
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

// sections returns what all forms show; with full also what is inside of fusions, reducers and the like.
func (d *Diff) sections(full bool) []section {
	var out []section
	add := func(rule, title string, lines []line) {
		if len(lines) > 0 {
			out = append(out, section{rule: rule, title: title, lines: lines})
		}
	}
	entry, title := "entry", "interface: "+count(len(d.Contract), "change")+", breaking for callers that rely on it"
	if tilesAssigned(d.Contract) {
		entry, title = "", "interface: "+count(len(d.Contract), "layout")+" of lowered text, which the compiler replaces"
	}
	add(entry, title, plainLines(contractLines(d.Contract)))
	if n := diff.Count(d.Values); n > 0 {
		add("layout", layoutTitle(n, d.Values), layoutLines(d.Values, true))
	}
	if n := diff.Count(d.Passed); n > 0 && (full || len(d.Values) == 0) {
		add("inner-layout", "layouts of "+count(n, "value")+" that only pass on others", layoutLines(d.Passed, false))
	}
	if n := diff.Count(d.Inside); n > 0 && (full || len(d.Values) == 0) {
		add("inner-layout", "layouts of "+count(n, "value")+" inside fusions and reducers, which are never in memory",
			layoutLines(d.Inside, false))
	}
	var sizes []string
	for _, s := range d.Sizes {
		sizes = append(sizes, sizeText(s))
	}
	add("size", "sizes changed, which alone explain "+count(d.Resized, "changed instruction"), plainLines(sizes))
	add("instruction-added", "copies added", copyLines(d.Added, false))
	add("instruction-removed", "copies removed", copyLines(d.Removed, true))
	add("instruction-added", "instructions added", opLines(d.Added, false, false))
	add("instruction-removed", "instructions removed", opLines(d.Removed, true, false))
	add("instruction-changed", "instructions changed", changeLines(d.Changed, func(g *diff.ChangeGroup) bool {
		return !g.Inside && !g.Compiled()
	}))
	add("compiled", "instructions with other compiler settings", changeLines(d.Changed, (*diff.ChangeGroup).Compiled))
	if full {
		add("instruction-added", "added inside of fusions and reducers", opLines(d.Added, false, true))
		add("instruction-removed", "removed inside of fusions and reducers", opLines(d.Removed, true, true))
		add("instruction-changed", "changed inside of fusions and reducers",
			changeLines(d.Changed, func(g *diff.ChangeGroup) bool { return g.Inside && !g.Compiled() }))
	}
	add("kernel", "kernels", kernelLines(d.Kernels))
	add("body", "bodies of fusions and reducers changed (--full lists their instructions)", bodyLines(d.Bodies))
	var lines []string
	for _, a := range d.Module {
		lines = append(lines, fmt.Sprintf("%s: %s -> %s", a.Name, valueText(a.Old), valueText(a.New)))
	}
	add("module-attribute", "module attributes", plainLines(lines))
	if totals := d.totals(); len(totals) > 0 {
		out = append(out, section{title: "totals", lines: plainLines(totals), whole: true})
	}
	return out
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
	switch moved := spaceOnly(groups); moved {
	case 0:
		return count(n, "layout") + " changed"
	case n:
		return count(n, "layout") + " changed, in memory space only"
	default:
		return fmt.Sprintf("%s changed, %d in memory space only", count(n, "layout"), moved)
	}
}

// layoutLines says each change with the values that have it, and what it costs where these are arrays of their own.
// Arrays whose layouts differ in what did not change, such as their order, are listed with their layouts.
func layoutLines(groups []diff.LayoutGroup, own bool) []line {
	var out []line
	key := func(g *diff.LayoutGroup) string { return bare(g.To) + Change(g.From, g.To) }
	alike := map[string]int{}
	for i := range groups {
		alike[key(&groups[i])]++
	}
	for i := range groups {
		g := &groups[i]
		text := bare(g.To)
		if alike[key(g)] > 1 {
			text = g.To.String()
		}
		if n := len(g.Values); n > 1 {
			text += fmt.Sprintf(" x%d", n)
		}
		text += ": " + Change(g.From, g.To)
		if g.Known && own && g.From.Compatible(g.To) {
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
		out = append(out, line{text: text + "  (" + valueNames(g.Values, g.Indices, 2) + sourceLines(g.Values, 2) + ")",
			values: g.Values, indices: g.Indices})
	}
	return out
}

func spaceOf(s *hlo.Shape) int64 {
	if s.Layout == nil {
		return 0
	}
	return s.Layout.MemorySpace
}

// opLines says the groups that are inside of fusions, or that are not; of these what moves no bytes (tuples, bitcasts)
// in one line.
func opLines(groups []diff.OpGroup, removed, inside bool) []line {
	var out []line
	var free []*hlo.Instruction
	for _, g := range groups {
		if g.Inside != inside || isParameter(&g) || !inside && isCopy(&g) {
			continue
		}
		if !inside && g.Values[0].Opcode.Flow() == hlo.FlowForward {
			free = append(free, g.Values...)
			continue
		}
		text := g.Op + " " + g.Shape.String()
		if len(text) > 120 {
			text = text[:120] + " ..."
		}
		if n := len(g.Values); n > 1 {
			text += fmt.Sprintf(" x%d", n)
		}
		if g.Bytes > 0 && !inside {
			text += ", " + Bytes(g.Bytes)
		}
		out = append(out, line{text: text + "  (" + names(g.Values, 2) + sourceLines(g.Values, 2) + ")",
			values: g.Values, removed: removed})
	}
	if len(free) > 0 {
		which := ", which move no bytes"
		if len(free) == 1 {
			which = ", which moves no bytes"
		}
		out = append(out, line{text: strings.Join(opCounts("", free), ", ") + which, values: free, removed: removed})
	}
	return out
}

// changeLines says the groups that are chosen.
func changeLines(groups []diff.ChangeGroup, chosen func(*diff.ChangeGroup) bool) []line {
	var out []line
	for _, g := range groups {
		if !chosen(&g) {
			continue
		}
		text := g.Op
		if n := len(g.New); n > 1 {
			text += fmt.Sprintf(" x%d", n)
		}
		text += ": " + strings.Join(g.What, ", ")
		if len(g.Settings) > 0 {
			text += " [" + strings.Join(g.Settings, ", ") + "]"
		}
		out = append(out, line{text: text + "  (" + names(g.New, 2) + sourceLines(g.New, 2) + ")", values: g.New})
	}
	return out
}

// bodyLines says each body in one line; bodies that changed alike are one line.
func bodyLines(bodies []*diff.Body) []line {
	var out []line
	at := map[string]int{}
	for _, b := range bodies {
		if !bodyChanged(b) {
			continue
		}
		text := strings.Join(slices.Concat(opCounts("+", b.Added), opCounts("-", b.Removed), opCounts("~", b.Changed)),
			" ")
		in := b.Caller
		if in == nil {
			in = b.New.Root
		}
		k, ok := at[text]
		if !ok {
			k = len(out)
			at[text] = k
			out = append(out, line{text: text})
		}
		if in != nil {
			out[k].values = append(out[k].values, in)
		}
	}
	for i := range out {
		l := &out[i]
		if n := len(l.values); n > 1 {
			l.text += fmt.Sprintf(", in %d bodies", n)
		}
		l.text += "  (" + names(l.values, 2) + sourceLines(l.values, 2) + ")"
	}
	return out
}

// kernelLines says what changed in the kernels of custom calls.
func kernelLines(list []diff.KernelChange) []line {
	var out []line
	for _, k := range list {
		text := fmt.Sprintf("%%%s: differs in kernel body (%d -> %d bytes)", k.New.Name, k.OldBytes, k.NewBytes)
		if k.OldBytes == k.NewBytes {
			text = fmt.Sprintf("%%%s: differs in kernel body (%d bytes)", k.New.Name, k.NewBytes)
		}
		switch {
		case k.Unsure:
			text += ", which is in a form that is not known: maybe in source positions only"
		case len(k.Added)+len(k.Removed) == 0:
			text += ", in attributes, types or order"
		default:
			text += ":"
			for _, x := range k.Added {
				text += fmt.Sprintf(" +%s x%d", x.Op, x.Count)
			}
			for _, x := range k.Removed {
				text += fmt.Sprintf(" -%s x%d", x.Op, x.Count)
			}
			text = strings.ReplaceAll(text+" ", " x1 ", " ")
		}
		text = strings.TrimRight(text, " ")
		if s := k.New.SourceLine().String(); s != "" {
			text += "  (" + s + ")"
		}
		out = append(out, line{text: text, values: []*hlo.Instruction{k.New}})
	}
	return out
}

// opCounts returns the operations of a list with their numbers: +add x3.
func opCounts(sign string, list []*hlo.Instruction) (out []string) {
	n := map[string]int{}
	for _, in := range list {
		n[in.OpName()]++
	}
	for _, op := range sortedKeys(n) {
		text := sign + op
		if n[op] > 1 {
			text += fmt.Sprintf(" x%d", n[op])
		}
		out = append(out, text)
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
	kind, side := d.bytesKind()
	for _, s := range slices.Sorted(maps.Keys(spaces)) {
		a, b := padded(d.Old.Spaces[s]), padded(d.New.Spaces[s])
		text := fmt.Sprintf("%s in %s%s: %s", kind, SpaceName(s), side, Bytes(a))
		if a != b {
			text += fmt.Sprintf(" -> %s (%s)", Bytes(b), Signed(b-a))
		}
		out = append(out, text)
	}
	for _, c := range []struct {
		what           string
		added, removed Copies
	}{{"copies", d.CopiesAdded, d.CopiesRemoved}, {"moves between memories", d.MovesAdded, d.MovesRemoved}} {
		if c.added.Count+c.removed.Count > 0 {
			out = append(out, fmt.Sprintf("%s: %d added (%s), %d removed (%s)",
				c.what, c.added.Count, Bytes(c.added.Bytes), c.removed.Count, Bytes(c.removed.Bytes)))
		}
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
		out = append(out, fmt.Sprintf("repeated: %d in tuples, loops and bitcasts, %d inside fusions and "+
			"reducers", n, m))
	}
	if a, b := d.Uncompared[0], d.Uncompared[1]; a+b > 0 {
		out = append(out, fmt.Sprintf("not compared: %s of the old text and %d of the new, which may come after the "+
			"other's end", count(a, "computation"), b))
	}
	if text := d.noise(); text != "" {
		out = append(out, "no difference: "+text)
	}
	return out
}

// bytesKind says what the bytes of the totals are: padded, unpadded, or, with the side, one of both.
func (d *Diff) bytesKind() (kind, side string) {
	switch old, new := d.Old.Untiled, d.New.Untiled; {
	case old && new:
		return "unpadded bytes", ""
	case old:
		return "bytes", " (unpadded in the old text, padded in the new)"
	case new:
		return "bytes", " (padded in the old text, unpadded in the new)"
	}
	return "padded bytes", ""
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
		{d.Noise.Commuted, "with operands exchanged", true},
		{d.Noise.Kernels, "with a kernel from other source lines", true},
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
