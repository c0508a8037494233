package memory

import (
	"math"
	"slices"

	"hlolayout/hlo"
)

// allocation is where a value is for part of its life.
type allocation struct {
	fast   bool
	copied bool  // it begins with a copy
	mirror bool  // it only repeats the place of another one
	chunk  int64 // offset
	size   int64
	// start and end are inclusive; ready is when a copy is done.
	start, end, ready int32
	def               int32 // leaf
	uses              []int32
	offset            *offset
	after             int32 // a copy starts after it
	whole             int32 // after it the last piece of a prefetch starts, and there is room for all
	pieces            int   // a prefetch is cut into so many
}

// held is the part of a value that one instruction defines or carries on: the definition itself, a parameter of a
// loop's body, the loop's result. Renamings have none of their own.
type held struct {
	value, leaf, time, comp int32
	uses                    []heldUse
	list                    []*allocation
	contiguous              bool // no copies: the value belongs to an operation that runs meanwhile
	replaced                bool // prefetches take the place of the copy or slice that defines it
}

type heldUse struct {
	use, node, time int32
	aliases         []int32 // leaves that have to be where the use's value is
}

// result collects what went wrong with a buffer.
type result struct {
	failed bool // start over
	reason Reason
	stays  *held // what is made by a copy or slice that no prefetch can do
}

// helds lists the parts of a buffer's values, in the order in which they are placed, with their uses and aliases.
func (e *engine) helds(b int32) []*held {
	v, g := e.v, e.g
	vals := slices.Clone(e.bufs[b].values)
	slices.SortStableFunc(vals, func(a, b int32) int {
		if e.from[a] != e.from[b] {
			return int(e.from[a] - e.from[b])
		}
		return int(e.to[a] - e.to[b])
	})
	var out []*held
	for _, x := range vals {
		first := len(out)
		for _, l := range v.positions[x] {
			t := v.leafTime[l]
			if trivial(g.nodes[t].in.Opcode) {
				continue
			}
			out = append(out, &held{value: x, leaf: l, time: t, comp: g.nodes[t].comp, contiguous: g.nodes[t].async &&
				g.nodes[t].in.Opcode != hlo.OpCopyStart || g.inCollective(t, l-g.leaf0[t])})
		}
		for _, u := range v.uses[x] {
			t := v.g.useTime[u]
			var h *held
			for i := len(out) - 1; i >= first; i-- {
				c := out[i]
				if g.nodes[t].done || g.nodes[t].in.Opcode == hlo.OpAsyncUpdate {
					if c.leaf == v.g.useLeaf[u] {
						h = c
						break
					}
					continue
				}
				if c.time < t && !g.nodes[c.time].async && c.comp == g.nodes[t].comp {
					h = c
					break
				}
			}
			if h != nil {
				h.uses = append(h.uses, heldUse{use: u, node: t, time: e.useTime(u)})
			}
		}
	}
	e.findAliases(out)
	return out
}

func (e *engine) findAliases(hs []*held) {
	v, g := e.v, e.g
	byNode := map[int32][]int32{}
	for _, h := range hs {
		byNode[h.time] = append(byNode[h.time], h.leaf)
	}
	for _, h := range hs {
		for i := range h.uses {
			u := &h.uses[i]
			in := g.nodes[u.node].in
			u.aliases = append(u.aliases, byNode[u.node]...)
			for _, callee := range in.Sequential() {
				for _, p := range g.comps[g.compOf[callee]].params {
					u.aliases = append(u.aliases, byNode[p]...)
				}
			}
			if in.Opcode == hlo.OpWhile {
				body := &g.comps[g.compOf[in.Sequential()[1]]]
				u.aliases = append(u.aliases, g.leaf0[body.root]+v.g.useIndex[u.use])
			}
			if nd := &g.nodes[u.node]; nd.root && in.Opcode == hlo.OpTuple {
				if caller := g.comps[nd.comp].caller; caller >= 0 && g.nodes[caller].in.Opcode == hlo.OpConditional {
					u.aliases = append(u.aliases, g.leaf0[caller]+u.use-g.use0[u.node])
				}
			}
		}
	}
}

