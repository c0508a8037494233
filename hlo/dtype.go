package hlo

import "strings"

// DType is an element type. Its text, width and class are in one table.
type DType uint8

// The element types of HLO, in the order of the table below. DTypeInvalid is the zero value.
const (
	DTypeInvalid DType = iota
	Pred
	S1
	S2
	S4
	S8
	S16
	S32
	S64
	U1
	U2
	U4
	U8
	U16
	U32
	U64
	F4E2M1FN
	F6E2M3FN
	F6E3M2FN
	F8E5M2
	F8E4M3
	F8E4M3FN
	F8E4M3B11FNUZ
	F8E3M4
	F8E5M2FNUZ
	F8E4M3FNUZ
	F8E8M0FNU
	F16
	BF16
	F32
	F64
	C64
	C128
	TokenType
	OpaqueType
	numDTypes
)

// DTypeClass says how the elements of a type are read and printed.
type DTypeClass uint8

// The classes of element types.
const (
	ClassNone DTypeClass = iota
	ClassPred
	ClassSigned
	ClassUnsigned
	ClassFloat
	ClassComplex
)

type dtypeRow struct {
	name  string
	bits  int // logical width of one element; PRED is one byte
	class DTypeClass
}

var dtypeTable = [numDTypes]dtypeRow{
	DTypeInvalid:  {"invalid", 0, ClassNone},
	Pred:          {"pred", 8, ClassPred},
	S1:            {"s1", 1, ClassSigned},
	S2:            {"s2", 2, ClassSigned},
	S4:            {"s4", 4, ClassSigned},
	S8:            {"s8", 8, ClassSigned},
	S16:           {"s16", 16, ClassSigned},
	S32:           {"s32", 32, ClassSigned},
	S64:           {"s64", 64, ClassSigned},
	U1:            {"u1", 1, ClassUnsigned},
	U2:            {"u2", 2, ClassUnsigned},
	U4:            {"u4", 4, ClassUnsigned},
	U8:            {"u8", 8, ClassUnsigned},
	U16:           {"u16", 16, ClassUnsigned},
	U32:           {"u32", 32, ClassUnsigned},
	U64:           {"u64", 64, ClassUnsigned},
	F4E2M1FN:      {"f4e2m1fn", 4, ClassFloat},
	F6E2M3FN:      {"f6e2m3fn", 6, ClassFloat},
	F6E3M2FN:      {"f6e3m2fn", 6, ClassFloat},
	F8E5M2:        {"f8e5m2", 8, ClassFloat},
	F8E4M3:        {"f8e4m3", 8, ClassFloat},
	F8E4M3FN:      {"f8e4m3fn", 8, ClassFloat},
	F8E4M3B11FNUZ: {"f8e4m3b11fnuz", 8, ClassFloat},
	F8E3M4:        {"f8e3m4", 8, ClassFloat},
	F8E5M2FNUZ:    {"f8e5m2fnuz", 8, ClassFloat},
	F8E4M3FNUZ:    {"f8e4m3fnuz", 8, ClassFloat},
	F8E8M0FNU:     {"f8e8m0fnu", 8, ClassFloat},
	F16:           {"f16", 16, ClassFloat},
	BF16:          {"bf16", 16, ClassFloat},
	F32:           {"f32", 32, ClassFloat},
	F64:           {"f64", 64, ClassFloat},
	C64:           {"c64", 64, ClassComplex},
	C128:          {"c128", 128, ClassComplex},
	TokenType:     {"token", 0, ClassNone},
	OpaqueType:    {"opaque", 0, ClassNone},
}

var dtypeByName = func() map[string]DType {
	m := make(map[string]DType, numDTypes)
	for d := Pred; d < numDTypes; d++ {
		m[dtypeTable[d].name] = d
	}
	return m
}()

// ParseDType returns the element type with the given name. The name is lower case, as XLA
// prints it; the upper-case names of old dumps (F32) are known too. ok is false for any other text.
func ParseDType(name string) (d DType, ok bool) {
	d, ok = dtypeByName[name]
	if !ok {
		d, ok = dtypeByName[strings.ToLower(name)]
	}
	return d, ok
}

// String returns the type's name in HLO text, such as "bf16".
func (d DType) String() string {
	if d >= numDTypes {
		d = DTypeInvalid
	}
	return dtypeTable[d].name
}

// Bits returns the width of one element in bits (8 for PRED, 128 for C128, 0 for token and opaque).
func (d DType) Bits() int {
	if d >= numDTypes {
		return 0
	}
	return dtypeTable[d].bits
}

// Class returns how elements of the type are read and printed.
func (d DType) Class() DTypeClass {
	if d >= numDTypes {
		return ClassNone
	}
	return dtypeTable[d].class
}

// IsArray reports whether the type can be the element type of an array (all but token and opaque).
func (d DType) IsArray() bool { return d > DTypeInvalid && d < TokenType }

// DTypes returns every element type of arrays, in table order.
func DTypes() []DType {
	var out []DType
	for d := Pred; d < TokenType; d++ {
		out = append(out, d)
	}
	return out
}

// IsReservedName reports whether a name cannot be an instruction's: XLA appends `_` to the name of an element type and
// changes a leading `__` that is not followed by `xla_` (its SanitizeName).
func IsReservedName(name string) bool {
	if d, ok := dtypeByName[name]; ok && d != DTypeInvalid {
		return true
	}
	return strings.HasPrefix(name, "__") && !strings.HasPrefix(name, "__xla_")
}
