package flat

import "hlolayout/hlo"

// Shape is a shape taken apart into its leaves, which are its parts that are no tuples.
type Shape struct {
	Leaves  []*hlo.Shape
	Indices []hlo.Index // of the leaves
	Starts  []int32     // for a tuple: the first leaf of each element, and the number of leaves
}

// NewShape takes a shape apart.
func NewShape(s *hlo.Shape) *Shape {
	n := CountLeaves(s)
	out := &Shape{Leaves: make([]*hlo.Shape, 0, n), Indices: make([]hlo.Index, 0, n)}
	var numbers hlo.Index // of all indices, one after the other
	if s.IsTuple() {
		numbers = make(hlo.Index, 0, n)
	}
	s.Leaves(func(index hlo.Index, leaf *hlo.Shape) {
		at := len(numbers)
		numbers = append(numbers, index...)
		out.Leaves = append(out.Leaves, leaf)
		out.Indices = append(out.Indices, numbers[at:len(numbers):len(numbers)])
	})
	if s.IsTuple() {
		out.Starts = make([]int32, len(s.Elems)+1)
		for i, e := range s.Elems {
			out.Starts[i+1] = out.Starts[i] + int32(CountLeaves(e))
		}
	}
	return out
}

// CountLeaves returns how many leaves a shape has.
func CountLeaves(s *hlo.Shape) int {
	if !s.IsTuple() {
		return 1
	}
	n := 0
	for _, e := range s.Elems {
		n += CountLeaves(e)
	}
	return n
}

// Shape returns a shape taken apart. It takes each apart once.
func (g *Graph) Shape(s *hlo.Shape) *Shape {
	in := g.shapes[s]
	if in == nil {
		in = NewShape(s)
		g.shapes[s] = in
	}
	return in
}

// LeafAt returns the number of the leaf at an index of a shape.
func (g *Graph) LeafAt(s *hlo.Shape, index hlo.Index) int {
	leaf := int32(0)
	for _, k := range index {
		leaf += g.Shape(s).Starts[k]
		s = s.Elems[k]
	}
	return int(leaf)
}
