package hloproto

import (
	"math"
	"strings"
	"sync"

	"hlolayout/hlo"
	"hlolayout/parser/hloproto/internal/hlopb"
)

// noSize is what XLA writes for an unbounded dimension (`?`) and for a combined dimension of a tile (`*`).
const noSize = math.MinInt64

// dtypes holds the element type of each PrimitiveType.
var dtypes = sync.OnceValue(func() map[hlopb.PrimitiveType]hlo.DType {
	m := map[hlopb.PrimitiveType]hlo.DType{hlopb.PrimitiveType_OPAQUE_TYPE: hlo.OpaqueType}
	for n, name := range hlopb.PrimitiveType_name {
		if d, ok := hlo.ParseDType(strings.ToLower(name)); ok {
			m[hlopb.PrimitiveType(n)] = d
		}
	}
	return m
})

func dtype(t hlopb.PrimitiveType, at spot, field string) hlo.DType {
	d, ok := dtypes()[t]
	if !ok {
		failf(at.path(field), "%d is not an element type", t)
	}
	return d
}

// spot is a field that is being read: of an instruction, or of the module where in is nil. The path of it is made only
// for an error.
type spot struct {
	in    *instruction
	field string
	index int // of the element in a repeated field, -1 for any other
}

func (at spot) path(below string) string {
	path := at.field
	if at.index >= 0 {
		path = element(path, at.index)
	}
	if at.in != nil {
		path = at.in.path() + "." + path
	}
	return path + below
}

// shape returns the shape of the message in the field at.
func (w *writer) shape(p *hlopb.ShapeProto, at spot) *hlo.Shape {
	switch p.GetElementType() {
	case hlopb.PrimitiveType_TUPLE:
		elems := make([]*hlo.Shape, len(p.TupleShapes))
		for i, e := range p.TupleShapes {
			elems[i] = w.shape(e, at)
		}
		return hlo.NewTuple(elems...)
	case hlopb.PrimitiveType_BUFFER:
		if len(p.TupleShapes) != 1 {
			failf(at.path(".tuple_shapes"), "a buffer holds one array, not %d", len(p.TupleShapes))
		}
		return &hlo.Shape{Kind: hlo.BufferShape, Elems: []*hlo.Shape{w.shape(p.TupleShapes[0], at)}}
	case hlopb.PrimitiveType_TOKEN:
		return &hlo.Shape{Kind: hlo.TokenShape, DType: hlo.TokenType}
	case hlopb.PrimitiveType_OPAQUE_TYPE:
		return &hlo.Shape{Kind: hlo.OpaqueShape, DType: hlo.OpaqueType}
	}
	s := &hlo.Shape{DType: dtype(p.GetElementType(), at, ".element_type")}
	rank := len(p.Dimensions)
	s.Dims = make([]int64, rank)
	for i, d := range p.Dimensions {
		dynamic := i < len(p.IsDynamicDimension) && p.IsDynamicDimension[i]
		switch {
		case d == noSize:
			d, dynamic = hlo.Unbounded, true
		case d < 0:
			failf(at.path("."+element("dimensions", i)), "%d is not a size", d)
		}
		s.Dims[i] = d
		if dynamic {
			if s.Dynamic == nil {
				s.Dynamic = make([]bool, rank)
			}
			s.Dynamic[i] = true
		}
	}
	if p.Layout != nil {
		s.Layout = w.layout(p.Layout, rank, at)
	}
	return s
}

// layout returns the layout of the shape in the field at. The dimension types of sparse arrays are dropped,
// as XLA does.
func (w *writer) layout(p *hlopb.LayoutProto, rank int, at spot) *hlo.Layout {
	if len(p.MinorToMajor) != rank {
		failf(at.path(".layout.minor_to_major"), "it has %d entries, and the array %d dimensions", len(p.MinorToMajor),
			rank)
	}
	l := &hlo.Layout{
		TailPadding: p.TailPaddingAlignmentInElements, ElementBits: p.ElementSizeInBits, MemorySpace: p.MemorySpace,
		MetadataPrefix: p.DynamicShapeMetadataPrefixBytes,
	}
	if rank > 0 {
		l.MinorToMajor = make([]int, rank)
	}
	for i, d := range p.MinorToMajor {
		l.MinorToMajor[i] = int(d)
	}
	for _, t := range p.Tiles {
		tile := make(hlo.Tile, len(t.Dimensions))
		for i, d := range t.Dimensions {
			switch {
			case d == noSize:
				d = hlo.Combined
			case d < 0:
				failf(at.path(".layout.tiles"), "%d is not a size", d)
			}
			tile[i] = d
		}
		l.Tiles = append(l.Tiles, tile)
	}
	if p.IndexPrimitiveType != 0 {
		l.IndexType = dtype(p.IndexPrimitiveType, at, ".layout.index_primitive_type")
	}
	if p.PointerPrimitiveType != 0 {
		l.PointerType = dtype(p.PointerPrimitiveType, at, ".layout.pointer_primitive_type")
	}
	for _, s := range p.SplitConfigs {
		l.Splits = append(l.Splits, hlo.Split{Dim: s.Dimension, Indices: s.SplitIndices})
	}
	if p.PhysicalShape != nil {
		l.Physical = w.shape(p.PhysicalShape, at)
	}
	return l
}

// result returns an instruction's shape.
func (w *writer) result(in *instruction) *hlo.Shape { return w.shape(in.Shape, spot{in, "shape", -1}) }
