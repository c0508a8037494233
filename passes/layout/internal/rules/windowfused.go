package rules

import (
	"fmt"
	"slices"

	"hlolayout/hlo"
	"hlolayout/passes/internal/flat"
	"hlolayout/passes/layout/internal/ordering"
)

// operandFor returns which operand of in becomes operand k of op: k itself where they are the same, else the fusion's
// parameter at the end of the chain of first operands; -1 where it ends elsewhere.
func operandFor(in, op *hlo.Instruction, k int) int {
	if in == op {
		return k
	}
	x := op.Operands[k]
	for x.Opcode != hlo.OpParameter {
		if len(x.Operands) == 0 {
			return -1
		}
		x = x.Operands[0]
	}
	if int(x.Parameter) >= len(in.Operands) {
		return -1
	}
	return int(x.Parameter)
}

// followed returns which dimensions of the fusion's result those of op, inside of it, become through transposes and
// reshapes; nil where one is lost. Both the layouts that are asked for and those that are valid go by the result
// (gather_transposed; 12 of 12 fusions).
func followed(fusion, op *hlo.Instruction, dims []int) []int {
	if fusion == op {
		return dims
	}
	if !fusion.Shape.IsArray() {
		return nil
	}
	var path []*hlo.Instruction // from the root down to op
	for x := fusion.Called()[0].Root; x != op; x = x.Operands[0] {
		if x.Opcode != hlo.OpTranspose && x.Opcode != hlo.OpReshape || flat.CheckShapes(x, fmt.Errorf) != nil {
			return nil
		}
		path = append(path, x)
	}
	dims = slices.Clone(dims)
	for _, x := range slices.Backward(path) {
		permutation, from := x.Ints("dimensions"), x.Operands[0].Shape.Dims
		for i, d := range dims {
			if x.Opcode == hlo.OpTranspose {
				dims[i] = slices.Index(permutation, d)
			} else {
				dims[i] = ordering.AfterReshape(from, x.Shape.Dims, d)
			}
			if dims[i] < 0 {
				return nil
			}
		}
	}
	return dims
}

// led returns which dimensions of the parameter at the end of the chain of first operands become those of x, through
// transposes and reshapes; nil where one is lost.
func led(x *hlo.Instruction, dims []int) []int {
	dims = slices.Clone(dims)
	for ; (x.Opcode == hlo.OpTranspose || x.Opcode == hlo.OpReshape) &&
		flat.CheckShapes(x, fmt.Errorf) == nil; x = x.Operands[0] {
		permutation, to := x.Ints("dimensions"), x.Operands[0].Shape.Dims
		for i, d := range dims {
			if x.Opcode == hlo.OpTranspose {
				dims[i] = permutation[d]
			} else if dims[i] = ordering.AfterReshape(x.Shape.Dims, to, d); dims[i] < 0 {
				return nil
			}
		}
	}
	return dims
}
