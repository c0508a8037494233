package constraint

import (
	"slices"

	"hlolayout/hlo"
	"hlolayout/passes/layout/internal/ordering"
	"hlolayout/passes/layout/internal/rule"
)

// called is what a round of propagation leaves for the next one to hold to: the layouts of a computation's parameters
// and result.
type called struct {
	params [][]ordering.Order
	rows   [][]int32 // of the parameters' tiles
	result []ordering.Order
	// forced says that the result is not the computation's own: it is the one of its conditional's largest branch.
	forced bool
}

// recordCallees notes the layouts of every computation as they are now.
func (e *State) recordCallees() []called {
	out := make([]called, len(e.G.Comps))
	all := make([]ordering.Order, 0, len(e.G.Comps)*4) // for all of them: most computations are those of reduces
	for i := range e.G.Comps {
		out[i], all = e.recordCallee(int32(i), all)
	}
	return out
}

// recordCallee notes the layouts of one computation in a list that it returns longer.
func (e *State) recordCallee(ci int32, all []ordering.Order) (called, []ordering.Order) {
	at := func(n int32) []ordering.Order {
		from := len(all)
		all = e.ordersAt(n, all)
		return all[from:len(all):len(all)]
	}
	c := &e.G.Comps[ci]
	out := called{params: make([][]ordering.Order, len(c.Params)), rows: make([][]int32, len(c.Params))}
	for k, p := range c.Params {
		out.params[k], out.rows[k] = at(p), e.carriedRows(p)
	}
	out.result = at(c.Root)
	return out, all
}

// carriedRows returns the rows of the tiles that a node's values carry along, by leaf.
func (e *State) carriedRows(n int32) []int32 {
	lo, hi := e.G.Leaves(n)
	out := make([]int32, hi-lo)
	for i, v := range e.G.LeafValue[lo:hi] {
		out[i] = e.bufferC[v].Rows
	}
	return out
}

// agreeWithCallees makes loops, conditionals and calls take and give what their computations have, and reports
// whether some branch of a conditional gives another layout than the largest one; its record is then forced to that
// (XLA's conditional mismatch: AddMandatoryConstraints of the open pass; cond_transpose).
func (e *State) agreeWithCallees(record []called) (mismatch bool) {
	for n := range int32(len(e.G.Nodes) - 1) {
		if e.agreeWithCallee(n, record) {
			mismatch = true
		}
		e.propagate()
	}
	return mismatch
}

func (e *State) agreeWithCallee(n int32, record []called) (mismatch bool) {
	g := e.G
	nd := &g.Nodes[n]
	why := Cause{rule.Shared, n}
	switch nd.Op {
	case hlo.OpWhile:
		// What the body gives decides, also what parameters and initial values are.
		w := e.G.Loop(n)
		leaves := record[g.Nodes[w.BodyParam].Comp].result
		e.resetParameter(w.BodyParam, leaves, record, why)
		e.resetParameter(w.CondParam, leaves, record, why)
		e.SetWhole(n, nd.FirstSlot, leaves, Must, why)
		e.SetLeaves(n, leaves, 0, Must, why)
	case hlo.OpConditional:
		best := e.largestBranch(n)
		at := func(j int) *called { return &record[g.CompOf[nd.In.Called[j]]] }
		for j := range nd.In.Called {
			if b := at(j); !slices.Equal(b.result, at(best).result) {
				b.result, b.forced = at(best).result, true
				mismatch = true
				continue
			}
			e.SetWhole(n, nd.FirstSlot+int32(j+1), at(j).params[0], Must, why)
		}
		e.SetLeaves(n, at(best).result, 0, Must, why)
	case hlo.OpCall:
		b := &record[g.CompOf[nd.In.Called[0]]]
		for k, p := range b.params {
			e.SetWhole(n, nd.FirstSlot+int32(k), p, Must, why)
		}
		e.SetLeaves(n, b.result, 0, Must, why)
	}
	return mismatch
}

// resetPriority is that of a loop's parameter that gave way to its body's result.
const resetPriority = 2

// resetParameter makes a loop's parameter, of body or condition, what the body gives, where it has another layout
// ("Reset while body parameter" of the open pass; gmm_em).
func (e *State) resetParameter(p int32, leaves []ordering.Order, record []called, why Cause) {
	r := &record[e.G.Nodes[p].Comp]
	if e.off[rule.BodyDecides] || slices.Equal(r.params[0], leaves) {
		return
	}
	r.params[0] = leaves
	if e.On(rule.Separate) {
		clear(r.rows[0]) // the second round holds the parameter to it
		return
	}
	e.SetLeaves(p, leaves, 0, Must.at(resetPriority), why)
	r.rows[0] = e.carriedRows(p)
	e.propagate()
}

// holdParameters sets the mandatory constraints of the second round on a computation's parameters: as the first round
// left them, but for branches whose result is forced.
func (e *State) holdParameters(ci int32, record []called) {
	c := &e.G.Comps[ci]
	if record[ci].forced || c.Entry {
		return
	}
	for k, p := range c.Params {
		for i, o := range record[ci].params[k] {
			// The layouts keep their tiles.
			e.SetBuffer(e.G.ValueAt(p, i), o.Carrying(record[ci].rows[k][i]), Must, Cause{rule.Shared, c.Root})
		}
	}
}
