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

// passTuples has conditionals take and give tuples, an array as the one element of such (conditional-canonicalizer: of
// 61 conditionals of 43 programs none takes or gives an array).
func (w *simplifier) passTuples() {
	all := w.Module.InMemory()
	calls := w.calls(all)
	for _, c := range all {
		var list []*hlo.Instruction
		for _, in := range c.Instructions {
			if in.Opcode == hlo.OpConditional && w.passesArrays(in, calls) {
				list = append(list, w.passTuple(in)...)
			}
			list = append(list, in)
		}
		c.Instructions = list
	}
}

// passesArrays reports whether a conditional takes or gives an array, and has its branches for itself.
func (w *simplifier) passesArrays(in *hlo.Instruction, calls []int32) bool {
	if in.Attr("sharding") != nil || len(in.Called()) != len(in.Operands)-1 {
		return false
	}
	arrays := in.Shape.IsArray()
	for i, branch := range in.Called() {
		if calls[branch.Index] != 1 || parameterOf(branch) == nil {
			return false
		}
		arrays = arrays || in.Operands[i+1].Shape.IsArray()
	}
	return arrays
}

// passTuple returns what comes before a conditional, which is an element of a tuple then, if it gives an array.
func (w *simplifier) passTuple(in *hlo.Instruction) (before []*hlo.Instruction) {
	w.Applied["tuples"]++
	tuple := func(x *hlo.Instruction) *hlo.Instruction {
		n := w.number(&hlo.Instruction{Opcode: hlo.OpTuple, Operands: []*hlo.Instruction{x}, Pos: x.Pos,
			Computation: x.Computation, Shape: w.Module.Intern(hlo.NewTuple(x.Shape))})
		n.Name = nameLike(x.Name, n)
		return n
	}
	// first makes an instruction the element of a tuple that is like it
	first := func(in *hlo.Instruction) (all *hlo.Instruction) {
		all = w.number(in)
		all.Shape = w.Module.Intern(hlo.NewTuple(in.Shape))
		become(w, in, hlo.OpGetTupleElement, all)
		attribute(in, "index", intOf(0))
		in.Name = nameLike(in.Name, in)
		return all
	}
	taken := map[*hlo.Instruction]*hlo.Instruction{}
	for i, branch := range in.Called() {
		if x := in.Operands[i+1]; x.Shape.IsArray() {
			if taken[x] == nil {
				taken[x] = tuple(x)
				before = append(before, taken[x])
			}
			in.Operands[i+1] = taken[x]
			p := parameterOf(branch)
			at := slices.Index(branch.Instructions, p)
			branch.Instructions = slices.Insert(branch.Instructions, at, first(p))
		}
		if branch.Root.Shape.IsArray() {
			branch.Root = tuple(branch.Root)
			branch.Instructions = append(branch.Instructions, branch.Root)
		}
	}
	if in.Shape.IsArray() {
		before = append(before, first(in))
	}
	return before
}
