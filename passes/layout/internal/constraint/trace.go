package constraint

import (
	"hlolayout/passes/internal/flat"
	"hlolayout/passes/layout/internal/ordering"
)

// Event is one constraint that is set: on a leaf of a node, or on one of its operands, by slot.
type Event struct {
	Node           flat.NodeID
	Slot           flat.SlotID // slot is -1 for a value
	Leaf           int
	Layout         ordering.Tiled
	Priority       int16
	Mandatory, DFS bool
	Cause          Cause
}

func (e *State) record(i item) {
	switch {
	case e.Trace == nil:
	case i < 0:
		c := &e.operandC[-1-i]
		e.Trace(Event{e.G.SlotNode[-1-i], flat.SlotID(-1 - i), 0, c.Tiled, c.priority, c.mandatory, c.dfs, c.cause})
	default:
		c, v := &e.bufferC[i], &e.G.Values[i]
		e.Trace(Event{v.Node, -1, int(v.Leaf), c.Tiled, c.Priority, c.Mandatory, c.dfs, c.Cause})
	}
}
