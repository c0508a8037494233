package printer

import (
	"hlolayout/hlo"
)

// fullShape is a shape as XLA holds it after reading the text, and its prints with and without layouts.
type fullShape struct {
	shape      *hlo.Shape
	text, bare string
}

// full returns s with a layout on every array: the descending one where the text has none. What XLA reads and drops is
// dropped.
func (p *canonical) full(s *hlo.Shape) *fullShape {
	if f := p.shapes[s]; f != nil {
		return f
	}
	if s == nil {
		return &fullShape{shape: hlo.NewTuple(), text: "()", bare: "()"}
	}
	whole := s.WithLeaves(func(_ hlo.Index, leaf *hlo.Shape) *hlo.Shape {
		if leaf.Kind == hlo.BufferShape && len(leaf.Elems) == 1 {
			return &hlo.Shape{Kind: hlo.BufferShape, Elems: []*hlo.Shape{laidOut(leaf.Elems[0])}}
		}
		return laidOut(leaf)
	})
	f := &fullShape{shape: whole, text: whole.String(), bare: whole.Bare()}
	p.shapes[s] = f
	return f
}

func laidOut(s *hlo.Shape) *hlo.Shape {
	switch {
	case !s.IsArray():
		return s
	case s.Layout == nil && s.Rank() > 0:
		return s.WithLayout(hlo.DescendingLayout(s.Rank()))
	case s.Layout != nil && s.Layout.DimTypes != "":
		l := *s.Layout
		l.DimTypes = ""
		return s.WithLayout(&l)
	}
	return s
}

// resultShape returns the shape that XLA gives an instruction, which is not always the declared one.
func (p *canonical) resultShape(in *hlo.Instruction) *fullShape {
	if !in.Opcode.BuildsShape() {
		return p.full(in.Shape)
	}
	f := p.results[in]
	if f == nil {
		f = p.full(in.BuiltShape())
		p.results[in] = f
	}
	return f
}
