package layout

import (
	"math"

	"hlolayout/hlo"
	"hlolayout/passes/entry"
	"hlolayout/tpu"
)

// resultPriority is the priority of the entry's result constraint.
const resultPriority = 3

// maxRuns bounds how often the generic algorithm runs: once, and again for repairs and clusters (the compiler's log
// shows up to five runs; ten is a guess).
const maxRuns = 10

// engine holds one module's state through all runs of the pass.
type engine struct {
	g      *graph
	t      *tpu.Target
	orders *orders

	table   *[numRules]Rule
	off     [numRules]bool // rules that are not in force
	limits  [numLimits]int64
	sweeps  [numSweeps][]rule // rules of Constrain
	finders [numSteps][]rule  // rules of Repair and Improve
	through [256]rule         // by opcode: the rule of Propagate that carries orders through it, ruleNone for none

	// given layouts of the entry, by leaf; nil where there are none
	entryParams [][]tiled
	entryResult []tiled
	// entryDefault says that all layouts of the interface are the target's defaults.
	entryDefault bool

	// what later runs add
	hints    []*hint // by node
	clusters []tiled // by node
	walk     clusterWalk
	grouped  bool       // some cluster was moved
	pins     []pin      // by node
	windows  []windowed // gathers and scatters, and the fusions around them
	windowAt []int32    // by node, -1 for other nodes
	held     held       // what the caller pins

	// outward and inward are the layouts that control flow ties together: as what is called has them, then as it is
	// given them
	outward, inward []boundaryBatch
	shared          []bool // by value: it is part of a boundary

	// the state of one run
	number    int                // of the run, from 0
	priority  int16              // of the round
	unsettled bool               // a shared value was set since the boundaries were settled
	settled   bool               // the last run is over
	free      []bool             // by value: nothing had constrained it when the round came to its defaults
	results   [][]order          // by computation: the layouts its result must have, nil for none
	bufferC   []bufferConstraint // by value
	operandC  []operandConstraint
	tuples    [][]order // see operandConstraint.tuple
	beaten    []beaten
	added     []item
	work      deque

	selections map[selectionKey]selection
	smallest   map[memoryKey]order
	across     map[acrossKey]order
	dots       map[int32]dotOrders // by node
	grownTo    map[int32]order     // by node: what a dot of a group had before it was constrained
	given      map[int32]given     // by value
	moved      map[int32]order     // by leaf: branch parameters that lie otherwise than their users want
	// trace, when set, sees every constraint that is set.
	trace func(e *engine, i item)
	// weighed, when set, sees every cluster that could gain memory: what it gains and what surrounds it costs, in
	// bytes.
	weighed func(cl *cluster, compact order, gain, cost int64)
}

// hint is what a repair asks of one instruction in all later runs.
type hint struct {
	operands []operandHint
	out      order
	leaves   []order // of a tuple-shaped result
	rows     int32   // of the tile that the result's order carries along
	why      rule
}

type operandHint struct {
	k   int
	has tiled
	dfs bool
}

func newEngine(g *graph, t *tpu.Target, off ...rule) *engine {
	e := &engine{g: g, t: t, table: &table, limits: limitsOf(), orders: newOrders(), hints: make([]*hint, len(g.nodes)), clusters: make([]tiled, len(g.nodes)), pins: make([]pin, len(g.nodes)),
		windowAt: make([]int32, len(g.nodes)), selections: map[selectionKey]selection{}, smallest: map[memoryKey]order{}, across: map[acrossKey]order{}, dots: map[int32]dotOrders{}, grownTo: map[int32]order{},
		moved: map[int32]order{}, given: map[int32]given{},
		bufferC: make([]bufferConstraint, len(g.values)), operandC: make([]operandConstraint, len(g.operands))}
	for n := range g.nodes {
		e.clusters[n].order, e.pins[n].order, e.windowAt[n] = none, none, -1
	}
	e.free = make([]bool, len(g.values))
	e.results = make([][]order, len(g.comps))
	e.setRules(off)
	e.orderUses()
	e.findWindows()
	e.findBoundaries()
	return e
}

// setEntry takes the layouts of the interface; leaves without one stay free.
func (e *engine) setEntry(iface *entry.Interface) {
	e.entryDefault = iface.IsDefault()
	for _, p := range iface.Params {
		e.entryParams = append(e.entryParams, e.writtenTiled(p))
	}
	e.entryResult = e.writtenTiled(iface.Result)
}

