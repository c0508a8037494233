package memory

import (
	"cmp"
	"slices"
	"strconv"

	"hlolayout/hlo"
	"hlolayout/passes/internal/flat"
	"hlolayout/passes/plan"
)

// rewrite makes the users of copied values read the copies: directly, or through the renamings and tuples that they
// were read through before.
func (w *writer) rewrite() (chains []plan.Edit) {
	g := w.a.g
	slices.SortFunc(w.order, func(x, y operandOf) int {
		return cmp.Or(cmp.Compare(x.node, y.node), cmp.Compare(x.operand, y.operand))
	})
	for _, k := range w.order {
		in, parts := g.nodes[k.node].in, w.changes[k]
		o := in.Operands[k.operand]
		target := plan.Target{User: in, Operand: int(k.operand)}
		if in == in.Computation.Root && in.Opcode == hlo.OpGetTupleElement && in.Shape.IsArray() {
			// The root only names the value: what is read instead becomes the root.
			for _, s := range parts {
				o, parts, target.User = in, map[int32]*source{g.leaf0[k.node]: s}, nil
			}
		}
		var added []*hlo.Instruction
		var last *hlo.Instruction
		if o.Shape.IsArray() {
			s := parts[g.leaf0[g.timeOf(o)]]
			switch last = w.renamed(o, s, &added); {
			case last == s.in && s.made != nil:
				s.made.targets = append(s.made.targets, target)
				continue
			case last == s.in:
				chains = append(chains, plan.Edit{Computation: in.Computation, Existing: last, Targets: []plan.Target{target}})
				continue
			}
		} else {
			last = w.tuple(o, w.final(o), g.leaf0[g.timeOf(o)], parts, &added)
		}
		if last != nil && len(added) > 0 {
			chains = append(chains, plan.Edit{Computation: in.Computation, New: added, Targets: []plan.Target{target}})
		}
	}
	return chains
}

// renamed returns what is read of s in place of the array o: s itself, or one new bitcast where o has another shape (as
// XLA writes it, whatever renamings the text has).
func (w *writer) renamed(o *hlo.Instruction, s *source, added *[]*hlo.Instruction) *hlo.Instruction {
	shape := w.in(o.Shape, s.space)
	if shape.Equal(w.in(s.in.Shape, s.space)) {
		return s.in
	}
	cast := &hlo.Instruction{Name: w.name("bitcast"), Opcode: hlo.OpBitcast, Operands: []*hlo.Instruction{s.in},
		Shape: shape, Pos: none}
	*added = append(*added, cast)
	return cast
}

// tuple returns the tuple o with those of its leaves that are in parts read from there, o itself where it reads them
// there already; its shape, with memories, and its first leaf are given.
func (w *writer) tuple(o *hlo.Instruction, shape *hlo.Shape, leaf int32, parts map[int32]*source,
	added *[]*hlo.Instruction) *hlo.Instruction {
	touched := false
	for l := range parts {
		touched = touched || leaf <= l && l < leaf+int32(flat.CountLeaves(shape))
	}
	if !touched {
		return o
	}
	made := &hlo.Instruction{Opcode: hlo.OpTuple, Pos: none}
	var shapes []*hlo.Shape
	for k, e := range shape.Elems {
		var x *hlo.Instruction
		if s := parts[leaf]; s != nil && e.IsArray() {
			x, e = s.in, w.in(e, s.space)
			if o.Opcode == hlo.OpTuple {
				x = w.renamed(o.Operands[k], s, added)
			}
		} else {
			if x = w.part(o, k, e, added); e.IsTuple() {
				x = w.tuple(x, e, leaf, parts, added)
			}
			if x != nil && e.IsTuple() && x.Computation == nil {
				e = x.Shape
			}
		}
		if x == nil {
			return nil
		}
		made.Operands, shapes = append(made.Operands, x), append(shapes, e)
		leaf += int32(flat.CountLeaves(e))
	}
	if o.Opcode == hlo.OpTuple && slices.Equal(made.Operands, o.Operands) {
		return o
	}
	made.Name, made.Shape = w.name("tuple"), w.a.m.Intern(hlo.NewTuple(shapes...))
	*added = append(*added, made)
	return made
}

// part returns element k of a tuple, of the given shape.
func (w *writer) part(o *hlo.Instruction, k int, shape *hlo.Shape, added *[]*hlo.Instruction) *hlo.Instruction {
	if o.Opcode == hlo.OpTuple {
		return o.Operands[k]
	}
	*added = append(*added, w.get(o, k, shape))
	return (*added)[len(*added)-1]
}

// get returns a new get-tuple-element.
func (w *writer) get(o *hlo.Instruction, k int, shape *hlo.Shape) *hlo.Instruction {
	return &hlo.Instruction{Name: w.name("get-tuple-element"), Opcode: hlo.OpGetTupleElement,
		Operands: []*hlo.Instruction{o}, Shape: shape, Pos: none,
		Attrs: []hlo.Attr{{Key: hlo.InstructionAttr("index"), Value: &hlo.Value{Kind: hlo.IntValue, Text: strconv.Itoa(k)}}}}
}

// final returns the shape of a node with the memories that its leaves get.
func (w *writer) final(in *hlo.Instruction) *hlo.Shape {
	t := w.a.g.timeOf(in)
	if s := w.finals[t]; s != nil {
		return s
	}
	l := w.a.g.leaf0[t] - 1
	s := w.a.m.Intern(in.Shape.WithLeaves(func(_ hlo.Index, s *hlo.Shape) *hlo.Shape {
		if l++; !s.IsArray() {
			return s
		}
		return w.in(s, w.a.spaces[l])
	}))
	w.finals[t] = s
	return s
}
