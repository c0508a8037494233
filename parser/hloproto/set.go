package hloproto

import (
	"slices"
	"sync"

	"hlolayout/hlo"
	"hlolayout/parser/hloproto/internal/hlopb"
)

// primitives holds the PrimitiveType of each element type.
var primitives = sync.OnceValue(func() map[hlo.DType]hlopb.PrimitiveType {
	m := map[hlo.DType]hlopb.PrimitiveType{}
	for p, d := range dtypes() {
		m[d] = p
	}
	return m
})

// kinds holds the PrimitiveType of what is not an array.
var kinds = map[hlo.ShapeKind]hlopb.PrimitiveType{
	hlo.TupleShape: hlopb.PrimitiveType_TUPLE, hlo.TokenShape: hlopb.PrimitiveType_TOKEN,
	hlo.OpaqueShape: hlopb.PrimitiveType_OPAQUE_TYPE, hlo.BufferShape: hlopb.PrimitiveType_BUFFER,
}

// setShape makes the message say s. Messages that are there are changed, so that their unknown fields stay.
func setShape(to **hlopb.ShapeProto, s *hlo.Shape) {
	if *to == nil {
		*to = &hlopb.ShapeProto{}
	}
	p := *to
	p.ElementType = kinds[s.Kind]
	if s.Kind == hlo.ArrayShape {
		p.ElementType = primitives()[s.DType]
	}
	old := p.TupleShapes
	p.TupleShapes = make([]*hlopb.ShapeProto, len(s.Elems))
	for i, e := range s.Elems {
		if i < len(old) {
			p.TupleShapes[i] = old[i]
		}
		setShape(&p.TupleShapes[i], e)
	}
	p.Dimensions = slices.Clone(s.Dims)
	p.IsDynamicDimension = make([]bool, len(s.Dims)) // XLA wants one for each dimension
	for i, d := range s.Dims {
		if i < len(s.Dynamic) && s.Dynamic[i] {
			p.IsDynamicDimension[i] = true
		}
		if d == hlo.Unbounded {
			p.Dimensions[i] = noSize
		}
	}
	switch {
	case s.Kind != hlo.ArrayShape:
		p.Layout = nil
	case s.Layout != nil || len(s.Dims) > 0 && p.Layout != nil:
		if p.Layout == nil {
			p.Layout = &hlopb.LayoutProto{}
		}
		l := s.Layout
		if l == nil {
			l = hlo.DescendingLayout(len(s.Dims))
		}
		setLayout(p.Layout, l)
	case p.Layout != nil: // a scalar's, which has no text
		setLayout(p.Layout, &hlo.Layout{})
	}
}

func setLayout(p *hlopb.LayoutProto, l *hlo.Layout) {
	p.MinorToMajor = make([]int64, len(l.MinorToMajor))
	for i, d := range l.MinorToMajor {
		p.MinorToMajor[i] = int64(d)
	}
	p.Tiles = make([]*hlopb.TileProto, len(l.Tiles))
	for i, t := range l.Tiles {
		p.Tiles[i] = &hlopb.TileProto{Dimensions: slices.Clone(t)}
		for k, d := range t {
			if d == hlo.Combined {
				p.Tiles[i].Dimensions[k] = noSize
			}
		}
	}
	p.TailPaddingAlignmentInElements = max(l.TailPadding, 1)
	p.ElementSizeInBits, p.MemorySpace, p.DynamicShapeMetadataPrefixBytes = l.ElementBits, l.MemorySpace,
		l.MetadataPrefix
	p.IndexPrimitiveType, p.PointerPrimitiveType = primitives()[l.IndexType], primitives()[l.PointerType]
	p.SplitConfigs = make([]*hlopb.SplitConfigProto, len(l.Splits))
	for i, s := range l.Splits {
		p.SplitConfigs[i] = &hlopb.SplitConfigProto{Dimension: s.Dim, SplitIndices: s.Indices}
	}
	p.PhysicalShape = nil
	if l.Physical != nil {
		setShape(&p.PhysicalShape, l.Physical)
	}
}

// setLiteralLayout puts the elements of a constant into the order of the layouts that s has: XLA wants the constant and
// its value to agree in it. Tiles and memory spaces are the constant's alone.
func setLiteralLayout(p *hlopb.LiteralProto, s *hlo.Shape, at spot) {
	if s.IsTuple() {
		for i, e := range p.TupleLiterals {
			if i < len(s.Elems) {
				setLiteralLayout(e, s.Elems[i], at)
			}
		}
		if t := p.GetShape().GetTupleShapes(); len(t) == len(p.TupleLiterals) {
			for i, e := range p.TupleLiterals {
				t[i] = e.Shape
			}
		}
		return
	}
	old := (&writer{}).shape(p.Shape, at)
	if !s.IsArray() || slices.Equal(old.MinorToMajor(), s.MinorToMajor()) || !hlo.IsPermutation(s.MinorToMajor()) {
		return // a layout that is not an order, which text can have, orders nothing
	}
	if !old.Compatible(s) {
		failf(at.path(".shape"), "the value is %s and the constant %s", old, s)
	}
	from, to := storage(old, at), storage(s, at)
	order := make([]int, len(to)) // for each place in the new order, the place in the old
	for i := range to {
		order[to[i]] = from[i]
	}
	p.Preds, p.S32S, p.S64S, p.U32S, p.U64S = reorder(p.Preds, order), reorder(p.S32S, order), reorder(p.S64S, order),
		reorder(p.U32S, order), reorder(p.U64S, order)
	p.F32S, p.F64S, p.C64S, p.C128S = reorder(p.F32S, order), reorder(p.F64S, order), reorder(p.C64S, order),
		reorder(p.C128S, order)
	if b := packedBytes(p, s.DType); b != nil {
		if len(*b) < len(order) {
			*b = pack(reorder(unpack(*b, s.DType, len(order)), order), s.DType)
		} else {
			*b = reorder(*b, order)
		}
	}
	if p.Shape.Layout == nil {
		p.Shape.Layout = &hlopb.LayoutProto{TailPaddingAlignmentInElements: 1}
	}
	p.Shape.Layout.MinorToMajor = p.Shape.Layout.MinorToMajor[:0]
	for _, d := range s.MinorToMajor() {
		p.Shape.Layout.MinorToMajor = append(p.Shape.Layout.MinorToMajor, int64(d))
	}
}

// reorder returns the values in another order; each element has as many of them as there are values for each place.
func reorder[T any](values []T, order []int) []T {
	if len(values) == 0 || len(order) == 0 {
		return values
	}
	n := len(values) / len(order)
	out := make([]T, 0, len(values))
	for _, at := range order {
		out = append(out, values[at*n:(at+1)*n]...)
	}
	return out
}
