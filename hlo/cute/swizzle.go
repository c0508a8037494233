package cute

import "strconv"

// Swizzle is Sw<Bits,Base,Shift>: it exchanges Bits bits of an index by exclusive or with as many bits that are Shift
// higher (lower, if negative), the lowest Base bits left alone. It is its own inverse and a bijection on blocks of
// 2^(Bits+Base+|Shift|).
type Swizzle struct{ Bits, Base, Shift int64 }

// NewSwizzle checks the three numbers: Bits, Base >= 0, |Shift| >= Bits, and all bits within 63. ErrExtent otherwise.
func NewSwizzle(bits, base, shift int64) (Swizzle, error) {
	s := Swizzle{bits, base, shift}
	dist, ok := abs(shift)
	if bits < 0 || base < 0 || !ok || dist < bits {
		return Swizzle{}, fail(ErrExtent, "%s: bits and base are at least 0 and the shift at least the bits", s)
	}
	if bits > 63 || base > 63 || dist > 63 || bits+base+dist > 63 {
		return Swizzle{}, fail(ErrOverflow, "%s reaches beyond the 63 bits of an index", s)
	}
	return s, nil
}

// At returns the swizzled index. The error is always nil; it makes a Swizzle a Map.
func (s Swizzle) At(x int64) (int64, error) {
	mask := int64(1)<<s.Bits - 1
	if s.Shift >= 0 {
		return x ^ x&(mask<<(s.Base+s.Shift))>>s.Shift, nil
	}
	return x ^ x&(mask<<s.Base)<<-s.Shift, nil
}

// String returns the text, such as "Sw<3,0,3>".
func (s Swizzle) String() string {
	dst := append([]byte("Sw<"), strconv.FormatInt(s.Bits, 10)...)
	dst = strconv.AppendInt(append(dst, ','), s.Base, 10)
	dst = strconv.AppendInt(append(dst, ','), s.Shift, 10)
	return string(append(dst, '>'))
}

// Map is what may stand outermost in a Composed layout: a Swizzle or a Layout.
type Map interface {
	At(int64) (int64, error)
	String() string
}

// Composed is Outer after Offset after Inner: coordinate c goes to Outer(Offset + Inner(c)). It has no strides; its
// shape is Inner's. It serves where a Composition is refused, and for swizzles.
type Composed struct {
	Outer  Map
	Offset int64
	Inner  Layout
}

// Apply returns the index of a coordinate of Inner. Errors: ErrRank, ErrOverflow.
func (c Composed) Apply(coord IntTuple) (int64, error) {
	i, err := c.Inner.Apply(coord)
	if err != nil {
		return 0, err
	}
	i, ok := Add(i, c.Offset)
	if !ok {
		return 0, fail(ErrOverflow, "an index of %s does not fit int64", c)
	}
	return c.Outer.At(i)
}

// On returns c with a domain-side operation applied to Inner: On(Coalesce), or a closure over a tiler.
func (c Composed) On(op func(Layout) (Layout, error)) (Composed, error) {
	inner, err := op(c.Inner)
	if err != nil {
		return Composed{}, err
	}
	return Composed{c.Outer, c.Offset, inner}, nil
}

// Slice slices Inner and adds its offset to Offset; without an underscore in coord Inner becomes the zero Layout.
func (c Composed) Slice(coord IntTuple) (Composed, error) {
	kept, offset, err := Slice(coord, c.Inner)
	if err != nil {
		return Composed{}, err
	}
	offset, ok := Add(offset, c.Offset)
	if !ok {
		return Composed{}, fail(ErrOverflow, "the offset of a slice of %s does not fit int64", c)
	}
	return Composed{c.Outer, offset, kept}, nil
}

// String returns the text, such as "Sw<3,0,3> o 0 o (8,8):(8,1)".
func (c Composed) String() string {
	return c.Outer.String() + " o " + strconv.FormatInt(c.Offset, 10) + " o " + c.Inner.String()
}
