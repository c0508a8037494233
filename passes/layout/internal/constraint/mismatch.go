package constraint

import (
	"slices"

	"hlolayout/hlo"
	"hlolayout/passes/internal/flat"
	"hlolayout/passes/layout/internal/ordering"
	"hlolayout/passes/layout/internal/rule"
)

// Relayout is one place that needs a copy: an operand, or a computation's root (slot -1), whose leaves do not
// have the layouts in which they are read.
type Relayout struct {
	User   flat.NodeID
	Slot   flat.SlotID
	Source flat.NodeID      // what is copied
	Want   []ordering.Order // by leaf, none where it may stay
	Why    Cause
}

// Mismatches calls f for every place that needs a copy, in the order in which the compiler makes and names them: by
// computation, in the order of its list, instruction, operand, and the root last (33 programs with loops come out to
// the byte that do not in the order of the text; for a polar decomposition it is the reverse).
func (e *State) Mismatches(f func(r Relayout)) {
	g := e.G
	for _, ci := range e.listed {
		c := &g.Comps[ci]
		for n := c.First; n < c.End; n++ {
			e.MismatchesOf(n, f)
		}
		want, why := e.WantedRoot(c, e.scratch[:0])
		e.compare(Relayout{User: -1, Slot: -1, Source: c.Root, Want: want, Why: why}, f)
	}
}

// MismatchesOf is Mismatches of the operands of one instruction.
func (e *State) MismatchesOf(n flat.NodeID, f func(r Relayout)) {
	g := e.G
	for slot, hi := g.Slots(n); slot < hi; slot++ {
		if e.agrees(n, slot) {
			continue
		}
		want, why := e.wanted(n, slot, e.scratch[:0])
		e.compare(Relayout{User: n, Slot: slot, Source: g.Operands[slot], Want: want, Why: why}, f)
	}
}

// agrees reports quickly that an operand has the layout that its user wants, as most do; false says nothing
// (BenchmarkLayout: mismatches is called in every run, and takes half the time with it).
func (e *State) agrees(n flat.NodeID, slot flat.SlotID) bool {
	c, op := &e.operandC[slot], e.G.Nodes[n].Op
	if e.G.Calls(n) || op == hlo.OpAsyncStart {
		return false
	}
	return !c.set() || c.tuple == 0 && (!e.settled || e.hooks[op].legal == nil) &&
		c.Order == e.MinorToMajor(e.G.Operands[slot])
}

// compare calls f when some leaf of the source has another layout than wanted.
func (e *State) compare(r Relayout, f func(Relayout)) {
	differs := false
	for i, o := range r.Want {
		have := e.OrderAt(r.Source, i)
		if o == ordering.None || have == ordering.None || have == o || r.User != -1 && e.readsThrough(r.User, have, o) {
			r.Want[i] = ordering.None
		} else {
			differs = true
		}
	}
	if differs {
		f(r)
	}
}

// readsThrough reports whether a user takes an operand without a copy though it has another layout than wanted.
func (e *State) readsThrough(user flat.NodeID, have, want ordering.Order) bool {
	reads := e.hooks[e.G.Nodes[user].Op].reads
	return reads != nil && reads(user, have, want)
}

// wanted returns the orders in which an operand is read, by leaf; nil where any will do.
func (e *State) wanted(n flat.NodeID, slot flat.SlotID, buf []ordering.Order) ([]ordering.Order, Cause) {
	g := e.G
	nd := &g.Nodes[n]
	k := g.OperandNumber(slot)
	if at := g.Passed(n, k); at >= 0 {
		return e.ordersOf(g.ValuesOf(at), buf), Because(rule.Shared, at)
	}
	c := &e.operandC[slot]
	switch {
	case c.tuple != 0:
		for _, l := range e.tuples[c.tuple] {
			buf = append(buf, l.Order)
		}
		return buf, c.Cause
	case c.Order != ordering.None:
		o := c.Order
		if legal := e.hooks[nd.Op].legal; e.settled && legal != nil { // copies of runs before take names as they are
			o = legal(n, k, o)
		}
		return append(buf, o), c.Cause
	}
	return nil, Cause{}
}

// WantedRoot returns the orders in which a computation must give its result, nil where any will do.
func (e *State) WantedRoot(c *flat.Comp, buf []ordering.Order) ([]ordering.Order, Cause) {
	g := e.G
	if c.Entry {
		for _, l := range e.entryResult {
			buf = append(buf, l.Order)
		}
		return buf, Because(rule.EntryResult, -1)
	}
	if callers := c.Computation.Callers(); len(callers) > 0 && g.CompOf(callers[0].Instruction.Computation) != -1 {
		caller := callers[0]
		n := g.Node(caller.Instruction)
		switch op := caller.Instruction.Opcode; {
		case op == hlo.OpWhile && caller.Key.Name == "body":
			return e.ordersOf(g.ValuesOf(c.Params[0]), buf), Because(rule.Shared, c.Params[0])
		case op == hlo.OpConditional || op == hlo.OpCall:
			return e.ordersOf(g.ValuesOf(n), buf), Because(rule.Shared, n)
		case op == hlo.OpAsyncStart:
			// A start may bind the first results only.
			if r := caller.Instruction.Shape.At(hlo.Index{1}); r != nil && r.Compatible(c.Computation.Root.Shape) {
				return e.ordersOf(g.PartOf(n, 1), buf), Because(rule.Shared, n)
			}
		}
	}
	return nil, Cause{}
}

func (e *State) ordersOf(values []flat.ValueID, buf []ordering.Order) []ordering.Order {
	buf = slices.Grow(buf, len(values))
	for _, v := range values {
		buf = append(buf, e.bufferC[v].Order)
	}
	return buf
}
