package hlo

// InMemory returns the computations whose values are in memory, in the order of the text: the entry, and what is
// reached from there by loops, conditionals and calls. Values inside of fusions, reducers and wrapped asynchronous
// operations never do: the instruction that calls them stands for them.
func (m *Module) InMemory() []*Computation {
	reached := make([]bool, len(m.Computations))
	var visit func(c *Computation)
	visit = func(c *Computation) {
		if c == nil || reached[c.Index] {
			return
		}
		reached[c.Index] = true
		for _, in := range c.Instructions {
			switch in.Opcode {
			case OpWhile, OpConditional, OpCall:
				for _, callee := range in.Called() {
					visit(callee)
				}
			}
		}
	}
	visit(m.Entry)
	var out []*Computation
	for _, c := range m.Computations {
		if reached[c.Index] {
			out = append(out, c)
		}
	}
	return out
}

// OwnsBuffer reports whether the part of the result at index is an array of the instruction's own. Tuples and their
// elements, bitcasts, loops, conditionals, calls, the parameters of all computations but the entry, and the ends of
// asynchronous operations pass on the buffers of others; of the beginnings the result is their own, the operands are
// not. What Module.Forecast lists as unbuffered has none.
func (in *Instruction) OwnsBuffer(index Index) bool {
	return in.ownsBuffer(index) && (in.Computation == nil || in.Computation.Module.Unbuffered(in) == "")
}

// LosesBuffer reports whether the part of the result at index is an array of the instruction's own only in the text:
// the module's forecast says that it has no buffer in the compiled module.
func (in *Instruction) LosesBuffer(index Index) bool {
	return in.Computation != nil && in.Computation.Module.Unbuffered(in) != "" && in.ownsBuffer(index)
}

func (in *Instruction) ownsBuffer(index Index) bool {
	switch in.Opcode {
	case OpParameter:
		return in.Computation.IsEntry()
	case OpWhile, OpConditional, OpCall, OpAsyncUpdate, OpAsyncDone, OpCopyDone, OpAllGatherDone, OpAllReduceDone,
		OpCollectivePermuteDone, OpSendDone, OpRecvDone:
		return false
	case OpCopyStart: // (target, source, context)
		return len(index) == 0 || index[0] == 0
	case OpAsyncStart, OpAllGatherStart, OpCollectivePermuteStart: // (operands, results, contexts...)
		return len(index) == 0 || index[0] == 1
	}
	return in.Opcode.Flow() != FlowForward
}
