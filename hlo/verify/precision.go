package verify

import (
	"hlolayout/hlo"
)

// mixes marks the operations that may have operands of different float types: they pass data through, or define their
// own rule (HloVerifier's CheckMixedPrecisionOperands). libtpu refuses the mix everywhere else.
var mixes = func() (m [256]bool) {
	for _, op := range []hlo.Opcode{hlo.OpCall, hlo.OpConditional, hlo.OpConstant, hlo.OpConvolution, hlo.OpDot,
		hlo.OpRaggedDot,
		hlo.OpScaledDot, hlo.OpAllReduce, hlo.OpAllReduceStart, hlo.OpAllReduceDone, hlo.OpAllGather,
		hlo.OpAllGatherStart,
		hlo.OpAllGatherDone, hlo.OpAsyncDone, hlo.OpAsyncUpdate, hlo.OpAsyncStart, hlo.OpCollectivePermute,
		hlo.OpCollectivePermuteStart, hlo.OpCollectivePermuteDone, hlo.OpCopyDone, hlo.OpCopyStart, hlo.OpCustomCall,
		hlo.OpDomain, hlo.OpFusion, hlo.OpGetTupleElement, hlo.OpOptBarrier, hlo.OpInfeed, hlo.OpOutfeed,
		hlo.OpParameter,
		hlo.OpRecv, hlo.OpRecvDone, hlo.OpReducePrecision, hlo.OpReduceWindow, hlo.OpSend, hlo.OpSendDone, hlo.OpSort,
		hlo.OpTuple, hlo.OpWhile,
		// Not in XLA's list, but their operands are not compared there either.
		hlo.OpRng, hlo.OpRngBitGenerator, hlo.OpBitcast, hlo.OpUnknown} {
		m[op] = true
	}
	return m
}()

// keepsType marks the operations that cannot change a float type even where others may: they hand data on as it is
// (HloVerifier's CheckShape).
var keepsType = func() (m [256]bool) {
	for _, op := range []hlo.Opcode{hlo.OpBitcast, hlo.OpCall, hlo.OpConditional, hlo.OpConstant, hlo.OpCopyDone,
		hlo.OpCopyStart,
		hlo.OpCustomCall, hlo.OpDynamicUpdateSlice, hlo.OpGetTupleElement, hlo.OpInfeed, hlo.OpOutfeed,
		hlo.OpOptBarrier,
		hlo.OpParameter, hlo.OpRecv, hlo.OpRecvDone, hlo.OpSend, hlo.OpSendDone, hlo.OpTuple, hlo.OpWhile} {
		m[op] = true
	}
	return m
}()

// remade marks the operations whose shape XLA's parser makes anew from the operands whatever the text declares, so that
// its verifier never sees the declared one.
var remade = func() (m [256]bool) {
	for _, op := range []hlo.Opcode{hlo.OpAfterAll, hlo.OpAddDependency, hlo.OpInfeed, hlo.OpOutfeed, hlo.OpSend,
		hlo.OpSendDone, hlo.OpRecv, hlo.OpRecvDone} {
		m[op] = true
	}
	return m
}()

// precision refuses operands of different float types, and a called scalar computation that takes another float type
// than it is given.
func precision(in *hlo.Instruction) error {
	switch in.Opcode {
	case hlo.OpReduce, hlo.OpReduceWindow, hlo.OpMap:
		if s, err := callee(in, "to_apply"); err == nil {
			if err := s.exactTypes(in); err != nil {
				return err
			}
		}
	}
	if mixes[in.Opcode] || len(in.Operands) == 0 {
		return nil
	}
	seen := hlo.DTypeInvalid
	for i, o := range in.Operands {
		if d := otherFloat(o.Shape, &seen); d != hlo.DTypeInvalid {
			return fail(VER111, "operand %d is %s, another operand %s: mixed precision is not allowed", i, d, seen)
		}
	}
	return nil
}

// otherFloat returns a float type in s that is not *seen, which it sets to the first it meets.
func otherFloat(s *hlo.Shape, seen *hlo.DType) hlo.DType {
	for _, e := range s.Elems {
		if d := otherFloat(e, seen); d != hlo.DTypeInvalid {
			return d
		}
	}
	if !s.IsArray() || !isFloat(s.DType) {
		return hlo.DTypeInvalid
	}
	if *seen == hlo.DTypeInvalid {
		*seen = s.DType
	}
	if *seen == s.DType {
		return hlo.DTypeInvalid
	}
	return s.DType
}
