package memory

import (
	"slices"

	"hlolayout/hlo"
)

// asynchronous reports whether a copy instruction whose result is in the fast memory becomes a prefetch of its operand
// (XLA: enable_sync_copy_replacement): it changes nothing but the memory, the operand is in HBM, one instruction reads
// the result, and another one runs between, for the prefetch to overlap, which has the time that it is timed with. (Of
// 125 such copies of parameters on five generations the compiler makes prefetches of all 52 of which this holds, and of
// two that overlap nothing, which it starts earlier; v5e.carried.)
func (w *writer) asynchronous(h *held) bool {
	g, v := w.a.g, w.a.v
	in := g.nodes[h.time].in
	if in.Opcode != hlo.OpCopy || in.IsRoot() || !in.Shape.IsArray() || w.a.spaces[h.leaf] != w.a.e.dev.space ||
		len(w.a.e.usesOf(in)) != 1 || in.Attr("control-predecessors") != nil || w.awaits(in) {
		return false
	}
	operand := in.Operands[0]
	if !operand.Shape.IsArray() || !w.in(operand.Shape, 0).Equal(w.in(in.Shape, 0)) {
		return false
	}
	u := g.use0[h.time]
	leaf := v.g.useLeaf[u]
	if w.a.spaces[leaf] != 0 || w.a.spaces[w.origin(leaf)] != 0 || w.a.e.fastUse[u] {
		return false
	}
	return w.a.e.overlaps(in, w.a.e.usesOf(in)[0].User) && w.inTime(h) && w.a.e.keptUntilLater(leaf, h.time)
}

// inTime reports whether a prefetch that starts where a copy is can be done before the first use of its result. (The
// log of a program with a large array, whose time all take, says that it cannot; 11 more on five generations come out.)
func (w *writer) inTime(h *held) bool {
	e, g := w.a.e, w.a.g
	for _, u := range h.uses {
		if nd := &g.nodes[u.node]; nd.root || !trivial(nd.in.Opcode) {
			return !e.k.starts(h.time-1, g.latest(u.node), e.bufs[e.bufOf[h.value]].size, 0).done()
		}
	}
	return true
}

// awaits reports whether an instruction names another one among its control-predecessors.
func (w *writer) awaits(in *hlo.Instruction) bool {
	if w.awaited == nil {
		w.awaited = map[string]bool{}
		for _, c := range w.a.m.Computations {
			for _, x := range c.Instructions {
				for name := range x.Attr("control-predecessors").Names() {
					w.awaited[name] = true
				}
			}
		}
	}
	return w.awaited[in.Name]
}

// instead writes the prefetch that takes the place of a copy: from where the copy is to its reader.
func (w *writer) instead(h *held) *source {
	in := w.a.g.nodes[h.time].in
	operand := in.Operands[0]
	first := h.time + 1
	for _, x := range slices.Backward(h.list) {
		if len(x.uses) > 0 {
			first = w.firstUse(x.uses)
		}
	}
	s := w.copy(&source{leaf: h.leaf, in: operand, ready: operand.Index + 1}, h.comp, h.time, first, w.a.e.dev.space,
		first, nil)
	w.dropped = append(w.dropped, in)
	return s
}
