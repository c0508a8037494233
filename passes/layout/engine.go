package layout

import (
	"hlolayout/hlo"
	"hlolayout/passes/entry"
	"hlolayout/passes/internal/flat"
	"hlolayout/passes/layout/internal/ordering"
	"hlolayout/tpu"
	"math"
)

// resultPriority is the priority of the entry's result constraint.
const resultPriority = 3

// maxRuns bounds how often the generic algorithm runs: once, and again for repairs and clusters (the compiler's log
// shows up to five runs; ten is a guess).
const maxRuns = 10

// engine holds one module's state through all runs of the pass.
type engine struct {
	g *flat.Graph
	*ordering.Tiles

	table   *[numRules]Rule
	off     [numRules]bool // rules that are not in force
	limits  [numLimits]int64
	sweeps  [numSweeps][]rule // rules of Constrain
	finders [numSteps][]rule  // rules of Repair and Improve
	through [256]rule         // by opcode: the rule of Propagate that carries orders through it, ruleNone for none

	// given layouts of the entry, by leaf; nil where there are none
	entryParams [][]ordering.Tiled
	entryResult []ordering.Tiled
	// entryDefault says that all layouts of the interface are the target's defaults.
	entryDefault bool

	// what later runs add
	hints    []*hint          // by node
	clusters []ordering.Tiled // by node
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
	results   [][]ordering.Order // by computation: the layouts its result must have, nil for none
	bufferC   []bufferConstraint // by value
	operandC  []operandConstraint
	tuples    [][]ordering.Order // see operandConstraint.tuple
	beaten    []beaten
	added     []item
	work      deque

	selections map[selectionKey]selection
	across     map[acrossKey]ordering.Order
	dots       map[int32]dotOrders      // by node
	grownTo    map[int32]ordering.Order // by node: what a dot of a group had before it was constrained
	given      map[int32]given          // by value
	moved      map[int32]ordering.Order // by leaf: branch parameters that lie otherwise than their users want
	// trace, when set, sees every constraint that is set.
	trace func(e *engine, i item)
	// weighed, when set, sees every cluster that could gain memory: what it gains and what surrounds it costs, in
	// bytes.
	weighed func(cl *cluster, compact ordering.Order, gain, cost int64)
}

// hint is what a repair asks of one instruction in all later runs.
type hint struct {
	operands []operandHint
	out      ordering.Order
	leaves   []ordering.Order // of a tuple-shaped result
	rows     int32            // of the tile that the result's order carries along
	why      rule
}

type operandHint struct {
	k   int
	has ordering.Tiled
	dfs bool
}

