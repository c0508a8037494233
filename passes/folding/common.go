package folding

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"slices"

	"hlolayout/hlo"
)

// merge leaves one of several instructions of the same value. The compiler's cse comes before its other passes, too:
// broadcasts of equal iotas are merged there; the iotas that algsimp makes of broadcasts of different ones stay apart
// (two of s32[2048,512] that came of s32[512] and s32[1,512] got different layouts).
func (w *simplifier) merge() {
	for _, c := range w.Module.InMemory() {
		w.seen = w.seen[:0]
		if n := w.rewrite(c, w.common); n > 0 {
			w.Applied["common"] += n
		}
	}
}

// commutes are the operations of which two with the same operands in either order are the same (12 of 12 probes, of
// numbers and predicates; comparisons in the other order stay).
var commutes = [256]bool{hlo.OpAdd: true, hlo.OpMultiply: true, hlo.OpMaximum: true, hlo.OpMinimum: true,
	hlo.OpAnd: true, hlo.OpOr: true, hlo.OpXor: true}

// operandsKey appends operandKey of all operands of an instruction.
func operandsKey(b []byte, in *hlo.Instruction) []byte {
	start := len(b)
	for i, o := range in.Operands {
		second := len(b)
		b = operandKey(b, o)
		if i == 1 && commutes[in.Opcode] && bytes.Compare(b[start:second], b[second:]) > 0 {
			first := slices.Clone(b[start:second])
			b = append(append(b[:start], b[second:]...), first...)
		}
	}
	return b
}

// operandKey appends what tells an operand from others. The compiler's cse does not merge iotas, as they have no
// operands, but it does merge what reads equal ones: a module with two of s32[48] that a sum and a product read keeps
// both, and one of two sums.
func operandKey(b []byte, o *hlo.Instruction) []byte {
	if o.Opcode != hlo.OpIota {
		return binary.AppendUvarint(b, uint64(o.Index)+1)
	}
	b = append(b, 0, byte(o.Shape.DType))
	b = fmt.Append(b, o.Shape.Dims, o.Shape.MinorToMajor())
	if at := o.Attr("iota_dimension"); at != nil {
		b = append(b, at.Text...)
	}
	return append(b, ',')
}
