package report

import (
	"fmt"
	"slices"

	"hlolayout/hlo"
	"hlolayout/printer/diff"
)

// Stage is one dump of a module: its name, its text, and how to read it.
type Stage struct {
	Title, File string
	// Read returns the text of the dump; Parse makes a module of it.
	Read  func() (string, error)
	Parse func(text string) (*hlo.Module, error)
}

// Timeline is what became of one value from dump to dump.
type Timeline struct {
	Module string
	Value  string
	// Stages is the number of dumps that were examined; Skipped says which could not be parsed, and why.
	Stages  int
	Skipped []error
	Points  []Point
	// Named are the values of that name in the first dump that has it; the first one is followed.
	Named []*hlo.Instruction
}

// Point is a dump at which something about the value changed.
type Point struct {
	Stage, File string
	// Until is the title of the last dump in which it is the same, "" for none after this one.
	Until string
	// Value is its name there, "" where it is lost; Computation, Opcode and Shape say the rest. Fused values are in no
	// memory.
	Value, Computation, Opcode, Shape string
	Fused                             bool
	// Notes say what changed against the point before, and how the value was found again.
	Notes []string

	shape *hlo.Shape
}

// NewTimeline follows a value, or the part of one at index, through dumps in their order, from the first that has the
// name: forwards by name, by what it computes, and by what its users read in its place; backwards by name and what it
// computes only, for what stood in its place before is another value. It ends where the value is lost. It is nil where
// no dump has the name, and the error then nil too.
func NewTimeline(module, name string, index hlo.Index, stages []Stage) (*Timeline, error) {
	t := &Timeline{Module: module, Value: "%" + name + index.String(), Stages: len(stages)}
	f := follower{index: index, stages: stages, timeline: t}
	first, value := -1, (*hlo.Instruction)(nil)
	for i := range stages {
		m, err := f.module(i)
		if err != nil {
			return nil, err
		}
		if m == nil {
			continue
		}
		if named := m.Named(name); len(named) > 0 {
			value, t.Named = named[0], named
			first = i
			break
		}
	}
	if value == nil {
		return nil, nil
	}
	if value.Shape.At(index) == nil {
		return nil, fmt.Errorf("%%%s has no part %s: its shape is %s", name, index, value.Shape)
	}
	if err := t.back(f, first, value); err != nil {
		return nil, err
	}
	t.add(f.point(first, value), how(diff.Renamed)) // where the dump before has another name
	for i, at := first+1, value; i < len(stages); i++ {
		m, err := f.module(i)
		if err != nil {
			return nil, err
		}
		if m == nil {
			continue
		}
		to, found := follow(m, at)
		if found == diff.Lost {
			t.Points = append(t.Points, f.lost(i, "not found: gone, or made in another way", to))
			break
		}
		t.add(f.point(i, to), how(found))
		at = to
	}
	return t, nil
}

// back adds the points before the first dump that has the name. The dumps are read once more: to keep all of a large
// module would fill the memory, and the way back is mostly short.
func (t *Timeline) back(f follower, first int, at *hlo.Instruction) error {
	var points []Point
	for i := first - 1; i >= 0; i-- {
		m, err := f.module(i)
		if err != nil {
			return err
		}
		if m == nil {
			continue
		}
		to, found := follow(m, at)
		if found != diff.SameName && found != diff.Renamed {
			points = append(points, f.lost(i, "not there yet", to))
			break
		}
		points = append(points, f.point(i, to))
		at = to
	}
	for _, p := range slices.Backward(points) {
		t.add(p, how(diff.Renamed))
	}
	return nil
}

// follow finds a value in the next dump, which may be the same module.
func follow(m *hlo.Module, at *hlo.Instruction) (*hlo.Instruction, diff.Followed) {
	if at.Computation.Module == m {
		return at, diff.SameName
	}
	return diff.Follow(at.Computation.Module, m, at)
}

func how(f diff.Followed) string {
	switch f {
	case diff.Renamed:
		return "renamed: the same operation in the same place"
	case diff.Replaced:
		return "replaced: its users read this in its place"
	case diff.Fused:
		return "taken into a fusion: the one operation there of this type and op_name"
	}
	return ""
}

// add adds a point, or stretches the last one where nothing changed.
func (t *Timeline) add(p Point, how string) {
	if len(t.Points) > 0 {
		last := &t.Points[len(t.Points)-1]
		if last.Value == p.Value && last.Computation == p.Computation && last.Opcode == p.Opcode &&
			last.Shape == p.Shape {
			last.Until = p.Stage
			if p.Until != "" {
				last.Until = p.Until
			}
			return
		}
		p.changed(last, how)
	}
	t.Points = append(t.Points, p)
}

