package build

import (
	"strconv"
	"strings"

	"hlolayout/hlo"
)

// shapeReader holds the shape being read: the array under construction and the finished parts of tuples.
type shapeReader struct {
	array  array
	outer  []array // arrays whose P(...) is being read
	done   []*hlo.Shape
	tuples []int // where in done each open tuple began
	marks  Text
	all    Text // of the whole shape
	// spare is the array read last where it turned out to be known: its memory serves for the next one
	spare array
}

type array struct {
	dtype   hlo.DType
	dims    []int64
	dynamic []bool
	layout  *hlo.Layout
	at      Text
	brace   Text
	inTile  bool
	end     uint32 // after the layout, or the last number of its order so far
}

// shape returns the module's shape with the given text; each distinct text is read once.
func (b *Builder) shape(t Text) *hlo.Shape {
	text := b.text(t)
	if s, ok := b.shapeOf.get(text); ok {
		return s
	}
	if !b.opts.Strict {
		if s := b.plainShape(text); s != nil {
			b.shapeOf.put(text, s)
			return s
		}
	}
	b.shapes = shapeReader{done: b.shapes.done[:0], tuples: b.shapes.tuples[:0], all: t, spare: b.shapes.spare}
	if !b.Sub(ShapeRule, t) || len(b.shapes.done) != 1 {
		panic(Stop{})
	}
	s := b.intern(b.shapes.done[0])
	b.shapeOf.put(text, s)
	return s
}

// TupleBegin and TupleEnd enclose the elements of a tuple shape.
func (b *Builder) TupleBegin() {
	b.enter(b.shapes.all)
	b.shapes.tuples = append(b.shapes.tuples, len(b.shapes.done))
}

// TupleEnd makes a tuple of the shapes read since TupleBegin.
func (b *Builder) TupleEnd() {
	b.leave()
	r := &b.shapes
	from := r.tuples[len(r.tuples)-1]
	r.tuples = r.tuples[:len(r.tuples)-1]
	b.checkElements(r.done[from:], r.array.at.Off)
	tuple := hlo.NewTuple(append([]*hlo.Shape(nil), r.done[from:]...)...)
	r.done = append(r.done[:from], tuple)
}

// ElementType begins an array, a token, an opaque or a buffer.
func (b *Builder) ElementType(t Text) {
	b.shapes.array = array{at: t, dims: b.shapes.spare.dims[:0]}
	b.shapes.spare.dims = nil
	name := b.text(t)
	d, ok := hlo.ParseDType(name)
	if !ok && name != "b" || ok && b.opts.Strict && d.String() != name {
		at := t.Off
		// XLA takes it for the operation, and misses its operands
		if b.opts.Strict && hlo.IsOpcode(name) && t.Off == b.shapes.all.Off {
			at = b.tokenAfter(t.End)
		}
		b.fail(at, CodeElementType, quote(name)+" is not an element type", didYouMean(name, dtypeNames()))
		panic(Stop{})
	}
	b.shapes.array.dtype = d
	if next := b.tokenAfter(t.End); ok && b.opts.Strict && strings.HasPrefix(b.src[next:], "(") {
		b.fail(next, CodeElementType, "a shape has its dimensions in brackets", "expected `[`")
		panic(Stop{})
	}
}

func dtypeNames() []string {
	var names []string
	for _, d := range hlo.DTypes() {
		names = append(names, d.String())
	}
	return append(names, "token", "opaque")
}

// Dim adds a dimension, bounded when written `<=N`.
func (b *Builder) Dim(t Text, bounded bool) {
	n := b.number(t)
	if n < 0 {
		b.fail(t.Off, CodeDimension, "the dimension size "+quote(b.text(t))+" is negative", "")
	}
	b.dim(n, bounded)
}

// DimUnbounded adds a dimension written `?`.
func (b *Builder) DimUnbounded() { b.dim(hlo.Unbounded, true) }

func (b *Builder) dim(n int64, dynamic bool) {
	a := &b.shapes.array
	if a.dims == nil {
		a.dims = make([]int64, 0, 4)
	}
	a.dims = append(a.dims, n)
	if dynamic && a.dynamic == nil {
		a.dynamic = make([]bool, len(a.dims)-1)
	}
	if a.dynamic != nil {
		a.dynamic = append(a.dynamic, dynamic)
	}
}

