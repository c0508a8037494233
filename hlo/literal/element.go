package literal

import (
	"fmt"
	"math"
	"strconv"

	"hlolayout/hlo"
)

// problem says why a number cannot be an element of a type.
type problem uint8

const (
	fine problem = iota
	outOfRange
	notInteger
	notComplex
	tooManyBits
	noPayload
	payloadTooLarge
)

// part is one number of an element: the element itself, or the real or the imaginary part of a complex one.
type part struct {
	typ   hlo.DType // of the part: F32 for C64
	class hlo.DTypeClass
	bits  int
	bytes int // that it takes in a Literal
	parts int // of an element
	float *format
}

// partOf returns how elements of type d are stored; ok is false for types without elements.
func partOf(d hlo.DType) (p part, ok bool) {
	p = part{typ: d, parts: 1}
	switch d {
	case hlo.C64:
		p.typ, p.parts = hlo.F32, 2
	case hlo.C128:
		p.typ, p.parts = hlo.F64, 2
	}
	p.class, p.bits = p.typ.Class(), p.typ.Bits()
	p.bytes = (p.bits + 7) / 8
	if p.class == hlo.ClassFloat {
		p.float = &formats[p.typ]
	}
	return p, p.class != hlo.ClassNone
}

// size is what an element takes in a Literal, in bytes.
func (p *part) size() int { return p.bytes * p.parts }

// mask has the bits that an element can set; a pred, which takes a byte, sets one.
func (p *part) mask() uint64 {
	if p.class == hlo.ClassPred {
		return 1
	}
	return 1<<p.bits - 1 // 1<<64 is 0 in Go: all ones
}

// fromInt returns the bits of the integer v; floats take it as a double, as XLA does.
func (p *part) fromInt(v int64) (uint64, problem) {
	switch p.class {
	case hlo.ClassPred:
		if v != 0 {
			return 1, fine
		}
		return 0, fine
	case hlo.ClassFloat:
		return p.float.fromDouble(math.Float64bits(float64(v)))
	case hlo.ClassUnsigned:
		if uint64(v) > p.mask() {
			return 0, outOfRange
		}
	case hlo.ClassSigned:
		if top := int64(p.mask() >> 1); v > top || v < -top-1 {
			return 0, outOfRange
		}
	}
	return uint64(v) & p.mask(), fine
}

// fromFloat returns the bits of the double with bits v; integers and pred do not take floats.
func (p *part) fromFloat(v uint64) (uint64, problem) {
	if p.float == nil {
		return 0, notInteger
	}
	return p.float.fromDouble(v)
}

// fromGo returns the bits of a Go number; its NaN, whatever the payload, is the plain nan.
func (p *part) fromGo(v float64) (uint64, problem) {
	b := math.Float64bits(v)
	if v != v {
		b = b&double.sign() | double.infinity() | double.quiet()
	}
	return p.fromFloat(b)
}

// int returns the integer that the bits stand for; u64 above the largest int64 wraps.
func (p *part) int(b uint64) int64 {
	if p.class == hlo.ClassSigned {
		return int64(b<<(64-p.bits)) >> (64 - p.bits)
	}
	return int64(b)
}

func (p *part) append(dst []byte, b uint64) []byte {
	switch p.class {
	case hlo.ClassPred:
		return strconv.AppendBool(dst, b != 0)
	case hlo.ClassSigned:
		return strconv.AppendInt(dst, p.int(b), 10)
	case hlo.ClassUnsigned:
		return strconv.AppendUint(dst, b, 10)
	}
	return p.float.append(dst, b)
}

// limits returns the smallest and the largest finite value, as text.
func (p *part) limits() string {
	if p.class == hlo.ClassFloat {
		low := p.float.largest() | p.float.sign()
		if p.float.unsigned {
			low = 0
		}
		return string(p.append(append(p.append(nil, low), " to "...), p.float.largest()))
	}
	low, top := uint64(0), p.mask()
	if p.class == hlo.ClassSigned {
		low, top = top/2+1, top/2
	}
	return string(p.append(append(p.append(nil, low), " to "...), top))
}

// explain returns the message and the hint for a problem with the number written as text.
func (p *part) explain(text string, why problem) (msg, hint string) {
	name := p.typ.String()
	switch why {
	case notInteger:
		return text + " is not an integer", name + " takes integers only"
	case notComplex:
		return name + " has no imaginary part", "give real values"
	case tooManyBits:
		return text + " is not a bit pattern of " + name, fmt.Sprintf("at most %#x", p.mask())
	case noPayload:
		return name + " has no NaN payloads", "write nan"
	case payloadTooLarge:
		return "the payload of " + text + " is too large for " + name, fmt.Sprintf("at most %#x", p.float.payloads())
	}
	return text + " is out of range for " + name, name + " holds " + p.limits()
}

// AppendElement appends one element of type d as XLA prints it at rank 0, given its bits: one number in the low bits of
// bits[0], for complex types the real part in bits[0] and the imaginary part in bits[1]. Missing numbers are 0. Nothing
// is appended for types without elements.
func AppendElement(dst []byte, d hlo.DType, bits ...uint64) []byte {
	p, ok := partOf(d)
	if !ok {
		return dst
	}
	var b [2]uint64
	copy(b[:], bits)
	return p.appendElement(dst, b[0]&p.mask(), b[1]&p.mask())
}

func (p *part) appendElement(dst []byte, re, im uint64) []byte {
	if p.parts == 1 {
		return p.append(dst, re)
	}
	dst = p.append(append(dst, '('), re)
	return append(p.append(append(dst, ", "...), im), ')')
}

// Element is one element of an array: its type and its bits.
type Element struct {
	DType hlo.DType
	// Bits are the low DType.Bits() bits of the number, without sign extension: -1 as s4 is 0xf. For complex types they
	// are the real part, and Imag is the imaginary one.
	Bits, Imag uint64
}

// String returns the element as XLA prints it at rank 0.
func (e Element) String() string { return string(AppendElement(nil, e.DType, e.Bits, e.Imag)) }

// Float64 returns the number, the real part of a complex one; only 64-bit integers are rounded. A pred is 0 or 1.
func (e Element) Float64() float64 { return e.float(e.Bits) }

// Complex128 returns the number.
func (e Element) Complex128() complex128 {
	if e.DType.Class() != hlo.ClassComplex {
		return complex(e.Float64(), 0)
	}
	return complex(e.float(e.Bits), e.float(e.Imag))
}

func (e Element) float(b uint64) float64 {
	p, ok := partOf(e.DType)
	switch {
	case !ok:
		return 0
	case p.float != nil:
		return p.float.value(b)
	case p.class == hlo.ClassUnsigned:
		return float64(b)
	}
	return float64(p.int(b))
}

// Int64 returns the number as an integer; ok is false where it is none or does not fit.
func (e Element) Int64() (v int64, ok bool) {
	p, known := partOf(e.DType)
	switch {
	case !known:
		return 0, false
	case p.float == nil:
		v = p.int(e.Bits)
		return v, p.class == hlo.ClassSigned || v >= 0
	}
	f := p.float.value(e.Bits)
	if f != math.Trunc(f) || f < -1<<63 || f >= 1<<63 || p.parts == 2 && e.float(e.Imag) != 0 {
		return 0, false
	}
	return int64(f), true
}
