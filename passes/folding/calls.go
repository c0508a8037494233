package folding

import (
	"hlolayout/hlo"
	"hlolayout/tpu"
)

// The compiler replaces calls by what they call in two steps (dumps of its passes for 48 programs). What one place
// calls, or what is small, is there from the start; larger computations that several places call are simplified by
// themselves, and come to their callers before images are divided: what their calls make as tuples is apart until
// after that; on some targets they come last of all, see keepsCalls. The copy has all from the start, and gates that no
// rule looks through where those calls begin and end.

// leastLate is how many instructions a computation has that is replaced late: none of 454 with fewer that several
// places call is, and all of 66 with as many.
const leastLate = 20

// isExpanded reports whether an operation is expanded to many before calls are replaced.
func isExpanded(in *hlo.Instruction) bool {
	switch in.Opcode {
	case hlo.OpFft, hlo.OpCholesky, hlo.OpTriangularSolve:
		return true
	}
	return decompositionOf(in) != nil
}

// sizeOf returns how many instructions a computation has with what its calls are replaced by early.
func (c *copier) sizeOf(k *hlo.Computation) int {
	if n, ok := c.sizes[k]; ok {
		return n
	}
	size := 0
	for _, in := range k.Instructions {
		size++
		switch {
		case isExpanded(in):
			size += leastLate
		case in.Opcode == hlo.OpCall && len(in.Called()) == 1 && !c.isLate(in.Called()[0]):
			size += c.sizeOf(in.Called()[0]) - len(in.Operands) - 1
		}
	}
	c.sizes[k] = size
	return size
}

// isLate reports whether the calls of a computation are replaced late.
func (c *copier) isLate(k *hlo.Computation) bool {
	return c.gated && len(k.Callers()) > 1 && c.sizeOf(k) >= leastLate
}

// gate is where a call begins or ends that is replaced late; noGate is any other instruction.
type gate uint8

const (
	noGate  gate = iota
	gateIn       // an operand of the call
	gateOut      // its result
)

// gate adds a gate to a value.
func (c *copier) gate(to *hlo.Computation, x *hlo.Instruction, kind gate) *hlo.Instruction {
	n := c.out.number(&hlo.Instruction{Opcode: hlo.OpOptBarrier, Name: x.Name, Shape: x.Shape, Pos: x.Pos,
		Computation: to, Operands: []*hlo.Instruction{x}})
	c.out.note(n).gate = kind
	to.Instructions = append(to.Instructions, n)
	return n
}

// calledConstant has what a call is given as a constant be one in what it calls (dumps of 4 programs on v5e and v7x: of
// numbers that all calls give, that only one does, and that are computed).
func calledConstant(w *simplifier, in *hlo.Instruction) *hlo.Instruction {
	if w.note(in).gate != gateIn || in.Operands[0].Opcode != hlo.OpConstant {
		return nil
	}
	return in.Operands[0]
}

// keepsCalls reports whether a target's late calls are replaced after all simplifications, as on v7x: the pass is its
// call-inliner before layout assignment (dumps of one program on all generations).
func keepsCalls(t *tpu.Target) bool { return t.Name == "v7x" }

// openAll removes all gates, and takes the elements of the tuples that they led to.
func (w *simplifier) openAll() {
	w.open(false)
	if !w.open(true) {
		return
	}
	for _, c := range w.Module.InMemory() {
		w.rewrite(c, func(in *hlo.Instruction) *hlo.Instruction {
			if in.Opcode == hlo.OpGetTupleElement {
				return element(w, in)
			}
			return nil
		})
		w.settle(c)
	}
}

// open removes the gates of arrays or those of tuples, and reports whether there were any. All rules may fit again
// where they were.
func (w *simplifier) open(tuples bool) (some bool) {
	w.opened = true
	for _, c := range w.Module.InMemory() {
		opened := func(in *hlo.Instruction) *hlo.Instruction {
			if w.note(in).gate != noGate && in.Shape.IsTuple() == tuples {
				return in.Operands[0]
			}
			return nil
		}
		if w.rewrite(c, opened) > 0 {
			some = true
			for _, in := range c.Instructions {
				w.retry(in)
			}
		}
	}
	return some
}
