package memory

import (
	"slices"

	"hlolayout/hlo"
)

// settle makes the spaces of a module agree with each other: what only names a value has the space that the value is
// read from, and what a loop, branch or call takes, holds and returns has one space. read has the spaces that uses read
// from where that is not their value's own. It returns the buffers that do not agree, ascending; they have to stay in
// HBM.
func (a *Analysis) settle(read map[int32]int64) []int32 {
	a.name(read)
	bad := map[int32]bool{}
	agree := func(leaves []int32, spaces ...int64) {
		if slices.Min(spaces) == slices.Max(spaces) {
			return
		}
		for _, l := range leaves {
			if s, _ := a.v.leafShape(l); spaceOf(s) == 0 {
				bad[a.e.bufOf[a.v.at[l]]] = true
			}
		}
	}
	g := a.g
	for _, t := range g.carried {
		for _, c := range a.carries(t) {
			leaves, spaces := c.leaves, []int64(nil)
			for _, l := range leaves {
				spaces = append(spaces, a.spaces[l])
			}
			if c.use >= 0 {
				leaves, spaces = append(leaves, a.v.g.useLeaf[c.use]), append(spaces, a.readsFrom(read, c.use))
			}
			agree(leaves, spaces...)
		}
	}
	entry := &g.comps[g.compOf[g.m.Entry]]
	for l := g.leaf0[entry.root]; l < g.leaf0[entry.root+1]; l++ {
		s, _ := a.v.leafShape(l)
		agree([]int32{l}, spaceOf(s), a.spaces[l])
	}
	var out []int32
	for b := range bad {
		if a.e.inFast(b) {
			out = append(out, b)
		}
	}
	slices.Sort(out)
	return out
}

// name gives each leaf that only names a value the space that it is read from.
func (a *Analysis) name(read map[int32]int64) {
	g := a.g
	for t := int32(0); t < int32(len(g.nodes)); t++ {
		for l := g.leaf0[t]; l < g.leaf0[t+1]; l++ {
			s, _ := a.v.leafShape(l)
			u := g.forwardUse(t, l-g.leaf0[t])
			if u < 0 || spaceOf(s) != 0 {
				continue
			}
			a.spaces[l] = a.readsFrom(read, u)
		}
	}
}

// readsFrom returns the space that a use reads from.
func (a *Analysis) readsFrom(read map[int32]int64, u int32) int64 {
	if s, ok := read[u]; ok {
		return s
	}
	return a.spaces[a.v.g.useLeaf[u]]
}

// carry is what has one space on the way into a called computation and out of it: leaves, and the use that hands the
// value in, or -1.
type carry struct {
	leaves []int32
	use    int32
}

// carries lists what a loop, conditional or call takes, holds and returns.
func (a *Analysis) carries(t int32) (out []carry) {
	g := a.g
	in := g.nodes[t].in
	n := g.leaf0[t+1] - g.leaf0[t]
	for k, callee := range in.Sequential() {
		c := &g.comps[g.compOf[callee]]
		if in.Opcode != hlo.OpWhile || k == 1 { // what the condition of a loop returns is not carried
			for j := range n {
				out = append(out, carry{[]int32{g.leaf0[t] + j, g.leaf0[c.root] + j}, none})
			}
		}
		for p, param := range c.params {
			if in.Opcode == hlo.OpConditional {
				p = k + 1
			}
			if param < 0 || p >= len(in.Operands) {
				continue
			}
			for j := range g.leaf0[param+1] - g.leaf0[param] {
				out = append(out, carry{[]int32{g.leaf0[param] + j}, g.operandUse(t, p, j)})
			}
		}
	}
	if in.Opcode == hlo.OpWhile { // where the body does not run, the result is what the loop starts with
		for j := range n {
			out = append(out, carry{[]int32{g.leaf0[t] + j}, g.operandUse(t, 0, j)})
		}
	}
	return out
}

// inFast reports whether some part of a buffer is in the fast space and may be elsewhere.
func (e *engine) inFast(b int32) bool {
	for _, x := range e.bufs[b].values {
		for _, l := range e.v.positions[x] {
			if e.fastLeaf[l] {
				return true
			}
		}
		for _, u := range e.v.uses[x] {
			if e.fastUse[u] {
				return true
			}
		}
	}
	return false
}

// keepOut takes buffers out of the fast space for good.
func (e *engine) keepOut(buffers []int32) {
	out := make(map[int32]bool, len(buffers))
	for _, b := range buffers {
		out[b] = true
		buf := &e.bufs[b]
		buf.why, buf.crossProgram = ReasonDefault, false
		for _, x := range buf.values {
			for _, l := range e.v.positions[x] {
				e.fastLeaf[l] = false
			}
			for _, u := range e.v.uses[x] {
				e.fastUse[u] = false
			}
		}
	}
	e.copies = slices.DeleteFunc(e.copies, func(c Copy) bool { return out[c.buffer] })
	e.placed = slices.DeleteFunc(e.placed, func(h *held) bool { return out[e.bufOf[h.value]] })
	e.chunks = slices.DeleteFunc(e.chunks, func(c placed) bool {
		if out[c.buffer] {
			e.h.take(c.chunk, -c.size)
		}
		return out[c.buffer]
	})
}
