package html

import (
	"cmp"
	"fmt"
	"slices"

	"hlolayout/hlo"
	"hlolayout/passes/padding"
	"hlolayout/passes/relayout"
	"hlolayout/passes/shrink"
	"hlolayout/printer/report"
)

// most is how many groups the summary lists.
const most = 6

// summary is the top of the page.
type summary struct {
	Title, File, Target string
	Instructions        string
	// Compared says what the shapes before are; "" where there are none.
	Compared string
	Reasons  bool

	Arrays, Data, Padded, Waste, WasteShare string
	DataPercent, WastePercent               float64
	Unknown                                 int
	Shapes                                  []shapeGroup
	MoreShapes                              int

	Relayouts            string
	Moved, MovedShare    string
	Loops, Inexact       int
	Moves                []moveGroup
	MoreMoves            int
	Changed, New, Copies string
	Reordered, Retiled   string

	Causes     []causeGroup
	MoreCauses int

	Spaces []spaceUse
	Stats  string
}

// shapeGroup are the arrays of one shape.
type shapeGroup struct {
	Type, Layout, Count, Waste, Factor, Why string
	Share                                   string  // of all padding
	Better                                  string  // an order that takes less
	Cause                                   string  // what the first one's order comes from
	Percent                                 float64 // of the padding of the worst group
}

// causeGroup is one of the causes that decide most bytes.
type causeGroup struct {
	Text, Cost, Query string
	Percent           float64 // of what the worst one costs
}

// moveGroup are the relayouts from one shape to another.
type moveGroup struct {
	Op, From, To, Count, Total, Cause string
	Query, Share                      string
	Percent                           float64
}

type spaceUse struct {
	Name, Peak, Limit, At string
	Percent               float64 // of the limit
}

func (d *data) summary(stats *report.Stats) *summary {
	m := d.in.Module
	s := &summary{Title: clean(m.Name), File: clean(d.in.File), Reasons: d.in.Plan != nil, Unknown: stats.Unknown,
		Instructions: fmt.Sprintf("%s in %s", count(len(d.op), "instruction"),
			count(len(m.Computations), "computation"))}
	if d.in.Target != nil {
		s.Target = d.in.Target.Name
	}
	total := stats.Total
	waste := total.Padded - total.Logical
	s.Arrays, s.Data, s.Padded, s.Waste = count(total.Values, "array"), report.Bytes(total.Logical),
		report.Bytes(total.Padded), report.Bytes(waste)
	s.WasteShare = percent(waste, total.Logical)
	s.DataPercent, s.WastePercent = share(total.Logical, total.Padded), share(waste, total.Padded)
	for i := range stats.Groups {
		g := &stats.Groups[i]
		if g.Waste() <= 0 {
			break
		}
		if i >= most {
			s.MoreShapes++
			continue
		}
		s.Shapes = append(s.Shapes, shapeGroup{Type: string(g.Shape.Append(nil, false)), Layout: layoutText(g.Shape),
			Count: count(len(g.Values), "array"),
			Waste: report.Bytes(g.Waste()), Share: percent(g.Waste(), waste), Factor: factor(g.Size.Factor()),
			Why: shrink.Why(g.Shape), Percent: share(g.Waste(), stats.Groups[0].Waste()),
			Better: d.better(g), Cause: d.cause(g.Values[0], g.Indices[0])})
	}
	d.moves(s, stats.Relayouts)
	d.causes(s)
	d.changes(s)
	if r := d.in.Memory; r != nil {
		s.Stats = fmt.Sprintf("A run takes %s of HBM: arguments %s, outputs %s, of these aliased %s, constants %s, "+
			"temporaries %s.", report.Bytes(r.Stats.Peak()), report.Bytes(r.Stats.Argument), report.Bytes(r.Stats.Output),
			report.Bytes(r.Stats.Alias), report.Bytes(r.Stats.Constant), report.Bytes(r.Stats.Temp))
		for i := range r.Spaces {
			u := &r.Spaces[i]
			use := spaceUse{Name: u.Name, Peak: report.Bytes(u.Peak), Percent: share(u.Peak, u.Limit)}
			if u.Number == 0 {
				use.Name += " temporaries"
			}
			if u.Limit > 0 {
				use.Limit = report.Bytes(u.Limit)
			}
			if u.At != nil && u.Peak > 0 {
				use.At = clean(hlo.ValueName(u.At, nil))
			}
			s.Spaces = append(s.Spaces, use)
		}
	}
	return s
}

