package fit

import (
	"cmp"
	"slices"

	"hlolayout/hlo"
	"hlolayout/passes/memory"
	"hlolayout/tpu"
)

// Scratch is the kind of memory that an instruction takes for itself.
const Scratch Kind = "scratch"

// Use is what one memory holds when it holds most, in bytes.
type Use struct {
	// Space is the memory's name, such as "HBM".
	Space string
	// Peak is at least Least and at most Most. All three are equal for a scheduled module; else Peak is a prediction.
	Peak, Least, Most int64
	// Held is what there is at the peak, the largest first.
	Held []Holding
}

// Exact reports whether the peak is known, not predicted.
func (u *Use) Exact() bool { return u.Least == u.Most }

// Against says how the use stands to a budget in bytes: "within", "exceeds", or "unknown" where the bounds of a
// prediction do not decide it.
func (u *Use) Against(budget int64) string {
	switch {
	case u.Most <= budget:
		return "within"
	case u.Least > budget:
		return "exceeds"
	}
	return "unknown"
}

// stray is how many bytes the temporaries of a program may take of which the prediction sees nothing: those of the 217
// programs that were measured took at most 256 MiB.
const stray = 256 << 20

// HBM returns the use of HBM. Arguments and results are exact at every stage. Foreseen temporaries are uncertain, since
// the compiler saves nothing for a budget that is below the target's limit: of 217 programs, those compiled took
// anything from none to twice what was foreseen.
func (p *Program) HBM() *Use {
	s, _ := p.Target.Space(0)
	u := &Use{Space: s.Name, Peak: p.Peak, Least: p.Peak, Most: p.Peak, Held: slices.Clone(p.AtPeak())}
	for i := range u.Held {
		u.Held[i].Shown = p.Shown(&u.Held[i])
	}
	if p.Foreseen {
		u.Least = p.Peak - p.Stats.Temp
		u.Most = p.Peak + p.Stats.Temp + stray + p.doubt
	}
	return u
}

// Fast returns the use of the memory that a scheduled module's arrays are moved to, ok is false where the target has
// none.
func Fast(r *memory.Report) (u *Use, ok bool) {
	for i := range r.Spaces {
		s := &r.Spaces[i]
		if s.Number == 0 {
			continue
		}
		u = &Use{Space: s.Name, Peak: s.Peak, Least: s.Peak, Most: s.Peak}
		for _, x := range s.Residents {
			h := Holding{Instruction: x.Instruction, Index: x.Index, Bytes: x.Bytes, Kind: Temporary, Shown: x.Instruction}
			switch {
			case x.Scratch:
				h.Kind = Scratch
			case x.Instruction.Opcode == hlo.OpParameter && x.Instruction.Computation.IsEntry():
				h.Kind, h.Shape = Argument, x.Instruction.Shape.At(x.Index)
			default:
				h.Shape = x.Instruction.Shape.At(x.Index)
			}
			u.Held = append(u.Held, h)
		}
		return u, true
	}
	return nil, false
}

// FastUnknown is the use of the fast memory by a module that is not scheduled: anything up to what arrays may take of
// it. ok is false where the target has none.
func FastUnknown(t *tpu.Target) (u *Use, ok bool) {
	for _, s := range t.MemorySpaces {
		if s.Number != 0 && s.PlacementBytes > 0 {
			return &Use{Space: s.Name, Most: s.PlacementBytes}, true
		}
	}
	return nil, false
}

// Change is arrays of one kind and shape, made by one kind of instruction, of which a memory holds more or fewer at its
// peak than it did.
type Change struct {
	Kind   Kind
	Opcode hlo.Opcode
	// Shape is nil for scratch memory.
	Shape *hlo.Shape
	// Was and Now count the arrays, WasBytes and NowBytes are what they take.
	Was, Now           int
	WasBytes, NowBytes int64
	// Example is the first array that is there now; nil where none is left.
	Example *Holding
}

// Bytes returns what the change adds to the memory.
func (c *Change) Bytes() int64 { return c.NowBytes - c.WasBytes }

// Changes compares what a memory held with what it holds, by kind, shape and opcode, for names say nothing from one
// program to the next. The largest change comes first, and what is the same is left out.
func Changes(was, now []Holding) []Change {
	type key struct {
		kind   Kind
		opcode hlo.Opcode
		shape  string
	}
	at := map[key]int{}
	var all []Change
	of := func(h *Holding) *Change {
		k := key{kind: h.Kind, opcode: h.Instruction.Opcode}
		if h.Shape != nil {
			k.shape = h.Shape.String()
		}
		if _, ok := at[k]; !ok {
			at[k] = len(all)
			all = append(all, Change{Kind: h.Kind, Opcode: h.Instruction.Opcode, Shape: h.Shape})
		}
		return &all[at[k]]
	}
	for i := range now {
		c := of(&now[i])
		c.Now, c.NowBytes, c.Example = c.Now+1, c.NowBytes+now[i].Bytes, cmp.Or(c.Example, &now[i])
	}
	for i := range was {
		c := of(&was[i])
		c.Was, c.WasBytes = c.Was+1, c.WasBytes+was[i].Bytes
	}
	all = slices.DeleteFunc(all, func(c Change) bool { return c.Was == c.Now && c.Bytes() == 0 })
	slices.SortStableFunc(all, func(a, b Change) int {
		return cmp.Compare(max(b.Bytes(), -b.Bytes()), max(a.Bytes(), -a.Bytes()))
	})
	return all
}
