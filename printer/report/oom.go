package report

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"hlolayout/hlo"
	"hlolayout/passes/fit"
	"hlolayout/passes/lint"
	"hlolayout/passes/padding"
	"hlolayout/passes/shrink"
	"hlolayout/tpu"
)

// OOM says what of a program does not fit, as the compiler's message says it, or as a scheduled module shows it.
type OOM struct {
	File string
	// Origin is zero for a message.
	Origin Origin
	// Code is the message's code, Module the program's name, Target whose rules hold for the ways to take less.
	Code, Module string
	Target       *tpu.Target
	// Space is the memory, such as "HBM"; Scoped says that it is what one kernel may take of VMEM, Instruction that
	// kernel.
	Space       string
	Scoped      bool
	Instruction string
	// Used, Limit and Requested are bytes: of the program, of the memory (or free), of an allocation that failed; 0 for
	// what is not known.
	Used, Limit, Requested int64
	Parts                  []OOMPart
	Allocations            []OOMAllocation
	// Ways are changes of the whole program.
	Ways []fit.Way
	// Verdict is fits, does not fit or unknown, Least what the program takes where the compiler has to make it smaller.
	Verdict  string
	Least    int64
	Bound    int64 // how many bytes Used may be off
	Foreseen bool
}

// OOMPart is what one kind of data takes.
type OOMPart struct {
	Name  string `json:"name"`
	Bytes int64  `json:"bytes"`
}

// OOMAllocation is one array that takes much.
type OOMAllocation struct {
	// Name is the instruction, as far as it is known; Op the operation of the program, Source its line. LineOf is the
	// instruction that these are of where it is another one.
	Name, Op, Source, LineOf string
	// Space and Type say where it is and what for.
	Space, Type string
	// Shape is nil where it is not known. Size and Unpadded are bytes.
	Shape          *hlo.Shape
	Size, Unpadded int64
	// Written is what the shape takes where that is more than Size, which is foreseen to be less for the reason that
	// Foreseen says; else 0.
	Written  int64
	Foreseen string
	Ways     []shrink.Way
}

// Measure fills in what follows from an allocation's shape: the exact bytes, and what would take less.
func (a *OOMAllocation) Measure(t *tpu.Target) {
	if a.Shape == nil {
		return
	}
	a.Ways = shrink.Ways(a.Shape, t)
	switch s := padding.SizeOf(a.Shape); {
	case !s.Known || !a.Shape.IsArray():
	case a.Size == 0 || lint.Size(s.Padded) == lint.Size(a.Size):
		a.Size, a.Unpadded = s.Padded, s.Logical
	case a.Foreseen != "" && s.Padded > a.Size:
		a.Written = s.Padded
		a.Ways = slices.DeleteFunc(a.Ways, func(w shrink.Way) bool { return w.Bytes >= a.Size })
		for i := range a.Ways {
			a.Ways[i].Saves = a.Size - a.Ways[i].Bytes
		}
	}
}

// Over returns by how many bytes the program is too large, 0 or less where it fits or that is not known.
func (o *OOM) Over() int64 {
	if o.Requested > 0 {
		return o.Requested - o.Limit
	}
	if o.Limit == 0 {
		return 0
	}
	return o.Used - o.Limit
}

// OOMOf says what fills HBM at the peak of a program, and what would make it smaller.
func OOMOf(file string, p *fit.Program) *OOM {
	o := &OOM{File: file, Module: p.Module.Name, Target: p.Target, Space: "HBM", Used: p.Peak, Limit: p.Limit}
	for _, x := range []OOMPart{{"arguments", p.Stats.Argument}, {"outputs that take no argument's place",
		p.Stats.Output - p.Stats.Alias}, {"constants", p.Stats.Constant}, {"temporaries", p.Stats.Temp}} {
		if x.Bytes > 0 {
			o.Parts = append(o.Parts, x)
		}
	}
	for _, h := range p.AtPeak() {
		in := p.Shown(&h)
		a := OOMAllocation{Name: "%" + h.Instruction.Name + h.Index.String(), Op: in.MetadataOpName(),
			Source: in.SourceLine().String(), Space: "HBM",
			Type: string(h.Kind), Shape: h.Shape, Size: h.Bytes, Foreseen: foreseenAs(&h)}
		if in != h.Instruction {
			a.LineOf = "%" + in.Name
		}
		o.Allocations = append(o.Allocations, a)
	}
	o.Verdict, o.Least, o.Bound = p.Verdict(), p.Peak, p.Bound()
	if o.Foreseen = p.Foreseen; o.Foreseen {
		o.Least = p.Least()
	}
	if o.Over() > 0 {
		o.Ways = p.Ways()
	}
	return o
}

// foreseenAs says why an array takes less than its shape, "" where it does not.
func foreseenAs(h *fit.Holding) string {
	if h.Narrow {
		return "kept as bf16"
	}
	return ""
}

