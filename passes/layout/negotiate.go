package layout

import (
	"slices"

	"hlolayout/hlo"
)

// negotiators are the operations that may give up the layout that was asked of their operand ("allowed by default";
// the log names the operation each time: absolute values, trigonometry, maxima, ands and xors never do).
var negotiators = map[hlo.Opcode]bool{
	hlo.OpAdd: true, hlo.OpSubtract: true, hlo.OpMultiply: true, hlo.OpDivide: true, hlo.OpSelect: true, hlo.OpCompare: true,
	hlo.OpConvert: true, hlo.OpBitcastConvert: true, hlo.OpShiftRightArithmetic: true, hlo.OpSlice: true, hlo.OpExponential: true, hlo.OpBroadcast: true, hlo.OpReduce: true,
}

// negotiateOperand says whether a user gives up the layout that was asked of its operand for another one
// (NegotiateOperandLayout). Its own answer and those around it agree with 1353 of 1354, 460 of 460 and 119 of 119
// logged ones, the outcome with 421 of 424. Rows are those of the tiles that the layouts carry along.
func (e *engine) negotiateOperand(slot int32, old, new tiled) bool {
	g := e.g
	n := g.slotNode[slot]
	if e.off[ruleNegotiateOperand] || old.order == none || new.order == none || !e.negotiates(n, slot) || g.isTaken(n, -1) {
		return false
	}
	if g.isReadBy(n, hlo.OpReshape, hlo.OpPad) {
		return false
	}
	others := int64(0)
	for s, hi := g.slots(n); s < hi; s++ {
		if y := g.operands[s]; s != slot && g.nodes[y].op != hlo.OpBroadcast && g.shapeOf(y).Rank() > 1 {
			if others++; y != g.operands[slot] && (!e.negotiatesBeside(y, -1) || g.distinctUsers(y, -1) > 1) {
				return false
			}
		}
	}
	switch {
	case others > 1:
		return false
	case g.nodes[n].op == hlo.OpReduce:
		return true // "Prefer followed by copy": affine_assoc
	case len(e.orders.get(new.order)) != g.shapeOf(n).Rank():
		return false // a bitcast-convert between ranks has another order than its operand
	}
	users := g.distinctUsers(n, -1)
	return (users <= 1 || users-e.willingUsers(n, -1) <= e.limits[unwilling]) && e.shrinks(n, old, new, users+others)
}

// negotiateValue says whether a value takes the layout that one of its users asks for instead of the one it has
// (NegotiateLayout). The negotiator's answer agrees with 3596 of 3600 logged ones, the outcome with 216 of 218.
func (e *engine) negotiateValue(v, user int32, new tiled) bool {
	g := e.g
	n := g.values[v].node
	nd := &g.nodes[n]
	switch op := g.nodes[user].op; {
	case e.off[ruleNegotiateValue] || op == hlo.OpReshape || op == hlo.OpDot || op == hlo.OpBroadcast || op == hlo.OpPad:
		return false
	case nd.tuple || nd.op == hlo.OpReduce || !e.negotiates(n, -1) || g.isTaken(n, user):
		return false
	}
	operands := int64(0)
	for s, hi := g.slots(n); s < hi; s++ {
		y := g.operands[s]
		if !e.negotiatesBeside(y, -1) {
			return false
		}
		if g.nodes[y].op != hlo.OpBroadcast {
			operands++
		}
	}
	users := g.distinctUsers(n, user)
	return (users <= 1 || e.willingUsers(n, user) > 0) && e.shrinks(n, e.bufferC[v].tiled, new, users+operands)
}

// negotiates reports whether a node may take part: one whose operand is in question (slot), or none of them (-1).
func (e *engine) negotiates(n, slot int32) bool {
	g := e.g
	nd := &g.nodes[n]
	if !negotiators[nd.op] || nd.tuple || nd.in.Shape.Rank() < 2 || e.hints[n] != nil || e.pins[n].order != none {
		return false
	}
	if nd.op == hlo.OpBroadcast {
		return g.distinctUsers(n, -1) <= 1
	}
	for s, hi := g.slots(n); s < hi; s++ {
		y := g.operands[s]
		switch op := g.nodes[y].op; {
		case s == slot:
			if op == hlo.OpReshape || op == hlo.OpDot || op == hlo.OpCustomCall {
				return false
			}
		case slot >= 0 && y == g.operands[slot]:
		case op == hlo.OpReshape || op == hlo.OpParameter || op != hlo.OpBroadcast && g.isPadded(y):
			return false
		}
	}
	return true
}

// negotiatesBeside reports whether a node may take part that surrounds the one in question.
func (e *engine) negotiatesBeside(n, slot int32) bool {
	if !e.negotiates(n, slot) || e.g.isTaken(n, -1) {
		return false
	}
	return !e.g.isReadBy(n, hlo.OpReshape, hlo.OpPad)
}

// isReadBy reports whether some user of a node is one of two operations.
func (g *graph) isReadBy(n int32, a, b hlo.Opcode) bool {
	return slices.ContainsFunc(g.users(n), func(u use) bool { op := g.nodes[u.node].op; return op == a || op == b })
}

// willingUsers counts a node's users that would take part but the one that asks (-1 is none): no broadcasts, but
// those that give tuples and are not repaired.
func (e *engine) willingUsers(n, asks int32) int64 {
	count, last := int64(0), asks
	for _, u := range e.g.users(n) {
		if u.node == last || u.node == asks {
			continue
		}
		last = u.node
		if nd := &e.g.nodes[u.node]; nd.tuple && e.hints[u.node] == nil || nd.op != hlo.OpBroadcast && e.negotiatesBeside(u.node, u.slot) {
			count++
		}
	}
	return count
}

// shrinks reports whether a node's size in one order is a share of that in another, for so many neighbours. Without
// any it need not grow (slice_f32_2x9x130).
func (e *engine) shrinks(n int32, old, new tiled, neighbours int64) bool {
	s := e.g.shapeOf(n)
	return times(e.wordsOf(s, new), max(1, e.limits[negotiationShare]*neighbours)) <= e.wordsOf(s, old)
}

// isTaken reports whether a tuple or the like has a node's value, but for the one that a loop asking for it reads.
func (g *graph) isTaken(n, user int32) bool {
	v := g.whole(n)
	places := g.aliasStart[v+1] - g.aliasStart[v]
	if user >= 0 && g.nodes[user].op == hlo.OpWhile {
		return places > 2
	}
	return places > 1
}

// isPadded reports whether some operand of a node is a pad (5 of 5 refuse).
func (g *graph) isPadded(n int32) bool {
	for s, hi := g.slots(n); s < hi; s++ {
		if g.nodes[g.operands[s]].op == hlo.OpPad {
			return true
		}
	}
	return false
}

// distinctUsers counts a node's users, each once, but the given one.
func (g *graph) distinctUsers(n, but int32) int64 {
	count, last := int64(0), but
	for _, u := range g.users(n) {
		if u.node != last && u.node != but {
			count, last = count+1, u.node
		}
	}
	return count
}
