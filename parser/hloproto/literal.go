package hloproto

import (
	"encoding/binary"
	"math"

	"hlolayout/hlo"
	"hlolayout/hlo/literal"
	"hlolayout/parser/hloproto/internal/hlopb"
)

// constant prints the value of a constant, in full; one whose value the dump leaves out prints as {...}.
func (w *writer) constant(in *instruction) {
	if in.Literal == nil {
		w.text("{...}")
		return
	}
	at := spot{in, "literal", -1}
	l := w.literal(in.Literal, at)
	if s := w.result(in); !s.Compatible(l.Shape()) {
		failf(at.path(".shape"), "the value is %s and the constant %s", l.Shape(), s)
	}
	w.out = l.AppendText(w.out)
}

// literalAttribute prints the constant that a custom-call carries, with its shapes.
func (w *writer) literalAttribute(in *instruction) bool {
	if in.Literal != nil {
		w.typedLiteral(in.Literal, spot{in, "literal", -1})
	}
	return in.Literal != nil
}

func (w *writer) typedLiteral(p *hlopb.LiteralProto, at spot) {
	if p.GetShape().GetElementType() != hlopb.PrimitiveType_TUPLE {
		l := w.literal(p, at)
		w.out = append(l.Shape().Append(w.out, true), ' ')
		w.out = l.AppendText(w.out)
		return
	}
	w.text("( ")
	w.list(len(p.TupleLiterals), ", ", func(i int) { w.typedLiteral(p.TupleLiterals[i], at) })
	w.text(" )")
}

// literal decodes the value of a message.
func (w *writer) literal(p *hlopb.LiteralProto, at spot) *literal.Literal {
	s := w.shape(p.GetShape(), at)
	if s.IsTuple() {
		parts := make([]*literal.Literal, len(p.TupleLiterals))
		if len(parts) != len(s.Elems) {
			failf(at.path(".tuple_literals"), "it has %d parts, and its shape %d", len(parts), len(s.Elems))
		}
		for i, e := range p.TupleLiterals {
			parts[i] = w.literal(e, at)
		}
		return literal.Tuple(parts...)
	}
	bits := elements(p, s, at)
	l, err := literal.FromBits(s, bits)
	if err != nil {
		failf(at.path(""), "%v", err)
	}
	return l
}

// elements returns the bits of a literal's elements in row-major order; for complex types the real and the imaginary
// parts.
func elements(p *hlopb.LiteralProto, s *hlo.Shape, at spot) []uint64 {
	var bits []uint64
	switch s.DType {
	case hlo.Pred:
		bits = convert(p.Preds, func(b bool) uint64 {
			if b {
				return 1
			}
			return 0
		})
	case hlo.S32:
		bits = convert(p.S32S, func(n int32) uint64 { return uint64(uint32(n)) })
	case hlo.S64:
		bits = convert(p.S64S, func(n int64) uint64 { return uint64(n) })
	case hlo.U32:
		bits = convert(p.U32S, func(n uint32) uint64 { return uint64(n) })
	case hlo.U64:
		bits = p.U64S
	case hlo.F32:
		bits = convert(p.F32S, func(f float32) uint64 { return uint64(math.Float32bits(f)) })
	case hlo.F64:
		bits = convert(p.F64S, math.Float64bits)
	case hlo.C64:
		bits = convert(p.C64S, func(f float32) uint64 { return uint64(math.Float32bits(f)) })
	case hlo.C128:
		bits = convert(p.C128S, math.Float64bits)
	default:
		n, ok := s.Elements()
		field := packedBytes(p, s.DType)
		if field == nil {
			failf(at.path(""), "a constant cannot be %s", s)
		}
		packed := *field
		per, size := packedPerByte(s.DType), int64(len(packed))
		if !ok || n > per*size || (n+per-1)/per != size && int64(s.DType.Bits()+7)/8*n != size {
			failf(at.path(""), "%d bytes do not make a constant %s", len(packed), s)
		}
		bits = unpack(packed, s.DType, int(n))
	}
	return rowMajor(bits, s, at)
}

func convert[T any](values []T, bits func(T) uint64) []uint64 {
	out := make([]uint64, len(values))
	for i, v := range values {
		out[i] = bits(v)
	}
	return out
}

