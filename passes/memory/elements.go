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
	if !in.Shape.IsArray() {
		out.in, out.made = w.elementOf(leaf, comp)
	}
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

// elementOf returns what names a leaf of a tuple-shaped instruction: elements that are there, and new ones of them.
func (w *writer) elementOf(leaf, comp int32) (in *hlo.Instruction, made *insert) {
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
		if x := w.got(in, k); x != nil {
			in = x
			continue
		}
		in = w.get(in, k, shape)
		made = w.insert(in, comp, g.nodes[t].in.Index+1, int32(depth-len(index)))
		made.lazy = true
	}
	if made != nil {
		w.elements[leaf] = made
	}
	return in, made
}

// got returns the first get-tuple-element k of an instruction that may move up, nil where there is none.
func (w *writer) got(in *hlo.Instruction, k int) *hlo.Instruction {
	if in.Computation == nil { // a new one
		return nil
	}
	for _, u := range w.a.e.usesOf(in) {
		x := u.User
		if n, _ := x.Attr("index").Int(); x.Opcode == hlo.OpGetTupleElement && n == int64(k) && !x.IsRoot() &&
			x.Attr("control-predecessors") == nil {
			return x
		}
	}
	return nil
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
