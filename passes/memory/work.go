package memory

import "hlolayout/hlo"

// work is what an instruction computes: operations of the matrix unit and of the vector unit.
type work struct{ matrix, vector float64 }

func (w *work) add(o work) { w.matrix, w.vector = w.matrix+o.matrix, w.vector+o.vector }

// seconds returns the time that an instruction computes when nothing waits for memory.
func (c *cost) seconds(in *hlo.Instruction) float64 {
	w := c.work(in)
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
		return work{matrix: convolutionFlops(in)}
	case hlo.OpDot:
		return work{matrix: dotFlops(in)}
	}
	s := c.v.g.info(in.Shape)
	n := s.elems[len(s.elems)-1]
	if in.Opcode == hlo.OpReduce && len(in.Operands) > 0 {
		o := c.v.g.info(in.Operands[0].Shape)
		n = o.elems[0]
	}
	return work{vector: float64(n)}
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
