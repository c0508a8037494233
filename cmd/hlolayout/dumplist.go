package main

import (
	"bytes"
	"fmt"
	"text/tabwriter"

	"hlolayout/parser/dumps"
	"hlolayout/printer/report"
)

// dumpedModule is one module of a dump folder, for --format json.
type dumpedModule struct {
	Module   string        `json:"module"`
	Number   int           `json:"number"`
	Function string        `json:"function"`
	Prefix   string        `json:"prefix"`
	Files    int           `json:"files"`
	Stages   []dumpedStage `json:"stages"`
}

// dumpedStage is one dump of a module. What is counted is left out where the dump is the same as the one before.
type dumpedStage struct {
	File     string `json:"file"`
	Stage    string `json:"stage"`
	Step     int    `json:"step"`
	Pipeline string `json:"pipeline"`
	After    string `json:"after"`
	Before   string `json:"before"`
	Changed  bool   `json:"changed"`
	*counted
}

type counted struct {
	Instructions  int   `json:"instructions"`
	PaddedBytes   int64 `json:"padded_bytes"`
	Relayouts     int   `json:"relayouts"`
	RelayoutBytes int64 `json:"relayout_bytes"`
}

// list lists the modules and their dumps.
func (d dumper) list(modules []*dumps.Module) error {
	return d.write(func(j *job) error {
		all := []*dumpedModule{}
		for _, m := range modules {
			listed, err := d.look(j, m)
			if err != nil {
				return err
			}
			if all = append(all, listed); d.c.String("format") == "text" {
				j.out = listed.append(j.out, d.c.Bool("all"))
			}
		}
		if d.c.String("format") == "json" {
			return j.appendJSON(all)
		}
		return nil
	})
}

// look reads the dumps of a module; those that are the same as the one before are not parsed again. A dump that cannot
// be parsed is reported and counted as changed.
func (d dumper) look(j *job, m *dumps.Module) (*dumpedModule, error) {
	out := &dumpedModule{Module: m.Name(), Number: m.Number, Function: m.Function, Prefix: m.Prefix,
		Files: len(m.Stages) + len(m.Others), Stages: []dumpedStage{}}
	before := ""
	for i, s := range stages(m) {
		f := &m.Stages[i]
		text, err := s.Read()
		if err != nil {
			return nil, err
		}
		row := dumpedStage{File: f.Path, Stage: f.Title(), Step: f.Step, Pipeline: f.Pipeline, After: f.After,
			Before: f.Before, Changed: i == 0 || text != before}
		before = text
		if row.Changed {
			if module, err := s.Parse(text); err != nil {
				j.log = appendErrors(j.log, err)
			} else {
				row.counted = &counted{}
				for _, c := range module.Computations {
					row.Instructions += len(c.Instructions)
				}
				a := report.AccountOf(module)
				for _, t := range a.Spaces {
					row.PaddedBytes += t.Padded
				}
				row.Relayouts, row.RelayoutBytes = a.Relayouts, a.RelayoutBytes
			}
		}
		out.Stages = append(out.Stages, row)
	}
	return out, nil
}

// append writes the table of a module.
func (m *dumpedModule) append(dst []byte, all bool) []byte {
	changed := 0
	for _, s := range m.Stages {
		if s.Changed {
			changed++
		}
	}
	dst = fmt.Appendf(dst, "%s: %s, %d of them changed", m.Module, plural(len(m.Stages), "dump", "dumps"), changed)
	if m.Prefix != "" {
		dst = fmt.Appendf(dst, ", prefix %s", m.Prefix)
	}
	dst = append(dst, '\n')
	var b bytes.Buffer
	t := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	fmt.Fprint(t, "  dump\tinstructions\tarrays\trelayouts\n")
	for _, s := range m.Stages {
		switch {
		case s.counted != nil:
			moved := "-"
			if s.Relayouts > 0 {
				moved = fmt.Sprintf("%s by %d", report.Bytes(s.RelayoutBytes), s.Relayouts)
			}
			fmt.Fprintf(t, "  %s\t%d\t%s\t%s\n", s.Stage, s.Instructions, report.Bytes(s.PaddedBytes), moved)
		case all:
			fmt.Fprintf(t, "  %s\t=\t\t\n", s.Stage)
		}
	}
	t.Flush()
	for line := range bytes.Lines(b.Bytes()) {
		dst = append(append(dst, bytes.TrimRight(line, " \n")...), '\n')
	}
	return dst
}
