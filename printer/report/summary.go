package report

import (
	"cmp"
	"fmt"
	"slices"

	"hlolayout/hlo"
	"hlolayout/hlo/stage"
	"hlolayout/passes/entry"
	"hlolayout/passes/lint"
	"hlolayout/passes/memory"
	"hlolayout/passes/padding"
	"hlolayout/passes/relayout"
	"hlolayout/tpu"
)

// Summary is what the first look at a module shows, and its JSON form. Bytes are integers; those of layouts are for the
// target.
type Summary struct {
	File   string `json:"file"`
	Module string `json:"module"`
	// Folder is the folder of dumps that the module was found in; Number and Prefix are those of a dump's name. They
	// are empty for a single file.
	Folder string `json:"folder,omitempty"`
	Number *int   `json:"number,omitempty"`
	Prefix string `json:"prefix,omitempty"`
	// Place is the module's place in a file of several, from 0 on; nil for the only one.
	Place *int `json:"place,omitempty"`
	Origin
	// StageMeans says what the answer is worth at that stage; Platform is what a foreign module was compiled for.
	StageMeans string `json:"stage_means"`
	Platform   string `json:"platform,omitempty"`
	// Assigned says that the layouts are hlolayout's, not the file's.
	Assigned     bool `json:"assigned"`
	Computations int  `json:"computations"`
	Instructions int  `json:"instructions"`
	Fusions      int  `json:"fusions"`
	Loops        int  `json:"loops"`
	// Judged says that the rest is there: a module that is not a TPU's is not judged.
	Judged bool `json:"judged"`
	// Partial says where a text is cut: sums are of the computations that it holds. "" for a whole module.
	Partial    string        `json:"partial,omitempty"`
	Parameters *BoundaryJSON `json:"parameters,omitempty"`
	Results    *BoundaryJSON `json:"results,omitempty"`
	Aliases    int           `json:"aliases"`
	// Held is what parameters and results take together in HBM: a result that has a parameter's place takes nothing.
	Held int64 `json:"held_bytes"`
	// Bound is "upper" where the module has yet to be fused (hlo.Module.Bound).
	Bound  string `json:"bound,omitempty"`
	Arrays int    `json:"arrays"`
	// Unknown are those of them that the sums leave out: they have no bound, or more bytes than int64 counts.
	Unknown       int               `json:"arrays_of_unknown_size"`
	Logical       int64             `json:"unpadded_bytes"`
	Padded        int64             `json:"padded_bytes"`
	Relayouts     int               `json:"relayouts"`
	RelayoutBytes int64             `json:"relayout_bytes"`
	Memory        *SummaryMemory    `json:"memory,omitempty"`
	Found         int               `json:"findings_total"`
	Findings      []SummaryFinding  `json:"findings"`
	Next          []SummaryNextStep `json:"next"`
	worst         string            // the value to explain
	below         string            // the file, next to modules of other files
}

// BoundaryJSON adds up the parameters or the results of the entry.
type BoundaryJSON struct {
	Arrays  int   `json:"arrays"`
	Logical int64 `json:"unpadded_bytes"`
	Padded  int64 `json:"padded_bytes"`
	// Unknown are arrays of unknown size, of which the sums know nothing.
	Unknown int `json:"arrays_of_unknown_size"`
	// Shapes are the different shapes, those of most bytes first.
	Shapes []ShapeCount `json:"shapes"`
}

// ShapeCount is a shape, and how many arrays have it.
type ShapeCount struct {
	Shape string `json:"shape"`
	Count int    `json:"count"`
	bytes int64
}

// SummaryMemory is what a run of a scheduled module takes; limits are 0 where they are not known.
type SummaryMemory struct {
	HBM       int64  `json:"hbm_bytes"`
	HBMLimit  int64  `json:"hbm_limit_bytes"`
	Fast      string `json:"fast_space,omitempty"`
	FastPeak  int64  `json:"fast_peak_bytes"`
	FastLimit int64  `json:"fast_limit_bytes"`
}

// SummaryFinding is one finding of lint. Source and OpName say where the program makes the value, "" where the module
// does not.
type SummaryFinding struct {
	Rule     string `json:"rule"`
	Name     string `json:"name"`
	Severity string `json:"severity"`
	Value    string `json:"value,omitempty"`
	Count    int    `json:"count"`
	Shape    string `json:"shape,omitempty"`
	Message  string `json:"message"`
	// Bytes is what all values of the finding cost.
	Bytes      int64  `json:"bytes"`
	Source     string `json:"source,omitempty"`
	SourceLine int    `json:"source_line,omitempty"`
	Function   string `json:"function,omitempty"`
	OpName     string `json:"op_name,omitempty"`
	Suggestion string `json:"suggestion,omitempty"`
	// Doubt says why the compiled module may not have it, "" where nothing is known against it.
	Doubt string `json:"doubt,omitempty"`
	// Small says that it is below the thresholds of lint, which does not report it.
	Small bool `json:"small"`
	// uncounted says that the sums leave it out.
	uncounted bool
}