// better says which of the usual orders takes less, and how much less for all values of a group; "" for none.
func (d *data) better(g *report.ValueGroup) string {
	order, least := "", g.Size.Padded
	for _, o := range d.orders(g.Shape) {
		if o.bytes < least {
			order, least = o.order, o.bytes
		}
	}
	if order == "" {
		return ""
	}
	return fmt.Sprintf("in order %s they would take %s less", order,
		report.Bytes((g.Size.Padded-least)*int64(len(g.Values))))
}

// cause says what the layout of a value comes from in the end; "" where that is not known.
func (d *data) cause(in *hlo.Instruction, index hlo.Index) string {
	if d.in.Plan == nil {
		return ""
	}
	last, ok := d.chains.End(in, index)
	if !ok {
		return ""
	}
	if last.Instruction == in {
		return fmt.Sprintf("why %s has this order: %s", clean(hlo.ValueName(in, index)), clean(last.Reason.Rule))
	}
	return fmt.Sprintf("why %s has this order: for %s, %s", clean(hlo.ValueName(in, index)),
		clean(hlo.ValueName(last.Instruction, last.Index)), clean(last.Reason.Rule))
}

// causes lists the causes at the ends of the chains by what they cost.
func (d *data) causes(s *summary) {
	if d.in.Plan == nil {
		return
	}
	list := report.NewRootCauses(d.in.Module, d.in.File, d.chains).Causes
	for i := range list {
		c := &list[i]
		if i >= most {
			s.MoreCauses++
			continue
		}
		s.Causes = append(s.Causes, causeGroup{Text: clean(c.Text()), Query: clean(c.Example),
			Percent: share(c.Padding+c.Moved, list[0].Padding+list[0].Moved),
			Cost:    fmt.Sprintf("%s of padding, %s of copies", report.Bytes(c.Padding), report.Bytes(c.Moved))})
	}
}

// moves groups the relayouts by what they make of what.
func (d *data) moves(s *summary, list []relayout.Relayout) {
	type key struct {
		op       string
		from, to *hlo.Shape
	}
	type group struct {
		key
		count int
		total int64
		first *relayout.Relayout
	}
	at := map[key]int{}
	var groups []group
	for i := range list {
		r := &list[i]
		if r.InLoop {
			s.Loops++
		}
		if !r.Exact {
			s.Inexact++
		}
		k := key{r.Instruction.OpName(), r.From, r.To}
		g, ok := at[k]
		if !ok {
			g = len(groups)
			at[k] = g
			groups = append(groups, group{key: k, first: r})
		}
		groups[g].count++
		if groups[g].total += r.Total(); groups[g].total < 0 {
			groups[g].total = 1<<63 - 1
		}
	}
	slices.SortStableFunc(groups, func(a, b group) int { return cmp.Compare(b.total, a.total) })
	moved := relayout.Sum(list)
	s.Relayouts, s.Moved, s.MovedShare = count(len(list), "instruction"), report.Bytes(moved),
		percent(moved, d.written())
	for i, g := range groups {
		if i >= most {
			s.MoreMoves++
			continue
		}
		s.Moves = append(s.Moves, moveGroup{Op: g.op, From: layoutText(g.from), To: clean(g.to.String()),
			Count: thousands(g.count) + "×",
			Total: report.Bytes(g.total), Share: percent(g.total, moved), Cause: clean(g.first.Cause()),
			Query: clean(hlo.ValueName(g.first.Instruction, nil)), Percent: share(g.total, groups[0].total)})
	}
}

