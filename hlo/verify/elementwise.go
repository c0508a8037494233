package verify

import (
	"hlolayout/hlo"
)

// unaryTypes says which element types each unary operation takes (XLA's InferUnaryOpShape).
var unaryTypes = [256]typeSet{
	hlo.OpFloor: float, hlo.OpCeil: float, hlo.OpCbrt: float, hlo.OpErf: float,
	hlo.OpRoundNearestAfz: float, hlo.OpRoundNearestEven: float, hlo.OpIsFinite: float,
	hlo.OpAsin: float | complexType, hlo.OpAsinh: float | complexType, hlo.OpAcos: float | complexType,
	hlo.OpAcosh: float | complexType, hlo.OpAtanh: float | complexType, hlo.OpCosh: float | complexType,
	hlo.OpCosine: float | complexType, hlo.OpSinh: float | complexType, hlo.OpSine: float | complexType,
	hlo.OpExponential: float | complexType, hlo.OpExponentialMinusOne: float | complexType,
	hlo.OpLog: float | complexType, hlo.OpLogPlusOne: float | complexType, hlo.OpLogistic: float | complexType,
	hlo.OpRsqrt: float | complexType, hlo.OpSqrt: float | complexType, hlo.OpTan: float | complexType,
	hlo.OpTanh: float | complexType, hlo.OpReal: float | complexType, hlo.OpImag: float | complexType,
	hlo.OpAbs: signedInt | float | complexType, hlo.OpSign: signedInt | float | complexType,
	hlo.OpNegate:            integer | float | complexType,
	hlo.OpCountLeadingZeros: integer, hlo.OpPopcnt: integer,
	hlo.OpNot: predType | integer,
}

// binaryTypes says which element types each binary operation takes (XLA's InferBinaryOpShape).
var binaryTypes = [256]typeSet{
	hlo.OpAdd: anyType, hlo.OpMaximum: anyType, hlo.OpMinimum: anyType, hlo.OpMultiply: anyType, hlo.OpMulhi: anyType,
	hlo.OpCompare: anyType, hlo.OpSubtract: anyType &^ predType, hlo.OpPower: anyType &^ predType,
	hlo.OpDivide: anyType &^ predType, hlo.OpRemainder: anyType &^ predType, hlo.OpShiftLeft: anyType &^ predType,
	hlo.OpShiftRightArithmetic: anyType &^ predType, hlo.OpShiftRightLogical: anyType &^ predType,
	hlo.OpAtan2: float | complexType, hlo.OpComplex: float,
	hlo.OpAnd: predType | integer, hlo.OpOr: predType | integer, hlo.OpXor: predType | integer,
}

var elementwiseRules = []rule{
	hlo.OpCopy: operandShape, hlo.OpDomain: operandShape, hlo.OpOptBarrier: operandShape,
	hlo.OpConvert: convert, hlo.OpReducePrecision: reducePrecision, hlo.OpStochasticConvert: stochasticConvert,
	hlo.OpClamp: clamp, hlo.OpSelect: selectShape,
}

// componentOf returns the type of a complex number's parts, any other type as it is.
func componentOf(d hlo.DType) hlo.DType {
	switch d {
	case hlo.C64:
		return hlo.F32
	case hlo.C128:
		return hlo.F64
	}
	return d
}

func unary(in *hlo.Instruction) (*hlo.Shape, error) {
	if err := allArrays(in); err != nil {
		return nil, err
	}
	if err := takes(in, 0, unaryTypes[in.Opcode]); err != nil {
		return nil, err
	}
	s := in.Operands[0].Shape
	switch in.Opcode {
	case hlo.OpReal, hlo.OpImag, hlo.OpAbs:
		if d := componentOf(s.DType); d != s.DType {
			return withType(s, d), nil
		}
	case hlo.OpIsFinite:
		return withType(s, hlo.Pred), nil
	}
	return s, nil
}

