package layout

import (
	"hlolayout/hlo"
)

// maxBoundaryRounds bounds the batches of 2.9-3; more were not seen to change anything.
const maxBoundaryRounds = 6

// boundaryGroups returns the values that must share a layout because control flow makes them one: a loop's initial
// value, its parameters, its body's root and its result; a call's operands and parameters, roots and result. Groups
// stand in the order of their first member, members in the order of their first mention. inner says of each value
// whether it is more than an initial value of loops.
func (e *engine) boundaryGroups() (groups [][]int32, inner []bool) {
	g := e.g
	parent := make([]int32, len(g.values))
	for v := range parent {
		parent[v] = int32(v)
	}
	find := func(v int32) int32 {
		for parent[v] != v {
			parent[v] = parent[parent[v]]
			v = parent[v]
		}
		return v
	}
	inner = make([]bool, len(g.values))
	var mentioned []int32
	seen := make([]bool, len(g.values))
	join := func(firstInner int, vs ...int32) {
		r := find(vs[0])
		for i, v := range vs {
			parent[find(v)] = r
			inner[v] = inner[v] || i >= firstInner
			if !seen[v] {
				seen[v] = true
				mentioned = append(mentioned, v)
			}
		}
	}
	for n := range int32(len(g.nodes) - 1) {
		nd := &g.nodes[n]
		switch nd.op {
		case hlo.OpWhile:
			w := e.while(n)
			init := g.operand(n, 0)
			for i, s := range g.shape(nd.in.Shape).leaves {
				if s.DType.IsArray() {
					join(1, g.valueAt(init, i), g.valueAt(w.bodyParam, i), g.valueAt(w.condParam, i), g.valueAt(n, i), g.valueAt(w.bodyRoot, i))
				}
			}
		case hlo.OpCall, hlo.OpConditional, hlo.OpAsyncStart:
			first := 0
			if nd.op == hlo.OpConditional {
				first = 1
			}
			for j, callee := range nd.in.Called {
				c := &g.comps[g.compOf[callee]]
				for k, p := range c.params {
					if nd.op == hlo.OpConditional && k > 0 {
						break
					}
					o := g.operand(n, first+j+k)
					for i, s := range g.shape(g.shapeOf(p)).leaves {
						if s.DType.IsArray() {
							join(0, g.valueAt(o, i), g.valueAt(p, i))
						}
					}
				}
				if nd.op == hlo.OpAsyncStart {
					break
				}
				for i, s := range g.shape(nd.in.Shape).leaves {
					if s.DType.IsArray() {
						join(0, g.valueAt(c.root, i), g.valueAt(n, i))
					}
				}
			}
		}
	}
	number := make([]int32, len(g.values))
	for _, v := range mentioned {
		r := find(v)
		if number[r] == 0 {
			groups = append(groups, nil)
			number[r] = int32(len(groups))
		}
		groups[number[r]-1] = append(groups[number[r]-1], v)
	}
	return groups, inner
}

// loop is a while's inside.
type loop struct{ bodyParam, bodyRoot, condParam int32 }

func (e *engine) while(n int32) loop {
	in := e.g.nodes[n].in
	body := &e.g.comps[e.g.compOf[in.CalledBy("body")]]
	cond := &e.g.comps[e.g.compOf[in.CalledBy("condition")]]
	return loop{body.params[0], body.root, cond.params[0]}
}

// boundaries makes the members of each group agree (2.9-3): first groups of which more than an initial value is
// constrained, and only when those are settled the others.
func (e *engine) boundaries() {
	groups, inner := e.boundaryGroups()
	onlyInner := true
	for range maxBoundaryRounds {
		changed := false
		for _, group := range groups {
			if e.settle(group, inner, onlyInner) {
				changed = true
			}
		}
		e.propagate()
		if !changed {
			if !onlyInner {
				return
			}
			onlyInner = false
		}
	}
}

// settle gives the members of one group the layout of its reference and says whether it did anything.
func (e *engine) settle(group []int32, inner []bool, onlyInner bool) bool {
	ref := e.reference(group)
	if ref < 0 {
		return false
	}
	if onlyInner {
		some := false
		for _, v := range group {
			some = some || inner[v] && e.bufferC[v].order != none
		}
		if !some {
			return false
		}
	}
	o := e.bufferC[ref].order
	why := cause{ruleBoundary, e.g.values[ref].node}
	changed := false
	for _, v := range group {
		c := &e.bufferC[v]
		switch {
		case c.order == none:
			e.setBuffer(v, o, may, why)
			changed = true
		case c.order != o && !c.mandatory:
			f := must.at(c.priority + 1)
			e.setBuffer(v, o, f, why)
			changed = true
			if e.g.nodes[e.g.values[v].node].op == hlo.OpParameter {
				e.overrideUses(v, o, f, why)
			}
		}
	}
	return changed
}

// reference returns the member whose layout the others take, -1 where none has one: a mandatory value inside a body,
// else the instruction's own result, else any mandatory one, else the first (inferred order, 2.9-3).
func (e *engine) reference(group []int32) int32 {
	g := e.g
	best, bestRank := int32(-1), 4
	for _, v := range group {
		c := &e.bufferC[v]
		if c.order == none {
			continue
		}
		nd := &g.nodes[g.values[v].node]
		rank := 3
		switch {
		case c.mandatory && !g.comps[nd.comp].entry:
			rank = 0
		case nd.op == hlo.OpWhile || nd.op == hlo.OpConditional || nd.op == hlo.OpCall:
			rank = 1
		case c.mandatory:
			rank = 2
		}
		if rank < bestRank || rank == bestRank && v < best {
			best, bestRank = v, rank
		}
	}
	return best
}

// overrideUses tells the users of a parameter at once what its layout became, past their own constraints (2.9-3).
func (e *engine) overrideUses(v int32, o order, f flags, why cause) {
	g := e.g
	for _, l := range g.aliasLeaf[g.aliasStart[v]:g.aliasStart[v+1]] {
		a := g.leafNode[l]
		if g.nodes[a].tuple {
			continue
		}
		for _, u := range g.users(a) {
			if !g.forwardsSlot(u.node, u.slot) {
				e.setOperand(u.node, u.slot, o, f, why)
			}
		}
	}
}

// agreeWhiles ends a run: a loop's result and its condition's parameter have the layout of the body's parameter (2.9-5).
func (e *engine) agreeWhiles() {
	g := e.g
	for n := range int32(len(g.nodes) - 1) {
		if g.nodes[n].op != hlo.OpWhile {
			continue
		}
		w := e.while(n)
		for i, s := range g.shape(g.shapeOf(n)).leaves {
			if s.DType.IsArray() {
				o := e.bufferC[g.valueAt(w.bodyParam, i)].order
				e.bufferC[g.valueAt(n, i)].order = o
				e.bufferC[g.valueAt(w.condParam, i)].order = o
			}
		}
	}
}
