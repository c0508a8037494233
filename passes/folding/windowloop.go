package folding

import "hlolayout/hlo"

// loop makes a loop over the windows whose state is the table, the indices and a third array. step returns what
// becomes of one of the three, which is what loop returns.
func (s *placed) loop(w *simplifier, in, third *hlo.Instruction, becomes int,
	step func(b *body, i *hlo.Instruction, state []*hlo.Instruction) *hlo.Instruction) *hlo.Instruction {
	state := []*hlo.Instruction{number(w, s.indices, 0), s.table, s.flat(w), third}
	var shapes []*hlo.Shape
	for _, o := range state {
		shapes = append(shapes, w.shape(o.Shape.DType, o.Shape.Dims))
	}
	all := w.Module.Intern(hlo.NewTuple(shapes...))
	begin := func(kind string) (b *body, elements []*hlo.Instruction) {
		b = newBody(w, in, kind)
		p := b.make(hlo.OpParameter, in, nil)
		p.Shape, p.Attrs = all, nil
		for i, o := range state {
			elements = append(elements, elementOf(b, p, o, i))
		}
		return b, elements
	}
	body, x := begin("body")
	next := body.make(hlo.OpAdd, s.indices, nil, x[0], number(body, s.indices, 1))
	x[1+becomes] = step(body, x[0], x[1:])
	x[0] = next
	root := body.make(hlo.OpTuple, in, nil, x...)
	root.Shape = all
	body.finish(root)
	condition, x := begin("condition")
	condition.finish(compared(condition, x[0], number(condition, s.indices, s.count), "LT"))

	t := w.make(hlo.OpTuple, in, nil, state...)
	loop := w.make(hlo.OpWhile, in, nil, t)
	t.Shape, loop.Shape = all, all
	loop.SetCalled([]*hlo.Computation{condition.c, body.c})
	attribute(loop, "body", body.name())
	attribute(loop, "condition", condition.name())
	return elementOf(w, loop, state[1+becomes], 1+becomes)
}

// flat returns the indices with a row for each window; components of batching dimensions come first.
func (s *placed) flat(w *simplifier) *hlo.Instruction {
	return reshaped(w, s.all(w), []int64{s.count, int64(len(s.dims))})
}

// only is flat for one window, whose components may be a vector.
func (s *placed) only(w *simplifier) *hlo.Instruction {
	if s.indices.Shape.Rank() == 1 && s.vector == 0 && len(s.batching[1]) == 0 {
		return s.indices
	}
	return s.flat(w)
}
