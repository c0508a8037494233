package constraint

import (
	"cmp"
	"slices"
	"strings"

	"hlolayout/hlo"
	"hlolayout/passes/internal/flat"
	"hlolayout/passes/layout/internal/rule"
)

// FindBoundaries lists the boundaries: of a loop, its initial value, the parameters of body and condition, its result
// and its body's root, by leaf; of a branch or a called computation, operand and parameter; of the largest branch,
// also root and result. Those that go outward, from what is called, come callees first; those that go inward callers
// first, and of one caller in the order of the computations that it calls.
func (e *State) FindBoundaries() {
	e.listComputations()
	e.listFree()
	g, outwards, inwards := e.G, &e.lists[outward], &e.lists[inward]
	for n := range flat.NodeID(len(g.Nodes) - 1) {
		if batch := e.asyncBoundaries(n); batch != nil {
			outwards.add(batch, len(outwards.batches))
			inwards.add(batch, len(inwards.batches))
			e.out = append(e.out, -1)
		}
	}
	type span struct{ from, to int }
	places := map[call]span{} // in outwards
	for _, ci := range e.listed {
		for _, caller := range g.Comps[ci].Computation.Callers() {
			in := caller.Instruction
			if g.CompOf(in.Computation) != -1 && (in.Opcode != hlo.OpWhile || g.CompOf(in.CalledBy("body")) == ci) {
				c := call{g.Node(in), ci}
				from := len(outwards.batches)
				for _, batch := range e.boundariesOf(c) {
					outwards.add(batch, len(outwards.batches))
				}
				places[c] = span{from, len(outwards.batches)}
			}
		}
	}
	for ci := range slices.Backward(g.Comps) {
		group := len(inwards.batches)
		for _, c := range e.callsOf(flat.CompID(ci)) {
			out := places[c]
			for k := out.from; k < out.to; k++ {
				// what goes into a branch's parameters comes out of its result, and the reverse
				e.out = append(e.out, int32(out.from+(out.to-1-k)))
				inwards.add(outwards.batches[k], group)
			}
		}
	}
	outwards.dirty = newDirty(outwards.batches, len(g.Values))
	inwards.dirty = newDirty(inwards.batches, len(g.Values))
}

// boundaryList is the boundaries in the order in which they are settled in one direction.
type boundaryList struct {
	batches []boundaryBatch
	group   []int32 // by batch: the first one of those that are settled until nothing changes
	dirty           // those that are to be examined
}

func (l *boundaryList) add(batch boundaryBatch, group int) {
	l.batches, l.group = append(l.batches, batch), append(l.group, int32(group))
}

// call is an instruction with one of the computations that it calls, a loop's body.
type call struct {
	node   flat.NodeID
	callee flat.CompID
}

// boundariesOf lists what a loop, call or branch shares with one of its computations: parameters, and the result;
// nothing with what a short form of an asynchronous operation applies.
func (e *State) boundariesOf(x call) []boundaryBatch {
	g, n, callee := e.G, x.node, x.callee
	in := g.Nodes[n].In
	if in.Opcode == hlo.OpWhile {
		return []boundaryBatch{e.loopBoundaries(n)}
	}
	if in.Opcode != hlo.OpConditional && in.Opcode != hlo.OpCall &&
		(in.Opcode != hlo.OpAsyncStart || in.CalledBy("calls") != g.Comps[callee].Computation) {
		return nil
	}
	c := &g.Comps[callee]
	var params, results boundaryBatch
	for k := range in.Operands {
		if p := g.Passed(n, k); p >= 0 && g.Nodes[p].Comp == callee {
			params = append(params, e.share(g.ValuesOf(g.Operand(n, k)), g.ValuesOf(p))...)
		}
	}
	for i := range params {
		params[i].passed, params[i].inside = true, params[i].members[1]
	}
	if in.Opcode == hlo.OpCall || in.Opcode == hlo.OpConditional {
		results = e.share(g.ValuesOf(c.Root), g.ValuesOf(n))
	}
	decides := in.Opcode != hlo.OpConditional || in.Called()[e.largestBranch(n)] == c.Computation
	for i := range results {
		results[i].decides, results[i].inside = decides, results[i].members[0]
	}
	return []boundaryBatch{params, results}
}

// share returns the boundaries of two lists of values, one by one.
func (e *State) share(xs, ys []flat.ValueID) (batch boundaryBatch) {
	for i, v := range xs {
		if x, y := e.G.Values[v].Shape, e.G.Values[ys[i]].Shape; x.Compatible(y) {
			batch = append(batch, boundary{initial: -1, parameter: -1, result: -1, inside: -1, condition: -1,
				members: []flat.ValueID{v, ys[i]}})
		}
	}
	return batch
}

