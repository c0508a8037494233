package report

import (
	"fmt"

	"hlolayout/hlo"
	"hlolayout/passes/lint"
)

// Lint are the findings in one module.
type Lint struct {
	File     string
	Module   *hlo.Module
	Target   string
	Origin   Origin
	Several  bool // the file holds other modules, too
	Findings []lint.Finding
	// Accepted is how many values a baseline took out.
	Accepted int
}

// AppendText appends a line for each finding, as `file:line:col: severity: %name: message [rule]`, and what more there
// is to say below it; at most o.Top findings, 0 for all.
func (l *Lint) AppendText(dst []byte, o Options) []byte {
	file := hlo.Visible(l.File)
	if l.Several {
		file += ", module " + hlo.Visible(l.Module.Name)
	}
	for i := range l.Findings {
		if o.Top > 0 && i == o.Top {
			dst = fmt.Appendf(dst, "%s: ... and %s (--top 0 shows all)\n", file,
				count(len(l.Findings)-i, "more finding"))
			break
		}
		dst = l.appendFinding(dst, &l.Findings[i], o.Color)
	}
	values, notes := 0, ""
	for i := range l.Findings {
		values += l.Findings[i].Count()
	}
	if l.Accepted > 0 {
		notes = fmt.Sprintf(", %d accepted by the baseline", l.Accepted)
	}
	if values+l.Accepted > 0 {
		dst = fmt.Appendf(dst, "%s: %s in %s%s\n", file, count(len(l.Findings), "finding"), count(values, "value"),
			notes)
	}
	return dst
}

// severityColors are those of a compiler's messages: red, magenta, cyan.
var severityColors = map[lint.Severity]string{lint.Error: "31", lint.Warning: "35", lint.Note: "36"}

func (l *Lint) appendFinding(dst []byte, f *lint.Finding, color bool) []byte {
	at := Result{}
	at.place(l.File, f.Instruction)
	severity := f.Severity.String()
	if color {
		severity = "\x1b[" + severityColors[f.Severity] + "m" + severity + "\x1b[0m"
	}
	dst = fmt.Appendf(dst, "%s: %s: ", where(&at), severity)
	text := ""
	if l.Several {
		text = l.Module.Name + ": "
	}
	if f.Instruction != nil {
		text += "%" + f.Instruction.Name + f.Index.String()
		if len(f.Same) > 0 {
			text += fmt.Sprintf(" and %d like it", len(f.Same))
		}
		text += ": "
	}
	if f.Shape != nil {
		text += f.Shape.String() + ": "
	}
	dst = fmt.Appendf(dst, "%s [%s]", hlo.Visible(text+f.Message), f.Rule.ID)
	if s := at.source(); s != "" {
		dst = fmt.Appendf(dst, " (%s)", hlo.Visible(s))
	}
	dst = append(dst, '\n')
	for _, d := range f.Details {
		dst = fmt.Appendf(dst, "    %s\n", hlo.Visible(d))
	}
	if f.Suggestion != "" {
		dst = fmt.Appendf(dst, "    suggestion: %s; saves %s\n", hlo.Visible(f.Suggestion),
			lint.Size(f.Saves*int64(f.Count())))
	}
	return dst
}

// Case returns the findings, with all of their values.
func (l *Lint) Case() Case {
	c := Case{File: l.File, Module: l.Module.Name, Target: l.Target, Origin: l.Origin, Bound: l.Module.Bound(),
		Accepted: l.Accepted}
	if l.Accepted > 0 {
		c.Notes = []string{fmt.Sprintf("%d accepted by the baseline", l.Accepted)}
	}
	for i := range l.Findings {
		f := &l.Findings[i]
		x := Result{Rule: f.Rule.ID, Name: f.Rule.Name, Severity: f.Severity.String(), Message: f.Message,
			Details: append([]string{}, f.Details...),
			Bytes:   f.Bytes, Suggestion: f.Suggestion, Saves: f.Saves, Values: []ValueJSON{}}
		if f.Shape != nil {
			x.Shape = f.Shape.String()
		}
		if f.Instruction != nil {
			x.Values = append(append(x.Values, valueJSON(f.Instruction, f.Index)), valuesJSON(f.Same, nil)...)
		}
		x.place(l.File, f.Instruction)
		c.Findings = append(c.Findings, x)
	}
	return c
}
