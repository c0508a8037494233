package constraint

import (
	"math/bits"
	"slices"
	"sort"

	"hlolayout/passes/internal/flat"
	"hlolayout/passes/layout/internal/ordering"
	"hlolayout/passes/layout/internal/rule"
)

// On reports whether a rule is in force.
func (e *State) On(r rule.ID) bool { return !e.off[r] }

// SetRules puts the rules in force that hold for the target and are not switched off. One without a row, whose file was
// deleted, is not; TestEveryRuleHasOneRow says that none is left so.
func (e *State) SetRules(table *[rule.Count]*rule.Row, off []rule.ID) {
	e.table = table
	for r, row := range table {
		e.off[r] = row.Name == "" && r != int(rule.None) || slices.Contains(row.Except, e.Target.Name) ||
			!e.Target.Within(row.Since, row.Until) || slices.Contains(off, rule.ID(r))
		if e.off[r] {
			continue
		}
		if row.ListUsers != nil {
			e.listers = append(e.listers, rule.ID(r))
		}
		if row.Constrain != nil {
			e.sweeps[row.Sweep] = append(e.sweeps[row.Sweep], rule.ID(r))
		}
		if row.Step != rule.NoStep {
			e.finders[row.Step] = append(e.finders[row.Step], rule.ID(r))
		}
		for op := range row.Ops.All() {
			e.hooks[op].take(row)
		}
	}
	e.listNodes()
}

// force is the rules, and which ones are in force.
type force struct {
	table     *[rule.Count]*rule.Row
	off       [rule.Count]bool // rules that are not in force
	limits    []rule.Limit
	sweeps    [rule.NumSweeps][]rule.ID     // rules of Constrain
	finders   [rule.NumSteps][]rule.ID      // rules of Repair and Improve
	hooks     [256]hooks                    // by opcode
	nodes     [rule.NumSweeps][]flat.NodeID // what the rules of a sweep look at
	order     []flat.NodeID                 // all nodes as a run visits them
	freeOrder []flat.NodeID                 // all nodes in the order of their defaults
	place     []int32                       // by node: where it is in order
	calling   []flat.NodeID                 // loops, conditionals and calls
	listers   []rule.ID                     // rules of ListUsers
	// rootSlots are, by node, 1 + the slot in which the root of a loop's body uses it, 0 for none
	rootSlots []flat.SlotID
}

// hooks are what the rules in force do with the instructions of one opcode.
type hooks struct {
	through *rule.Row // what carries orders through it, nil for none
	sweeps  uint16    // those whose rules look at it
	carries func(n, o flat.NodeID) bool
	late    func(n flat.NodeID, k int, priority int16) bool
	ignores func(n flat.NodeID) bool
	reads   func(n flat.NodeID, have, want ordering.Order) bool
	legal   func(n flat.NodeID, k int, have ordering.Order) ordering.Order
}

// take takes what a row has of them.
func (h *hooks) take(row *rule.Row) {
	if row.Down != nil || row.Up != nil {
		h.through = row
	}
	if row.Constrain != nil || row.Hint != nil {
		h.sweeps |= 1 << row.Sweep
	}
	if row.Carries != nil {
		h.carries = row.Carries
	}
	if row.Late != nil {
		h.late = row.Late
	}
	if row.IgnoresUsers != nil {
		h.ignores = row.IgnoresUsers
	}
	if row.Reads != nil {
		h.reads = row.Reads
	}
	if row.Legal != nil {
		h.legal = row.Legal
	}
}

// listNodes lists for each sweep the instructions that its rules look at.
func (e *State) listNodes() {
	e.order, e.calling, e.nodes = e.G.Order(), nil, [rule.NumSweeps][]flat.NodeID{}
	e.place = make([]int32, len(e.G.Nodes))
	for i, n := range e.order {
		e.place[n] = int32(i)
		if e.G.Calls(n) {
			e.calling = append(e.calling, n)
		}
		for sweeps := e.hooks[e.G.Nodes[n].Op].sweeps; sweeps != 0; sweeps &= sweeps - 1 {
			s := bits.TrailingZeros16(sweeps)
			e.nodes[s] = append(e.nodes[s], n)
		}
	}
	e.inOrderOfBodies(e.calling)
	e.findRootSlots()
}

// within returns those of a list of nodes that are in a computation.
func (e *State) within(nodes []flat.NodeID, ci flat.CompID) []flat.NodeID {
	at := func(ci flat.CompID) int {
		return sort.Search(len(nodes), func(i int) bool { return e.G.Nodes[nodes[i]].Comp >= ci })
	}
	return nodes[at(ci):at(ci+1)]
}

// TakeElements is flat's, once the first run is over: what the next runs visit has another order.
func (e *State) TakeElements() bool {
	taken := e.G.TakeElements()
	if taken {
		e.listNodes()
		e.listFree()
	}
	return taken
}

// constrain runs one sweep over a computation: the first and the last one with the text, the others against it. What
// an earlier run left for an instruction takes the place of what its rules ask.
func (e *State) constrain(s rule.Sweep, ci flat.CompID) {
	nodes := e.within(e.nodes[s], ci)
	if s == rule.GivenSweep || s == rule.CallSweep {
		for _, n := range nodes {
			e.ask(s, n)
		}
		return
	}
	for _, n := range slices.Backward(nodes) {
		hints := e.hintsOf(n)
		for i := range hints {
			if h := &hints[i]; e.table[h.Why].Sweep == s && !h.Dropped {
				e.setHint(n, h)
			}
		}
		if !e.IsRepaired(n) {
			e.ask(s, n)
		}
	}
}

// ask lets the rules of a sweep ask something of an instruction.
func (e *State) ask(s rule.Sweep, n flat.NodeID) {
	for _, r := range e.sweeps[s] {
		if row := e.table[r]; row.Ops.Has(e.G.Nodes[n].Op) {
			row.Constrain(n)
		}
	}
}

// look lets the rules of one step look for work and reports whether there is any.
func (e *State) look(s rule.Step) (found bool) {
	for _, r := range e.finders[s] {
		row := e.table[r]
		if e.Fit && !row.Required {
			continue
		}
		if row.Find != nil {
			found = row.Find() || found
			continue
		}
		for _, n := range e.nodes[row.Sweep] {
			if !e.IsRepaired(n) && e.HintIn(row.Sweep, n) == nil && row.Ops.Has(e.G.Nodes[n].Op) {
				if h := row.Hint(n); h != nil {
					h.Why, found = r, true
					e.AddHint(n, *h)
				}
			}
		}
	}
	return found
}

// OrderUses puts the users of each value in the order of the compiler's list, where a rule shows it: the first that
// does.
func (e *State) OrderUses() {
	var users []flat.NodeID
	place := make([]int32, len(e.G.Nodes))
	for n := range flat.NodeID(len(e.G.Nodes) - 1) {
		us := e.G.Users(n)
		if len(us) < 2 || us[0].Node == us[len(us)-1].Node {
			continue
		}
		users = users[:0]
		for _, u := range us {
			users = append(users, u.Node)
		}
		users = slices.Compact(users)
		for _, r := range e.listers {
			if order := e.table[r].ListUsers(n, users); order != nil {
				for i, u := range order {
					place[u] = int32(i)
				}
				slices.SortStableFunc(us, func(a, b flat.Use) int { return int(place[a.Node] - place[b.Node]) })
				break
			}
		}
	}
}