// LayoutEnd is the closing brace of a layout. XLA takes properties without their parentheses, such as S(1: an error
// where that is not strict.
func (b *Builder) LayoutEnd(t Text) {
	b.shapes.array.end = t.End
	if l := b.layout(); b.opts.Strict {
		if l.Physical != nil && !strings.ContainsAny(l.DimTypes, "CS") {
			b.fail(b.tokenAfter(t.End), CodeLayout, "the layout of a dense array has no physical shape", "")
		}
		return
	}
	text := b.src[b.shapes.array.brace.Off:t.End]
	if open := strings.Count(text, "("); open != strings.Count(text, ")") {
		b.fail(t.Off, CodeLayout, "a property of the layout has no closing parenthesis", "expected `)`")
	}
}

// ArrayEnd finishes an array, token or opaque; t is its last token. The elements of a tuple repeat, too.
func (b *Builder) ArrayEnd(t Text) {
	a := &b.shapes.array
	element := len(b.shapes.tuples) > 0 && !b.opts.Strict
	if element {
		if s, ok := b.shapeOf.get(b.src[a.at.Off:t.End]); ok {
			b.shapes.done = append(b.shapes.done, s)
			b.shapes.spare = *a
			return
		}
	}
	errors := len(b.errs)
	s := &hlo.Shape{Kind: hlo.ArrayShape, DType: a.dtype, Dims: a.dims, Dynamic: a.dynamic, Layout: a.layout}
	switch {
	case a.dtype == hlo.DTypeInvalid:
		b.fail(a.at.Off, CodeElementType, quote(b.text(a.at))+" is not an element type", "")
		panic(Stop{})
	case a.dtype == hlo.TokenType:
		s.Kind = hlo.TokenShape
	case a.dtype == hlo.OpaqueType:
		s.Kind = hlo.OpaqueShape
	case a.layout != nil && len(a.layout.MinorToMajor) != len(a.dims):
		b.fail(b.xla(a.brace.Off, a.end), CodeLayout, "the layout orders "+plural(len(a.layout.MinorToMajor),
			"dimension")+
			", the array has "+plural(len(a.dims), "dimension"), "")
	case a.layout != nil && !b.opts.Strict: // XLA reads any numbers; no layout can be assigned to such an array
		b.checkOrder(a)
	}
	if !s.IsArray() {
		s.DType, s.Layout = hlo.DTypeInvalid, nil
		if len(a.dims) > 0 {
			b.fail(a.at.Off, CodeDimension, b.text(a.at)+" has no dimensions", "write "+b.text(a.at)+"[]")
		}
	}
	if element && len(b.errs) == errors {
		s = b.intern(s)
		b.shapeOf.put(b.src[a.at.Off:t.End], s)
	}
	b.shapes.done = append(b.shapes.done, s)
}

// checkOrder warns of a layout that does not name each dimension once, which XLA reads and no pass can work with, and
// refuses tiles without a size, at which XLA aborts.
func (b *Builder) checkOrder(a *array) {
	if !hlo.IsPermutation(a.layout.MinorToMajor) {
		b.warn(a.brace.Off, CodeLayout, "the layout does not name each dimension once",
			"no layout can be assigned around it")
	}
	for _, t := range a.layout.Tiles {
		for _, n := range t {
			if n <= 0 && n != hlo.Combined {
				b.fail(a.brace.Off, CodeLayout, "the tile size "+strconv.FormatInt(n, 10)+" is not positive", "")
			}
		}
	}
}

// BufferEnd makes a buffer of the array read last.
func (b *Builder) BufferEnd() {
	last := &b.shapes.done[len(b.shapes.done)-1]
	if b.shapes.array.at.End-b.shapes.array.at.Off == 0 || !(*last).IsArray() {
		b.fail(b.shapes.array.at.Off, CodeElementType, "a buffer holds one array", "")
	}
	*last = &hlo.Shape{Kind: hlo.BufferShape, Elems: []*hlo.Shape{*last}}
}

// LayoutBegin begins the layout of the current array.
func (b *Builder) LayoutBegin(t Text) {
	a, spare := &b.shapes.array, b.shapes.spare.layout
	a.brace, b.shapes.spare.layout = t, nil
	if spare == nil {
		a.layout = &hlo.Layout{MinorToMajor: make([]int, 0, len(a.dims))}
		return
	}
	a.layout, *spare = spare, hlo.Layout{MinorToMajor: spare.MinorToMajor[:0]}
}

func (b *Builder) layout() *hlo.Layout { return b.shapes.array.layout }

