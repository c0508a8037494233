package folding

import (
	"slices"
	"strconv"

	"hlolayout/hlo"
)

// startsNothing reports whether a reduce begins with the value that changes nothing.
func startsNothing(in *hlo.Instruction) bool {
	if len(in.Operands) != 2 || len(in.Called()) != 1 {
		return false
	}
	op, ok := combination(in.Called()[0])
	literal, constant := scalar(in.Operands[1])
	if !ok || !constant {
		return false
	}
	switch literal {
	case "true":
		return op == hlo.OpAnd
	case "false":
		return op == hlo.OpOr
	case "-2147483648":
		return op == hlo.OpMaximum
	case "2147483647":
		return op == hlo.OpMinimum
	}
	x, err := strconv.ParseFloat(literal, 64)
	return err == nil && neutrals[op].left && neutrals[op].is(x)
}

// single makes a reshape of a reduce over dimensions of one element.
func single(w *simplifier, in *hlo.Instruction) *hlo.Instruction {
	x := in.Operands[0]
	if !in.Shape.IsArray() || in.Attr("sharding") != nil || x.Shape.IsDynamic() || !startsNothing(in) {
		return nil
	}
	for _, d := range in.Ints("dimensions") {
		if x.Shape.Dims[d] != 1 {
			return nil
		}
	}
	become(w, in, hlo.OpReshape, x)
	return in
}

// negatedSum makes the sum of negated values the negated sum.
func negatedSum(w *simplifier, in *hlo.Instruction) *hlo.Instruction {
	x := in.Operands[0]
	if x.Opcode != hlo.OpNegate || !in.Shape.IsArray() || in.Attr("sharding") != nil || !startsNothing(in) ||
		in.Called()[0].Root.Opcode != hlo.OpAdd {
		return nil
	}
	n := w.make(in.Opcode, in, in.Shape.Dims, x.Operands[0], in.Operands[1])
	n.Attrs = in.Attrs
	n.SetCalled(in.Called())
	n.Name, in.Name = in.Name, n.Name
	become(w, in, hlo.OpNegate, n)
	return in
}

// joinedSum reduces once what is reduced twice in the same way, and reads what a transpose reads where a vector or a
// scalar is left.
func joinedSum(w *simplifier, in *hlo.Instruction) *hlo.Instruction {
	x := in.Operands[0]
	if !in.Shape.IsArray() || in.Attr("sharding") != nil || len(in.Operands) != 2 || x.Shape.IsDynamic() {
		return nil
	}
	dims := in.Ints("dimensions")
	var from []int // the dimensions of x, before
	switch {
	case x.Opcode == hlo.OpTranspose && in.Shape.Rank() < 2:
		from = x.Ints("dimensions")
	case x.Opcode == hlo.OpReduce && x.Shape.IsArray() && len(x.Operands) == 2 && startsNothing(in) && startsNothing(x) &&
		w.body(in.Called()[0]) == w.body(x.Called()[0]):
		for d := range x.Operands[0].Shape.Rank() {
			if !slices.Contains(x.Ints("dimensions"), d) {
				from = append(from, d)
			}
		}
	default:
		return nil
	}
	var all []int
	for _, d := range dims {
		all = append(all, from[d])
	}
	if x.Opcode == hlo.OpReduce {
		all = append(all, x.Ints("dimensions")...)
	}
	slices.Sort(all)
	in.Operands = []*hlo.Instruction{x.Operands[0], in.Operands[1]}
	set(in, "dimensions", all)
	return in
}