func binary(in *hlo.Instruction) (*hlo.Shape, error) {
	if err := allArrays(in); err != nil {
		return nil, err
	}
	if err := takes(in, 0, binaryTypes[in.Opcode]); err != nil {
		return nil, err
	}
	a, b := in.Operands[0].Shape, in.Operands[1].Shape
	if !sameType(a.DType, b.DType) {
		return nil, differentTypes(in)
	}
	s, err := broadcastTogether(a, b)
	if err != nil {
		return nil, err
	}
	switch in.Opcode {
	case hlo.OpCompare:
		if err := comparison(in); err != nil {
			return nil, err
		}
		return withType(s, hlo.Pred), nil
	case hlo.OpComplex:
		switch {
		case a.DType == hlo.F32 && b.DType == hlo.F32:
			return withType(s, hlo.C64), nil
		case a.DType == hlo.F64 && b.DType == hlo.F64:
			return withType(s, hlo.C128), nil
		}
		return nil, fail(VER103, "the parts are %s and %s; complex takes two f32 or two f64", a.DType, b.DType)
	}
	return s, nil
}

func differentTypes(in *hlo.Instruction) error {
	return fail(VER103, "its operands have different element types: %s and %s", bare(in.Operands[0].Shape),
		bare(in.Operands[1].Shape))
}

// broadcastTogether returns the shape of a binary operation: the operands' own, or with dimensions of size 1 stretched,
// which shape inference allows and the elementwise rule of Module then refuses.
func broadcastTogether(a, b *hlo.Shape) (*hlo.Shape, error) {
	d := a.DType
	if d != b.DType {
		d = higher(d, b.DType)
	}
	switch {
	case compatibleDims(a, b) && !unbounded(a) && !unbounded(b):
		return withDynamic(withType(a, d), func(i int) bool { return dynamic(b, i) }), nil
	case a.IsScalar():
		return withType(b, d).WithLayout(nil), nil
	case b.IsScalar():
		return withType(a, d).WithLayout(nil), nil
	case a.Rank() != b.Rank():
		return nil, fail(VER104, "its operands have different ranks: %s and %s", bare(a), bare(b))
	}
	dims, dyn := make([]int64, a.Rank()), make([]bool, a.Rank())
	for i := range dims {
		from := a
		switch x, y := a.Dims[i], b.Dims[i]; {
		case x == 1:
			from = b
		case y == 1:
		case x == y:
			dims[i], dyn[i] = x, dynamic(a, i) || dynamic(b, i)
			continue
		case x == hlo.Unbounded:
			from = b
		case y == hlo.Unbounded:
		default:
			return nil, fail(VER104, "its operands have different sizes in dimension %d: %s and %s", i, bare(a),
				bare(b))
		}
		dims[i], dyn[i] = from.Dims[i], dynamic(from, i)
	}
	return newArray(d, dims, dyn), nil
}

func unbounded(s *hlo.Shape) bool {
	for _, d := range s.Dims {
		if d == hlo.Unbounded {
			return true
		}
	}
	for _, e := range s.Elems {
		if unbounded(e) {
			return true
		}
	}
	return false
}

// comparison checks the type attribute of a compare against the element type.
func comparison(in *hlo.Instruction) error {
	t := word(in, "type")
	if t == "" {
		return nil
	}
	d := in.Operands[1].Shape.DType
	want := map[hlo.DTypeClass]string{hlo.ClassPred: "UNSIGNED", hlo.ClassUnsigned: "UNSIGNED",
		hlo.ClassSigned: "SIGNED", hlo.ClassFloat: "FLOAT", hlo.ClassComplex: "FLOAT"}[d.Class()]
	if t == want || isFloat(d) && t == "TOTALORDER" {
		return nil
	}
	return fail(VER112, "type=%s does not fit operands of type %s; %s does", t, d, want)
}

func convert(in *hlo.Instruction) (*hlo.Shape, error) {
	if err := allArrays(in); err != nil {
		return nil, err
	}
	s, err := declared(in)
	if err != nil {
		return nil, err
	}
	if !s.IsArray() {
		return nil, fail(VER110, "it is declared %s; a convert gives an array", bare(s))
	}
	return withType(in.Operands[0].Shape, s.DType), nil
}

