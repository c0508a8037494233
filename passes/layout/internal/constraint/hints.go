package constraint

import (
	"cmp"
	"slices"

	"hlolayout/passes/internal/flat"
	"hlolayout/passes/layout/internal/rule"
)

// AddHint leaves a hint for the later runs.
func (e *State) AddHint(n flat.NodeID, h rule.Hint) {
	if e.hintsAt[n] == 0 {
		e.hintsAt[n] = int32(len(e.hintLists))
		e.hintLists = append(e.hintLists, nil)
	}
	list := &e.hintLists[e.hintsAt[n]]
	*list = append(*list, h)
	s := e.table[h.Why].Sweep
	visits := func(a, b flat.NodeID) int { return cmp.Compare(e.place[a], e.place[b]) }
	if at, known := slices.BinarySearchFunc(e.nodes[s], n, visits); !known {
		e.nodes[s] = slices.Insert(e.nodes[s], at, n)
	}
}

// hintsOf returns the hints of an instruction.
func (e *State) hintsOf(n flat.NodeID) []rule.Hint { return e.hintLists[e.hintsAt[n]] }

// HintIn returns the hint of an instruction for one sweep, the last one of several, nil where there is none.
func (e *State) HintIn(s rule.Sweep, n flat.NodeID) *rule.Hint {
	list := e.hintsOf(n)
	for i := range slices.Backward(list) {
		if e.table[list[i].Why].Sweep == s {
			return &list[i]
		}
	}
	return nil
}

// IsRepaired reports whether a mandatory hint says what an instruction has.
func (e *State) IsRepaired(n flat.NodeID) bool {
	return slices.ContainsFunc(e.hintsOf(n), func(h rule.Hint) bool { return !h.May })
}

// IsPinned reports whether an instruction has a hint of the compact order.
func (e *State) IsPinned(n flat.NodeID) bool {
	h := e.HintIn(rule.PinSweep, n)
	return h != nil && !h.Dropped
}

// setHint sets what a hint asks of an instruction: of one in a cluster its first value alone.
func (e *State) setHint(n flat.NodeID, h *rule.Hint) {
	why, f := Because(h.Why, n), Must
	if h.May {
		f = may
	}
	for k := range h.Operands {
		e.SetOperand(n, k, h.In, Flags{Mandatory: true, DFS: h.First}, why)
	}
	switch {
	case h.Why == rule.Cluster:
		e.SetBuffer(e.G.Whole(n), h.Out, f, why)
	case e.G.Nodes[n].Tuple:
		for _, v := range e.G.ValuesOf(n) {
			e.SetBuffer(v, h.Out, f, why)
		}
	default:
		e.SetInstruction(n, h.Out, f, why)
	}
}
