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
	rule.Shared: {Name: "boundary", Stage: rule.Boundary, Text: "one layout on both sides of a while, conditional or call",
		Evidence: []string{"cond_transpose", "loop_gives_twice"},
		Doc: "What is one array to control flow has one layout: a loop's initial value, parameters and " +
			"result; a call's operands and parameters. First what is constrained inside goes outward, " +
			"callees first, then inward, callers first and in the order of what they call, until nothing changes. A value " +
			"that a body gives back for two elements keeps the first one's layout (1 program and 8 probes)."},
	rule.InitialWaits: {Name: "initial-waits", Stage: rule.Boundary, Since: "0.0.51",
		Evidence: []string{"kmeans", "loop_after_loop", "loop_comes_out", "loop_goes_in"},
		Doc: "Outward go only those leaves of a loop that its computations constrain; inward, loop after loop, only those " +
			"whose result is constrained, then those of which only the initial value is. What this constrains inside comes " +
			"out of this loop before the next one is settled, but not of a loop around it. The parameter of a condition " +
			"yields only to what is mandatory (377 of 483 logs in order, 259 before; 36 of 36 nested loops of one family)."},
	rule.ResultWaits: {Name: "result-waits", Stage: rule.Boundary, Since: "0.0.51",
		Evidence: []string{"loop_result_waits"},
		Doc: "What a loop writes with dynamic-update-slices and its computations leave open has its result's layout " +
			"only if that is the initial value's too, or the last dimension is minor or takes at most a quarter " +
			"of the lanes (40 of 40, up to 32 elements, against 0 of 46 from 33 on); else it waits for the body."},
	rule.ProductWaits: {Name: "product-waits", Stage: rule.Boundary, Since: "0.0.51",
		Evidence: []string{"loop_product_waits", "loop_product_reduced", "loop_product_sliced", "loop_product_summed"},
		Doc: "A value of which all that a loop's body makes ends in dots and reduces, by way of slices, elementwise " +
			"operations, reshapes, transposes and pads, and that nothing in the loop constrains, takes its initial value's " +
			"layout immediately only if that has its own tile (87 of 87), or if the last dimension is minor or takes at " +
			"most a quarter of the lanes. Else the body's parameter gets its default, or follows the initial value once the " +
			"condition's parameter has got one (102 of 102 loops of one family, 66 of 67 of another and a program " +
			"with slices). Broadcasts, sorts, convolutions and updates do not wait (4 of 4 loops)."},
	rule.LoopTakesInitial: {Name: "loop-takes-initial", Stage: rule.Boundary, Since: "0.0.51",
		Evidence: []string{"gather_slices", "loop_keeps_sliced", "loop_keeps_converted"},
		Doc: "An initial value decides a loop's layout against its body's parameter only if the loop hands it on as it is " +
			"and does nothing else but cut slices from it, no user must have a slice otherwise, or give it so, but for " +
			"dimensions of size 1 (323 of 323 of 89 programs, against 0 of 219), and the loop has not been settled before, so " +
			"that its result follows the parameter (0 of 4 gradients of unrolled optimizers, 8 probes and 2 loops of a " +
			"program; 5 loops of it come after the conditional that decides the initial value, and take it). How the " +
			"condition reads it does not count (3 of 3 beam searches and 3 probes)."},
	rule.DefaultYields: {Name: "default-yields", Stage: rule.Boundary, Since: "0.0.51",
		Evidence: []string{"default_yields"},
		Doc: "Once values get defaults, a boundary gives its layout only to members that have none: initial values that " +
			"loops or elements of one loop share keep theirs (0 of 76 elements of a loop on v5e and v7x and a probe of two " +
			"loops, against 33 values of 15 programs that were overridden before the first default)."},
	rule.OverrideUses: {Name: "override-uses", Stage: rule.Boundary, Since: "0.0.51", Evidence: []string{"sort_tiled"},
		Doc: "What yields to a boundary propagates immediately to those users that keep layouts, past their own " +
			"constraints, unless they must read it otherwise and must give what they give (155 of 155 against 0 of 68)."},
	rule.OverrideGiven: {Name: "override-given", Stage: rule.Boundary, Since: "0.0.52",
		Evidence: []string{"override_given"},
		Doc: "What yields to a boundary does not propagate past the constraints of a user whose own result is mandatory, " +
			"however it reads its operand (libtpu 0.0.52: 49 of 51 programs come out, 47 without it, and three that were " +
			"compiled for it)."},
	rule.OverrideResult: {Name: "override-result", Stage: rule.Boundary, Since: "0.0.51",
		Evidence: []string{"override_result"},
		Doc: "What the entry gives back must be given as it is, though no value says so: its operand is not overridden (3 " +
			"loops of 3 programs)."},
	rule.CutMinor: {Name: "cut-minor", Stage: rule.Boundary, Since: "0.0.51",
		Evidence: []string{"cut_minor_dynamic", "cut_minor_row"},
		Doc: "What yields to a boundary does not propagate to a slice that cuts the dimension which would be minor and " +
			"leaves the present one whole, if the slice would be larger than the whole array is now, or as large and is " +
			"smaller now: the array is copied then, not the slice (80 of 80 slices of results of loops in 40 probes)."},
	rule.LargestBranch: {Name: "largest-branch", Stage: rule.Boundary, Evidence: []string{"cond_transpose"},
		Doc: "The result of a conditional is that of the branch with the most instructions among those that " +
			"take an operand (12 of 12)."},
	rule.BranchTakesResult: {Name: "branch-takes-result", Stage: rule.Boundary, Since: "0.0.51",
		Evidence: []string{"fuzz_071", "branch_takes_result"},
		Doc: "Inward, the result of a conditional is also that of each branch that gives something unconstrained, once the " +
			"branch's parameters are settled; and where the largest branch gives nothing constrained, another one " +
			"decides the result (39 of 50 programs with conditionals settle in the log's order, 22 before)."},
	rule.CallerFirst: {Name: "caller-first", Stage: rule.Boundary, Since: "0.0.51",
		Evidence: []string{"branch_takes_result"},
		Doc: "Inward, what one computation calls is settled until nothing changes before what is called there: a " +
			"conditional's identity branch decides the loop that gives its operand before an inner loop does (40 of 50 " +
			"programs)."},
	rule.BodyDecides: {Name: "body-decides", Stage: rule.Boundary, Evidence: []string{"gmm_em"},
		Doc: "At the end of a round the body's result decides: where a parameter of body or condition " +
			"differs, it is set to that at priority 2."},
	rule.BranchMismatch: {Name: "branch-mismatch", Stage: rule.Boundary, Evidence: []string{"cond_transpose"},
		Doc: "Where a branch gives another layout than the largest one, a second round runs at priority 1: " +
			"parameters hold what the first left, and every branch must give the largest one's result."},
	rule.ComputationList: {Name: "computation-list", Stage: rule.Boundary,
		Evidence: []string{"loop_slices", "lstm_bf16", "loop_calls_made", "loop_condition_widened", "copies_last"},
		Doc: "Loops and branches are settled, and values get their defaults, in the order of the compiler's list of " +
			"computations: those of the program by their numbers, then what passes made, in the order in which they made " +
			"it, each followed by what calls it, at any depth. The condition of a loop that a pass copied precedes its " +
			"body. Names and numbers tell all but what was removed again (91 of 104 programs with loops and branches have " +
			"the log's order, 23 by other rules)."},
	rule.NarrowedReducers: {Name: "narrowed-reducers", Stage: rule.Boundary, Evidence: []string{"narrowed_reducer"},
		Doc: "A reducer of bf16 that takes the place of one of f32, as for the maximum of a softmax, is made before the " +
			"loop that calls it is copied last where its initial value was copied with the loop or put into it, and " +
			"thereafter where that has a separate number (tpu-reduce-rewriter, in the dumps of six programs: of 72 " +
			"transformers in loops 66 come out on v5e, 61 where sums count as made thereafter; of another 28 all do, 8 " +
			"without the rule)."},
	rule.LateCalls: {Name: "late-calls", Stage: rule.Boundary, Since: "0.0.51", Evidence: []string{"late_calls"},
		Doc: "What calls a copy of a function goes to the end of the compiler's list of computations, though the copy is " +
			"inlined soon: flatten-call-graph gives each call of a function one, but the first call, where " +
			"tpu-call-inliner-non-must-fuse inlines it late (dumps of 2 programs; of 40 transformers with dropout in loops " +
			"40 come out, 25 without the rule). Such calls show by instructions of one function with numbers that were given " +
			"after loops were copied."},
	rule.EarlyCopies: {Name: "early-copies", Stage: rule.Boundary, Since: "0.0.51", Evidence: []string{"early_copies"},
		Except: []string{"v7x"},
		Doc: "What calls a copy of a reducer comes before what calls gathers and scatters in the compiler's list of " +
			"computations: flatten-call-graph runs before these become fusions (the passes of one program on six " +
			"generations), and after it on v7x (2 programs)."},
}

