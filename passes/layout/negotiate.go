package layout

import "hlolayout/hlo"

// negotiators are the operations that may give up the layout that was asked of their operand ("allowed by default").
var negotiators = map[hlo.Opcode]bool{
	hlo.OpAdd: true, hlo.OpSubtract: true, hlo.OpMultiply: true, hlo.OpDivide: true, hlo.OpSelect: true, hlo.OpCompare: true,
	hlo.OpConvert: true, hlo.OpSlice: true, hlo.OpBroadcast: true, hlo.OpReduce: true,
}

// negotiationShare is how many times smaller a negotiator must become, for each of its users and other operands ("allowance"; all of
// 362 in the log).
const negotiationShare = 6

// negotiate says whether a user gives up the layout that was asked of its operand for another one (NegotiateOperandLayout). Its own
// answer and those around it agree with 1353 of 1354, 460 of 460 and 119 of 119 logged ones, the outcome with 421 of 424. Rows
// are those of the tiles that the layouts carry along.
func (e *engine) negotiate(slot int32, old order, oldRows int64, new order, rows int64) bool {
	g := e.g
	n := g.slotNode[slot]
	nd := &g.nodes[n]
	if old == none || new == none || !e.negotiates(n, slot) {
		return false
	}
	others := int64(0)
	for s, hi := g.slots(n); s < hi; s++ {
		if y := g.operands[s]; s != slot && g.nodes[y].op != hlo.OpBroadcast && g.shapeOf(y).Rank() > 1 {
			if others++; y != g.operands[slot] && (!e.negotiates(y, -1) || e.distinctUsers(y) > 1) {
				return false
			}
		}
	}
	switch {
	case others > 1:
		return false
	case nd.op == hlo.OpReduce:
		return true // "Prefer followed by copy": affine_assoc
	}
	users := e.distinctUsers(n)
	if users > 1 && 2*e.negotiatingUsers(n) < users {
		return false
	}
	share := negotiationShare * (max(users, 1) + others)
	if users == 0 {
		share = 1 // slice_f32_2x9x130, ctc_forward
	}
	return times(e.wordsOf(nd.in.Shape, new, rows), share) <= e.wordsOf(nd.in.Shape, old, oldRows)
}

// negotiates reports whether a node may take part: one whose operand is in question (slot), or that surrounds it (-1).
func (e *engine) negotiates(n, slot int32) bool {
	g := e.g
	nd := &g.nodes[n]
	if !negotiators[nd.op] || nd.tuple || nd.in.Shape.Rank() < 2 || e.hints[n] != nil || e.pins[n].order != none {
		return false
	}
	if v := g.whole(n); g.aliasStart[v+1]-g.aliasStart[v] > 1 {
		return false // a tuple has it
	}
	for s, hi := g.slots(n); s < hi; s++ {
		y := g.operands[s]
		switch op := g.nodes[y].op; {
		case s == slot:
			if op == hlo.OpReshape || op == hlo.OpDot || op == hlo.OpCustomCall {
				return false
			}
		case slot >= 0 && y == g.operands[slot]:
		case slot >= 0 && (op == hlo.OpReshape || op == hlo.OpParameter):
			return false
		case op != hlo.OpBroadcast && e.isPadded(y):
			return false
		}
	}
	for _, u := range g.users(n) {
		if op := g.nodes[u.node].op; op == hlo.OpReshape || op == hlo.OpPad {
			return false
		}
	}
	return true
}

// isPadded reports whether some operand of a node is a pad (ssm_assoc_g, inertia_g: 5 of 5 refuse).
func (e *engine) isPadded(n int32) bool {
	for s, hi := e.g.slots(n); s < hi; s++ {
		if e.g.nodes[e.g.operands[s]].op == hlo.OpPad {
			return true
		}
	}
	return false
}

// distinctUsers counts a node's users, each once.
func (e *engine) distinctUsers(n int32) int64 {
	count, last := int64(0), int32(-1)
	for _, u := range e.g.users(n) {
		if u.node != last {
			count, last = count+1, u.node
		}
	}
	return count
}

// negotiatingUsers counts the users that would take part, but broadcasts. That half of all must is a guess: 1 of 2 is
// enough, 1 of 15 is not (lattice_boltzmann).
func (e *engine) negotiatingUsers(n int32) int64 {
	count, last := int64(0), int32(-1)
	for _, u := range e.g.users(n) {
		if u.node == last {
			continue
		}
		if last = u.node; e.g.nodes[u.node].op != hlo.OpBroadcast && e.negotiates(u.node, u.slot) {
			count++
		}
	}
	return count
}
