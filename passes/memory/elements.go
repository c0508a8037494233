package memory

import "hlolayout/hlo"

// element returns where a leaf can be read in computation comp as an array: in the defining instruction, in the first
// element that is there, which moves up before its first user, or in a new element; nil where it cannot.
func (w *writer) element(s *source, comp int32) *source {
	g, v := w.a.g, w.a.v
	leaf := s.leaf
	if g.nodes[v.leafTime[leaf]].async {
		if leaf = w.settled(leaf, comp); leaf < 0 {
			return nil
		}
	}
	in := g.nodes[v.leafTime[leaf]].in
	out := &source{leaf: s.leaf, space: s.space, in: in, ready: in.Index + 1}
	if in.Shape.IsArray() {
		return out
	}
	for _, l := range v.positions[v.at[leaf]] {
		x := g.nodes[v.leafTime[l]].in
		if x.Opcode == hlo.OpGetTupleElement && x.Shape.IsArray() && !x.IsRoot() && g.forward(v.leafTime[l], 0) == leaf &&
			x.Attr("control-predecessors") == nil {
			out.in = x
			return out
		}
	}
	out.in, out.made = w.newElement(leaf, comp)
	return out
}

// settled returns the leaf that has the result of an asynchronous operation when it is done, -1 where nothing waits for
// it.
func (w *writer) settled(leaf, comp int32) int32 {
	g, v := w.a.g, w.a.v
	for _, l := range v.positions[v.at[leaf]] {
		if nd := &g.nodes[v.leafTime[l]]; nd.done && nd.comp == comp && w.origin(l) == leaf {
			return l
		}
	}
	return none
}

// newElement names a leaf of a tuple-shaped instruction.
func (w *writer) newElement(leaf, comp int32) (in *hlo.Instruction, made *insert) {
	if known := w.elements[leaf]; known != nil {
		return known.in, known
	}
	g := w.a.g
	t := w.a.v.leafTime[leaf]
	in = g.nodes[t].in
	index := w.a.v.indexOf(leaf)
	shape := w.final(in)
	for depth, k := range index {
		shape = shape.Elems[k]
		in = w.get(in, k, shape)
		made = w.insert(in, comp, g.nodes[t].in.Index+1, int32(depth-len(index)))
		made.lazy = true
	}
	w.elements[leaf] = made
	return in, made
}

// origin follows renamings to the leaf that they name.
func (w *writer) origin(leaf int32) int32 {
	g, v := w.a.g, w.a.v
	for {
		t := v.leafTime[leaf]
		from := g.forward(t, leaf-g.leaf0[t])
		if from < 0 {
			return leaf
		}
		leaf = from
	}
}
