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
}

// lifetimes works out when each value is allocated and freed, in a clock that ticks with every allocation and every
// release, as the compiler's heap simulator does. It breaks ties between buffers (XLA: HloLiveRange, HeapSimulator).
func (e *engine) lifetimes() {
	g, v := e.g, e.v
	e.from, e.to, e.made = make([]int32, len(v.def)), make([]int32, len(v.def)), make([]int32, len(v.def))
	lives := e.lives()
	slices.SortStableFunc(lives, func(a, b life) int {
		return cmp.Or(cmp.Compare(a.start, b.start), cmp.Compare(a.end, b.end), cmp.Compare(a.made, b.made))
	})
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

// lives returns the lives of all tuples and of all values that take memory.
func (e *engine) lives() []life {
	g, v := e.g, e.v
	made := g.made()
	last := make([]int32, len(g.nodes))
	for t := range g.nodes {
		for _, o := range g.nodes[t].in.Operands {
			last[g.timeOf(o)] = int32(t)
		}
	}
	var out []life
	for t := range int32(len(g.nodes)) {
		if g.makesTuple(t) {
			out = append(out, life{e.born(t), max(last[t], t), made[t], none})
		}
	}
	donated := e.donated()
	for x := range int32(len(v.def)) {
		t := v.leafTime[v.def[x]]
		e.made[x] = made[t]
		if _, bytes := v.leafShape(v.def[x]); bytes > 0 {
			out = append(out, life{e.born(t), e.lastTime(x, donated), made[t], x})
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

// lastTime returns the time at which a value is freed: after its last use, or the end of the computation that returns
// it. A loop uses a value when its body begins. A parameter of the program stays to the end unless it is donated.
func (e *engine) lastTime(x int32, donated map[int32]bool) int32 {
	v, g := e.v, e.g
	end := v.leafTime[v.def[x]]
	for _, u := range v.uses[x] {
		t := v.g.useTime[u]
		if g.nodes[t].in.Opcode == hlo.OpWhile {
			t = g.comps[g.compOf[g.nodes[t].in.Sequential()[1]]].params[0]
		}
		end = max(end, t)
	}
	for _, l := range v.positions[x] {
		nd := &g.nodes[v.leafTime[l]]
		if nd.root {
			end = max(end, g.comps[nd.comp].end)
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
