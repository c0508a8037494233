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
			Text: "window dimensions minor for a scatter", Evidence: []string{"scatter_set_rows"},
			Doc: "A scatter reads table and updates with the window minor and gives the table's order.",
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
		rule.ScatterPair: {Name: "scatter-pair", Stage: rule.Constrain,
			Evidence: []string{"scatter_pair_inside", "scatter_pair_square"},
			Doc: "A scatter whose window has several dimensions is invalid where the two minor ones of its table or its " +
				"updates are not those that it requests, in the same order (78 of 78 states of the log)."},
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
	why := constraint.Because(rule.Scatter, n)
	table, minor := w.asked()
	if w.updates != -1 {
		p := w.in.Operands[w.updates].Shape
		mm := hlo.Descending(p.Rank())
		if w.inUpdates != nil {
			mm = ordering.WithMinor(p.Rank(), w.sliced(minor, w.inUpdates, p.Rank()), nil)
		}
		e.SetOperand(n, w.updates, e.Orders.Of(mm).Untiled(), constraint.MustLate, why)
	}
	e.SetOperand(n, w.table, table, constraint.Must, why)
	if w.in.Shape.IsArray() && slices.Equal(w.in.Shape.Dims, w.shape.Dims) {
		e.SetInstruction(n, table, constraint.Must, why)
	}
}
