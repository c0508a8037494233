package constraint

import (
	"slices"

	"hlolayout/passes/internal/flat"
	"hlolayout/passes/layout/internal/ordering"
	"hlolayout/passes/layout/internal/rule"
	"hlolayout/passes/plan"
)

// PinRules are what the caller holds.
var PinRules = rule.Rows{
	rule.Pin: {Name: "pin", Stage: rule.Given, Text: "pinned by the caller", Evidence: []string{"pinned"},
		TextByDefault: "the order that the value has in the simplified program",
		Doc: "A layout that the caller requests holds against every rule; what a rule wanted in its place is " +
			"noted. In a lowered or unoptimized module the values that survive simplification are pinned where " +
			"that is possible, and the others fit in between: nothing is repaired but what an operation cannot work with."},
}

// Held is what the caller pins: package rules resolves pins to values (pin.go), and to how operands must be read for
// them (pinfit.go). Where there is nothing it is empty lists, which are asked at no cost.
type Held struct {
	List []flat.ValueID // in the order in which they were asked for
	// By value and by operand, nil where nothing is held: every constraint asks (mixtral: maps take 6 % of assign). Slots
	// say how an operand is read, so that the instruction can give its pinned result.
	Values []HeldValue
	Slots  []ordering.Order
	// Refitted are those that a run showed to be needed, in the order in which they were found.
	Refitted []flat.SlotID
	Refused  map[flat.ValueID][]Overridden // what rules wanted in its place
}

// HeldValue is what a value is held to; the zero value is that of a free one.
type HeldValue struct {
	Order   ordering.Order
	Pin     flat.NodeID  // the node that was named
	Because *plan.Reason // of a soft pin
}

// Value returns what a value is held to, Slot the order that an operand must be read in, None where it is free.
func (h *Held) Value(v flat.ValueID) (x HeldValue) {
	if h.Values != nil {
		x = h.Values[v]
	}
	return x
}

func (h *Held) Slot(s flat.SlotID) (o ordering.Order) {
	if h.Slots != nil {
		o = h.Slots[s]
	}
	return o
}

// setHeld begins a round with what is held. It is mandatory and explored as soon as any other mandatory layout.
func (e *State) setHeld() {
	clear(e.Held.Refused)
	e.added = slices.Grow(e.added, 2*len(e.Held.List)) // a value and, most often, an operand
	for _, v := range e.Held.List {
		h := e.Held.Values[v]
		e.SetBuffer(v, h.Order.Untiled(), Must, Because(rule.Pin, h.Pin))
		n := e.G.Values[v].Node
		for s, hi := e.G.Slots(n); s < hi; s++ {
			if o := e.Held.Slot(s); o != ordering.None {
				e.setSlot(s, o.Untiled(), nil, Must, Because(rule.Pin, h.Pin))
			}
		}
	}
	for _, s := range e.Held.Refitted {
		n := e.G.SlotNode[s]
		e.setSlot(s, e.Held.Slot(s).Untiled(), nil, Must, Because(rule.FromUser, n))
	}
}

// refuses reports whether a value is held in another order than the one that a rule wants, and notes the rule.
func (e *State) refuses(v flat.ValueID, o ordering.Order, why Cause) bool {
	h := e.Held.Value(v)
	if h.Order == ordering.None || h.Order == o {
		return false
	}
	lost := Overridden{Order: o, Cause: why}
	if list := e.Held.Refused[v]; h.Because == nil && !slices.Contains(list, lost) {
		e.Held.Refused[v] = append(list, lost)
	}
	return true
}

// Holds reports whether some part of a node is held, or softly held.
func (e *State) Holds(n flat.NodeID, softly bool) bool {
	return slices.ContainsFunc(e.G.ValuesOf(n), func(v flat.ValueID) bool {
		h := e.Held.Value(v)
		return h.Order != ordering.None && (h.Because != nil || !softly)
	})
}
