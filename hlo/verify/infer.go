package verify

import (
	"hlolayout/hlo"
)

// rule infers the result shape of one opcode from the operands, the attributes and the called computations, and says
// what keeps it from having one. Where those do not settle the result (convert's element type, broadcast's sizes) it
// takes the open part from the declared shape, which is nil when the text leaves it out.
type rule func(in *hlo.Instruction) (*hlo.Shape, error)

// rules has a rule for each opcode that has anything to check, by opcode. Here and below tables are arrays: a program
// has them as they are, where it would fill maps when it starts.
var rules [256]rule

func init() {
	for op := range rules {
		switch {
		case unaryTypes[op] != 0:
			rules[op] = unary
		case binaryTypes[op] != 0:
			rules[op] = binary
		}
	}
	for _, family := range [][]rule{elementwiseRules, dotRules, convRules, reduceRules, gatherRules,
		reshapeRules, sliceRules, linalgRules, collectiveRules, controlRules, asyncRules, transferRules} {
		for op, r := range family {
			if r != nil {
				rules[op] = r
			}
		}
	}
}

// InferShape returns the result shape that in has by its operands, attributes and called computations. It is the
// declared shape (in.Shape) in whatever those leave open; an instruction that leaves something open and has no declared
// shape is an error. Operands must have shapes.
//
// Layouts: where XLA passes an operand's shape on (elementwise operations, tuple, get-tuple-element ...) its layout
// comes along; every other array gets the descending layout.
//
// A non-nil error is an *hlo.Error with a code and without a position. It says which rule is broken, in the order in
// which XLA's shape inference looks at them.
func InferShape(in *hlo.Instruction) (*hlo.Shape, error) {
	s, err := infer(in)
	if err != nil {
		return nil, err
	}
	if s == nil {
		return nil, fail(VER109, "the result shape of %s cannot be inferred: write it", in.OpName())
	}
	return s.WithLeaves(func(_ hlo.Index, leaf *hlo.Shape) *hlo.Shape {
		if leaf.IsArray() && leaf.Layout == nil && leaf.Rank() > 0 {
			return leaf.WithLayout(hlo.DescendingLayout(leaf.Rank()))
		}
		return leaf
	}), nil
}

// infer is InferShape without the layouts; nil where nothing is to be compared with the declared shape.
func infer(in *hlo.Instruction) (*hlo.Shape, error) {
	least, most := in.Opcode.Arity()
	if n := len(in.Operands); in.Opcode != hlo.OpUnknown && (n < least || most >= 0 && n > most) {
		return nil, fail(VER101, "it has %s, but takes %s", plural(n, "operand"), arityText(least, most))
	}
	for i, o := range in.Operands {
		if o == nil || o.Shape == nil {
			return nil, fail(VER101, "operand %d has no shape", i)
		}
	}
	if r := rules[in.Opcode]; r != nil {
		return r(in)
	}
	return in.Shape, nil
}

// operands returns the shapes of in's operands from number `from` on.
func operands(in *hlo.Instruction, from int) []*hlo.Shape {
	out := make([]*hlo.Shape, 0, len(in.Operands)-from)
	for _, o := range in.Operands[from:] {
		out = append(out, o.Shape)
	}
	return out
}

// arrays fails unless the operands from number `from` to number `to` (exclusive) are arrays.
func arrays(in *hlo.Instruction, from, to int) error {
	for i := from; i < to; i++ {
		if s := in.Operands[i].Shape; !s.IsArray() {
			return fail(VER102, "operand %d is %s; it must be an array", i, bare(s))
		}
	}
	return nil
}

// allArrays is arrays for all operands.
func allArrays(in *hlo.Instruction) error { return arrays(in, 0, len(in.Operands)) }

// takes fails unless operand i has an element type of the set.
func takes(in *hlo.Instruction, i int, set typeSet) error {
	if d := in.Operands[i].Shape.DType; !set.has(d) {
		return fail(VER103, "operand %d has element type %s; %s takes %s", i, d, in.OpName(), set)
	}
	return nil
}

// declared returns the declared shape where a rule needs it.
func declared(in *hlo.Instruction) (*hlo.Shape, error) {
	if in.Shape == nil {
		return nil, fail(VER109, "the result shape of %s cannot be inferred: write it", in.OpName())
	}
	return in.Shape, nil
}

// operandShape is the rule of operations that return operand 0's shape, whatever it is.
func operandShape(in *hlo.Instruction) (*hlo.Shape, error) { return in.Operands[0].Shape, nil }