// Headline says in one line what does not fit.
func (o *OOM) Headline() string {
	memory := cmp.Or(o.Space, "memory")
	if o.Scoped {
		memory = "scoped " + memory
	}
	text := memory + ": "
	if o.Code != "" {
		text = o.Code + ": " + text
	}
	switch over := o.Over(); {
	case o.Requested > 0:
		text += fmt.Sprintf("an allocation of %s failed, %s were free", lint.Size(o.Requested), lint.Size(o.Limit))
	case o.Foreseen:
		text += fmt.Sprintf("about %s of %s: %s", lint.Size(o.Used), lint.Size(o.Limit), o.Verdict)
		if o.Verdict != "does not fit" && o.Least < o.Used && over > 0 {
			text += fmt.Sprintf(", if the compiler comes down to about %s", lint.Size(o.Least))
		}
		text += fmt.Sprintf(" (foreseen: four programs of five are within %s)", lint.Size(o.Bound))
	case o.Limit == 0 && o.Used == 0:
		text += "the message does not say how much is needed"
	case o.Limit == 0:
		text += fmt.Sprintf("%s are needed, the message does not say how much there is", lint.Size(o.Used))
	case over > 0:
		text += fmt.Sprintf("%s do not fit in %s: %s too much", lint.Size(o.Used), lint.Size(o.Limit), lint.Size(over))
	default:
		text += fmt.Sprintf("%s fit in %s", lint.Size(o.Used), lint.Size(o.Limit))
	}
	if o.Module != "" {
		text += ", module " + o.Module
	}
	return text
}

// AppendText appends the account as text; top limits the allocations, 0 is for all.
func (o *OOM) AppendText(dst []byte, top int) []byte {
	dst = fmt.Appendf(dst, "%s: %s\n", o.File, o.Headline())
	for _, p := range o.Parts {
		dst = fmt.Appendf(dst, "  %-40s %10s\n", p.Name, lint.Size(p.Bytes))
	}
	if o.Scoped {
		dst = o.appendScoped(dst)
	}
	if len(o.Allocations) > 0 {
		dst = append(dst, "Largest allocations:\n"...)
	} else if o.Origin == (Origin{}) && !o.Scoped && o.Requested == 0 {
		dst = append(dst, "  The message lists no arrays. What fills the memory, and what would help, says hlolayout oom of "+
			"a module:\n  *.oom_intermediate_module.txt, which the compiler writes to the folder of --xla_dump_to, or "+
			"as foreseen\n  that of jax.jit(f).lower(...).as_text(\"hlo\").\n"...)
	}
	for i := range o.Allocations {
		if top > 0 && i == top {
			dst = fmt.Appendf(dst, "  ... and %d more (--top 0 shows all)\n", len(o.Allocations)-i)
			break
		}
		dst = o.Allocations[i].appendText(dst, i+1)
	}
	if len(o.Ways) > 0 {
		dst = append(dst, "What would help:\n"...)
	}
	for i, w := range o.Ways {
		dst = fmt.Appendf(dst, "  %d. %s: %s less, then %s, which %s\n     %s\n", i+1, w.Kind, lint.Size(w.Saves),
			lint.Size(w.Peak),
			map[bool]string{true: "fits", false: "does not fit alone"}[w.Fits], w.Text)
	}
	return dst
}

// appendScoped says what the limit of a kernel is, and how it is moved.
func (o *OOM) appendScoped(dst []byte) []byte {
	dst = fmt.Appendf(dst, "  The kernel: %s\n", o.Instruction)
	dst = append(dst, "  Its blocks, buffered twice, its scratch and its spills are taken from scoped VMEM; smaller "+
		"blocks take less.\n"...)
	for _, s := range o.Target.MemorySpaces {
		if s.Name == "VMEM" && s.CapacityBytes > 0 {
			fits := ", enough for the " + lint.Size(o.Used) + " that it needs"
			switch {
			case o.Used == 0:
				fits = ""
			case o.Used > s.CapacityBytes:
				fits = ", less than the " + lint.Size(o.Used) + " that it needs"
			}
			dst = fmt.Appendf(dst, "  All VMEM of %s is %s%s: "+
				"pltpu.CompilerParams(vmem_limit_bytes=...) raises the limit of one kernel, "+
				"--xla_tpu_scoped_vmem_limit_kib that of all.\n", o.Target.Name, lint.Size(s.CapacityBytes), fits)
		}
	}
	return dst
}

func (a *OOMAllocation) appendText(dst []byte, number int) []byte {
	dst = fmt.Appendf(dst, "  %d. Size: %s\n", number, lint.Size(a.Size))
	row := func(name, text string) {
		if text != "" {
			dst = fmt.Appendf(dst, "     %s: %s\n", name, text)
		}
	}
	if a.Shape != nil {
		row("Shape", a.Shape.String())
	}
	if a.Written > 0 {
		row("Foreseen", fmt.Sprintf("%s; as it is written it takes %s", a.Foreseen, lint.Size(a.Written)))
	}
	if a.Unpadded > 0 {
		row("Unpadded size", lint.Size(a.Unpadded))
		if s := (padding.Size{Logical: a.Unpadded, Padded: a.Size}); s.Waste() > 0 {
			row("Extra memory due to padding", fmt.Sprintf("%s (%.1fx expansion)", lint.Size(s.Waste()), s.Factor()))
		}
	}
	if a.Shape != nil && a.Written == 0 {
		row("Padded", shrink.Why(a.Shape))
	}
	row("Value", a.Name)
	row("Operation", a.Op)
	row("Source", a.Source)
	row("Line of", a.LineOf)
	row("Allocation", strings.Trim(a.Space+", "+a.Type, ", "))
	for _, w := range a.Ways {
		row("Smaller", fmt.Sprintf("%s: %s, %s less", w.Text, lint.Size(w.Bytes), lint.Size(w.Saves)))
	}
	return dst
}