// writtenTiled returns the layouts written in a shape, by leaf: the orders, with the rows of the tiles.
func (e *engine) writtenTiled(s *hlo.Shape) []tiled {
	leaves, orders := e.g.shape(s).leaves, e.ordersOf(s)
	out := make([]tiled, len(leaves))
	for i, l := range leaves {
		out[i].order = orders[i]
		if l.Rank() > 1 && l.Layout != nil && len(l.Layout.Tiles) > 0 && len(l.Layout.Tiles[0]) == 2 {
			out[i].rows = int32(min(max(0, l.Layout.Tiles[0][0]), math.MaxInt32))
		}
	}
	return out
}

// ordersOf returns the orders written in a shape, by leaf.
func (e *engine) ordersOf(s *hlo.Shape) []order {
	var out []order
	for _, l := range e.g.shape(s).leaves {
		switch {
		case l.Layout != nil:
			out = append(out, e.orders.of(l.Layout.MinorToMajor))
		case l.Rank() == 0:
			out = append(out, e.orders.descending(0))
		default:
			out = append(out, none)
		}
	}
	return out
}

func (e *engine) record(i item) {
	if e.trace != nil {
		e.trace(e, i)
	}
}

// steps runs the generic algorithm until nothing is left to repair or to gain, calling each after every run.
func (e *engine) steps(each func()) {
	for run := 1; ; run++ {
		e.number = run - 1
		e.runOnce()
		each()
		if int64(e.number) == e.limits[groupRuns]-1 {
			e.keepGroups()
		}
		if run == maxRuns {
			return
		}
		again := false
		for s := invalidStep; s < numSteps && !again; s++ {
			again = e.look(s)
		}
		if !again {
			return
		}
	}
}

// runOnce is one run of the generic algorithm: a round of propagation, and a second one when the branches of some
// conditional do not agree.
func (e *engine) runOnce() {
	e.priority = 0
	for i := range e.windows {
		if w := &e.windows[i]; e.number > 0 && w.updates >= 0 {
			w.lay = e.orderOf(e.g.operand(w.node, w.updates))
		}
	}
	e.round(nil)
	record := e.recordCallees()
	mismatch := e.agreeWithCallees(record)
	e.propagate()
	if !mismatch || e.off[ruleBranchMismatch] {
		return
	}
	e.priority = 1
	e.round(record)
	// The branches whose result was forced have found their parameters.
	again := e.recordCallees()
	for i := range record {
		if record[i].forced {
			record[i].params = again[i].params
		}
	}
	e.agreeWithCallees(record)
	e.propagate()
}

// round sets all constraints anew and propagates them; record is nil in the first one.
func (e *engine) round(record []called) {
	for i := range e.bufferC {
		e.bufferC[i] = bufferConstraint{tiled: tiled{order: none}}
	}
	for i := range e.operandC {
		e.operandC[i] = operandConstraint{tiled: tiled{order: none}}
	}
	e.beaten, e.tuples = e.beaten[:0], e.tuples[:0]
	e.setHeld()
	for i := range e.g.comps {
		c := &e.g.comps[i]
		e.mandatory(c)
		if record != nil {
			e.holdToRecord(int32(i), record)
		}
		if c.entry || e.results[i] != nil && record != nil {
			e.queue(resultItems + item(i))
		}
		e.constrain(c)
		e.customCalls(c)
	}
	e.propagate()
	if record == nil {
		e.settleBoundaries()
	}
	for v := range e.free {
		e.free[v] = e.bufferC[v].order == none
	}
	for v := range e.g.values {
		if e.bufferC[v].order != none || !e.g.values[v].shape.DType.IsArray() {
			continue
		}
		o, why := e.unconstrained(int32(v))
		e.setBuffer(int32(v), o.untiled(), may, cause{why, e.g.values[v].node})
		e.propagate()
		if record == nil && e.unsettled {
			e.settleBoundaries()
		}
	}
}

