package constraint

import (
	"slices"

	"hlolayout/hlo"
	"hlolayout/passes/internal/flat"
	"hlolayout/passes/layout/internal/ordering"
	"hlolayout/passes/layout/internal/rule"
)

// called is what a round of propagation leaves for the next one to hold to: the layouts of a computation's parameters
// and result.
type called struct {
	params [][]ordering.Tiled
	result []ordering.Tiled
	// forced says that the result is not the computation's own: it is the one of its conditional's largest branch.
	forced bool
}

// recordCallee notes the layouts of one computation.
func (e *State) recordCallee(ci flat.CompID) {
	c, r := &e.G.Comps[ci], &e.callees[ci]
	r.params = r.params[:0]
	for _, p := range c.Params {
		r.params = append(r.params, e.layoutsAt(p))
	}
	if !r.forced {
		r.result = e.layoutsAt(c.Root)
	}
}

// layoutsAt returns the layouts of a node's values; those of an empty tuple are not nil.
func (e *State) layoutsAt(n flat.NodeID) []ordering.Tiled {
	values := e.G.ValuesOf(n)
	out := make([]ordering.Tiled, len(values))
	for i, v := range values {
		out[i] = e.bufferC[v].Tiled
	}
	return out
}

func sameOrder(a, b ordering.Tiled) bool { return a.Order == b.Order }

// agreeWithCallee makes a loop, conditional or call take and give what its computations have, and reports whether some
// branch of a conditional gives another layout than the largest one; its record is then forced to that (XLA's
// conditional mismatch: AddMandatoryConstraints of the open pass; cond_transpose).
func (e *State) agreeWithCallee(n flat.NodeID) (mismatch bool) {
	g := e.G
	nd := &g.Nodes[n]
	why := Because(rule.Shared, n)
	switch nd.Op {
	case hlo.OpWhile:
		// What the body gives decides, also what parameters and initial values are.
		w := e.G.Loop(n)
		leaves := e.callees[g.Nodes[w.BodyParam].Comp].result
		e.resetParameter(w.BodyParam, leaves, why)
		e.resetParameter(w.CondParam, leaves, why)
		e.SetWhole(n, 0, leaves, Must, why)
		e.SetLeaves(n, leaves, Must, why)
	case hlo.OpConditional:
		best := e.largestBranch(n)
		at := func(j int) *called { return &e.callees[g.CompOf(nd.In.Called()[j])] }
		for j := range nd.In.Called() {
			if b := at(j); !slices.EqualFunc(b.result, at(best).result, sameOrder) {
				b.result, b.forced = at(best).result, true
				mismatch = true
				continue
			}
			e.SetWhole(n, j+1, at(j).params[0], Must, why)
		}
		e.SetLeaves(n, at(best).result, Must, why)
	case hlo.OpCall:
		b := &e.callees[g.CompOf(nd.In.Called()[0])]
		for k, p := range b.params {
			e.SetWhole(n, k, p, Must, why)
		}
		e.SetLeaves(n, b.result, Must, why)
	}
	return mismatch
}

// resetPriority is that of a loop's parameter that gave way to its body's result.
const resetPriority = 2

// resetParameter makes a loop's parameter, of body or condition, what the body gives, where it has another layout
// ("Reset while body parameter" of the open pass; gmm_em).
func (e *State) resetParameter(p flat.NodeID, leaves []ordering.Tiled, why Cause) {
	r := &e.callees[e.G.Nodes[p].Comp]
	if e.off[rule.BodyDecides] || slices.EqualFunc(r.params[0], leaves, sameOrder) {
		return
	}
	if e.On(rule.Separate) {
		copy(r.params[0], leaves) // the second round holds the parameter to it
		return
	}
	e.SetLeaves(p, leaves, Must.at(resetPriority), why)
	r.params[0] = e.layoutsAt(p)
}

// holdParameters sets the mandatory constraints of the second round on a computation's parameters: as the first round
// left them, but for branches whose result is forced.
func (e *State) holdParameters(ci flat.CompID) {
	c, r := &e.G.Comps[ci], &e.callees[ci]
	if r.forced || c.Entry {
		return
	}
	for k, p := range c.Params {
		e.SetLeaves(p, r.params[k], Must, Because(rule.Shared, c.Root))
	}
}
