package fit

import (
	"fmt"
	"slices"
	"strings"

	"hlolayout/hlo"
	"hlolayout/hlo/tiled"
	"hlolayout/passes/shrink"
)

// Way is one change of the program that makes its peak smaller.
type Way struct {
	// Kind is one of donate, padding, checkpoint, batch, dtype; several that are to be done together are joined by +.
	Kind string
	// Text says what to do.
	Text string
	// Peak is what the program takes of HBM then, Saves how much less that is, in bytes. Values that are made anew, or
	// that the compiler then keeps for longer, are not in it.
	Peak, Saves int64
	// Fits says that Peak is within the limit.
	Fits bool
	// Size and To are the size of the batch as it is and as it is to be; 0 in ways that leave it.
	Size, To int64
	// Arguments names what is to be donated.
	Arguments []string
}

// change is a way before it is weighed: it returns what a holding becomes, and how many bytes come to it.
type change struct {
	way  Way
	does func(h Holding) Holding
	adds int64
}

// Ways returns what makes the program smaller: what suffices alone first, in the order donate, padding, checkpoint,
// batch, dtype, which is that of what it costs; then the others. Where nothing suffices alone, what suffices together
// comes before them.
func (p *Program) Ways() (out []Way) {
	var all []change
	for _, find := range []func() []change{p.donations, p.paddings, p.checkpoints, p.batches, p.dtypes} {
		all = append(all, find()...)
	}
	for _, c := range all {
		if w := p.weigh(c); w.Saves > 0 {
			out = append(out, w)
		}
	}
	if len(out) > 1 && !slices.ContainsFunc(out, func(w Way) bool { return w.Fits }) {
		if w, ok := p.together(all); ok {
			out = append(out, w)
		}
	}
	slices.SortStableFunc(out, func(a, b Way) int {
		return map[bool]int{true: 0, false: 1}[a.Fits] - map[bool]int{true: 0, false: 1}[b.Fits]
	})
	return out
}

// weigh says what a change comes to.
func (p *Program) weigh(c change) Way {
	hs := make([]Holding, 0, len(p.Holdings))
	for _, h := range p.Holdings {
		if h = c.does(h); h.Bytes > 0 {
			hs = append(hs, h)
		}
	}
	sum, _ := p.total(hs)
	w := c.way
	w.Peak = sum + p.rest + c.adds
	w.Saves = p.Peak - w.Peak
	w.Fits = p.Limit > 0 && w.Peak <= p.Limit
	return w
}

// together joins one change of each kind until the program fits.
func (p *Program) together(all []change) (Way, bool) {
	joined := change{does: func(h Holding) Holding { return h }}
	used := map[string]bool{}
	for _, c := range all {
		w := p.weigh(c)
		if w.Saves <= 0 || used[c.way.Kind] {
			continue
		}
		used[c.way.Kind] = true
		before, adds := joined, c.adds
		text := c.way.Text
		if joined.way.Kind != "" {
			text, c.way.Kind = joined.way.Text+"; and "+text, joined.way.Kind+"+"+c.way.Kind
		}
		joined = change{way: c.way, adds: before.adds + adds, does: func(h Holding) Holding { return c.does(before.does(h)) }}
		joined.way.Text = text
		joined.way.Arguments = append(slices.Clone(before.way.Arguments), c.way.Arguments...)
		if before.way.Size > 0 {
			joined.way.Size, joined.way.To = before.way.Size, before.way.To
		}
		if w := p.weigh(joined); w.Fits {
			return w, strings.Contains(w.Kind, "+")
		}
	}
	return Way{}, false
}

// resized returns a holding with other sizes or another type.
func (p *Program) resized(h Holding, d hlo.DType, dims []int64) Holding {
	if n, ok := p.Target.Bytes(d, dims, h.Shape.MinorToMajor()); ok {
		s := *h.Shape
		s.DType, s.Dims, s.Dynamic = d, dims, nil
		h.Bytes, h.Shape = min(n, h.Bytes), &s
	}
	return h
}

// name is what the program calls an argument, or its value.
func name(h *Holding) string {
	if n := h.Instruction.MetadataOpName(); n != "" && h.Kind == Argument {
		return n + h.Index.String()
	}
	return "%" + h.Instruction.Name + h.Index.String()
}

// donations pairs arguments and outputs of one shape.
func (p *Program) donations() []change {
	var names []string
	gone, taken := map[string]bool{}, map[int]bool{}
	for i := range p.Holdings {
		o := &p.Holdings[i]
		if o.Kind != Output || o.Bytes < 1024 {
			continue
		}
		for j := range p.Holdings {
			if a := &p.Holdings[j]; a.Kind == Argument && !a.Aliased && !taken[j] && a.Shape.Equal(o.Shape) {
				taken[j], gone[o.Leaf.String()] = true, true
				names = append(names, name(a))
				break
			}
		}
	}
	if len(names) == 0 {
		return nil
	}
	return []change{{
		way: Way{Kind: "donate", Arguments: names,
			Text: fmt.Sprintf("donate %s, whose shape an output has: jax.jit(..., donate_argnums=...)", some(names))},
		does: func(h Holding) Holding {
			if h.Kind == Output && gone[h.Leaf.String()] {
				h.Bytes = 0
			}
			return h
		},
	}}
}

// some joins the first of many names.
func some(names []string) string {
	if len(names) > 4 {
		return fmt.Sprintf("%s and %d more", strings.Join(names[:3], ", "), len(names)-3)
	}
	return strings.Join(names, ", ")
}

// wasteful is the part of an array that is padding from which on a shape without it is looked for.
const wasteful = 0.25

// paddings gives all arrays that are padded much the order or the shape that takes least.
func (p *Program) paddings() []change {
	least := func(h Holding) (best shrink.Way) {
		a, err := tiled.New(h.Shape)
		if err != nil || float64(a.Bytes()-a.LogicalBytes()) < wasteful*float64(a.Bytes()) {
			return best
		}
		for _, w := range shrink.Ways(h.Shape, p.Target) {
			if w.Kind != "dtype" && w.Saves > best.Saves {
				best = w
			}
		}
		return best
	}
	var texts []string
	for _, h := range p.AtPeak() {
		if w := least(h); w.Saves > 0 && len(texts) < 3 && h.Bytes*100 > p.Peak {
			texts = append(texts, fmt.Sprintf("%s, %s: %s", name(&h), h.Shape, w.Text))
		}
	}
	if len(texts) == 0 {
		return nil
	}
	return []change{{way: Way{Kind: "padding", Text: "store arrays without their padding: " + strings.Join(texts, "; ")},
		does: func(h Holding) Holding {
			h.Bytes -= least(h).Saves
			return h
		}}}
}

// dtypes halves the arrays of 32 bits.
func (p *Program) dtypes() []change {
	var at []string
	for _, h := range p.AtPeak() {
		if h.Shape.DType == hlo.F32 && h.Bytes*20 > p.Peak && len(at) < 3 {
			text := name(&h)
			if s := p.Shown(&h).SourceLine().String(); s != "" {
				text += " (" + s + ")"
			}
			at = append(at, text)
		}
	}
	if len(at) == 0 {
		return nil
	}
	return []change{{way: Way{Kind: "dtype", Text: "bf16 in place of f32, the largest: " + strings.Join(at, ", ")},
		does: func(h Holding) Holding {
			if h.Shape.DType != hlo.F32 {
				return h
			}
			return p.resized(h, hlo.BF16, h.Shape.Dims)
		}}}
}
