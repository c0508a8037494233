package memory

import (
	"cmp"
	"slices"

	"hlolayout/hlo"
)

// life is when a value is there, both times inclusive. Among values of the same times the one that was made first comes
// first.
type life struct {
	start, end, made int32
	value            int32 // -1 for a tuple, which takes memory for its table of pointers
	place            int32 // what shares memory has the same one
}

func byLife(a, b life) int {
	return cmp.Or(cmp.Compare(a.start, b.start), cmp.Compare(a.end, b.end), cmp.Compare(a.made, b.made))
}

// lifetimes works out when each value is allocated and freed, in a clock that ticks with every allocation and every
// release, as the compiler's heap simulator does. It breaks ties between buffers (XLA: HloLiveRange, HeapSimulator).
func (e *engine) lifetimes() {
	g, v := e.g, e.v
	e.from, e.to, e.made = make([]int32, len(v.def)), make([]int32, len(v.def)), make([]int32, len(v.def))
	lives := e.lives()
	inTurn(lives)
	slices.SortStableFunc(lives, byLife)
	freed := make([][]int32, len(g.nodes)+1)
	for _, l := range lives {
		freed[l.end] = append(freed[l.end], l.value)
	}
	tick := int32(0)
	for t := range int32(len(freed)) {
		for ; len(lives) > 0 && lives[0].start == t; lives = lives[1:] {
			if tick++; lives[0].value >= 0 {
				e.from[lives[0].value] = tick
			}
		}
		for _, x := range freed[t] {
			if tick++; x >= 0 {
				e.to[x] = tick
			}
		}
	}
}

// inTurn ends a value where the next one in its memory begins, and lets that one live as long as those before it (XLA:
// HloLiveRange::NormalizeAliasedBuffers). What a loop starts with ends where its condition begins.
func inTurn(lives []life) {
	slices.SortStableFunc(lives, func(a, b life) int { return cmp.Or(cmp.Compare(a.place, b.place), byLife(a, b)) })
	for i := range lives[:max(0, len(lives)-1)] {
		if a, b := &lives[i], &lives[i+1]; a.place == b.place {
			a.end, b.end = min(a.end, b.start), max(a.end, b.end)
		}
	}
}

// lives returns the lives of all tuples and of all values that take memory.
func (e *engine) lives() []life {
	g, v := e.g, e.v
	made := g.made()
	last := make([]int32, len(g.nodes))
	for t := range g.nodes {
		for _, o := range g.nodes[t].in.Operands {
			at := g.timeOf(o)
			last[at] = max(last[at], g.usedAt(int32(t)))
		}
	}
	inner := g.nestedTuples()
	tables := g.tablesOfTuples(inner)
	out := e.nestedLives(inner, tables, made)
	for t := range int32(len(g.nodes)) {
		if g.makesTuple(t) {
			end := max(last[t], t)
			if nd := &g.nodes[t]; nd.root {
				end = max(end, g.comps[nd.comp].end+1)
			} else if len(inner) > 0 && nd.in.Opcode == hlo.OpTuple {
				end = max(end, e.usedUntil(nd.in, nil))
			}
			out = append(out, life{e.born(t), end, made[t], none, int32(len(v.def)) + tables[t]})
		}
	}
	out = append(out, e.statesOfOffloads(made, last, len(inner))...)
	donated := e.donated()
	for x := range int32(len(v.def)) {
		t := v.leafTime[v.def[x]]
		e.made[x] = made[t]
		if _, bytes := v.leafShape(v.def[x]); bytes > 0 {
			out = append(out, life{e.born(t), e.lastTime(x, donated), made[t], x, e.bufOf[x]})
		}
	}
	return out
}

// statesOfOffloads returns the lives of what programs of another unit have: a state from where they begin until they
// have their operands, and less from then on until they are done. For its empty parts the clock does not tick. (With so
// many, of the 1,228 buffers of eight programs whose lives had other lengths in the compiler's log, on v5p and v7x, 3
// still have.)
func (e *engine) statesOfOffloads(made, last []int32, inner int) (out []life) {
	g := e.g
	place := int32(len(e.v.def) + len(g.nodes) + inner)
	add := func(n int, from, to, made int32) {
		for range n {
			out = append(out, life{from, to, made, none, place})
			place++
		}
	}
	begins := g.beginsOfOffloads()
	for t := range int32(len(g.nodes)) {
		if in := g.nodes[t].in; startsOffload(in) {
			add(begunParts, begins[in], t, made[t])
			add(givenParts, t, max(last[t], t), made[t])
		}
	}
	return out
}

