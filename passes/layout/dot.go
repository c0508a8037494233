package layout

import (
	"hlolayout/hlo"
	"hlolayout/passes/layout/internal/ordering"
	"slices"
)

// feedsDot reports whether a dot is part of a group: its chain of single users, of whatever operation but reshape,
// ends in another dot. Such dots are left free (the log lists the chain: 130 groups and 1044 others, no exception).
func (e *engine) feedsDot(n int32) bool {
	for e.on(ruleDotGroup) {
		if n = e.g.SingleUser(n); n < 0 {
			return false
		}
		switch e.g.Nodes[n].Op {
		case hlo.OpDot:
			return true
		case hlo.OpReshape:
			return false
		}
	}
	return false
}

// waste is how much larger padding to whole lanes or rows makes a dimension.
type waste struct{ padded, size int64 }

func wasteOf(n, unit int64) waste { return waste{ordering.RoundUp(max(n, 1), unit), max(n, 1)} }

func (w waste) compare(o waste) int {
	a, b := float64(w.padded)/float64(w.size), float64(o.padded)/float64(o.size)
	switch {
	case a < b:
		return -1
	case a > b:
		return 1
	}
	return 0
}

// leastWaste returns the dimension of least waste, the last one among equals; -1 for none.
func leastWaste(dims []int64, which []int) int {
	best := -1
	for _, d := range which {
		if best < 0 || wasteOf(dims[d], 128).compare(wasteOf(dims[best], 128)) <= 0 {
			best = d
		}
	}
	return best
}

// lastUnlessWorse is what M is where K or N spans the lanes: the last free dimension of the left that fills whole
// lanes, else the last one that none before it beats in lanes and in rows of 8, whatever the type (440 dots:
// testdata/dots_free.hlo; of [200,31] it is 200, of [100,31] 31).
func lastUnlessWorse(dims []int64, which []int) int {
	best := -1
	for _, d := range slices.Backward(which) {
		if dims[d]%128 == 0 {
			return d
		}
		if best < 0 || wasteOf(dims[d], 128).compare(wasteOf(dims[best], 128)) < 0 && wasteOf(dims[d], 8).compare(wasteOf(dims[best], 8)) < 0 {
			best = d
		}
	}
	return best
}

// freeDims returns the dimensions of a dot's operand that are neither batch nor contracting.
func freeDims(rank int, batch, contracting []int) []int {
	var out []int
	for d := range rank {
		if !slices.Contains(batch, d) && !slices.Contains(contracting, d) {
			out = append(out, d)
		}
	}
	return out
}

// dotDims are the dimensions of a dot that go to the matrix unit, -1 where there is none.
type dotDims struct {
	m, n     int // of lhs and rhs
	kl, kr   int // of lhs and rhs
	om, on   int // of the result
	simple   bool
	lhsBatch []int
	rhsBatch []int
	// all contracting dimensions
	lhsContracting, rhsContracting []int
	batch                          []int // of the result, major first, where it is not descending
}

func (e *engine) dotDims(n int32) dotDims {
	in := e.g.Nodes[n].In
	lhs, rhs := in.Operands[0].Shape, in.Operands[1].Shape
	lb, rb := in.Ints("lhs_batch_dims"), in.Ints("rhs_batch_dims")
	lc, rc := in.Ints("lhs_contracting_dims"), in.Ints("rhs_contracting_dims")
	lf, rf := freeDims(lhs.Rank(), lb, lc), freeDims(rhs.Rank(), rb, rc)
	d := dotDims{kl: -1, kr: -1, om: -1, on: -1, lhsBatch: lb, rhsBatch: rb, lhsContracting: lc, rhsContracting: rc,
		simple: len(lb) == 0 && len(lc) == 1 && len(lf) == 1 && len(rf) == 1}
	for i, k := range lc {
		if d.kl < 0 || cmpWaste(lhs.Dims, k, d.kl) < 0 {
			d.kl, d.kr = k, rc[i]
		}
	}
	d.n = leastWaste(rhs.Dims, rf)
	d.m = leastWaste(lhs.Dims, lf)
	if e.on(ruleDotWide) && d.n >= 0 && d.kl >= 0 && max(rhs.Dims[d.n], lhs.Dims[d.kl]) >= e.limits[wideDot] && !e.feedsDot(n) {
		d.m = lastUnlessWorse(lhs.Dims, lf)
	}
	if d.m >= 0 {
		d.om = len(lb) + slices.Index(lf, d.m)
	}
	if d.n >= 0 {
		d.on = len(lb) + len(lf) + slices.Index(rf, d.n)
	}
	return d
}

// follow takes the order of the batch from the order mm that the result of a group's dot has after the first two runs
// (5 dots of the log; dot_group_batch).
func (d *dotDims) follow(mm []int) {
	var lhs, rhs []int
	for _, k := range slices.Backward(mm) {
		if k < len(d.lhsBatch) {
			d.batch, lhs, rhs = append(d.batch, k), append(lhs, d.lhsBatch[k]), append(rhs, d.rhsBatch[k])
		}
	}
	d.lhsBatch, d.rhsBatch = lhs, rhs
}

// cmpWaste compares two contracting dimensions: least waste first, then the one last in lhs.
func cmpWaste(dims []int64, a, b int) int {
	if c := wasteOf(dims[a], 128).compare(wasteOf(dims[b], 128)); c != 0 {
		return c
	}
	return b - a
}