// SummaryNextStep is a command to run next.
type SummaryNextStep struct {
	Command string `json:"command"`
	Why     string `json:"why"`
}

// summaryFindings is how many findings a summary shows.
const summaryFindings = 3

// smallFinding is the least cost of a finding that fills up a summary, in bytes: one tile of 8x128 words, which a
// scalar may waste too.
const smallFinding = 4096

// NewSummary starts the summary of a module as it was read; worth says what an answer is worth at its stage. Judge adds
// what its layouts cost.
func NewSummary(m *hlo.Module, file string, origin Origin, worth string) *Summary {
	s := &Summary{File: file, Module: m.Name, Origin: origin, StageMeans: worth, Computations: len(m.Computations),
		Findings: []SummaryFinding{}, Next: []SummaryNextStep{}}
	for _, c := range m.Computations {
		s.Instructions += len(c.Instructions)
		for _, in := range c.Instructions {
			switch in.Opcode {
			case hlo.OpFusion:
				s.Fusions++
			case hlo.OpWhile:
				s.Loops++
			}
		}
	}
	return s
}

// Judge adds up a module that has its layouts; assigned says that they are not the file's. Parameters and results are
// those of one device.
func (s *Summary) Judge(m *hlo.Module, f *entry.Interface, t *tpu.Target, assigned bool) {
	s.Judged, s.Assigned, s.Bound = true, assigned, m.Bound()
	s.Parameters, s.Results = boundaryJSON(f, false), boundaryJSON(f, true)
	s.Aliases, s.Held = len(m.Aliases()), held(f, m.Aliases())
	s.add(m)
	if m.IsScheduled() {
		if a, err := memory.Analyze(m, t); err == nil {
			s.Memory = summaryMemory(a.Report())
		}
	}
	s.findings(m, t)
}

// AddPart adds up what a text that is cut holds.
func (s *Summary) AddPart(m *hlo.Module) {
	s.Partial = m.Cut
	if s.Partial == "" {
		s.Partial = "the module has no entry computation"
	}
	s.add(m)
}

// add adds up the arrays and the relayouts of a module.
func (s *Summary) add(m *hlo.Module) {
	total := padding.Totals{}
	padding.Each(m, func(v *padding.Value) {
		if total.Add(v.Size); !v.Known {
			s.Unknown++
		}
	})
	s.Arrays, s.Logical, s.Padded = total.Values, total.Logical, total.Padded
	moves := relayout.Find(m)
	s.Relayouts, s.RelayoutBytes = len(moves), relayout.Sum(moves)
}

// boundaryJSON adds up the parameters, or the results, of an interface as one device holds them.
func boundaryJSON(f *entry.Interface, results bool) *BoundaryJSON {
	b := &BoundaryJSON{Shapes: []ShapeCount{}}
	if f == nil {
		return b
	}
	var sum padding.Totals
	at := map[string]int{}
	for i := range f.Arrays {
		a := &f.Arrays[i]
		if results != (a.Parameter == entry.Result) {
			continue
		}
		size := padding.SizeOf(a.Device)
		if sum.Add(size); !size.Known {
			b.Unknown++
		}
		text := a.Device.String()
		if _, ok := at[text]; !ok {
			at[text] = len(b.Shapes)
			b.Shapes = append(b.Shapes, ShapeCount{Shape: text})
		}
		c := &b.Shapes[at[text]]
		c.Count, c.bytes = c.Count+1, c.bytes+size.Padded
	}
	b.Arrays, b.Logical, b.Padded = sum.Values, sum.Logical, sum.Padded
	slices.SortStableFunc(b.Shapes, func(a, b ShapeCount) int { return cmp.Compare(b.bytes, a.bytes) })
	return b
}

// held adds up what parameters and results take of HBM, those results left out that have the place of a parameter.
func held(f *entry.Interface, aliases []hlo.Alias) int64 {
	if f == nil {
		return 0
	}
	var sum padding.Totals
	shared := map[string]bool{}
	for _, a := range aliases {
		shared[(&entry.Array{Parameter: entry.Result, Index: a.Output}).Place()] = true
	}
	for i := range f.Arrays {
		a := &f.Arrays[i]
		if size := padding.SizeOf(a.Device); size.Space == 0 && !shared[a.Place()] {
			sum.Add(size)
		}
	}
	return sum.Padded
}