// written returns how many bytes all instructions write in one run, those in loops as often as these go round.
func (d *data) written() (n int64) {
	padding.Each(d.in.Module, func(v *padding.Value) {
		if v.Instruction.Opcode == hlo.OpParameter || v.Instruction.Opcode == hlo.OpConstant {
			return
		}
		times := d.runs[v.Instruction.Computation].Times
		if v.Padded > 0 && times > (1<<63-1-n)/v.Padded {
			n = 1<<63 - 1
			return
		}
		n += v.Padded * times
	})
	return n
}

// changes counts what differs from before.
func (d *data) changes(s *summary) {
	if d.in.Before == nil {
		return
	}
	s.Compared = d.in.Compared
	new, copies := 0, 0
	for _, c := range d.in.Module.Computations {
		for _, in := range c.Instructions {
			if d.in.Before(in) == nil {
				if new++; in.Opcode == hlo.OpCopy || in.Opcode == hlo.OpCopyStart {
					copies++
				}
			}
		}
	}
	changed, reordered, retiled := 0, 0, 0
	for row, was := range d.was {
		if was == 0 || d.flags[row] != '1' {
			continue
		}
		a, b := d.shapes.list[was-1], d.shapes.list[d.shape[row]]
		switch {
		case a == b:
			continue
		case !slices.Equal(a.MinorToMajor(), b.MinorToMajor()):
			reordered++
		case !a.Layout.Equal(b.Layout):
			retiled++
		}
		changed++
	}
	s.Changed, s.New, s.Copies = thousands(changed), count(new, "new instruction"), thousands(copies)
	s.Reordered, s.Retiled = thousands(reordered), thousands(retiled)
}

func layoutText(s *hlo.Shape) string {
	if s == nil || s.Layout == nil {
		return "no layout"
	}
	return clean(s.Layout.String())
}

// share returns a in percent of b, at most 100.
func share(a, b int64) float64 {
	if b <= 0 || a <= 0 {
		return 0
	}
	return min(100, float64(a)/float64(b)*100)
}

func percent(a, b int64) string {
	if b <= 0 {
		return "0 %"
	}
	x := float64(a) / float64(b) * 100
	switch {
	case a > 0 && x < 0.1:
		return "less than 0.1 %"
	case x < 10:
		return fmt.Sprintf("%.1f %%", x)
	}
	return fmt.Sprintf("%.0f %%", x)
}

// count writes 1 array, 12,345 arrays.
func count(n int, noun string) string {
	if n != 1 {
		noun += "s"
	}
	return thousands(n) + " " + noun
}

// factor writes 2.0×, and 1.01× where one digit would hide that there is padding.
func factor(x float64) string {
	if x < 1.1 {
		return fmt.Sprintf("%.2f×", x)
	}
	return fmt.Sprintf("%.1f×", x)
}

func thousands(n int) string {
	text := fmt.Sprint(n)
	for i := len(text) - 3; i > 0; i -= 3 {
		text = text[:i] + "," + text[i:]
	}
	return text
}

// memory is what fills the memories, as rows: what is there at the peak, what is kept in HBM and why, and the copies
// between the memories. nil for a module without a schedule.
func (d *data) memory() map[string][][]any {
	r := d.in.Memory
	if r == nil {
		return nil
	}
	residents, kept, copies := [][]any{}, [][]any{}, [][]any{}
	for i := range r.Spaces {
		u := &r.Spaces[i]
		for _, x := range u.Residents {
			what := ""
			if x.Scratch {
				what = "scratch"
			}
			residents = append(residents, []any{u.Name, d.number(x.Instruction), x.Index.String(), what, x.Bytes,
				d.number(x.From), d.number(x.To)})
		}
	}
	for _, k := range r.Kept {
		kept = append(kept, []any{d.number(k.Instruction), k.Index.String(), k.Bytes, k.Reason.String()})
	}
	for _, c := range r.Copies {
		copies = append(copies, []any{d.number(c.Instruction), c.Index.String(), c.Bytes, clean(c.Text)})
	}
	return map[string][][]any{"residents": residents, "kept": kept, "copies": copies}
}
