package constraint

import (
	"slices"

	"hlolayout/hlo"
	"hlolayout/passes/internal/flat"
	"hlolayout/passes/layout/internal/ordering"
	"hlolayout/passes/layout/internal/rule"
)

// BoundaryRules are what makes one layout of what loops, branches and calls tie together.
var BoundaryRules = rule.Rows{
	rule.Shared: {Name: "boundary", Stage: rule.Boundary,
		Text: "one layout on both sides of a while, conditional or call", Evidence: []string{"cond_transpose"},
		Doc: "What is one array to control flow has one layout: a loop's initial value, parameters and " +
			"result; a call's operands and parameters. First what is constrained inside goes outward, " +
			"callees first, then inward, callers first, until nothing changes."},
	rule.InitialWaits: {Name: "initial-waits", Stage: rule.Boundary, Since: "0.0.51", Evidence: []string{"kmeans", "loop_after_loop"},
		Doc: "Outward go only those leaves of a loop that its computations constrain. Inward, loop after loop, come " +
			"those whose result is constrained, then those of which only the initial value is; what this " +
			"constrains inside goes outward before the next loop (12 of 12 loops of 7 programs)."},
	rule.LoopTakesInitial: {Name: "loop-takes-initial", Stage: rule.Boundary, Since: "0.0.51",
		Evidence: []string{"gather_slices", "loop_keeps_sliced"},
		Doc: "An initial value decides a loop's layout against its parameter only if the loop hands it on as it " +
			"is, does nothing else but cut slices from it, and no user must have a slice otherwise, where " +
			"dimensions of size 1 do not count (323 of 323 of 89 programs, against 0 of 219)."},
	rule.OverrideUses: {Name: "override-uses", Stage: rule.Boundary, Since: "0.0.51", Evidence: []string{"sort_tiled"},
		Doc: "What yields to a boundary propagates immediately to those users that keep layouts, past their own " +
			"constraints, unless they must read it otherwise and must give what they give (155 of 155 " +
			"against 0 of 68)."},
	rule.CutMinor: {Name: "cut-minor", Stage: rule.Boundary, Since: "0.0.51",
		Evidence: []string{"cut_minor", "cut_minor_dynamic"},
		Doc: "But not to a slice that cuts the dimension which would be minor (99 of 102 slices of 24 programs, " +
			"against 0 of 12 others), a dynamic-slice only if the array becomes no smaller (28 of 36 programs, " +
			"against 0 of 114)."},
	rule.LargestBranch: {Name: "largest-branch", Stage: rule.Boundary, Evidence: []string{"cond_transpose"},
		Doc: "The result of a conditional is that of the branch with the most instructions among those that " +
			"take an operand (12 of 12)."},
	rule.ResultLast: {Name: "result-last", Stage: rule.Boundary, Since: "0.0.51", Evidence: []string{"fuzz_071"},
		Doc: "A result decides its branch's root only when nothing else is left to do."},
	rule.BodyDecides: {Name: "body-decides", Stage: rule.Boundary, Evidence: []string{"gmm_em"},
		Doc: "At the end of a round the body's result decides: where a parameter of body or condition " +
			"differs, it is set to that at priority 2."},
	rule.BranchMismatch: {Name: "branch-mismatch", Stage: rule.Boundary, Evidence: []string{"cond_transpose"},
		Doc: "Where a branch gives another layout than the largest one, a second round runs at priority 1: " +
			"parameters hold what the first left, and every branch must give the largest one's result."},
}

// maxBoundaryRounds bounds the sweeps of 2.9-3; more were not seen to change anything.
const maxBoundaryRounds = 20

// boundary is what control flow makes one: values that must share a layout.
type boundary struct {
	members []flat.ValueID
	// initial is a loop's initial value and parameter that of its body, -1 elsewhere; kept says that the body gives the
	// parameter back.
	initial, parameter, result flat.ValueID
	kept                       bool
	// inside is what a called computation has, -1 for a loop; passed says that it is a parameter.
	inside flat.ValueID
	passed bool
}

