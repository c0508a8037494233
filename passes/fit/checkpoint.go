package fit

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"hlolayout/hlo"
	"hlolayout/hlo/tiled"
)

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
