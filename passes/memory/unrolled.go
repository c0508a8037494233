package memory

import "hlolayout/hlo"

// unrolled is a stretch of the schedule in which the same instructions come again and again, as those of a loop do that
// was written out: size of them make an iteration. The last one may be cut off.
type unrolled struct{ start, end, size int32 } // both inclusive

// Limits of XLA's IdentifyAndOptimizeMemoryBoundLoops. Of the candidates in the compiler's log of 21 programs for v5e
// those of 6 iterations are taken, and none of up to 5.75.
const (
	leastIteration, mostIteration = 4, 400
	leastIterations               = 6
	// headStart is by how many instructions an iteration may begin before those that were found first.
	headStart = 10
)

// forms numbers the instructions of a schedule by opcode and shapes, with layouts: two of one number are of one form.
// Those without a form, -1, are loops and conditionals.
func (g *graph) forms() []int32 {
	shapes := map[*hlo.Shape]int32{}
	shape := func(s *hlo.Shape) int32 {
		s = g.m.Intern(s)
		n, ok := shapes[s]
		if !ok {
			n = int32(len(shapes))
			shapes[s] = n
		}
		return n
	}
	out, numbers := make([]int32, len(g.nodes)), map[string]int32{}
	var key []byte
	for t := range g.nodes {
		in := g.nodes[t].in
		out[t] = none
		if in.Opcode == hlo.OpWhile || in.Opcode == hlo.OpConditional {
			continue
		}
		key = append(key[:0], byte(in.Opcode))
		put := func(n int32) { key = append(key, byte(n), byte(n>>8), byte(n>>16), byte(n>>24)) }
		put(shape(in.Shape))
		for _, o := range in.Operands {
			put(shape(o.Shape))
		}
		n, ok := numbers[string(key)]
		if !ok {
			n = int32(len(numbers))
			numbers[string(key)] = n
		}
		out[t] = n
	}
	return out
}

// renames reports whether an instruction only names values, for the search: it begins no iteration.
func renames(op hlo.Opcode) bool {
	return op == hlo.OpParameter || op == hlo.OpTuple || op == hlo.OpGetTupleElement
}

// unrolledLoops finds the stretches of at least leastIterations iterations (XLA: IdentifyAndOptimizeMemoryBoundLoops).
// Two instructions of one form say how many an iteration may have; it goes on as long as each instruction has the form
// of the one that is an iteration earlier, and operands from as far away, or from an iteration further.
func (g *graph) unrolledLoops() (out []unrolled) {
	forms := g.forms()
	last := map[int32]int32{} // by form: where it came last
	for t := int32(0); t < int32(len(g.nodes)); t++ {
		if renames(g.nodes[t].in.Opcode) || forms[t] < 0 {
			continue
		}
		before, seen := last[forms[t]]
		last[forms[t]] = t
		size := t - before
		if !seen || size < leastIteration || size > mostIteration {
			continue
		}
		u := unrolled{size: size}
		u.start = g.firstOf(forms, t, size)
		if u.start < 0 {
			continue
		}
		u.end = g.lastOf(forms, u)
		if u.end+1-u.start >= leastIterations*size {
			out = append(out, u)
		}
		t = max(t, u.end)
	}
	return out
}

// firstOf returns where a loop begins in which instruction t is size after one of its form, -1 where there is none.
func (g *graph) firstOf(forms []int32, t, size int32) int32 {
	for i := max(0, t-size-headStart); i <= t-size; i++ {
		next := i + size
		if forms[i] >= 0 && forms[i] == forms[next] && !renames(g.nodes[i].in.Opcode) && g.repeats(i, next) {
			return i
		}
	}
	return none
}

// lastOf returns the last instruction of a loop. (A loop or conditional, which has no form, comes after what it calls,
// and that is of another computation.)
func (g *graph) lastOf(forms []int32, u unrolled) int32 {
	end := int32(none)
	for i := u.start; i < int32(len(g.nodes)); i++ {
		if g.nodes[i].comp != g.nodes[u.start].comp {
			break
		}
		if i >= u.start+u.size && (forms[i] != forms[i-u.size] || !g.repeats(i-u.size, i)) {
			break
		}
		end = i
	}
	return end
}

// repeats reports whether an instruction may be one of an earlier iteration again: each operand is as far away, or
// further by the distance of the two. Those of no time of their own may be anywhere.
func (g *graph) repeats(earlier, t int32) bool {
	far := func(t int32, o *hlo.Instruction) int32 {
		if renames(o.Opcode) || o.Opcode == hlo.OpConstant {
			return none
		}
		return t - g.timeOf(o)
	}
	a, b := g.nodes[earlier].in.Operands, g.nodes[t].in.Operands
	for k := range a {
		x, y := far(earlier, a[k]), far(t, b[k])
		if x != none && y != none && x != y && x+t-earlier != y {
			return false
		}
	}
	return true
}
