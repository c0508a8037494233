package memory

import (
	"slices"

	"hlolayout/hlo"
)

// leastTraffic is the share of a buffer's copied bytes that has to be read or written in the fast space.
const leastTraffic = 0.5

// site is a value at a time.
type site struct{ value, time int32 }

// inefficient returns the sites of a buffer that are in the fast space although copying there moves more bytes than
// they do (XLA's GetInefficientAllocationSites).
func (e *engine) inefficient(hs []*held) (out []site) {
	if !slices.ContainsFunc(hs, func(h *held) bool {
		return slices.ContainsFunc(h.list, func(a *allocation) bool { return a.copied })
	}) {
		return nil
	}
	for _, list := range e.linked(hs) {
		var copied, used int64
		for _, a := range list {
			if a.copied {
				copied += a.size
			}
			if a.begins() {
				used += int64(e.c.wrote[a.def])
			}
			for _, u := range a.fastUses() {
				used += int64(e.c.read[u])
				if e.g.nodes[e.g.useTime[u]].in.Opcode == hlo.OpCollectivePermuteStart {
					// its time is not known, what it reads is (3 of 3 prefetches for it, v5p)
					used += e.bufs[e.bufOf[e.v.at[a.def]]].size
				}
			}
		}
		if float64(copied)*leastTraffic <= float64(used) {
			continue
		}
		for _, a := range list {
			if a.fast && !a.copied {
				out = append(out, site{e.v.at[a.def], e.v.leafTime[a.def]})
			}
			for _, u := range a.fastUses() {
				out = append(out, site{e.v.at[e.g.useLeaf[u]], e.useTime(u)})
			}
		}
	}
	return out
}

// begins reports whether the definition of the value is in the fast space: the piece is there without a copy, or was
// copied back from there.
func (a *allocation) begins() bool { return a.fast != a.copied }

// fastUses returns the uses that read the piece in the fast space.
func (a *allocation) fastUses() []int32 {
	if a.fast {
		return a.uses
	}
	return nil
}

// linked groups the pieces that are in the fast space or begin there. A piece belongs to the group of the pieces whose
// place it inherits, such as those before a loop.
func (e *engine) linked(hs []*held) (groups [][]*allocation) {
	group := map[int32]int{} // by leaf that has the place of a use
	merge := func(a, b int) int {
		lo, hi := min(a, b), max(a, b)
		if lo < hi {
			groups[lo], groups[hi] = append(groups[lo], groups[hi]...), nil
			for leaf, id := range group {
				if id == hi {
					group[leaf] = lo
				}
			}
		}
		return lo
	}
	for _, h := range hs {
		aliases := map[int32][]int32{}
		for _, u := range h.uses {
			aliases[u.use] = u.aliases
		}
		for _, a := range h.list {
			if !a.fast && !a.begins() {
				continue
			}
			id := len(groups)
			groups = append(groups, []*allocation{a})
			for _, leaf := range e.takenOver(a) {
				if known, ok := group[leaf]; ok {
					id = merge(id, known)
				}
			}
			for _, u := range a.fastUses() {
				for _, l := range aliases[u] {
					group[l] = id
				}
			}
		}
	}
	return groups
}

// takenOver returns the leaves that a piece is: its definition, and the elements of tuples that read it.
func (e *engine) takenOver(a *allocation) (leaves []int32) {
	if a.begins() {
		leaves = append(leaves, a.def)
	}
	for _, u := range a.fastUses() {
		if t := e.g.useTime[u]; e.g.nodes[t].in.Opcode == hlo.OpTuple {
			leaves = append(leaves, e.g.leaf0[t]+u-e.g.use0[t])
		}
	}
	return leaves
}