// asyncBoundaries lists what the parts of an asynchronous operation share: async-start shows its operands as the first
// element of its result, and async-update and async-done take that result over.
func (e *State) asyncBoundaries(n flat.NodeID) boundaryBatch {
	g := e.G
	var from, to []flat.ValueID
	switch g.Nodes[n].Op {
	case hlo.OpAsyncStart:
		for k := range g.Nodes[n].In.Operands {
			from = append(from, g.ValuesOf(g.Operand(n, k))...)
		}
		to = g.PartOf(n, 0)
	case hlo.OpAsyncUpdate:
		from, to = g.ValuesOf(g.Operand(n, 0)), g.ValuesOf(n)
	case hlo.OpAsyncDone:
		from, to = g.PartOf(g.Operand(n, 0), 1), g.ValuesOf(n)
	}
	if len(from) != len(to) {
		return nil
	}
	return e.share(from, to)
}

// largestBranch returns the branch of a conditional that decides the result's layout: the one with the most
// instructions among those that take an operand (as in XLA's open pass; cond_transpose).
func (e *State) largestBranch(n flat.NodeID) int {
	in := e.G.Nodes[n].In
	best, most := 0, 0
	for j, b := range in.Called() {
		if s := in.Operands[j+1].Shape; e.On(rule.LargestBranch) && len(b.Instructions) > most &&
			!(s.IsTuple() && len(s.Elems) == 0) {
			best, most = j, len(b.Instructions)
		}
	}
	return best
}

// loopBoundaries returns the boundaries of a loop. Loops that hand a value on, one after or inside another, have each
// their own: their layouts may differ.
func (e *State) loopBoundaries(n flat.NodeID) boundaryBatch {
	g := e.G
	w, init := g.Loop(n), g.Operand(n, 0)
	batch := make(boundaryBatch, 0, len(g.ValuesOf(n)))
	for i, result := range g.ValuesOf(n) {
		b := boundary{initial: g.ValueAt(init, i), parameter: g.ValueAt(w.BodyParam, i), result: result, inside: -1,
			condition: g.ValueAt(w.CondParam, i), members: make([]flat.ValueID, 0, 5)}
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

// boundary is what control flow makes one: values that must share a layout.
type boundary struct {
	members []flat.ValueID
	// initial is a loop's initial value, parameter and condition are the parameters of its body and condition, -1
	// elsewhere; kept says that the body gives the parameter back.
	initial, parameter, condition, result flat.ValueID
	kept                                  bool
	// inside is what a called computation has, -1 for a loop; passed says that it is a parameter, decides that it is the
	// result whatever other branches give.
	inside          flat.ValueID
	passed, decides bool
}

// boundaryBatch is a set of boundaries that are settled together; the queue is worked off after it.
type boundaryBatch []boundary

// callsOf lists what a computation calls in the order of what is called.
func (e *State) callsOf(ci flat.CompID) (calls []call) {
	for _, n := range e.within(e.calling, ci) {
		in := e.G.Nodes[n].In
		for _, called := range in.Called() {
			if in.Opcode != hlo.OpWhile || called == in.CalledBy("body") {
				calls = append(calls, call{n, e.G.CompOf(called)})
			}
		}
	}
	slices.SortStableFunc(calls, func(a, b call) int { return cmp.Compare(a.callee, b.callee) })
	return slices.Compact(calls)
}

// inOrderOfBodies sorts what calls computations by its own computation and the last one in the text that it calls: the
// post-order of the compiler's computations. Of 82 small programs with loops all but 2 come out; in the order of the
// loops themselves 11 do not, in that of the numbers of their names 4.
func (e *State) inOrderOfBodies(callers []flat.NodeID) {
	last := func(n flat.NodeID) (body flat.CompID) {
		for _, c := range e.G.Nodes[n].In.Called() {
			body = max(body, e.G.CompOf(c))
		}
		return body
	}
	slices.SortStableFunc(callers, func(a, b flat.NodeID) int {
		return cmp.Or(cmp.Compare(e.G.Nodes[a].Comp, e.G.Nodes[b].Comp), cmp.Compare(last(a), last(b)))
	})
}

// mostDigits is how many digits a number may have in a name.
const mostDigits = 18

// Numbered splits a name into its stem and number, -1 for one without.
func Numbered(name string) (stem string, number int) {
	dot := strings.LastIndexByte(name, '.')
	digits := name[dot+1:]
	if dot == -1 || digits == "" || len(digits) > mostDigits {
		return name, -1
	}
	for i := range len(digits) {
		if digits[i] < '0' || digits[i] > '9' {
			return name, -1
		}
		number = number*10 + int(digits[i]-'0')
	}
	return name[:dot], number
}
