package memory

import (
	"cmp"
	"slices"

	"hlolayout/hlo"
)

// wish is where the plan of an unrolled loop has the value that a use reads.
type wish struct {
	kind wishKind
	// after is when the prefetch of a copied value should start, exclusive.
	after int32
}

type wishKind uint8

const (
	unplanned wishKind = iota
	inHBM              // it is in HBM, and no prefetch is for the use
	staying            // it stays in the fast space, however long that is
	copied             // it is copied there
)

// iteration is a plan for one iteration of an unrolled loop, the second: what the ones before and after it have of a
// value says what becomes of it (XLA's MemoryBoundLoopOptimizer). Its times count the instructions from its first on.
type iteration struct {
	e           *engine
	start, size int32
	values      []*loopValue
	room        turns
	fast        []float32 // by time: bytes of operands and results that the plan has in the fast space
	idle        []float32 // by time: seconds of HBM's bandwidth that are left for prefetches
}

// loopValue is a buffer that instructions of the iteration read or write.
type loopValue struct {
	buffer   int32
	size     int64
	kind     loopKind
	made     []loopLeaf // what defines or renames it, in the iteration
	reads    []loopLeaf // its uses there
	next     []loopLeaf // its uses in the next iteration
	header   bool       // something before the loop defines it
	footer   bool       // something after the next iteration reads it
	gain     float32    // bytes that are not moved if it is in the fast space, over its size
	decided  wishKind
	from, to int32 // times between which it is in the fast space, inclusive; from is negative in the iteration before
}

// loopLeaf is a result or a use of the instruction at a time, by its number there.
type loopLeaf struct{ time, number int32 }

// loopKind is what becomes of a buffer.
type loopKind uint8

const (
	unsupported loopKind = iota // no plan is made for it
	temporary                   // made in the iteration, and read before it is made again
	pinned                      // read in all iterations
	fetched                     // read in one iteration
)

// planLoops plans the unrolled loops. What holds for one iteration holds for all.
func (e *engine) planLoops() {
	e.wishes = map[int32]wish{}
	if !e.dev.plansLoops {
		return
	}
	for _, u := range e.g.unrolledLoops() {
		it := &iteration{e: e, start: u.start + u.size, size: u.size, room: turns{limit: e.dev.limit, size: u.size},
			fast: make([]float32, u.size)}
		it.reserve()
		it.list()
		it.allocate()
		for _, v := range it.values {
			if v.kind != unsupported {
				it.spread(u, v)
			}
		}
	}
}

// reserve holds the scratch memory of the instructions.
func (it *iteration) reserve() {
	if !it.e.dev.scoped {
		return
	}
	for t := range it.size {
		if size := min(it.e.scratch(it.start+t), it.e.dev.limit); size > 0 {
			it.room.hold(nil, chunk{t, t, 0, aligned(size)}, 0, 1, 2, 3)
		}
	}
}

// list lists the values, those first by which more bytes are spared. (Which of equal ones comes first is a guess: it
// decides their offsets alone.)
func (it *iteration) list() {
	e, g := it.e, it.e.g
	var bufs []int32
	add := func(first, end int32) {
		for l := first; l < end; l++ {
			bufs = append(bufs, e.bufOf[e.v.at[l]])
		}
	}
	for t := it.start; t < it.start+it.size; t++ {
		add(g.leaf0[t], g.leaf0[t+1])
		for _, o := range g.nodes[t].in.Operands {
			n := g.timeOf(o)
			add(g.leaf0[n], g.leaf0[n+1])
		}
	}
	slices.SortFunc(bufs, func(a, b int32) int {
		return cmp.Or(cmp.Compare(e.made[e.bufs[a].first], e.made[e.bufs[b].first]), cmp.Compare(a, b))
	})
	for _, b := range slices.Compact(bufs) {
		if v := it.value(b); v != nil {
			it.values = append(it.values, v)
		}
	}
	slices.SortStableFunc(it.values, func(a, b *loopValue) int { return cmp.Compare(b.gain, a.gain) })
}

// value returns what the iteration does with a buffer, nil where the iteration before makes it: the one that this
// iteration makes stands for both.
func (it *iteration) value(b int32) *loopValue {
	e := it.e
	_, size := e.v.leafShape(e.v.def[e.bufs[b].first])
	v := &loopValue{buffer: b, size: max(size, 1)}
	var moved float32
	for _, x := range e.bufs[b].values {
		written, ok := it.addMade(v, e.v.positions[x])
		if !ok {
			return nil
		}
		moved += written + it.addUses(v, e.v.uses[x])
	}
	if len(v.made)+len(v.reads) == 0 {
		return nil
	}
	for _, list := range [][]loopLeaf{v.made, v.reads, v.next} {
		slices.SortStableFunc(list, func(a, b loopLeaf) int { return int(a.time - b.time) })
	}
	if v.header {
		moved -= float32(v.size)
	}
	if v.footer && len(v.made) > 0 {
		moved -= float32(v.size)
	}
	v.gain = moved / float32(v.size)
	v.kind = v.kindOf()
	return v
}

