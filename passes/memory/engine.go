package memory

import (
	"slices"

	"hlolayout/hlo"
)

// engine places the buffers of one module (XLA's MsaAlgorithm).
type engine struct {
	g   *graph
	v   *values
	c   *cost
	k   *clock
	dev *device

	bufs     []buffer
	bufOf    []int32 // by value
	from, to []int32 // lifetime of each value, in the clock of allocations
	made     []int32 // by value: its place in the order in which the compiler makes values

	h                  *heap
	prefetches, evicts *copyQueue
	inPrefetch, inEvic *inFlight
	edges              []bool // times just before or after an allocation, shifted by one
	required           [][]requirement
	pendingChunks      []pendingChunk
	pendingCopies      []pendingCopy
	pendingRequired    []int32
	retry              int
	full               bool // a use of the buffer stays in HBM for want of room
	noRoom             bool // one of the times at which a prefetch might start has no room
	repacks            int

	fastUse  []bool // by use: it reads the fast space
	fastLeaf []bool // by leaf: what defines it, or carries it through a loop, is in the fast space
	copies   []Copy
	placed   []*held // with their final places, in the order in which they got them
	chunks   []placed
	pressure int64
	uses     map[*hlo.Computation]hlo.Uses
	awaited  map[string]bool       // the names among control-predecessors
	places   map[int32][]indexList // by node, of those that onePlace was asked for
	wishes   map[int32]wish        // by use, in unrolled loops
}

// requirement pins a value to a space at one time.
type requirement struct {
	time   int32
	fast   bool
	offset *offset
}

// offset is shared by the allocations that have to be at one place.
type offset struct{ at int64 }

type pendingCopy struct {
	after, last int32
	evict       bool
}

// pendingChunk is a chunk, by its number in the heap, and the buffer in it.
type pendingChunk struct{ id, buffer int32 }

// placed is a chunk and the buffer in it, -1 for scratch memory.
type placed struct {
	chunk
	buffer int32
}

// Limits of the compiler's options, the same for all generations (measured: it logs them).
const (
	maxPrefetches = 40
	// maxEvictions is less than the 40 of the option. Measured on four models for v5e: of 745 evictions the compiler
	// refuses the 122 that would be the fortieth of those whose times meet.
	maxEvictions = 39
	// loopExtra more prefetches may be under way when one is for a loop.
	loopExtra = 4
	retries   = 2
)

// newHeap returns an empty heap for the fast space and all times of the schedule.
func (e *engine) newHeap() *heap {
	h := newHeap(e.dev.limit, len(e.g.nodes)+1)
	h.fewOrders = e.dev.slices.most == 0
	return h
}

func newEngine(g *graph, dev *device) *engine {
	e := &engine{g: g, dev: dev}
	e.v = newValues(g)
	e.c = newCost(e.v, dev)
	e.k = newClock(e.c)
	e.buffers()
	n := len(g.nodes)
	e.h = e.newHeap()
	resources := make([]float32, n+1)
	for t := range g.nodes {
		if op := g.nodes[t].in.Opcode; op != hlo.OpWhile && op != hlo.OpConditional {
			resources[t] = e.c.elapsed[t]
		}
	}
	e.shareBandwidth(resources)
	e.prefetches, e.evicts = newCopyQueue(resources), newCopyQueue(resources)
	e.inPrefetch, e.inEvic = newInFlight(n+2), newInFlight(n+2)
	e.edges = make([]bool, n+4)
	e.required = make([][]requirement, len(e.v.def))
	e.fastUse, e.fastLeaf = make([]bool, g.use0[n]), make([]bool, g.leaf0[n])
	return e
}

// run places everything.
func (e *engine) run() {
	for b := range e.bufs {
		if e.bufs[b].allowed && e.bufs[b].size <= e.dev.limit {
			e.pressure += e.bufs[b].size
		}
	}
	if e.dev.scoped {
		e.reserve()
	}
	e.crossProgram()
	e.planLoops()
	e.pin()
	for _, b := range e.order() {
		e.place(b)
	}
}

// requiredAt returns what pins a value at a time, nil if nothing does.
func (e *engine) requiredAt(value, time int32) *requirement {
	for i := range e.required[value] {
		if r := &e.required[value][i]; r.time == time {
			return r
		}
	}
	return nil
}

func (e *engine) require(value, time int32, fast bool, at *offset, pending bool) {
	if e.requiredAt(value, time) != nil {
		return
	}
	e.required[value] = append(e.required[value], requirement{time, fast, at})
	if pending {
		e.pendingRequired = append(e.pendingRequired, value)
	}
}

// pin keeps the program's parameters, results and constants in HBM, each at its own time, and what is not allowed
// elsewhere.
func (e *engine) pin() {
	for t := range e.g.nodes {
		nd := &e.g.nodes[t]
		entry := e.g.comps[nd.comp].caller < 0
		if !(entry && (nd.root || nd.in.Opcode == hlo.OpParameter)) && nd.in.Opcode != hlo.OpConstant {
			continue
		}
		for l := e.g.leaf0[t]; l < e.g.leaf0[t+1]; l++ {
			for _, x := range e.bufs[e.bufOf[e.v.at[l]]].values {
				e.require(x, int32(t), false, nil, false)
			}
		}
	}
	for x := range e.v.def {
		made := e.v.leafTime[e.v.def[x]]
		if in := e.g.nodes[made].in; !e.writable(e.v.def[x]) || e.g.nodes[made].returns || in.Opcode == hlo.OpAsyncStart {
			e.require(int32(x), made, false, nil, false)
		}
		for _, u := range e.v.uses[x] {
			// What another unit reads and makes is in HBM then, and may be evicted before and prefetched afterwards (14 programs
			// on v5p, v6e and v7x, of which 9 come nearer; a tree search in a loop).
			t := e.g.useTime[u]
			if nd := &e.g.nodes[t]; nd.in.Opcode == hlo.OpAsyncStart || nd.returns {
				e.require(int32(x), t, false, nil, false)
			}
		}
	}
}

