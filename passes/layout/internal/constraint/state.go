// Package constraint holds the constraints of a module and follows them: the work list, the boundaries of loops,
// branches and calls, the rounds and runs of the pass. What hardware wants comes from package rules.
package constraint

import (
	"slices"

	"hlolayout/hlo"
	"hlolayout/passes/entry"
	"hlolayout/passes/internal/flat"
	"hlolayout/passes/layout/internal/ordering"
	"hlolayout/passes/layout/internal/rule"
	"hlolayout/tpu"
)

// State holds one module's state through all runs of the pass.
type State struct {
	input
	force
	hints
	boundaries
	round
	constraints
	work
	scratch [16]ordering.Order // of Mismatches
	// trace, when set, sees every constraint that is set.
	Trace func(Event)
}

// input is what does not change: the module, the target, the layouts of the interface.
type input struct {
	G *flat.Graph
	*ordering.Tiles
	// given layouts of the entry, by leaf
	EntryParams [][]ordering.Tiled
	entryResult []ordering.Tiled
	// EntryDefault says that all layouts of the interface are the target's defaults, Fit is that of plan.Options.
	EntryDefault, Fit bool
}

// hints are what a run leaves for later ones.
type hints struct {
	hintsAt   []int32       // by node: the number of its list
	hintLists [][]rule.Hint // the first one is empty: that of nodes without
	Held      Held          // what the caller pins
}

// boundaries are the layouts that control flow ties together.
type boundaries struct {
	lists  [directions]boundaryList
	out    []int32       // by batch of inward: what comes out of the same computation, in outward, or -1
	listed []flat.CompID // in the order of the compiler's list
}

// round is where the pass is.
type round struct {
	number     int                // of the run, from 0
	priority   int16              // of the round
	unsettled  bool               // a shared value was set since the boundaries were settled
	settled    bool               // the last run is over
	defaulting bool               // free values get their defaults: boundaries override nothing
	free       []bool             // by value: a default decides it, for nothing had constrained it before
	left       []flat.ValueID     // those that settleFree looks at
	results    [][]ordering.Tiled // by computation: the layouts its result must have, nil for none
	callees    []called           // by computation: what the first round leaves for it
}

// constraints are those of the present round.
type constraints struct {
	bufferC    []bufferConstraint // by value
	operandC   []operandConstraint
	tuples     [][]ordering.Tiled // see operandConstraint
	overridden []Overridden
	agreed     []ordering.Order // by node: the order that all of its operands have, known
}

// work is what is left to be followed: added waits for the end of the present step.
type work struct {
	added []item
	queue deque
}

// What a rule reads: verbs next to those of constraints.go, which set something.

// Limit returns a threshold.
func (e *State) Limit(l rule.LimitID) int64 { return e.limits[l].Value }

// SetLimit changes a threshold.
func (e *State) SetLimit(l rule.LimitID, value int64) { e.limits[l].Value = value }

// Row returns a rule of the table.
func (e *State) Row(r rule.ID) *rule.Row { return e.table[r] }

// RunNumber returns the number of the present run, from 0.
func (e *State) RunNumber() int { return e.number }

// IsFree reports whether nothing but a default decided a value.
func (e *State) IsFree(v flat.ValueID) bool { return e.free[v] }

// ConstraintOn returns the constraint of a value.
func (e *State) ConstraintOn(v flat.ValueID) *Constraint { return &e.bufferC[v].Constraint }

// LayoutOf returns the layout of a value, no order where nothing constrains it.
func (e *State) LayoutOf(v flat.ValueID) ordering.Tiled { return e.bufferC[v].Tiled }

// AsksFor returns the layout that an operand must have, no order where there is none.
func (e *State) AsksFor(slot flat.SlotID) ordering.Tiled { return e.operandC[slot].Tiled }

// Overridden returns the constraints that a value had before its own, the last one first.
func (e *State) Overridden(v flat.ValueID) (out []Overridden) {
	for beat := e.bufferC[v].beat; beat > 0; {
		b := e.overridden[beat-1]
		out, beat = append(out, b), b.prev
	}
	return out
}

