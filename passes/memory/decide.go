package memory

// decision is one step of finding a use its place: what the value does between its definition, or the use before, and
// this use. The steps are taken in the order of the table until one of them settles the use.
type decision struct {
	Name string
	// Doc says what the step decides and why.
	Doc string
	// Evidence is where it comes from.
	Evidence string
	apply    func(e *engine, s *step) outcome
}

// outcome says how a step ends.
type outcome uint8

const (
	undecided outcome = iota // the next step decides
	settled                  // the use has its place
	startOver                // the buffer cannot be placed this way
)

// step is what the decisions of one use share.
type step struct {
	q *request
	// start and end pin the value where the segment starts and ends, nil where nothing does.
	start, end *requirement
	// slow is the latest piece of the value in HBM.
	slow *allocation
	// why is the reason for which the use is not in the fast space.
	why Reason
	// full says that there was no room for the use in the fast space.
	full bool
}

// decisions are the steps, in order (XLA's AllocateSegment).
var decisions = []decision{
	{"at once", "A use at the time of the definition reads the piece that is there.", "XLA: zero-length segments",
		(*engine).atOnce},
	{"requirements", "What pins the end and what pins the values that share the use's place must agree.",
		"XLA: AllocateSegment's required assignments",
		(*engine).requirements},
	{"given start", "A value whose start is pinned has a piece there before anything is decided.",
		"XLA: required_memory_space_at_start", (*engine).givenStart},
	{"stay", "The value stays in the fast space without a copy where neither end is pinned to HBM.",
		"XLA: AllocateInAlternateMemoryNoCopy", (*engine).stays},
	{"contiguous", "What an asynchronous operation works on is never copied: it is in HBM all the time, or the buffer " +
		"starts over.",
		"XLA: async pairs take one space", (*engine).contiguousInHBM},
	{"evict", "A value that is in the fast space alone is copied to HBM, right after its definition; one that is " +
		"nowhere begins in HBM.", "XLA: Evict; v5e.heat_stencil",
		(*engine).evictOrBegin},
	{"prefetch", "The value is copied to the fast space before the use, unless the use is pinned to HBM.",
		"XLA: Prefetch; v5e.mlp_fwd", (*engine).prefetched},
	{"pinned fast", "A use that has to read the fast space and cannot starts the buffer over.",
		"XLA: required_memory_space_at_end", (*engine).pinnedFast},
	{"stay in HBM", "The use reads HBM.", "XLA: the default-memory allocation is extended", (*engine).readsHBM},
}

// decide finds one use a place. failed says that the buffer has to start over.
func (e *engine) decide(q *request) (failed bool, why Reason) {
	s := &step{q: q}
	for i := range decisions {
		switch decisions[i].apply(e, s) {
		case settled:
			return false, s.why
		case startOver:
			return true, s.why
		}
	}
	return false, s.why
}

func pinnedSlow(x *requirement) bool { return x != nil && !x.fast }

func (e *engine) atOnce(s *step) outcome {
	if s.q.start != s.q.end {
		return undecided
	}
	a := liveAt(s.q.h.list, s.q.end)
	if a == nil {
		return undecided
	}
	a.uses = append(a.uses, s.q.use.use)
	return settled
}

func (e *engine) requirements(s *step) outcome {
	h := s.q.h
	s.start, s.end = e.requiredAt(h.value, s.q.start), e.requiredAt(h.value, s.q.end)
	switch aliased := e.aliasRequirement(s.q.use); {
	case s.end == nil:
		s.end = aliased
	case aliased != nil && (aliased.fast != s.end.fast || aliased.offset != s.end.offset):
		s.why = ReasonDefault
		return startOver
	}
	return undecided
}

func (e *engine) givenStart(s *step) outcome {
	h, q := s.q.h, s.q
	if s.start == nil {
		return undecided
	}
	for i := len(h.list) - 1; i >= 0; i-- {
		if a := h.list[i]; a.fast == s.start.fast {
			return undecided
		}
	}
	a := &allocation{fast: s.start.fast, start: q.start, end: q.start, ready: q.start, def: h.leaf, size: q.size,
		mirror: true}
	if s.start.fast {
		a.offset = s.start.offset
		a.chunk = a.offset.at
	}
	h.list = append(h.list, a)
	return undecided
}

func (e *engine) stays(s *step) outcome {
	switch {
	case !pinnedSlow(s.start) && !pinnedSlow(s.end) && s.q.noCopyAllowed:
		ok, why := e.stay(s.q)
		if ok {
			s.why = ReasonNone
			return settled
		}
		s.why, s.full = why, why == ReasonNoRoom
	case pinnedSlow(s.end):
		s.why = ReasonDefault
	}
	s.slow = lastSlow(s.q.h.list)
	return undecided
}

// lastSlow returns the latest piece in HBM, nil where there is none.
func lastSlow(list []*allocation) *allocation {
	for i := len(list) - 1; i >= 0; i-- {
		if !list[i].fast {
			return list[i]
		}
	}
	return nil
}

// begin adds a piece in HBM from the definition on.
func (s *step) begin() {
	s.slow = &allocation{start: s.q.start, end: s.q.end, ready: s.q.start, def: s.q.h.leaf}
	s.q.h.list = append(s.q.h.list, s.slow)
}

func (e *engine) contiguousInHBM(s *step) outcome {
	switch {
	case !s.q.h.contiguous:
		return undecided
	case s.slow == nil && len(s.q.h.list) > 0:
		return startOver
	case s.slow == nil:
		s.begin()
	}
	if s.start != nil && s.end != nil && s.start.fast != s.end.fast {
		s.why = ReasonDefault
		return startOver
	}
	if s.start != nil && s.start.fast {
		return startOver
	}
	return undecided
}

func (e *engine) evictOrBegin(s *step) outcome {
	list := s.q.h.list
	switch n := len(list); {
	case s.slow != nil:
	case n > 0 && list[n-1].fast && !list[n-1].copied:
		if why := e.evict(s.q); why != ReasonNone {
			s.why = why
			return startOver
		}
		s.slow = s.q.h.list[n]
	default:
		s.begin()
	}
	return undecided
}

func (e *engine) prefetched(s *step) outcome {
	if s.q.h.contiguous || s.q.moved || s.q.wish.kind == inHBM || pinnedSlow(s.end) {
		return undecided
	}
	e.noRoom = false
	got := e.prefetch(s.q, s.slow)
	if got == ReasonNone {
		s.why = ReasonNone
		return settled
	}
	s.why, s.full = got, s.full || e.noRoom || got == ReasonNoRoom
	return undecided
}

func (e *engine) pinnedFast(s *step) outcome {
	if s.end != nil && s.end.fast {
		return startOver
	}
	return undecided
}

func (e *engine) readsHBM(s *step) outcome {
	e.full = e.full || s.full
	s.slow.end = max(s.slow.end, s.q.end)
	s.slow.uses = append(s.slow.uses, s.q.use.use)
	return settled
}