func stochasticConvert(in *hlo.Instruction) (*hlo.Shape, error) {
	s, err := convert(in)
	if err != nil {
		return nil, err
	}
	a, r := in.Operands[0].Shape, in.Operands[1].Shape
	switch {
	case r.DType.Class() != hlo.ClassUnsigned:
		return nil, fail(VER103, "the random numbers are %s; they must be unsigned integers", r.DType)
	case !isFloat(a.DType):
		return nil, fail(VER103, "operand 0 is %s; it must be a float", a.DType)
	case a.DType.Bits() != r.DType.Bits():
		return nil, fail(VER103, "the random numbers have %d bits and the operand %d; they must be equal",
			r.DType.Bits(), a.DType.Bits())
	case !compatibleDims(a, r):
		return nil, fail(VER104, "its operands have different sizes: %s and %s", bare(a), bare(r))
	}
	return s, nil
}

func reducePrecision(in *hlo.Instruction) (*hlo.Shape, error) {
	if err := allArrays(in); err != nil {
		return nil, err
	}
	if err := takes(in, 0, float); err != nil {
		return nil, err
	}
	for _, bits := range []struct {
		key   string
		least int64
	}{{"exponent_bits", 1}, {"mantissa_bits", 0}} {
		n, err := needNumber(in, bits.key)
		if err != nil {
			return nil, err
		}
		if n < bits.least {
			return nil, fail(VER112, "%s is %d; it must be at least %d", bits.key, n, bits.least)
		}
	}
	return in.Operands[0].Shape, nil
}

func clamp(in *hlo.Instruction) (*hlo.Shape, error) {
	if err := allArrays(in); err != nil {
		return nil, err
	}
	s := in.Operands[1].Shape
	for _, i := range []int{0, 2} {
		bound := in.Operands[i].Shape
		if !sameType(bound.DType, s.DType) {
			return nil, fail(VER103, "operand %d is %s, operand 1 %s; the element types must be the same", i,
				bare(bound), bare(s))
		}
		if !bound.IsScalar() && !compatibleDims(bound, s) {
			return nil, fail(VER104, "operand %d is %s; it must be a scalar or have the sizes of operand 1, %s", i,
				bare(bound), bare(s))
		}
	}
	return s, nil
}

func selectShape(in *hlo.Instruction) (*hlo.Shape, error) {
	if err := allArrays(in); err != nil {
		return nil, err
	}
	p, t, f := in.Operands[0].Shape, in.Operands[1].Shape, in.Operands[2].Shape
	switch {
	case !compatibleFloats(t, f):
		return nil, fail(VER104, "it chooses between %s and %s; they must be the same", bare(t), bare(f))
	case p.DType != hlo.Pred:
		return nil, fail(VER103, "operand 0 is %s; it must be pred", bare(p))
	case !p.IsScalar() && !compatibleDims(p, t):
		return nil, fail(VER104, "operand 0 is %s; it must be a scalar or have the sizes of operand 1, %s", bare(p),
			bare(t))
	}
	s := t
	if !p.IsScalar() { // the layout is the predicate's, but for the bits of an element
		s = p
	}
	s = withElementBits(s, elementBits(t))
	s.DType = higher(t.DType, f.DType)
	if unbounded(t) || unbounded(f) {
		dims := make([]int64, s.Rank())
		for i := range dims {
			dims[i] = max(t.Dims[i], f.Dims[i])
		}
		return newArray(s.DType, dims, nil), nil
	}
	return withDynamic(s, func(i int) bool { return dynamic(t, i) || dynamic(f, i) }), nil
}

// sameDims refuses an elementwise operation whose operands are not all of the result's size: HLO has no implicit
// broadcast (HloVerifier's CheckElementwiseInstruction). Only unary and binary operations are checked: clamp and
// select may have scalars.
func sameDims(in *hlo.Instruction) error {
	if _, most := in.Opcode.Arity(); most < 1 || most > 2 {
		return nil
	}
	for i, o := range in.Operands {
		if !compatibleDims(o.Shape, in.Shape) {
			return fail(VER104, "operand %d is %s, the result %s: broadcasts are explicit", i, bare(o.Shape),
				bare(in.Shape))
		}
	}
	return nil
}