func summaryMemory(r *memory.Report) *SummaryMemory {
	out := &SummaryMemory{HBM: r.Stats.Peak()}
	for i := range r.Spaces {
		u := &r.Spaces[i]
		if u.Number == 0 {
			out.HBMLimit = u.Limit
		} else {
			out.Fast, out.FastPeak, out.FastLimit = u.Name, u.Peak, u.Limit
		}
	}
	return out
}

// findings takes the worst findings of lint: those of the severest rules, then those that cost most; what totals leave
// out comes last. One that is in doubt counts as any other, for it says so. Where there are few, findings below the
// thresholds fill up.
func (s *Summary) findings(m *hlo.Module, t *tpu.Target) {
	config := lint.Default()
	list := lint.Run(m, t, config)
	s.Found = len(list)
	last := map[bool]int{true: 1}
	slices.SortStableFunc(list, func(a, b lint.Finding) int {
		return cmp.Or(cmp.Compare(b.Rule.Severity, a.Rule.Severity), last[a.Uncounted]-last[b.Uncounted],
			cmp.Compare(b.Bytes*int64(b.Count()), a.Bytes*int64(a.Count())))
	})
	small := len(list)
	if len(list) < summaryFindings {
		known := map[*hlo.Instruction]bool{}
		for _, f := range list {
			known[f.Instruction] = true
		}
		for i := range config.Rules {
			config.Rules[i].MinBytes = smallFinding
		}
		for _, f := range lint.Run(m, t, config) {
			if !known[f.Instruction] && f.Severity >= lint.Warning {
				list = append(list, f)
			}
		}
		slices.SortStableFunc(list[small:], func(a, b lint.Finding) int {
			return cmp.Compare(b.Bytes*int64(b.Count()), a.Bytes*int64(a.Count()))
		})
	}
	for i := range list[:min(len(list), summaryFindings)] {
		s.Findings = append(s.Findings, summaryFinding(&list[i], i >= small))
		if in := list[i].Instruction; in != nil && s.worst == "" {
			s.worst = "%" + in.Name
		}
	}
}

func summaryFinding(f *lint.Finding, small bool) SummaryFinding {
	x := SummaryFinding{Rule: f.Rule.ID, Name: f.Rule.Name, Severity: f.Severity.String(), Count: f.Count(),
		Message: f.Message, Bytes: f.Bytes * int64(f.Count()), Suggestion: f.Suggestion, Small: small,
		uncounted: f.Uncounted}
	if f.Shape != nil {
		x.Shape = f.Shape.String()
	}
	if f.Doubtful {
		x.Doubt = f.Details[len(f.Details)-1]
	}
	in := f.Instruction
	if in == nil {
		return x
	}
	x.Value = hlo.ValueName(in, f.Index)
	if name := in.Attr("metadata").Get("op_name"); name != nil {
		if text, ok := hlo.Unquote(name.Text); ok {
			x.OpName = text
		}
		if in.Opcode == hlo.OpParameter {
			x.OpName = "argument " + x.OpName
		}
	}
	line := in.SourceLine()
	x.Source, x.SourceLine, x.Function = line.File, line.Line, line.Function
	return x
}

// Cost is what summaries are ordered by, the worst first: the bytes of padding and of relayouts.
func (s *Summary) Cost() int64 { return s.Padded - s.Logical + s.RelayoutBytes }

// Advise sets what to run next; file is the argument that names the module on a command line, flags what to say with
// it.
func (s *Summary) Advise(file, flags string) {
	add := func(command, why string) {
		s.Next = append(s.Next, SummaryNextStep{fmt.Sprintf("hlolayout %s%s %s", command, flags, file), why})
	}
	switch {
	case s.Partial != "" && s.Arrays == 0:
		return // there is nothing to see
	case s.Partial != "":
		add("stats --partial", "what each value takes")
		return
	case !s.Judged:
		add("fmt --canonical", "the module as XLA prints it; it is not judged, for it is not a TPU's")
		return
	case s.Assigned:
		add("assign --diff-only", "what layout assignment changes")
	case s.Memory != nil && s.Memory.HBMLimit > 0 && s.Memory.HBM > s.Memory.HBMLimit:
		add("memory", "what does not fit into HBM")
	case s.Memory != nil:
		add("memory", "what fills HBM and "+cmp.Or(s.Memory.Fast, "the host")+", and when")
	}
	if s.worst != "" {
		command := "explain"
		if s.Stage == stage.Lowered.String() || s.Stage == stage.Unoptimized.String() {
			command += " --simplify" // the value is one of the module that costs are taken from
		}
		add(command, "why the worst value has its layout")
		s.Next[len(s.Next)-1].Command += " '" + s.worst + "'"
	}
	if s.Found > 0 {
		add("lint --severity note", fmt.Sprintf("every finding above the thresholds: %d", s.Found))
	}
	add("report -o report.html", "all of it on one page")
}
