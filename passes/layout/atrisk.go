package layout

import (
	"hlolayout/hlo"
	"hlolayout/passes/layout/internal/ordering"
	"slices"
)

// pin is what is asked of an instruction that no operation of the hardware constrains but that lies wastefully: the
// compact order, not mandatory. The compiler's log calls them "instructions with at-risk unconstrained layouts".
type pin struct {
	ordering.Tiled
	why     rule
	dropped bool // it was tried and cost copies on both sides
}

// pinConcatenates pins the concatenates that lie wastefully, when all else is valid, and reports whether there are
// new ones.
func (e *engine) pinConcatenates() bool {
	found := false
	for n := range int32(len(e.g.Nodes) - 1) {
		nd := &e.g.Nodes[n]
		if nd.Op != hlo.OpConcatenate || nd.In.Shape.Rank() < 2 || e.pins[n].Order != ordering.None || e.pins[n].dropped || e.feedsWindow(n) {
			continue
		}
		c := &e.bufferC[e.g.Whole(n)]
		compact := e.CompactOrder(nd.In.Shape, int64(c.Rows))
		if e.PaddedRows(nd.In.Shape, c.Order, int64(c.Rows)) > ordering.Times(e.limits[riskRatio], e.PaddedRows(nd.In.Shape, compact, int64(c.Rows))) {
			e.pins[n], found = pin{Tiled: compact.Carrying(c.Rows), why: ruleAtRisk}, true
		}
	}
	return found
}

// feedsWindow reports whether a gather or scatter reads the node otherwise than as updates: its indices are never
// pinned (66 concatenates of the log), updates are.
func (e *engine) feedsWindow(n int32) bool {
	for _, u := range e.g.Users(n) {
		if w := e.windowAt[u.Node]; w >= 0 && int(u.Slot-e.g.Nodes[u.Node].FirstSlot) != e.windows[w].updates {
			return true
		}
	}
	return false
}

// dropPins frees the pinned concatenates that are copied on both sides, operands and users, and reports whether there
// are any (the log's "Checking copy overhead": 15 of 15 dropped, 16 of 16 with copies on one side or none kept).
func (e *engine) dropPins() bool {
	if !slices.ContainsFunc(e.pins, func(p pin) bool { return p.Order != ordering.None }) {
		return false
	}
	before, behind := map[int32]bool{}, map[int32]bool{}
	e.mismatches(func(r relayout) {
		before[r.user], behind[r.source] = true, true
	})
	dropped := false
	for n := range e.pins {
		if p := &e.pins[n]; p.Order != ordering.None && before[int32(n)] && behind[int32(n)] && e.g.Nodes[n].Op == hlo.OpConcatenate {
			*p, dropped = pin{Tiled: ordering.None.Untiled(), dropped: true}, true
		}
	}
	return dropped
}

// pinLargest pins the free value that wastes most, the first one of equals, where that is much ("Bytes saveable" in
// the log; kmeans).
func (e *engine) pinLargest() bool {
	at, largest, to := int32(-1), e.limits[riskBytes], ordering.None
	for v, free := range e.free {
		val := &e.g.Values[v]
		if !free || val.Shape.Rank() < 2 || e.g.Nodes[val.Node].Tuple || e.g.Nodes[val.Node].Op == hlo.OpParameter {
			continue
		}
		compact := e.CompactOrder(val.Shape, 0)
		saved := e.Padded(val.Shape, e.bufferC[v].Order) - e.Padded(val.Shape, compact)
		if saved = ordering.Times(saved, int64(max(val.Shape.DType.Bits(), 8)/8)); saved > largest {
			at, largest, to = val.Node, saved, compact
		}
	}
	if at < 0 || e.pins[at].Order != ordering.None {
		return false
	}
	e.pins[at] = pin{Tiled: to.Untiled(), why: ruleLargestFree, dropped: e.pins[at].dropped}
	return true
}
