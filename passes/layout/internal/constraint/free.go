package constraint

import (
	"cmp"
	"slices"
	"strings"

	"hlolayout/hlo"
	"hlolayout/passes/internal/flat"
	"hlolayout/passes/layout/internal/rule"
)

// listFree lists the nodes in the order in which those that nothing reached get their defaults: by computations, in the
// order of the text but for conditions that precede their bodies, and for what calls copies, which comes last. XLA
// sorts its list while passes add to it (online topological sorting): what is new goes to the end, and what calls that,
// at any depth, after it.
func (e *State) listFree() {
	list, copies := make([]flat.CompID, len(e.G.Comps)), e.callsCopies()
	for ci := range list {
		list[ci] = flat.CompID(ci)
	}
	slices.SortStableFunc(list, func(a, b flat.CompID) int { return cmp.Compare(copies[a], copies[b]) })
	e.freeOrder = make([]flat.NodeID, 0, len(e.order))
	conditions, listed := e.conditionsFirst(), make([]bool, len(list))
	add := func(ci flat.CompID) {
		if !listed[ci] {
			listed[ci] = true
			e.freeOrder = append(e.freeOrder, e.within(e.order, ci)...)
		}
	}
	for _, ci := range list {
		if c, ok := conditions[ci]; ok {
			add(c)
		}
		add(ci)
	}
}

// conditionsFirst returns, by body, the conditions that precede it.
func (e *State) conditionsFirst() map[flat.CompID]flat.CompID {
	out := map[flat.CompID]flat.CompID{}
	for _, n := range e.G.Calling {
		if e.G.Nodes[n].In.Opcode == hlo.OpWhile && e.conditionFirst(n) {
			w := e.G.Loop(n)
			out[e.G.Nodes[w.BodyParam].Comp] = e.G.Nodes[w.CondParam].Comp
		}
	}
	return out
}

// callsCopies returns, by computation, the last one of copied that it calls at any depth, 0 for none.
func (e *State) callsCopies() []int {
	out := make([]int, len(e.G.Comps))
	copied := e.copied()
	if len(copied) == 0 {
		return out
	}
	for _, n := range e.G.Calling {
		at := &out[e.G.Nodes[n].Comp]
		for _, c := range e.G.Nodes[n].In.Called() {
			if *at = max(*at, copied[c]); e.G.CompOf(c) != -1 {
				*at = max(*at, out[e.G.CompOf(c)])
			}
		}
	}
	return out
}

// copied numbers, from 1, the copies of reducers that the compiler made, in the order in which it made them: by
// originals, then by their numbers. They are made last, so that each call has its own (flatten-call-graph).
func (e *State) copied() map[*hlo.Computation]int {
	if e.off[rule.CopiesLast] {
		return nil
	}
	type copy struct {
		of, number int
		is         *hlo.Computation
	}
	var all []copy
	originals := map[string]int{}
	for i, c := range e.G.Module.Computations {
		if !strings.Contains(c.Name, "computation") {
			continue
		}
		originals[c.Name] = i + 1
		stem, number := Numbered(c.Name)
		if number == -1 {
			stem = c.Name
		}
		if of, is := strings.CutSuffix(stem, ".clone"); is && originals[of] != 0 {
			all = append(all, copy{originals[of], number, c})
		}
	}
	slices.SortFunc(all, func(a, b copy) int { return cmp.Or(cmp.Compare(a.of, b.of), cmp.Compare(a.number, b.number)) })
	out := map[*hlo.Computation]int{}
	for i, c := range all {
		out[c.is] = i + 1
	}
	return out
}
