package rules

import (
	"slices"

	"hlolayout/hlo"
	"hlolayout/passes/internal/flat"
	"hlolayout/passes/layout/internal/constraint"
	"hlolayout/passes/layout/internal/ordering"
	"hlolayout/passes/layout/internal/rule"
)

func reducewindowRules(e *Set) rule.Rows {
	return rule.Rows{
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
