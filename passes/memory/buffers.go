package memory

import (
	"cmp"
	"math"
	"slices"

	"hlolayout/hlo"
)

// buffer is a set of values that share their memory: what a loop starts with, carries and returns, what is updated in
// place, what branches take and return, a donated parameter and the result that takes its place.
type buffer struct {
	values []int32
	size   int64 // padded bytes
	first  int32 // the value that stands for the buffer: the first one
	// priority orders the buffers: the benefit of the fast memory over the square root of the size.
	priority      float32
	start, end    int32 // in the clock of allocations, of the value that stands for the buffer
	lastUse       int32
	param, result bool // holds a parameter or part of the result of the program
	allowed       bool
	why           Reason
	crossProgram  bool
	done          bool // its place was looked for
}

// buffers groups values.
func (e *engine) buffers() {
	v := e.v
	shared := newSets(len(v.def))
	join := func(a, b int32) { shared.join(v.at[a], v.at[b]) }
	for t := range e.g.nodes {
		for i := range sharings {
			sharings[i].apply(e, int32(t), join)
		}
	}
	e.bufOf = make([]int32, len(v.def))
	number := map[int32]int32{}
	for x := range v.def {
		r := shared.find(int32(x))
		b, ok := number[r]
		if !ok {
			b = int32(len(e.bufs))
			number[r] = b
			e.bufs = append(e.bufs, buffer{first: int32(x)})
		}
		e.bufOf[x] = b
		e.bufs[b].values = append(e.bufs[b].values, int32(x))
	}
	e.lifetimes()
	for b := range e.bufs {
		e.describe(int32(b))
	}
}

// describe fills in what is known of a buffer before anything is placed.
func (e *engine) describe(b int32) {
	v, g := e.v, e.g
	buf := &e.bufs[b]
	buf.allowed = true
	var benefit float32
	first := v.def[buf.first]
	t := v.leafTime[first]
	benefit = e.c.benefit(t, e.c.wrote[first])
	for _, x := range buf.values {
		_, bytes := v.leafShape(v.def[x])
		buf.size = max(buf.size, bytes)
		if why := e.banned(x); why != ReasonNone {
			buf.allowed, buf.why = false, why
		}
		for _, u := range v.uses[x] {
			op := g.nodes[v.g.useTime[u]].in.Opcode
			if op == hlo.OpWhile || op == hlo.OpConditional || op == hlo.OpGetTupleElement { // an element is not a use
				continue
			}
			more := e.c.benefit(v.g.useTime[u], e.c.read[u])
			if benefit > 0 && more > 0 {
				benefit += more
			} else {
				benefit = max(benefit, more)
			}
		}
		for _, l := range v.positions[x] {
			nd := &g.nodes[v.leafTime[l]]
			if nd.in.Computation.IsEntry() {
				buf.param = buf.param || nd.in.Opcode == hlo.OpParameter
				buf.result = buf.result || nd.root
			}
		}
	}
	buf.priority = float32(float64(benefit) / math.Sqrt(float64(max(buf.size, 1))))
	buf.start, buf.end = e.from[buf.first], e.to[buf.first]
	for _, u := range v.uses[buf.first] {
		buf.lastUse = max(buf.lastUse, v.g.useTime[u])
	}
}

// order returns the buffers in the order in which they are placed.
func (e *engine) order() []int32 {
	ids := make([]int32, 0, len(e.bufs))
	for b := range e.bufs {
		ids = append(ids, int32(b))
	}
	slices.SortStableFunc(ids, func(i, j int32) int {
		a, b := &e.bufs[i], &e.bufs[j]
		return cmp.Or(cmp.Compare(b.priority, a.priority), cmp.Compare(b.size, a.size),
			cmp.Compare(b.end-b.start, a.end-a.start), cmp.Compare(a.lastUse, b.lastUse), cmp.Compare(a.start, b.start))
	})
	return ids
}
