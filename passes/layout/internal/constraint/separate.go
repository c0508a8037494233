package constraint

import (
	"hlolayout/passes/internal/flat"
	"hlolayout/passes/layout/internal/rule"
)

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
	record := make([]called, len(e.G.Comps))
	for e.priority = 0; e.priority < 2; e.priority++ {
		e.clear()
		for ci := range flat.CompID(len(e.G.Comps)) {
			e.begin(ci, record, e.priority > 0)
			e.propagate()
			e.settleFree(e.within(e.order, ci), false)
			if now := e.recordCallee(ci); e.priority == 0 {
				record[ci] = now
			} else if record[ci].forced {
				record[ci].params = now.params
			}
		}
	}
}
