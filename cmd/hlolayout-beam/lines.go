package main

import (
	"encoding/json"
	"fmt"

	"hlolayout/hlo"
	"hlolayout/hlo/stage"
	"hlolayout/parser"
	"hlolayout/parser/forms"
	"hlolayout/passes"
	"hlolayout/passes/lint"
	"hlolayout/printer"
	"hlolayout/printer/report"
	"hlolayout/tpu"
)

// works are the kinds of work by name: each makes the JSON object of one module. That of lint is a case of what
// `hlolayout lint --format json` prints (hlolayout schema results).
var works = map[string]func(path string, m *hlo.Module, t *tpu.Target) (any, error){
	"lint": func(path string, m *hlo.Module, t *tpu.Target) (any, error) {
		at := stage.Of(m)
		if err := passes.Check(m); err != nil {
			return nil, err
		}
		m, _, err := passes.Costed(m, t, passes.Options{Checked: true}, passes.Observer{})
		if err != nil {
			return nil, err
		}
		findings := lint.Run(m, t, lint.Default())
		l := report.Lint{File: path, Module: m, Target: t.Name,
			Origin: report.Origin{Stage: at.String(), TPU: t.Name, TPUSource: "--tpu"}}
		for _, f := range findings {
			if f.Severity >= lint.Warning {
				l.Findings = append(l.Findings, f)
			}
		}
		return l.Case().Lists(), nil
	},
	"assign": func(path string, m *hlo.Module, t *tpu.Target) (any, error) {
		if err := assign(m, t); err != nil {
			return nil, err
		}
		return assigned{File: path, Module: m.Name, Target: t.Name, Text: printer.Print(m)}, nil
	},
}

// assigned is the line of a module that was assigned: the text is the one that `hlolayout assign` prints.
type assigned struct {
	File   string `json:"file"`
	Module string `json:"module"`
	Target string `json:"target"`
	Text   string `json:"text"`
}

func assign(m *hlo.Module, t *tpu.Target) error {
	_, err := passes.Run(m, t, []string{passes.Auto}, passes.Options{}, passes.Observer{})
	return err
}

// lines returns a line of JSON for each module of a dump, or one that says why there is none.
func lines(path string, text []byte, t *tpu.Target, f func(string, *hlo.Module, *tpu.Target) (any,
	error)) (out []string) {
	defer func() {
		if p := recover(); p != nil {
			out = []string{failure(path, fmt.Errorf("internal error: %v", p))}
		}
	}()
	in, err := forms.Parse(parser.Config{}, path, string(text))
	if err != nil {
		return []string{failure(path, err)}
	}
	for _, m := range in.Modules {
		v, err := f(path, m, t)
		if err != nil {
			out = append(out, failure(path, err))
			continue
		}
		out = append(out, marshal(v))
	}
	return out
}

// failure is the line of a dump that could not be worked on.
func failure(path string, err error) string {
	return marshal(report.FailedCase(path, err).Lists())
}

func marshal(v any) string {
	line, err := json.Marshal(v)
	if err != nil {
		panic(err) // strings, numbers and lists of them
	}
	return string(line)
}
