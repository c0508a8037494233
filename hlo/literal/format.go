package literal

import (
	"math"
	"math/bits"
	"strconv"

	"hlolayout/hlo"
)

// nanStyle says which bit patterns of a float type are NaN.
type nanStyle uint8

const (
	nanPayload   nanStyle = iota // the top exponent with a mantissa that is not 0, as in IEEE 754
	nanOnes                      // all bits but the sign are 1: the "n" of fn
	nanMinusZero                 // what would be -0: the "nuz" of fnuz
	nanNone                      // no pattern at all; what is too large becomes the largest value
)

// format describes a float type: one row says how it is read, rounded and printed.
type format struct {
	exp, man, bias int
	// unsigned types have no sign bit, no zero and no denormals: pattern 0 is the smallest power of two.
	unsigned bool
	// inf: the top exponent with mantissa 0 is an infinity.
	inf bool
	nan nanStyle
	// digits are the N of %.Ng; exact, where it is not 0, takes its place where N digits do not read back as the value.
	digits, exact int
	// viaF32: a double is rounded to f32 first and then to the type. XLA's f16 and bf16 are Eigen's types, whose
	// constructors do so; 1.0004882813 as f16 is 1, and not the nearer 1.001 (asked of XLA, testdata/literal/xla.tsv).
	viaF32 bool
}

var formats = [...]format{
	hlo.F4E2M1FN:      {exp: 2, man: 1, bias: 1, nan: nanNone, digits: 2},
	hlo.F6E2M3FN:      {exp: 2, man: 3, bias: 1, nan: nanNone, digits: 3},
	hlo.F6E3M2FN:      {exp: 3, man: 2, bias: 3, nan: nanNone, digits: 2},
	hlo.F8E5M2:        {exp: 5, man: 2, bias: 15, inf: true, digits: 2},
	hlo.F8E4M3:        {exp: 4, man: 3, bias: 7, inf: true, digits: 3},
	hlo.F8E4M3FN:      {exp: 4, man: 3, bias: 7, nan: nanOnes, digits: 3},
	hlo.F8E4M3B11FNUZ: {exp: 4, man: 3, bias: 11, nan: nanMinusZero, digits: 3},
	hlo.F8E3M4:        {exp: 3, man: 4, bias: 3, inf: true, digits: 3},
	hlo.F8E5M2FNUZ:    {exp: 5, man: 2, bias: 16, nan: nanMinusZero, digits: 2},
	hlo.F8E4M3FNUZ:    {exp: 4, man: 3, bias: 8, nan: nanMinusZero, digits: 3},
	hlo.F8E8M0FNU:     {exp: 8, man: 0, bias: 127, unsigned: true, nan: nanOnes, digits: 2},
	hlo.F16:           {exp: 5, man: 10, bias: 15, inf: true, digits: 5, viaF32: true},
	hlo.BF16:          {exp: 8, man: 7, bias: 127, inf: true, digits: 4, viaF32: true},
	hlo.F32:           {exp: 8, man: 23, bias: 127, inf: true, digits: 6, exact: 9},
	hlo.F64:           {exp: 11, man: 52, bias: 1023, inf: true, digits: 15, exact: 17},
}

// double is the format of the values that XLA reads numbers into before it rounds them to the element type.
var double = &formats[hlo.F64]

// magnitude is the mask of the exponent and mantissa; the sign, where there is one, stands above it.
func (f *format) magnitude() uint64 { return 1<<(f.exp+f.man) - 1 }

func (f *format) sign() uint64 {
	if f.unsigned {
		return 0
	}
	return 1 << (f.exp + f.man)
}

// infinity is the pattern of +inf: the top exponent, mantissa 0.
func (f *format) infinity() uint64 { return f.magnitude() &^ f.payloads() }

// payloads is the mask of NaN payloads, which is the mantissa; quiet is the payload of a plain nan.
func (f *format) payloads() uint64 { return 1<<f.man - 1 }
func (f *format) quiet() uint64    { return 1 << (f.man - 1) }

// largest is the pattern of the largest finite value.
func (f *format) largest() uint64 {
	switch {
	case f.inf:
		return f.infinity() - 1
	case f.nan == nanOnes:
		return f.magnitude() - 1
	}
	return f.magnitude()
}

func (f *format) isNaN(b uint64) bool {
	switch f.nan {
	case nanPayload:
		return b&f.magnitude() > f.infinity()
	case nanOnes:
		return b&f.magnitude() == f.magnitude()
	case nanMinusZero:
		return b == f.sign()
	}
	return false
}

// plainNaN is what XLA makes of a NaN without payload. The types without any NaN get a zero with the other sign.
func (f *format) plainNaN(negative bool) uint64 {
	var s uint64
	if negative {
		s = f.sign()
	}
	switch f.nan {
	case nanPayload:
		return s | f.infinity() | f.quiet()
	case nanOnes:
		return s | f.magnitude()
	case nanMinusZero:
		return f.sign()
	}
	return f.sign() &^ s
}

