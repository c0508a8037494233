package verify

import (
	"slices"

	"hlolayout/hlo"
)

// typeSet is a set of classes of element types, for "this operation takes integers or floats".
type typeSet uint8

const (
	predType typeSet = 1 << iota
	signedInt
	unsignedInt
	float
	complexType

	integer = signedInt | unsignedInt
	anyType = predType | integer | float | complexType
)

var setOfClass = [...]typeSet{hlo.ClassNone: 0, hlo.ClassPred: predType, hlo.ClassSigned: signedInt,
	hlo.ClassUnsigned: unsignedInt, hlo.ClassFloat: float, hlo.ClassComplex: complexType}

func (t typeSet) has(d hlo.DType) bool { return t&setOfClass[d.Class()] != 0 }

// String names the set for messages.
func (t typeSet) String() string {
	names := []struct {
		set  typeSet
		name string
	}{{predType, "pred"}, {integer, "integers"}, {signedInt, "signed integers"}, {unsignedInt, "unsigned integers"},
		{float, "floats"}, {complexType, "complex numbers"}}
	var out string
	for _, n := range names {
		if t&n.set != n.set {
			continue
		}
		t &^= n.set
		if out != "" {
			out += ", "
		}
		out += n.name
	}
	return out
}

func isFloat(d hlo.DType) bool { return d.Class() == hlo.ClassFloat }
func isInt(d hlo.DType) bool   { return integer.has(d) }

// sameType reports whether two element types are equal up to the precision of floats.
func sameType(a, b hlo.DType) bool { return a == b || isFloat(a) && isFloat(b) }

// floatRow is what decides which of two float types is the higher: range first, then digits.
type floatRow struct{ maxExponent, digits int }

// floatRows holds std::numeric_limits' max_exponent and digits of each float type.
var floatRows = [256]floatRow{
	hlo.F4E2M1FN: {3, 2}, hlo.F6E2M3FN: {3, 4}, hlo.F6E3M2FN: {5, 3},
	hlo.F8E5M2: {16, 3}, hlo.F8E4M3: {8, 4}, hlo.F8E4M3FN: {9, 4}, hlo.F8E4M3B11FNUZ: {5, 4}, hlo.F8E3M4: {4, 5},
	hlo.F8E5M2FNUZ: {16, 3}, hlo.F8E4M3FNUZ: {8, 4}, hlo.F8E8M0FNU: {128, 1},
	hlo.F16: {16, 11}, hlo.BF16: {128, 8}, hlo.F32: {128, 24}, hlo.F64: {1024, 53},
	hlo.C64: {128, 24}, hlo.C128: {1024, 53},
}

// higher returns the type of the higher precision (XLA's primitive_util::HigherPrecisionType): complex before real,
// then the greater range, then more digits, then more bits, then signed before unsigned.
func higher(a, b hlo.DType) hlo.DType {
	rank := func(d hlo.DType) [5]int {
		f := floatRows[d]
		flag := func(b bool) int {
			if b {
				return 1
			}
			return 0
		}
		bits := d.Bits()
		if d.Class() == hlo.ClassComplex {
			bits /= 2
		}
		return [5]int{flag(d.Class() == hlo.ClassComplex), f.maxExponent, f.digits, bits,
			flag(d.Class() == hlo.ClassSigned)}
	}
	x, y := rank(a), rank(b)
	if slices.Compare(x[:], y[:]) < 0 {
		return b
	}
	return a
}

// compatible reports whether two shapes are the same but for layouts and for which dimensions are dynamic; an
// unbounded dimension goes with any size (XLA's ShapeUtil::Compatible).
func compatible(a, b *hlo.Shape) bool { return same(a, b, func(x, y hlo.DType) bool { return x == y }) }

// compatibleFloats is compatible, but any float type goes with any other.
func compatibleFloats(a, b *hlo.Shape) bool { return same(a, b, sameType) }

// compatibleDims is compatible, but for the element types.
func compatibleDims(a, b *hlo.Shape) bool {
	return same(a, b, func(hlo.DType, hlo.DType) bool { return true })
}

