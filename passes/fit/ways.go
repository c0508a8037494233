package fit

import (
	"fmt"
	"math"
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

// batches looks for the size that arguments share but no weight has, and makes it smaller until the program fits.
func (p *Program) batches() (out []change) {
	outputs := 0
	for i := range p.Holdings {
		if p.Holdings[i].Kind == Output {
			outputs++
		}
	}
	weights := map[int64]bool{} // sizes that are not the batch
	leading := map[int64]bool{}
	var order []int64
	for i := range p.Holdings {
		a := &p.Holdings[i]
		if a.Kind != Argument {
			continue
		}
		weight := a.Aliased || slices.ContainsFunc(p.Holdings, func(o Holding) bool {
			return o.Kind == Output &&
				o.Shape.Equal(a.Shape) && outputs > 1
		})
		for k, d := range a.Shape.Dims {
			switch {
			case weight || k > 0 && (len(a.Shape.Dims) < 3 || k > 1):
				weights[d] = true
			case d > 1 && !leading[d]:
				leading[d] = true
				order = append(order, d)
			}
		}
	}
	best := Way{}
	var found change
	for _, d := range order {
		if weights[d] {
			continue
		}
		c := p.smaller(d, 2, weights)
		if w := p.weigh(c); w.Saves > best.Saves {
			best, found = w, c
			for k := int64(4); !best.Fits && d/k >= 1 && k <= 1<<20; k *= 2 {
				found = p.smaller(d, k, weights)
				best.Fits = p.weigh(found).Fits
			}
			best.Saves = w.Saves
		}
	}
	if best.Saves > 0 {
		out = append(out, found)
	}
	return out
}

// smaller divides a size by k wherever arrays have it: itself, or as a factor of a size that is none of the weights'.
func (p *Program) smaller(d, k int64, weights map[int64]bool) change {
	to := (d + k - 1) / k
	where := ""
	for i := range p.Holdings {
		if a := &p.Holdings[i]; a.Kind == Argument && slices.Contains(a.Shape.Dims, d) {
			where = fmt.Sprintf(" (dimension %d of %s)", slices.Index(a.Shape.Dims, d), name(a))
			break
		}
	}
	return change{way: Way{Kind: "batch", Size: d, To: to,
		Text: fmt.Sprintf("take %d in place of %d%s at a time: %d steps, gradients added up or results joined", to, d,
			where, k)},
		does: func(h Holding) Holding {
			dims := slices.Clone(h.Shape.Dims)
			if slices.Contains(dims, d) {
				for i := range dims {
					if dims[i] == d {
						dims[i] = to
					}
				}
				return p.resized(h, h.Shape.DType, dims)
			}
			for i, n := range dims {
				if n > d && n%d == 0 && !weights[n] {
					dims[i] = n / d * to
					return p.resized(h, h.Shape.DType, dims)
				}
			}
			return h
		}}
}

// checkpoints looks for what the forward computation keeps for the backward one.
func (p *Program) checkpoints() (out []change) {
	if c, ok := p.stacks(); ok {
		out = append(out, c)
	}
	if c, ok := p.residuals(); ok {
		out = append(out, c)
	}
	return out
}

// stacks are buffers that one loop fills, a slice a round, and another reads. Recomputed (jax.checkpoint of the loop's
// body), only what the first loop carries from round to round has to be kept.
func (p *Program) stacks() (change, bool) {
	var bytes, rounds int64
	var while *hlo.Instruction
	stacked := map[*hlo.Instruction]map[string]bool{}
	for i := range p.Holdings {
		h := &p.Holdings[i]
		if h.Kind != Temporary || len(h.Shape.Dims) < 2 || h.Bytes*200 < p.Peak {
			continue
		}
		ls := p.loops(h)
		if len(ls) < 2 || ls[0].written == nil || ls[len(ls)-1].written != nil {
			continue
		}
		if stacked[h.Instruction] == nil {
			stacked[h.Instruction] = map[string]bool{}
		}
		stacked[h.Instruction][h.Index.String()] = true
		bytes += h.Bytes
		rounds, while = max(rounds, h.Shape.Dims[0]), ls[0].while
	}
	if bytes == 0 || rounds < 2 {
		return change{}, false
	}
	round := int64(0) // what a round hands to the next
	for i, s := range while.Shape.Elems {
		if s.IsArray() && !slices.Contains(s.Dims[:min(1, len(s.Dims))], rounds) && carried(while, int64(i)) != nil {
			if a, err := tiled.New(s); err == nil {
				round += a.Bytes()
			}
		}
	}
	keep := round*rounds + bytes/rounds
	text := "recompute the body of the loop" + at(while) + " in the backward pass (jax.checkpoint): only what goes " +
		"from round to round is kept"
	if keep >= bytes*3/4 { // it is recomputed already, or there is nothing else
		root := int64(math.Ceil(math.Sqrt(float64(rounds))))
		keep = 2*root*round + (bytes/rounds)*root
		text = fmt.Sprintf("split the loop%s in %d loops of %d rounds in a loop, with jax.checkpoint around each of them",
			at(while), root, (rounds+root-1)/root)
	}
	return change{way: Way{Kind: "checkpoint", Text: text}, adds: keep, does: func(h Holding) Holding {
		if stacked[h.Instruction][h.Index.String()] {
			h.Bytes = 0
		}
		return h
	}}, true
}

func at(in *hlo.Instruction) string {
	if s := in.SourceLine().String(); s != "" {
		return " at " + s
	}
	return " %" + in.Name
}

// residuals are values of the forward computation that the backward one reads, as JAX's names of operations tell them
// (jvp, transpose). Of n in layers that are recomputed one by one about 2/sqrt(n) are held at a time: the ends of
// layers, and one layer. That is a guess.
func (p *Program) residuals() (change, bool) {
	forward := func(in *hlo.Instruction) bool {
		n := in.MetadataOpName()
		return strings.Contains(n, "jvp(") && !strings.Contains(n, "transpose(") && !strings.Contains(n, "/while")
	}
	kept := func(h *Holding) bool {
		return h.Kind == Temporary && h.To < len(p.nodes) && h.Bytes*1000 > p.Peak && forward(h.Instruction) &&
			strings.Contains(p.nodes[h.To].MetadataOpName(), "transpose(")
	}
	var n, bytes int64
	for _, h := range p.AtPeak() {
		if kept(&h) {
			n, bytes = n+1, bytes+h.Bytes
		}
	}
	if n < 2 {
		return change{}, false
	}
	part := min(1, 2/math.Sqrt(float64(n)))
	return change{way: Way{Kind: "checkpoint", Text: fmt.Sprintf("recompute layers in the backward pass "+
		"(jax.checkpoint around each): %d values of the forward pass wait for it; "+
		"what is saved is a guess", n)}, does: func(h Holding) Holding {
		if kept(&h) {
			h.Bytes = int64(float64(h.Bytes) * part)
		}
		return h
	}}, true
}