// mandatory sets what stands written in the module.
func (e *engine) mandatory(c *comp) {
	g := e.g
	if c.entry && e.entryParams != nil {
		for k, p := range c.params {
			for i, o := range e.entryParams[k] {
				e.setBuffer(g.valueAt(p, i), o, must, cause{ruleEntryParameter, p})
			}
		}
	}
	for n := c.first; n < c.end; n++ {
		nd := &g.nodes[n]
		switch {
		case nd.op == hlo.OpInfeed:
			e.setLeaves(n, e.written(nd.in.Shape), 0, must, cause{ruleInfeed, n})
		case nd.op == hlo.OpOutfeed:
			shape := g.shapeOf(g.operands[nd.operand])
			if v := nd.in.Attr("outfeed_shape"); v != nil && v.Shape != nil && v.Shape.Compatible(shape) {
				shape = v.Shape
			}
			e.setWhole(n, nd.operand, e.written(shape), must, cause{ruleInfeed, n})
		case nd.op == hlo.OpSend, nd.op == hlo.OpRecv, nd.op == hlo.OpRecvDone:
			e.hostTransfer(n)
		case nd.fixed && nd.op != hlo.OpCustomCall:
			e.setLeaves(n, e.written(nd.in.Shape), 0, must, cause{ruleCollective, n})
			for s, hi := g.slots(n); s < hi; s++ {
				e.setWhole(n, s, e.written(g.shapeOf(g.operands[s])), must, cause{ruleCollective, n})
			}
		}
	}
}

// hostTransfer gives arrays that the host sends or receives the device's default order.
func (e *engine) hostTransfer(n int32) {
	g := e.g
	nd := &g.nodes[n]
	if !nd.in.Attr("is_host_transfer").Bool() {
		return
	}
	order := func(s *hlo.Shape) order { return e.orders.of(e.t.BoundaryOrder(s.DType, s.Dims)) }
	for i, s := range g.shape(nd.in.Shape).leaves {
		if s.IsArray() {
			e.setBuffer(g.valueAt(n, i), order(s).untiled(), must, cause{ruleHostTransfer, n})
		}
	}
	if s := g.shapeOf(g.operand(n, 0)); nd.op == hlo.OpSend && s.IsArray() {
		e.setOperand(n, nd.operand, order(s).untiled(), must, cause{ruleHostTransfer, n})
	}
}

// written returns the orders of a shape's leaves as they stand in it, descending where none does.
func (e *engine) written(s *hlo.Shape) []order {
	out := e.ordersOf(s)
	for i, l := range e.g.shape(s).leaves {
		if out[i] == none {
			out[i] = e.orders.descending(l.Rank())
		}
	}
	return out
}

// setWhole constrains an operand of any shape, by leaf.
func (e *engine) setWhole(n, slot int32, leaves []order, f flags, why cause) {
	if e.g.shapeOf(e.g.operands[slot]).IsTuple() {
		e.constrainOperand(n, slot, none.untiled(), leaves, f, why)
		return
	}
	e.setOperand(n, slot, leaves[0].untiled(), f, why)
}

// customCalls sets the layouts that custom calls carry.
func (e *engine) customCalls(c *comp) {
	g := e.g
	for n := c.first; n < c.end; n++ {
		nd := &g.nodes[n]
		if !nd.fixed || nd.op != hlo.OpCustomCall {
			continue
		}
		why := cause{ruleCustomCall, n}
		e.setLeaves(n, e.ordersOf(nd.in.Shape), 0, must, why)
		for s, hi := g.slots(n); s < hi; s++ {
			if shape := e.asked(n, int(s-nd.operand)); shape != nil {
				e.setWhole(n, s, e.written(shape), must, why)
			}
		}
	}
}

// asked returns the shape, with its layouts, in which a custom call asks for an operand; nil where it asks for none. A
// LayoutConstraint asks for its own.
func (e *engine) asked(n int32, k int) *hlo.Shape {
	nd := &e.g.nodes[n]
	operand := e.g.shapeOf(e.g.operand(n, k))
	if t := nd.in.Attr("custom_call_target"); nd.fixed && t != nil && t.Text == `"LayoutConstraint"` && len(nd.in.Operands) == 1 && nd.in.Shape.Compatible(operand) {
		return nd.in.Shape
	}
	if v := nd.in.Attr("operand_layout_constraints"); v != nil && k < len(v.Elems) && v.Elems[k].Shape != nil && v.Elems[k].Shape.Compatible(operand) {
		return v.Elems[k].Shape
	}
	return nil
}

// linalg constrains an operation that works in the descending order only.
func (e *engine) linalg(n int32) {
	e.setInstruction(n, e.orders.descending(e.g.shapeOf(n).Rank()).untiled(), must, cause{ruleLinalg, n})
}

