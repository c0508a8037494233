package constraint

import (
	"hlolayout/hlo"
	"hlolayout/passes/internal/flat"
	"hlolayout/passes/layout/internal/ordering"
	"hlolayout/passes/layout/internal/rule"
)

// maxRuns is a guard against findings that undo each other: the compiler's log shows up to 35 runs, one reshape after
// the other in a rolled-out integrator, and no bound.
const maxRuns = 100

// Steps runs the generic algorithm until nothing is left to repair or to gain, calling each after every run.
func (e *State) Steps(each func()) {
	for run := 1; ; run++ {
		e.number = run - 1
		e.runOnce()
		each()
		for r := range e.table {
			if row := e.table[r]; row.Ran != nil && e.On(rule.ID(r)) {
				row.Ran()
			}
		}
		if run == maxRuns {
			return
		}
		again := false
		for s := rule.InvalidStep; s < rule.NumSteps && !again; s++ {
			again = e.look(s)
		}
		if !again {
			return
		}
	}
}

// runOnce is one run of the generic algorithm: a round of propagation, and a second one when the branches of some
// conditional do not agree.
func (e *State) runOnce() {
	if e.On(rule.Separate) {
		e.runSeparately()
		return
	}
	e.priority = 0
	e.runRound(nil)
	if len(e.calling) == 0 {
		return
	}
	record, mismatch := e.newRecord(), false
	for ci := range record {
		e.recordCallee(flat.CompID(ci))
	}
	for _, n := range e.calling {
		mismatch = e.agreeWithCallee(n, record) || mismatch
		e.propagate()
	}
	if mismatch && e.On(rule.BranchMismatch) {
		e.priority = 1
		e.runRound(record)
	}
}

// runRound sets all constraints anew and propagates them; record is nil in the first one.
func (e *State) runRound(record []called) {
	e.clear()
	for i := range e.G.Comps {
		e.begin(flat.CompID(i), record, record != nil)
	}
	e.propagate()
	if record == nil {
		e.settleBoundaries()
	}
	e.settleFree(e.order, record == nil)
}

// clear drops the constraints of the round before.
func (e *State) clear() {
	clear(e.bufferC)
	clear(e.operandC)
	e.overridden, e.tuples, e.defaulting = e.overridden[:0], e.tuples[:0], false
	clear(e.agreed)
	clear(e.rootSlots)
	for d := range e.dirty {
		e.dirty[d].reset()
	}
	e.setHeld()
}

// begin sets what is asked of one computation at the beginning of a round: what its callees have, if record has that,
// and what it is held to itself.
func (e *State) begin(ci flat.CompID, record []called, hold bool) {
	c := &e.G.Comps[ci]
	if begin := e.table[rule.EntryParameter].Begin; begin != nil && e.On(rule.EntryParameter) {
		begin(c)
	}
	e.constrain(rule.GivenSweep, ci)
	if hold {
		e.holdParameters(ci, record)
		e.results[ci] = record[ci].result
	}
	if record != nil {
		for _, n := range e.within(e.calling, ci) {
			e.agreeWithCallee(n, record)
		}
	}
	if c.Entry || hold && e.results[ci] != nil {
		e.enqueue(resultItems + item(ci))
	}
	for s := rule.CollectiveSweep; s < rule.NumSweeps; s++ {
		e.constrain(s, ci)
	}
}

// settleFree gives the values of a list of nodes that nothing reached their default, one by one, and propagates each.
func (e *State) settleFree(nodes []flat.NodeID, boundaries bool) {
	e.defaulting = e.On(rule.DefaultYields)
	left := e.left[:0]
	for _, n := range nodes {
		nd := &e.G.Nodes[n]
		for _, v := range e.G.Defined(n) {
			// An element of a tuple, such as a loop's result, does not count (loop_minimal).
			e.free[v] = !e.has(v) && !nd.Tuple
			if boundaries && nd.Op == hlo.OpParameter {
				if c, ok := e.condition[v]; ok {
					left = append(left, c)
				}
			}
			if !e.has(v) {
				left = append(left, v)
			}
		}
	}
	e.left = left
	for _, v := range left {
		e.setDefault(v, boundaries)
	}
}

// setDefault gives a value that nothing reached its default and propagates it.
func (e *State) setDefault(v flat.ValueID, boundaries bool) {
	if e.has(v) || !e.G.Values[v].Shape.DType.IsArray() {
		return
	}
	o, why := e.unconstrained(v)
	e.SetBuffer(v, o, may, Because(why, e.G.Values[v].Node))
	e.propagate()
	if boundaries && e.unsettled {
		e.settleBoundaries()
	}
}

// unconstrained returns the layout of a value that nothing reached: what the first of the default rules gives.
func (e *State) unconstrained(v flat.ValueID) (ordering.Tiled, rule.ID) {
	for r := rule.Literal; r <= rule.Free; r++ {
		if initial := e.table[r].Initial; initial != nil && e.On(r) {
			if o := initial(v); o.Order != ordering.None {
				return o, r
			}
		}
	}
	val := &e.G.Values[v]
	return e.Orders.Of(e.Target.BoundaryOrder(val.Shape.DType, val.Shape.Dims)).Untiled(), rule.None
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
	record := e.newRecord()
	for e.priority = 0; e.priority < 2; e.priority++ {
		e.clear()
		for ci := range flat.CompID(len(e.G.Comps)) {
			e.begin(ci, record, e.priority > 0)
			e.propagate()
			e.settleFree(e.within(e.order, ci), false)
			if e.priority == 0 || record[ci].forced {
				e.recordCallee(ci)
			}
		}
	}
}
