package rules

import (
	"hlolayout/hlo"
	"hlolayout/passes/internal/flat"
	"hlolayout/passes/layout/internal/ordering"
	"hlolayout/passes/layout/internal/rule"
)

func negotiateRules(e *Set) rule.Rows {
	return rule.Rows{
		rule.NegotiateOperand: {Name: "negotiate-operand", Stage: rule.Propagate, Evidence: []string{"slice_f32_2x9x130"},
			Doc: "An operand's layout yields to another one where the user, its other operands and most of " +
				"its users can follow and the array shrinks to 1/(6n), n counting users and other operands (425 " +
				"of 428). Reduces always agree; what a custom call reads never does.", OperandGives: e.negotiateOperand},
		rule.NegotiateValue: {Name: "negotiate-value", Stage: rule.Propagate, Evidence: []string{"value_negotiates"},
			Doc: "A value takes the layout that one of its users requests, though it has another one, under the " +
				"same conditions (216 of 218).", ValueGives: e.negotiateValue},
		rule.BroadcastKeeps: {Name: "broadcast-keeps", Stage: rule.Propagate,
			Evidence: []string{"broadcast_keeps", "broadcast_read"},
			Doc: "A broadcast never takes another layout for one of its users (0 of 1255 in 167 logs), nor does an operand " +
				"that is a broadcast make its user follow (0 of 109 in 40 logs)."},
	}
}

// negotiators are the operations that may give up the layout that was asked of their operand ("allowed by default";
// the log names the operation each time: absolute values, trigonometry, maxima, ands and xors never do).
var negotiators = hlo.Ops(hlo.OpAdd, hlo.OpSubtract, hlo.OpMultiply, hlo.OpDivide, hlo.OpSelect, hlo.OpCompare,
	hlo.OpConvert, hlo.OpBitcastConvert, hlo.OpShiftRightArithmetic, hlo.OpSlice, hlo.OpExponential, hlo.OpBroadcast,
	hlo.OpReduce)

// negotiateOperand is the log's NegotiateOperandLayout. Its own answer and those around it agree with 1353 of 1354, 460
// of 460 and 119 of 119 logged ones. Sizes are those of the operand's type in the user's dimensions (2919 of 2919;
// compare_negotiates: s32 that a pred is made of).
func (e *Set) negotiateOperand(slot flat.SlotID, old, new ordering.Tiled) bool {
	g := e.G
	n := g.SlotNode[slot]
	if !e.negotiates(n, slot) || g.IsTaken(n, -1) {
		return false
	}
	switch {
	case g.Nodes[n].Op == hlo.OpReduce:
		return true // "Prefer followed by copy": affine_assoc; 10 of 10, 6 of them read by a pad
	case g.IsReadBy(n, hlo.OpReshape, hlo.OpPad, hlo.OpCustomCall):
		return false
	}
	others := int64(0)
	for s, hi := g.Slots(n); s < hi; s++ {
		if y := g.Operands[s]; s != slot && g.Nodes[y].Op != hlo.OpBroadcast && g.ShapeOf(y).Rank() > 1 {
			if others++; y != g.Operands[slot] && (!e.negotiatesBeside(y, -1) || g.DistinctUsers(y, -1) > 1) {
				return false
			}
		}
	}
	switch {
	case others > 1:
		return false
	case len(e.Orders.Get(new.Order)) != g.ShapeOf(n).Rank():
		return false // a bitcast-convert between ranks has another order than its operand
	}
	users, read := g.DistinctUsers(n, -1), *g.ShapeOf(n)
	read.DType = g.ShapeOf(g.Operands[slot]).DType
	return e.shrinks(&read, old, new, users+others) && users-e.willingUsers(n, -1) <= e.Limit(rule.Unwilling)
}

// negotiateValue is the log's NegotiateLayout. The answer agrees with 3596 of 3600 logged ones. The size of a slice is
// that of its operand in the same order (56 of 56; slice_negotiates).
func (e *Set) negotiateValue(v flat.ValueID, user flat.NodeID, new ordering.Tiled) bool {
	g := e.G
	n := g.Values[v].Node
	nd := &g.Nodes[n]
	switch op := g.Nodes[user].Op; {
	case op == hlo.OpReshape || op == hlo.OpDot || op == hlo.OpBroadcast || op == hlo.OpPad:
		return false
	case nd.Op == hlo.OpBroadcast && e.On(rule.BroadcastKeeps) || !e.negotiates(n, -1) || g.IsTaken(n, user):
		return false
	}
	operands := int64(0)
	for _, y := range g.OperandsOf(n) {
		if !e.negotiatesBeside(y, -1) {
			return false
		}
		if g.Nodes[y].Op != hlo.OpBroadcast {
			operands++
		}
	}
	users, s := g.DistinctUsers(n, user), g.ShapeOf(n)
	if nd.Op == hlo.OpSlice {
		s = g.ShapeOf(g.Operand(n, 0))
	}
	return (users <= 1 || e.willingUsers(n, user) > 0) && e.shrinks(s, e.LayoutOf(v), new, users+operands)
}

// negotiates reports whether a node may take part: one whose operand is in question (slot), or none of them (-1).
func (e *Set) negotiates(n flat.NodeID, slot flat.SlotID) bool {
	g := e.G
	nd := &g.Nodes[n]
	gives := nd.In.Shape
	if nd.Tuple && nd.Op == hlo.OpReduce && slot >= 0 {
		gives = gives.Elems[0] // as an argmax
	}
	if !negotiators.Has(nd.Op) || gives.Rank() < 2 || e.IsRepaired(n) || e.IsPinned(n) {
		return false
	}
	if nd.Op == hlo.OpBroadcast {
		return g.DistinctUsers(n, -1) <= 1
	}
	for s, hi := g.Slots(n); s < hi; s++ {
		y := g.Operands[s]
		switch op := g.Nodes[y].Op; {
		case s == slot:
			if op == hlo.OpReshape || op == hlo.OpDot || op == hlo.OpCustomCall ||
				op == hlo.OpBroadcast && e.On(rule.BroadcastKeeps) {
				return false
			}
		case op == hlo.OpReshape || op == hlo.OpParameter || op != hlo.OpBroadcast && g.IsPadded(y):
			return false
		}
	}
	return true
}

// negotiatesBeside reports whether a node may take part that surrounds the one in question.
func (e *Set) negotiatesBeside(n flat.NodeID, slot flat.SlotID) bool {
	return e.negotiates(n, slot) && !e.G.IsTaken(n, -1) && !e.G.IsReadBy(n, hlo.OpReshape, hlo.OpPad)
}

// willingUsers counts a node's users that would take part but the one that asks (-1 is none): no broadcasts, but
// those that give tuples and are not repaired.
func (e *Set) willingUsers(n, asks flat.NodeID) int64 {
	count, last := int64(0), asks
	for _, u := range e.G.Users(n) {
		if u.Node == last || u.Node == asks {
			continue
		}
		last = u.Node
		if nd := &e.G.Nodes[u.Node]; nd.Tuple && !e.IsRepaired(u.Node) ||
			nd.Op != hlo.OpBroadcast && e.negotiatesBeside(u.Node, u.Slot) {
			count++
		}
	}
	return count
}

// shrinks reports whether an array's size in one order is a share of that in another, for so many neighbours. Without
// any it need not grow (slice_f32_2x9x130).
func (e *Set) shrinks(s *hlo.Shape, old, new ordering.Tiled, neighbours int64) bool {
	return ordering.Times(e.WordsOf(s, new), max(1, e.Limit(rule.NegotiationShare)*neighbours)) <= e.WordsOf(s, old)
}