func same(a, b *hlo.Shape, types func(a, b hlo.DType) bool) bool {
	if a == b {
		return true
	}
	if a == nil || b == nil || a.Kind != b.Kind || len(a.Dims) != len(b.Dims) || len(a.Elems) != len(b.Elems) {
		return false
	}
	if a.Kind == hlo.ArrayShape && !types(a.DType, b.DType) {
		return false
	}
	for i := range a.Dims {
		if !fits(a.Dims[i], b.Dims[i]) {
			return false
		}
	}
	for i := range a.Elems {
		if !same(a.Elems[i], b.Elems[i], types) {
			return false
		}
	}
	return true
}

// fits reports whether two dimension sizes are equal or one of them is unbounded.
func fits(a, b int64) bool { return a == b || a == hlo.Unbounded || b == hlo.Unbounded }

// sizesFit reports whether two lists of sizes fit one by one.
func sizesFit(a, b []int64) bool { return slices.EqualFunc(a, b, fits) }

// dynamic reports whether dimension i of s is dynamic, bounded or not.
func dynamic(s *hlo.Shape, i int) bool {
	return i < len(s.Dynamic) && s.Dynamic[i] || s.Dims[i] == hlo.Unbounded
}

// isScalarOf reports whether s is a scalar of type d.
func isScalarOf(s *hlo.Shape, d hlo.DType) bool { return s != nil && s.IsScalar() && s.DType == d }

// newArray returns an array without a layout; dyn may be nil or have entries for none.
func newArray(d hlo.DType, dims []int64, dyn []bool) *hlo.Shape {
	s := hlo.NewArray(d, dims, nil)
	if slices.Contains(dyn, true) {
		s.Dynamic = dyn
	}
	return s
}

// withType returns s with element type d. Of the layout, E(n) stays for types of less than a byte only, also where the
// type is the same (ShapeUtil::ChangeElementType).
func withType(s *hlo.Shape, d hlo.DType) *hlo.Shape {
	bits := elementBits(s)
	if d.Bits() >= 8 {
		bits = 0
	}
	if s.DType == d && bits == elementBits(s) {
		return s
	}
	c := withElementBits(s, bits)
	c.DType = d
	return c
}

// elementBits returns the E(n) of an array's layout, 0 where it has none.
func elementBits(s *hlo.Shape) int64 {
	if s.Layout == nil {
		return 0
	}
	return s.Layout.ElementBits
}

// withElementBits returns a copy of s whose layout has E(bits).
func withElementBits(s *hlo.Shape, bits int64) *hlo.Shape {
	if elementBits(s) == bits {
		return s.WithLayout(s.Layout)
	}
	l := hlo.DescendingLayout(s.Rank())
	if s.Layout != nil {
		*l = *s.Layout
	}
	l.ElementBits = bits
	return s.WithLayout(l)
}

// withDynamic returns the array s with the given dimensions dynamic too.
func withDynamic(s *hlo.Shape, also func(i int) bool) *hlo.Shape {
	var dyn []bool
	for i := range s.Dims {
		if !dynamic(s, i) && also(i) {
			if dyn == nil {
				dyn = make([]bool, len(s.Dims))
				copy(dyn, s.Dynamic)
			}
			dyn[i] = true
		}
	}
	if dyn == nil {
		return s
	}
	c := s.WithLayout(s.Layout)
	c.Dynamic = dyn
	return c
}

// tupleOf returns the one shape, or the tuple of several.
func tupleOf(shapes []*hlo.Shape) *hlo.Shape {
	if len(shapes) == 1 {
		return shapes[0]
	}
	return hlo.NewTuple(shapes...)
}

// bare returns a shape without its layouts, for messages.
func bare(s *hlo.Shape) string {
	if s == nil {
		return "(no shape)"
	}
	return string(s.Append(nil, false))
}

// mul multiplies sizes; ok is false beyond int64.
func mul(a, b int64) (int64, bool) {
	if a == 0 || b == 0 {
		return 0, true
	}
	p := a * b
	return p, p/b == a && !(a == -1 && b == -1<<63) && !(b == -1 && a == -1<<63)
}

// ceilDiv returns a/b rounded up for positive b.
func ceilDiv(a, b int64) int64 { return (a + b - 1) / b }