func NewState(g *flat.Graph, t *tpu.Target) *State {
	return &State{input: input{G: g, Tiles: ordering.NewTiles(t)}, force: force{limits: slices.Clone(rule.Limits)},
		hints: hints{hintsAt: make([]int32, len(g.Nodes)), hintLists: make([][]rule.Hint, 1)},
		constraints: constraints{bufferC: make([]bufferConstraint, len(g.Values)),
			operandC: make([]operandConstraint, len(g.Operands)), agreed: make([]ordering.Order, len(g.Nodes)),
			tuples: make([][]ordering.Tiled, 1)},
		round: round{free: make([]bool, len(g.Values)), results: make([][]ordering.Tiled, len(g.Comps)),
			callees: make([]called, len(g.Comps))}}
}

// SetEntry takes the layouts of the interface; leaves without one stay free.
func (e *State) SetEntry(iface *entry.Interface) {
	e.EntryDefault = iface.IsDefault()
	for _, p := range iface.Params {
		e.EntryParams = append(e.EntryParams, e.writtenTiled(p))
	}
	e.entryResult = e.writtenTiled(iface.Result)
}

// writtenTiled returns the layouts written in a shape, by leaf: the orders, with the rows of the tiles.
func (e *State) writtenTiled(s *hlo.Shape) []ordering.Tiled {
	out := e.OrdersOf(s)
	for i, l := range e.G.Shape(s).Leaves {
		out[i].Rows = ordering.RowsOf(l.Layout)
	}
	return out
}

// OrdersOf returns the orders written in a shape, by leaf, without tiles.
func (e *State) OrdersOf(s *hlo.Shape) []ordering.Tiled {
	leaves := e.G.Shape(s).Leaves
	out := make([]ordering.Tiled, len(leaves))
	for i, l := range leaves {
		if l.Layout != nil {
			out[i].Order = e.Orders.Of(l.Layout.MinorToMajor)
		} else if l.Rank() == 0 {
			out[i].Order = e.Orders.Descending(0)
		}
	}
	return out
}

// Written returns the orders of a shape's leaves as written in it, descending where none is.
func (e *State) Written(s *hlo.Shape) []ordering.Tiled {
	out := e.OrdersOf(s)
	for i, l := range e.G.Shape(s).Leaves {
		if out[i].Order == ordering.None {
			out[i].Order = e.Orders.Descending(l.Rank())
		}
	}
	return out
}

// OrderAt returns the order of a leaf of a node in the present run.
func (e *State) OrderAt(n flat.NodeID, leaf int) ordering.Order {
	return e.bufferC[e.G.ValueAt(n, leaf)].Order
}

// MinorToMajor returns the order of an array-shaped node.
func (e *State) MinorToMajor(n flat.NodeID) ordering.Order { return e.bufferC[e.G.Whole(n)].Order }

// Gives reports whether all results of a node have an order.
func (e *State) Gives(n flat.NodeID, o ordering.Order) bool {
	return !slices.ContainsFunc(e.G.ValuesOf(n), func(v flat.ValueID) bool { return e.bufferC[v].Order != o })
}

// Taken returns the order in which an array operand is read.
func (e *State) Taken(n flat.NodeID, k int) ordering.Order { return e.TakenTiled(n, k).Order }

// TakenTiled returns the layout in which an array operand is read: its constraint, or what its value has.
func (e *State) TakenTiled(n flat.NodeID, k int) ordering.Tiled {
	slot := e.G.Slot(n, k)
	want, have := e.operandC[slot].Tiled, e.bufferC[e.G.Whole(e.G.Operands[slot])].Tiled
	if want.Order != have.Order && want.Order != ordering.None && !e.readsThrough(n, have.Order, want.Order) {
		return want
	}
	return have
}

// Release drops what the decisions do not need.
func (e *State) Release() {
	e.G.Release()
	held := Held{Values: e.Held.Values, Refused: e.Held.Refused}
	e.hints, e.boundaries, e.work = hints{Held: held}, boundaries{}, work{}
}
