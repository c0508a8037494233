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
	earliest      int32 // no copy before it; -1
	preferred     *offset
	times         []int32 // all uses of the buffer
}

// allocate walks over the uses of a buffer in order of time and finds each a place; there may be more times at which
// others use it.
func (e *engine) allocate(hs []*held, size int64, more ...int32) result {
	g := e.g
	var r result
	times := slices.Clone(more)
	for _, h := range hs {
		for _, u := range h.uses {
			times = append(times, u.time)
		}
	}
	slices.Sort(times)
	bodyOffset := map[int32]*offset{} // of a loop's body, by computation
	inside := map[*held]bool{}        // already placed with the conditional around it
	for _, h := range hs {
		definition := h.time
		var previous *heldUse
		preferred := bodyOffset[h.comp]
		for i := range h.uses {
			u := &h.uses[i]
			if req := e.aliasRequirement(u); req != nil && req.fast {
				preferred = req.offset
			}
			req := e.request(h, u, previous, definition, size, preferred, times, hs)
			end := u.time
			nd := &g.nodes[u.node]
			if !(trivial(nd.in.Opcode) && !nd.root) && !inside[h] {
				failed, why := e.decide(req)
				if why != ReasonNone {
					r.reason = why
				}
				if failed {
					r.failed = true
					return r
				}
				e.mirrorBranches(h, u, previous, hs, inside)
				definition = u.node
				previous = u
			}
			if !e.passOn(h, u, end) {
				r.failed, r.reason = true, ReasonDefault
				return r
			}
			e.mirrorLoop(h, u, end, hs, bodyOffset)
		}
	}
	return r
}

// request works out between which times a use can be served, and pins it to HBM where it may not be in the fast space.
func (e *engine) request(h *held, u *heldUse, previous *heldUse, definition int32, size int64, preferred *offset,
	times []int32, hs []*held) *request {
	g := e.g
	in := g.nodes[u.node].in
	q := &request{h: h, use: u, size: size, noCopyAllowed: true, earliest: none, preferred: preferred, times: times,
		latest: g.latest(u.node), end: u.time}
	switch {
	case in.Opcode == hlo.OpWhile && !e.loopUse(u), in.Opcode == hlo.OpConditional && !e.branchUse(h, u):
		if r := e.requiredAt(h.value, u.time); r == nil || !r.fast {
			e.require(h.value, u.time, false, nil, true)
		}
	case e.leavesBranch(h, u, previous, hs):
		q.noCopyAllowed = false
		q.earliest = previous.node
	}
	q.start = min(definition, u.time)
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