// round returns the pattern nearest to the double with bits v, ties to the even pattern; finite is false where that is
// infinite or NaN. What is too large becomes an infinity, without one a NaN, without one the largest value. In unsigned
// types what is not above 0 becomes NaN.
func (f *format) round(v uint64) (b uint64, finite bool) {
	if f.viaF32 && !double.isNaN(v) {
		v = math.Float64bits(float64(float32(math.Float64frombits(v))))
	}
	negative := v>>63 != 0
	exp, man := int(v>>52&0x7ff), v&double.payloads()
	if f.unsigned && (negative || v == 0 || exp == 0x7ff) || exp == 0x7ff && man != 0 {
		return f.plainNaN(negative), false
	}
	var s uint64
	if negative {
		s = f.sign()
	}
	if exp == 0x7ff || exp == 0 && f.man < 52 {
		if exp == 0 { // a denormal double is less than half of the smallest value of any narrower type
			return f.signed(s, 0), true
		}
		return f.overflow(s)
	}
	if f.man == 52 {
		return v, true
	}
	e, lowest := exp-1023+f.bias, 1
	if f.unsigned {
		lowest = 0
	}
	man |= 1 << 52
	shift := 52 - f.man
	if e < lowest {
		if f.unsigned {
			return 0, true
		}
		shift += lowest - e
		e = lowest
	}
	if shift > 54 {
		return f.signed(s, 0), true
	}
	q, rest, half := man>>shift, man&(1<<shift-1), uint64(1)<<(shift-1)
	if rest > half || rest == half && q&1 == 1 {
		q++
	} else if f.unsigned && e == 0 && rest > 0 {
		// XLA's f8e8m0fnu takes all between 2^-127 and 2^-126 for 2^-126, and all below for 2^-127. So its smallest
		// value, which prints as 5.9e-39, does not read back.
		q++
	}
	// q holds the leading 1 of normal values, which adds 1 to the exponent; so does a carry out of the mantissa.
	b = uint64(e-1)<<f.man + q
	if b > f.largest() {
		return f.overflow(s)
	}
	return f.signed(s, b), true
}

func (f *format) overflow(s uint64) (b uint64, finite bool) {
	switch {
	case f.inf:
		return s | f.infinity(), false
	case f.nan == nanNone:
		return s | f.largest(), true
	}
	return f.plainNaN(s != 0), false
}

// signed puts the sign s to the magnitude b, but for a zero in types without -0.
func (f *format) signed(s, b uint64) uint64 {
	if b == 0 && f.nan == nanMinusZero {
		return 0
	}
	return s | b
}

// value returns the number a pattern stands for; every pattern but a NaN is exact as a float64.
func (f *format) value(b uint64) float64 {
	if f.man == 52 {
		return math.Float64frombits(b)
	}
	var s uint64
	if b&f.sign() != 0 {
		s = 1 << 63
	}
	m := b & f.magnitude()
	exp, man := int(m>>f.man), m&f.payloads()
	switch {
	case f.isNaN(b):
		return math.Float64frombits(s | double.infinity() | double.quiet())
	case f.inf && m == f.infinity():
		return math.Float64frombits(s | double.infinity())
	case exp == 0 && !f.unsigned: // a denormal: move its leading 1 to its place
		if man == 0 {
			return math.Float64frombits(s)
		}
		up := f.man + 1 - bits.Len64(man)
		exp, man = 1-up, man<<up&f.payloads()
	}
	return math.Float64frombits(s | uint64(exp-f.bias+1023)<<52 | man<<(52-f.man))
}

// fromDouble returns the pattern that XLA stores for a number it has read as the double with bits v, or says what is
// wrong with the number.
func (f *format) fromDouble(v uint64) (uint64, problem) {
	if double.isNaN(v) {
		return f.fromNaN(v)
	}
	b, finite := f.round(v)
	if !finite && v&double.magnitude() != double.infinity() {
		return 0, outOfRange
	}
	return b, fine
}

// fromNaN moves a NaN's payload to the type. A double's quiet NaN stands for the type's own.
func (f *format) fromNaN(v uint64) (uint64, problem) {
	negative, payload := v>>63 != 0, v&double.payloads()
	switch {
	case payload == double.quiet():
		return f.plainNaN(negative), fine
	case f.nan != nanPayload:
		return 0, noPayload
	case payload > f.payloads():
		return 0, payloadTooLarge
	}
	b := f.infinity() | payload
	if negative {
		b |= f.sign()
	}
	return b, fine
}

// castNaN is what a conversion of C makes of the NaN v: the upper bits of the payload stay, and it becomes quiet.
func (f *format) castNaN(v uint64) uint64 {
	if f.man == 52 {
		return v
	}
	b := f.infinity() | f.quiet() | v&double.payloads()>>(52-f.man)
	if v>>63 != 0 {
		b |= f.sign()
	}
	return b
}

// append appends the number as XLA prints it, which is as C's printf does.
func (f *format) append(dst []byte, b uint64) []byte {
	if b&f.sign() != 0 && (f.isNaN(b) || f.inf && b&f.magnitude() == f.infinity()) {
		dst = append(dst, '-')
	}
	switch {
	case f.isNaN(b):
		dst = append(dst, "nan"...)
		if p := b & f.payloads(); f.nan == nanPayload && p != f.quiet() {
			dst = append(strconv.AppendUint(append(dst, "(0x"...), p, 16), ')')
		}
		return dst
	case f.inf && b&f.magnitude() == f.infinity():
		return append(dst, "inf"...)
	}
	v := f.value(b)
	start := len(dst)
	dst = strconv.AppendFloat(dst, v, 'g', f.digits, 64)
	if f.exact == 0 {
		return dst
	}
	if back, err := strconv.ParseFloat(string(dst[start:]), 1+f.exp+f.man); err == nil && back == v {
		return dst
	}
	return strconv.AppendFloat(dst[:start], v, 'g', f.exact, 64)
}
