package memory

import (
	"slices"

	"hlolayout/hlo"
)

// loopUse reports whether a loop may take its operand in the fast space: nothing keeps the loop's result in HBM, and
// the body reads the value, soon enough.
func (e *engine) loopUse(u *heldUse) bool {
	v, g := e.v, e.g
	j := v.g.useIndex[u.use]
	if r := e.requiredAt(v.at[g.leaf0[u.node]+j], u.node); r != nil && !r.fast {
		return false
	}
	body := &g.comps[g.compOf[g.nodes[u.node].in.Sequential()[1]]]
	param := body.params[0]
	first := body.root
	for _, w := range v.uses[v.at[g.leaf0[param]+j]] {
		if t := v.g.useTime[w]; !trivial(g.nodes[t].in.Opcode) && t > param {
			first = min(first, t)
		}
	}
	return first != body.root && e.k.keeps(param, first)
}

// branchUse reports whether some branch reads the value soon enough after it begins.
func (e *engine) branchUse(h *held, u *heldUse) bool {
	v, g := e.v, e.g
	in := g.nodes[u.node].in
	for i := range h.uses {
		o := &h.uses[i]
		if o.node != u.node || v.g.useOperand[o.use] == 0 {
			continue
		}
		c := g.compOf[in.Called()[v.g.useOperand[o.use]-1]]
		param := g.comps[c].params[0]
		first := u.node
		for _, w := range v.uses[v.at[g.leaf0[param]+v.g.useIndex[o.use]]] {
			if t := v.g.useTime[w]; g.nodes[t].comp == c && !trivial(g.nodes[t].in.Opcode) {
				first = min(first, t)
			}
		}
		if e.k.keeps(param, first) {
			return true
		}
	}
	return false
}

// inBranches returns the parts of a value's buffer in the branches of the conditional that used it before, none where
// it was used otherwise or the next use is not after it.
func (e *engine) inBranches(h *held, u, previous *heldUse, hs []*held) (list []*held) {
	if previous == nil || e.g.nodes[previous.node].in.Opcode != hlo.OpConditional || u.node == previous.node ||
		previous.node > u.time {
		return nil
	}
	for _, o := range hs {
		if o.time >= previous.time && o.time < previous.node && e.bufOf[o.value] == e.bufOf[h.value] {
			list = append(list, o)
		}
	}
	return list
}

// leavesBranch reports whether a value that a conditional has used has to be evicted before its next use, since the
// branches, where the given parts are, cannot keep it where it is.
func (e *engine) leavesBranch(branches []*held) bool {
	g := e.g
	for _, o := range branches {
		for i := range o.uses {
			w := &o.uses[i]
			if g.nodes[w.node].in.Opcode == hlo.OpConditional && !e.branchUse(o, w) {
				return true
			}
			if r := e.requiredAt(e.v.at[e.v.g.useLeaf[w.use]], w.time); r != nil && !r.fast {
				return true
			}
			if r := e.aliasRequirement(w); r != nil && !r.fast {
				return true
			}
			if r := e.requiredAt(o.value, o.time); r != nil && !r.fast {
				return true
			}
		}
	}
	return false
}

// mirrorBranches repeats a value's place in the given parts of it inside of a conditional that it stays in the fast
// space throughout.
func (e *engine) mirrorBranches(h *held, u, previous *heldUse, branches []*held, inside map[*held]bool) {
	if len(branches) == 0 || len(h.list) == 0 {
		return
	}
	last := h.list[len(h.list)-1]
	if !last.fast || !slices.Contains(last.uses, previous.use) {
		return
	}
	if last.ready > previous.time || u.time > last.end {
		return
	}
	for _, o := range branches {
		inside[o] = true
		a := &allocation{fast: true, chunk: last.chunk, size: last.size, start: o.time, end: o.time,
			ready: o.time, def: o.leaf, offset: last.offset}
		for _, w := range o.uses {
			a.uses = append(a.uses, w.use)
			a.end = max(a.end, w.node)
		}
		o.list = append(o.list, a)
	}
}

// mirrorLoop tells the body of a loop where it finds a value, and that it is in HBM too if it is.
func (e *engine) mirrorLoop(h *held, u *heldUse, time int32, hs []*held, bodyOffset map[int32]*offset) {
	g := e.g
	in := g.nodes[u.node].in
	if in.Opcode != hlo.OpWhile {
		return
	}
	a := liveAt(h.list, time)
	if a == nil || !a.fast {
		return
	}
	body := g.compOf[in.Sequential()[1]]
	// A value that the loop does not change may be in HBM as well; then nothing has to be evicted after the loop.
	if e.v.at[g.leaf0[u.node]+e.v.g.useIndex[u.use]] == h.value {
		for i := len(h.list) - 1; i >= 0; i-- {
			p := h.list[i]
			if p.fast || p.def != h.leaf {
				continue
			}
			for _, o := range hs {
				switch {
				case o.value != h.value:
				case o.comp == body && g.nodes[o.time].in.Opcode == hlo.OpParameter:
					o.list = append(o.list, &allocation{mirror: true, start: o.time, end: o.time, ready: o.time, def: o.leaf})
				case o.time == u.node:
					// It keeps the place that the value was defined at, so that a next loop does not find it.
					o.list = append(o.list, &allocation{mirror: true, start: o.time, end: o.time, ready: o.time, def: p.def})
				}
			}
			break
		}
	}
	bodyOffset[body] = a.offset
}
