package memory

import (
	"fmt"

	"hlolayout/hlo"
)

// check refuses instructions whose operands do not fit their results or what they call. The analyses rely on both.
func (g *graph) check() error {
	for t := range g.nodes {
		in := g.nodes[t].in
		need, _ := in.Opcode.Arity()
		if in.Opcode == hlo.OpConditional { // one for each branch, too
			need += len(in.Called())
		}
		if len(in.Operands) < need {
			return fmt.Errorf("instruction %%%s has %d operands; expected %d", in.Name, len(in.Operands), need)
		}
		pairs := g.renamed(int32(t))
		for k, callee := range in.Sequential() {
			pairs = append(pairs, g.passed(in, k, &g.comps[g.compOf[callee]])...)
		}
		for _, p := range pairs {
			if p.a == nil || p.b == nil || len(g.info(p.a).Leaves) != len(g.info(p.b).Leaves) {
				return fmt.Errorf("instruction %%%s: %s", in.Name, p.wrong)
			}
		}
	}
	return nil
}

// pair is two shapes that have the same number of leaves, and what is wrong where they do not or one is missing.
type pair struct {
	a, b  *hlo.Shape
	wrong string
}

// renamed returns what an instruction that only names values requires of its operands.
func (g *graph) renamed(t int32) []pair {
	in := g.nodes[t].in
	switch in.Opcode {
	case hlo.OpBitcast, hlo.OpOptBarrier, hlo.OpDomain, hlo.OpAddDependency:
		return []pair{{in.Shape, in.Operands[0].Shape, "the shape is not that of the operand"}}
	case hlo.OpGetTupleElement:
		var element *hlo.Shape
		tuple := in.Operands[0].Shape
		if k, ok := in.Attr("index").Int(); ok && tuple.IsTuple() && k >= 0 && int(k) < len(tuple.Elems) {
			element = tuple.Elems[k]
		}
		return []pair{{element, in.Shape, "it takes no element of a tuple"}}
	case hlo.OpTuple:
		if g.use0[t+1]-g.use0[t] != g.leaf0[t+1]-g.leaf0[t] {
			return []pair{{wrong: "the shape of the tuple is not that of its operands"}}
		}
	}
	return nil
}

// passed returns what the k-th called computation takes and returns, each with what its caller has for it.
func (g *graph) passed(in *hlo.Instruction, k int, c *comp) []pair {
	root := g.nodes[c.root].in.Shape
	param := func(p int) *hlo.Shape {
		if p < len(c.params) && c.params[p] >= 0 {
			return g.nodes[c.params[p]].in.Shape
		}
		return nil
	}
	switch in.Opcode {
	case hlo.OpWhile:
		start := in.Operands[0].Shape
		pairs := []pair{
			{param(0), start, "the loop's parameter does not fit its operand"},
			{in.Shape, start, "the loop's result does not fit its operand"},
		}
		if body := k == 1; body {
			pairs = append(pairs, pair{root, in.Shape, "the loop's result does not fit its body"})
		}
		return pairs
	case hlo.OpConditional:
		return []pair{
			{param(0), in.Operands[k+1].Shape, "a branch's parameter does not fit its operand"},
			{root, in.Shape, "a branch's result does not fit"},
		}
	}
	pairs := []pair{{root, in.Shape, "the result of the called computation does not fit"}}
	for j, o := range in.Operands {
		pairs = append(pairs, pair{param(j), o.Shape, "a parameter of the called computation does not fit its operand"})
	}
	return pairs
}
