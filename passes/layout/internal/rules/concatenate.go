package rules

import (
	"slices"

	"hlolayout/hlo"
	"hlolayout/passes/internal/flat"
	"hlolayout/passes/layout/internal/constraint"
	"hlolayout/passes/layout/internal/ordering"
	"hlolayout/passes/layout/internal/rule"
)

func concatenateRules(e *Set) rule.Rows {
	return rule.Rows{
		rule.ConcatenateLargest: {Name: "concatenate-largest", Stage: rule.Propagate, Evidence: []string{"unwilling_users"},
			Doc: "Through a concatenate goes only the layout of an operand that no other is larger than.",
			Ops: rule.Ops(hlo.OpConcatenate), Carries: e.isLargest},
		rule.AtRisk: {Name: "at-risk", Stage: rule.Improve,
			Text: "the compact order for a concatenate that wastes memory", Evidence: []string{"conv_small_batch_1",
				"pinned_table"},
			Doc: "A concatenate that takes more than twice its compact size requests the compact order; the " +
				"indices of gathers and scatters are exempt (92 listings), their tables are not (8 concatenates of 8 " +
				"programs).",
			Step: rule.ReduceStep, Find: e.pinConcatenates},
		rule.DropPins: {Name: "drop-pins", Stage: rule.Improve, Evidence: []string{"conv_small_batch_1"},
			Doc: "A concatenate that was pinned to the compact order and is copied on both sides is freed again " +
				"(267 of 267 against 0 of 492), unless what is copied before it are a tuple's elements (0 of 5).",
			Step: rule.FreeStep, Find: e.dropPins},
	}
}

// isLargest reports whether no operand of a concatenate is larger than o along the concatenated dimension.
func (e *Set) isLargest(n, o flat.NodeID) bool {
	g := e.G
	d := g.DimsOf(&g.Nodes[n])[0]
	largest, known := e.largest[n]
	if !known {
		for s, end := g.Slots(n); s < end; s++ {
			largest = max(largest, g.ShapeOf(g.Operands[s]).Dims[d])
		}
		e.largest[n] = largest
	}
	return g.ShapeOf(o).Dims[d] == largest
}

func (e *Set) pinConcatenates() bool {
	found := false
	for n := range flat.NodeID(len(e.G.Nodes) - 1) {
		nd := &e.G.Nodes[n]
		if nd.Op != hlo.OpConcatenate || nd.In.Shape.Rank() < 2 || e.IsPinned(n) || e.Pins[n].Dropped || e.isIndices(n) {
			continue
		}
		c := e.LayoutOf(e.G.Whole(n))
		compact := e.CompactOrder(nd.In.Shape, int64(c.Rows))
		if e.PaddedRows(nd.In.Shape, c.Order, int64(c.Rows)) > ordering.Times(e.Limit(rule.RiskRatio),
			e.PaddedRows(nd.In.Shape, compact, int64(c.Rows))) {
			e.Pins[n], found = constraint.Pin{Tiled: compact.Carrying(c.Rows), Why: rule.AtRisk}, true
		}
	}
	return found
}

// dropPins is the log's "Checking copy overhead".
func (e *Set) dropPins() bool {
	if !slices.ContainsFunc(e.Pins, func(p constraint.Pin) bool { return p.Order != ordering.None }) {
		return false
	}
	before, behind := map[flat.NodeID]bool{}, map[flat.NodeID]bool{}
	e.Mismatches(func(r constraint.Relayout) {
		behind[r.Source] = true
		if r.User >= 0 && e.G.Nodes[r.Source].Op != hlo.OpGetTupleElement {
			before[r.User] = true
		}
	})
	dropped := false
	for n := range e.Pins {
		if p := &e.Pins[n]; p.Order != ordering.None && before[flat.NodeID(n)] && behind[flat.NodeID(n)] &&
			e.G.Nodes[n].Op == hlo.OpConcatenate {
			*p, dropped = constraint.Pin{Tiled: ordering.None.Untiled(), Dropped: true}, true
		}
	}
	return dropped
}
