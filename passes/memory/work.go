package memory

import (
	"strings"

	"hlolayout/hlo"
)

// work is what an instruction computes: operations of the matrix unit and of the vector unit, and the cycles of the
// vector unit as the model of v6e and v7x counts them in fusions with a product, where they add to the product's.
type work struct{ matrix, vector, cycles float64 }

func (w *work) add(o work) {
	w.matrix, w.vector, w.cycles = w.matrix+o.matrix, w.vector+o.vector, w.cycles+o.cycles
}

// seconds returns the time that an instruction computes when nothing waits for memory.
func (c *cost) seconds(in *hlo.Instruction) float64 {
	w := c.work(in)
	if c.dev.bundles && w.matrix > 0 {
		return w.matrix/c.dev.flops + w.cycles/c.dev.clock
	}
	return w.matrix/c.dev.flops + w.vector/c.dev.vector
}

func (c *cost) work(in *hlo.Instruction) work {
	switch in.Opcode {
	case hlo.OpParameter, hlo.OpConstant, hlo.OpBitcast, hlo.OpTuple, hlo.OpGetTupleElement, hlo.OpBroadcast, hlo.OpIota:
		return work{}
	case hlo.OpFusion:
		if f := c.fusion(in); f != nil {
			return f.work
		}
		return work{}
	case hlo.OpConvolution:
		if c.dev.bundles {
			// The last pass over the inputs takes a cycle a register of the result less: the vector unit's work hides it.
			popped := float64(c.v.g.info(in.Shape).total) / register * c.dev.flops / c.dev.clock
			return work{matrix: max(1, convolutionFlops(in)*unfilled(in)-popped)}
		}
		return work{matrix: convolutionFlops(in)}
	case hlo.OpDot:
		return work{matrix: dotFlops(in)}
	}
	s := c.v.g.info(in.Shape)
	if len(s.elems) == 0 { // an empty tuple
		return work{}
	}
	n := s.elems[len(s.elems)-1]
	if in.Opcode == hlo.OpReduce && len(in.Operands) > 0 {
		o := c.v.g.info(in.Operands[0].Shape)
		n = o.elems[0]
		return work{vector: float64(n), cycles: float64(o.bytes[0]) / register / 2}
	}
	w := work{vector: float64(n)}
	if in.Opcode.Elementwise() {
		w.cycles = float64(s.total) / register * cyclesOf(in)
	}
	return w
}

// unfilled says by how much the sizes that the matrix unit is filled with, 256 inputs and 128 outputs, are larger than
// those of a product. (Measured on products of matrices on v6e: they take 131072 multiplications a cycle with these
// paddings, within a third.)
func unfilled(in *hlo.Instruction) float64 {
	labels := in.Attr("dim_labels")
	if labels == nil || len(in.Operands) < 2 {
		return 1
	}
	_, rest, _ := strings.Cut(labels.Text, "_")
	rhs, _, _ := strings.Cut(rest, "->")
	k := in.Operands[1].Shape
	if len(rhs) != len(k.Dims) {
		return 1
	}
	inputs, outputs := int64(1), int64(1)
	for i, l := range rhs {
		switch l {
		case 'o':
			outputs = max(1, k.Dims[i])
		default:
			inputs *= min(max(1, k.Dims[i]), 256)
		}
	}
	if in.Attr("window").Get("lhs_dilate") != nil {
		return 1
	}
	up := func(n, to int64) float64 { return float64((n+to-1)/to*to) / float64(n) }
	return up(min(inputs, 256), 256) * up(outputs, 128)
}

// register is the size in bytes of a vector register.
const register = 4096

// cyclesOf returns the cycles that an elementwise operation takes per register in a fusion with a product: a division
// 7, all others half of one, transcendental ones too. (The compiler's log of 26 operations after a product on v6e; of
// Adam's update in one with a gradient on v7x, 22.5 a register and half a cycle more.)
func cyclesOf(in *hlo.Instruction) float64 {
	if in.Opcode == hlo.OpDivide {
		return 7
	}
	return 0.5
}

func dotFlops(in *hlo.Instruction) float64 {
	if len(in.Operands) < 2 || !in.Shape.IsArray() || !in.Operands[0].Shape.IsArray() {
		return 0
	}
	n, _ := in.Shape.Elements()
	f := 2 * float64(n)
	for _, d := range in.Ints("lhs_contracting_dims") {
		if dims := in.Operands[0].Shape.Dims; d >= 0 && d < len(dims) {
			f *= float64(dims[d])
		}
	}
	return f
}
