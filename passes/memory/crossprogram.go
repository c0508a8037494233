package memory

import (
	"cmp"
	"slices"

	"hlolayout/hlo"
)

// crossProgram keeps one parameter in the fast space from the end of the previous run of the program on: the largest
// one that is only used as weights are.
func (e *engine) crossProgram() {
	var list []candidate
	for b := range e.bufs {
		if e.crossable(&e.bufs[b]) {
			list = append(list, e.candidate(int32(b)))
		}
	}
	slices.SortStableFunc(list, func(a, b candidate) int {
		return cmp.Or(cmp.Compare(e.bufs[b.buffer].size, e.bufs[a.buffer].size), cmp.Compare(b.used, a.used),
			cmp.Compare(a.last, b.last), cmp.Compare(e.made[e.bufs[a.buffer].first], e.made[e.bufs[b.buffer].first]))
	})
	for _, c := range list {
		if e.keepAcross(c.buffer, c.last) {
			return
		}
	}
}

// candidate is a parameter that may stay in the fast space across runs.
type candidate struct {
	buffer int32
	used   int64 // elements of the results of its users
	last   int32 // its last use
}

func (e *engine) candidate(b int32) candidate {
	c := candidate{buffer: b}
	for _, u := range e.v.uses[e.bufs[b].first] {
		t := e.g.useTime[u]
		c.used += e.g.info(e.g.nodes[t].in.Shape).elements()
		c.last = max(c.last, t)
	}
	return c
}

// crossable reports whether a buffer is an array parameter of the program that fits, is not written over or returned,
// and that all its users read as a weight (XLA's IsCrossProgramPrefetchCandidate).
func (e *engine) crossable(buf *buffer) bool {
	v, g := e.v, e.g
	def := v.def[buf.first]
	nd := &g.nodes[v.leafTime[def]]
	if nd.in.Opcode != hlo.OpParameter || g.comps[nd.comp].caller >= 0 || buf.result || buf.size > e.dev.limit ||
		len(v.uses[buf.first]) == 0 || len(buf.values) > 1 {
		return false
	}
	s, _ := v.leafShape(def)
	if n, ok := s.Elements(); !s.IsArray() || ok && n == 0 || spaceOf(s) != 0 {
		return false
	}
	return !e.livesOut(buf.first) && !slices.ContainsFunc(v.uses[buf.first], func(u int32) bool {
		nd := &g.nodes[g.useTime[u]]
		return nd.returns || !e.weight(nd.in.Operands[g.useOperand[u]])
	})
}

// weight reports whether an operand that names a parameter is used as weights are. A bitcast of a parameter is taken to
// be.
func (e *engine) weight(o *hlo.Instruction) bool {
	switch o.Opcode {
	case hlo.OpBitcast:
		from := o.Operands[0]
		return from.Opcode == hlo.OpParameter ||
			from.Opcode == hlo.OpGetTupleElement && from.Operands[0].Opcode == hlo.OpParameter
	case hlo.OpGetTupleElement, hlo.OpParameter:
		return !e.activation(o, 0)
	}
	return false
}

// livesOut reports whether a value is part of the program's result.
func (e *engine) livesOut(x int32) bool {
	root := e.g.comps[e.g.compOf[e.g.m.Entry]].root
	return slices.ContainsFunc(e.v.positions[x], func(l int32) bool { return e.v.leafTime[l] == root })
}

// keepAcross gives a parameter a place for the whole program; false where there is none.
func (e *engine) keepAcross(b, last int32) bool {
	v, g := e.v, e.g
	buf := &e.bufs[b]
	n := int32(len(g.nodes))
	off, ok := e.h.find(0, n, buf.size, none)
	if !ok {
		return false
	}
	end := n
	back := n - 1
	for need := e.k.copyTime(buf.size); back > last && e.k.between(back, n-1) < need; {
		back--
	}
	total := e.k.sum[n-1]
	// Where space is scarce, the parameter makes room between its last use and the end, if that is long enough.
	if busy := e.k.sum[last] + total - e.k.sum[back]; e.pressure > e.dev.limit && back > last && busy/total < 0.6 {
		end = last
		e.hold(b, chunk{back + 1, n, off, buf.size})
		e.copies = append(e.copies, Copy{CrossProgram: true, buffer: b, leaf: v.def[buf.first], after: back, before: n,
			use: none})
	}
	e.hold(b, chunk{0, end, off, buf.size})
	first := n
	at := int32(none)
	for _, u := range v.uses[buf.first] {
		if t := v.g.useTime[u]; t < first && !trivial(g.nodes[t].in.Opcode) {
			first, at = t, u
		}
		e.fastUse[u] = true
	}
	e.addCopy(none, min(first, n-1), 0, false)
	e.copies = append(e.copies, Copy{CrossProgram: true, buffer: b, leaf: v.def[buf.first], after: none, before: first,
		use: at})
	buf.crossProgram = true
	e.commit()
	return true
}