// place finds a buffer, and those that are placed together with it, their places: in the fast space as much as
// possible. Where a prefetch cannot do what a copy or slice between them does, that stays, and all begins anew. When
// something cannot be evicted in time, all is tried once more with longer evictions, then without what prefetches would
// do (9 of 9 in the compiler's log), one after the other, and the buffer stays in HBM otherwise. Where there is no
// room, other chunks move once.
func (e *engine) place(b int32) {
	buf := &e.bufs[b]
	if buf.crossProgram || buf.done {
		return
	}
	defer func() { buf.done = true }()
	if buf.allowed && buf.size > e.dev.limit {
		buf.why = ReasonTooLarge
	}
	repacked := false
	stay := map[int32]bool{}
	for e.retry = 0; e.retry < retries; e.retry++ {
		j := e.jointly(b, stay)
		if !e.mayBeFast(b) && len(j.moves) == 0 {
			return
		}
		e.branchResults(j.hs)
		e.full = false
		r := e.allocate(j)
		if e.mayBeFast(b) {
			buf.why = r.reason
		}
		if r.stays != nil || r.failed {
			e.rollback()
			e.keepMoves(r, j, stay)
			continue
		}
		if e.full && !repacked && e.mayRepack() {
			e.rollback()
			repacked = true
			if e.repack() {
				e.retry--
			}
			continue
		}
		var sites []site
		if len(j.moves) == 0 { // of 38 that are placed jointly in the compiler's log of 20 programs none is examined
			sites = e.inefficient(j.hs)
		}
		if slices.ContainsFunc(sites, func(s site) bool {
			return e.requiredAt(s.value, s.time) == nil || slices.Contains(e.pendingRequired, s.value)
		}) {
			e.rollback()
			for _, s := range sites {
				e.require(s.value, s.time, false, nil, false)
			}
			buf.why = ReasonTraffic
			e.retry--
			continue
		}
		for _, to := range j.bufs {
			e.bufs[to].done = true
		}
		e.finish(j.hs)
		return
	}
}

// keepMoves notes which copy or slice stays after a try that came to nothing: the one that no prefetch can do, or the
// first of them after the last try. Neither counts as a try. (So the compiler's log goes on in all 4 programs where the
// last try fails with several, one after another, and where one is left.)
func (e *engine) keepMoves(r result, j *joint, stay map[int32]bool) {
	leaf := int32(math.MaxInt32)
	switch {
	case r.stays != nil:
		leaf = r.stays.leaf
	case e.retry == retries-1 && len(j.moves) > 0:
		for _, h := range j.moves {
			leaf = min(leaf, h.leaf)
		}
	default:
		return
	}
	stay[leaf] = true
	e.retry--
}

// branchResults keeps a conditional's result, and what its branches return for it, in HBM where one of the branches has
// to return it there, or returns it other than in a tuple.
func (e *engine) branchResults(hs []*held) {
	v, g := e.v, e.g
	slow := func(leaf int32) bool {
		r := e.requiredAt(v.at[leaf], v.leafTime[leaf])
		return r != nil && !r.fast
	}
	for _, h := range hs {
		in := g.nodes[h.time].in
		if in.Opcode != hlo.OpConditional {
			continue
		}
		j := h.leaf - g.leaf0[h.time]
		leaves := []int32{h.leaf}
		keep := slow(h.leaf)
		for _, callee := range in.Called() {
			root := g.comps[g.compOf[callee]].root
			leaves = append(leaves, g.leaf0[root]+j)
			keep = keep || slow(g.leaf0[root]+j) || g.nodes[root].in.Opcode != hlo.OpTuple
		}
		if keep {
			for _, l := range leaves {
				e.require(v.at[l], v.leafTime[l], false, nil, true)
				// A root that only names an element leaves it where it was made: nothing could be copied after it.
				for nd := &g.nodes[v.leafTime[l]]; trivial(nd.in.Opcode) && (nd.in.Opcode != hlo.OpTuple ||
					!nd.root); nd = &g.nodes[v.leafTime[l]] {
					l = g.forward(v.leafTime[l], l-g.leaf0[v.leafTime[l]])
					e.require(v.at[l], v.leafTime[l], false, nil, true)
				}
			}
		}
	}
}

// finish makes the places of buffers final.
func (e *engine) finish(hs []*held) {
	e.placed = append(e.placed, hs...)
	for _, h := range hs {
		// What nothing reads is where the use is that shares its place.
		if r := e.requiredAt(h.value, h.time); r != nil && r.fast {
			e.fastLeaf[h.leaf] = true
		}
		for _, a := range h.list {
			if a.fast {
				e.edges[a.start] = true
				e.edges[a.end+2] = true
				for _, u := range a.uses {
					e.fastUse[u] = true
				}
				if !a.copied {
					e.fastLeaf[a.def] = true
				}
			}
			if a.copied {
				c := Copy{Evict: !a.fast, buffer: e.bufOf[h.value], leaf: a.def, after: a.after, before: a.ready, use: none}
				if a.fast {
					c.use = a.uses[0]
				}
				e.copies = append(e.copies, c)
			}
		}
	}
	e.commit()
}