func newEngine(g *flat.Graph, t *tpu.Target, off ...rule) *engine {
	e := &engine{g: g, Tiles: ordering.NewTiles(t), table: &table, limits: limitsOf(), hints: make([]*hint, len(g.Nodes)), clusters: make([]ordering.Tiled, len(g.Nodes)), pins: make([]pin, len(g.Nodes)),
		windowAt: make([]int32, len(g.Nodes)), selections: map[selectionKey]selection{}, across: map[acrossKey]ordering.Order{}, dots: map[int32]dotOrders{}, grownTo: map[int32]ordering.Order{},
		moved: map[int32]ordering.Order{}, given: map[int32]given{},
		bufferC: make([]bufferConstraint, len(g.Values)), operandC: make([]operandConstraint, len(g.Operands))}
	for n := range g.Nodes {
		e.clusters[n].Order, e.pins[n].Order, e.windowAt[n] = ordering.None, ordering.None, -1
	}
	e.free = make([]bool, len(g.Values))
	e.results = make([][]ordering.Order, len(g.Comps))
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
func (e *engine) writtenTiled(s *hlo.Shape) []ordering.Tiled {
	leaves, orders := e.g.Shape(s).Leaves, e.ordersOf(s)
	out := make([]ordering.Tiled, len(leaves))
	for i, l := range leaves {
		out[i].Order = orders[i]
		if l.Rank() > 1 && l.Layout != nil && len(l.Layout.Tiles) > 0 && len(l.Layout.Tiles[0]) == 2 {
			out[i].Rows = int32(min(max(0, l.Layout.Tiles[0][0]), math.MaxInt32))
		}
	}
	return out
}

// ordersOf returns the orders written in a shape, by leaf.
func (e *engine) ordersOf(s *hlo.Shape) []ordering.Order {
	var out []ordering.Order
	for _, l := range e.g.Shape(s).Leaves {
		switch {
		case l.Layout != nil:
			out = append(out, e.Orders.Of(l.Layout.MinorToMajor))
		case l.Rank() == 0:
			out = append(out, e.Orders.Descending(0))
		default:
			out = append(out, ordering.None)
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
			w.lay = e.orderOf(e.g.Operand(w.node, w.updates))
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
		e.bufferC[i] = bufferConstraint{Tiled: ordering.None.Untiled()}
	}
	for i := range e.operandC {
		e.operandC[i] = operandConstraint{Tiled: ordering.None.Untiled()}
	}
	e.beaten, e.tuples = e.beaten[:0], e.tuples[:0]
	e.setHeld()
	for i := range e.g.Comps {
		c := &e.g.Comps[i]
		e.mandatory(c)
		if record != nil {
			e.holdToRecord(int32(i), record)
		}
		if c.Entry || e.results[i] != nil && record != nil {
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
		e.free[v] = e.bufferC[v].Order == ordering.None
	}
	for v := range e.g.Values {
		if e.bufferC[v].Order != ordering.None || !e.g.Values[v].Shape.DType.IsArray() {
			continue
		}
		o, why := e.unconstrained(int32(v))
		e.setBuffer(int32(v), o.Untiled(), may, cause{why, e.g.Values[v].Node})
		e.propagate()
		if record == nil && e.unsettled {
			e.settleBoundaries()
		}
	}
}

// mandatory sets what stands written in the module.
func (e *engine) mandatory(c *flat.Comp) {
	g := e.g
	if c.Entry && e.entryParams != nil {
		for k, p := range c.Params {
			for i, o := range e.entryParams[k] {
				e.setBuffer(g.ValueAt(p, i), o, must, cause{ruleEntryParameter, p})
			}
		}
	}
	for n := c.First; n < c.End; n++ {
		nd := &g.Nodes[n]
		switch {
		case nd.Op == hlo.OpInfeed:
			e.setLeaves(n, e.written(nd.In.Shape), 0, must, cause{ruleInfeed, n})
		case nd.Op == hlo.OpOutfeed:
			shape := g.ShapeOf(g.Operands[nd.FirstSlot])
			if v := nd.In.Attr("outfeed_shape"); v != nil && v.Shape != nil && v.Shape.Compatible(shape) {
				shape = v.Shape
			}
			e.setWhole(n, nd.FirstSlot, e.written(shape), must, cause{ruleInfeed, n})
		case nd.Op == hlo.OpSend, nd.Op == hlo.OpRecv, nd.Op == hlo.OpRecvDone:
			e.hostTransfer(n)
		case nd.Fixed && nd.Op != hlo.OpCustomCall:
			e.setLeaves(n, e.written(nd.In.Shape), 0, must, cause{ruleCollective, n})
			for s, hi := g.Slots(n); s < hi; s++ {
				e.setWhole(n, s, e.written(g.ShapeOf(g.Operands[s])), must, cause{ruleCollective, n})
			}
		}
	}
}

// hostTransfer gives arrays that the host sends or receives the device's default order.
func (e *engine) hostTransfer(n int32) {
	g := e.g
	nd := &g.Nodes[n]
	if !nd.In.Attr("is_host_transfer").Bool() {
		return
	}
	order := func(s *hlo.Shape) ordering.Order { return e.Orders.Of(e.Target.BoundaryOrder(s.DType, s.Dims)) }
	for i, s := range g.Shape(nd.In.Shape).Leaves {
		if s.IsArray() {
			e.setBuffer(g.ValueAt(n, i), order(s).Untiled(), must, cause{ruleHostTransfer, n})
		}
	}
	if s := g.ShapeOf(g.Operand(n, 0)); nd.Op == hlo.OpSend && s.IsArray() {
		e.setOperand(n, nd.FirstSlot, order(s).Untiled(), must, cause{ruleHostTransfer, n})
	}
}

// written returns the orders of a shape's leaves as they stand in it, descending where none does.
func (e *engine) written(s *hlo.Shape) []ordering.Order {
	out := e.ordersOf(s)
	for i, l := range e.g.Shape(s).Leaves {
		if out[i] == ordering.None {
			out[i] = e.Orders.Descending(l.Rank())
		}
	}
	return out
}

// setWhole constrains an operand of any shape, by leaf.
func (e *engine) setWhole(n, slot int32, leaves []ordering.Order, f flags, why cause) {
	if e.g.ShapeOf(e.g.Operands[slot]).IsTuple() {
		e.constrainOperand(n, slot, ordering.None.Untiled(), leaves, f, why)
		return
	}
	e.setOperand(n, slot, leaves[0].Untiled(), f, why)
}

// customCalls sets the layouts that custom calls carry.
func (e *engine) customCalls(c *flat.Comp) {
	g := e.g
	for n := c.First; n < c.End; n++ {
		nd := &g.Nodes[n]
		if !nd.Fixed || nd.Op != hlo.OpCustomCall {
			continue
		}
		why := cause{ruleCustomCall, n}
		e.setLeaves(n, e.ordersOf(nd.In.Shape), 0, must, why)
		for s, hi := g.Slots(n); s < hi; s++ {
			if shape := e.asked(n, int(s-nd.FirstSlot)); shape != nil {
				e.setWhole(n, s, e.written(shape), must, why)
			}
		}
	}
}

// asked returns the shape, with its layouts, in which a custom call asks for an operand; nil where it asks for none. A
// LayoutConstraint asks for its own.
func (e *engine) asked(n int32, k int) *hlo.Shape {
	nd := &e.g.Nodes[n]
	operand := e.g.ShapeOf(e.g.Operand(n, k))
	if t := nd.In.Attr("custom_call_target"); nd.Fixed && t != nil && t.Text == `"LayoutConstraint"` && len(nd.In.Operands) == 1 && nd.In.Shape.Compatible(operand) {
		return nd.In.Shape
	}
	if v := nd.In.Attr("operand_layout_constraints"); v != nil && k < len(v.Elems) && v.Elems[k].Shape != nil && v.Elems[k].Shape.Compatible(operand) {
		return v.Elems[k].Shape
	}
	return nil
}

// linalg constrains an operation that works in the descending order only.
func (e *engine) linalg(n int32) {
	e.setInstruction(n, e.Orders.Descending(e.g.ShapeOf(n).Rank()).Untiled(), must, cause{ruleLinalg, n})
}

// setHint sets what a repair asks of an instruction.
func (e *engine) setHint(n int32) {
	h := e.hints[n]
	for _, o := range h.operands {
		e.setOperand(n, e.g.Nodes[n].FirstSlot+int32(o.k), o.has, flags{mandatory: true, dfs: o.dfs}, cause{h.why, n})
	}
	e.setLeaves(n, h.leaves, h.rows, must, cause{h.why, n})
	e.setInstruction(n, h.out.Carrying(h.rows), must, cause{h.why, n})
}

// unconstrained returns the layout of a value that nothing reached: what the first of the default rules gives.
func (e *engine) unconstrained(v int32) (ordering.Order, rule) {
	for r := ruleLiteral; r <= ruleFree; r++ {
		if e.on(r) {
			if o := e.table[r].initial(e, v); o != ordering.None {
				return o, r
			}
		}
	}
	val := &e.g.Values[v]
	return e.Orders.Of(e.Target.BoundaryOrder(val.Shape.DType, val.Shape.Dims)), ruleNone
}

func (e *engine) literalOrder(v int32) ordering.Order {
	val := &e.g.Values[v]
	if e.g.Nodes[val.Node].Op != hlo.OpConstant || val.Shape.Layout == nil {
		return ordering.None
	}
	return e.Orders.Of(val.Shape.Layout.MinorToMajor)
}

func (e *engine) parameterOrder(v int32) ordering.Order {
	val := &e.g.Values[v]
	if nd := &e.g.Nodes[val.Node]; nd.Op != hlo.OpParameter || e.g.InLoop(nd.Comp) {
		return ordering.None
	}
	return e.Orders.Of(e.Target.BoundaryOrder(val.Shape.DType, val.Shape.Dims))
}

// loopParameterOrder is the compact order where the last dimension takes less than a quarter of the lanes.
func (e *engine) loopParameterOrder(v int32) ordering.Order {
	s := e.g.Values[v].Shape
	if nd := &e.g.Nodes[e.g.Values[v].Node]; nd.Op != hlo.OpParameter || !e.g.InLoop(nd.Comp) || s.Rank() < 2 || s.Dims[s.Rank()-1] >= e.Target.Lanes/e.limits[loopLanes] {
		return ordering.None
	}
	return e.Orders.Of(e.Target.BoundaryOrder(s.DType, s.Dims))
}

func (e *engine) descendingOrder(v int32) ordering.Order {
	return e.Orders.Descending(e.g.Values[v].Shape.Rank())
}

// orderAt returns the order of a leaf of a node in the present run.
func (e *engine) orderAt(n int32, leaf int) ordering.Order {
	return e.bufferC[e.g.ValueAt(n, leaf)].Order
}

// orderOf returns the order of an array-shaped node.
func (e *engine) orderOf(n int32) ordering.Order { return e.bufferC[e.g.Whole(n)].Order }

// taken returns the order in which an array operand is read: its constraint, or what its value has.
func (e *engine) taken(n int32, k int) ordering.Order {
	slot := e.g.Nodes[n].FirstSlot + int32(k)
	have := e.orderOf(e.g.Operands[slot])
	if want := e.operandC[slot].Order; want != ordering.None && !e.readsThrough(n, slot, have, want) {
		return want
	}
	return have
}

// takenTiled is taken with the tile that the order carries along.
func (e *engine) takenTiled(n int32, k int) ordering.Tiled {
	slot := e.g.Nodes[n].FirstSlot + int32(k)
	o := e.taken(n, k)
	if c := &e.operandC[slot]; c.Order == o {
		return c.Tiled
	}
	return o.Carrying(e.bufferC[e.g.Whole(e.g.Operands[slot])].Rows)
}
