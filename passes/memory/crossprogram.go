package memory

import (
	"cmp"
	"slices"

	"hlolayout/hlo"
)

// crossProgram keeps one parameter in the fast space from the end of the previous run of the program on: the largest
// one that is only used as weights are.
func (e *engine) crossProgram() {
	v, g := e.v, e.g
	type candidate struct {
		buffer int32
		used   int64 // elements of the results of its users
		last   int32
	}
	var list []candidate
	for b := range e.bufs {
		buf := &e.bufs[b]
		x := buf.first
		def := v.def[x]
		t := v.leafTime[def]
		if g.nodes[t].in.Opcode != hlo.OpParameter || g.comps[g.nodes[t].comp].caller >= 0 || buf.result ||
			buf.size > e.dev.limit || len(v.uses[x]) == 0 ||
			len(buf.values) > 1 { // it is written over, which no weight is
			continue
		}
		s, _ := v.leafShape(def)
		if n, ok := s.Elements(); !s.IsArray() || ok && n == 0 || s.Layout != nil && s.Layout.MemorySpace != 0 {
			continue
		}
		c := candidate{buffer: int32(b)}
		ok := !e.livesOut(x, 0)
		for _, u := range v.uses[x] {
			in := g.nodes[v.g.useTime[u]].in
			o := in.Operands[v.g.useOperand[u]]
			c.used += g.info(in.Shape).elements()
			c.last = max(c.last, v.g.useTime[u])
			switch {
			case returnsParameter(in):
				ok = false
			case o.Opcode == hlo.OpBitcast && (o.Operands[0].Opcode == hlo.OpParameter ||
				o.Operands[0].Opcode == hlo.OpGetTupleElement && o.Operands[0].Operands[0].Opcode == hlo.OpParameter):
			case (o.Opcode == hlo.OpGetTupleElement || o.Opcode == hlo.OpParameter) && !e.activation(o, 0):
			default:
				ok = false
			}
		}
		if ok {
			list = append(list, c)
		}
	}
	slices.SortStableFunc(list, func(a, b candidate) int {
		return cmp.Or(cmp.Compare(e.bufs[b.buffer].size, e.bufs[a.buffer].size), cmp.Compare(b.used, a.used),
			cmp.Compare(a.last, b.last), e.byNumber(a.buffer, b.buffer))
	})
	for _, c := range list {
		if e.keepAcross(c.buffer, c.last) {
			return
		}
	}
}

// number returns the parameter number of a buffer that begins as a parameter of the program, -1 for others.
func (e *engine) number(b int32) int32 {
	nd := &e.g.nodes[e.v.leafTime[e.v.def[e.bufs[b].first]]]
	if nd.in.Opcode != hlo.OpParameter || e.g.comps[nd.comp].caller >= 0 {
		return -1
	}
	return nd.in.Parameter
}

// byNumber compares two parameters of the program by their numbers (the compiler breaks ties in the order in which it
// made the values); others are equal.
func (e *engine) byNumber(a, b int32) int {
	x, y := e.number(a), e.number(b)
	if x < 0 || y < 0 {
		return 0
	}
	return cmp.Compare(x, y)
}

func (s *shapeInfo) elements() (n int64) {
	for _, e := range s.elems {
		n += e
	}
	return n
}

// livesOut reports whether a value, or one that is written over it, is part of the program's result.
func (e *engine) livesOut(x int32, depth int) bool {
	g := e.g
	entry := &g.comps[g.compOf[g.m.Entry]]
	for _, l := range e.v.positions[x] {
		if e.v.leafTime[l] == entry.root {
			return true
		}
	}
	return false
}

// keepAcross gives a parameter a place for the whole program; false where there is none.
func (e *engine) keepAcross(b, last int32) bool {
	v, g := e.v, e.g
	buf := &e.bufs[b]
	n := int32(len(g.nodes))
	size := aligned(buf.size)
	off, ok := e.h.find(0, n, size, -1)
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
		e.hold(chunk{back + 1, n, off, size})
		e.copies = append(e.copies, Copy{CrossProgram: true, buffer: b, leaf: v.def[buf.first], after: back, before: n,
			use: -1})
	}
	e.hold(chunk{0, end, off, size})
	first := n
	at := int32(-1)
	for _, u := range v.uses[buf.first] {
		if t := v.g.useTime[u]; t < first && !trivial(g.nodes[t].in.Opcode) {
			first, at = t, u
		}
		e.fastUse[u] = true
	}
	e.addCopy(-1, min(first, n-1), 0, false)
	e.copies = append(e.copies, Copy{CrossProgram: true, buffer: b, leaf: v.def[buf.first], after: -1, before: first,
		use: at})
	buf.crossProgram = true
	e.commit(b)
	return true
}

// activation reports whether some use of a value makes it look like data rather than a weight (XLA's
// LooksLikeAnActivation).
func (e *engine) activation(in *hlo.Instruction, depth int) bool {
	if depth > 100 {
		return true
	}
	for _, use := range e.usesOf(in) {
		u, k := use.User, int(use.Operand)
		switch u.Opcode {
		case hlo.OpConvolution, hlo.OpDot:
			if k == 0 {
				return true
			}
		case hlo.OpGather:
			if k == 1 {
				return true
			}
		case hlo.OpFusion:
			body := u.CalledBy("calls")
			if body == nil {
				return true
			}
			if ps := body.Parameters(); k < len(ps) && ps[k] != nil && e.activation(ps[k], depth+1) {
				return true
			}
		case hlo.OpBitcast, hlo.OpBroadcast, hlo.OpTranspose:
			if e.activation(u, depth+1) {
				return true
			}
		case hlo.OpCopy:
			callers := u.Computation.Callers()
			if !u.Computation.IsFused() || !u.IsRoot() || len(callers) == 0 {
				return true
			}
			if e.activation(callers[0].Instruction, depth+1) {
				return true
			}
		case hlo.OpDynamicSlice, hlo.OpDynamicUpdateSlice:
			if k > 0 || e.activation(u, depth+1) {
				return true
			}
		case hlo.OpReduce:
			if k >= len(u.Operands)/2 || e.activation(u, depth+1) {
				return true
			}
		default:
			return true
		}
	}
	return false
}

// usesOf returns the uses of an instruction, in whatever computation it is.
func (e *engine) usesOf(in *hlo.Instruction) []hlo.Use {
	if e.uses == nil {
		e.uses = map[*hlo.Computation]hlo.Uses{}
	}
	u, ok := e.uses[in.Computation]
	if !ok {
		u = in.Computation.Uses()
		e.uses[in.Computation] = u
	}
	return u.Of(in)
}
