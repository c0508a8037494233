package constraint

import "hlolayout/passes/internal/flat"

// listFree lists the nodes in the order in which those that nothing reached get their defaults: by computations, in the
// order of the compiler's list.
func (e *State) listFree() {
	e.freeOrder = make([]flat.NodeID, 0, len(e.order))
	for _, ci := range e.listed {
		e.freeOrder = append(e.freeOrder, e.within(e.order, ci)...)
	}
}