// makesTuple reports whether a node's result is a separate tuple, not that of its operand or, for a parameter, of its
// caller. What a loop carries is never the tuple that it starts with.
func (g *graph) makesTuple(t int32) bool {
	nd := &g.nodes[t]
	if !nd.in.Shape.IsTuple() || len(nd.in.Shape.Elems) == 0 {
		return false
	}
	switch nd.in.Opcode {
	case hlo.OpParameter:
		caller := g.comps[nd.comp].caller
		return caller < 0 || g.nodes[caller].in.Opcode == hlo.OpWhile
	case hlo.OpCall:
		return false
	}
	return nd.in.Opcode == hlo.OpTuple || !trivial(nd.in.Opcode)
}

// tablesOfTuples returns, by node, the first of the nodes whose tuples share their table of pointers: what a loop
// starts with, carries and results in, and what branches return; after them those of nested tuples.
func (g *graph) tablesOfTuples(inner []nested) []int32 {
	shared := newSets(len(g.nodes) + len(inner))
	join := func(a, b int32) { shared.join(g.renames(a), g.renames(b)) }
	for t := range int32(len(g.nodes)) {
		in := g.nodes[t].in
		switch in.Opcode {
		case hlo.OpWhile:
			join(t, g.timeOf(in.Operands[0]))
			for i, callee := range in.Sequential() {
				c := &g.comps[g.compOf[callee]]
				join(t, c.params[0])
				if i > 0 {
					join(t, c.root)
				}
			}
		case hlo.OpConditional:
			for _, callee := range in.Called() {
				join(t, g.comps[g.compOf[callee]].root)
			}
		}
	}
	g.joinNested(inner, shared)
	for t := range shared {
		shared[t] = shared.find(int32(t))
	}
	return shared
}

// renames returns the node whose tuple a node has.
func (g *graph) renames(t int32) int32 {
	for {
		switch in := g.nodes[t].in; in.Opcode {
		case hlo.OpOptBarrier, hlo.OpAddDependency, hlo.OpDomain:
			t = g.timeOf(in.Operands[0])
		default:
			return t
		}
	}
}

// born returns when what a node defines is there: a parameter from the start of its computation on.
func (e *engine) born(t int32) int32 {
	if nd := &e.g.nodes[t]; nd.in.Opcode == hlo.OpParameter {
		return e.g.comps[nd.comp].start
	}
	return t
}

// donated returns the parameters of the program that a result takes the place of.
func (e *engine) donated() map[int32]bool {
	params := e.g.comps[e.g.compOf[e.g.m.Entry]].params
	out := map[int32]bool{}
	for _, a := range e.g.m.Aliases() {
		if a.Number < len(params) {
			out[params[a.Number]] = true
		}
	}
	return out
}

// usedAt returns when a node uses its operands: a loop when its body has its parameter.
func (g *graph) usedAt(t int32) int32 {
	if in := g.nodes[t].in; in.Opcode == hlo.OpWhile {
		return g.comps[g.compOf[in.Sequential()[1]]].params[0]
	}
	return t
}

// lastTime returns the time at which a value is freed: that of its last use, or the one after the computation that
// returns it. A parameter of the program stays to the end unless it is donated.
func (e *engine) lastTime(x int32, donated map[int32]bool) int32 {
	v, g := e.v, e.g
	end := v.leafTime[v.def[x]]
	for _, u := range v.uses[x] {
		end = max(end, g.usedAt(v.g.useTime[u]))
	}
	for _, l := range v.positions[x] {
		nd := &g.nodes[v.leafTime[l]]
		if nd.root {
			end = max(end, g.comps[nd.comp].end+1)
		}
		if nd.in.Opcode == hlo.OpParameter && nd.in.Computation.IsEntry() && !donated[v.leafTime[l]] {
			end = int32(len(g.nodes))
		}
	}
	return end
}

// made numbers the nodes in the order in which the compiler's dataflow analysis comes to them: computations after those
// they call, instructions after their control predecessors and operands (HloComputation::MakeInstructionPostOrder;
// v5e: 0 of 1,443 values of three programs in another order).
func (g *graph) made() []int32 {
	out := make([]int32, len(g.nodes))
	at := int32(0)
	for c := range g.comps {
		for _, in := range postOrder(g.comps[c].c) {
			out[g.timeOf(in)] = at
			at++
		}
	}
	return out
}
