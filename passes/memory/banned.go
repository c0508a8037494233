package memory

import "hlolayout/hlo"

// banned says why a value may never be in the fast space: it is not an array, has a single element, carries a space
// already, or is what the compiler keeps out (XLA's IsValueAllowedInAlternateMemory). What a call takes and gives stays
// in HBM, which is a choice of ours: the compiler puts the bodies of calls in their place before it schedules.
func (e *engine) banned(x int32) Reason {
	v, g := e.v, e.g
	s, _ := v.leafShape(v.def[x])
	if !s.IsArray() {
		return ReasonNoArray
	}
	if n, ok := s.Elements(); ok && n <= 1 { // of no elements: the compiler makes it a constant before
		return ReasonScalar
	}
	for _, l := range v.positions[x] {
		if s, _ := v.leafShape(l); s.Layout != nil && s.Layout.MemorySpace != 0 {
			return ReasonGiven
		}
	}
	for _, u := range v.uses[x] {
		if g.nodes[v.g.useTime[u]].in.Opcode == hlo.OpCall {
			return ReasonLoop
		}
		if t := v.g.useTime[u]; e.offloaded(t) && g.nodes[t].in.Opcode != hlo.OpAsyncStart {
			return ReasonOpcode
		}
	}
	for _, l := range v.positions[x] {
		switch g.nodes[v.leafTime[l]].in.Opcode {
		case hlo.OpCall:
			return ReasonLoop
		case hlo.OpSend, hlo.OpRecv, hlo.OpSendDone, hlo.OpRecvDone, hlo.OpInfeed, hlo.OpOutfeed,
			hlo.OpRngGetAndUpdateState, hlo.OpPartitionId, hlo.OpReplicaId: // what is sent, too: a send returns it
			return ReasonOpcode
		}
	}
	if t := v.leafTime[v.def[x]]; e.offloaded(t) && g.nodes[t].in.Opcode != hlo.OpAsyncStart {
		return ReasonOpcode
	}
	return ReasonNone
}

// offloaded reports whether an instruction starts work elsewhere: a copy from or to the host, or a computation on
// another unit.
func (e *engine) offloaded(t int32) bool {
	in := e.g.nodes[t].in
	switch in.Opcode {
	case hlo.OpAsyncStart, hlo.OpAsyncUpdate:
		return true
	case hlo.OpCopyStart:
		for _, s := range append(e.g.info(in.Shape).Leaves, in.Operands[0].Shape) {
			if s.Layout != nil && s.Layout.MemorySpace == spaceHost {
				return true
			}
		}
	}
	return false
}
