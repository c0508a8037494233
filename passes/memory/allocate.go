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

// allocate walks over the uses of a buffer in order of time and finds each a place.
func (e *engine) allocate(hs []*held, size int64) result {
	g := e.g
	var r result
	var times []int32
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
		if !e.writable(h.leaf) {
			e.require(h.value, h.time, false, nil, true)
		}
		preferred := bodyOffset[h.comp]
		slices.SortStableFunc(h.uses, func(a, b heldUse) int { return int(a.node - b.node) })
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
	q := &request{h: h, use: u, size: size, noCopyAllowed: true, earliest: -1, preferred: preferred, times: times,
		latest: u.node, end: u.time}
	for _, callee := range in.Sequential() {
		q.latest = min(q.latest, g.comps[g.compOf[callee]].start-1)
	}
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

// loopUse reports whether a loop may take its operand in the fast space: nothing keeps the loop's result in HBM, and
// the body reads the value, soon enough.
func (e *engine) loopUse(u *heldUse) bool {
	v, g := e.v, e.g
	j := v.g.useIndex[u.use]
	if r := e.requiredAt(v.at[g.leaf0[u.node]+j], u.node); r != nil && !r.fast {
		return false
	}
	body := &g.comps[g.compOf[g.nodes[u.node].in.Sequential()[1]]]
	param := body.params[0]
	first := body.root
	for _, w := range v.uses[v.at[g.leaf0[param]+j]] {
		if t := v.g.useTime[w]; !trivial(g.nodes[t].in.Opcode) && t > param {
			first = min(first, t)
		}
	}
	return first != body.root && e.k.keeps(param, first)
}

// branchUse reports whether some branch reads the value soon enough after it begins.
func (e *engine) branchUse(h *held, u *heldUse) bool {
	v, g := e.v, e.g
	in := g.nodes[u.node].in
	for i := range h.uses {
		o := &h.uses[i]
		if o.node != u.node || v.g.useOperand[o.use] == 0 {
			continue
		}
		c := g.compOf[in.Called[v.g.useOperand[o.use]-1]]
		param := g.comps[c].params[0]
		first := u.node
		for _, w := range v.uses[v.at[g.leaf0[param]+v.g.useIndex[o.use]]] {
			if t := v.g.useTime[w]; g.nodes[t].comp == c && !trivial(g.nodes[t].in.Opcode) {
				first = min(first, t)
			}
		}
		if e.k.keeps(param, first) {
			return true
		}
	}
	return false
}

// leavesBranch reports whether a value that a conditional has used has to be evicted before its next use, since the
// branches cannot keep it where it is.
func (e *engine) leavesBranch(h *held, u, previous *heldUse, hs []*held) bool {
	g := e.g
	if previous == nil || g.nodes[previous.node].in.Opcode != hlo.OpConditional || u.node == previous.node ||
		previous.node > u.time {
		return false
	}
	for _, o := range hs {
		if o.time < previous.time || o.time >= previous.node {
			continue
		}
		for i := range o.uses {
			w := &o.uses[i]
			if g.nodes[w.node].in.Opcode == hlo.OpConditional && !e.branchUse(o, w) {
				return true
			}
			if r := e.requiredAt(e.v.at[e.v.g.useLeaf(w.use)], w.time); r != nil && !r.fast {
				return true
			}
			if r := e.aliasRequirement(w); r != nil && !r.fast {
				return true
			}
			if r := e.requiredAt(o.value, o.time); r != nil && !r.fast {
				return true
			}
		}
	}
	return false
}

// mirrorBranches repeats a value's place inside of a conditional that it stays in the fast space throughout.
func (e *engine) mirrorBranches(h *held, u, previous *heldUse, hs []*held, inside map[*held]bool) {
	g := e.g
	if previous == nil || g.nodes[previous.node].in.Opcode != hlo.OpConditional || u.node == previous.node ||
		len(h.list) == 0 {
		return
	}
	last := h.list[len(h.list)-1]
	if !last.fast || !slices.Contains(last.uses, previous.use) {
		return
	}
	if last.ready > previous.time || previous.node > u.time || u.time > last.end {
		return
	}
	for _, o := range hs {
		if o.time < previous.time || o.time >= previous.node {
			continue
		}
		inside[o] = true
		a := &allocation{fast: true, mirror: true, chunk: last.chunk, size: last.size, start: o.time, end: o.time,
			ready: o.time, def: o.leaf, offset: last.offset}
		for _, w := range o.uses {
			a.uses = append(a.uses, w.use)
			a.end = max(a.end, w.node)
		}
		o.list = append(o.list, a)
	}
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

// mirrorLoop tells the body of a loop where it finds a value, and that it is in HBM too if it is.
func (e *engine) mirrorLoop(h *held, u *heldUse, time int32, hs []*held, bodyOffset map[int32]*offset) {
	g := e.g
	in := g.nodes[u.node].in
	if in.Opcode != hlo.OpWhile {
		return
	}
	a := liveAt(h.list, time)
	if a == nil || !a.fast {
		return
	}
	body := g.compOf[in.Sequential()[1]]
	// A value that the loop does not change may be in HBM as well; then nothing has to be evicted after the loop.
	if e.v.at[g.leaf0[u.node]+e.v.g.useIndex[u.use]] == h.value {
		for i := len(h.list) - 1; i >= 0; i-- {
			p := h.list[i]
			if p.fast || p.def != h.leaf {
				continue
			}
			for _, o := range hs {
				switch {
				case o.value != h.value:
				case o.comp == body && g.nodes[o.time].in.Opcode == hlo.OpParameter:
					o.list = append(o.list, &allocation{mirror: true, start: o.time, end: o.time, ready: o.time, def: o.leaf})
				case o.time == u.node:
					// It keeps the place that the value was defined at, so that a next loop does not find it.
					o.list = append(o.list, &allocation{mirror: true, start: o.time, end: o.time, ready: o.time, def: p.def})
				}
			}
			break
		}
	}
	bodyOffset[body] = a.offset
}

// stay keeps a value in the fast space up to its use, without a copy.
func (e *engine) stay(q *request) (ok bool, why Reason) {
	h := q.h
	var last *allocation
	if n := len(h.list); n > 0 {
		if last = h.list[n-1]; !last.fast {
			return false, ReasonNone
		}
	}
	if !e.k.keeps(q.start, q.end) {
		return false, ReasonTooLong
	}
	from, at := q.start, (*offset)(nil)
	if last != nil {
		at, from = last.offset, last.end+1
	}
	if q.preferred != nil {
		if at != nil && at != q.preferred {
			return false, ReasonNoRoom
		}
		at = q.preferred
	}
	off, ok := e.fit(q, from, at)
	if !ok {
		return false, ReasonNoRoom
	}
	if from <= q.end {
		e.hold(chunk{from, q.end, off, aligned(q.size)})
	}
	if last != nil && (last.copied || last.def == h.leaf) {
		last.end = max(last.end, q.end)
		last.mirror = false
	} else {
		if at == nil {
			at = &offset{off}
		}
		last = &allocation{fast: true, chunk: off, size: q.size, start: q.start, end: q.end, ready: q.start, def: h.leaf,
			offset: at}
		h.list = append(h.list, last)
	}
	last.uses = append(last.uses, q.use.use)
	return true, ReasonNone
}

// fit finds an offset that is free up to the use, and up to as many later uses as possible; at a given offset only up
// to the use.
func (e *engine) fit(q *request, from int32, at *offset) (int64, bool) {
	size := aligned(q.size)
	if from > q.end {
		if at != nil {
			return at.at, true
		}
		return 0, true
	}
	if at != nil {
		return e.h.find(from, q.end, size, at.at)
	}
	lo, _ := slices.BinarySearch(q.times, q.end)
	hi := lo
	for hi+1 < len(q.times) && e.k.keeps(q.times[hi], q.times[hi+1]) {
		hi++
	}
	best, found := int64(0), false
	// The first time that does not fit is looked for by halves, as the compiler does.
	for n := hi + 1 - lo; n > 0; {
		half := n / 2
		mid := lo + half
		t := q.end
		if mid < len(q.times) {
			t = q.times[mid]
		}
		if off, ok := e.h.find(from, t, size, -1); ok {
			best, found = off, true
			lo, n = mid+1, n-half-1
		} else {
			n = half
		}
	}
	return best, found
}

// evict copies a value back to HBM, from its definition on.
func (e *engine) evict(q *request) Reason {
	h := q.h
	last := h.list[len(h.list)-1]
	after, end := last.start, last.end
	want := min(max(e.k.evictedBy(after, q.end, q.size, e.retry), end), q.latest)
	until := end
	if want > end {
		until = want
		for until > end {
			free := e.h.freeUntil(end+1, until, last.chunk, aligned(q.size))
			if free <= end {
				until = end
				break
			}
			until = free
			if until == want || e.edges[until+1] {
				break
			}
			for until--; until > end && !e.edges[until+1]; {
				until--
			}
		}
	}
	need := float32(q.size) / e.dev.copyBandwidth
	if after == until {
		return ReasonEvict
	}
	if !e.evicts.fits(copySpan{after, until, scaled(need)}) {
		if e.retry < retries-1 {
			return ReasonEvict
		}
		need = 0
	}
	if e.inEvic.meeting(after+1, until) >= maxInFlight {
		return ReasonOutstanding
	}
	if until > end {
		e.hold(chunk{end + 1, until, last.chunk, aligned(q.size)})
	}
	last.end = max(last.end, until)
	e.addCopy(after, until, need, true)
	h.list = append(h.list, &allocation{copied: true, start: after + 1, end: last.end, ready: until, def: h.leaf,
		after: after})
	return ReasonNone
}
