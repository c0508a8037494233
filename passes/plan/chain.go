package plan

import (
	"slices"

	"hlolayout/hlo"
)

// Link is one step of a chain of reasons: an array, its layout, and why it has it.
type Link struct {
	Instruction *hlo.Instruction
	Index       hlo.Index
	Layout      *hlo.Layout
	Reason      Reason
}

// Chain returns the reasons for the layout of an array, the array's own first, then those of the instruction that it comes
// from, and so on back to one that comes from nowhere: an entry layout, a rule for an operation, a default. It is nil where
// the plan says nothing of the array.
func (p *Plan) Chain(in *hlo.Instruction, index hlo.Index) []Link {
	var chain []Link
	for link, ok := p.link(in, index, nil); ok; {
		for _, seen := range chain {
			if seen.Instruction == link.Instruction && slices.Equal(seen.Index, link.Index) {
				return chain
			}
		}
		chain = append(chain, link)
		if link.Reason.Source == nil || link.Reason.Source == link.Instruction {
			break
		}
		link, ok = p.link(link.Reason.Source, nil, link.Layout)
	}
	return chain
}

// link finds what the plan says of an instruction: at an index, or, where a layout is given, for the part of it that has
// that order (any part if none has).
func (p *Plan) link(in *hlo.Instruction, index hlo.Index, like *hlo.Layout) (found Link, ok bool) {
	for i := range p.Edits {
		if e := &p.Edits[i]; slices.Contains(e.New, in) {
			return Link{in, nil, in.Shape.Layout, e.Reason}, true
		}
	}
	for i := range p.Decisions {
		d := &p.Decisions[i]
		if d.Instruction != in || like == nil && !slices.Equal(d.Index, index) {
			continue
		}
		if l := (Link{in, d.Index, d.Layout, d.Reason}); like == nil || d.Layout != nil && slices.Equal(d.Layout.MinorToMajor, like.MinorToMajor) {
			return l, true
		} else if !ok {
			found, ok = l, true
		}
	}
	return found, ok
}
