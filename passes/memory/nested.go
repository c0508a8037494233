package memory

import (
	"fmt"
	"slices"

	"hlolayout/hlo"
)

// nested is a tuple inside of a conditional's result, which has a separate table of pointers: that of the tuples
// which its branches give there.
type nested struct {
	node int32
	path []int
}

// nestedTuples lists them. (In the simulator's log of a program for v5e whose three conditionals have one each, the
// lives of 14 buffers are too short by two ticks for each of these that begins and ends in them without it.)
func (g *graph) nestedTuples() (list []nested) {
	for _, t := range g.carried {
		in := g.nodes[t].in
		if in.Opcode != hlo.OpConditional {
			continue
		}
		var add func(s *hlo.Shape, path []int)
		add = func(s *hlo.Shape, path []int) {
			if !s.IsTuple() || len(s.Elems) == 0 {
				return
			}
			if len(path) > 0 {
				list = append(list, nested{t, path})
			}
			for i, e := range s.Elems {
				add(e, append(slices.Clone(path), i))
			}
		}
		add(in.Shape, nil)
	}
	return list
}

// tableAt returns what defines the tuple at a path inside of a value: its node, and the path inside of its result; none
// where that is not known.
func (g *graph) tableAt(in *hlo.Instruction, path []int) nested {
	for {
		t := g.timeOf(in)
		switch in.Opcode {
		case hlo.OpOptBarrier, hlo.OpAddDependency, hlo.OpDomain:
			in = in.Operands[0]
		case hlo.OpGetTupleElement:
			path = append([]int{elementIndex(in)}, path...)
			in = in.Operands[0]
		case hlo.OpTuple:
			if len(path) == 0 {
				return nested{t, nil}
			}
			in, path = in.Operands[path[0]], path[1:]
		case hlo.OpParameter:
			caller := g.comps[g.nodes[t].comp].caller
			if caller < 0 || g.nodes[caller].in.Opcode != hlo.OpConditional {
				return nested{none, nil}
			}
			c := g.nodes[caller].in
			k := 1 + slices.Index(c.Called(), in.Computation)
			if k == 0 || k >= len(c.Operands) {
				return nested{none, nil}
			}
			in = c.Operands[k]
		case hlo.OpConditional:
			return nested{t, path}
		default:
			return nested{none, nil}
		}
	}
}

// usedUntil returns the last time at which the tuple at a path inside of a value is used, or the one after the
// computation that returns it.
func (e *engine) usedUntil(in *hlo.Instruction, path []int) int32 {
	g := e.g
	type place struct {
		in   *hlo.Instruction
		path []int
	}
	end, seen := g.timeOf(in), map[string]bool{}
	queue := []place{{in, path}}
	add := func(in *hlo.Instruction, path []int) {
		if key := fmt.Sprint(in.Index, path); len(path) <= mostNested && !seen[key] {
			seen[key] = true
			queue = append(queue, place{in, path})
		}
	}
	for ; len(queue) > 0; queue = queue[1:] {
		p := queue[0]
		if nd := &g.nodes[g.timeOf(p.in)]; nd.root {
			end = max(end, g.comps[nd.comp].end+1)
		}
		for _, u := range e.usesOf(p.in) {
			t := g.timeOf(u.User)
			switch {
			case u.User.Opcode == hlo.OpTuple:
				end = max(end, t)
				add(u.User, append([]int{int(u.Operand)}, p.path...))
			case u.User.Opcode != hlo.OpGetTupleElement || len(p.path) == 0:
				end = max(end, g.usedAt(t))
			case elementIndex(u.User) == p.path[0]:
				add(u.User, p.path[1:])
			}
		}
	}
	return end
}

// mostNested bounds how deep tuples are followed into others.
const mostNested = 16

// nestedLives returns the lives of nested tuples, whose tables follow those of the nodes.
func (e *engine) nestedLives(list []nested, tables, made []int32) (out []life) {
	g := e.g
	for k, x := range list {
		in := g.nodes[x.node].in
		end := max(x.node, e.usedUntil(in, x.path))
		out = append(out, life{x.node, end, made[x.node], none, int32(len(e.v.def)) + tables[len(g.nodes)+k]})
	}
	return out
}

// joinNested makes one table of those that nested tuples have and that branches give there.
func (g *graph) joinNested(list []nested, shared sets) {
	n := int32(len(g.nodes))
	for k, x := range list {
		for _, callee := range g.nodes[x.node].in.Called() {
			from := g.tableAt(g.nodes[g.comps[g.compOf[callee]].root].in, x.path)
			switch {
			case from.node == none:
			case len(from.path) == 0:
				shared.join(n+int32(k), g.renames(from.node))
			default:
				if i := slices.IndexFunc(list, func(y nested) bool {
					return y.node == from.node && slices.Equal(y.path, from.path)
				}); i >= 0 {
					shared.join(n+int32(k), n+int32(i))
				}
			}
		}
	}
}
