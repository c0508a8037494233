package hlo

import (
	"slices"
	"strconv"
)

// Combined is `*` in a tile: the dimension is merged with the next more major one
// before tiling (XLA's Tile::kCombineDimension).
const Combined = -1

// Tile is one level of tiling, major to minor, in elements of the level above:
// T(8,128) is Tile{8, 128}.
type Tile []int64

// Layout says how an array is laid out in memory. A Layout that is part of a module must not be modified.
type Layout struct {
	// MinorToMajor lists the dimension numbers, fastest-varying first.
	MinorToMajor []int
	// DimTypes is the text between the parentheses of D(...), kept as read; XLA reads and drops it.
	DimTypes string
	// Tiles are applied in order; each one tiles the trailing dimensions of what the one before made.
	Tiles []Tile
	// TailPadding is L(n): the element count is rounded up to a multiple of it. 0 and 1 mean none.
	TailPadding int64
	// IndexType and PointerType are #(type) and *(type); DTypeInvalid where absent.
	IndexType, PointerType DType
	// ElementBits is E(n): the bits an element takes in memory; 0 means the type's own width.
	ElementBits int64
	// MemorySpace is S(n): 0 is HBM, 1 VMEM, 2 sync flags, 3 CMEM, 5 host, 6 SMEM.
	MemorySpace int64
	// Splits are SC(dim:i,j)...: indices at which a dimension is cut between cores.
	Splits []Split
	// Physical is P(shape), the physical shape of an on-device encoding; nil where absent.
	Physical *Shape
	// MetadataPrefix is M(n): bytes in front of the data of a dynamic array.
	MetadataPrefix int64
}

// Split is one dimension's entry of SC: the dimension and the indices where it is cut.
type Split struct {
	Dim     int64
	Indices []int64
}

// DescendingLayout returns the layout {rank-1,...,1,0} without tiles: XLA's default.
func DescendingLayout(rank int) *Layout { return &Layout{MinorToMajor: Descending(rank)} }

// Descending returns rank-1, ..., 1, 0.
func Descending(rank int) []int {
	m := make([]int, rank)
	for i := range m {
		m[i] = rank - 1 - i
	}
	return m
}

// OtherDims returns the dimensions of an array of a rank that none of the lists names, ascending, nil for none.
func OtherDims(rank int, lists ...[]int) (others []int) {
	for d := range rank {
		if !slices.ContainsFunc(lists, func(list []int) bool { return slices.Contains(list, d) }) {
			others = append(slices.Grow(others, rank-d), d)
		}
	}
	return others
}

// IsPermutation reports whether order holds each of 0..len(order)-1 once.
func IsPermutation(order []int) bool {
	seen := make([]bool, len(order))
	for _, d := range order {
		if d < 0 || d >= len(order) || seen[d] {
			return false
		}
		seen[d] = true
	}
	return true
}

// Equal reports whether two layouts are the same in every property. Two nil layouts are equal.
func (l *Layout) Equal(o *Layout) bool {
	if l == nil || o == nil {
		return l == o
	}
	return slices.Equal(l.MinorToMajor, o.MinorToMajor) && l.EqualBesidesOrder(o)
}

// EqualBesidesOrder reports whether two layouts agree in everything but MinorToMajor.
func (l *Layout) EqualBesidesOrder(o *Layout) bool {
	return l.DimTypes == o.DimTypes && l.TailPadding == o.TailPadding && l.IndexType == o.IndexType &&
		l.PointerType == o.PointerType && l.ElementBits == o.ElementBits && l.MemorySpace == o.MemorySpace &&
		l.MetadataPrefix == o.MetadataPrefix &&
		slices.EqualFunc(l.Tiles, o.Tiles, func(a, b Tile) bool { return slices.Equal(a, b) }) &&
		slices.EqualFunc(l.Splits, o.Splits, func(a, b Split) bool {
			return a.Dim == b.Dim && slices.Equal(a.Indices, b.Indices)
		}) && l.Physical.Equal(o.Physical)
}

// String returns the layout as written after a shape, such as "{1,0:T(8,128)}".
func (l *Layout) String() string { return string(l.Append(nil)) }

// Append appends the layout's text to dst. A layout without any property and without dimensions
// is empty, as XLA prints a scalar's.
func (l *Layout) Append(dst []byte) []byte {
	start := len(dst)
	dst = append(dst, '{')
	for i, d := range l.MinorToMajor {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = strconv.AppendInt(dst, int64(d), 10)
	}
	props := len(dst)
	dst = append(dst, ':')
	if l.DimTypes != "" {
		dst = append(append(append(dst, "D("...), l.DimTypes...), ')')
	}
	if len(l.Tiles) > 0 {
		dst = append(dst, 'T')
		for _, t := range l.Tiles {
			dst = append(dst, '(')
			for i, n := range t {
				if i > 0 {
					dst = append(dst, ',')
				}
				if n == Combined {
					dst = append(dst, '*')
				} else {
					dst = strconv.AppendInt(dst, n, 10)
				}
			}
			dst = append(dst, ')')
		}
	}
	number := func(key string, n, none int64) {
		if n != none {
			dst = append(strconv.AppendInt(append(append(dst, key...), '('), n, 10), ')')
		}
	}
	if l.TailPadding > 1 {
		number("L", l.TailPadding, 1)
	}
	for _, t := range [...]struct {
		key string
		typ DType
	}{{"#", l.IndexType}, {"*", l.PointerType}} {
		if t.typ != DTypeInvalid {
			dst = append(append(append(append(dst, t.key...), '('), t.typ.String()...), ')')
		}
	}
	number("E", l.ElementBits, 0)
	number("S", l.MemorySpace, 0)
	if len(l.Splits) > 0 {
		dst = append(dst, "SC"...)
		for _, s := range l.Splits {
			dst = append(strconv.AppendInt(append(dst, '('), s.Dim, 10), ':')
			for i, n := range s.Indices {
				if i > 0 {
					dst = append(dst, ',')
				}
				dst = strconv.AppendInt(dst, n, 10)
			}
			dst = append(dst, ')')
		}
	}
	if l.Physical != nil {
		dst = append(l.Physical.Append(append(dst, "P("...), true), ')')
	}
	number("M", l.MetadataPrefix, 0)
	if len(dst) == props+1 {
		if len(l.MinorToMajor) == 0 {
			return dst[:start]
		}
		dst = dst[:props]
	}
	return append(dst, '}')
}