// OOMJSON is the machine-readable form of OOM.
type OOMJSON struct {
	Form
	File   string `json:"file"`
	Source string `json:"source"` // message or module
	Origin
	Code        string              `json:"code,omitempty"`
	Module      string              `json:"module,omitempty"`
	Target      string              `json:"target"`
	Space       string              `json:"space,omitempty"`
	Scoped      bool                `json:"scoped,omitempty"`
	Instruction string              `json:"instruction,omitempty"`
	Used        int64               `json:"used_bytes,omitempty"`
	Limit       int64               `json:"limit_bytes,omitempty"`
	Requested   int64               `json:"requested_bytes,omitempty"`
	Over        int64               `json:"over_bytes"`
	Verdict     string              `json:"verdict,omitempty"`
	Least       int64               `json:"least_bytes,omitempty"`
	Bound       int64               `json:"error_bound_bytes,omitempty"`
	Parts       []OOMPart           `json:"parts"`
	Allocations []OOMArrayJSON      `json:"allocations"`
	Suggestions []OOMSuggestionJSON `json:"suggestions"`
}

// OOMSuggestionJSON is one change of the whole program.
type OOMSuggestionJSON struct {
	Kind      string   `json:"kind"`
	Text      string   `json:"text"`
	Saves     int64    `json:"saved_bytes"`
	Peak      int64    `json:"peak_bytes"`
	Fits      bool     `json:"fits"`
	Size      int64    `json:"size,omitempty"`
	To        int64    `json:"to,omitempty"`
	Arguments []string `json:"arguments,omitempty"`
}

// OOMArrayJSON is one allocation.
type OOMArrayJSON struct {
	Value    string       `json:"value,omitempty"`
	Op       string       `json:"op_name,omitempty"`
	Source   string       `json:"source,omitempty"`
	Space    string       `json:"space,omitempty"`
	Type     string       `json:"type,omitempty"`
	Shape    string       `json:"shape,omitempty"`
	Bytes    int64        `json:"bytes"`
	Unpadded int64        `json:"unpadded_bytes"`
	Factor   float64      `json:"expansion"`
	Why      string       `json:"padded,omitempty"`
	LineOf   string       `json:"line_of,omitempty"`
	Foreseen string       `json:"foreseen,omitempty"`
	Written  int64        `json:"written_bytes,omitempty"`
	Smaller  []OOMWayJSON `json:"smaller"`
}

// OOMWayJSON is one way to make an array smaller.
type OOMWayJSON struct {
	Text  string `json:"text"`
	Bytes int64  `json:"bytes"`
	Saves int64  `json:"saved_bytes"`
}

// JSON returns the JSON form, with all allocations.
func (o *OOM) JSON() *OOMJSON {
	out := &OOMJSON{Form: ThisForm, File: o.File, Source: "message", Origin: o.Origin, Code: o.Code, Module: o.Module,
		Target: o.Target.Name,
		Space:  o.Space, Scoped: o.Scoped, Instruction: o.Instruction, Used: o.Used, Limit: o.Limit, Requested: o.Requested,
		Over: max(0, o.Over()), Verdict: o.Verdict, Least: o.Least, Bound: o.Bound,
		Parts: append([]OOMPart{}, o.Parts...), Allocations: []OOMArrayJSON{}, Suggestions: []OOMSuggestionJSON{}}
	if o.Origin != (Origin{}) {
		out.Source = "module"
	}
	for i := range o.Allocations {
		a := &o.Allocations[i]
		x := OOMArrayJSON{Value: a.Name, Op: a.Op, Source: a.Source, LineOf: a.LineOf, Space: a.Space, Type: a.Type,
			Bytes: a.Size, Unpadded: a.Unpadded,
			Factor: padding.Size{Logical: a.Unpadded, Padded: a.Size}.Factor(), Smaller: []OOMWayJSON{}}
		if a.Shape != nil {
			x.Shape, x.Why = a.Shape.String(), shrink.Why(a.Shape)
		}
		if a.Written > 0 {
			x.Foreseen, x.Written = a.Foreseen, a.Written
		}
		for _, w := range a.Ways {
			x.Smaller = append(x.Smaller, OOMWayJSON{w.Text, w.Bytes, w.Saves})
		}
		out.Allocations = append(out.Allocations, x)
	}
	for _, w := range o.Ways {
		out.Suggestions = append(out.Suggestions, OOMSuggestionJSON{w.Kind, w.Text, w.Saves, w.Peak, w.Fits, w.Size, w.To,
			w.Arguments})
	}
	return out
}