// setHint sets what a repair asks of an instruction.
func (e *engine) setHint(n int32) {
	h := e.hints[n]
	for _, o := range h.operands {
		e.setOperand(n, e.g.nodes[n].operand+int32(o.k), o.has, flags{mandatory: true, dfs: o.dfs}, cause{h.why, n})
	}
	e.setLeaves(n, h.leaves, h.rows, must, cause{h.why, n})
	e.setInstruction(n, tiled{h.out, h.rows}, must, cause{h.why, n})
}

// unconstrained returns the layout of a value that nothing reached: what the first of the default rules gives.
func (e *engine) unconstrained(v int32) (order, rule) {
	for r := ruleLiteral; r <= ruleFree; r++ {
		if e.on(r) {
			if o := e.table[r].initial(e, v); o != none {
				return o, r
			}
		}
	}
	val := &e.g.values[v]
	return e.orders.of(e.t.BoundaryOrder(val.shape.DType, val.shape.Dims)), ruleNone
}

func (e *engine) literalOrder(v int32) order {
	val := &e.g.values[v]
	if e.g.nodes[val.node].op != hlo.OpConstant || val.shape.Layout == nil {
		return none
	}
	return e.orders.of(val.shape.Layout.MinorToMajor)
}

func (e *engine) parameterOrder(v int32) order {
	val := &e.g.values[v]
	if nd := &e.g.nodes[val.node]; nd.op != hlo.OpParameter || e.inLoop(nd.comp) {
		return none
	}
	return e.orders.of(e.t.BoundaryOrder(val.shape.DType, val.shape.Dims))
}

// loopParameterOrder is the compact order where the last dimension takes less than a quarter of the lanes.
func (e *engine) loopParameterOrder(v int32) order {
	s := e.g.values[v].shape
	if nd := &e.g.nodes[e.g.values[v].node]; nd.op != hlo.OpParameter || !e.inLoop(nd.comp) || s.Rank() < 2 || s.Dims[s.Rank()-1] >= e.t.Lanes/e.limits[loopLanes] {
		return none
	}
	return e.orders.of(e.t.BoundaryOrder(s.DType, s.Dims))
}

func (e *engine) descendingOrder(v int32) order {
	return e.orders.descending(e.g.values[v].shape.Rank())
}

// inLoop reports whether a computation is a loop's body or condition.
func (e *engine) inLoop(ci int32) bool {
	for _, caller := range e.g.comps[ci].c.Callers() {
		if caller.Instruction.Opcode == hlo.OpWhile {
			return true
		}
	}
	return false
}

// orderAt returns the order of a leaf of a node in the present run.
func (e *engine) orderAt(n int32, leaf int) order { return e.bufferC[e.g.valueAt(n, leaf)].order }

// orderOf returns the order of an array-shaped node.
func (e *engine) orderOf(n int32) order { return e.bufferC[e.g.whole(n)].order }

// taken returns the order in which an array operand is read: its constraint, or what its value has.
func (e *engine) taken(n int32, k int) order {
	slot := e.g.nodes[n].operand + int32(k)
	have := e.orderOf(e.g.operands[slot])
	if want := e.operandC[slot].order; want != none && !e.readsThrough(n, slot, have, want) {
		return want
	}
	return have
}

// takenTiled is taken with the tile that the order carries along.
func (e *engine) takenTiled(n int32, k int) tiled {
	slot := e.g.nodes[n].operand + int32(k)
	o := e.taken(n, k)
	if c := &e.operandC[slot]; c.order == o {
		return c.tiled
	}
	return tiled{o, e.bufferC[e.g.whole(e.g.operands[slot])].rows}
}

// padded returns the padded size of an array in elements, as the compiler compares it, saturating.
func (e *engine) padded(s *hlo.Shape, o order) int64 {
	return e.paddedDims(s.DType, s.Dims, e.orders.get(o))
}

func (e *engine) paddedDims(t hlo.DType, dims []int64, mm []int) int64 {
	switch len(mm) {
	case 0:
		return 1
	case 1:
		return roundUp(dims[0], 1024)
	}
	n := e.t.PaddedPair(t, dims[mm[1]], dims[mm[0]])
	for _, d := range mm[2:] {
		n = times(n, dims[d])
	}
	return n
}

const most = 1<<62 - 1

// times multiplies two sizes, saturating.
func times(a, b int64) int64 {
	if a <= 0 || b <= 0 {
		return 0
	}
	if a > most/b {
		return most
	}
	return a * b
}

func roundUp(n, to int64) int64 {
	if n > most-to {
		return most
	}
	return (n + to - 1) / to * to
}
