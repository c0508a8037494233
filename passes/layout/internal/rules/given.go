package rules

import (
	"hlolayout/hlo"
	"hlolayout/passes/internal/flat"
	"hlolayout/passes/layout/internal/constraint"
	"hlolayout/passes/layout/internal/ordering"
	"hlolayout/passes/layout/internal/rule"
)

// givenRules are those of layouts that come from outside of the pass: of the interface, of instructions that carry
// theirs, of the host. All but the result's are mandatory.
func givenRules(e *Set) rule.Rows {
	return rule.Rows{
		rule.EntryParameter: {Name: "entry-parameter", Stage: rule.Given, Text: "the entry layout of the parameter",
			TextByDefault: "the target's default layout of a parameter", Evidence: []string{"bitcast_moves"},
			Doc: "A parameter of the entry has the layout that entry_computation_layout gives it, else the " +
				"device's default. It is mandatory, and its tile goes along."},
		rule.EntryResult: {Name: "entry-result", Stage: rule.Given, Text: "the entry layout of the result",
			TextByDefault: "the target's default layout of a result", Evidence: []string{"bitcast_moves"},
			Doc: "The entry's result asks its definitions for the layout that entry_computation_layout gives it, " +
				"at priority 3; it is not mandatory."},
		rule.Infeed: {Name: "infeed", Stage: rule.Given, Text: "the layout of infeed or outfeed",
			Evidence: []string{"infeed"}, Ops: hlo.Ops(hlo.OpInfeed, hlo.OpOutfeed), Sweep: rule.GivenSweep,
			Constrain: func(n flat.NodeID) { e.giveWritten(rule.Infeed, n) },
			Doc: "Infeed and outfeed have the layout that is written in their shapes, descending where none is. " +
				"It is mandatory."},
		rule.HostTransfer: {Name: "host-transfer", Stage: rule.Given,
			Text: "the device default of an array that the host sends or receives", Evidence: []string{"callback"},
			Ops: hlo.Ops(hlo.OpSend, hlo.OpRecv, hlo.OpRecvDone), Sweep: rule.GivenSweep, Constrain: e.hostTransfer,
			Doc: "An array that the host sends or receives has the device's default order, whatever its users want. It is " +
				"mandatory (recv: 15 of 15)."},
		rule.Dynamic: {Name: "dynamic", Stage: rule.Given, Text: "the device default of an array of dynamic size",
			Evidence: []string{"dynamic"}, Ops: hlo.Ops(hlo.OpCustomCall), Sweep: rule.GivenSweep, Constrain: e.dynamic,
			Doc: "The calls that take the size off an array of dynamic size (PadToStatic) and put it in front of one " +
				"(SliceToDynamic) read the array and give it in the device's default order. It is mandatory in the log " +
				"(16 of 16 calls in 5 modules)."},
		rule.Collective: {Name: "collective", Stage: rule.Given,
			Text: "the collective's own layouts", Evidence: []string{"collective"},
			Ops: hlo.Ops(hlo.OpAllGather, hlo.OpAllGatherStart, hlo.OpAllReduce, hlo.OpAllReduceStart, hlo.OpAllToAll,
				hlo.OpCollectiveBroadcast, hlo.OpRaggedAllToAll, hlo.OpReduceScatter),
			Sweep: rule.GivenSweep, Constrain: func(n flat.NodeID) {
				if e.G.Nodes[n].Fixed {
					e.giveWritten(rule.Collective, n)
				}
			},
			Doc: "A collective with constrain_layout has the layouts that are written in its operands and " +
				"result. They are mandatory."},
		rule.CustomCall: {Name: "custom-call", Stage: rule.Given,
			Text: "the custom call's own layouts", Evidence: []string{"layout_constraint_same"},
			Ops: hlo.Ops(hlo.OpCustomCall), Sweep: rule.CallSweep, Constrain: func(n flat.NodeID) {
				nd := &e.G.Nodes[n]
				if !nd.Fixed {
					return
				}
				operands := make([][]ordering.Tiled, len(nd.In.Operands))
				for k := range operands {
					if asked := e.G.Asked(n, k); asked != nil {
						operands[k] = e.Written(asked)
					}
				}
				e.give(rule.CustomCall, n, e.OrdersOf(nd.In.Shape), operands...)
			},
			Doc: "A custom call with operand_layout_constraints reads its operands in these layouts and gives the one written " +
				"in its shape. LayoutConstraint requests its own written layout instead (layout_constraint_same)."},
	}
}

// giveWritten sets the layouts that are written in the shapes of an instruction's result and operands.
func (e *Set) giveWritten(r rule.ID, n flat.NodeID) {
	in := e.G.Nodes[n].In
	operands := make([][]ordering.Tiled, len(in.Operands))
	for k, o := range in.Operands {
		operands[k] = e.Written(o.Shape)
		if v := in.Attr("outfeed_shape"); v != nil && v.Shape != nil && v.Shape.Compatible(o.Shape) {
			operands[k] = e.Written(v.Shape)
		}
	}
	e.give(r, n, e.Written(in.Shape), operands...)
}

func (e *Set) hostTransfer(n flat.NodeID) {
	in := e.G.Nodes[n].In
	if !in.Attr("is_host_transfer").Bool() {
		return
	}
	orders := func(s *hlo.Shape) []ordering.Tiled {
		leaves := e.G.Shape(s).Leaves
		out := make([]ordering.Tiled, len(leaves))
		for i, l := range leaves {
			if l.IsArray() {
				out[i].Order = e.BoundaryOrder(l)
			}
		}
		return out
	}
	var sent []ordering.Tiled
	if in.Opcode == hlo.OpSend && in.Operands[0].Shape.IsArray() {
		sent = orders(in.Operands[0].Shape)
	}
	e.give(rule.HostTransfer, n, orders(in.Shape), sent)
}

// sized are the custom calls whose first operand, and first result, is an array of dynamic size or its data.
var sized = map[string]bool{`"PadToStatic"`: true, `"SliceToDynamic"`: true}

func (e *Set) dynamic(n flat.NodeID) {
	in := e.G.Nodes[n].In
	target := in.Attr("custom_call_target")
	if target == nil || !sized[target.Text] || len(in.Operands) == 0 || !in.Operands[0].Shape.IsArray() {
		return
	}
	order := []ordering.Tiled{{Order: e.BoundaryOrder(in.Operands[0].Shape)}}
	e.give(rule.Dynamic, n, order, order)
}

// give sets the layouts of an instruction's result and of its first operands, by leaf; nil for one that may have any.
func (e *Set) give(r rule.ID, n flat.NodeID, result []ordering.Tiled, operands ...[]ordering.Tiled) {
	why := constraint.Because(r, n)
	e.SetLeaves(n, result, constraint.Must, why)
	for k, leaves := range operands {
		if leaves != nil {
			e.SetWhole(n, k, leaves, constraint.Must, why)
		}
	}
}
