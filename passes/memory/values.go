package memory

import (
	"slices"

	"hlolayout/hlo"
)

// values are the values of a graph in static single assignment form, as the compiler's dataflow analysis has them: a
// leaf that forwards is the value of what it forwards, a carry that a loop does not change is the value it started
// with, and a carry that it changes is three values (in the condition, in the body, after the loop).
type values struct {
	g *graph
	// at is the value at each leaf.
	at []int32
	// def is the leaf that defines each value. For the numbers of merged values it is stale; nothing refers to them.
	def []int32
	// positions are the leaves of each value and uses its uses, both ascending in time.
	positions, uses [][]int32
	// leafTime is the node of each leaf.
	leafTime []int32
}

func newValues(g *graph) *values {
	n, leaves := len(g.nodes), g.leaf0[len(g.nodes)]
	v := &values{g: g, at: make([]int32, leaves), leafTime: make([]int32, leaves)}
	merged := make([]int32, 0, leaves)
	find := func(x int32) int32 {
		for merged[x] != x {
			merged[x] = merged[merged[x]]
			x = merged[x]
		}
		return x
	}
	fresh := func(leaf int32) int32 {
		merged = append(merged, int32(len(merged)))
		v.def = append(v.def, leaf)
		return int32(len(merged)) - 1
	}
	for t := int32(0); t < int32(n); t++ {
		for l := g.leaf0[t]; l < g.leaf0[t+1]; l++ {
			v.leafTime[l] = t
		}
	}
	// A parameter of a called computation is reached before its caller: operandLeaf finds what the caller passes.
	for t := int32(0); t < int32(n); t++ {
		in, c := g.nodes[t].in, &g.comps[g.nodes[t].comp]
		first := g.leaf0[t]
		for l := first; l < g.leaf0[t+1]; l++ {
			j := l - first
			if from := g.forward(t, j); from >= 0 {
				v.at[l] = find(v.at[from])
				continue
			}
			switch {
			case in.Opcode == hlo.OpParameter && c.caller >= 0 && g.nodes[c.caller].in.Opcode != hlo.OpWhile:
				v.at[l] = find(v.at[v.passed(t)+j])
			case in.Opcode == hlo.OpCall:
				v.at[l] = find(v.at[g.leaf0[g.comps[g.compOf[in.Called()[0]]].root]+j])
			case in.Opcode == hlo.OpConditional:
				v.at[l] = v.joined(in, j, find)
				if v.at[l] < 0 {
					v.at[l] = fresh(l)
				}
			default:
				v.at[l] = fresh(l)
			}
		}
		if in.Opcode == hlo.OpWhile {
			v.simplify(t, find, merged)
		}
	}
	v.link(find, len(merged))
	return v
}

// passed returns the first leaf of what the caller of a call or conditional passes for parameter t.
func (v *values) passed(t int32) int32 {
	g := v.g
	c := g.nodes[t].comp
	caller := g.nodes[g.comps[c].caller].in
	k := int(g.nodes[t].in.Parameter)
	if caller.Opcode == hlo.OpConditional {
		for b, callee := range caller.Called() {
			if g.compOf[callee] == c {
				k = b + 1
			}
		}
	}
	return g.leaf0[g.timeOf(caller.Operands[k])]
}

// joined returns the one value that all branches of a conditional return at leaf j, -1 where they differ.
func (v *values) joined(in *hlo.Instruction, j int32, find func(int32) int32) int32 {
	one := int32(none)
	for b, callee := range in.Called() {
		r := find(v.at[v.g.leaf0[v.g.comps[v.g.compOf[callee]].root]+j])
		if b > 0 && r != one {
			return none
		}
		one = r
	}
	return one
}

// simplify merges what loop t carries without change with what it starts from, also where a conditional in the loop
// returns either. It repeats until nothing merges, since an unchanged carry may stand for another one.
func (v *values) simplify(t int32, find func(int32) int32, merged []int32) {
	g := v.g
	cond, body := g.nodes[t].in.Sequential()[0], g.nodes[t].in.Sequential()[1]
	b, c := &g.comps[g.compOf[body]], &g.comps[g.compOf[cond]]
	param, condParam, root := g.leaf0[b.params[0]], g.leaf0[c.params[0]], g.leaf0[b.root]
	init, out := g.leaf0[g.timeOf(g.nodes[t].in.Operands[0])], g.leaf0[t]
	n := g.leaf0[t+1] - out
	done := make([]bool, n)
	for again := true; again; {
		again = false
		for j := int32(0); j < n; j++ {
			if done[j] {
				continue
			}
			i, p, r := find(v.at[init+j]), find(v.at[param+j]), find(v.at[root+j])
			if r != p && r != i && !v.either(r, p, i, find) {
				continue
			}
			done[j], again = true, true
			for _, x := range []int32{p, r, find(v.at[condParam+j]), find(v.at[out+j])} {
				merged[x] = i
			}
		}
	}
}

// either reports whether a value is what a conditional makes of two values alone. (Where a loop carries it so it is not
// a separate value in the compiler's log of one program, on v5e and v7x, and the spaces of v6e are right with it, too.)
func (v *values) either(x, a, b int32, find func(int32) int32) bool {
	l := v.def[x]
	t := v.leafTime[l]
	in := v.g.nodes[t].in
	return in.Opcode == hlo.OpConditional && !slices.ContainsFunc(in.Called(), func(callee *hlo.Computation) bool {
		r := find(v.at[v.g.leaf0[v.g.comps[v.g.compOf[callee]].root]+l-v.g.leaf0[t]])
		return r != a && r != b
	})
}

// link numbers the values densely and lists positions and uses.
func (v *values) link(find func(int32) int32, count int) {
	g := v.g
	number := make([]int32, count)
	var def []int32
	// In the order of definitions, so that numbers ascend in time.
	for x, d := range v.def {
		if find(int32(x)) == int32(x) {
			number[x] = int32(len(def))
			def = append(def, d)
		}
	}
	v.def = def
	v.positions = make([][]int32, len(def))
	for l := range v.at {
		x := number[find(v.at[l])]
		v.at[l] = x
		v.positions[x] = append(v.positions[x], int32(l))
	}
	v.uses = make([][]int32, len(def))
	for u := range g.useTime {
		x := v.at[g.useLeaf[u]]
		v.uses[x] = append(v.uses[x], int32(u))
	}
}

// leafShape returns the shape and padded bytes of a leaf.
func (v *values) leafShape(l int32) (*hlo.Shape, int64) {
	t := v.leafTime[l]
	s := v.g.info(v.g.nodes[t].in.Shape)
	return s.Leaves[l-v.g.leaf0[t]], s.bytes[l-v.g.leaf0[t]]
}
