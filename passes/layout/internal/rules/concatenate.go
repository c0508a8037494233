package rules

import (
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
			Ops: hlo.Ops(hlo.OpConcatenate), Carries: e.isLargest},
		rule.AtRisk: {Name: "at-risk", Stage: rule.Improve, Text: "the compact order for a concatenate that wastes memory",
			Evidence: []string{"conv_small_batch_1", "pinned_table"},
			Doc: "A concatenate that takes more than twice its compact size requests the compact order; the indices of " +
				"gathers and scatters are exempt (92 listings), their tables are not (8 concatenates of 8 programs).",
			Ops: hlo.Ops(hlo.OpConcatenate), Step: rule.ReduceStep, Sweep: rule.PinSweep, Hint: e.pinConcatenate},
		rule.DropPins: {Name: "drop-pins", Stage: rule.Improve, Evidence: []string{"conv_small_batch_1", "free_dropped"},
			Doc: "A concatenate that was pinned to the compact order and is copied on both sides is freed again " +
				"(267 of 267 against 0 of 492), unless what is copied before it are a tuple's elements (0 of 5). So is a " +
				"broadcast that is copied after it (13 of 13; 2 that are not stay).",
			Step: rule.FreeStep, Find: e.dropPins},
	}
}

// isLargest reports whether no operand of a concatenate is larger than o along the concatenated dimension.
func (e *Set) isLargest(n, o flat.NodeID) bool {
	g := e.G
	d := g.DimsOf(n)[0]
	return g.ShapeOf(o).Dims[d] == ordering.Memo(e.largest, n, func() (most int64) {
		for _, x := range g.OperandsOf(n) {
			most = max(most, g.ShapeOf(x).Dims[d])
		}
		return most
	})
}

// pinConcatenate is the log's "instructions with at-risk unconstrained layouts".
func (e *Set) pinConcatenate(n flat.NodeID) *rule.Hint {
	s := e.G.ShapeOf(n)
	if s.Rank() < 2 || e.indices[n] {
		return nil
	}
	c := e.LayoutOf(e.G.Whole(n))
	rows := int64(c.Rows)
	compact := e.CompactOrder(s, rows)
	if e.PaddedRows(s, c.Order, rows) <= ordering.Times(e.Limit(rule.RiskRatio), e.PaddedRows(s, compact, rows)) {
		return nil
	}
	return &rule.Hint{Out: compact.Carrying(c.Rows), May: true}
}

// dropPins is the log's "Checking copy overhead".
func (e *Set) dropPins() bool {
	var pinned []flat.NodeID
	droppable := hlo.Ops(hlo.OpConcatenate, hlo.OpBroadcast)
	for n := range flat.NodeID(len(e.G.Nodes) - 1) {
		if droppable.Has(e.G.Nodes[n].Op) && e.IsPinned(n) {
			pinned = append(pinned, n)
		}
	}
	if len(pinned) == 0 {
		return false
	}
	before, behind := map[flat.NodeID]bool{}, map[flat.NodeID]bool{}
	e.Mismatches(func(r constraint.Relayout) {
		behind[r.Source] = true
		if e.G.Nodes[r.Source].Op != hlo.OpGetTupleElement {
			before[r.User] = true
		}
	})
	dropped := false
	for _, n := range pinned {
		if behind[n] && (before[n] || e.G.Nodes[n].Op == hlo.OpBroadcast) {
			e.HintIn(rule.PinSweep, n).Dropped, dropped = true, true
		}
	}
	return dropped
}
