package constraint

import (
	"hlolayout/hlo"
	"hlolayout/passes/internal/flat"
	"hlolayout/passes/layout/internal/ordering"
	"hlolayout/passes/layout/internal/rule"
)

// overrideUses propagates the new layout of a value immediately to users that keep layouts, past their own constraints.
// It reaches a concatenate from an operand that no other is larger than (two of two; none of two from a smaller one).
func (e *State) overrideUses(v flat.ValueID, o ordering.Tiled, f Flags, why Cause) {
	if e.off[rule.OverrideUses] {
		return
	}
	g := e.G
	for n, u := range g.Readers(v) {
		un := &g.Nodes[u.Node]
		if !un.Keep || un.Tuple || g.ForwardsSlot(u.Node, u.Slot) || !e.carriesOn(u.Node, n) || e.cutsMinor(u.Node, o) {
			continue
		}
		gives := e.bufferC[g.Whole(u.Node)].Mandatory || u.Node == g.Comps[g.Entry].Root && e.On(rule.OverrideResult)
		if !e.operandC[u.Slot].mandatory || !gives {
			e.SetOperand(u.Node, u.Slot, o, f, why)
		}
	}
}

// cutsMinor reports whether a node is a slice that cuts the minor dimension of an order in which the array does not
// become smaller.
func (e *State) cutsMinor(n flat.NodeID, o ordering.Tiled) bool {
	op := e.G.Nodes[n].Op
	if e.off[rule.CutMinor] || op != hlo.OpSlice && op != hlo.OpDynamicSlice {
		return false
	}
	s := e.G.ShapeOf(e.G.Operand(n, 0))
	d := e.Orders.Get(o.Order)[0]
	return e.G.ShapeOf(n).Dims[d] != s.Dims[d] &&
		e.WordsOf(s, o) >= e.WordsOf(s, e.operandC[e.G.Nodes[n].FirstSlot].Tiled)
}
