package fit

import "hlolayout/hlo"

// uses finds out until when each array is needed: by the last instruction that reads it, or by the one in which that is
// fused.
func (f *foresight) uses() {
	until := map[*hlo.Instruction]int{} // of what is computed in its users
	reads := func(o *hlo.Instruction, at int) {
		for k := range f.leaves(o) {
			if s := f.source[f.leaf0[o]+k]; s != none {
				f.need[s] = max(f.need[s], at)
			}
		}
		until[o] = max(until[o], at)
	}
	for t := len(f.p.nodes) - 1; t >= 0; t-- {
		in := f.p.nodes[t]
		at := t
		if f.fused(in) || passes(in) {
			at = max(t, until[in])
			if passes(in) && until[in] == 0 {
				at = t
			}
		}
		if in.IsRoot() && !in.Computation.IsEntry() {
			at = f.end(in.Computation)
			reads(in, at)
		}
		if passes(in) && in.Opcode != hlo.OpBitcast {
			// Tuples read nothing, but what is fused into their elements lives as long as they.
			for _, o := range in.Operands {
				until[o] = max(until[o], at)
			}
			continue
		}
		for _, o := range in.Operands {
			reads(o, at)
		}
	}
}

// passes reports whether an instruction hands on its operands without reading them.
func passes(in *hlo.Instruction) bool {
	switch in.Opcode {
	case hlo.OpTuple, hlo.OpGetTupleElement, hlo.OpBitcast, hlo.OpOptBarrier, hlo.OpAddDependency:
		return true
	}
	return false
}

// end returns the last time of a computation, that of its caller.
func (f *foresight) end(c *hlo.Computation) int {
	last := 0
	for _, in := range c.Instructions {
		last = max(last, f.time[in])
	}
	return last
}

// inPlace reports whether what a loop's body makes of element k of what it carries can be written over that: all that
// reads the element ends before, or reads it elementwise for it.
func (f *foresight) inPlace(while *hlo.Instruction, k, made int) bool {
	body := while.CalledBy("body")
	for _, u := range f.p.readersOf(place{parameter(body), int64(k)}) {
		if u.User.Opcode == hlo.OpGetTupleElement && !f.before(u.User, f.holder[made], true, 0) {
			return false
		}
	}
	return true
}

// before reports whether all that reads a value is done when another is made; elementwise says that so far it is read
// elementwise only.
func (f *foresight) before(in, made *hlo.Instruction, elementwise bool, depth int) bool {
	const most = 16
	if depth > most {
		return true
	}
	for _, u := range f.p.usesOf(in) {
		x := u.User
		same := elementwise && (x.Opcode.Elementwise() || x.Opcode == hlo.OpBitcast ||
			x.Opcode == hlo.OpDynamicUpdateSlice && u.Operand == 0)
		switch {
		case x == made && same:
		case x == made || f.time[x] > f.time[made] && !passes(x):
			return false
		case (f.fused(x) || x.Opcode == hlo.OpBitcast) && !f.before(x, made, same, depth+1):
			return false
		}
	}
	return true
}

// alone reports whether an instruction has one user, or none.
func (f *foresight) alone(in *hlo.Instruction) bool {
	uses := f.p.usesOf(in)
	for _, u := range uses {
		if u.User != uses[0].User {
			return false
		}
	}
	return true
}
