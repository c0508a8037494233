package main

import (
	"fmt"
	"strings"

	"hlolayout/hlo"
	"hlolayout/passes/plan"
)

// noteNamed notes which other computations have a value of a name.
func (j *job) noteNamed(m *hlo.Module, name string) { j.noteOthers(m.Named(name)) }

// noteOthers notes which values of a name were not meant: all but the first.
func (j *job) noteOthers(named []*hlo.Instruction) {
	const most = 3
	if len(named) < 2 {
		return
	}
	var others []string
	for _, in := range named[1:min(len(named), most+1)] {
		others = append(others, fmt.Sprintf("%%%s/%%%s", in.Computation.Name, in.Name))
	}
	more := ""
	if n := len(named) - 1 - most; n > 0 {
		more = fmt.Sprintf(" and %d more", n)
	}
	in := named[0]
	j.note("%s: note: %%%s is taken from %%%s; others of that name: %s%s", hlo.Visible(j.name()), in.Name,
		in.Computation.Name, strings.Join(others, ", "), more)
}

// notePins is noteNamed of what is pinned.
func (j *job) notePins(m *hlo.Module, pins []plan.Pin) {
	for _, p := range pins {
		j.noteNamed(m, p.Name)
	}
}
