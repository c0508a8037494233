package memory

import "hlolayout/hlo"

// lifetimes works out when each value is allocated and freed, in a clock that ticks with every allocation and every
// release, as the compiler's heap simulator does. It breaks ties between buffers.
func (e *engine) lifetimes() {
	v, g := e.v, e.g
	n := len(g.nodes)
	e.from, e.to = make([]int32, len(v.def)), make([]int32, len(v.def))
	donated := e.donated()
	made, freed := make([][]int32, n+1), make([][]int32, n+1)
	for x := range v.def {
		start := v.leafTime[v.def[x]]
		if g.nodes[start].in.Opcode != hlo.OpConstant {
			end := e.lastTime(int32(x), donated)
			made[start], freed[end] = append(made[start], int32(x)), append(freed[end], int32(x))
		}
	}
	tupleStarts, tupleEnds := e.tupleTimes()
	tick := int32(0)
	for t := range n + 1 {
		tick += tupleStarts[t]
		for _, x := range made[t] {
			tick++
			e.from[x] = tick
		}
		for _, x := range freed[t] {
			tick++
			e.to[x] = tick
		}
		tick += tupleEnds[t]
	}
}

// donated returns the parameters of the program that a result takes the place of.
func (e *engine) donated() map[int32]bool {
	params := e.g.comps[e.g.compOf[e.g.m.Entry]].params
	out := map[int32]bool{}
	for _, a := range donations(e.g.m) {
		if a.operand < len(params) {
			out[params[a.operand]] = true
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
		if nd.in.Opcode == hlo.OpParameter && g.comps[nd.comp].caller < 0 && !donated[v.leafTime[l]] {
			end = int32(len(g.nodes))
		}
	}
	return end
}

// tupleTimes returns how many tuples begin and end at each time. Tuples are values too; all that is needed of them is
// that they tick.
func (e *engine) tupleTimes() (starts, ends []int32) {
	g := e.g
	n := len(g.nodes)
	starts, ends = make([]int32, n+1), make([]int32, n+1)
	last := make([]int32, n)
	for t := range g.nodes {
		for _, o := range g.nodes[t].in.Operands {
			last[g.timeOf[o]] = int32(t)
		}
	}
	for t := range g.nodes {
		in := g.nodes[t].in
		if in.Shape.IsTuple() && in.Opcode != hlo.OpGetTupleElement && in.Opcode != hlo.OpParameter {
			starts[t]++
			ends[max(last[t], int32(t))]++
		}
	}
	return starts, ends
}
