package hlo

import (
	"slices"
	"strconv"
)

// ShapeKind tells the kinds of shapes apart.
type ShapeKind uint8

// The kinds of shapes. Scalars are arrays without dimensions.
const (
	ArrayShape ShapeKind = iota
	TupleShape
	TokenShape
	OpaqueShape
	BufferShape
)

// Unbounded is the size of a dimension written `?`.
const Unbounded = -1

// Shape is the type of a value: an array, a tuple, a token, an opaque or a buffer of one array.
// Shapes of a module are shared between instructions and must not be modified; build a new one
// and pass it through Module.Intern.
type Shape struct {
	Kind  ShapeKind
	DType DType
	// Dims are the sizes, in logical order; an upper bound where Dynamic is set, Unbounded for `?`.
	Dims []int64
	// Dynamic is nil, or says per dimension whether it is written `<=N` (or `?`).
	Dynamic []bool
	// Layout is nil where the text has none, and for everything but arrays.
	Layout *Layout
	// Elems are a tuple's elements, or a buffer's single array.
	Elems []*Shape

	// text and bare are the printed forms with and without layouts, kept by Module.Intern.
	text, bare string
}

// NewArray returns an array shape; dims and layout are not copied.
func NewArray(t DType, dims []int64, layout *Layout) *Shape {
	return &Shape{Kind: ArrayShape, DType: t, Dims: dims, Layout: layout}
}

// NewTuple returns a tuple shape; elems is not copied.
func NewTuple(elems ...*Shape) *Shape { return &Shape{Kind: TupleShape, Elems: elems} }

// IsArray reports whether s is an array or a scalar.
func (s *Shape) IsArray() bool { return s.Kind == ArrayShape }

// IsTuple reports whether s is a tuple.
func (s *Shape) IsTuple() bool { return s.Kind == TupleShape }

// Rank returns the number of dimensions; 0 for scalars and for everything but arrays.
func (s *Shape) Rank() int { return len(s.Dims) }

// WideOrder returns MinorToMajor without dimensions of one element, which may be anywhere in the order.
func (s *Shape) WideOrder() []int {
	return slices.DeleteFunc(slices.Clone(s.MinorToMajor()), func(d int) bool { return s.Dims[d] == 1 })
}

// IsScalar reports whether s is an array without dimensions.
func (s *Shape) IsScalar() bool { return s.Kind == ArrayShape && len(s.Dims) == 0 }

// IsDynamic reports whether some dimension of the array is dynamic.
func (s *Shape) IsDynamic() bool { return slices.Contains(s.Dynamic, true) }

// IsTiled reports whether s has a layout with tiles.
func (s *Shape) IsTiled() bool { return s.Layout != nil && len(s.Layout.Tiles) > 0 }

// Elements returns the number of elements of an array, bounds taken for dynamic dimensions;
// ok is false when the product overflows int64 or a dimension is unbounded.
func (s *Shape) Elements() (n int64, ok bool) {
	n = 1
	for _, d := range s.Dims {
		if d < 0 {
			return 0, false
		}
		if d == 0 {
			return 0, true
		}
	}
	for _, d := range s.Dims {
		if n > (1<<63-1)/d {
			return 0, false
		}
		n *= d
	}
	return n, true
}

// MinorToMajor returns the dimension order, descending where no layout is written. Do not modify it.
func (s *Shape) MinorToMajor() []int {
	if s.Layout == nil {
		return Descending(len(s.Dims))
	}
	return s.Layout.MinorToMajor
}

// Index addresses a part of a shape: tuple element numbers from the outside in; empty for the whole.
type Index []int

// String returns the index as {1,0}, nothing for the whole.
func (x Index) String() string {
	if len(x) == 0 {
		return ""
	}
	b := []byte{'{'}
	for i, k := range x {
		if i > 0 {
			b = append(b, ',')
		}
		b = strconv.AppendInt(b, int64(k), 10)
	}
	return string(append(b, '}'))
}

// ValueName names a value, or a part of one, as %name{1}; "" for none.
func ValueName(in *Instruction, index Index) string {
	if in == nil {
		return ""
	}
	return "%" + in.Name + index.String()
}

// At returns the part of s at index, nil where there is none.
func (s *Shape) At(index Index) *Shape {
	for _, k := range index {
		if s == nil || s.Kind != TupleShape || k < 0 || k >= len(s.Elems) {
			return nil
		}
		s = s.Elems[k]
	}
	return s
}

// Leaves calls f for every non-tuple part of s, left to right. The index is valid during the call only.
func (s *Shape) Leaves(f func(index Index, leaf *Shape)) { s.leaves(s.room(), f) }

