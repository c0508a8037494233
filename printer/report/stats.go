package report

import (
	"cmp"
	"fmt"
	"slices"

	"hlolayout/hlo"
	"hlolayout/passes/entry"
	"hlolayout/passes/lint"
	"hlolayout/passes/padding"
	"hlolayout/passes/relayout"
)

// Stats is what a module takes in memory and what it moves.
type Stats struct {
	File   string
	Module *hlo.Module
	// Title is what the text calls the module, "" for its name.
	Title string
	// Target is the name of the target that the layouts are for, "" where they were read.
	Target    string
	Origin    Origin
	Entry     *entry.Interface // nil where it is not known
	Total     padding.Totals
	Spaces    map[int64]*padding.Totals
	Opcodes   map[string]*padding.Totals
	Groups    []ValueGroup
	Unknown   int // values whose size is not known
	Relayouts []relayout.Relayout
}

// ValueGroup are the values of one shape and layout, and of one size: some are kept as bf16 (padding.Value).
type ValueGroup struct {
	Shape  *hlo.Shape
	Size   padding.Size // of one
	Values []*hlo.Instruction
	// Indices are the parts of the values.
	Indices []hlo.Index
}

// Waste returns the padding of all values of the group, in bytes.
func (g *ValueGroup) Waste() int64 { return g.Size.Waste() * int64(len(g.Values)) }

// NewStats adds up a module. Groups are sorted by padding, the most first; with bySize by size.
func NewStats(m *hlo.Module, file string, bySize bool) *Stats {
	values := padding.Values(m)
	s := &Stats{File: file, Module: m, Relayouts: relayout.Find(m),
		Spaces:  padding.Sum(values, func(v *padding.Value) int64 { return v.Space }),
		Opcodes: padding.Sum(values, func(v *padding.Value) string { return v.Instruction.OpName() })}
	type kind struct {
		shape *hlo.Shape
		size  padding.Size
	}
	at := map[kind]int{}
	for i := range values {
		v := &values[i]
		s.Total.Add(v.Size)
		if !v.Known {
			s.Unknown++
			continue
		}
		k, ok := at[kind{v.Shape, v.Size}]
		if !ok {
			k = len(s.Groups)
			at[kind{v.Shape, v.Size}] = k
			s.Groups = append(s.Groups, ValueGroup{Shape: v.Shape, Size: v.Size})
		}
		g := &s.Groups[k]
		g.Values, g.Indices = append(g.Values, v.Instruction), append(g.Indices, v.Index)
	}
	slices.SortStableFunc(s.Groups, func(a, b ValueGroup) int {
		sizes := cmp.Compare(b.Size.Padded*int64(len(b.Values)), a.Size.Padded*int64(len(a.Values)))
		if bySize {
			return sizes
		}
		return cmp.Or(cmp.Compare(b.Waste(), a.Waste()), sizes)
	})
	return s
}