// maxBoundaryRounds bounds the rounds of settleBoundaries; more were not seen to change anything.
const maxBoundaryRounds = 20

// settleBoundaries makes the members of each boundary agree until nothing changes: outward from what is called,
// callees first, then inward.
func (e *State) settleBoundaries() {
	for range maxBoundaryRounds {
		changed := e.sweep(outward)
		if !e.sweep(inward) && !changed {
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
	directions

	resulting = directions // inward, but only leaves of loops of which more than the initial value is constrained
)

// sweep settles one batch after the other and reports whether anything changed. It looks only at boundaries of which
// a member was set since nothing was to be done about them. What goes into a computation comes out of it, but of no
// other one, before the next batch.
func (e *State) sweep(d direction) (changed bool) {
	l, rounds := &e.lists[d], 0
	if d == inward && e.On(rule.CallerFirst) {
		rounds = maxBoundaryRounds
	}
	for at := l.next(0); at >= 0; {
		group, from, some := l.group[l.batch[at]], at, true
		for round := 0; some && round <= rounds; round++ {
			at, some = e.sweepGroup(d, group, from)
			from, changed = l.next(l.first[group]), changed || some
		}
	}
	return changed
}

// sweepGroup settles the batches of a group from a boundary on. It returns the boundary after them that is to be
// settled next, and whether anything changed.
func (e *State) sweepGroup(d direction, group int32, at flat.ValueID) (next flat.ValueID, changed bool) {
	l := &e.lists[d]
	for at >= 0 && l.group[l.batch[at]] == group {
		k := l.batch[at]
		some := d == inward && e.settleBatch(l, k, resulting)
		if e.settleBatch(l, k, d) || some {
			changed = true
			if d == inward && e.out[k] >= 0 {
				e.settleBatch(&e.lists[outward], e.out[k], outward)
			}
		}
		at = l.next(l.first[k+1])
	}
	return at, changed
}

// settleBatch settles the boundaries of batch k of a list together, those that are ready in a direction, then works
// off the queue. It reports whether anything changed.
func (e *State) settleBatch(l *boundaryList, k int32, d direction) (changed bool) {
	for at, end := l.next(l.first[k]), l.first[k+1]; at >= 0 && at < end; at = l.next(at + 1) {
		if b := &l.batches[k][at-l.first[k]]; e.ready(b, d) && e.settle(b) {
			changed = true
		} else if d != resulting {
			l.clear(at)
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
	switch {
	case b.passed:
		return d == outward && e.has(b.inside) && !e.has(b.members[0]) || d == inward && !e.has(b.inside)
	case b.inside != -1:
		if !e.has(b.inside) {
			return d == inward && e.On(rule.BranchTakesResult)
		}
		return b.decides || !e.has(b.members[1])
	case b.initial == -1: // of an asynchronous operation
		return true
	}
	return e.loopReady(b, d)
}

// loopReady is ready for a loop: outward if its computations are constrained, inward if its initial value or its result
// is, and where its computations are not, the result must decide.
func (e *State) loopReady(b *boundary, d direction) bool {
	if e.off[rule.InitialWaits] || slices.ContainsFunc(b.members, func(v flat.ValueID) bool {
		return v != b.initial && v != b.result && e.has(v)
	}) {
		return d == outward || e.has(b.initial) || e.has(b.result)
	}
	if !e.has(b.result) {
		return d == inward && e.initialDecides(b)
	}
	return d != outward && e.resultDecides(b)
}

func (e *State) has(v flat.ValueID) bool { return e.bufferC[v].Order != ordering.None }

// resultDecides reports whether the result of a loop may decide the layout of what its computations leave open.
func (e *State) resultDecides(b *boundary) bool {
	if e.off[rule.ResultWaits] || e.bufferC[b.result].Order == e.bufferC[b.initial].Order || !e.isTurned(b.result) {
		return true
	}
	return !slices.ContainsFunc(b.members, func(v flat.ValueID) bool {
		return v != b.initial && e.G.Nodes[e.G.Values[v].Node].Op == hlo.OpDynamicUpdateSlice
	})
}

// initialDecides is resultDecides for an initial value.
func (e *State) initialDecides(b *boundary) bool {
	return e.off[rule.ProductWaits] || e.bufferC[b.initial].Rows != 0 || !e.isTurned(b.initial) ||
		!e.isCombined(b.parameter)
}

// combined are the operations through which what reads a value is looked for (product-waits).
var combined = hlo.Ops(hlo.OpSlice, hlo.OpDynamicSlice, hlo.OpReshape, hlo.OpTranspose, hlo.OpPad)

// isCombined reports whether all that a loop's body makes of a value ends in dots and reduces.
func (e *State) isCombined(v flat.ValueID) (ends bool) {
	g := e.G
	var list []flat.NodeID
	seen := map[flat.NodeID]bool{}
	add := func(u flat.Use) {
		if !seen[u.Node] {
			seen[u.Node] = true
			list = append(list, u.Node)
		}
	}
	for _, u := range g.Readers(v) {
		if g.Nodes[u.Node].Op != hlo.OpTuple {
			add(u)
		}
	}
	for i := 0; i < len(list); i++ {
		switch op := g.Nodes[list[i]].Op; {
		case op == hlo.OpDot || op == hlo.OpReduce:
			ends = true
		case op.Elementwise() || combined.Has(op):
			for _, u := range g.Users(list[i]) {
				add(u)
			}
		default:
			return false
		}
	}
	return ends
}

// isTurned reports whether another dimension of a value than the last is minor, though the last takes more than a
// quarter of the lanes.
func (e *State) isTurned(v flat.ValueID) bool {
	dims := e.G.Values[v].Shape.Dims
	last := len(dims) - 1
	return last >= 1 && e.Orders.Get(e.bufferC[v].Order)[0] != last &&
		dims[last] > e.Target.Lanes/e.Limit(rule.LoopLanes)
}

// settle gives the members of one boundary the layout of its reference and says whether it did anything.
func (e *State) settle(b *boundary) bool {
	first := e.bufferC[b.members[0]].Order
	if !slices.ContainsFunc(b.members, func(v flat.ValueID) bool { return e.bufferC[v].Order != first }) {
		return false // as most do
	}
	ref := e.reference(b)
	o := e.bufferC[ref].Tiled
	why := Because(rule.Shared, e.G.Values[ref].Node)
	changed := false
	for _, v := range b.members {
		c := &e.bufferC[v]
		switch {
		case c.Order == ordering.None:
			e.SetBuffer(v, o, may.at(e.bufferC[ref].Priority), why)
			changed = true
		case c.Order != o.Order && !c.Mandatory && !e.defaulting && (v != b.condition || e.bufferC[ref].Mandatory):
			f := Must.at(c.Priority + 1)
			e.SetBuffer(v, o, f, why)
			changed = true
			e.overrideUses(v, o, f, why)
		}
	}
	return changed
}

// reference returns the member whose layout the others take, of which some has one: a loop's initial value that it
// takes for its parameter's, else the parameter or what a called computation has, else what a body gives back, else the
// instruction's own result, else the first, but the condition's parameter last. Those of one rank are in this order.
func (e *State) reference(b *boundary) flat.ValueID {
	best, bestRank := flat.ValueID(-1), 4
	for _, v := range b.members {
		c := &e.bufferC[v]
		if c.Order == ordering.None {
			continue
		}
		rank := 0
		switch initial := v == b.initial; {
		case initial && !e.loopTakes(b, c.Order), v == b.condition:
			rank = 3
		case initial && !e.has(b.parameter):
			rank = 2
		case !initial && e.G.Calls(e.G.Values[v].Node):
			rank = 1
		}
		if rank < bestRank {
			best, bestRank = v, rank
		}
	}
	return best
}

// loopTakes reports whether a loop takes the layout of an initial value, though its body's parameter was constrained
// otherwise.
func (e *State) loopTakes(b *boundary, o ordering.Order) bool {
	g, c := e.G, &e.bufferC[b.parameter]
	if c.Order == ordering.None || c.Order == o || e.off[rule.LoopTakesInitial] {
		return true
	}
	if !b.kept || c.Mandatory || e.bufferC[b.result].Cause.Rule == rule.Shared {
		return false
	}
	takes := false
	for _, u := range g.Readers(b.parameter) {
		un := &g.Nodes[u.Node]
		if g.ForwardsSlot(u.Node, u.Slot) || un.Tuple {
			continue
		}
		if un.Op != hlo.OpDynamicSlice && un.Op != hlo.OpSlice || e.isReadOtherwise(u.Node, c.Order, o) {
			return false
		}
		takes = true
	}
	return takes
}

// isReadOtherwise reports whether some user must have a node in an order, and not in another one, but for dimensions of
// size 1, or must give what it makes of it so: weights in bf16 that a loop converts, and stacks for its gradient.
func (e *State) isReadOtherwise(n flat.NodeID, old, o ordering.Order) bool {
	mandatory := func(u flat.Use) bool {
		un := &e.G.Nodes[u.Node]
		return e.operandC[u.Slot].Mandatory || un.Keep && !un.Tuple && e.bufferC[e.G.Whole(u.Node)].Mandatory
	}
	return !ordering.SameDense(e.G.ShapeOf(n).Dims, e.Orders.Get(old), e.Orders.Get(o)) &&
		slices.ContainsFunc(e.G.Users(n), mandatory)
}

// overrideUses propagates the new layout of a value immediately to users that keep layouts, past their own constraints.
// It reaches a concatenate from an operand that no other is larger than (two of two; none of two from a smaller one).
func (e *State) overrideUses(v flat.ValueID, o ordering.Tiled, f Flags, why Cause) {
	if e.off[rule.OverrideUses] {
		return
	}
	g := e.G
	for n, u := range g.Readers(v) {
		un := &g.Nodes[u.Node]
		if !un.Keep || un.Tuple || g.ForwardsSlot(u.Node, u.Slot) || !e.carriesOn(u.Node, n) || e.cutsMinor(u.Node, o) {
			continue
		}
		gives := e.bufferC[g.Whole(u.Node)].Mandatory || u.Node == g.Comps[g.Entry].Root && e.On(rule.OverrideResult)
		if !gives || !e.operandC[u.Slot].Mandatory && e.off[rule.OverrideGiven] {
			e.setSlot(u.Slot, o, nil, f, why)
		}
	}
}

// cutsMinor reports whether a user of a value that yields is a slice to which that does not propagate (cut-minor).
func (e *State) cutsMinor(n flat.NodeID, o ordering.Tiled) bool {
	op := e.G.Nodes[n].Op
	if e.off[rule.CutMinor] || op != hlo.OpSlice && op != hlo.OpDynamicSlice {
		return false
	}
	array, slice := e.G.ShapeOf(e.G.Operand(n, 0)), e.G.ShapeOf(n)
	cuts := func(order ordering.Order) bool {
		d := e.Orders.Get(order)[0]
		return slice.Dims[d] != array.Dims[d]
	}
	old := e.operandC[e.G.Slot(n, 0)].Tiled
	if old.Order == ordering.None || !cuts(o.Order) || cuts(old.Order) {
		return false
	}
	size, whole := e.WordsOf(slice, o.Order.Untiled()), e.WordsOf(array, old)
	return size > whole || size == whole && size > e.WordsOf(slice, old.Order.Untiled())
}
