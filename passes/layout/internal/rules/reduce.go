package rules

import (
	"hlolayout/hlo"
	"hlolayout/passes/internal/flat"
	"hlolayout/passes/layout/internal/rule"
)

func reduceRules(e *Set) rule.Rows {
	return rule.Rows{
		rule.VariadicReduce: {Name: "variadic-reduce", Stage: rule.Propagate, Evidence: []string{"fuzz_115"},
			Doc: "A reduce of several arrays takes no layout from its users.",
			Ops: hlo.Ops(hlo.OpReduce), IgnoresUsers: func(n flat.NodeID) bool { return e.G.Nodes[n].Tuple }},
		rule.RepairReduce: {Name: "repair-reduce", Stage: rule.Repair,
			Text:     "repair: the natural order of a reduce's result",
			Evidence: []string{"layernorm", "pinned_reduce"},
			Doc: "When all else is valid, a reduce gives its result in the order of its operand, which keeps its " +
				"tile (111 of 111).",
			Ops: hlo.Ops(hlo.OpReduce), Step: rule.ReduceStep, Sweep: rule.ReduceSweep, Hint: e.repairReduce,
			Required: true},
		rule.CompactReduce: {Name: "compact-reduce", Stage: rule.Improve,
			Text:     "the compact order for a reduce whose operand is free",
			Evidence: []string{"cholesky_batched", "reduce_free_turned", "reduce_tiled"},
			Doc: "When everything is valid, a reduce of an array that only a default decided requests its " +
				"compact order under the tile that it carries, its present one among equals, and the pass runs " +
				"again whether or not that changes anything (34 reduces of 23 programs).",
			Ops: hlo.Ops(hlo.OpReduce), Step: rule.FreeStep, Sweep: rule.ReduceSweep, Hint: e.compactReduce},
	}
}

func (e *Set) repairReduce(n flat.NodeID) *rule.Hint {
	in := e.TakenTiled(n, 0)
	out := e.Orders.Natural(in.Order, e.G.DimsOf(n))
	if e.reducesFree(n) || e.Gives(n, out) {
		return nil
	}
	return &rule.Hint{Operands: e.reduced(n), In: in, Out: out.Untiled()}
}

// compactReduce is the log's "Has constraint" list.
func (e *Set) compactReduce(n flat.NodeID) *rule.Hint {
	s := e.G.ShapeOf(e.G.Operand(n, 0))
	if !e.reducesFree(n) {
		return nil
	}
	taken := e.TakenTiled(n, 0)
	in := e.MemoryOrder(s, taken.Order, int64(taken.Rows))
	out := e.Orders.Natural(in, e.G.DimsOf(n))
	return &rule.Hint{Operands: e.reduced(n), In: in.Untiled(), Out: out.Untiled()}
}

// reducesFree reports whether a reduce takes a value that nothing but a default decided: it is left to compactReduces
// even where its result does not follow its operand.
func (e *Set) reducesFree(n flat.NodeID) bool {
	for k := range e.reduced(n) {
		if x := e.G.Operand(n, k); e.G.ShapeOf(x).Rank() > 1 && e.IsFree(e.G.Whole(x)) {
			return true
		}
	}
	return false
}