// AppendText appends the account as text, in the words of the compiler's messages about memory.
func (s *Stats) AppendText(dst []byte, top int) []byte {
	dst = fmt.Appendf(dst, "%s: module %s, %s in memory\n", s.File, cmp.Or(s.Title, s.Module.Name),
		count(s.Total.Values, "array"))
	if s.Module.Cut != "" {
		dst = fmt.Appendf(dst, "  (Partial: %s.)\n", s.Module.Cut)
	}
	for _, n := range sortedKeys(s.Spaces) {
		dst = fmt.Appendf(dst, "  %s: %s in %s\n", SpaceName(n), totals(s.Spaces[n]),
			count(s.Spaces[n].Values, "array"))
	}
	if len(s.Spaces) > 1 {
		dst = fmt.Appendf(dst, "  all: %s\n", totals(&s.Total))
	}
	dst = appendInterface(dst, s.Entry)
	if s.Entry != nil && s.Entry.Partitions > 1 {
		dst = fmt.Appendf(dst, "  (It is for %d devices or more: only the interface is one device's, all sums are of "+
			"whole values.)\n",
			s.Entry.Partitions)
	}
	if s.Unknown > 0 {
		dst = fmt.Appendf(dst, "  not counted: %s of unknown size\n", count(s.Unknown, "array"))
	}
	if s.Module.Forecast != nil {
		dst = append(dst, "  (Estimated upper bounds: the compiler has yet to fuse this module, and to copy to the fast "+
			"memory. Values that fusions surely take in are left out.)\n"...)
	}
	dst = append(dst, "  (Sums over all values. They live at different times and may share buffers: no peak of "+
		"memory.)\n"...)
	if len(s.Groups) > 0 {
		dst = s.appendOpcodes(dst, top)
		dst = append(dst, "Largest arrays by padding, equal ones together:\n"...)
	}
	for i := range s.Groups {
		g := &s.Groups[i]
		if top > 0 && i == top {
			dst = fmt.Appendf(dst, "  ... and %d more (--top 0 shows all)\n", len(s.Groups)-i)
			break
		}
		dst = fmt.Appendf(dst, "  %d. Size: %s", i+1, lint.Size(g.Size.Padded))
		if n := len(g.Values); n > 1 {
			dst = fmt.Appendf(dst, " x%d = %s", n, lint.Size(g.Size.Padded*int64(n)))
		}
		dst = fmt.Appendf(dst, "\n     Shape: %s\n     Unpadded size: %s\n", g.Shape, lint.Size(g.Size.Logical))
		if g.Size.Waste() != 0 {
			dst = fmt.Appendf(dst, "     Extra memory due to padding: %s (%.1fx expansion)\n",
				lint.Size(g.Size.Waste()), g.Size.Factor())
		}
		if s.Module.Narrow(g.Values[0]) {
			dst = append(dst, "     ("+lint.Narrowed+")\n"...)
		}
		dst = fmt.Appendf(dst, "     Values: %s\n", valueNames(g.Values, g.Indices, 3))
	}
	return s.appendRelayouts(dst, top)
}

func totals(t *padding.Totals) string {
	size := padding.Size{Logical: t.Logical, Padded: t.Padded}
	text := fmt.Sprintf("Size: %s, Unpadded size: %s", lint.Size(t.Padded), lint.Size(t.Logical))
	if t.Padded != t.Logical {
		text += fmt.Sprintf(", Extra memory due to padding: %s (%.1fx expansion)", lint.Size(size.Waste()),
			size.Factor())
	}
	return text
}

func (s *Stats) appendOpcodes(dst []byte, top int) []byte {
	names := sortedKeys(s.Opcodes)
	slices.SortStableFunc(names, func(a, b string) int {
		return cmp.Compare(s.Opcodes[b].Padded-s.Opcodes[b].Logical, s.Opcodes[a].Padded-s.Opcodes[a].Logical)
	})
	dst = append(dst, "By opcode:\n"...)
	for i, n := range names {
		if top > 0 && i == top {
			dst = fmt.Appendf(dst, "  ... and %d more (--top 0 shows all)\n", len(names)-i)
			break
		}
		dst = fmt.Appendf(dst, "  %s x%d: %s\n", n, s.Opcodes[n].Values, totals(s.Opcodes[n]))
	}
	return dst
}

func (s *Stats) appendRelayouts(dst []byte, top int) []byte {
	dst = fmt.Appendf(dst, "Relayouts: %d, moving %s a run\n", len(s.Relayouts), lint.Size(relayout.Sum(s.Relayouts)))
	for i := range s.Relayouts {
		r := &s.Relayouts[i]
		if top > 0 && i == top {
			dst = fmt.Appendf(dst, "  ... and %d more (--top 0 shows all)\n", len(s.Relayouts)-i)
			break
		}
		dst = fmt.Appendf(dst, "  %d. %%%s (%s) %s: %s\n", i+1, r.Instruction.Name, r.Instruction.OpName(), bare(r.To),
			moveText(r))
		dst = fmt.Appendf(dst, "     %s -> %s\n     %s\n", layoutText(r.From.Layout), layoutText(r.To.Layout),
			r.Cause())
	}
	return dst
}

// moveText says how many bytes a relayout moves, and how often.
func moveText(r *relayout.Relayout) string {
	text := lint.Size(r.Bytes)
	switch {
	case r.InLoop && r.Exact:
		text += fmt.Sprintf(", %d times a run = %s", r.Runs, lint.Size(r.Total()))
	case r.InLoop:
		text += ", in a loop of unknown length"
	}
	if r.Parameter != nil {
		text += ", a parameter copied on every call"
	}
	return text
}

