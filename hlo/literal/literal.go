// Package literal holds the values of constants: what stands between the parentheses of `constant(...)` is decoded on
// demand into bits, and printed exactly as XLA prints it.
//
// Everything about reading and printing here is XLA's behaviour, from its hlo_lexer, hlo_parser and literal sources and
// from its answers in testdata/literal/xla.tsv, quirks included:
//
//   - A number is read as an int64 (up to 2^64-1, wrapping) or as a double, and then rounded to the type, ties to even;
//     f16 and bf16 round to f32 in between.
//   - -0 is an integer, so as a float it is +0; -0.0 is -0, which prints as -0. Negative zeros do not survive XLA.
//   - Commas are white space, `5` for an array sets its first element and leaves 0 in the others, `()` for a tuple with
//     elements is a tuple of empty tuples.
//   - (nan, 1) is (nan, nan); the parts of a c64 are checked before they are rounded, so that the largest f32, printed
//     as 3.40282347e+38, cannot be read back as a part of a c64.
package literal

import (
	"encoding/binary"
	"fmt"

	"hlolayout/hlo"
)

// Literal is the value of a constant: an array's elements or a tuple's parts. It does not change after it is made.
type Literal struct {
	shape  *hlo.Shape
	part   part
	n      int    // elements
	data   []byte // the elements in row-major order, each part little-endian in part.bytes bytes; those it lacks are 0
	elems  []*Literal
	elided bool
	filled bool // most of it are zeros that the text leaves unsaid, too many to print
}

// Shape returns the shape the literal was made for; for a buffer, the array's; for a tuple read from
// `()`, a tuple of empty tuples.
func (l *Literal) Shape() *hlo.Shape { return l.shape }

// Elided reports whether the values, or those of a tuple's part, are unknown because the text says `{...}`.
func (l *Literal) Elided() bool {
	for _, e := range l.elems {
		if e.Elided() {
			return true
		}
	}
	return l.elided
}

// Parts returns the parts of a tuple; nil for arrays. Do not modify it.
func (l *Literal) Parts() []*Literal { return l.elems }

// Len returns how many elements At can return: all of an array's, in row-major order of its logical dimensions; 0 for
// an elided array and for a tuple.
func (l *Literal) Len() int { return l.n }

// At returns element i, 0 <= i < Len(), in row-major order of the logical dimensions.
func (l *Literal) At(i int) Element {
	re, im := l.Bits(i)
	return Element{DType: l.shape.DType, Bits: re, Imag: im}
}

// Bits returns the bits of element i, for complex types of its real and its imaginary part; see Element.
func (l *Literal) Bits(i int) (re, im uint64) {
	if i < 0 || i >= l.n {
		panic(fmt.Sprintf("literal: element %d of %d", i, l.n))
	}
	if l.part.parts == 2 {
		return l.load(2 * i), l.load(2*i + 1)
	}
	return l.load(i), 0
}

// Float64 returns element i as Element.Float64 does.
func (l *Literal) Float64(i int) float64 { return l.At(i).Float64() }

// Int64 returns element i as Element.Int64 does.
func (l *Literal) Int64(i int) (v int64, ok bool) { return l.At(i).Int64() }

func (l *Literal) load(k int) uint64 {
	at := k * l.part.bytes
	if at >= len(l.data) {
		return 0
	}
	switch l.part.bytes {
	case 1:
		return uint64(l.data[at])
	case 2:
		return uint64(binary.LittleEndian.Uint16(l.data[at:]))
	case 4:
		return uint64(binary.LittleEndian.Uint32(l.data[at:]))
	}
	return binary.LittleEndian.Uint64(l.data[at:])
}

func (l *Literal) add(b uint64) {
	switch l.part.bytes {
	case 1:
		l.data = append(l.data, byte(b))
	case 2:
		l.data = binary.LittleEndian.AppendUint16(l.data, uint16(b))
	case 4:
		l.data = binary.LittleEndian.AppendUint32(l.data, uint32(b))
	default:
		l.data = binary.LittleEndian.AppendUint64(l.data, b)
	}
}