// MinorToMajor adds a dimension number to the order.
func (b *Builder) MinorToMajor(t Text) {
	if b.opts.Strict && len(b.layout().MinorToMajor) == 0 && !fits(b.text(t)) {
		// no integer, so no layout
		b.fail(b.shapes.array.brace.Off, CodeNumber, "the number "+quote(b.text(t))+" does not fit in 64 bits", "")
		panic(Stop{})
	}
	n := b.number(t)
	b.shapes.array.end = t.End
	b.layout().MinorToMajor = append(b.layout().MinorToMajor, int(n))
}

// DimTypesBegin and DimTypesEnd enclose the text of D(...).
func (b *Builder) DimTypesBegin(t Text) { b.shapes.marks = t }

// DimTypesEnd keeps the text between the parentheses.
func (b *Builder) DimTypesEnd(t Text) {
	types := b.src[b.shapes.marks.End:t.Off]
	b.layout().DimTypes = types
	if b.opts.Strict && strings.Trim(types, "DCS+~, \t\r\n") != "" {
		b.fail(b.shapes.marks.End, CodeLayout, "the dimension types are D, C and S", "")
	}
}

// Tile begins a tile; TileDim and TileStar add its sizes.
func (b *Builder) Tile(t Text) {
	if b.shapes.array.inTile {
		b.fail(t.Off, CodeLayout, "the tile in front of this one has no closing parenthesis", "expected `)`")
		panic(Stop{})
	}
	b.shapes.array.inTile = true
	l := b.layout()
	if l.Tiles == nil {
		l.Tiles = make([]hlo.Tile, 0, 2) // T(8,128)(2,1)
	}
	l.Tiles = append(l.Tiles, make(hlo.Tile, 0, 2))
}

// TileEnd is the closing parenthesis of a tile.
func (b *Builder) TileEnd() { b.shapes.array.inTile = false }

// TileDim adds a size to the current tile.
func (b *Builder) TileDim(t Text) { b.tileDim(b.number(t)) }

// TileStar adds a `*`.
func (b *Builder) TileStar() { b.tileDim(hlo.Combined) }

func (b *Builder) tileDim(n int64) {
	tiles := b.layout().Tiles
	tiles[len(tiles)-1] = append(tiles[len(tiles)-1], n)
}

// TailPadding is L(n).
func (b *Builder) TailPadding(t Text) { b.layout().TailPadding = b.number(t) }

// IndexType is #(type).
func (b *Builder) IndexType(t Text) { b.layout().IndexType = b.propertyType(t) }

// PointerType is *(type).
func (b *Builder) PointerType(t Text) { b.layout().PointerType = b.propertyType(t) }

func (b *Builder) propertyType(t Text) hlo.DType {
	d, ok := hlo.ParseDType(b.text(t))
	switch {
	case !ok:
		b.fail(t.Off, CodeElementType, quote(b.text(t))+" is not an element type", didYouMean(b.text(t), dtypeNames()))
	case b.opts.Strict && len(b.shapes.tuples) > 0 && !strings.HasPrefix(d.String(), "u"):
		b.fail(b.tokenAfter(t.End), CodeElementType, quote(b.text(t))+" is not an unsigned integer type", "")
	}
	return d
}

// ElementBits is E(n).
func (b *Builder) ElementBits(t Text) { b.layout().ElementBits = b.number(t) }

// MemorySpace is S(n).
func (b *Builder) MemorySpace(t Text) { b.layout().MemorySpace = b.number(t) }

// SplitDim begins one dimension of SC.
func (b *Builder) SplitDim(t Text) {
	b.layout().Splits = append(b.layout().Splits, hlo.Split{Dim: b.number(t)})
}

// SplitIndex adds an index at which the dimension is split.
func (b *Builder) SplitIndex(t Text) {
	s := b.layout().Splits
	s[len(s)-1].Indices = append(s[len(s)-1].Indices, b.number(t))
}

// PhysicalBegin and PhysicalEnd enclose the shape of P(...).
func (b *Builder) PhysicalBegin() {
	b.enter(b.shapes.all)
	b.shapes.outer = append(b.shapes.outer, b.shapes.array)
}

// PhysicalEnd gives the shape read last to the layout of the array around it.
func (b *Builder) PhysicalEnd() {
	b.leave()
	r := &b.shapes
	r.array = r.outer[len(r.outer)-1]
	r.outer = r.outer[:len(r.outer)-1]
	r.array.layout.Physical = r.done[len(r.done)-1]
	r.done = r.done[:len(r.done)-1]
}

// MetadataPrefix is M(n).
func (b *Builder) MetadataPrefix(t Text) { b.layout().MetadataPrefix = b.number(t) }
