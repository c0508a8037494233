package report

import (
	"bytes"
	"cmp"
	"fmt"
	"path"
	"slices"
	"strings"
	"text/tabwriter"

	"hlolayout/hlo"
)

// AppendText appends the summary as half a page of text.
func (s *Summary) AppendText(dst []byte) []byte {
	var b bytes.Buffer
	t := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	row := func(name, format string, args ...any) {
		fmt.Fprintf(t, "  %s\t%s\n", name, hlo.Visible(fmt.Sprintf(format, args...)))
	}
	row("stage", "%s: %s", s.Stage, s.StageMeans)
	if s.Judged {
		row("target", "%s (%s)", s.TPU, s.TPUSource)
	}
	program := fmt.Sprintf("%s in %s", count(s.Instructions, "instruction"), count(s.Computations, "computation"))
	if s.Fusions > 0 {
		program += ", " + count(s.Fusions, "fusion")
	}
	if s.Loops > 0 {
		program += ", " + count(s.Loops, "loop")
	}
	row("program", "%s", program)
	switch {
	case s.Judged:
		s.costs(row)
	case s.Partial != "" && s.Arrays == 0:
		row("partial", "%s", s.Partial)
		row("arrays", "not known: the text has nothing of an entry computation")
	case s.Partial != "":
		row("partial", "%s; the sums are of what the text holds", s.Partial)
		row("layouts", "as written: hlolayout assigns whole modules only")
		s.sums(row)
	}
	t.Flush()
	dst = fmt.Appendf(dst, "%s: module %s\n", hlo.Visible(s.File), hlo.Visible(s.Module))
	dst = append(dst, b.Bytes()...)
	return appendNext(s.appendFindings(dst), s.Next)
}

// costs writes the rows of a module that is judged.
func (s *Summary) costs(row func(name, format string, args ...any)) {
	layouts := "the file's"
	if s.Assigned {
		layouts = "hlolayout's, the file has none of a TPU"
	}
	row("layouts", "%s", layouts)
	row("parameters", "%s", s.Parameters)
	results := s.Results.String()
	if s.Aliases > 0 {
		results += fmt.Sprintf("; %d may share a parameter's memory", s.Aliases)
	}
	row("results", "%s", results)
	s.sums(row)
	switch m := s.Memory; {
	case m == nil && s.Unknown > 0:
		row("memory", "not known: the size of %s is not", some(s.Unknown, "array"))
	case m == nil:
		row("memory", "at least %s of parameters and results; the peak is known when the module is scheduled",
			Bytes(s.Held))
	default:
		text := Bytes(m.HBM) + " of HBM a run" + of(m.HBMLimit)
		if m.HBMLimit > 0 && m.HBM > m.HBMLimit {
			text += ", which does not fit"
		}
		if m.Fast != "" {
			text += fmt.Sprintf("; %s of %s at the peak%s", Bytes(m.FastPeak), m.Fast, of(m.FastLimit))
		}
		row("memory", "%s", text)
	}
}

// sums writes the rows about arrays and relayouts.
func (s *Summary) sums(row func(name, format string, args ...any)) {
	arrays := fmt.Sprintf("%d of %s with padding", s.Arrays-s.Unknown, Bytes(s.Padded))
	if s.Unknown > 0 {
		arrays += fmt.Sprintf("; %d more of unknown size: without a bound, or of more than 2^63 bits", s.Unknown)
	}
	row("arrays", "%s", arrays)
	padding := "none"
	if s.Padded > s.Logical {
		padding = fmt.Sprintf("%s: the arrays take %.2f times their data", Bytes(s.Padded-s.Logical),
			float64(s.Padded)/float64(max(1, s.Logical)))
	}
	row("padding", "%s", padding)
	moved := "none"
	if s.Relayouts > 0 {
		moved = fmt.Sprintf("%d, moving %s a run", s.Relayouts, Bytes(s.RelayoutBytes))
	}
	row("relayouts", "%s", moved)
}

func of(limit int64) string {
	if limit == 0 {
		return ""
	}
	return " (of " + Bytes(limit) + " for arrays)"
}

// String is the number of arrays, their bytes, and the largest shapes.
func (b *BoundaryJSON) String() string {
	if b.Arrays == 0 {
		return "none"
	}
	text := fmt.Sprintf("%d, %s", b.Arrays, Bytes(b.Padded))
	if b.Unknown > 0 {
		text += fmt.Sprintf(" without %d of unknown size", b.Unknown)
	}
	if b.Padded > b.Logical {
		text += fmt.Sprintf(" (%s of it padding)", Bytes(b.Padded-b.Logical))
	}
	text += ":"
	const most = 2
	for i, c := range b.Shapes {
		if i == most {
			return text + fmt.Sprintf(", and %d more", len(b.Shapes)-most)
		}
		if i > 0 {
			text += ","
		}
		text += " " + c.Shape
		if c.Count > 1 {
			text += fmt.Sprintf(" x%d", c.Count)
		}
	}
	return text
}

