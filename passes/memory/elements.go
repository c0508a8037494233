package memory

import (
	"strconv"
	"strings"

	"hlolayout/hlo"
)

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

// elementNames are the get-tuple-elements of an instruction that may move up, one for each element. If they are shared
// all uses read them.
type elementNames struct {
	elements map[int]*hlo.Instruction
	shared   bool
}

// elementIndex returns which element of its operand a get-tuple-element is.
func elementIndex(in *hlo.Instruction) int {
	k, _ := in.Attr("index").Int()
	return int(k)
}

// got returns the get-tuple-element k of an instruction that may move up, nil where there is none.
func (w *writer) got(in *hlo.Instruction, k int) *hlo.Instruction {
	if in.Computation == nil { // a new one
		return nil
	}
	return w.names(in).elements[k]
}

// names finds the get-tuple-elements of an instruction: of several for one element the first in the text. Where two
// elements or more have several each, all uses share the oldest of each, by the numbers in their names, and of the
// element that the newest of all names, the newest. (The compiler takes the first in its list of users, which the text
// does not show. So it does in 58 of 58 such places; where one element has several it is the newest 6 times and the
// oldest 5.)
func (w *writer) names(in *hlo.Instruction) *elementNames {
	if n := w.named[in]; n != nil {
		return n
	}
	var newest *hlo.Instruction
	first, oldest, several := map[int]*hlo.Instruction{}, map[int]*hlo.Instruction{}, map[int]bool{}
	for _, u := range w.a.e.usesOf(in) {
		x := u.User
		if x.Opcode != hlo.OpGetTupleElement || x.IsRoot() || x.Attr("control-predecessors") != nil {
			continue
		}
		k := elementIndex(x)
		if newest == nil || number(x.Name) > number(newest.Name) {
			newest = x
		}
		if first[k] == nil {
			first[k], oldest[k] = x, x
			continue
		}
		several[k] = true
		if number(x.Name) < number(oldest[k].Name) {
			oldest[k] = x
		}
	}
	n := &elementNames{elements: first}
	if len(several) > 1 {
		k := elementIndex(newest)
		oldest[k] = newest
		n.elements, n.shared = oldest, true
	}
	w.named[in] = n
	return n
}

// number returns the number that a name ends with, 0 where there is none.
func number(name string) int {
	n, _ := strconv.Atoi(name[strings.LastIndexByte(name, '.')+1:])
	return n
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
