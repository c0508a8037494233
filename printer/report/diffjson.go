package report

import (
	"hlolayout/hlo"
	"hlolayout/passes/padding"
	"hlolayout/printer/diff"
)

// DiffSchemaVersion is SchemaVersion of DiffJSON. 2: breaking has kinds and pairs by argument, copies_added has no
// moves between memories, which are moves_added; verdict, sizes and bodies are new.
const DiffSchemaVersion = 2

// DiffJSON is the JSON form of a Diff. Bytes are integers; layouts are HLO text.
type DiffJSON struct {
	Form
	Old      string        `json:"old"`
	New      string        `json:"new"`
	OldCut   string        `json:"old_cut,omitempty"` // where the text is cut; what both have is compared
	NewCut   string        `json:"new_cut,omitempty"`
	OldStage string        `json:"old_stage,omitempty"`
	NewStage string        `json:"new_stage,omitempty"`
	Same     bool          `json:"same"`
	Verdict  VerdictJSON   `json:"verdict"`
	Counts   CountsJSON    `json:"counts"`
	Breaking []EntryJSON   `json:"breaking"`
	Layouts  []LayoutJSON  `json:"layouts"`
	Passed   []LayoutJSON  `json:"layouts_passed_on"`
	Inside   []LayoutJSON  `json:"layouts_inside_fusions"`
	Added    []OpJSON      `json:"added"`
	Removed  []OpJSON      `json:"removed"`
	Changed  []ChangedJSON `json:"changed"`
	Sizes    []SizeJSON    `json:"sizes"`
	Bodies   []BodyJSON    `json:"bodies"`
	Kernels  []KernelJSON  `json:"kernels"`
	Module   []AttrJSON    `json:"module"`
	Totals   struct {
		Old           AccountJSON `json:"old"`
		New           AccountJSON `json:"new"`
		CopiesAdded   CopiesJSON  `json:"copies_added"`
		CopiesRemoved CopiesJSON  `json:"copies_removed"`
		MovesAdded    CopiesJSON  `json:"moves_added"`
		MovesRemoved  CopiesJSON  `json:"moves_removed"`
	} `json:"totals"`
}

// CountsJSON counts instructions and the array parts (leaves) of those that both sides have.
type CountsJSON struct {
	Instructions int `json:"instructions"`
	LeavesJSON
	// ByName are the same counts over the pairs of equal names, which is what a comparison by name sees.
	ByName        LeavesJSON `json:"by_name"`
	Added         int        `json:"added"`
	Removed       int        `json:"removed"`
	Renumbered    int        `json:"renumbered"`
	Renamed       int        `json:"renamed"`
	Metadata      int        `json:"metadata"`
	BackendConfig int        `json:"backend_config_ignored"`
	Constants     int        `json:"constants_ignored"`
	Layouts       int        `json:"layouts_ignored"`
	Commuted      int        `json:"commuted"`
	Kernels       int        `json:"kernels_moved"`
}

// LeavesJSON counts array parts: all, those with the same order of dimensions, those with the same layout.
type LeavesJSON struct {
	Leaves     int `json:"leaves"`
	SameOrder  int `json:"same_order"`
	SameLayout int `json:"same_layout"`
}

// VerdictJSON is the verdict: its word, and a line with counts and bytes.
type VerdictJSON struct {
	Kind string `json:"kind"`
	Text string `json:"text"`
}

// SizeJSON is a dimension ("8") or element type ("bf16") that became another one in many shapes.
type SizeJSON struct {
	Old    string `json:"old"`
	New    string `json:"new"`
	Shapes int    `json:"shapes"`
}

// BodyJSON counts what differs in the body of a fusion or reducer; the instructions are in added, removed and changed.
type BodyJSON struct {
	Old     string `json:"old"`
	New     string `json:"new"`
	Added   int    `json:"added"`
	Removed int    `json:"removed"`
	Changed int    `json:"changed"`
	Layouts int    `json:"layouts"`
}

// KernelJSON is a pair of custom calls whose kernels differ.
type KernelJSON struct {
	Old      ValueJSON     `json:"old"`
	New      ValueJSON     `json:"new"`
	OldBytes int           `json:"old_bytes"`
	NewBytes int           `json:"new_bytes"`
	Unsure   bool          `json:"unsure"`
	Added    []OpCountJSON `json:"added"`
	Removed  []OpCountJSON `json:"removed"`
}

// OpCountJSON is a number of operations of a kernel.
type OpCountJSON struct {
	Op    string `json:"op"`
	Count int    `json:"count"`
}

// EntryJSON is one breaking change: kind is layout, type, moved, inserted or removed; name that of the argument.
type EntryJSON struct {
	Kind string `json:"kind"`
	What string `json:"what"`
	Name string `json:"name,omitempty"`
	Old  string `json:"old"`
	New  string `json:"new"`
}

