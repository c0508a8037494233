package report

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"hlolayout/hlo"
	"hlolayout/passes/lint"
)

// Results are what one run of lint, check or diff found. Each format for CI (Formats) is made of it.
type Results struct {
	// Command is the name of the command, Version that of the tool.
	Command, Version string
	// Rules are those that the command looks at; each rule of a Result is one of them, or one of a Case's Errors.
	Rules []lint.Rule
	Cases []Case
}

// Case is one thing that was examined: a module (lint), a module and its goldens (check), or a pair of modules (diff).
type Case struct {
	// File is the text's name, Against that of what it was compared with, "" for none.
	File    string `json:"file"`
	Against string `json:"against,omitempty"`
	Module  string `json:"module,omitempty"`
	// Target is the TPU generation, where it matters.
	Target string `json:"target,omitempty"`
	Origin
	// Bound is "upper" where bytes are those of a module that has yet to be fused, else "exact"; "" where no bytes are
	// told.
	Bound string `json:"bound,omitempty"`
	// Budgets are those of check, each with its verdict.
	Budgets []Budget `json:"budgets,omitempty"`
	// Accepted is how many values a baseline took out.
	Accepted int      `json:"accepted"`
	Findings []Result `json:"findings"`
	// Errors say why the case could not be examined, or not to the end.
	Errors []Result `json:"errors"`
	// Notes are sums and remarks, a line each.
	Notes []string `json:"notes"`
}

// Result is one finding; bytes are those of one value. Line and Column are 1-based, 0 without a position.
type Result struct {
	Rule     string `json:"rule"`
	Name     string `json:"name"`
	Severity string `json:"severity"`
	File     string `json:"file"`
	Line     int    `json:"line,omitempty"`
	Column   int    `json:"column,omitempty"`
	// SourceFile and SourceLine are where in the program the instruction comes from.
	SourceFile string `json:"source_file,omitempty"`
	SourceLine int    `json:"source_line,omitempty"`
	// Message says what is found, Details more of it, a line each.
	Message    string      `json:"message"`
	Details    []string    `json:"details"`
	Shape      string      `json:"shape,omitempty"`
	Bytes      int64       `json:"bytes"`
	Suggestion string      `json:"suggestion,omitempty"`
	Saves      int64       `json:"saves_bytes,omitempty"`
	Values     []ValueJSON `json:"values"`
}

// The rules of diff and of check: what kinds of differences there are.
var (
	diffRules = []lint.Rule{
		{ID: "DIF001", Name: "entry", Severity: lint.Error, Doc: "parameters, results or aliases of the entry " +
			"changed, so that callers break"},
		{ID: "DIF002", Name: "layout", Severity: lint.Warning, Doc: "a value has another layout"},
		{ID: "DIF003", Name: "inner-layout", Severity: lint.Note, Doc: "a value that passes on others, or is " +
			"inside of a fusion, has another layout"},
		{ID: "DIF004", Name: "instruction-added", Severity: lint.Warning, Doc: "an instruction is in the new module " +
			"only"},
		{ID: "DIF005", Name: "instruction-removed", Severity: lint.Warning, Doc: "an instruction is in the old " +
			"module only"},
		{ID: "DIF006", Name: "instruction-changed", Severity: lint.Warning,
			Doc: "an instruction computes something else"},
		{ID: "DIF007", Name: "module-attribute", Severity: lint.Note, Doc: "an attribute of the module changed"},
		{ID: "DIF008", Name: "one-side-only", Severity: lint.Warning, Doc: "a module has no partner on the other side"},
		{ID: "DIF009", Name: "body", Severity: lint.Warning, Doc: "the body of a fusion or reducer computes " +
			"something else"},
		{ID: "DIF010", Name: "size", Severity: lint.Warning, Doc: "a dimension or element type changed in many shapes"},
		{ID: "DIF011", Name: "compiled", Severity: lint.Note, Doc: "the compiler chose other settings for an " +
			"instruction, in its backend_config"},
		{ID: "DIF012", Name: "kernel", Severity: lint.Warning, Doc: "the kernel of a custom call differs, source " +
			"positions aside"},
	}
	checkRules = []lint.Rule{
		{ID: "CHK001", Name: "no-golden", Severity: lint.Error, Doc: "no golden to compare with"},
		{ID: "CHK002", Name: "golden", Severity: lint.Error, Doc: "a module differs from its golden"},
		{ID: "CHK003", Name: "rules", Severity: lint.Warning, Doc: "a module differs from its golden because " +
			"hlolayout's rules changed, not the program"},
		{ID: "CHK004", Name: "budget", Severity: lint.Error, Doc: "a module takes more of a memory than its budget"},
		{ID: "CHK005", Name: "budget-unknown", Severity: lint.Warning, Doc: "whether a module keeps to its budget is " +
			"not known: it is not scheduled, and its temporaries are predictions"},
	}
)

// Rules returns the rules of a command: lint, check or diff.
func Rules(command string) []lint.Rule {
	return map[string][]lint.Rule{"lint": lint.Rules(), "check": checkRules, "diff": diffRules}[command]
}

// RuleOf returns the result of a rule, by its name, without a place.
func RuleOf(rules []lint.Rule, name string) Result {
	i := slices.IndexFunc(rules, func(r lint.Rule) bool { return r.Name == name })
	r := &rules[i]
	return Result{Rule: r.ID, Name: r.Name, Severity: r.Severity.String(), Details: []string{}, Values: []ValueJSON{}}
}

