package whatif

import (
	"cmp"
	"slices"

	"hlolayout/hlo"
	"hlolayout/passes/check"
	"hlolayout/passes/padding"
	"hlolayout/passes/relayout"
	"hlolayout/tpu"
)

// Cost is what the layouts of a module cost.
type Cost struct {
	// PaddedBytes is the size of all arrays in memory, padding included (package padding): no peak, for they live at
	// different times.
	PaddedBytes int64 `json:"padded_bytes"`
	// CopiedBytes is what relayouts write in one run of the module, those in loops as often as they run (package
	// relayout).
	CopiedBytes int64 `json:"copied_bytes"`
	Copies      int   `json:"copies"`
	// InterfaceBytes is the size of all parameters and results, padding included: exact, for the layouts of the entry
	// are what the compiler gives it.
	InterfaceBytes int64 `json:"interface_bytes"`
}

// compare puts fewer padded bytes first, of equal ones fewer copied bytes.
func (c *Cost) compare(other *Cost) int {
	return cmp.Or(cmp.Compare(c.PaddedBytes, other.PaddedBytes), cmp.Compare(c.CopiedBytes, other.CopiedBytes))
}

// CostOf returns the cost of a module that has its layouts.
func CostOf(m *hlo.Module) Cost {
	var sum padding.Totals
	padding.Each(m, func(v *padding.Value) { sum.Add(v.Size) })
	moves := relayout.Find(m)
	return Cost{sum.Padded, relayout.Sum(moves), len(moves), interfaceBytes(m)}
}

func interfaceBytes(m *hlo.Module) (n int64) {
	params, result, _ := m.EntryLayout()
	for _, s := range append(slices.Clone(params), result) {
		if s == nil {
			continue
		}
		s.Leaves(func(_ hlo.Index, leaf *hlo.Shape) {
			if leaf.IsArray() {
				n = saturating(n, padding.SizeOf(leaf).Padded)
			}
		})
	}
	return n
}

// Snapshot remembers what the instructions of a module were called before passes rewrite it, so that two modules which
// come from one text can be held against each other.
type Snapshot struct {
	Module       *hlo.Module
	instructions []*hlo.Instruction
	names        map[*hlo.Instruction]string
}

// Snap takes the snapshot.
func Snap(m *hlo.Module) *Snapshot {
	s := &Snapshot{Module: m, names: map[*hlo.Instruction]string{}}
	for _, c := range m.Computations {
		for _, in := range c.Instructions {
			s.instructions = append(s.instructions, in)
			s.names[in] = in.Name
		}
	}
	return s
}

// name returns what an instruction was called; one that a pass made is called after what it copies or takes.
func (s *Snapshot) name(in *hlo.Instruction) string {
	if in == nil {
		return ""
	}
	if name, ok := s.names[in]; ok {
		return "%" + name
	}
	text := in.OpName()
	if v := in.Attr("index"); v != nil {
		text += v.Text
	}
	for _, o := range in.Operands {
		text += " " + s.name(o)
	}
	return text
}

// Difference is what changes from one run of layout assignment to another on the same module.
type Difference struct {
	Before  Cost   `json:"before"`
	After   Cost   `json:"after"`
	Added   []Copy `json:"copies_added"`
	Removed []Copy `json:"copies_removed"`
	// Reordered are the arrays in memory that have another order of dimensions, in the order of the text.
	Reordered []Reordered `json:"reordered"`
}

// Copy is one copy that only one of the runs has.
type Copy struct {
	Name        string `json:"name"`
	Computation string `json:"computation"`
	Of          string `json:"of"`
	From        string `json:"from"` // shapes
	To          string `json:"to"`
	// Bytes is what it writes each time, Runs how often it runs in one run of the module.
	Bytes int64 `json:"bytes"`
	Runs  int64 `json:"runs"`
}

// Reordered is one array that has another order.
type Reordered struct {
	Value       string `json:"value"`
	Computation string `json:"computation"`
	From        string `json:"from"` // shapes
	To          string `json:"to"`
	BytesBefore int64  `json:"bytes_before"` // padded
	BytesAfter  int64  `json:"bytes_after"`
}

// Compare returns what changes from before to after: snapshots of two modules, taken before the passes ran, that were
// parsed from one text.
func Compare(before, after *Snapshot) *Difference {
	d := &Difference{Before: CostOf(before.Module), After: CostOf(after.Module), Added: []Copy{}, Removed: []Copy{},
		Reordered: []Reordered{}}
	old, now := before.copies(), after.copies()
	for _, k := range now.order {
		if extra := len(now.by[k]) - len(old.by[k]); extra > 0 {
			d.Added = append(d.Added, now.by[k][:extra]...)
		}
	}
	for _, k := range old.order {
		if extra := len(old.by[k]) - len(now.by[k]); extra > 0 {
			d.Removed = append(d.Removed, old.by[k][:extra]...)
		}
	}
	d.reorder(before, after)
	return d
}

// place says which copy one is, whatever it is called: what it copies, where to, and for whom.
type place struct{ computation, of, from, to, user string }

type copies struct {
	by    map[place][]Copy
	order []place
}

func (s *Snapshot) copies() copies {
	out := copies{by: map[place][]Copy{}}
	for _, r := range relayout.Find(s.Module) {
		of := r.Instruction.Operands[0]
		c := Copy{Name: hlo.ValueName(r.Instruction, nil), Computation: r.Instruction.Computation.Name,
			Of: hlo.ValueName(of, nil), From: r.From.String(), To: r.To.String(), Bytes: r.Bytes, Runs: r.Runs}
		k := place{c.Computation, s.name(of), c.From, c.To, s.name(r.User)}
		if out.by[k] == nil {
			out.order = append(out.order, k)
		}
		out.by[k] = append(out.by[k], c)
	}
	return out
}

// reorder lists the arrays that have another order.
func (d *Difference) reorder(before, after *Snapshot) {
	type key struct {
		in    *hlo.Instruction
		index string
	}
	was := map[key]padding.Value{}
	padding.Each(before.Module, func(v *padding.Value) { was[key{v.Instruction, v.Index.String()}] = *v })
	twin := map[*hlo.Instruction]*hlo.Instruction{}
	for i, in := range after.instructions {
		twin[in] = before.instructions[i]
	}
	padding.Each(after.Module, func(v *padding.Value) {
		old, ok := was[key{twin[v.Instruction], v.Index.String()}]
		if !ok || slices.Equal(old.Shape.MinorToMajor(), v.Shape.MinorToMajor()) {
			return
		}
		d.Reordered = append(d.Reordered, Reordered{after.name(v.Instruction) + v.Index.String(),
			v.Instruction.Computation.Name, old.Shape.String(), v.Shape.String(), old.Padded, v.Padded})
	})
}

// Legal returns an error, PIN108, when a module whose layouts were pinned breaks a rule that the one without pins does
// not break.
func Legal(before, after *hlo.Module, t *tpu.Target) error {
	count := map[string]int{}
	for _, e := range check.Module(before, t) {
		count[e.Code]++
	}
	for _, e := range check.Module(after, t) {
		if count[e.Code]--; count[e.Code] < 0 {
			return moduleError(after, "PIN108", "", "the module is not legal with what is asked for: %s [%s]", e.Msg,
				e.Code)
		}
	}
	return nil
}
