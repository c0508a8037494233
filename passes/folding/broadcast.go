package folding

import "hlolayout/hlo"

// sunkBroadcast computes what is elementwise of one broadcast array, and of scalars, before the broadcast.
func sunkBroadcast(w *simplifier, in *hlo.Instruction) *hlo.Instruction {
	if !in.Opcode.Elementwise() || in.Opcode == hlo.OpCopy || in.Opcode == hlo.OpComplex ||
		!in.Shape.IsArray() || in.Shape.IsDynamic() ||
		in.Attr("sharding") != nil {
		return nil
	}
	var from *hlo.Instruction
	for _, o := range in.Operands {
		switch {
		case spread(o):
		case o.Opcode != hlo.OpBroadcast || from != nil && o != from || len(o.Shape.Dims) != len(in.Shape.Dims):
			return nil
		default:
			from = o
		}
	}
	if from == nil {
		return nil
	}
	computeBefore(w, in, hlo.OpBroadcast, from.Operands[0].Shape.Dims, func(o *hlo.Instruction) bool { return o == from })
	set(in, "dimensions", from.Ints("dimensions"))
	return in
}

// computeBefore makes an elementwise operation one on arrays of dimensions narrow, and in what widens its result. The
// operands for which widened holds are read before they were; the others are scalars, alone or broadcast.
func computeBefore(w *simplifier, in *hlo.Instruction, widen hlo.Opcode, narrow []int64,
	widened func(*hlo.Instruction) bool) {
	operands := make([]*hlo.Instruction, len(in.Operands))
	for i, o := range in.Operands {
		switch {
		case widened(o):
			operands[i] = o.Operands[0]
		case o.Shape.IsScalar():
			operands[i] = o
		default:
			operands[i] = w.make(hlo.OpBroadcast, o, narrow, o.Operands[0])
			set(operands[i], "dimensions", nil)
		}
	}
	n := w.make(in.Opcode, in, narrow, operands...)
	n.Attrs = in.Attrs
	n.Name, in.Name = in.Name, n.Name
	become(w, in, widen, n)
}

// spread reports whether a value is a scalar, or one that is broadcast.
func spread(in *hlo.Instruction) bool {
	return in.Shape.IsScalar() || in.Opcode == hlo.OpBroadcast && in.Operands[0].Shape.IsScalar()
}