// boundaryBatch is a set of boundaries that are settled together; the queue is worked off after it.
type boundaryBatch []boundary

// FindBoundaries lists the boundaries: of a loop, its initial value, the parameters of body and condition, its result
// and its body's root, by leaf; of a branch or a called computation, operand and parameter; of the largest branch,
// also root and result. Those that go outward, from what is called, come callees first; those that go inward callers
// first.
func (e *State) FindBoundaries() {
	g := e.G
	last := flat.NodeID(len(g.Nodes) - 2)
	for n := range last + 1 {
		e.asyncBoundaries(n)
	}
	for ci := range g.Comps {
		for _, caller := range g.Comps[ci].Computation.Callers() {
			if in := caller.Instruction; g.CompOf(in.Computation) >= 0 {
				e.outward = append(e.outward, e.boundariesOf(g.Node(in), flat.CompID(ci))...)
			}
		}
	}
	for _, c := range slices.Backward(g.Comps) { // loops before branches
		for n := c.First; n < c.End; n++ {
			if g.Nodes[n].Op == hlo.OpWhile {
				e.inward = append(e.inward, e.loopBoundaries(n))
			}
		}
	}
	for _, c := range slices.Backward(g.Comps) {
		for n := c.First; n < c.End; n++ {
			for _, called := range g.Nodes[n].In.Called {
				if g.Nodes[n].Op != hlo.OpWhile {
					e.inward = append(e.inward, e.boundariesOf(n, g.CompOf(called))...)
				}
			}
		}
	}
	e.dirty[outward] = newDirty(e.outward, len(g.Values))
	e.dirty[inward] = newDirty(e.inward, len(g.Values))
	e.dirty[lastly] = e.dirty[inward].clone()
}

// boundariesOf lists what an instruction shares with one of its computations, none with a loop's condition, nor with
// what a short form of an asynchronous operation applies.
func (e *State) boundariesOf(n flat.NodeID, callee flat.CompID) []boundaryBatch {
	in := e.G.Nodes[n].In
	switch {
	case callee < 0:
	case in.Opcode == hlo.OpWhile && e.G.CompOf(in.CalledBy("body")) == callee:
		return []boundaryBatch{e.loopBoundaries(n)}
	case in.Opcode == hlo.OpConditional, in.Opcode == hlo.OpCall,
		in.Opcode == hlo.OpAsyncStart && in.CalledBy("calls") == e.G.Comps[callee].Computation:
		params, results := e.callBoundaries(n, callee)
		return []boundaryBatch{params, results}
	}
	return nil
}

// callBoundaries lists what a call or conditional shares with one of its computations: parameters, and the result
// unless another branch decides it.
func (e *State) callBoundaries(n flat.NodeID, callee flat.CompID) (params, results boundaryBatch) {
	g := e.G
	in, c := g.Nodes[n].In, &g.Comps[callee]
	for k := range in.Operands {
		if p := g.Passed(n, k); p >= 0 && g.Nodes[p].Comp == callee {
			params = e.share(params, g.ValuesOf(g.Operand(n, k)), g.ValuesOf(p), g.ValuesOf(p), true)
		}
	}
	if in.Opcode == hlo.OpCall || in.Opcode == hlo.OpConditional && in.Called[e.largestBranch(n)] == c.Computation {
		results = e.share(results, g.ValuesOf(c.Root), g.ValuesOf(n), g.ValuesOf(c.Root), false)
	}
	return params, results
}

// share adds the boundaries of two lists of values, one by one. inside are those of the computation that is called, nil
// where none is.
func (e *State) share(batch boundaryBatch, xs, ys, inside []flat.ValueID, passed bool) boundaryBatch {
	for i := range xs {
		if x, y := e.G.Values[xs[i]].Shape, e.G.Values[ys[i]].Shape; x.DType.IsArray() && x.Compatible(y) {
			b := boundary{initial: -1, parameter: -1, result: -1, inside: -1, passed: passed, members: []flat.ValueID{xs[i], ys[i]}}
			if inside != nil {
				b.inside = inside[i]
			}
			batch = append(batch, b)
		}
	}
	return batch
}