// returnsParameter reports whether a fusion returns an operand as it is, in another place: its body's shapes cannot say
// that operand and result are in different spaces. The compiler makes no such fusion; XLA's parser takes it.
func returnsParameter(in *hlo.Instruction) bool {
	if in.Opcode != hlo.OpFusion {
		return false
	}
	body := in.CalledBy("calls")
	if body == nil || body.Root == nil {
		return false
	}
	results, depth := []*hlo.Instruction{body.Root}, 0
	if body.Root.Opcode == hlo.OpTuple {
		results, depth = body.Root.Operands, 1
	}
	if !slices.ContainsFunc(results, func(x *hlo.Instruction) bool { return x.Opcode == hlo.OpParameter }) {
		return false
	}
	inPlace := map[[2]int]bool{} // by result and operand
	for _, a := range in.Aliases() {
		if len(a.Output) != depth || len(a.Index) > 0 {
			continue
		}
		result := 0
		for _, k := range a.Output {
			result = k
		}
		inPlace[[2]int{result, a.Number}] = true
	}
	for i, x := range results {
		if x.Opcode == hlo.OpParameter && !inPlace[[2]int{i, int(x.Parameter)}] {
			return true
		}
	}
	return false
}

// writable reports whether the instruction of a leaf may write it to the fast space. With two cores that share it
// (v5p), only fusions of kind kLoop do (measured: 82 of 91 of them, none of about 170 others).
func (e *engine) writable(leaf int32) bool {
	if !e.dev.loopFusionsOnly {
		return true
	}
	in := e.g.nodes[e.v.leafTime[leaf]].in
	switch in.Opcode {
	case hlo.OpFusion:
		return fusionKind(in) == "kLoop"
	case hlo.OpParameter, hlo.OpWhile, hlo.OpConditional, hlo.OpCall, hlo.OpOptBarrier:
		return true
	}
	return false
}

// commit makes what is pending final.
func (e *engine) commit() {
	for _, p := range e.pendingChunks {
		e.chunks = append(e.chunks, placed{e.h.chunks[p.id], p.buffer})
	}
	e.settle()
}

func (e *engine) settle() {
	e.pendingChunks, e.pendingCopies, e.pendingRequired = e.pendingChunks[:0], e.pendingCopies[:0], e.pendingRequired[:0]
	e.prefetches.commit()
	e.evicts.commit()
}

// rollback takes back what is pending.
func (e *engine) rollback() {
	for _, p := range e.pendingChunks {
		e.h.remove(p.id)
	}
	for _, p := range e.pendingCopies {
		f := e.inPrefetch
		if p.evict {
			f = e.inEvic
		}
		f.remove(p.after+1, p.last)
	}
	for i := len(e.pendingRequired) - 1; i >= 0; i-- {
		x := e.pendingRequired[i]
		e.required[x] = e.required[x][:len(e.required[x])-1]
	}
	e.prefetches.rollback()
	e.evicts.rollback()
	e.settle()
}

// hold holds a chunk for a buffer, for scratch memory where that is none.
func (e *engine) hold(buffer int32, c chunk) {
	e.pendingChunks = append(e.pendingChunks, pendingChunk{e.h.add(c), buffer})
}

// addCopy registers a copy that starts after one time and is done before another. An eviction is under way up to the
// time before that.
func (e *engine) addCopy(after, before int32, need float32, evict bool) {
	q, last := e.prefetches, before
	if evict {
		q, last = e.evicts, before-1
	}
	e.flight(after+1, pendingCopy{after, last, evict})
	q.add(copySpan{after, before, scaled(need)})
}

// flight counts a copy among those under way, from its start or the time after it. What is taken back begins after its
// start, so that the pieces of a prefetch stay counted: the compiler's log has them among the 40 that may be under way
// (in four programs on v5e prefetches are found without them that the log refuses).
func (e *engine) flight(start int32, p pendingCopy) {
	f := e.inPrefetch
	if p.evict {
		f = e.inEvic
	}
	f.add(start, p.last)
	e.pendingCopies = append(e.pendingCopies, p)
}

// useTime is when a use needs its value: for a branch or call, when the called computation begins, for a loop, when its
// body does. (So what a loop's condition reads too is held twice at that time, does not fit, and stays in HBM.)
func (e *engine) useTime(u int32) int32 {
	t := e.v.g.useTime[u]
	called := e.g.nodes[t].in.Sequential()
	if e.g.nodes[t].in.Opcode == hlo.OpWhile {
		called = called[1:]
	}
	for _, callee := range called {
		if p := e.g.comps[e.g.compOf[callee]].params; len(p) > 0 && p[0] >= 0 {
			t = min(t, p[0])
		}
	}
	return t
}
