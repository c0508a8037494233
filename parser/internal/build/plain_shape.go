package build

import (
	"slices"
	"strings"

	"hlolayout/hlo"
)

// plainShape reads the shape of an array, or a tuple of such, that is written as it prints,
// f32[2,3]{1,0:T(8,128)S(1)}, without the grammar, for which it returns nil where the text is anything else. A module
// of 3 to 8 KB, where most shapes are new, takes a fifth less time.
func (b *Builder) plainShape(text string) *hlo.Shape {
	if strings.HasPrefix(text, "(") {
		if s, end := b.plainTuple(text, 0, 0); end == len(text) {
			return s
		}
		return nil
	}
	i := nameEnd(text)
	dtype, ok := hlo.ParseDType(text[:i])
	if !ok || !dtype.IsArray() || dtype.String() != text[:i] {
		return nil
	}
	ns, i := b.numbers(text, i, '[', ']')
	if i == 0 {
		return nil
	}
	s, bare := &hlo.Shape{Kind: hlo.ArrayShape, DType: dtype}, i
	if len(ns) > 0 {
		s.Dims = keep(&b.sizes, ns)
	}
	if i < len(text) {
		if s.Layout, i = b.plainLayout(text, i, len(s.Dims)); i < len(text) || s.Layout == nil {
			return nil
		}
	}
	return b.internText(s, text, bare)
}

// plainTuple reads the tuple whose parenthesis is at i, at some depth of tuples; end is 0 where one of its elements is
// not plain.
func (b *Builder) plainTuple(text string, i, depth int) (tuple *hlo.Shape, end int) {
	from, begin := len(b.elements), i
	defer func() { b.elements = b.elements[:from] }()
	for i++; i < len(text) && text[i] != ')'; {
		if n := len(b.elements) - from; n > 0 {
			before := hlo.AppendIndexComment(append(b.between[:0], ", "...), n)
			if b.between = before; !strings.HasPrefix(text[i:], string(before)) {
				return nil, 0
			}
			i += len(before)
		}
		e, end := b.plainElement(text, i, depth)
		if e == nil {
			return nil, 0
		}
		b.elements, i = append(b.elements, e), end
	}
	if i >= len(text) {
		return nil, 0
	}
	tuple = &hlo.Shape{Kind: hlo.TupleShape, Elems: keep(&b.slabs.shapes, b.elements[from:])}
	return b.internText(tuple, text[begin:i+1], 0), i + 1
}

// plainElement reads the array or tuple at i; it returns nil for any other.
func (b *Builder) plainElement(text string, i, depth int) (s *hlo.Shape, end int) {
	if i < len(text) && text[i] == '(' {
		const deepest = 100 // the rest is for the grammar, which counts
		if depth == deepest {
			return nil, 0
		}
		return b.plainTuple(text, i, depth+1)
	}
	end = i + 1 + strings.IndexByte(text[i:], ']')
	if end > i && end < len(text) && text[end] == '{' {
		end += 1 + strings.IndexByte(text[end:], '}')
	}
	if end == i {
		return nil, 0
	}
	element := text[i:end]
	if s, ok := b.shapeOf.get(element); ok {
		return s, end
	}
	if s = b.plainShape(element); s != nil {
		b.shapeOf.put(element, s)
	}
	return s, end
}

// plainEntryLayout reads {(SHAPES)->SHAPE} as entryLayout gives it; it returns nil for any other attribute, where one
// of the shapes is not plain, and in strict reading.
func (b *Builder) plainEntryLayout(t Text) *hlo.Value {
	text := b.text(t)
	if b.opts.Strict || b.key.Name != "entry_computation_layout" || !strings.HasPrefix(text, "{(") {
		return nil
	}
	params, i := b.plainTuple(text, 1, 0)
	if i == 0 || !strings.HasPrefix(text[i:], "->") {
		return nil
	}
	result, end := b.plainElement(text, i+len("->"), 0)
	if result == nil || text[end:] != "}" {
		return nil
	}
	return entryValue(text, text[1:i], params, text[i+len("->"):end], result)
}