func (s *Summary) appendFindings(dst []byte) []byte {
	switch {
	case !s.Judged:
		return dst
	case len(s.Findings) == 0:
		return append(dst, "Findings: none\n"...)
	case s.Found > len(s.Findings):
		dst = fmt.Appendf(dst, "Worst of %s:\n", count(s.Found, "finding"))
	default:
		dst = append(dst, "Worst findings:\n"...)
	}
	for i := range s.Findings {
		dst = s.Findings[i].append(dst, fmt.Sprintf("  %d. ", i+1))
	}
	return dst
}

// append writes a finding: what it is about and costs, below it where the program makes it, and what helps.
func (f *SummaryFinding) append(dst []byte, number string) []byte {
	what := f.Value
	if f.Shape != "" {
		what += " " + f.Shape
	}
	if f.Count > 1 {
		what += fmt.Sprintf(" and %d like it", f.Count-1)
	}
	if what != "" {
		what += ": "
	}
	small := ""
	if f.Small {
		small = ", small"
	}
	dst = fmt.Appendf(dst, "%s%s [%s %s%s]\n", number, hlo.Visible(what+f.Message), f.Rule, f.Name, small)
	if place := f.place(); place != "" {
		dst = fmt.Appendf(dst, "     %s\n", hlo.Visible(place))
	}
	if f.Doubt != "" {
		dst = fmt.Appendf(dst, "     %s\n", hlo.Visible(f.Doubt))
	}
	if f.Suggestion != "" {
		dst = fmt.Appendf(dst, "     suggestion: %s\n", hlo.Visible(f.Suggestion))
	}
	return dst
}

// place is the line of the program, and the operation there.
func (f *SummaryFinding) place() string {
	text := f.OpName
	if f.Source != "" {
		line := fmt.Sprintf("%s:%d", path.Base(f.Source), f.SourceLine)
		if f.Function != "" {
			line += " (" + f.Function + ")"
		}
		if text = line + ": " + text; f.OpName == "" {
			text = line
		}
	}
	return text
}

func appendNext(dst []byte, next []SummaryNextStep) []byte {
	if len(next) == 0 {
		return dst
	}
	dst = append(dst, "Next:\n"...)
	for _, n := range next {
		dst = fmt.Appendf(dst, "  %s\n      %s\n", hlo.Visible(n.Command), hlo.Visible(n.Why))
	}
	return dst
}

// Summaries is the first look at several modules.
type Summaries struct {
	Form
	// Modules are in the order of their cost, the worst first.
	Modules []*Summary `json:"modules"`
	// Failed are the texts that could not be read.
	Failed []Result          `json:"failed"`
	Next   []SummaryNextStep `json:"next"`
}

// AppendText appends one summary, or a table of several with the worst findings of all.
func (l *Summaries) AppendText(dst []byte, name string) []byte {
	if len(l.Modules) == 1 {
		return l.Modules[0].AppendText(dst)
	}
	l.place()
	var b bytes.Buffer
	t := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	fmt.Fprint(t, "  module\tstage\tTPU\tinstructions\tarrays\tpadding\trelayouts\tHBM a run\tfindings\n")
	for _, s := range l.Modules {
		s.row(t)
	}
	t.Flush()
	dst = fmt.Appendf(dst, "%s: %s, by padding and relayouts, the worst first%s\n", hlo.Visible(name),
		count(len(l.Modules), "module"), l.target())
	for line := range bytes.Lines(b.Bytes()) {
		dst = append(append(dst, bytes.TrimRight(line, " \n")...), '\n')
	}
	if len(l.Modules) > 0 && len(l.worst()) > 0 {
		dst = append(dst, "Worst findings:\n"...)
	}
	for i, w := range l.worst() {
		dst = w.finding.append(dst, fmt.Sprintf("  %d. %s: ", i+1, hlo.Visible(w.of.name())))
	}
	return appendNext(dst, l.Next)
}

