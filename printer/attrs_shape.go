package printer

import (
	"hlolayout/hlo"
)

// The attributes whose print depends on shapes, or holds some.

// shapeOf returns the shape that a value stands for; `()` is read as an empty list.
func shapeOf(v *hlo.Value) *hlo.Shape {
	switch {
	case v.Kind == hlo.ShapeValue && len(v.Elems) == 0:
		return v.Shape
	case v.Kind == hlo.ListValue && v.Open == '(' && len(v.Elems) == 0:
		return hlo.NewTuple()
	}
	return nil
}

func shapeForm(p *canonical, v *hlo.Value) verdict {
	s := shapeOf(v)
	if s == nil {
		return foreign
	}
	p.text(p.full(s).text)
	return printed
}

// layoutConstraintsForm prints a custom call's {shape, shape}.
func layoutConstraintsForm(p *canonical, v *hlo.Value) verdict {
	if v.Kind != hlo.ListValue {
		return foreign
	}
	p.text("{")
	for i := range v.Elems {
		if i > 0 {
			p.text(", ")
		}
		if shapeForm(p, &v.Elems[i]) != printed {
			return foreign
		}
	}
	p.text("}")
	return printed
}

// outfeedShape is the operand's shape where the text has none.
func outfeedShape(in *hlo.Instruction) form {
	return func(p *canonical, v *hlo.Value) verdict {
		if v != absent {
			return shapeForm(p, v)
		}
		if len(in.Operands) == 0 {
			return dropped
		}
		p.text(p.resultShape(in.Operands[0]).text)
		return printed
	}
}

// allDimensions are the dimensions of a map: all that its result has, whatever the text says.
func allDimensions(in *hlo.Instruction) form {
	return func(p *canonical, _ *hlo.Value) verdict {
		dims := make([]int, 0, 8)
		for i := range in.Shape.Dims {
			dims = append(dims, i)
		}
		p.text("{")
		p.out = appendList(p.out, dims)
		p.text("}")
		return printed
	}
}

// comparisonType is printed where it is not what the operands' element type stands for.
func comparisonType(in *hlo.Instruction) form {
	standard := "UNSIGNED" // of pred, too
	if len(in.Operands) > 0 && in.Operands[0].Shape != nil {
		switch in.Operands[0].Shape.DType.Class() {
		case hlo.ClassFloat, hlo.ClassComplex:
			standard = "FLOAT"
		case hlo.ClassSigned:
			standard = "SIGNED"
		}
	}
	return func(p *canonical, v *hlo.Value) verdict {
		if v == absent {
			return dropped
		}
		return not(standard, asWritten)(p, v)
	}
}

// literalForm prints literal=SHAPE LITERAL, for tuples with the shapes of the parts: ( s32[2]{0} {1, 2}, f32[] 3 ).
func literalForm(p *canonical, v *hlo.Value) verdict {
	switch s := shapeOf(v); {
	case s != nil && s.IsTuple() && len(s.Elems) == 0:
		p.text("(  )")
		return printed
	case v.Kind == hlo.ShapeValue && len(v.Elems) == 1:
		p.shapedLiteral(v.Shape, v.Elems[0].Text)
		return printed
	case v.Kind == hlo.ListValue && v.Open == '(':
		return tupleLiteral(p, v)
	}
	return foreign
}

func (p *canonical) shapedLiteral(s *hlo.Shape, text string) {
	p.text(p.full(s.OfLiteral()).text)
	p.text(" ")
	p.literalText(s, text)
}

func tupleLiteral(p *canonical, v *hlo.Value) verdict {
	p.text("( ")
	for i := 0; i < len(v.Elems); i++ {
		if i > 0 {
			p.text(", ")
		}
		e := &v.Elems[i]
		if e.Kind == hlo.ListValue && e.Open == '(' {
			if tupleLiteral(p, e) != printed {
				return foreign
			}
			continue
		}
		s := shapeOf(e)
		if s == nil || i+1 == len(v.Elems) {
			return foreign
		}
		i++
		p.shapedLiteral(s, v.Elems[i].Text)
	}
	p.text(" )")
	return printed
}
