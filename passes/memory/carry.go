package memory

import (
	"hlolayout/hlo"
	"hlolayout/passes/plan"
)

// both notes that a loop carries a value in the fast memory, unchanged, that is in HBM too: h is the parameter of its
// body, where HBM counts only if something reads it, or its result, for which the computation around it has to have it.
func (w *writer) both(h *held) {
	in := valueIn{h.value, h.comp}
	switch outside := w.carriedIn[in]; {
	case w.a.g.nodes[h.time].in.Opcode == hlo.OpParameter:
		w.carriedIn[in] = h
	case outside != nil && w.slow[in] == nil:
		w.carried(outside)
	}
}

// inHBM returns where a computation reads a value in HBM: as it is written already, or, in the body of a loop, as an
// element that the loop carries in addition (carried).
func (w *writer) inHBM(in valueIn) *source {
	s := w.slow[in]
	if s == nil {
		if h := w.carriedIn[in]; h != nil {
			s = w.carried(h)
		}
	}
	if s == nil || s.in != nil {
		return s
	}
	return w.element(s, in.comp)
}

// carried returns where the body of a loop reads a value in HBM that the loop carries unchanged in the fast memory: the
// loop carries the array in HBM too, as one element more (XLA: ParentAllocation; v5e.carried), so that nothing is
// copied back. nil where the value has no place in HBM before the loop, or the text does not allow another element;
// then it is copied.
func (w *writer) carried(h *held) *source {
	g, body := w.a.g, &w.a.g.comps[h.comp]
	if body.caller < 0 || body.params[0] != h.time {
		return nil
	}
	outer, while := g.nodes[body.caller].comp, g.nodes[body.caller].in
	if while.CalledBy("body") != body.c || !plan.CanCarry(while, w.a.e.usesOf) {
		return nil
	}
	slow := w.inHBM(valueIn{h.value, outer})
	if slow == nil || slow.ready > while.Operands[0].Index || slow.made != nil && slow.made.gap > while.Operands[0].Index {
		return nil
	}
	k := len(while.Shape.Elems)
	for _, c := range w.carries {
		if c.While == while {
			k++
		}
	}
	in := w.get(g.nodes[h.time].in, k, slow.in.Shape)
	made := w.insert(in, h.comp, g.nodes[h.time].in.Index+1, 0)
	made.lazy = true
	w.carries = append(w.carries, plan.Carry{While: while, Operand: slow.in, Element: in})
	s := &source{leaf: h.leaf, in: in, made: made}
	w.slow[valueIn{h.value, h.comp}] = s
	return s
}
