package folding

import (
	"slices"

	"hlolayout/hlo"
)

// decided computes the branch of a conditional that is always taken in its place: the only one, or that of a constant
// (of 13 programs with such conditionals none has them in what enters layout assignment).
func decided(w *simplifier, in *hlo.Instruction) *hlo.Instruction {
	called := in.Called()
	if len(called) != len(in.Operands)-1 || in.Attr("sharding") != nil || ordered(in) {
		return nil
	}
	k := len(called) - 1 // what an index out of range takes, too
	if x := in.Operands[0]; k > 0 {
		switch n, number := constantOf(x); {
		case x.Opcode != hlo.OpConstant:
			return nil
		case x.Literal() == "true":
			k = 0
		case number && n >= 0 && n < float64(k):
			k = int(n)
		}
	}
	if slices.ContainsFunc(called[k].Instructions, ordered) { // it names instructions of the branch
		return nil
	}
	inner := map[*hlo.Instruction]*hlo.Instruction{}
	for _, x := range called[k].Instructions {
		if x.Opcode == hlo.OpParameter {
			inner[x] = in.Operands[k+1]
			continue
		}
		inner[x] = w.again(w.c, x, inner)
		w.inside[x] = inner[x]
		w.add(inner[x])
	}
	return inner[called[k].Root]
}

// ordered reports whether an instruction runs after others that it does not read.
func ordered(in *hlo.Instruction) bool { return in.Attr("control-predecessors") != nil }
