package lint

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"hlolayout/hlo"
)

// Accepted is one line of a baseline: findings that were reviewed and accepted.
type Accepted struct {
	Rule   string `json:"rule"`
	Module string `json:"module"`
	// Value is what stays of a value when it is renumbered: its op_name, or its name without numbers.
	Value string `json:"value"`
	Shape string `json:"shape,omitempty"`
	Count int    `json:"count"`
}

func (a Accepted) key() Accepted { a.Count = 0; return a }

// Baseline is a list of accepted findings.
type Baseline struct {
	SchemaVersion int        `json:"schema_version"`
	Accepted      []Accepted `json:"accepted"`
}

// ReadBaseline reads what Write wrote.
func ReadBaseline(r io.Reader) (*Baseline, error) {
	b := &Baseline{}
	if err := json.NewDecoder(r).Decode(b); err != nil {
		return nil, fmt.Errorf("no baseline: %v", err)
	}
	if b.SchemaVersion != 1 {
		return nil, fmt.Errorf("no baseline: schema_version is %d, not 1", b.SchemaVersion)
	}
	if b.Accepted == nil {
		return nil, errors.New(`no baseline: it has no list "accepted", as lint --update-baseline writes it`)
	}
	return b, nil
}

// Add adds the findings in a module.
func (b *Baseline) Add(m *hlo.Module, findings []Finding) {
	b.SchemaVersion = 1
	counts := map[Accepted]int{}
	for _, a := range b.Accepted {
		counts[a.key()] += a.Count
	}
	for i := range findings {
		for _, in := range findings[i].values() {
			counts[accepted(m, &findings[i], in)]++
		}
	}
	b.Accepted = b.Accepted[:0]
	for a, n := range counts {
		a.Count = n
		b.Accepted = append(b.Accepted, a)
	}
	slices.SortFunc(b.Accepted, func(x, y Accepted) int {
		return cmp.Or(strings.Compare(x.Module, y.Module), strings.Compare(x.Rule, y.Rule),
			strings.Compare(x.Value, y.Value), strings.Compare(x.Shape, y.Shape))
	})
}

// Write writes the baseline as JSON.
func (b *Baseline) Write(w io.Writer) error {
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	e.SetIndent("", " ")
	return e.Encode(b)
}

// Filter returns the findings in a module that are not accepted, and how many values were left out.
func (b *Baseline) Filter(m *hlo.Module, findings []Finding) (rest []Finding, left int) {
	counts := map[Accepted]int{}
	for _, a := range b.Accepted {
		counts[a.key()] += a.Count
	}
	for _, f := range findings {
		var keep []*hlo.Instruction
		for _, in := range f.values() {
			if k := accepted(m, &f, in); counts[k] > 0 {
				counts[k]--
				left++
			} else {
				keep = append(keep, in)
			}
		}
		if len(keep) > 0 {
			f.Instruction, f.Same = keep[0], keep[1:]
			rest = append(rest, f)
		}
	}
	return rest, left
}

func (f *Finding) values() []*hlo.Instruction {
	return append([]*hlo.Instruction{f.Instruction}, f.Same...)
}

func accepted(m *hlo.Module, f *Finding, in *hlo.Instruction) Accepted {
	a := Accepted{Rule: f.Rule.ID, Module: m.Name}
	if f.Shape != nil {
		a.Shape = f.Shape.String()
	}
	if in == nil {
		return a
	}
	if v := in.Attr("metadata").Get("op_name"); v != nil {
		a.Value = strings.Trim(v.Text, `"`)
	} else {
		a.Value = "%" + hlo.BaseName(in.Name)
	}
	return a
}