// LayoutJSON is one change of layout with the values that have it.
type LayoutJSON struct {
	Type        string      `json:"type"`
	Old         string      `json:"old"`
	New         string      `json:"new"`
	OldSpace    string      `json:"old_space"`
	NewSpace    string      `json:"new_space"`
	OldBits     int64       `json:"old_element_bits"`
	NewBits     int64       `json:"new_element_bits"`
	OldBytes    int64       `json:"old_padded_bytes"`
	NewBytes    int64       `json:"new_padded_bytes"`
	Description string      `json:"description"`
	Values      []ValueJSON `json:"values"`
}

// ValueJSON names one value.
type ValueJSON struct {
	Computation string `json:"computation"`
	Name        string `json:"name"`
	Index       []int  `json:"index,omitempty"`
	Line        int    `json:"line,omitempty"`
	// SourceFile and SourceLine are where in the program it comes from.
	SourceFile string `json:"source_file,omitempty"`
	SourceLine int    `json:"source_line,omitempty"`
	// OpName is the op_name of the instruction's metadata: the operation of the program that it comes from.
	OpName string `json:"op_name,omitempty"`
}

// OpJSON is a group of instructions that one side alone has.
type OpJSON struct {
	Op     string      `json:"op"`
	Type   string      `json:"type"`
	Bytes  int64       `json:"padded_bytes"`
	Inside bool        `json:"inside"` // of a fusion, a reducer or the like
	Values []ValueJSON `json:"values"`
}

// ChangedJSON is a group of pairs that differ in the same respects.
type ChangedJSON struct {
	Op       string      `json:"op"`
	What     []string    `json:"what"`
	Settings []string    `json:"settings,omitempty"` // keys of backend_config
	Inside   bool        `json:"inside"`
	Old      []ValueJSON `json:"old"`
	New      []ValueJSON `json:"new"`
}

// AttrJSON is a module attribute that differs; "" where it is absent.
type AttrJSON struct {
	Name string `json:"name"`
	Old  string `json:"old"`
	New  string `json:"new"`
}

// AccountJSON is what a module takes and moves.
type AccountJSON struct {
	Spaces        []SpaceJSON `json:"spaces"`
	Relayouts     int         `json:"relayouts"`
	RelayoutBytes int64       `json:"relayout_bytes"`
	Moved         []MovedJSON `json:"relayout_bytes_by_space"`
	// Tiled is false where no array has a tile: padded bytes are then those of the data alone.
	Tiled bool `json:"tiled"`
}

// MovedJSON are the bytes that relayouts write to one memory space in a run.
type MovedJSON struct {
	Number int64  `json:"number"`
	Name   string `json:"name"`
	Bytes  int64  `json:"bytes"`
}

// SpaceJSON is one memory space.
type SpaceJSON struct {
	Number  int64  `json:"number"`
	Name    string `json:"name"`
	Values  int    `json:"values"`
	Logical int64  `json:"unpadded_bytes"`
	Padded  int64  `json:"padded_bytes"`
}

// CopiesJSON are copy instructions.
type CopiesJSON struct {
	Count int   `json:"count"`
	Bytes int64 `json:"padded_bytes"`
}