// packedBytes returns the field of an element type that a message keeps as bytes, nil for other types.
func packedBytes(p *hlopb.LiteralProto, d hlo.DType) *[]byte {
	return map[hlo.DType]*[]byte{
		hlo.S1: &p.S1S, hlo.S2: &p.S2S, hlo.S4: &p.S4S, hlo.S8: &p.S8S, hlo.S16: &p.S16S,
		hlo.U1: &p.U1S, hlo.U2: &p.U2S, hlo.U4: &p.U4S, hlo.U8: &p.U8S, hlo.U16: &p.U16S, hlo.F16: &p.F16S,
		hlo.BF16:     &p.Bf16S,
		hlo.F4E2M1FN: &p.F4E2M1Fns, hlo.F6E2M3FN: &p.F6E2M3Fns, hlo.F6E3M2FN: &p.F6E3M2Fns,
		hlo.F8E5M2: &p.F8E5M2S, hlo.F8E4M3: &p.F8E4M3S, hlo.F8E4M3FN: &p.F8E4M3Fns,
		hlo.F8E4M3B11FNUZ: &p.F8E4M3B11Fnuzs,
		hlo.F8E3M4:        &p.F8E3M4S, hlo.F8E5M2FNUZ: &p.F8E5M2Fnuzs, hlo.F8E4M3FNUZ: &p.F8E4M3Fnuzs,
		hlo.F8E8M0FNU: &p.F8E8M0Fnus,
	}[d]
}

// packedPerByte is how many elements share a byte.
func packedPerByte(d hlo.DType) int64 {
	if bits := d.Bits(); bits <= 4 {
		return int64(8 / bits)
	}
	return 1
}

func unpack(b []byte, d hlo.DType, n int) []uint64 {
	out := make([]uint64, n)
	if d.Bits() == 16 {
		for i := range out {
			out[i] = uint64(binary.LittleEndian.Uint16(b[2*i:]))
		}
		return out
	}
	per, bits := int(packedPerByte(d)), d.Bits()
	for i := range out {
		if len(b) == n { // one element in each byte
			out[i] = uint64(b[i]) & (1<<bits - 1)
			continue
		}
		out[i] = uint64(b[i/per]>>(i%per*bits)) & (1<<bits - 1)
	}
	return out
}

// pack is the inverse of unpack for elements that share bytes.
func pack(bits []uint64, d hlo.DType) []byte {
	per := int(packedPerByte(d))
	out := make([]byte, (len(bits)+per-1)/per)
	for i, b := range bits {
		out[i/per] |= byte(b) << (i % per * d.Bits())
	}
	return out
}

// rowMajor puts elements, which a message holds in the order of the layout, into the order of the text.
func rowMajor(bits []uint64, s *hlo.Shape, at spot) []uint64 {
	order := s.MinorToMajor()
	straight := true
	for i, d := range order {
		straight = straight && d == len(order)-1-i
	}
	n, ok := s.Elements()
	split := 1
	if s.DType.Class() == hlo.ClassComplex {
		split = 2
	}
	if !ok || len(bits)%split != 0 || int64(len(bits)/split) != n {
		failf(at.path(""), "%d values do not make a constant %s", len(bits)/split, s)
	}
	if straight || n == 0 {
		return bits
	}
	out := make([]uint64, 0, len(bits))
	for _, place := range storage(s, at) {
		out = append(out, bits[place*split:(place+1)*split]...)
	}
	return out
}

// storage returns for each element of an array, in row-major order, the place in the order of its layout.
func storage(s *hlo.Shape, at spot) []int {
	order := s.MinorToMajor()
	if !hlo.IsPermutation(order) {
		failf(at.path(".shape.layout.minor_to_major"), "%v is not an order of %d dimensions", order, s.Rank())
	}
	strides := make([]int, len(order))
	size := 1
	for _, d := range order {
		strides[d] = size
		size *= int(s.Dims[d])
	}
	places := make([]int, 0, size)
	index := make([]int64, len(order))
	for place := 0; len(places) < size; {
		places = append(places, place)
		for d := len(index) - 1; d >= 0; d-- {
			index[d]++
			place += strides[d]
			if index[d] < s.Dims[d] {
				break
			}
			place -= strides[d] * int(s.Dims[d])
			index[d] = 0
		}
	}
	return places
}
