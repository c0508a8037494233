package folding

import (
	"slices"

	"hlolayout/hlo"
)

// rearranged is a reshape or transpose of an array, or what is elementwise of such and so may become one.
type rearranged struct {
	op    hlo.Opcode
	dims  []int64 // of what is rearranged
	order []int   // of a transpose
	units bool    // a reshape that adds dimensions of one element
}

// rearranges reports whether an instruction is a reshape or a transpose that may move.
func rearranges(in *hlo.Instruction) bool {
	return (in.Opcode == hlo.OpReshape || in.Opcode == hlo.OpTranspose) && in.Attr("sharding") == nil &&
		!in.Shape.IsDynamic() && !in.Operands[0].Shape.IsDynamic()
}

// rearrangement returns what an instruction rearranges, nil for other instructions.
func rearrangement(in *hlo.Instruction) *rearranged {
	if !rearranges(in) {
		return nil
	}
	r := &rearranged{op: in.Opcode, dims: in.Operands[0].Shape.Dims}
	if in.Opcode == hlo.OpTranspose {
		r.order = in.Ints("dimensions")
	} else {
		r.units = len(r.dims) < in.Shape.Rank() && units(in)
	}
	return r
}

func (r *rearranged) equal(o *rearranged) bool {
	return r.op == o.op && slices.Equal(r.dims, o.dims) && slices.Equal(r.order, o.order)
}

// sinkable reports whether an operation is elementwise and may be computed before what its operands are rearranged by.
func sinkable(in *hlo.Instruction) bool {
	return elementwise(in.Opcode) && in.Opcode != hlo.OpCopy && in.Opcode != hlo.OpComplex && in.Shape.IsArray() &&
		!in.Shape.IsDynamic() && in.Attr("sharding") == nil && !uneven(in)
}

// elementwise is Opcode.Elementwise for what bitcasts are when those between widths are arithmetic.
func elementwise(op hlo.Opcode) bool { return op.Elementwise() || op == hlo.OpBitcastConvert }

// uneven reports whether an operand has other dimensions than the result, which no elementwise operation of a valid
// module has but for scalars.
func uneven(in *hlo.Instruction) bool {
	for _, o := range in.Operands {
		if o.Shape != in.Shape && !o.Shape.IsScalar() && !slices.Equal(o.Shape.Dims, in.Shape.Dims) {
			return true
		}
	}
	return false
}

// commonRearrangement returns the rearrangement that the operands of an elementwise operation have in common, nil for
// none: scalars have any, a broadcast has a transpose that leaves its dimensions in their order (24 of 24 probes), and
// a reshape has that of another one which adds dimensions of one element.
func commonRearrangement(in *hlo.Instruction, of func(*hlo.Instruction) *rearranged) (found *rearranged) {
	if !sinkable(in) {
		return nil
	}
	alike := true
	for _, o := range in.Operands {
		if spread(o) {
			continue
		}
		r := of(o)
		if r == nil && isBroadcast(o) {
			continue
		}
		switch {
		case r == nil || !slices.Equal(o.Shape.Dims, in.Shape.Dims) || found != nil && r.op != found.op:
			return nil
		case found == nil:
			found = r
		case !r.equal(found):
			alike = false
			if r.units && !found.units {
				found = r
			}
		}
	}
	if found == nil || !alike && !found.units {
		return nil
	}
	if slices.ContainsFunc(in.Operands, func(o *hlo.Instruction) bool {
		return isBroadcast(o) && !spread(o) && !found.leavesOrder(o)
	}) {
		return nil
	}
	return found
}

// isBroadcast reports whether a value is an array that is broadcast and may be rearranged.
func isBroadcast(in *hlo.Instruction) bool {
	return in.Opcode == hlo.OpBroadcast && in.Attr("sharding") == nil
}

// leavesOrder reports whether a transpose leaves the dimensions of a broadcast in their order.
func (r *rearranged) leavesOrder(o *hlo.Instruction) bool {
	return r.op == hlo.OpTranspose && slices.IsSorted(r.before(o))
}

// before returns the dimensions of a broadcast as they are before a transpose.
func (r *rearranged) before(o *hlo.Instruction) []int {
	return sizes(r.order, o.Ints("dimensions"))
}

// sunk computes an elementwise operation before what its operands are rearranged by.
func sunk(w *simplifier, in *hlo.Instruction) *hlo.Instruction {
	if !w.note(in).sinks {
		return nil
	}
	r := commonRearrangement(in, rearrangement)
	if r == nil {
		return nil
	}
	for i, o := range in.Operands {
		switch {
		case spread(o):
		case isBroadcast(o):
			narrow := broadcast(w, o, o.Operands[0], r.dims, r.before(o))
			in.Operands[i] = transposed(w, narrow, r.order)
		case !rearrangement(o).equal(r):
			narrow := w.make(hlo.OpReshape, o, r.dims, o.Operands[0])
			in.Operands[i] = w.make(hlo.OpReshape, o, o.Shape.Dims, narrow)
		}
	}
	w.note(in).sinks = false
	computeBefore(w, in, r.op, r.dims, func(o *hlo.Instruction) bool { return !spread(o) })
	if r.op == hlo.OpTranspose {
		set(in, "dimensions", r.order)
	}
	return in
}