// asyncBoundaries lists what the parts of an asynchronous operation share: async-start shows its operands as the first
// element of its result, and async-update and async-done take that result over.
func (e *State) asyncBoundaries(n flat.NodeID) {
	g := e.G
	in := g.Nodes[n].In
	var from, to []flat.ValueID
	switch in.Opcode {
	case hlo.OpAsyncStart:
		if in.Shape.IsTuple() && len(in.Shape.Elems) >= 2 {
			for k := range in.Operands {
				from = append(from, g.ValuesOf(g.Operand(n, k))...)
			}
			to = g.ValuesOf(n)[:g.Shape(in.Shape).Starts[1]]
		}
	case hlo.OpAsyncUpdate, hlo.OpAsyncDone:
		if shape := in.Operands[0].Shape; shape.IsTuple() && len(shape.Elems) >= 2 {
			from, to = g.ValuesOf(g.Operand(n, 0)), g.ValuesOf(n)
			if starts := g.Shape(shape).Starts; in.Opcode == hlo.OpAsyncDone {
				from = from[starts[1]:starts[2]]
			}
		}
	}
	if len(from) == len(to) && len(to) > 0 {
		batch := e.share(nil, from, to, nil, false)
		e.outward, e.inward = append(e.outward, batch), append(e.inward, batch)
	}
}

// largestBranch returns the branch of a conditional that decides the result's layout: the one with the most
// instructions among those that take an operand (as in XLA's open pass; cond_transpose).
func (e *State) largestBranch(n flat.NodeID) int {
	in := e.G.Nodes[n].In
	best, most := 0, 0
	for j, b := range in.Called {
		if s := in.Operands[j+1].Shape; e.On(rule.LargestBranch) && len(b.Instructions) > most &&
			!(s.IsTuple() && len(s.Elems) == 0) {
			best, most = j, len(b.Instructions)
		}
	}
	return best
}

// loopBoundaries returns the boundaries of a loop. Loops that hand a value on, one after or inside another, have each
// their own: their layouts may differ.
func (e *State) loopBoundaries(n flat.NodeID) (batch boundaryBatch) {
	g := e.G
	w, init := g.Loop(n), g.Operand(n, 0)
	for i, s := range g.Shape(g.ShapeOf(n)).Leaves {
		if !s.DType.IsArray() {
			continue
		}
		b := boundary{initial: g.ValueAt(init, i), parameter: g.ValueAt(w.BodyParam, i), result: g.ValueAt(n, i), inside: -1}
		b.kept = g.ValueAt(w.BodyRoot, i) == b.parameter
		for _, x := range [...]flat.NodeID{init, w.BodyParam, w.CondParam, w.BodyRoot, n} {
			if v := g.ValueAt(x, i); !slices.Contains(b.members, v) {
				b.members = append(b.members, v)
			}
		}
		batch = append(batch, b)
	}
	return batch
}

// settleBoundaries makes the members of each boundary agree until nothing changes: outward from what is called,
// callees first, then inward. Only when nothing else changes does a result decide its branch's (fuzz_071). Of a loop,
// those boundaries come first of which more than an initial value is constrained.
func (e *State) settleBoundaries() {
	for range maxBoundaryRounds {
		e.unsettled = false
		changed := e.sweep(e.outward, outward)
		changed = e.sweep(e.inward, inward) || changed
		if !changed && (e.off[rule.ResultLast] || !e.sweep(e.inward, lastly)) {
			break
		}
	}
	e.unsettled = false
}

// direction is the way in which boundaries are settled.
type direction uint8

const (
	outward direction = iota // from what is called
	inward                   // to what is called
	lastly                   // from a result to the branch that gives it
	directions

	resulting = directions // inward, but only leaves of loops of which more than the initial value is constrained
)

