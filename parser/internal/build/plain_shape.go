package build

import (
	"slices"

	"hlolayout/hlo"
)

// plainShape reads the shape of an array that is written as it prints, f32[2,3]{1,0:T(8,128)S(1)}, without the grammar,
// for which it returns nil where the text is anything else. A module of 3 to 8 KB, where most shapes are new, takes a
// tenth less time.
func (b *Builder) plainShape(text string) *hlo.Shape {
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
		s.Dims = slices.Clone(ns)
	}
	if i < len(text) {
		if s.Layout, i = b.plainLayout(text, i, len(s.Dims)); i < len(text) || s.Layout == nil {
			return nil
		}
	}
	return b.internText(s, text, bare)
}

// plainLayout reads a layout with an order, tiles, bits and a memory space. It returns nil for any other.
func (b *Builder) plainLayout(text string, i, rank int) (l *hlo.Layout, end int) {
	ns, end := b.numbers(text, i, '{', 0)
	if end == 0 || len(ns) != rank || end == len(text) {
		return nil, 0
	}
	l = &hlo.Layout{MinorToMajor: make([]int, rank)}
	named := uint64(0)
	for k, n := range ns {
		if n >= int64(min(rank, 64)) || named>>n&1 != 0 { // not each dimension once
			return nil, 0
		}
		named |= 1 << n
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
			l.Tiles, end = append(l.Tiles, slices.Clone(ns)), e
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
