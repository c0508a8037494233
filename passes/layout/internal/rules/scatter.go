package rules

import (
	"slices"

	"hlolayout/hlo"
	"hlolayout/passes/internal/flat"
	"hlolayout/passes/layout/internal/constraint"
	"hlolayout/passes/layout/internal/ordering"
	"hlolayout/passes/layout/internal/rule"
)

func scatterRules(e *Set) rule.Rows {
	return rule.Rows{
		rule.Scatter: {Name: "scatter", Stage: rule.Constrain,
			Text:     "window dimensions minor for a scatter",
			Evidence: []string{"scatter_set_rows", "scatter_pair_inside", "scatter_two"},
			Doc: "A scatter reads table and updates with the window minor and gives the table's order. One of several " +
				"tables, as of both parts of complex numbers and of numbers of 64 bits, does so with each, in the first run " +
				"(16 of 16 programs).",
			Ops: hlo.Ops(hlo.OpScatter, hlo.OpFusion), Sweep: rule.WindowSweep, Constrain: e.constrainScatter},
		rule.ScatterEarly: {Name: "scatter-early", Stage: rule.Constrain, Evidence: []string{"scatter_set_rows"},
			Doc: "A scatter with a window is constrained in the first run only if the layouts of the text are " +
				"invalid for it, or the entry gives its table with the window minor (131 of 131). In later runs " +
				"its updates count as the last run left them, before copies (scatter_later).",
			Ran: func() {
				for _, w := range e.windows {
					if w.updates != -1 {
						w.given = e.MinorToMajor(e.G.Operand(w.node, w.updates))
					}
				}
			}},
		rule.ScatterExact: {Name: "scatter-exact", Stage: rule.Constrain,
			Evidence: []string{"scatter_exact"},
			Doc: "A scatter with a window is invalid unless it reads its table in the order that it requests, or gave it so " +
				"(the lists in the logs of 24 programs: 10 scatters of 151 are missing, and have it)."},
		rule.ScatterPair: {Name: "scatter-pair", Stage: rule.Constrain, Evidence: []string{"scatter_pair_square"},
			Doc: "A scatter whose window has several dimensions is invalid where the two minor ones of its updates are not " +
				"those that it requests, in the same order (78 of 78 states of the log)."},
		rule.ScatterTiled: {Name: "scatter-tiled", Stage: rule.Constrain, Evidence: []string{"scatter_tiled"},
			Doc: "A scatter whose result has the tile of an entry layout is invalid (24 of 24 probes), as are slices of a " +
				"gather that have one (slices-exact)."},
		rule.ElementScatter: {Name: "element-scatter", Stage: rule.Constrain,
			Evidence: []string{"scatter_elem", "scatter_tie", "scatter_written"},
			Doc: "A scatter of single elements requests the compact order of its table, of several the one that the text " +
				"has, as that of a table that is transposed before (all tables in other orders than descending of 34 probes)."},
		rule.ThroughScatter: {Name: "through-scatter", Stage: rule.Propagate, Evidence: []string{"scatter_set_rows"},
			Doc: "A scatter's table and result have one order; the updates have its two minor dimensions (about 200 fusions).",
			Ops: hlo.Ops(hlo.OpScatter), Down: e.windowDown, First: always,
			Up: func(n flat.NodeID, k int, o ordering.Order) ordering.Order {
				return e.windowAt[n].operandOrder(k, o)
			}},
	}
}

// constrainScatter constrains a scatter, or the custom fusion around it.
func (e *Set) constrainScatter(n flat.NodeID) {
	w := e.asksWindow(n, hlo.OpScatter)
	if w == nil {
		return
	}
	tables := flat.UpdatesAt(w.op) - 1
	why := constraint.Because(rule.Scatter, n)
	table, minor := w.asked()
	for i := range tables {
		if k := operandFor(w.in, w.op, flat.UpdatesAt(w.op)+i); k != -1 {
			rank := w.in.Operands[k].Shape.Rank()
			mm := hlo.Descending(rank)
			if w.inUpdates != nil {
				mm = ordering.WithMinor(rank, w.sliced(minor, w.inUpdates, rank), nil)
			}
			e.SetOperand(n, k, e.Orders.Of(mm).Untiled(), constraint.MustLate, why)
		}
	}
	for i := range tables {
		if k := operandFor(w.in, w.op, i); k != -1 {
			e.SetOperand(n, k, table, constraint.Must, why)
		}
	}
	if w.in.Shape.IsTuple() {
		for i := range tables {
			e.SetBuffer(e.G.ValueAt(n, i), table, constraint.Must, why)
		}
	} else if slices.Equal(w.in.Shape.Dims, w.shape.Dims) {
		e.SetInstruction(n, table, constraint.Must, why)
	}
}