// plainLayout reads a layout with an order, tiles, bits and a memory space. It returns nil for any other.
func (b *Builder) plainLayout(text string, i, rank int) (l *hlo.Layout, end int) {
	ns, end := b.numbers(text, i, '{', 0)
	if end == 0 || len(ns) != rank || end == len(text) {
		return nil, 0
	}
	named := uint64(0)
	for _, n := range ns {
		if n >= int64(min(rank, 64)) || named>>n&1 != 0 { // not each dimension once
			return nil, 0
		}
		named |= 1 << n
	}
	l = &hlo.Layout{MinorToMajor: reserve(&b.orders, rank)}
	for k, n := range ns {
		l.MinorToMajor[k] = int(n)
	}
	if text[end] == ':' {
		if end = b.plainProperties(text, end+1, l); end == 0 {
			return nil, 0
		}
	}
	if end != len(text)-1 || text[end] != '}' {
		return nil, 0
	}
	return l, len(text)
}

// plainProperties reads the tiles, bits and memory space of a layout, one of them at least; end is 0 for any others.
func (b *Builder) plainProperties(text string, i int, l *hlo.Layout) (end int) {
	end = i
	if end < len(text) && text[end] == 'T' {
		for end++; end < len(text) && text[end] == '('; {
			ns, e := b.numbers(text, end, '(', ')')
			if e == 0 || len(ns) == 0 || slices.Contains(ns, 0) {
				return 0
			}
			l.Tiles, end = append(l.Tiles, keep(&b.sizes, ns)), e
		}
		if l.Tiles == nil {
			return 0
		}
	}
	for _, p := range [...]struct {
		letter byte
		to     *int64
	}{{'E', &l.ElementBits}, {'S', &l.MemorySpace}} {
		if end+1 < len(text) && text[end] == p.letter && text[end+1] == '(' {
			ns, e := b.numbers(text, end+1, '(', ')')
			if e == 0 || len(ns) != 1 || ns[0] == 0 {
				return 0
			}
			*p.to, end = ns[0], e
		}
	}
	if end == i {
		return 0
	}
	return end
}

// numbers reads what is between two signs, numbers as they print with commas between them, into scratch; with a close
// of 0 it stops after the last number. End is 0 where the text at i is not that.
func (b *Builder) numbers(text string, i int, open, close byte) (ns []int64, end int) {
	ns = b.scratch[:0]
	if i >= len(text) || text[i] != open {
		return nil, 0
	}
	for i++; i < len(text) && (close == 0 || len(ns) > 0 || text[i] != close); i++ {
		n, after := decimal(text, i)
		if after == i && close == 0 && len(ns) == 0 {
			break
		}
		if after == i {
			return nil, 0
		}
		ns, i = append(ns, n), after
		if i == len(text) || text[i] != ',' {
			break
		}
	}
	b.scratch = ns
	if close == 0 {
		return ns, i
	}
	if i >= len(text) || text[i] != close {
		return nil, 0
	}
	return ns, i + 1
}

// decimal reads the number at i, of up to 18 digits as they print; end is i where there is none.
func decimal(text string, i int) (n int64, end int) {
	for end = i; end < len(text) && text[end] >= '0' && text[end] <= '9'; end++ {
		n = n*10 + int64(text[end]-'0')
	}
	if end-i > 18 || end-i > 1 && text[i] == '0' {
		return 0, i
	}
	return n, end
}

// internText is intern for a shape that prints as the text does, without layouts as its first bare bytes.
func (b *Builder) internText(s *hlo.Shape, text string, bare int) *hlo.Shape {
	if b.piece == nil {
		return b.m.InternText(s, text, bare)
	}
	b.piece.interning.Lock()
	defer b.piece.interning.Unlock()
	return b.piece.module.InternText(s, text, bare)
}