// Unreadable is the rule of errors that have no code of their own.
const Unreadable = "trouble"

// ErrorResult is what an error says: with its place and code, where it has them.
func ErrorResult(file string, e *hlo.Error) Result {
	r := Result{Rule: cmp.Or(e.Code, Unreadable), Name: Unreadable, Severity: lint.Error.String(),
		File: cmp.Or(e.File, file), Line: e.Line, Column: e.Col,
		Message: e.Msg, Details: []string{}, Values: []ValueJSON{}}
	if e.Hint != "" {
		r.Message += "; " + e.Hint
	}
	return r
}

// FailedCase is the case of a text that could not be examined, and why.
func FailedCase(file string, err error) Case {
	var list hlo.ErrorList
	var one *hlo.Error
	if errors.As(err, &one) {
		list = hlo.ErrorList{one}
	} else if !errors.As(err, &list) {
		list = hlo.ErrorList{{Msg: err.Error()}}
	}
	c := Case{File: file}
	for _, e := range list {
		c.Errors = append(c.Errors, ErrorResult(file, e))
	}
	return c
}

// Lists returns the case with empty lists in place of nil ones: its JSON has no null.
func (c Case) Lists() Case {
	c.Findings, c.Errors, c.Notes = append([]Result{}, c.Findings...), append([]Result{}, c.Errors...),
		append([]string{}, c.Notes...)
	return c
}

// place sets where a result is seen: at an instruction, nil for the whole text.
func (r *Result) place(file string, in *hlo.Instruction) {
	r.File = file
	if in == nil || in.Computation == nil {
		return
	}
	if m := in.Computation.Module; m != nil && m.Source != "" {
		r.Line, r.Column = m.Position(in.Pos)
	}
	s := in.SourceLine()
	r.SourceFile, r.SourceLine = s.File, s.Line
}

// source names the line of the program, "" where it is not known: model.py:15.
func (r *Result) source() string {
	return hlo.SourceLine{File: r.SourceFile, Line: r.SourceLine}.String()
}

// title is the rule's id with its name.
func (r *Result) title() string {
	if r.Rule == r.Name {
		return r.Name
	}
	return r.Rule + " " + r.Name
}

// text is the whole message: which value, what, the details and the suggestion, a line each.
func (r *Result) text() string {
	text := r.line()
	for _, d := range visible(r.Details) {
		text += "\n" + d
	}
	if r.Suggestion != "" {
		text += "\nsuggestion: " + hlo.Visible(r.Suggestion)
	}
	return text
}

// line is the message with the value in front, followed by the line of the program.
func (r *Result) line() string {
	text := hlo.Visible(r.Message)
	if s := hlo.Visible(r.source()); s != "" && !strings.Contains(text, s) {
		text += " (" + s + ")"
	}
	if r.Shape != "" {
		text = hlo.Visible(r.Shape) + ": " + text
	}
	if r.Name == Unreadable || len(r.Values) == 0 || strings.Contains(text, "%"+r.Values[0].Name) {
		return text
	}
	name := "%" + hlo.Visible(r.Values[0].Name) + hlo.Index(r.Values[0].Index).String()
	if n := len(r.Values) - 1; n > 0 {
		name += fmt.Sprintf(" and %d like it", n)
	}
	return name + ": " + text
}

// title names a case: the text, and what it is compared with or which module of the text it is.
func (c *Case) title() string {
	switch {
	case c.Against != "" && c.File != "":
		return c.Against + " -> " + c.File
	case c.File == "":
		return c.Against
	case c.Module != "":
		return c.File + " (" + c.Module + ")"
	}
	return c.File
}

// all returns the findings and errors of a case.
func (c *Case) all() []Result { return slices.Concat(c.Errors, c.Findings) }

// visible is hlo.Visible for lines.
func visible(lines []string) []string {
	out := make([]string, len(lines))
	for i, l := range lines {
		out[i] = hlo.Visible(l)
	}
	return out
}

// severities are those that results have, the worst first.
var severities = []string{lint.Error.String(), lint.Warning.String(), lint.Note.String()}

// counts says how many results of each severity there are: "2 errors, 1 warning"; "nothing" for none.
func counts(n map[string]int) string {
	var parts []string
	for _, s := range severities {
		if n[s] > 0 {
			parts = append(parts, count(n[s], s))
		}
	}
	if len(parts) == 0 {
		return "nothing"
	}
	return strings.Join(parts, ", ")
}

// most chooses results for an output that takes few: the worst first, in their order, as long as take says yes. What is
// dropped is counted by severity.
func (r *Results) most(take func(c *Case, x *Result) bool) (kept map[*Result]bool, dropped map[string]int) {
	kept, dropped = map[*Result]bool{}, map[string]int{}
	for _, s := range severities {
		for i := range r.Cases {
			c := &r.Cases[i]
			for _, list := range [][]Result{c.Errors, c.Findings} {
				for k := range list {
					switch x := &list[k]; {
					case x.Severity != s:
					case take(c, x):
						kept[x] = true
					default:
						dropped[s]++
					}
				}
			}
		}
	}
	return kept, dropped
}
