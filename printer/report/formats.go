package report

import (
	"bytes"
	"encoding/json"
)

// Format is one form of Results for CI.
type Format struct {
	// Name is what flags call it, Doc one line.
	Name, Doc string
	// Render returns the results in this form. Where a reader takes only so many bytes, used of them are taken already.
	Render func(r *Results, used int) ([]byte, error)
	// Adds says that the form is appended to what the file has.
	Adds bool
}

// Formats are the forms of results for CI, besides a command's own.
var Formats = []Format{
	{Name: "json", Doc: "one document, see hlolayout schema", Render: (*Results).json},
	{Name: "sarif", Doc: "SARIF 2.1.0, for code scanning", Render: (*Results).sarif},
	{Name: "junit", Doc: "JUnit XML: a suite for each module, a case for each rule", Render: (*Results).junit},
	{Name: "github", Doc: "GitHub annotations, at most 10 errors, 10 warnings and 10 notices",
		Render: (*Results).github},
	{Name: "step-summary", Doc: "markdown appended to what the file has, of at most 1 MiB", Adds: true,
		Render: (*Results).summary},
	{Name: "markdown", Doc: "markdown for a comment, of at most 65536 characters", Render: (*Results).comment},
}

// FormatOf returns the format of that name, nil for none.
func FormatOf(name string) *Format {
	for i := range Formats {
		if Formats[i].Name == name {
			return &Formats[i]
		}
	}
	return nil
}

// ResultsJSON is the JSON form of Results; its schema is schema/results.json.
type ResultsJSON struct {
	Form
	Tool    string     `json:"tool"`
	Command string     `json:"command"`
	Counts  CountsBy   `json:"counts"`
	Rules   []RuleJSON `json:"rules"`
	Cases   []Case     `json:"cases"`
}

// CountsBy counts findings and errors by severity.
type CountsBy struct {
	Cases    int `json:"cases"`
	Errors   int `json:"errors"`
	Warnings int `json:"warnings"`
	Notes    int `json:"notes"`
}

// RuleJSON is one rule.
type RuleJSON struct {
	ID   string `json:"id"`
	Name string `json:"name"`
	Doc  string `json:"doc"`
}

func (r *Results) json(int) ([]byte, error) {
	out := ResultsJSON{Form: Form{SchemaVersion, r.Version}, Tool: toolName, Command: r.Command,
		Rules: []RuleJSON{}, Cases: append([]Case{}, r.Cases...)}
	_, n := r.most(func(*Case, *Result) bool { return false })
	out.Counts = CountsBy{len(r.Cases), n["error"], n["warning"], n["note"]}
	for _, rule := range r.Rules {
		out.Rules = append(out.Rules, RuleJSON{rule.ID, rule.Name, rule.Doc})
	}
	for i := range out.Cases {
		out.Cases[i] = out.Cases[i].Lists()
	}
	return marshal(out)
}

const toolName = "hlolayout"

// marshal writes a document for files and people: indented, and < and > as they are.
func marshal(v any) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	err := e.Encode(v)
	return b.Bytes(), err
}
