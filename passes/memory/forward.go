package memory

import "hlolayout/hlo"

// forward returns the operand leaf that leaf j of node t is the same value as: the operand's leaf number, or -1 where
// the node defines the leaf itself. Loops, branches, calls and parameters are not looked through.
func (g *graph) forward(t, j int32) int32 {
	if u := g.forwardUse(t, j); u >= 0 {
		return g.useLeaf(u)
	}
	return -1
}

// forwardUse returns the use that leaf j of node t is the same value as, or -1 where the node defines the leaf itself.
func (g *graph) forwardUse(t, j int32) int32 {
	k := g.renamedLeaf(g.nodes[t].in, j)
	if k < 0 || k >= g.use0[t+1]-g.use0[t] {
		return -1
	}
	return g.use0[t] + k
}

// renamedLeaf returns which of its operands' leaves, counted together, leaf j of an instruction's result only names; -1
// for a value of its own.
func (g *graph) renamedLeaf(in *hlo.Instruction, j int32) int32 {
	switch in.Opcode {
	case hlo.OpBitcast, hlo.OpOptBarrier, hlo.OpAddDependency, hlo.OpDomain, hlo.OpTuple, hlo.OpCopyDone, hlo.OpRecvDone,
		hlo.OpAllReduceDone, hlo.OpAsyncUpdate:
		return j
	case hlo.OpGetTupleElement:
		k, _ := in.Attr("index").Int()
		return g.info(in.Operands[0].Shape).Starts[k] + j
	case hlo.OpAsyncDone, hlo.OpCollectivePermuteDone, hlo.OpAllGatherDone:
		// The start's result is ((operands), result, contexts...), or of the result's shape alone.
		if s := in.Operands[0].Shape; s.IsTuple() && len(s.Elems) > 1 {
			return g.info(s).Starts[1] + j
		}
		return j
	case hlo.OpAsyncStart, hlo.OpCollectivePermuteStart, hlo.OpAllGatherStart:
		if s := g.info(in.Shape); len(s.Starts) > 2 && j < s.Starts[1] {
			return j
		}
	case hlo.OpCopyStart: // (copy, operand, context)
		if j == 1 {
			return 0
		}
	case hlo.OpSend: // (operand, context, token)
		if j == 0 {
			return 0
		}
	}
	return -1
}