// sweep settles one batch after the other and reports whether anything changed. It looks only at boundaries of which a
// member, or what a user of its slices must read, was set since nothing was to be done about them. What goes inward goes
// outward again before the next batch.
func (e *State) sweep(batches []boundaryBatch, d direction) (changed bool) {
	dirty := &e.dirty[d]
	for at := dirty.next(0); at >= 0; {
		k := dirty.batch[at]
		at = dirty.first[k+1]
		some := d == inward && e.settleBatch(batches[k], k, dirty, resulting)
		if e.settleBatch(batches[k], k, dirty, d) || some {
			changed = true
			if d == inward {
				e.sweep(e.outward, outward)
			}
		}
		at = dirty.next(at)
	}
	return changed
}

// settleBatch settles boundaries together, those that are ready in a direction, then works off the queue. It reports
// whether anything changed.
func (e *State) settleBatch(batch boundaryBatch, k int32, dirty *dirty, d direction) (changed bool) {
	for at, end := dirty.next(dirty.first[k]), dirty.first[k+1]; at >= 0 && at < end; at = dirty.next(at + 1) {
		if b := &batch[at-dirty.first[k]]; e.ready(b, d) && e.settle(b) {
			changed = true
		} else if d != resulting {
			dirty.clear(at)
		}
	}
	if changed {
		e.propagate()
	}
	return changed
}

// ready reports whether a boundary is to be settled in a direction. A parameter and what is passed for it may
// disagree: neither changes then (0 of 9 in the log), while a branch's result decides its conditional's.
func (e *State) ready(b *boundary, d direction) bool {
	has := func(v flat.ValueID) bool { return e.bufferC[v].Order != ordering.None }
	switch {
	case d == resulting && b.result < 0:
		return false
	case b.passed:
		return d == outward && has(b.inside) && !has(b.members[0]) || d == inward && !has(b.inside)
	case b.inside >= 0:
		return has(b.inside) != (d == lastly)
	case d == resulting:
		return slices.ContainsFunc(b.members, func(v flat.ValueID) bool { return v != b.initial && has(v) })
	case d == outward && e.On(rule.InitialWaits):
		return slices.ContainsFunc(b.members, func(v flat.ValueID) bool { return v != b.initial && v != b.result && has(v) })
	}
	return d != outward || e.off[rule.InitialWaits]
}

// settle gives the members of one boundary the layout of its reference and says whether it did anything.
func (e *State) settle(b *boundary) bool {
	ref := e.reference(b)
	if ref < 0 {
		return false
	}
	o := e.bufferC[ref].Tiled
	why := Cause{rule.Shared, e.G.Values[ref].Node}
	changed := false
	for _, v := range b.members {
		c := &e.bufferC[v]
		switch {
		case c.Order == ordering.None:
			e.SetBuffer(v, o, may.at(max(e.priority, e.bufferC[ref].Priority)), why)
			changed = true
		case c.Order != o.Order && !c.Mandatory:
			f := Must.at(c.Priority + 1)
			e.SetBuffer(v, o, f, why)
			changed = true
			e.overrideUses(v, o, f, why)
		}
	}
	return changed
}

// reference returns the member whose layout the others take, -1 where none has one: a mandatory value inside a body,
// else the instruction's own result, else any mandatory one, else the first.
func (e *State) reference(b *boundary) flat.ValueID {
	g := e.G
	best, bestRank := flat.ValueID(-1), 6
	for _, v := range b.members {
		c := &e.bufferC[v]
		if c.Order == ordering.None {
			continue
		}
		nd := &g.Nodes[g.Values[v].Node]
		rank := 3
		if c.Priority < 0 {
			rank = 5
		}
		switch {
		case v == b.initial && !e.loopTakes(b, c.Order):
			rank = 4
		case v == b.parameter || v == b.inside:
			rank = -1
		case v == b.initial && e.bufferC[b.parameter].Order != ordering.None:
			rank = -2
		case c.Mandatory && !g.Comps[nd.Comp].Entry:
			rank = 0
		case nd.Op == hlo.OpWhile || nd.Op == hlo.OpConditional || nd.Op == hlo.OpCall:
			rank = 1
		case c.Mandatory:
			rank = 2
		}
		if rank < bestRank || rank == bestRank && v < best {
			best, bestRank = v, rank
		}
	}
	return best
}

