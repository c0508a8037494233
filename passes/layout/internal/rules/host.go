package rules

import (
	"hlolayout/hlo"
	"hlolayout/passes/internal/flat"
	"hlolayout/passes/layout/internal/constraint"
	"hlolayout/passes/layout/internal/ordering"
	"hlolayout/passes/layout/internal/rule"
)

func hostRules(e *Set) rule.Rows {
	return rule.Rows{
		rule.Infeed: {Name: "infeed", Stage: rule.Given, Text: "the layout of infeed or outfeed",
			Evidence: []string{"infeed"},
			Ops:      rule.Ops(hlo.OpInfeed, hlo.OpOutfeed), Sweep: rule.GivenSweep, Constrain: e.feed,
			Doc: "Infeed and outfeed have the layout that is written in their shapes, descending where none is. " +
				"It is mandatory."},
		rule.HostTransfer: {Name: "host-transfer", Stage: rule.Given,
			Text:     "the device default of an array that the host sends or receives",
			Evidence: []string{"callback"},
			Ops:      rule.Ops(hlo.OpSend, hlo.OpRecv, hlo.OpRecvDone), Sweep: rule.GivenSweep, Constrain: e.hostTransfer,
			Doc: "An array that the host sends or receives has the device's default order, whatever its users want. It is " +
				"mandatory (recv: 15 of 15)."},
	}
}

// feed sets the layouts that infeed gives and outfeed takes.
func (e *Set) feed(n flat.NodeID) {
	nd := &e.G.Nodes[n]
	if nd.Op == hlo.OpInfeed {
		e.SetLeaves(n, e.Written(nd.In.Shape), constraint.Must, constraint.Because(rule.Infeed, n))
		return
	}
	shape := e.G.ShapeOf(e.G.Operands[nd.FirstSlot])
	if v := nd.In.Attr("outfeed_shape"); v != nil && v.Shape != nil && v.Shape.Compatible(shape) {
		shape = v.Shape
	}
	e.SetWhole(n, nd.FirstSlot, e.Written(shape), constraint.Must, constraint.Because(rule.Infeed, n))
}

// hostTransfer gives arrays that the host sends or receives the device's default order.
func (e *Set) hostTransfer(n flat.NodeID) {
	g := e.G
	nd := &g.Nodes[n]
	if !nd.In.Attr("is_host_transfer").Bool() {
		return
	}
	order := func(s *hlo.Shape) ordering.Order { return e.Orders.Of(e.Target.BoundaryOrder(s.DType, s.Dims)) }
	for i, s := range g.Shape(nd.In.Shape).Leaves {
		if s.IsArray() {
			e.SetBuffer(g.ValueAt(n, i), order(s).Untiled(), constraint.Must, constraint.Because(rule.HostTransfer, n))
		}
	}
	if s := g.ShapeOf(g.Operand(n, 0)); nd.Op == hlo.OpSend && s.IsArray() {
		e.SetOperand(n, nd.FirstSlot, order(s).Untiled(), constraint.Must, constraint.Because(rule.HostTransfer, n))
	}
}
