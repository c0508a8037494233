package constraint

import (
	"hlolayout/passes/internal/flat"
	"hlolayout/passes/layout/internal/ordering"
	"hlolayout/passes/layout/internal/rule"
)

// maxRuns is a guard against findings that undo each other: the compiler's log shows up to 35 runs, one reshape after
// the other in a rolled-out integrator, and no bound.
const maxRuns = 100

// Steps runs the generic algorithm until nothing is left to do, calling each after the first run and all but the last.
// Where values only fit in between pins, their users stay in the order of the text: which comes first matters little.
func (e *State) Steps(each func()) {
	if !e.Fit {
		e.OrderUses()
	}
	for e.number = range maxRuns {
		e.runOnce()
		if e.number == 0 { // before elements of tuples are taken out
			each()
		}
		e.callAll(func(row *rule.Row) func() { return row.Ran })
		again := false
		for s := rule.InvalidStep; s < rule.NumSteps && !again; s++ {
			again = e.look(s)
		}
		if !again {
			break
		}
		e.callAll(func(row *rule.Row) func() { return row.Again })
		if e.number > 0 {
			each()
		}
	}
	e.settled = true
}

// callAll calls one of the functions of each rule that has it.
func (e *State) callAll(of func(*rule.Row) func()) {
	for r, row := range e.table {
		if f := of(row); f != nil && e.On(rule.ID(r)) {
			f()
		}
	}
}

// runOnce is one run of the generic algorithm: a round of propagation, and a second one when the branches of some
// conditional do not agree.
func (e *State) runOnce() {
	for ci := range e.callees {
		e.callees[ci].forced = false
	}
	if e.On(rule.Separate) {
		e.runSeparately()
		return
	}
	e.priority = 0
	e.runRound()
	for ci := range flat.CompID(len(e.callees)) {
		e.recordCallee(ci)
	}
	mismatch := false
	for _, n := range e.calling {
		mismatch = e.agreeWithCallee(n) || mismatch
		e.propagate()
	}
	if mismatch && e.On(rule.BranchMismatch) {
		e.priority = 1
		e.runRound()
	}
}

// runRound sets all constraints anew and propagates them.
func (e *State) runRound() {
	e.clear()
	for ci := range flat.CompID(len(e.G.Comps)) {
		e.begin(ci)
	}
	e.propagate()
	if e.settles() {
		e.settleBoundaries()
	}
	e.settleFree(e.freeOrder)
}

// settles reports whether the present round settles boundaries: the first one of a run, and no round of computations
// that are solved by themselves.
func (e *State) settles() bool { return e.priority == 0 && e.off[rule.Separate] }

// clear drops the constraints of the round before.
func (e *State) clear() {
	clear(e.bufferC)
	clear(e.operandC)
	e.overridden, e.tuples, e.defaulting = e.overridden[:0], e.tuples[:1], false
	clear(e.agreed)
	for d := range e.lists {
		e.lists[d].clearAll()
	}
	e.setHeld()
}

// begin sets what is asked of one computation at the beginning of a round: what the round before holds it to, and what
// its callees have, where these are solved before it.
func (e *State) begin(ci flat.CompID) {
	c, hold := &e.G.Comps[ci], e.priority > 0
	if c.Entry {
		for k, p := range c.Params {
			e.SetLeaves(p, e.EntryParams[k], Must, Because(rule.EntryParameter, p))
		}
	}
	e.constrain(rule.GivenSweep, ci)
	if hold {
		e.holdParameters(ci)
		e.results[ci] = e.callees[ci].result
	}
	if hold || e.On(rule.Separate) {
		for _, n := range e.within(e.calling, ci) {
			e.agreeWithCallee(n)
		}
	}
	if c.Entry || hold {
		e.enqueue(resultItems + item(ci))
	}
	for s := rule.CollectiveSweep; s < rule.NumSweeps; s++ {
		e.constrain(s, ci)
	}
}

// settleFree gives the values of a list of nodes that nothing reached their default, one by one, and propagates each.
func (e *State) settleFree(nodes []flat.NodeID) {
	e.defaulting = e.On(rule.DefaultYields)
	left := e.left[:0]
	for _, n := range nodes {
		nd := &e.G.Nodes[n]
		for _, v := range e.G.Defined(n) {
			// An element of a tuple, such as a loop's result, does not count (loop_minimal).
			e.free[v] = !e.has(v) && !nd.Tuple
			if !e.has(v) {
				left = append(left, v)
			}
		}
	}
	e.left = left
	for _, v := range left {
		if e.has(v) || !e.G.Values[v].Shape.DType.IsArray() {
			continue
		}
		o, why := e.unconstrained(v)
		e.SetBuffer(v, o, may, Because(why, e.G.Values[v].Node))
		e.propagate()
		if e.unsettled && e.settles() {
			e.settleBoundaries()
		}
	}
}

// unconstrained returns the layout of a value that nothing reached: what the first of the default rules gives.
func (e *State) unconstrained(v flat.ValueID) (ordering.Tiled, rule.ID) {
	for r := rule.Literal; r <= rule.Free; r++ {
		if e.On(r) {
			if o := e.table[r].Initial(v); o.Order != ordering.None {
				return o, r
			}
		}
	}
	return e.BoundaryOrder(e.G.Values[v].Shape).Untiled(), rule.None
}

// SeparateRules are those of the compiler before it solved all computations together.
var SeparateRules = rule.Rows{
	rule.Separate: {Name: "separate", Stage: rule.Boundary, Until: "0.0.50.1", Evidence: []string{"loop_slices"},
		Doc: "Each computation is solved by itself, callees first: loops, branches and calls take and give what " +
			"their computations came to. A second round holds parameters and results to the first (the open " +
			"pass; \"RunOnComputation\" in the log)."},
}

// runSeparately is one run of the generic algorithm as the open pass has it: two rounds, in each of which every
// computation is solved before its callers.
func (e *State) runSeparately() {
	for e.priority = range int16(2) {
		e.clear()
		for ci := range flat.CompID(len(e.G.Comps)) {
			e.begin(ci)
			e.propagate()
			e.settleFree(e.within(e.order, ci))
			if e.priority == 0 || e.callees[ci].forced {
				e.recordCallee(ci)
			}
		}
	}
}