// loopTakes reports whether a loop uses the existing layout of an initial value, though its own parameter was
// constrained otherwise: where that is handed on and only cut into slices, and no user must have a slice otherwise.
func (e *State) loopTakes(b *boundary, o ordering.Order) bool {
	g := e.G
	takes := true
	if e.off[rule.LoopTakesInitial] {
		return takes
	}
	for _, v := range b.members {
		old := e.bufferC[v].Order
		if old == ordering.None || old == o || v == b.initial || g.Nodes[g.Values[v].Node].Op != hlo.OpParameter {
			continue
		}
		if takes = false; !b.kept {
			return false
		}
		for _, l := range g.Aliases(v) {
			a := g.LeafNode[l]
			if g.Nodes[a].Tuple {
				continue
			}
			for _, u := range g.Users(a) {
				un := &g.Nodes[u.Node]
				if g.ForwardsSlot(u.Node, u.Slot) || un.Tuple {
					continue
				}
				if un.Op != hlo.OpDynamicSlice && un.Op != hlo.OpSlice || e.mustLie(u.Node, old, o) {
					return false
				}
				takes = true
			}
		}
	}
	return takes
}

// mustLie reports whether some user of a node must have it in one order and not in another, but for dimensions of
// size 1.
func (e *State) mustLie(n flat.NodeID, old, o ordering.Order) bool {
	if ordering.SameDense(e.G.ShapeOf(n).Dims, e.Orders.Get(old), e.Orders.Get(o)) {
		return false
	}
	for _, u := range e.G.Users(n) {
		if c := &e.operandC[u.Slot]; c.set() && c.mandatory {
			return true
		}
	}
	return false
}

// overrideUses propagates the new layout of a value immediately to its users, past their own constraints: those that
// keep layouts, unless they must read it otherwise and must give what they give (all 155 of the former, none of 68
// others in the log). It reaches a concatenate from an operand that no other is larger than, not from a smaller one
// (two of two; none of two, which then get copies).
func (e *State) overrideUses(v flat.ValueID, o ordering.Tiled, f Flags, why Cause) {
	if e.off[rule.OverrideUses] {
		return
	}
	g := e.G
	for _, l := range g.Aliases(v) {
		a := g.LeafNode[l]
		if g.Nodes[a].Tuple {
			continue
		}
		for _, u := range g.Users(a) {
			un := &g.Nodes[u.Node]
			if !un.Keep || un.Tuple || g.ForwardsSlot(u.Node, u.Slot) || !e.carriesOn(u.Node, a) || e.cutsMinor(u.Node, o) {
				continue
			}
			if !e.operandC[u.Slot].mandatory || !e.bufferC[g.Whole(u.Node)].Mandatory {
				e.SetOperand(u.Node, u.Slot, o, f, why)
			}
		}
	}
}

// cutsMinor reports whether a node is a slice that cuts the minor dimension of an order: one of constant bounds, or one
// of an array that does not become smaller.
func (e *State) cutsMinor(n flat.NodeID, o ordering.Tiled) bool {
	op := e.G.Nodes[n].Op
	if e.off[rule.CutMinor] || op != hlo.OpSlice && op != hlo.OpDynamicSlice {
		return false
	}
	s := e.G.ShapeOf(e.G.Operand(n, 0))
	d := e.Orders.Get(o.Order)[0]
	return e.G.ShapeOf(n).Dims[d] != s.Dims[d] &&
		(op == hlo.OpSlice || e.WordsOf(s, o) >= e.WordsOf(s, e.operandC[e.G.Nodes[n].FirstSlot].Tiled))
}
