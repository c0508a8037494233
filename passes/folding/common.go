package folding

import (
	"encoding/binary"
	"fmt"

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
