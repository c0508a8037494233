package memory

import (
	"slices"

	"hlolayout/hlo"
)

// request is for a place of a value from its definition or last use to its next use.
type request struct {
	h             *held
	use           *heldUse
	start, end    int32 // inclusive
	latest        int32 // a copy has to be done by it
	size          int64
	noCopyAllowed bool
	moved         bool  // by a copy or slice that a prefetch does: no prefetch is for it
	earliest      int32 // no copy before it; -1
	preferred     *offset
	times         []int32 // of all uses of the buffer (see useTimes)
	wish          wish    // what an unrolled loop's plan says of the use
}

// allocating is what the uses of buffers that are placed together share.
type allocating struct {
	j          *joint
	times      []int32           // of all uses (see useTimes)
	bodyOffset map[int32]*offset // of a loop's body, by computation
	inside     map[*held]bool    // already placed with the conditional around it
	definition map[*held]int32   // of a part, or its last use so far
	previous   map[*held]*heldUse
}

// allocate walks over the uses of buffers that are placed together, in order of time, and finds each a place. What a
// moved copy or slice makes is placed where the use of its source comes.
func (e *engine) allocate(j *joint) (r result) {
	a := &allocating{j: j, bodyOffset: map[int32]*offset{}, inside: map[*held]bool{}, definition: map[*held]int32{},
		previous: map[*held]*heldUse{}}
	for _, h := range j.hs {
		a.definition[h] = h.time
	}
	a.times = e.useTimes(j.hs)
	for _, source := range j.hs {
		if source.replaced {
			continue
		}
		for _, w := range e.worklist(j, source) {
			if !e.allocateUse(a, source, w.h, w.u, &r) {
				r.failed = true
				return r
			}
		}
	}
	return r
}

// useTimes returns the times up to which room for all parts is sought, in order: those of the instructions that use
// them, of a loop its own and not that of its body, but for tuples and their elements; a tuple that is returned counts.
// (So the compiler's log has them, all_use_times. Of 54 programs whose logs were not examined 51 were right
// throughout on v5e without, and 54 are with it.)
func (e *engine) useTimes(hs []*held) (times []int32) {
	for _, h := range hs {
		for _, u := range h.uses {
			nd := &e.g.nodes[u.node]
			if op := nd.in.Opcode; op != hlo.OpGetTupleElement && (op != hlo.OpTuple || nd.root) {
				times = append(times, u.node)
			}
		}
	}
	slices.Sort(times)
	return times
}

// allocateUse finds a use of a part, which is the source or made of it, a place; false where all starts over.
func (e *engine) allocateUse(a *allocating, source, h *held, u *heldUse, r *result) bool {
	made := h != source
	if made && len(h.list) == 0 && !e.beginsFrom(h, source, u) {
		r.reason, r.stays = ReasonEvict, h
		return false
	}
	preferred := a.bodyOffset[h.comp]
	if req := e.aliasRequirement(u); req != nil && req.fast {
		preferred = req.offset
	}
	req := e.request(h, u, a.previous[h], a.definition[h], preferred, a.times, a.j.hs)
	req.moved = a.j.moves[u.use] != nil
	end := u.time
	if nd := &e.g.nodes[u.node]; !(trivial(nd.in.Opcode) && !nd.root) && !a.inside[h] {
		failed, why := e.decide(req)
		if why != ReasonNone {
			r.reason = why
		}
		if made && (failed || !inFast(h, u) || e.renamed(source, u) || usedBefore(a.previous[h], u)) {
			r.stays = h
			return false
		}
		if failed {
			return false
		}
		e.mirrorBranches(h, u, a.previous[h], e.inBranches(h, u, a.previous[h], a.j.hs), a.inside)
		a.definition[h], a.previous[h] = u.node, u
	}
	if !e.passOn(h, u, end) {
		r.reason = ReasonDefault
		return false
	}
	e.mirrorLoop(h, u, end, a.j.hs, a.bodyOffset)
	return true
}

// inFast reports whether the piece that a use reads is in the fast space.
func inFast(h *held, u *heldUse) bool {
	a := liveAt(h.list, u.time)
	return a != nil && a.fast
}

// request works out between which times a use can be served, and pins it to HBM where it may not be in the fast space.
func (e *engine) request(h *held, u *heldUse, previous *heldUse, definition int32, preferred *offset,
	times []int32, hs []*held) *request {
	g := e.g
	in := g.nodes[u.node].in
	q := &request{h: h, use: u, size: e.bufs[e.bufOf[h.value]].size, noCopyAllowed: true, earliest: none,
		preferred: preferred, times: times, latest: g.latest(u.node), end: u.time}
	switch {
	case in.Opcode == hlo.OpWhile && !e.loopUse(u), in.Opcode == hlo.OpConditional && !e.branchUse(h, u):
		if r := e.requiredAt(h.value, u.time); r == nil || !r.fast {
			e.require(h.value, u.time, false, nil, true)
		}
	case e.leavesBranch(e.inBranches(h, u, previous, hs)):
		q.noCopyAllowed = false
		q.earliest = previous.node
	}
	q.start = min(definition, u.time)
	if q.wish = e.wishes[u.use]; q.wish.kind == inHBM {
		q.noCopyAllowed = false
	}
	return q
}

// latest returns the time by which a copy for a node has to be done: its own, or that before what it calls.
func (g *graph) latest(t int32) int32 {
	for _, callee := range g.nodes[t].in.Sequential() {
		t = min(t, g.comps[g.compOf[callee]].start-1)
	}
	return t
}

// liveAt returns the latest allocation that covers a time.
func liveAt(list []*allocation, time int32) *allocation {
	for i := len(list) - 1; i >= 0; i-- {
		if a := list[i]; a.start <= time && time <= a.end {
			return a
		}
	}
	return nil
}

// aliasRequirement returns what pins the leaves that share their place with a use.
func (e *engine) aliasRequirement(u *heldUse) *requirement {
	for _, l := range u.aliases {
		if r := e.requiredAt(e.v.at[l], e.v.leafTime[l]); r != nil {
			return r
		}
	}
	return nil
}

// passOn pins the leaves that share their place with a use to where the use is now; false where one is pinned elsewhere
// already.
func (e *engine) passOn(h *held, u *heldUse, time int32) bool {
	a := liveAt(h.list, time)
	if a == nil {
		return true
	}
	var at *offset
	if a.fast {
		at = a.offset
	}
	for _, l := range u.aliases {
		if r := e.requiredAt(e.v.at[l], e.v.leafTime[l]); r != nil && (r.fast != a.fast || r.offset != at) {
			return false
		}
	}
	for _, l := range u.aliases {
		e.require(e.v.at[l], e.v.leafTime[l], a.fast, at, true)
	}
	return true
}
