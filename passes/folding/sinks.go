package folding

import (
	"slices"

	"hlolayout/hlo"
)

// mover is a reshape or a transpose that an elementwise operation reads, or a candidate: an elementwise operation that
// may be computed before what rearranges its operands, and then is rearranged itself.
type mover struct {
	*rearranged
	in    *hlo.Instruction
	users []int32 // of a candidate: the candidates that read it
	// Of a candidate: its operands that may sink and do not yet. It is ready when there are none.
	waits int32
	// Its users that are ready, and 1 + one of them.
	readers, reader int32
	// Ready candidates that read one operand are a group, in a ring from each to the next. The first one notes their
	// number, and how many of their operands have other users.
	first, next, size, open int32
}

// findSinks notes which elementwise operations are computed before the reshapes and transposes of their operands: those
// where every user of each of these is such an operation (reshape-mover). What is so computed leaves a reshape or a
// transpose itself, whose users may follow: so a group sinks once all users of all its operands are in it, and others
// may be ready then.
func (w *simplifier) findSinks() {
	for len(w.ready) > 0 {
		k := w.ready[len(w.ready)-1]
		w.ready = w.ready[:len(w.ready)-1]
		if first := w.group(k); first.open == 0 {
			w.sink(first)
		}
	}
}

// addCandidate adds a mover for an instruction that may sink.
func (w *simplifier) addCandidate(in *hlo.Instruction) {
	if !slices.ContainsFunc(in.Operands, func(o *hlo.Instruction) bool {
		return o.Opcode == hlo.OpReshape || o.Opcode == hlo.OpTranspose || w.note(o).link != 0
	}) {
		return // as of most
	}
	r := commonRearrangement(in, w.rearrangedBy)
	if r == nil {
		return
	}
	k := w.addMover(in, r)
	for _, o := range in.Operands {
		if x := w.moverOf(o); x != nil && !rearranges(o) {
			x.users = append(x.users, k)
			w.movers[k].waits++
		}
	}
	if w.movers[k].waits == 0 {
		w.ready = append(w.ready, k)
	}
}

// rearrangedBy returns what an instruction rearranges, or would if it sinks; nil for nothing.
func (w *simplifier) rearrangedBy(in *hlo.Instruction) *rearranged {
	if x := w.moverOf(in); x != nil {
		return x.rearranged
	}
	r := rearrangement(in)
	if r != nil {
		w.addMover(in, r)
	}
	return r
}

func (w *simplifier) addMover(in *hlo.Instruction, r *rearranged) int32 {
	k := int32(len(w.movers))
	if len(w.movers) == cap(w.movers) {
		w.movers = slices.Grow(w.movers, max(64, len(w.movers))) // append grows large slices in small steps
	}
	w.movers = append(w.movers, mover{rearranged: r, in: in, first: k, next: k, size: 1})
	w.note(in).link = k + 1
	return k
}

// moverOf returns what findSinks notes of an operand, nil for one number, and where nothing is noted.
func (w *simplifier) moverOf(o *hlo.Instruction) *mover {
	k := w.note(o).link
	if k == 0 || spread(o) {
		return nil
	}
	return &w.movers[k-1]
}

// group puts a ready candidate into the group of those that read its operands and returns the first one of it.
func (w *simplifier) group(k int32) *mover {
	in := w.movers[k].in
	for _, o := range in.Operands {
		x := w.moverOf(o)
		if x == nil {
			continue
		}
		if x.reader == 0 {
			x.reader = k + 1
			w.movers[w.movers[k].first].open++
		} else {
			w.join(w.movers[k].first, w.movers[x.reader-1].first)
		}
		if x.readers++; x.readers == w.note(o).uses {
			w.movers[w.movers[k].first].open--
		}
	}
	return &w.movers[w.movers[k].first]
}

// join makes one group of two, each named by its first.
func (w *simplifier) join(a, b int32) {
	if a == b {
		return
	}
	if w.movers[a].size < w.movers[b].size {
		a, b = b, a
	}
	to, from := &w.movers[a], &w.movers[b]
	to.size, to.open = to.size+from.size, to.open+from.open
	for k := b; w.movers[k].first != a; k = w.movers[k].next {
		w.movers[k].first = a
	}
	to.next, from.next = from.next, to.next
}

// sink notes that a group sinks, and which candidates are ready then.
func (w *simplifier) sink(first *mover) {
	m := first
	for range first.size {
		w.note(m.in).sinks = true
		for _, u := range m.users {
			x := &w.movers[u]
			if x.waits--; x.waits == 0 {
				w.ready = append(w.ready, u)
			}
		}
		m = &w.movers[m.next]
	}
}
