package reasons

import (
	"slices"

	"hlolayout/hlo"
	"hlolayout/passes/entry"
	"hlolayout/passes/layout"
	"hlolayout/passes/plan"
)

// lowered reports whether later passes have written bitcasts into a module: these tie orders that layout assignment
// takes for free, so that its chains are no longer those by which the module got its layouts.
func (g *graph) lowered() bool {
	return slices.ContainsFunc(g.ins, func(in *hlo.Instruction) bool { return in.Opcode == hlo.OpBitcast })
}

// again asks layout assignment about the module without the copies that change an order, which it has put there. The
// module is as before when it returns.
func (g *graph) again(mode entry.Mode) (*plan.Plan, error) {
	relays := func(in *hlo.Instruction) bool {
		return in.Opcode == hlo.OpCopy && chosen(in.Shape) && chosen(in.Operands[0].Shape) && !sameOrder(in.Shape,
			in.Operands[0].Shape)
	}
	copied := func(in *hlo.Instruction) *hlo.Instruction {
		for relays(in) {
			in = in.Operands[0]
		}
		return in
	}
	for _, in := range g.ins {
		was := in.Operands
		if slices.ContainsFunc(was, relays) {
			in.Operands = slices.Clone(was)
			for k, o := range was {
				in.Operands[k] = copied(o)
			}
			defer func() { in.Operands = was }()
		}
	}
	for _, c := range g.m.Computations {
		root, all := c.Root, c.Instructions
		c.Instructions = slices.DeleteFunc(slices.Clone(all), relays)
		if root != nil {
			c.Root = copied(root)
		}
		c.Renumber()
		defer func() {
			c.Root, c.Instructions = root, all
			c.Renumber()
		}()
	}
	return layout.Run(g.m, g.target, plan.Options{Reassign: true, EntryLayouts: mode})
}

// What is known of whether layout assignment has a chain for an array.
const (
	unasked = iota
	asking
	repeats
	differs
)

// repeated finds the arrays whose chains layout assignment repeats.
type repeated struct {
	*walk
	plan    *plan.Plan
	chains  *plan.Chains
	decided []int32 // the decision for each array, -1 for none
	members [][]array
	state   []uint8
}

// repeat gives reasons to the arrays for which layout assignment, asked again, has a chain in which all orders are the
// file's, down to a cause: it says in which sequence the constraints met, which the file alone does not.
func (w *walk) repeat(p *plan.Plan) {
	r := repeated{w, p, p.Chains(), make([]int32, len(w.shapes)), make([][]array, len(w.shapes)), make([]uint8,
		len(w.shapes))}
	for a := range r.decided {
		r.decided[a] = -1
		if s := w.source(array(a)); s != array(a) {
			r.members[s] = append(r.members[s], array(a))
		}
	}
	for i := range p.Decisions {
		if a := w.find(p.Decisions[i].Instruction, p.Decisions[i].Index); a != noArray {
			r.decided[a] = int32(i)
		}
	}
	for a := range w.shapes {
		if w.same[a].of == noArray {
			r.ask(array(a))
		}
	}
}

// ask reports whether layout assignment repeats the chain of an array, and gives it its reason if so. Any of the arrays
// that are the same one may have it.
func (r *repeated) ask(a array) bool {
	if r.state[a] != unasked {
		return r.state[a] == repeats
	}
	r.state[a] = asking
	ok := r.try(a, a)
	for _, b := range r.members[a] {
		ok = ok || r.try(a, b)
	}
	r.state[a] = differs
	if ok {
		r.state[a] = repeats
	}
	return ok
}

// try is ask with the reason of b, which is the same array as a.
func (r *repeated) try(a, b array) bool {
	if r.decided[b] < 0 || !chosen(r.shapes[b]) {
		return false
	}
	d := &r.plan.Decisions[r.decided[b]]
	if d.Layout == nil || !sameOrder(r.shapes[b], r.shapes[b].WithLayout(d.Layout)) {
		return false
	}
	reason := *d.Reason
	next, more := r.chains.Next(plan.Link{Instruction: d.Instruction, Index: d.Index, Layout: d.Layout, Reason: reason})
	if !more {
		reason.Array = plan.NoArray
		return IsCause(RuleName(reason.Rule)) && r.set(step{of: a, at: noArray, again: &reason})
	}
	n := r.find(next.Instruction, next.Index)
	return n != noArray && r.source(n) != a && r.ask(r.source(n)) && r.set(step{of: a, at: noArray, again: &reason})
}

// find returns the array at an index of an instruction's result; noArray for an instruction that is not the module's.
func (g *graph) find(in *hlo.Instruction, index hlo.Index) array {
	if _, ok := g.first[in.Computation]; !ok || int(in.Index) >= len(in.Computation.Instructions) ||
		in.Computation.Instructions[in.Index] != in {
		return noArray
	}
	a, n := g.part(in, index...)
	if n != 1 {
		return noArray
	}
	return a
}
