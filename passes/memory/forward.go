package memory

import "hlolayout/hlo"

// forward returns the operand leaf that leaf j of node t is the same value as: the operand's leaf number, or -1 where
// the node defines the leaf itself. Loops, branches, calls and parameters are not looked through.
func (g *graph) forward(t, j int32) int32 {
	if u := g.forwardUse(t, j); u >= 0 {
		return g.useLeaf[u]
	}
	return none
}

// forwardUse returns the use that leaf j of node t is the same value as, or -1 where the node defines the leaf itself.
func (g *graph) forwardUse(t, j int32) int32 {
	r := &g.nodes[t].names
	u := g.use0[t] + r.use + j - r.from
	if j < r.from || j >= r.to || u >= g.use0[t+1] {
		return none
	}
	return u
}

// renaming says that the leaves of a node's result in a range only name its uses from one on.
type renaming struct{ from, to, use int32 }

// renaming returns which of the n leaves of an instruction's result only name what it uses.
func (g *graph) renaming(in *hlo.Instruction, n int32) renaming {
	switch in.Opcode {
	case hlo.OpBitcast, hlo.OpOptBarrier, hlo.OpAddDependency, hlo.OpDomain, hlo.OpTuple, hlo.OpCopyDone, hlo.OpRecvDone,
		hlo.OpAllReduceDone, hlo.OpGetTupleElement:
		return renaming{to: n}
	case hlo.OpAsyncUpdate:
		if len(in.Operands) == 1 {
			return renaming{to: n}
		}
		// It takes operands that its start did not have.
		if s, start := g.info(in.Shape), g.info(in.Operands[0].Shape); len(s.Starts) > 2 && len(start.Starts) > 2 &&
			start.Starts[1] == 0 {
			return renaming{to: s.Starts[1], use: int32(len(start.Leaves))}
		}
	case hlo.OpAsyncDone, hlo.OpCollectivePermuteDone, hlo.OpAllGatherDone:
		// The start's result is ((operands), result, contexts...), or of the result's shape alone.
		if s := in.Operands[0].Shape; s.IsTuple() && len(s.Elems) > 1 {
			return renaming{to: n, use: g.info(s).Starts[1]}
		}
		return renaming{to: n}
	case hlo.OpAsyncStart, hlo.OpCollectivePermuteStart, hlo.OpAllGatherStart:
		if s := g.info(in.Shape); len(s.Starts) > 2 {
			return renaming{to: s.Starts[1]}
		}
	case hlo.OpCopyStart: // (copy, operand, context)
		return renaming{from: 1, to: 2}
	case hlo.OpSend: // (operand, context, token)
		return renaming{to: 1}
	}
	return renaming{}
}