// addMade adds the leaves of a value to what makes it, and returns the bytes that are written there; false where the
// iteration before makes it.
func (it *iteration) addMade(v *loopValue, leaves []int32) (moved float32, ok bool) {
	e, g := it.e, it.e.g
	for _, l := range leaves {
		t := e.v.leafTime[l]
		at := t - it.start
		switch {
		case g.nodes[t].in.Opcode == hlo.OpGetTupleElement:
		case -it.size <= at && at < 0:
			return 0, false
		case 0 <= at && at < it.size:
			v.made = append(v.made, loopLeaf{at, l - g.leaf0[t]})
			moved += e.c.wrote[l]
		case len(v.made) == 0 && g.nodes[t].comp == g.nodes[it.start].comp:
			v.header = true
		}
	}
	return moved, true
}

// addUses adds the uses of a value, and returns the bytes that those in this iteration and the next one read.
func (it *iteration) addUses(v *loopValue, uses []int32) (moved float32) {
	e, g := it.e, it.e.g
	for _, u := range uses {
		t := g.useTime[u]
		at := t - it.start
		read := loopLeaf{at, u - g.use0[t]}
		switch {
		case g.nodes[t].in.Opcode == hlo.OpGetTupleElement:
			continue
		case 0 <= at && at < it.size:
			v.reads = append(v.reads, read)
		case it.size <= at && at < 2*it.size:
			read.time -= it.size
			v.next = append(v.next, read)
		default:
			v.footer = v.footer || len(v.made)+len(v.reads) > 0
			continue
		}
		moved += e.c.read[u]
	}
	return moved
}

// kindOf returns what becomes of a value. One that is carried on until it is made again is not supported.
func (v *loopValue) kindOf() loopKind {
	n, m := len(v.reads), len(v.next)
	switch {
	case len(v.made) > 0:
		if m > 0 && v.next[m-1].time < v.made[0].time || m == 0 && n > 0 {
			return temporary
		}
	case !v.header || n == 0:
	case n == m && v.reads[0].time == v.next[0].time:
		return pinned
	case m == 0 || v.next[m-1].time < v.reads[0].time:
		return fetched
	}
	return unsupported
}

// allocate decides where the values are: the temporary and pinned ones stay in the fast space where there is room, and
// the rest of HBM's bandwidth is for prefetches of the others.
func (it *iteration) allocate() {
	var fetches []*loopValue
	for _, v := range it.values {
		v.decided = inHBM
		switch v.kind {
		case temporary:
			single := len(it.e.bufs[v.buffer].values) == 1
			if single && it.room.place(v, v.made[0].time, v.last(it.size), 0, 1, 2, 3) {
				v.decided = staying
				it.count(v.reads, v.next)
			}
		case pinned:
			if v.gain > 0 && it.room.place(v, 0, it.size-1, 0, 1, 2, 3) {
				v.decided = staying
				it.count(v.reads)
			}
		case fetched:
			fetches = append(fetches, v)
			continue
		default:
			continue
		}
		if v.decided == staying {
			for _, m := range v.made {
				it.fast[m.time] += it.e.c.wrote[it.e.g.leaf0[it.start+m.time]+m.number]
			}
		}
	}
	it.fetch(fetches)
}

// last returns the time of the value's last use, which may be in the next iteration.
func (v *loopValue) last(size int32) int32 {
	if n := len(v.next); n > 0 {
		return v.next[n-1].time + size
	}
	return v.reads[len(v.reads)-1].time
}

// count adds what uses read to the bytes in the fast space.
func (it *iteration) count(lists ...[]loopLeaf) {
	for _, list := range lists {
		for _, u := range list {
			it.fast[u.time] += it.e.c.read[it.e.g.use0[it.start+u.time]+u.number]
		}
	}
}

// spread says of the uses of a value, and of those in their places in the other iterations, what the plan says. What
// the body of a loop takes begins in HBM then, unless it stays in the fast space.
func (it *iteration) spread(u unrolled, v *loopValue) {
	e, g := it.e, it.e.g
	caller := g.comps[g.nodes[u.start].comp].caller
	inLoop := caller >= 0 && g.nodes[caller].in.Opcode == hlo.OpWhile
	uses := slices.Clone(v.reads)
	for _, n := range v.next {
		again := slices.ContainsFunc(v.reads, func(r loopLeaf) bool { return r.time == n.time })
		if !again || v.decided != inHBM && v.kind != pinned {
			uses = append(uses, n)
		}
	}
	for _, use := range uses {
		for t := u.start + use.time; t <= u.end; t += u.size {
			n := g.use0[t] + use.number
			w := wish{kind: v.decided}
			if w.kind == copied {
				w.after = t - use.time + v.effective(it.size)
			}
			e.wishes[n] = w
			if !inLoop || v.decided == staying {
				continue
			}
			x := e.v.at[g.useLeaf[n]]
			for _, l := range e.v.positions[x] {
				p := e.v.leafTime[l]
				if g.nodes[p].in.Opcode == hlo.OpParameter && g.nodes[p].comp == g.nodes[t].comp {
					e.require(x, p, false, nil, false)
					break
				}
			}
		}
	}
}