// dot constrains a dot's result, and its operands where one of them is more than a matrix.
func (e *engine) dot(n int32) {
	if int64(e.number) < e.limits[groupRuns] && e.feedsDot(n) {
		return
	}
	d, known := e.dots[n]
	if !known {
		dims := e.dotDims(n)
		if int64(e.number) >= e.limits[groupRuns] {
			if o, ok := e.grownTo[n]; ok && e.on(ruleDotGroupBatch) {
				dims.follow(e.Orders.Get(o))
			}
		}
		d = e.dotOrders(n, dims)
		e.dots[n] = d
	}
	why := cause{ruleDot, n}
	e.setInstruction(n, d.out.Untiled(), must, why)
	for k, o := range d.operands {
		e.setOperand(n, e.g.Nodes[n].FirstSlot+int32(k), o.order.Untiled(), flags{mandatory: true, dfs: o.dfs}, why)
	}
}

// dotOrders are the orders that a dot asks for in every run, none for an operand that it takes in any.
type dotOrders struct {
	out      ordering.Order
	operands [2]struct {
		order ordering.Order
		dfs   bool
	}
	repaired bool // an operand is taken as it lay
}

func (e *engine) dotOrders(n int32, d dotDims) dotOrders {
	g := e.g
	in := g.Nodes[n].In
	lhs, rhs, out := in.Operands[0].Shape, in.Operands[1].Shape, in.Shape
	asked := dotOrders{out: ordering.None}
	for k := range asked.operands {
		asked.operands[k].order = ordering.None
	}
	if d.om < 0 || d.on < 0 {
		// A matrix times a vector, or two vectors, is not for the matrix unit (0 of 81 dots on v7x; others' modules
		// have none).
		return asked
	}
	nMinor := e.isMinor(n, d.on, d.om)
	pair := []int{d.on, d.om}
	if !nMinor {
		pair = []int{d.om, d.on}
	}
	asked.out = e.Orders.Of(ordering.WithMinor(out.Rank(), pair, d.batch))
	if d.simple {
		return asked
	}
	for k, o := range []struct {
		shape   *hlo.Shape
		free, c int
		keep    bool
		batch   []int
		others  []int
	}{{lhs, d.m, d.kl, !nMinor, d.lhsBatch, d.lhsContracting}, {rhs, d.n, d.kr, nMinor, d.rhsBatch, d.rhsContracting}} {
		if o.shape.Rank() <= 2 && e.on(ruleDotGathered) && e.isGathered(g.Operand(n, k)) {
			continue // a table that is gathered from, too, keeps its order
		}
		pair := []int{o.free, o.c}
		if o.free >= 0 && o.c >= 0 {
			pair = e.minorPair(o.shape, o.free, o.c, o.keep)
		}
		// Contracting dimensions are more minor than free ones.
		for _, k := range slices.Backward(slices.Sorted(slices.Values(o.others))) {
			if !slices.Contains(pair, k) && e.on(ruleDotContracted) {
				pair = append(pair, k)
			}
		}
		mm := ordering.WithMinor(o.shape.Rank(), pair, o.batch)
		asked.operands[k].order, asked.operands[k].dfs = e.Orders.Of(mm), e.isCut(g.Operand(n, k))
	}
	return asked
}

// isGathered reports whether a gather reads the node as its table.
func (e *engine) isGathered(n int32) bool {
	for _, u := range e.g.Users(n) {
		if w := e.windowAt[u.Node]; w >= 0 && e.windows[w].op.Opcode == hlo.OpGather && int32(e.windows[w].table) == u.Slot-e.g.Nodes[u.Node].FirstSlot {
			return true
		}
	}
	return false
}

// minorPair orders the free and the contracting dimension of an operand: the smaller padded size; among equals the
// logical order if keep, else the contracting one minor.
func (e *engine) minorPair(s *hlo.Shape, free, contracting int, keep bool) []int {
	kMinor := e.Target.PaddedPair(s.DType, s.Dims[free], s.Dims[contracting])
	fMinor := e.Target.PaddedPair(s.DType, s.Dims[contracting], s.Dims[free])
	if kMinor < fMinor || kMinor == fMinor && (!keep || contracting > free) {
		return []int{contracting, free}
	}
	return []int{free, contracting}
}

// isCut reports whether an operand is, behind reshapes, transposes and conversions, a constant, a part of a larger
// array or put together from several; its constraint is then followed at once (1573 operands in the log, one
// exception: conv_grad_depthwise).
func (e *engine) isCut(n int32) bool {
	if e.off[ruleExploreCut] {
		return false
	}
	for op := e.g.Nodes[n].Op; op == hlo.OpReshape || op == hlo.OpTranspose || op == hlo.OpConvert || op == hlo.OpBitcastConvert; op = e.g.Nodes[n].Op {
		n = e.g.Operand(n, 0)
	}
	switch e.g.Nodes[n].Op {
	case hlo.OpDynamicSlice, hlo.OpConcatenate, hlo.OpSlice, hlo.OpPad, hlo.OpConstant:
		return true
	}
	return false
}

// keepGroups notes how the results of dots lie that the first runs leave free.
func (e *engine) keepGroups() {
	for n := range int32(len(e.g.Nodes) - 1) {
		if e.g.Nodes[n].Op == hlo.OpDot && e.feedsDot(n) {
			e.grownTo[n] = e.orderOf(n)
		}
	}
}
