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

// Chain returns the reasons for the layout of an array, the array's own first, then those of the array that it comes
// from, and so on back to one that comes from nowhere: an entry layout, a rule for an operation, a default. It is nil
// where the plan says nothing of the array.
func (p *Plan) Chain(in *hlo.Instruction, index hlo.Index) []Link { return p.Chains().Of(in, index) }

// Chains finds the chains of many arrays of one plan.
type Chains struct {
	p     *Plan
	first map[*hlo.Instruction]int32 // an instruction's first decision; the others follow it
	edits map[*hlo.Instruction]*Edit // of inserted instructions
}

// Chains returns what finds the plan's chains. The plan must not change as long as that is in use.
func (p *Plan) Chains() *Chains {
	c := &Chains{p, make(map[*hlo.Instruction]int32, len(p.Decisions)), map[*hlo.Instruction]*Edit{}}
	for i := range p.Decisions {
		in := p.Decisions[i].Instruction
		if _, seen := c.first[in]; !seen {
			c.first[in] = int32(i)
		}
	}
	for i := range p.Edits {
		for _, in := range p.Edits[i].New {
			c.edits[in] = &p.Edits[i]
		}
	}
	return c
}

// Of is Plan.Chain.
func (c *Chains) Of(in *hlo.Instruction, index hlo.Index) []Link {
	var chain []Link
	for link, ok := c.link(in, index, nil); ok; {
		for _, seen := range chain {
			if seen.Instruction == link.Instruction && slices.Equal(seen.Index, link.Index) {
				return chain
			}
		}
		chain = append(chain, link)
		link, ok = c.Next(link)
	}
	return chain
}

// Next returns the link after another one of a chain; false at its end.
func (c *Chains) Next(l Link) (next Link, ok bool) {
	r := &l.Reason
	switch {
	case r.Source == nil || r.Array == NoArray || r.Array == 0 && r.Source == l.Instruction:
		return next, false
	case r.Array > 0:
		return c.link(r.Source, arrayIndex(r.Source.Shape, r.Array), nil)
	}
	if l.Layout == nil {
		return c.link(r.Source, nil, nil)
	}
	return c.link(r.Source, nil, &l)
}

// At returns the first link of an array's chain; false where the plan says nothing of the array.
func (c *Chains) At(in *hlo.Instruction, index hlo.Index) (Link, bool) { return c.link(in, index, nil) }

// link finds what the plan says of an instruction: at an index, or, where another link is given, for the part of it
// that is most like that one's array: in the order, then in the place in its tuple, then in the text first.
func (c *Chains) link(in *hlo.Instruction, index hlo.Index, like *Link) (found Link, ok bool) {
	if e := c.edits[in]; e != nil {
		return Link{in, nil, in.Shape.Layout, e.Reason}, true
	}
	first, any := c.first[in]
	if !any {
		return found, false
	}
	best := -1
	for i := int(first); i < len(c.p.Decisions) && c.p.Decisions[i].Instruction == in; i++ {
		d := &c.p.Decisions[i]
		likeness := 0
		switch {
		case like == nil && !slices.Equal(d.Index, index):
			continue
		case like != nil && d.Layout != nil && slices.Equal(d.Layout.MinorToMajor, like.Layout.MinorToMajor):
			if likeness = 1; slices.Equal(d.Index, like.Index) {
				likeness = 2
			}
		}
		if likeness > best {
			found, ok, best = Link{in, d.Index, d.Layout, *d.Reason}, true, likeness
		}
	}
	return found, ok
}

// arrayIndex returns the place of a shape's array by its number from 1 on.
func arrayIndex(s *hlo.Shape, number int32) (at hlo.Index) {
	s.Leaves(func(index hlo.Index, _ *hlo.Shape) {
		if number--; number == 0 {
			at = slices.Clone(index)
		}
	})
	return at
}