// JSON returns the report's JSON form. Lists are never null.
func (d *Diff) JSON() *DiffJSON {
	v := d.Verdict()
	out := &DiffJSON{Form: Form{DiffSchemaVersion, Version}, Old: d.OldName, New: d.NewName, Same: d.Same(),
		Verdict: VerdictJSON{v.Kind, v.String()}, Sizes: []SizeJSON{}, Bodies: []BodyJSON{}, Kernels: []KernelJSON{},
		Breaking: []EntryJSON{}, Layouts: layoutsJSON(d.Values), Passed: layoutsJSON(d.Passed),
		Inside: layoutsJSON(d.Inside),
		Added:  opsJSON(d.Added), Removed: opsJSON(d.Removed), Changed: []ChangedJSON{}, Module: []AttrJSON{}}
	out.Counts = CountsJSON{Instructions: d.Pairs, LeavesJSON: LeavesJSON(d.LeafCounts), ByName: LeavesJSON(d.Named),
		Renumbered: d.Noise.Renumbered, Renamed: d.Noise.Renamed, Metadata: d.Noise.Metadata,
		BackendConfig: d.Noise.BackendConfig, Constants: d.Noise.Constants, Layouts: d.Noise.Layouts,
		Commuted: d.Noise.Commuted, Kernels: d.Noise.Kernels}
	for _, g := range d.Added {
		out.Counts.Added += len(g.Values)
	}
	for _, g := range d.Removed {
		out.Counts.Removed += len(g.Values)
	}
	for _, c := range d.Contract {
		e := EntryJSON{c.Kind.String(), c.What, c.Name, c.Old, c.New}
		if c.From != nil {
			e.Old = c.From.String()
		}
		if c.To != nil {
			e.New = c.To.String()
		}
		out.Breaking = append(out.Breaking, e)
	}
	for _, g := range d.Changed {
		out.Changed = append(out.Changed, ChangedJSON{g.Op, g.What, g.Settings, g.Inside, valuesJSON(g.Old, nil),
			valuesJSON(g.New, nil)})
	}
	for _, x := range d.Sizes {
		out.Sizes = append(out.Sizes, SizeJSON{x.From, x.To, x.Shapes})
	}
	opCounts := func(list []diff.OpCount) []OpCountJSON {
		out := []OpCountJSON{}
		for _, x := range list {
			out = append(out, OpCountJSON(x))
		}
		return out
	}
	for _, k := range d.Kernels {
		out.Kernels = append(out.Kernels, KernelJSON{valueJSON(k.Old, nil), valueJSON(k.New, nil), k.OldBytes,
			k.NewBytes, k.Unsure, opCounts(k.Added), opCounts(k.Removed)})
	}
	for _, b := range d.Bodies {
		out.Bodies = append(out.Bodies, BodyJSON{b.Old.Name, b.New.Name, len(b.Added), len(b.Removed), len(b.Changed) +
			len(b.Compiled), b.Layouts})
	}
	for _, a := range d.Module {
		j := AttrJSON{Name: a.Name}
		if a.Old != nil {
			j.Old = a.Old.Text
		}
		if a.New != nil {
			j.New = a.New.Text
		}
		out.Module = append(out.Module, j)
	}
	out.Totals.Old, out.Totals.New = d.Old.JSON(), d.New.JSON()
	out.Totals.CopiesAdded, out.Totals.CopiesRemoved = CopiesJSON(d.CopiesAdded), CopiesJSON(d.CopiesRemoved)
	out.Totals.MovesAdded, out.Totals.MovesRemoved = CopiesJSON(d.MovesAdded), CopiesJSON(d.MovesRemoved)
	return out
}

// OnlyJSON is the JSON form for a text without a partner: the name of the other side is "".
func OnlyJSON(oldName, newName string) *DiffJSON {
	empty := (&Diff{Report: &diff.Report{}, OldName: oldName, NewName: newName}).JSON()
	empty.Same = false
	empty.Verdict = VerdictJSON{"one side only", "one side only"}
	return empty
}

func layoutsJSON(groups []diff.LayoutGroup) []LayoutJSON {
	out := []LayoutJSON{}
	for i := range groups {
		g := &groups[i]
		out = append(out, LayoutJSON{Type: bare(g.To), Old: layoutText(g.From.Layout), New: layoutText(g.To.Layout),
			OldSpace: SpaceName(spaceOf(g.From)), NewSpace: SpaceName(spaceOf(g.To)), OldBits: bits(g.From),
			NewBits:  bits(g.To),
			OldBytes: g.OldBytes, NewBytes: g.NewBytes, Description: Change(g.From, g.To),
			Values: valuesJSON(g.Values, g.Indices)})
	}
	return out
}

func opsJSON(groups []diff.OpGroup) []OpJSON {
	out := []OpJSON{}
	for _, g := range groups {
		out = append(out, OpJSON{g.Op, g.Shape.String(), g.Bytes, g.Inside, valuesJSON(g.Values, nil)})
	}
	return out
}

func valuesJSON(list []*hlo.Instruction, indices []hlo.Index) []ValueJSON {
	out := make([]ValueJSON, len(list))
	for i, in := range list {
		out[i] = valueJSON(in, nil)
		if indices != nil {
			out[i].Index = indices[i]
		}
	}
	return out
}

func valueJSON(in *hlo.Instruction, index hlo.Index) ValueJSON {
	v := ValueJSON{Computation: in.Computation.Name, Name: in.Name, Index: index}
	if m := in.Computation.Module; m != nil && m.Source != "" {
		v.Line, _ = m.Position(in.Pos)
	}
	s := in.SourceLine()
	v.SourceFile, v.SourceLine = s.File, s.Line
	v.OpName = in.MetadataOpName()
	return v
}

// JSON returns the account's JSON form, spaces by number.
func (a Account) JSON() AccountJSON {
	out := AccountJSON{Spaces: spacesJSON(a.Spaces), Relayouts: a.Relayouts, RelayoutBytes: a.RelayoutBytes,
		Moved: []MovedJSON{}, Tiled: !a.Untiled}
	for _, n := range sortedKeys(a.Moved) {
		out.Moved = append(out.Moved, MovedJSON{n, SpaceName(n), a.Moved[n]})
	}
	return out
}

func spacesJSON(spaces map[int64]*padding.Totals) []SpaceJSON {
	out := []SpaceJSON{}
	for _, n := range sortedKeys(spaces) {
		t := spaces[n]
		out = append(out, SpaceJSON{n, SpaceName(n), t.Values, t.Logical, t.Padded})
	}
	return out
}