// changed notes what differs from the point before.
func (p *Point) changed(last *Point, how string) {
	if last.Value == "" {
		return
	}
	if how != "" && p.Value != last.Value {
		p.Notes = append(p.Notes, how)
	}
	if p.shape != nil && last.shape != nil && !p.shape.Equal(last.shape) {
		p.Notes = append(p.Notes, Change(last.shape, p.shape))
	}
	if p.Opcode != last.Opcode {
		p.Notes = append(p.Notes, last.Opcode+" -> "+p.Opcode)
	}
	if p.Computation != last.Computation {
		note := "now in %" + p.Computation
		if p.Fused && !last.Fused {
			note += ", a fusion's: it has no memory"
		}
		p.Notes = append(p.Notes, note)
	}
}

// follower reads dumps, and keeps the last one: equal texts in a row are one module.
type follower struct {
	index  hlo.Index
	stages []Stage
	text   string
	last   *hlo.Module

	timeline *Timeline
}

// module returns a dump as a module, nil for one that cannot be parsed.
func (f *follower) module(i int) (*hlo.Module, error) {
	text, err := f.stages[i].Read()
	if err != nil {
		return nil, err
	}
	if f.last != nil && text == f.text {
		return f.last, nil
	}
	m, err := f.stages[i].Parse(text)
	if err != nil {
		if !slices.ContainsFunc(f.timeline.Skipped, func(e error) bool { return e.Error() == err.Error() }) {
			f.timeline.Skipped = append(f.timeline.Skipped, err)
		}
		return nil, nil
	}
	f.text, f.last = text, m
	return m, nil
}

// lost is the point at which a value is not to be found; hint is what its users read there, nil for nothing.
func (f *follower) lost(i int, text string, hint *hlo.Instruction) Point {
	if hint != nil {
		text += fmt.Sprintf(": in its place is read %%%s = %s %s", hint.Name, hint.Shape, hint.OpName())
	}
	return Point{Stage: f.stages[i].Title, File: f.stages[i].File, Notes: []string{text}}
}

func (f *follower) point(i int, in *hlo.Instruction) Point {
	p := Point{Stage: f.stages[i].Title, File: f.stages[i].File, Value: "%" + in.Name, Computation: in.Computation.Name,
		Opcode: in.OpName(), Fused: in.Computation.IsFused()}
	if s := in.Shape.At(f.index); s != nil {
		p.Shape, p.shape = s.String(), s
	}
	return p
}

// AppendText appends the timeline for a person: a line for each change, with the dump after which it shows.
func (t *Timeline) AppendText(dst []byte) []byte {
	dst = fmt.Appendf(dst, "%s: %s through %s\n", t.Module, t.Value, count(t.Stages, "dump"))
	for i, p := range t.Points {
		dst = fmt.Appendf(dst, "  %s", p.Stage)
		if p.Until != "" {
			dst = fmt.Appendf(dst, ", up to %s", p.Until)
		}
		dst = append(dst, '\n')
		if p.Value != "" && (i == 0 || t.Points[i-1].Value != p.Value || t.Points[i-1].Shape != p.Shape ||
			t.Points[i-1].Opcode != p.Opcode) {
			dst = fmt.Appendf(dst, "      %s = %s %s in %%%s\n", p.Value, p.Shape, p.Opcode, p.Computation)
		}
		for _, n := range p.Notes {
			dst = fmt.Appendf(dst, "      %s\n", n)
		}
	}
	return dst
}

// TimelineJSON is the JSON form of a Timeline.
type TimelineJSON struct {
	Form
	Module string      `json:"module"`
	Value  string      `json:"value"`
	Dumps  int         `json:"dumps"`
	Points []PointJSON `json:"points"`
}

// PointJSON is a dump at which the value changed; value and what describes it are left out where it is not to be found.
type PointJSON struct {
	Stage       string   `json:"stage"`
	Until       string   `json:"until,omitempty"`
	File        string   `json:"file"`
	Value       string   `json:"value,omitempty"`
	Computation string   `json:"computation,omitempty"`
	Opcode      string   `json:"opcode,omitempty"`
	Shape       string   `json:"shape,omitempty"`
	Fused       bool     `json:"fused"`
	Notes       []string `json:"notes"`
}

// JSON returns the machine-readable form; lists are never nil.
func (t *Timeline) JSON() *TimelineJSON {
	out := &TimelineJSON{Form: ThisForm, Module: t.Module, Value: t.Value, Dumps: t.Stages,
		Points: []PointJSON{}}
	for _, p := range t.Points {
		out.Points = append(out.Points, PointJSON{p.Stage, p.Until, p.File, p.Value, p.Computation, p.Opcode, p.Shape,
			p.Fused, append([]string{}, p.Notes...)})
	}
	return out
}
