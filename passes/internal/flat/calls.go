package flat

import (
	"fmt"
	"slices"

	"hlolayout/hlo"
)

// checkCalls refuses calls whose computations do not take the operands or do not give the result.
func (g *Graph) checkCalls() error {
	for _, n := range g.Calling {
		in := g.Nodes[n].In
		why := wrongCall(in)
		for _, b := range in.Called() {
			if b.IsFused() && in.Opcode != hlo.OpFusion && why == "" {
				why = "computation %" + b.Name + " is also the body of a fusion"
			}
		}
		if why != "" {
			return fmt.Errorf("computation %%%s, instruction %%%s: %s", in.Computation.Name, in.Name, why)
		}
	}
	return nil
}

// mustCall is a set of operations that call a computation in every valid module.
var mustCall = [256]bool{hlo.OpWhile: true, hlo.OpConditional: true, hlo.OpCall: true, hlo.OpFusion: true}

// wrongCall says what is wrong with the computations that an instruction calls, "" where nothing is.
func wrongCall(in *hlo.Instruction) string {
	switch in.Opcode {
	case hlo.OpWhile:
		return wrongLoop(in)
	case hlo.OpConditional:
		bs := in.Branches()
		if len(bs) != len(in.Operands)-1 {
			return fmt.Sprintf("%d branches, %d operands for them", len(bs), len(in.Operands)-1)
		}
		for i, b := range bs {
			if !takes(b, in.Operands[i+1:i+2]) || !b.Root.Shape.Compatible(in.Shape) {
				return "branch %" + b.Name + " does not take the operand or give the result"
			}
		}
	case hlo.OpCall, hlo.OpFusion:
		if n := len(in.Called()); n != 1 {
			return fmt.Sprintf("it calls %d computations, not one", n)
		}
		if b := in.Called()[0]; !takes(b, in.Operands) || !b.Root.Shape.Compatible(in.Shape) {
			return "computation %" + b.Name + " does not take the operands or give the result"
		}
	case hlo.OpAsyncStart:
		if b := in.CalledBy("calls"); b != nil && !takesFirst(b, in.Operands) {
			return "computation %" + b.Name + " does not take the operands"
		}
	}
	return ""
}

func wrongLoop(in *hlo.Instruction) string {
	cond, body := in.CalledBy("condition"), in.CalledBy("body")
	switch {
	case cond == nil || body == nil:
		return "while without condition or body"
	case len(in.Called()) > 2:
		return "it calls more than its condition and body"
	case !takes(cond, in.Operands) || !takes(body, in.Operands) || !body.Root.Shape.Compatible(in.Shape) ||
		!in.Operands[0].Shape.Compatible(in.Shape):
		return "the shapes of init, condition, body and result differ"
	}
	return ""
}

func takes(c *hlo.Computation, operands []*hlo.Instruction) bool {
	return len(c.Parameters()) == len(operands) && takesFirst(c, operands)
}

// takesFirst reports whether the first parameters of c take the operands. An async-start may bind no more: its updates
// bind the others, as in modules whose scatters run on a SparseCore.
func takesFirst(c *hlo.Computation, operands []*hlo.Instruction) bool {
	ps := c.Parameters()
	if len(ps) < len(operands) {
		return false
	}
	for i, o := range operands {
		if ps[i] == nil || !ps[i].Shape.Compatible(o.Shape) {
			return false
		}
	}
	return !slices.Contains(ps, nil)
}