// FromInts returns the array constant with the given elements, in row-major order of the logical dimensions. Values are
// taken as the text would be: pred takes 0 for false and all else for true, floats round, a negative u64 wraps, complex
// elements have no imaginary part. The error names the first element that the type cannot hold.
func FromInts(s *hlo.Shape, values []int64) (*Literal, error) {
	return build(s, values, 1, func(l *Literal, v int64) problem {
		b, why := l.part.fromInt(v)
		l.add(b)
		if l.part.parts == 2 {
			l.add(0)
		}
		return why
	})
}

// FromFloats returns the array constant of a float or complex type with the given elements, in row-major order of the
// logical dimensions, rounded as the text would be. Any NaN is the plain nan; payloads go through FromBits.
func FromFloats(s *hlo.Shape, values []float64) (*Literal, error) {
	return build(s, values, 1, func(l *Literal, v float64) problem {
		b, why := l.part.fromGo(v)
		l.add(b)
		if l.part.parts == 2 {
			l.add(0)
		}
		return why
	})
}

// FromComplexes returns the array constant of a complex type with the given elements, in row-major order of the logical
// dimensions.
func FromComplexes(s *hlo.Shape, values []complex128) (*Literal, error) {
	return build(s, values, 1, func(l *Literal, v complex128) problem {
		if l.part.parts != 2 {
			return notComplex
		}
		re, why := l.part.fromGo(real(v))
		im, whyIm := l.part.fromGo(imag(v))
		l.add(re)
		l.add(im)
		return max(why, whyIm)
	})
}

// FromBits returns the array constant whose elements have the given bits (see Element), in row-major order of the
// logical dimensions; for complex types two entries for each element, the real part first.
func FromBits(s *hlo.Shape, bits []uint64) (*Literal, error) {
	return build(s, bits, 2, func(l *Literal, b uint64) problem {
		l.add(b)
		if b > l.part.mask() {
			return tooManyBits
		}
		return fine
	})
}

// Tuple returns the tuple constant with the given parts.
func Tuple(parts ...*Literal) *Literal {
	shapes := make([]*hlo.Shape, len(parts))
	for i, p := range parts {
		shapes[i] = p.shape
	}
	return &Literal{shape: hlo.NewTuple(shapes...), elems: parts}
}

// Elide returns the array constant whose values are not said: `{...}`.
func Elide(s *hlo.Shape) *Literal { return &Literal{shape: s, elided: true} }

// maxFill bounds the nodes (elements and rows) that are printed though no text and no values spelled them out. It is
// this package's own limit, so that a short text cannot request gigabytes.
const maxFill = 1 << 24

// nodes returns the number of rows and elements that the print of an array has, at most maxFill+1.
func nodes(dims []int64) int64 {
	sum, n := int64(0), int64(1)
	for _, d := range dims {
		if d > 0 && n > maxFill/d {
			return maxFill + 1
		}
		n *= max(d, 0)
		if sum += n; sum > maxFill {
			return maxFill + 1
		}
	}
	return sum
}

// build makes an array of values; a complex element is made of split of them, another of one.
func build[T any](s *hlo.Shape, values []T, split int, add func(*Literal, T) problem) (*Literal, error) {
	p, ok := partOf(s.DType)
	if !s.IsArray() || !ok {
		return nil, fmt.Errorf("%s has no elements", s)
	}
	split = min(split, p.parts)
	if n, ok := s.Elements(); !ok || len(values)%split != 0 || n != int64(len(values)/split) {
		return nil, fmt.Errorf("%d values do not make a constant %s", len(values), s)
	}
	if len(values) == 0 && nodes(s.Dims) > maxFill {
		return nil, fmt.Errorf("%s has more than %d empty rows", s, maxFill)
	}
	l := &Literal{shape: s, part: p, n: len(values) / split, data: make([]byte, 0, len(values)/split*p.size())}
	for i, v := range values {
		if why := add(l, v); why != fine {
			msg, hint := p.explain(fmt.Sprint(v), why)
			return nil, fmt.Errorf("value %d: %s; %s", i, msg, hint)
		}
	}
	return l, nil
}