// StatsJSON is the JSON form of Stats. Bytes are integers.
type StatsJSON struct {
	Form
	File   string `json:"file"`
	Module string `json:"module"`
	Cut    string `json:"cut,omitempty"` // where the text of the module is cut: it is counted up to there
	Target string `json:"target,omitempty"`
	Origin
	// Bound is "upper" where the module has yet to be fused (hlo.Module.Bound).
	Bound         string         `json:"bound"`
	Entry         *InterfaceJSON `json:"entry,omitempty"`
	Values        int            `json:"values"`
	Logical       int64          `json:"unpadded_bytes"`
	Padded        int64          `json:"padded_bytes"`
	Unknown       int            `json:"values_of_unknown_size"`
	Spaces        []SpaceJSON    `json:"spaces"`
	Opcodes       []OpcodeJSON   `json:"opcodes"`
	Arrays        []ArrayJSON    `json:"arrays"`
	RelayoutBytes int64          `json:"relayout_bytes"`
	Relayouts     []RelayoutJSON `json:"relayouts"`
}

// OpcodeJSON adds up the values of one opcode.
type OpcodeJSON struct {
	Op      string `json:"op"`
	Values  int    `json:"values"`
	Logical int64  `json:"unpadded_bytes"`
	Padded  int64  `json:"padded_bytes"`
}

// ArrayJSON are the values of one shape and layout; bytes are those of one.
type ArrayJSON struct {
	Shape   string      `json:"shape"`
	Space   string      `json:"space"`
	Logical int64       `json:"unpadded_bytes"`
	Padded  int64       `json:"padded_bytes"`
	Factor  float64     `json:"expansion"`
	Values  []ValueJSON `json:"values"`
}

// RelayoutJSON is one relayout.
type RelayoutJSON struct {
	Value     ValueJSON `json:"value"`
	Op        string    `json:"op"`
	From      string    `json:"from"`
	To        string    `json:"to"`
	Bytes     int64     `json:"padded_bytes"`
	Runs      int64     `json:"runs"`
	RunsExact bool      `json:"runs_exact"`
	Total     int64     `json:"total_bytes"`
	Parameter *int32    `json:"parameter,omitempty"`
	Cause     string    `json:"cause"`
}

// JSON returns the JSON form, with all groups.
func (s *Stats) JSON() *StatsJSON {
	out := &StatsJSON{Form: ThisForm, File: s.File, Module: s.Module.Name, Cut: s.Module.Cut,
		Target: s.Target, Origin: s.Origin, Entry: NewInterface(s.Entry), Bound: s.Module.Bound(),
		Values:  s.Total.Values,
		Logical: s.Total.Logical, Padded: s.Total.Padded, Unknown: s.Unknown, Spaces: spacesJSON(s.Spaces),
		Opcodes: []OpcodeJSON{}, Arrays: []ArrayJSON{}, Relayouts: []RelayoutJSON{},
		RelayoutBytes: relayout.Sum(s.Relayouts)}
	for _, n := range sortedKeys(s.Opcodes) {
		t := s.Opcodes[n]
		out.Opcodes = append(out.Opcodes, OpcodeJSON{n, t.Values, t.Logical, t.Padded})
	}
	for i := range s.Groups {
		g := &s.Groups[i]
		out.Arrays = append(out.Arrays, ArrayJSON{g.Shape.String(), SpaceName(g.Size.Space), g.Size.Logical,
			g.Size.Padded, g.Size.Factor(), valuesJSON(g.Values, g.Indices)})
	}
	for i := range s.Relayouts {
		r := &s.Relayouts[i]
		j := RelayoutJSON{valueJSON(r.Instruction, nil), r.Instruction.OpName(), r.From.String(), r.To.String(),
			r.Bytes, r.Runs, r.Exact, r.Total(), nil, r.Cause()}
		if r.Parameter != nil {
			j.Parameter = &r.Parameter.Parameter
		}
		out.Relayouts = append(out.Relayouts, j)
	}
	return out
}