// room returns an empty index with room for most leaves of a tuple.
func (s *Shape) room() Index {
	if s.Kind != TupleShape {
		return nil
	}
	return make(Index, 0, 4)
}

func (s *Shape) leaves(at Index, f func(Index, *Shape)) {
	if s.Kind != TupleShape {
		f(at, s)
		return
	}
	for i, e := range s.Elems {
		e.leaves(append(at, i), f)
	}
}

// WithLeaves returns s with each leaf replaced by what f returns for it; s itself if nothing changed.
func (s *Shape) WithLeaves(f func(index Index, leaf *Shape) *Shape) *Shape {
	return s.withLeaves(s.room(), f)
}

func (s *Shape) withLeaves(at Index, f func(Index, *Shape) *Shape) *Shape {
	if s.Kind != TupleShape {
		return f(at, s)
	}
	var elems []*Shape
	for i, e := range s.Elems {
		n := e.withLeaves(append(at, i), f)
		if n != e && elems == nil {
			elems = slices.Clone(s.Elems)
		}
		if elems != nil {
			elems[i] = n
		}
	}
	if elems == nil {
		return s
	}
	return NewTuple(elems...)
}

// WithLayout returns a copy of the array shape with another layout (nil for none).
func (s *Shape) WithLayout(l *Layout) *Shape {
	return &Shape{Kind: s.Kind, DType: s.DType, Dims: s.Dims, Dynamic: s.Dynamic, Layout: l, Elems: s.Elems}
}

// Equal reports whether two shapes are the same, layouts included.
func (s *Shape) Equal(o *Shape) bool { return s.equal(o, true) }

// Compatible reports whether two shapes are the same but for their layouts and for which dimensions are dynamic; a
// dimension without a bound goes with any other (XLA's ShapeUtil::Compatible).
func (s *Shape) Compatible(o *Shape) bool { return s.equal(o, false) }

func (s *Shape) equal(o *Shape, layouts bool) bool {
	if s == o {
		return true
	}
	if s == nil || o == nil || s.Kind != o.Kind || s.DType != o.DType || len(s.Dims) != len(o.Dims) {
		return false
	}
	for i, d := range s.Dims {
		if e := o.Dims[i]; d != e && (layouts || d != Unbounded && e != Unbounded) || layouts &&
			s.dynamic(i) != o.dynamic(i) {
			return false
		}
	}
	if layouts && s.Kind == ArrayShape && !s.Layout.Equal(o.Layout) {
		return false
	}
	return slices.EqualFunc(s.Elems, o.Elems, func(a, b *Shape) bool { return a.equal(b, layouts) })
}

func (s *Shape) dynamic(i int) bool { return i < len(s.Dynamic) && s.Dynamic[i] }

// String returns the shape with its layouts, as HLO text.
func (s *Shape) String() string {
	if s.text != "" {
		return s.text
	}
	return string(s.Append(nil, true))
}

// Bare returns the shape without its layouts, as HLO text.
func (s *Shape) Bare() string {
	if s.bare != "" {
		return s.bare
	}
	return string(s.Append(nil, false))
}

// Append appends the shape's text to dst, with or without layouts.
func (s *Shape) Append(dst []byte, layouts bool) []byte {
	if layouts && s.text != "" {
		return append(dst, s.text...)
	}
	if !layouts && s.bare != "" {
		return append(dst, s.bare...)
	}
	switch s.Kind {
	case TupleShape:
		dst = append(dst, '(')
		for i, e := range s.Elems {
			if i > 0 {
				dst = append(dst, ", "...)
			}
			dst = AppendIndexComment(dst, i)
			dst = e.Append(dst, layouts)
		}
		return append(dst, ')')
	case BufferShape:
		return append(s.Elems[0].Append(append(dst, "b("...), layouts), ')')
	case TokenShape:
		return append(dst, "token[]"...)
	case OpaqueShape:
		return append(dst, "opaque[]"...)
	}
	dst = append(append(dst, s.DType.String()...), '[')
	for i, d := range s.Dims {
		if i > 0 {
			dst = append(dst, ',')
		}
		switch {
		case d == Unbounded:
			dst = append(dst, '?')
			continue
		case s.dynamic(i):
			dst = append(dst, "<="...)
		}
		dst = strconv.AppendInt(dst, d, 10)
	}
	dst = append(dst, ']')
	if layouts && s.Layout != nil {
		dst = s.Layout.Append(dst)
	}
	return dst
}

// AppendIndexComment appends XLA's `/*index=N*/` where it prints one: before every fifth element but the first.
func AppendIndexComment(dst []byte, i int) []byte {
	if i == 0 || i%5 != 0 {
		return dst
	}
	return append(strconv.AppendInt(append(dst, "/*index="...), int64(i), 10), "*/"...)
}
