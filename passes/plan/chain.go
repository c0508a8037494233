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
	of    map[*hlo.Instruction][]Decision // in the order of their indices
	edits map[*hlo.Instruction]*Edit      // of inserted instructions
	at    map[*hlo.Shape][]hlo.Index      // see arrayIndex
	ends  map[place]*Link                 // by link, the last one of its chain, nil while it is looked for
}

// place is an array.
type place struct {
	in    *hlo.Instruction
	index string
}

// Chains returns what finds the plan's chains. The plan must not change as long as that is in use.
func (p *Plan) Chains() *Chains {
	c := &Chains{make(map[*hlo.Instruction][]Decision, len(p.Decisions)), map[*hlo.Instruction]*Edit{},
		map[*hlo.Shape][]hlo.Index{}, map[place]*Link{}}
	for from, to := 0, 0; from < len(p.Decisions); from = to {
		in := p.Decisions[from].Instruction
		for to < len(p.Decisions) && p.Decisions[to].Instruction == in {
			to++
		}
		c.of[in] = p.Decisions[from:to]
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
	seen := map[place]bool{}
	for link, ok := c.link(in, index, nil); ok; {
		at := place{link.Instruction, link.Index.String()}
		if seen[at] {
			break
		}
		seen[at], chain = true, append(chain, link)
		link, ok = c.Next(link)
	}
	return chain
}

// End returns the last link of an array's chain; false where the plan says nothing of the array. Chains of many arrays
// have one end, which is found once for all.
func (c *Chains) End(in *hlo.Instruction, index hlo.Index) (end Link, ok bool) {
	var path []place
	for link, more := c.link(in, index, nil); more; {
		at := place{link.Instruction, link.Index.String()}
		if known, found := c.ends[at]; found {
			if known != nil { // else the chain comes back to itself, and ends before
				end, ok = *known, true
			}
			break
		}
		c.ends[at], path = nil, append(path, at)
		end, ok = link, true
		link, more = c.Next(link)
	}
	for _, at := range path {
		c.ends[at] = &end
	}
	return end, ok
}

// Next returns the link after another one of a chain; false at its end.
func (c *Chains) Next(l Link) (next Link, ok bool) {
	r := &l.Reason
	switch {
	case r.Source == nil || r.Array == NoArray || r.Array == 0 && r.Source == l.Instruction:
		return next, false
	case r.Array > 0:
		return c.link(r.Source, c.arrayIndex(r.Source.Shape, r.Array), nil)
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
	if like != nil {
		index = like.Index
	}
	if e := c.edits[in]; e != nil {
		leaf := in.Shape.At(index)
		if leaf == nil || !leaf.IsArray() {
			leaf, index = in.Shape, nil
		}
		return Link{in, slices.Clone(index), leaf.Layout, e.Reason}, true
	}
	list := c.of[in]
	i, ok := slices.BinarySearchFunc(list, index,
		func(d Decision, at hlo.Index) int { return slices.Compare(d.Index, at) })
	if like != nil {
		alike := func(d Decision) bool {
			return d.Layout != nil && slices.Equal(d.Layout.MinorToMajor, like.Layout.MinorToMajor)
		}
		if !ok || !alike(list[i]) {
			i, ok = max(0, slices.IndexFunc(list, alike)), len(list) > 0
		}
	}
	if !ok {
		return found, false
	}
	d := &list[i]
	return Link{in, d.Index, d.Layout, *d.Reason}, true
}

// arrayIndex returns the place of a shape's array by its number from 1 on.
func (c *Chains) arrayIndex(s *hlo.Shape, number int32) hlo.Index {
	list, known := c.at[s]
	if !known {
		s.Leaves(func(index hlo.Index, _ *hlo.Shape) { list = append(list, slices.Clone(index)) })
		c.at[s] = list
	}
	if int(number) > len(list) {
		return nil
	}
	return list[number-1]
}
