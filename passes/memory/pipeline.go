package memory

import (
	"cmp"
	"slices"
)

// desiredRatio is how much of a prefetch's seconds has to be left idle before its use, where there is no room for an
// earlier start: of those in the compiler's log of 9 programs .72 is enough, and .65 is not.
const desiredRatio = .7

// fetch plans prefetches, the one for the latest use first. The seconds for which instructions leave the bandwidth of
// HBM idle go to the prefetch that is under way, until it has all that it needs.
func (it *iteration) fetch(list []*loopValue) {
	c, dev := it.e.c, it.e.dev
	slices.SortStableFunc(list, func(a, b *loopValue) int {
		return cmp.Or(cmp.Compare(b.reads[0].time, a.reads[0].time), cmp.Compare(b.reads[0].number, a.reads[0].number))
	})
	for _, v := range list {
		it.count(v.reads)
	}
	it.idle = make([]float32, it.size)
	for i := range it.idle {
		t, fast := it.start+int32(i), it.fast[i]
		it.idle[i] = max(c.compute[t], dev.fastSeconds(c.total[t], fast)) - dev.seconds(c.total[t]-fast)
	}
	for i, v := range list {
		it.prefetch(v, list[:i])
	}
}

// wrapped returns the time in this iteration of one that may be in the iteration before.
func (it *iteration) wrapped(t int32) int32 { return (t + it.size) % it.size }

// prefetch looks for the start of a value's prefetch: the latest after which enough bandwidth is idle, at the earliest
// the value's last use in the iteration before, where it starts in any case. Prefetches end in the order in which they
// start: those planned earlier, for later uses, that start later in the iteration before are begun as early.
func (it *iteration) prefetch(v *loopValue, planned []*loopValue) {
	first, last := v.reads[0].time, v.last(it.size)
	if !it.room.alternate(v, first, last) {
		return
	}
	it.room.drop(v)
	need, got := it.e.dev.seconds(float32(v.size)), float32(0)
	var early []*loopValue // those begun as early
	start, taken, found := int32(0), 0, false
	begin := func(t int32) { start, taken, found = t, len(early), true }
	room := it.room
	room.held = slices.Clone(room.held)
	above := room.free() - 2*aligned(v.size)
	for t := first - 1; t >= last-it.size; t-- {
		at := it.wrapped(t)
		if t < 0 {
			var more []*loopValue
			more, planned = it.startingAt(at, planned)
			early = append(early, more...)
			room.drop(more...)
			for _, w := range more {
				above -= 2 * aligned(w.size)
			}
		}
		if above < 0 { // else there is room above all that is held
			fits := it.together(&room, v, t, last, early)
			room.drop(append(early, v)...)
			if !fits {
				break
			}
		}
		idle := it.idle[at]
		if idle >= need-got {
			begin(t)
			break
		}
		if !found && got+idle >= need*desiredRatio || at == it.wrapped(last) {
			begin(t)
		}
		got += idle
	}
	if !found {
		return
	}
	it.spend(first, start, need)
	it.room.drop(early[:taken]...)
	for _, w := range early[:taken] {
		w.from = it.wrapped(start)
	}
	it.together(&it.room, v, start, last, early[:taken])
	v.decided, v.from, v.to = copied, start, last
}

// startingAt returns those of the planned prefetches that start after a time of the iteration and are done in the same
// one, up to the first that does not, and what is left of the list then.
func (it *iteration) startingAt(at int32, planned []*loopValue) (list, left []*loopValue) {
	for ; len(planned) > 0; planned = planned[1:] {
		w := planned[0]
		if w.decided != copied {
			continue
		}
		if w.wraps(it.size) || it.wrapped(w.from-1) != at {
			break
		}
		list = append(list, w)
	}
	return list, planned
}

// together holds a value from a time on, and before it others from the same time of the iteration. It reports whether
// there is room for all.
func (it *iteration) together(room *turns, v *loopValue, from, to int32, others []*loopValue) bool {
	for _, w := range others {
		if !room.alternate(w, it.wrapped(from), w.to) {
			return false
		}
	}
	return room.alternate(v, from, to)
}

// spend takes what a prefetch needs from the idle seconds, from the instruction before its use back to its start.
func (it *iteration) spend(use, start int32, need float32) {
	got := float32(0)
	for t := use - 1; t >= start; t-- {
		idle := &it.idle[it.wrapped(t)]
		if *idle >= need-got {
			*idle -= need - got
			return
		}
		got += *idle
		*idle = 0
	}
}

// copySpan returns after which time of the iteration a prefetch starts, and before which it has to be done.
func (v *loopValue) copySpan(size int32) (after, before int32) {
	return (v.from - 1 + 2*size) % size, v.reads[0].time
}

// wraps reports whether a prefetch starts in the iteration before.
func (v *loopValue) wraps(size int32) bool {
	after, before := v.copySpan(size)
	return before <= after+1
}

// effective returns after which time of the iteration a prefetch starts, negative for the one before, or the one before
// that.
func (v *loopValue) effective(size int32) int32 {
	after, before := v.copySpan(size)
	switch {
	case after == size-1 && before == 0:
		return -size
	case before <= after+1:
		return after - size
	}
	return after
}
