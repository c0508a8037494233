package flat

import (
	"slices"

	"hlolayout/hlo"
)

// TakeElements makes what uses an element of a tuple of the same computation use what the tuple was made of, as the
// compiler does once a run is over. Users go to the end of the list of what they use from then on; where a tuple or
// element has lost its last user, the last user of what it used takes its place. A second call does nothing. It reports
// whether there was any.
func (g *Graph) TakeElements() bool {
	if g.instead != nil {
		return false
	}
	g.instead = map[NodeID]NodeID{}
	for n := range NodeID(len(g.Nodes) - 1) {
		if o := g.Nodes[n].FirstSlot; g.Nodes[n].Op == hlo.OpGetTupleElement && g.Nodes[g.Operands[o]].Op == hlo.OpTuple {
			k, _ := g.Nodes[n].In.Attr("index").Int()
			g.instead[n] = g.inPlace(g.Operand(g.Operands[o], int(k)))
		}
	}
	if len(g.instead) == 0 {
		return false
	}
	users, copied := make([][]Use, len(g.Nodes)-1), slices.Clone(g.uses)
	for n := range users {
		lo, hi := g.Nodes[n].use, g.Nodes[n+1].use
		users[n] = copied[lo:hi:hi]
	}
	place := make([]int32, len(g.Operands)) // by slot: where its use is among the users of what it takes
	for _, us := range users {
		for i, u := range us {
			place[u.Slot] = int32(i)
		}
	}
	g.gone = make([]bool, len(g.Nodes))
	for n := range NodeID(len(users)) {
		to := g.inPlace(n)
		if to == n {
			continue
		}
		for i, u := range users[n] {
			g.Operands[u.Slot], place[u.Slot] = to, int32(len(users[to])+i)
		}
		users[to], users[n] = append(users[to], users[n]...), nil
		if c := &g.Comps[g.Nodes[n].Comp]; c.Root == n {
			c.Root = to
		}
		g.drop(n, users, place)
	}
	g.uses = g.uses[:0]
	for n, us := range users {
		g.Nodes[n].use = int32(len(g.uses))
		g.uses = append(g.uses, us...)
	}
	g.Nodes[len(users)].use = int32(len(g.uses))
	g.linkShown()
	return true
}

// Order returns the nodes as the compiler visits them: computations callees before callers, instructions operands
// before users. It is that of the text until elements of tuples are taken out.
func (g *Graph) Order() []NodeID {
	order := make([]NodeID, len(g.Nodes)-1)
	if g.gone == nil {
		for n := range order {
			order[n] = NodeID(n)
		}
		return order
	}
	order = order[:0]
	type visit struct {
		node NodeID
		next SlotID // the operand to visit next
	}
	var stack []visit // not calls: a chain may be as long as the module
	done := make([]bool, len(g.Nodes)-1)
	push := func(n NodeID) {
		if !done[n] {
			done[n] = true
			first, _ := g.Slots(n)
			stack = append(stack, visit{n, first})
		}
	}
	for n := range NodeID(len(g.Nodes) - 1) {
		if !g.gone[n] && len(g.Users(n)) == 0 {
			push(n)
		}
		for len(stack) > 0 {
			top := &stack[len(stack)-1]
			if _, end := g.Slots(top.node); top.next == end {
				order = append(order, top.node)
				stack = stack[:len(stack)-1]
				continue
			}
			top.next++
			push(g.Operands[top.next-1])
		}
	}
	return order
}

// inPlace returns what is used in place of a node: the node itself, unless it is an element of a tuple that is gone.
func (g *Graph) inPlace(n NodeID) NodeID {
	if to, ok := g.instead[n]; ok {
		return to
	}
	return n
}

// InPlace is inPlace for instructions: one that the pass made, which is in no computation yet, stays.
func (g *Graph) InPlace(in *hlo.Instruction) *hlo.Instruction {
	if len(g.instead) == 0 || in.Computation == nil || g.CompOf(in.Computation) < 0 {
		return in
	}
	return g.Nodes[g.inPlace(g.Node(in))].In
}

// Elements calls f for every element of a tuple that is gone, in the order of the text, with what is used in its
// place.
func (g *Graph) Elements(f func(element, instead *hlo.Instruction)) {
	if len(g.instead) == 0 {
		return
	}
	for n := range NodeID(len(g.Nodes) - 1) {
		if to := g.inPlace(n); to != n {
			f(g.Nodes[n].In, g.Nodes[to].In)
		}
	}
}

// drop takes a tuple or element away that nothing uses, and what only it used of these.
func (g *Graph) drop(n NodeID, users [][]Use, place []int32) {
	op := g.Nodes[n].Op
	if g.gone[n] || len(users[n]) > 0 || g.Comps[g.Nodes[n].Comp].Root == n ||
		op != hlo.OpTuple && op != hlo.OpGetTupleElement {
		return
	}
	g.gone[n] = true
	for s, hi := g.Slots(n); s < hi; s++ {
		o := g.Operands[s]
		last := len(users[o]) - 1
		moved := users[o][last]
		users[o][place[s]], place[moved.Slot] = moved, place[s]
		users[o] = users[o][:last]
		g.drop(o, users, place)
	}
}
