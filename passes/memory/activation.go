package memory

import (
	"slices"

	"hlolayout/hlo"
)

// activation reports whether some use of a value makes it look like data rather than a weight (XLA's
// LooksLikeAnActivation).
func (e *engine) activation(in *hlo.Instruction, depth int) bool {
	return depth > 100 || slices.ContainsFunc(e.usesOf(in), func(u hlo.Use) bool { return e.readsData(u, depth+1) })
}

// readsData reports whether a use takes data: the first operand of a product, the indices of a gather. What only moves
// or sums a value leaves it to its own users.
func (e *engine) readsData(use hlo.Use, depth int) bool {
	u, k := use.User, int(use.Operand)
	switch u.Opcode {
	case hlo.OpConvolution, hlo.OpDot:
		return k == 0
	case hlo.OpGather:
		return k == 1
	case hlo.OpFusion:
		body := u.CalledBy("calls")
		if body == nil {
			return true
		}
		ps := body.Parameters()
		return k < len(ps) && ps[k] != nil && e.activation(ps[k], depth)
	case hlo.OpBitcast, hlo.OpBroadcast, hlo.OpTranspose:
		return e.activation(u, depth)
	case hlo.OpCopy:
		callers := u.Computation.Callers()
		return !u.Computation.IsFused() || !u.IsRoot() || len(callers) == 0 || e.activation(callers[0].Instruction, depth)
	case hlo.OpDynamicSlice, hlo.OpDynamicUpdateSlice:
		return k > 0 || e.activation(u, depth)
	case hlo.OpReduce:
		return k >= len(u.Operands)/2 || e.activation(u, depth)
	}
	return true
}

// usesOf returns the uses of an instruction, in whatever computation it is.
func (e *engine) usesOf(in *hlo.Instruction) []hlo.Use {
	if e.uses == nil {
		e.uses = map[*hlo.Computation]hlo.Uses{}
	}
	u, ok := e.uses[in.Computation]
	if !ok {
		u = in.Computation.Uses()
		e.uses[in.Computation] = u
	}
	return u.Of(in)
}
