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
	Findings []lint.Finding
	// Accepted is how many values a baseline took out.
	Accepted int
}

// AppendText appends a line for each finding, as `file:line:col: severity: %name: message [rule]`, and what more there is to
// say below it; at most top findings, 0 for all.
func (l *Lint) AppendText(dst []byte, top int) []byte {
	for i := range l.Findings {
		if top > 0 && i == top {
			dst = fmt.Appendf(dst, "%s: ... and %s (--top 0 shows all)\n", l.File, count(len(l.Findings)-i, "more finding"))
			break
		}
		dst = l.appendFinding(dst, &l.Findings[i])
	}
	values, notes := 0, ""
	for i := range l.Findings {
		values += l.Findings[i].Count()
	}
	if l.Accepted > 0 {
		notes = fmt.Sprintf(", %d accepted by the baseline", l.Accepted)
	}
	if values+l.Accepted > 0 {
		dst = fmt.Appendf(dst, "%s: %s in %s%s\n", l.File, count(len(l.Findings), "finding"), count(values, "value"), notes)
	}
	return dst
}

func (l *Lint) appendFinding(dst []byte, f *lint.Finding) []byte {
	dst = append(dst, l.File...)
	if in := f.Instruction; in != nil {
		if line, col := l.Module.Position(in.Pos); line > 0 && l.Module.Source != "" {
			dst = fmt.Appendf(dst, ":%d:%d", line, col)
		}
	}
	dst = fmt.Appendf(dst, ": %s: ", f.Severity)
	if f.Instruction != nil {
		dst = fmt.Appendf(dst, "%%%s", f.Instruction.Name)
		if len(f.Same) > 0 {
			dst = fmt.Appendf(dst, " and %d like it", len(f.Same))
		}
		dst = append(dst, ": "...)
	}
	if f.Shape != nil {
		dst = append(append(dst, f.Shape.String()...), ": "...)
	}
	dst = fmt.Appendf(dst, "%s [%s]\n", f.Message, f.Rule.ID)
	for _, d := range f.Details {
		dst = fmt.Appendf(dst, "    %s\n", d)
	}
	if f.Suggestion != "" {
		dst = fmt.Appendf(dst, "    suggestion: %s; saves %s\n", f.Suggestion, lint.Size(f.Saves*int64(f.Count())))
	}
	return dst
}

// AppendMarkdown appends the findings as a table.
func (l *Lint) AppendMarkdown(dst []byte, top int) []byte {
	dst = fmt.Appendf(dst, "### `%s`: %s\n", l.File, count(len(l.Findings), "finding"))
	if len(l.Findings) == 0 {
		return dst
	}
	dst = append(dst, "\n| rule | severity | values | bytes | finding |\n| --- | --- | --- | --- | --- |\n"...)
	for i := range l.Findings {
		f := &l.Findings[i]
		if top > 0 && i == top {
			dst = fmt.Appendf(dst, "\n... and %s\n", count(len(l.Findings)-i, "more finding"))
			break
		}
		text := f.Message
		if f.Instruction != nil {
			text = "%" + f.Instruction.Name + ": " + text
		}
		dst = fmt.Appendf(dst, "| %s | %s | %d | %s | %s |\n", f.Rule.ID, f.Severity, f.Count(), Bytes(f.Bytes), code(text))
	}
	return dst
}

// LintJSON is the JSON form of Lint.
type LintJSON struct {
	SchemaVersion int           `json:"schema_version"`
	File          string        `json:"file"`
	Module        string        `json:"module"`
	Target        string        `json:"target"`
	Accepted      int           `json:"accepted"`
	Findings      []FindingJSON `json:"findings"`
}

// FindingJSON is one finding; bytes are those of one value.
type FindingJSON struct {
	Rule       string      `json:"rule"`
	Name       string      `json:"name"`
	Severity   string      `json:"severity"`
	Message    string      `json:"message"`
	Details    []string    `json:"details"`
	Shape      string      `json:"shape,omitempty"`
	Bytes      int64       `json:"bytes"`
	Suggestion string      `json:"suggestion,omitempty"`
	Saves      int64       `json:"saves_bytes,omitempty"`
	Values     []ValueJSON `json:"values"`
}

// JSON returns the JSON form, with all findings. Lists are never null.
func (l *Lint) JSON() *LintJSON {
	out := &LintJSON{SchemaVersion, l.File, l.Module.Name, l.Target, l.Accepted, []FindingJSON{}}
	for i := range l.Findings {
		f := &l.Findings[i]
		j := FindingJSON{Rule: f.Rule.ID, Name: f.Rule.Name, Severity: f.Severity.String(), Message: f.Message, Details: append([]string{}, f.Details...),
			Bytes: f.Bytes, Suggestion: f.Suggestion, Saves: f.Saves, Values: []ValueJSON{}}
		if f.Shape != nil {
			j.Shape = f.Shape.String()
		}
		if f.Instruction != nil {
			j.Values = append(j.Values, valueJSON(f.Instruction, f.Index))
			for _, in := range f.Same {
				j.Values = append(j.Values, valueJSON(in, nil))
			}
		}
		out.Findings = append(out.Findings, j)
	}
	return out
}
