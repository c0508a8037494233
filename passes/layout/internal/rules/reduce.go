package rules

import (
	"slices"

	"hlolayout/hlo"
	"hlolayout/passes/internal/flat"
	"hlolayout/passes/layout/internal/constraint"
	"hlolayout/passes/layout/internal/ordering"
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
		rule.Scan: {Name: "scan", Stage: rule.Constrain,
			Text: "the order for a scan along one dimension", Evidence: []string{"cumprod_mid"},
			Doc: "A reduce-window with a window of 16 or more is descending, but the minor and then the " +
				"second-minor place each go to the nearest dimension that no window, stride or dilation touches " +
				"and that fills the lanes or rows, where the one there does not (792 shapes).",
			Ops: hlo.Ops(hlo.OpReduceWindow), Sweep: rule.ScanSweep, Constrain: e.scan},
		rule.RepairSelectAndScatter: {Name: "repair-select-and-scatter", Stage: rule.Repair,
			Text: "repair: windowed dimensions major", Evidence: []string{"maxpool_grad_bf16",
				"pool_grad_lanes", "pool_grad_rows"},
			Doc: "A select-and-scatter has two dimensions minor that no window touches: the one that fills the lanes best, of " +
				"equals the highest, and of the others the one that fills the sublanes best, of equals the lowest; the rest is " +
				"descending (180 of 180 probes).",
			Ops: hlo.Ops(hlo.OpSelectAndScatter), Step: rule.InvalidStep, Sweep: rule.ReshapeSweep,
			Hint: e.repairSelectAndScatter, Required: true},
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
	return slices.ContainsFunc(e.G.OperandsOf(n)[:e.reduced(n)], func(x flat.NodeID) bool {
		return e.G.ShapeOf(x).Rank() > 1 && e.IsFree(e.G.Whole(x))
	})
}

// scan gives [6,16,28] along 1 the order {2,1,0}, and [24,7,16] along 2 {2,0,1}.
func (e *Set) scan(n flat.NodeID) {
	nd := &e.G.Nodes[n]
	s := nd.In.Operands[0].Shape
	sizes := e.G.Window(n, "size")
	if s.Rank() < 2 || sizes == nil || slices.Max(sizes) < e.Limit(rule.ScanWindow) {
		return
	}
	touched := make([]bool, s.Rank())
	for _, key := range []string{"size", "stride", "lhs_dilate", "rhs_dilate"} {
		for k, v := range e.G.Window(n, key) {
			touched[k] = touched[k] || v != 1
		}
	}
	mm := hlo.Descending(s.Rank())
	for at, least := range []int64{e.Target.Lanes, e.Target.Sublanes} {
		fits := func(k int) bool { return !touched[k] && s.Dims[k] >= least }
		if k := slices.IndexFunc(mm[at:], fits); k != -1 {
			mm[at], mm[at+k] = mm[at+k], mm[at]
		}
	}
	o := e.Orders.Of(mm).Untiled()
	e.SetOperand(n, 0, o, constraint.MustLate, constraint.Because(rule.Scan, n))
	for _, v := range e.G.ValuesOf(n) {
		e.SetBuffer(v, o, constraint.Must, constraint.Because(rule.Scan, n))
	}
}

func (e *Set) repairSelectAndScatter(n flat.NodeID) *rule.Hint {
	nd := &e.G.Nodes[n]
	s := nd.In.Shape
	free := e.unwindowed(n)
	if nd.Tuple || len(free) < 2 || ordering.Covers(e.Orders.Get(e.MinorToMajor(n)), free) {
		return nil
	}
	o := e.Orders.Of(ordering.WithMinor(s.Rank(), e.FullestPair(s.Dims, free), nil)).Untiled()
	return &rule.Hint{Operands: 2, In: o, Out: o}
}
