package layout

import (
	"slices"

	"hlolayout/hlo"
)

// pin is what is asked of an instruction that no operation of the hardware constrains but that lies wastefully: the
// compact order, not mandatory. The compiler's log calls them "instructions with at-risk unconstrained layouts".
type pin struct {
	tiled
	why     rule
	dropped bool // it was tried and cost copies on both sides
}

// pinConcatenates pins the concatenates that lie wastefully, when all else is valid, and reports whether there are
// new ones.
func (e *engine) pinConcatenates() bool {
	found := false
	for n := range int32(len(e.g.nodes) - 1) {
		nd := &e.g.nodes[n]
		if nd.op != hlo.OpConcatenate || nd.in.Shape.Rank() < 2 || e.pins[n].order != none || e.pins[n].dropped || e.feedsWindow(n) {
			continue
		}
		c := &e.bufferC[e.g.whole(n)]
		compact := e.compactOrder(nd.in.Shape, int64(c.rows))
		if e.paddedRows(nd.in.Shape, c.order, int64(c.rows)) > times(e.limits[riskRatio], e.paddedRows(nd.in.Shape, compact, int64(c.rows))) {
			e.pins[n], found = pin{tiled: tiled{compact, c.rows}, why: ruleAtRisk}, true
		}
	}
	return found
}

// feedsWindow reports whether a gather or scatter reads the node otherwise than as updates: its indices are never
// pinned (66 concatenates of the log), updates are.
func (e *engine) feedsWindow(n int32) bool {
	for _, u := range e.g.users(n) {
		if w := e.windowAt[u.node]; w >= 0 && int(u.slot-e.g.nodes[u.node].operand) != e.windows[w].updates {
			return true
		}
	}
	return false
}

// dropPins frees the pinned concatenates that are copied on both sides, operands and users, and reports whether there
// are any (the log's "Checking copy overhead": 15 of 15 dropped, 16 of 16 with copies on one side or none kept).
func (e *engine) dropPins() bool {
	if !slices.ContainsFunc(e.pins, func(p pin) bool { return p.order != none }) {
		return false
	}
	before, behind := map[int32]bool{}, map[int32]bool{}
	e.mismatches(func(r relayout) {
		before[r.user], behind[r.source] = true, true
	})
	dropped := false
	for n := range e.pins {
		if p := &e.pins[n]; p.order != none && before[int32(n)] && behind[int32(n)] && e.g.nodes[n].op == hlo.OpConcatenate {
			*p, dropped = pin{tiled: tiled{order: none}, dropped: true}, true
		}
	}
	return dropped
}

// pinLargest pins the free value that wastes most, the first one of equals, where that is much ("Bytes saveable" in
// the log; kmeans).
func (e *engine) pinLargest() bool {
	at, largest, to := int32(-1), e.limits[riskBytes], none
	for v, free := range e.free {
		val := &e.g.values[v]
		if !free || val.shape.Rank() < 2 || e.g.nodes[val.node].tuple || e.g.nodes[val.node].op == hlo.OpParameter {
			continue
		}
		compact := e.compactOrder(val.shape, 0)
		saved := e.padded(val.shape, e.bufferC[v].order) - e.padded(val.shape, compact)
		if saved = times(saved, int64(max(val.shape.DType.Bits(), 8)/8)); saved > largest {
			at, largest, to = val.node, saved, compact
		}
	}
	if at < 0 || e.pins[at].order != none {
		return false
	}
	e.pins[at] = pin{tiled: to.untiled(), why: ruleLargestFree, dropped: e.pins[at].dropped}
	return true
}

// paddedRows is padded for a tile of the given number of rows, 0 for the one that the shape gets.
func (e *engine) paddedRows(s *hlo.Shape, o order, rows int64) int64 {
	if rows == 0 {
		return e.padded(s, o)
	}
	mm := e.orders.get(o)
	n := times(roundUp(s.Dims[mm[0]], e.t.Lanes), roundUp(s.Dims[mm[1]], rows))
	for _, d := range mm[2:] {
		n = times(n, s.Dims[d])
	}
	return n
}

// compactOrder returns the order of the smallest padded size under a tile of the given number of rows, 0 for the
// shape's own. Layouts that come from the entry's carry their tiles along, and sizes are compared under these:
// f32[2,5]{0,1:T(8,128)} wastes nothing. Among equals the smaller size under full tiles wins (soft_raster:
// f32[20,4,28,28,2]{3,1,4,2,0}).
func (e *engine) compactOrder(s *hlo.Shape, rows int64) order {
	return e.memoryOrder(s, e.orders.of(e.t.BoundaryOrder(s.DType, s.Dims)), rows)
}

// minorPairs calls f for every choice of the two minor dimensions, highest first; the others follow, descending.
func (e *engine) minorPairs(s *hlo.Shape, f func(order)) {
	for i := s.Rank() - 1; i >= 0; i-- {
		for j := s.Rank() - 1; j >= 0; j-- {
			if i != j {
				f(e.orders.of(append([]int{i, j}, slices.DeleteFunc(hlo.Descending(s.Rank()), func(d int) bool { return d == i || d == j })...)))
			}
		}
	}
}
