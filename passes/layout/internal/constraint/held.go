package constraint

import (
	"slices"

	"hlolayout/passes/internal/flat"
	"hlolayout/passes/layout/internal/ordering"
	"hlolayout/passes/layout/internal/rule"
	"hlolayout/passes/plan"
)

// HeldRules are what the caller holds.
var HeldRules = rule.Rows{
	rule.Pin: {Name: "pin", Stage: rule.Given, Text: "pinned by the caller", Evidence: []string{"pinned"},
		TextByDefault: "the order that the value has in the simplified program",
		Doc: "A layout that the caller requests holds against every rule; what a rule wanted in its place is " +
			"noted. In a lowered or unoptimized module the values that survive simplification are pinned where " +
			"that is possible."},
}

// Held is what the caller pins. Where there is nothing it is empty lists, which are asked at no cost.
type Held struct {
	List   []flat.ValueID   // values, in the order in which they were asked for
	values []HeldValue      // by value, of no order where it is not held; nil where none is
	slots  []ordering.Order // by operand: the order it is read in, so that the instruction can give its pinned result
	// refitted are those that a run showed to be needed, in the order in which they were found
	Refitted []flat.SlotID
	Refused  map[flat.ValueID][]Overridden // by value: what rules wanted in its place
}

// NewHeld makes room for pins.
func (e *State) NewHeld() {
	e.Held = Held{values: make([]HeldValue, len(e.G.Values)), slots: make([]ordering.Order, len(e.G.Operands)),
		Refused: map[flat.ValueID][]Overridden{}}
	for v := range e.Held.values {
		e.Held.values[v].Order = ordering.None
	}
	for s := range e.Held.slots {
		e.Held.slots[s] = ordering.None
	}
}

// Value returns what a value is held to; ok is false where it is free.
func (h *Held) Value(v flat.ValueID) (held HeldValue, ok bool) {
	if h.values == nil {
		return HeldValue{Order: ordering.None}, false
	}
	return h.values[v], h.values[v].Order != ordering.None
}

// Slot returns the order that an operand must be read in, none where it is free.
func (h *Held) Slot(s flat.SlotID) ordering.Order {
	if h.slots == nil {
		return ordering.None
	}
	return h.slots[s]
}

// SetValue holds a value, SetSlot an operand; no order lets it go.
func (h *Held) SetValue(v flat.ValueID, to HeldValue) { h.values[v] = to }

func (h *Held) SetSlot(s flat.SlotID, o ordering.Order) { h.slots[s] = o }

type HeldValue struct {
	Order   ordering.Order
	Pin     flat.NodeID  // the node that was named
	Because *plan.Reason // of a soft pin
}

// setHeld begins a round with what is held. It is mandatory and explored as soon as any other mandatory layout.
func (e *State) setHeld() {
	clear(e.Held.Refused)
	for _, v := range e.Held.List {
		h := e.Held.values[v]
		e.SetBuffer(v, h.Order.Untiled(), Must, Cause{rule.Pin, h.Pin})
		n := e.G.Values[v].Node
		for s, hi := e.G.Slots(n); s < hi; s++ {
			if o := e.Held.slots[s]; o != ordering.None {
				e.SetOperand(n, s, o.Untiled(), Must, Cause{rule.Pin, h.Pin})
			}
		}
	}
	for _, s := range e.Held.Refitted {
		n := e.G.SlotNode[s]
		e.SetOperand(n, s, e.Held.slots[s].Untiled(), Must, Cause{rule.FromUser, n})
	}
}

// refuses reports whether a value is held in another order than the one that a rule wants, and notes the rule.
func (e *State) refuses(v flat.ValueID, o ordering.Order, why Cause) bool {
	h, ok := e.Held.Value(v)
	if !ok || h.Order == o {
		return false
	}
	if h.Because != nil {
		return true
	}
	lost := Overridden{Order: o, Cause: why}
	if list := e.Held.Refused[v]; !slices.Contains(list, lost) {
		e.Held.Refused[v] = append(list, lost)
	}
	return true
}

// HoldsSoftly reports whether some part of a node has a soft pin.
func (e *State) HoldsSoftly(n flat.NodeID) bool {
	for l, hi := e.G.Leaves(n); l < hi; l++ {
		if h, ok := e.Held.Value(e.G.LeafValue[l]); ok && h.Because != nil {
			return true
		}
	}
	return false
}

// HoldsAny reports whether some part of a node is held.
func (e *State) HoldsAny(n flat.NodeID) bool {
	for l, hi := e.G.Leaves(n); l < hi && len(e.Held.List) > 0; l++ {
		if _, ok := e.Held.Value(e.G.LeafValue[l]); ok {
			return true
		}
	}
	return false
}