// Advise sets what to run next: for one module what it says itself. arg is the argument as a shell reads it.
func (l *Summaries) Advise(arg, flags string) {
	if len(l.Modules) < 2 {
		return
	}
	worst := l.Modules[0]
	add := func(command, why string) { l.Next = append(l.Next, SummaryNextStep{"hlolayout " + command, why}) }
	one, file := "", worst.File
	if n := cmp.Or(worst.Number, worst.Place); n != nil {
		one = fmt.Sprintf(" --module %d", *n)
	}
	if worst.Number != nil {
		file = worst.Folder
		if slices.ContainsFunc(l.Modules[1:], func(s *Summary) bool {
			return s.Number != nil && *s.Number == *worst.Number && s.Folder == worst.Folder
		}) { // of two programs
			one = " --module " + Quoted(worst.Module)
		}
	}
	add(fmt.Sprintf("summary%s%s %s", flags, one, Quoted(file)), "the worst module alone")
	if worst.Number != nil {
		add("dump "+Quoted(worst.Folder), "what each pass changed")
	}
	if slices.ContainsFunc(l.Modules, func(s *Summary) bool { return s.Found > 0 }) {
		add(fmt.Sprintf("lint --severity note%s %s", flags, arg), "every finding above the thresholds")
	}
}

// Quoted puts quotes around what a shell would take apart.
func Quoted(s string) string {
	if s != "" && !strings.ContainsAny(s, " \t\n'\"\\$*?[]()<>|&;`~#") {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}

// target names the target that all modules are judged for.
func (l *Summaries) target() string {
	text := ""
	for _, s := range l.Modules {
		of := fmt.Sprintf("; target %s (%s)", s.TPU, s.TPUSource)
		switch {
		case !s.Judged:
		case text != "" && text != of:
			return ""
		default:
			text = of
		}
	}
	return text
}

func (s *Summary) row(t *tabwriter.Writer) {
	tpu := s.TPU
	if !s.Judged {
		tpu = "-"
	}
	fmt.Fprintf(t, "  %s\t%s\t%s\t%d\t", hlo.Visible(s.name()), s.Stage, tpu, s.Instructions)
	if !s.Judged { // all cells, for the columns end with a row that has fewer
		why := "its text is cut"
		if s.Platform != "" {
			why = "compiled for " + s.Platform
		}
		fmt.Fprintf(t, "-\t-\t-\t-\tnot judged: %s\n", hlo.Visible(why))
		return
	}
	moved, hbm := "-", "-"
	if s.Relayouts > 0 {
		moved = fmt.Sprintf("%s by %d", Bytes(s.RelayoutBytes), s.Relayouts)
	}
	if s.Memory != nil {
		hbm = Bytes(s.Memory.HBM)
		if limit := s.Memory.HBMLimit; limit > 0 && s.Memory.HBM > limit {
			hbm += " of " + Bytes(limit)
		}
	}
	fmt.Fprintf(t, "%s\t%s\t%s\t%s\t%d\n", Bytes(s.Padded), Bytes(s.Padded-s.Logical), moved, hbm, s.Found)
}

// name is the module as a dump folder is listed, with its number and prefix, or, next to modules of other files, with
// its file.
func (s *Summary) name() string {
	name := s.Module
	if s.Number != nil {
		name = fmt.Sprintf("module_%04d %s", *s.Number, name)
	}
	if s.Place != nil {
		name = fmt.Sprintf("module %d %s", *s.Place, name)
	}
	if s.Prefix != "" {
		name += " (" + s.Prefix + ")"
	}
	if s.below != "" {
		name += " (" + s.below + ")"
	}
	return name
}

// place notes which file each module is in, below the folder that all are in, where these are several and no dumps.
func (l *Summaries) place() {
	first := l.Modules[0].File
	dir, several := first[:strings.LastIndexByte(first, '/')+1], false
	for _, s := range l.Modules {
		several = several || s.Number == nil && s.File != first
		for !strings.HasPrefix(s.File, dir) {
			dir = dir[:strings.LastIndexByte(dir[:len(dir)-1], '/')+1]
		}
	}
	for _, s := range l.Modules {
		if several && s.Number == nil {
			s.below = s.File[len(dir):]
		}
	}
}

type worst struct {
	of      *Summary
	finding *SummaryFinding
}

// worst returns the findings of all modules that cost most, those that the sums leave out last.
func (l *Summaries) worst() (list []worst) {
	for _, s := range l.Modules {
		for i := range s.Findings {
			list = append(list, worst{s, &s.Findings[i]})
		}
	}
	last := map[bool]int{true: 1}
	slices.SortStableFunc(list, func(a, b worst) int {
		return cmp.Or(last[a.finding.Small]-last[b.finding.Small], last[a.finding.uncounted]-last[b.finding.uncounted],
			cmp.Compare(b.finding.Bytes, a.finding.Bytes))
	})
	return list[:min(len(list), summaryFindings)]
}
