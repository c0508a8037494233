package rules

import (
	"hlolayout/hlo"
	"hlolayout/passes/internal/flat"
	"hlolayout/passes/layout/internal/ordering"
	"hlolayout/passes/layout/internal/rule"
)

func reduceRules(e *Set) rule.Rows {
	return rule.Rows{
		rule.VariadicReduce: {Name: "variadic-reduce", Stage: rule.Propagate, Evidence: []string{"fuzz_115"},
			Doc: "A reduce of several arrays takes no layout from its users.",
			Ops: rule.Ops(hlo.OpReduce), Deaf: e.isTuple},
		rule.RepairReduce: {Name: "repair-reduce", Stage: rule.Repair,
			Text: "repair: the natural order of a reduce's result", Evidence: []string{"layernorm"},
			Doc: "When all else is valid, a reduce gives its result in the order of its operand, which keeps its " +
				"tile (111 of 111).",
			Ops: rule.Ops(hlo.OpReduce), Step: rule.ReduceStep, Sweep: rule.ReduceSweep, Hint: e.repairReduce},
		rule.CompactReduce: {Name: "compact-reduce", Stage: rule.Improve,
			Text: "the compact order for a reduce whose operand is free", Evidence: []string{"cholesky_batched"},
			Doc: "When everything is valid, a reduce of an array that only a default decided requests its " +
				"compact order, and the pass runs again whether or not that changes anything (25 reduces of 20 " +
				"programs).",
			Ops: rule.Ops(hlo.OpReduce), Step: rule.FreeStep, Sweep: rule.ReduceSweep, Hint: e.compactReduce},
	}
}

func (e *Set) isTuple(n flat.NodeID) bool { return e.G.Nodes[n].Tuple }

// repairReduce wants the result of a reduce in the operand's order. The operand's keeps its tile (111 of 111 in the
// log).
func (e *Set) repairReduce(n flat.NodeID) *rule.Hint {
	nd := &e.G.Nodes[n]
	o := e.TakenTiled(n, 0)
	natural := e.Orders.Natural(o.Order, e.G.DimsOf(nd))
	if len(e.Orders.Get(natural)) < 2 || e.reducesFree(n) {
		return nil
	}
	h := &rule.Hint{Out: ordering.None}
	lo, hi := e.G.Leaves(n)
	same := true
	for l := lo; l < hi; l++ {
		same = same && e.LayoutOf(e.G.LeafValue[l]).Order == natural
	}
	if same {
		return nil
	}
	if !nd.Tuple {
		h.Operands, h.Out = []rule.OperandHint{{K: 0, Has: o, DFS: false}}, natural
		return h
	}
	for k := range int(hi - lo) {
		h.Operands = append(h.Operands, rule.OperandHint{K: k, Has: o, DFS: false})
		h.Leaves = append(h.Leaves, natural)
	}
	return h
}

// compactReduce requests the most compact order of what a reduce takes where nothing but a default decided it (the
// log's "Has constraint" list; 25 reduces of 20 programs, such as f32[18,11]{1,0} over 1, which becomes {0,1}).
func (e *Set) compactReduce(n flat.NodeID) *rule.Hint {
	nd := &e.G.Nodes[n]
	s := nd.In.Operands[0].Shape
	if !e.reducesFree(n) || s.Rank() < 2 {
		return nil
	}
	o := e.CompactOrder(s, 0)
	h := &rule.Hint{Out: ordering.None}
	natural := e.Orders.Natural(o, e.G.DimsOf(nd))
	for k := range len(nd.In.Operands) / 2 {
		h.Operands = append(h.Operands, rule.OperandHint{K: k, Has: o.Untiled(), DFS: false})
		if nd.Tuple {
			h.Leaves = append(h.Leaves, natural)
		}
	}
	if !nd.Tuple {
		h.Out = natural
	}
	return h
}

// reducesFree reports whether a reduce takes a value that nothing but a default decided: it is left to compactReduces
// even where its result does not follow its operand.
func (e *Set) reducesFree(n flat.NodeID) bool {
	for k := range len(e.G.Nodes[n].In.Operands) / 2 {
		if x := e.G.Operand(n, k); e.G.ShapeOf(x).Rank() > 1 && e.IsFree(e.G.Whole(x)) &&
			(!e.On(rule.TupleNotFree) || !e.definedByTuple(x)) {
			return true
		}
	}
	return false
}

// definedByTuple reports whether the value that a node shows is an element of a tuple, such as a loop's result.
func (e *Set) definedByTuple(n flat.NodeID) bool {
	return e.G.Nodes[e.G.Values[e.G.Whole(n)].Node].Tuple
}
