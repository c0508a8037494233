package memory

import "hlolayout/hlo"

// work is what an instruction computes: operations of the matrix unit and of the vector unit, and what it takes of each
// unit as the model of v6e and v7x counts it where there is a product.
type work struct {
	matrix, vector float64
	bundle         bundle
}

func (w *work) add(o work) {
	w.matrix, w.vector = w.matrix+o.matrix, w.vector+o.vector
	if o.bundle != (bundle{}) {
		w.bundle.add(o.bundle)
	}
}

// seconds returns the time that an instruction computes when nothing waits for memory.
func (c *cost) seconds(in *hlo.Instruction) float64 {
	w := c.work(in)
	f := c.fusion(in)
	switch {
	case !c.dev.bundles:
	case f != nil && f.spread && in.Opcode == hlo.OpFusion && fusionKind(in) == "kOutput":
		return f.after.cycles() / c.dev.clock
	case w.matrix > 0:
		return w.bundle.cycles() / c.dev.clock
	}
	return (w.matrix + w.vector) / c.dev.flops
}

func (c *cost) work(in *hlo.Instruction) work {
	switch in.Opcode {
	case hlo.OpParameter, hlo.OpConstant, hlo.OpBitcast, hlo.OpTuple, hlo.OpGetTupleElement, hlo.OpIota:
		return work{}
	case hlo.OpBroadcast:
		if c.dev.bundles {
			return work{bundle: c.spreading(in)}
		}
		return work{}
	case hlo.OpFusion:
		if f := c.fusion(in); f != nil {
			return f.work
		}
		return work{}
	case hlo.OpConvolution:
		v, ok := convolutionOf(in)
		if !ok {
			return work{}
		}
		w := work{matrix: v.flops()}
		if c.dev.bundles {
			w.bundle = c.product(&v, &v)
		}
		return w
	case hlo.OpDot:
		f := dotFlops(in) // its passes take about half the rate of vector operations, where they count (see devices)
		return work{matrix: f, bundle: bundle{passes: 2 * f / c.dev.flops * c.dev.clock}}
	}
	of, sums := in.Shape, in.Opcode == hlo.OpReduce && len(in.Operands) > 0
	switch {
	case sums:
		of = in.Operands[0].Shape
	case in.Opcode == hlo.OpDynamicUpdateSlice && len(in.Operands) > 1:
		of = in.Operands[1].Shape
	}
	w := work{vector: c.operations(in)}
	switch {
	case !c.dev.bundles:
	case in.Opcode == hlo.OpReduceWindow:
		w.bundle = c.sweeping(in)
	case sums:
		w.bundle.either = c.registers(of)
	default:
		w.bundle = bundleOf(in).times(c.registers(of))
	}
	return w
}

// operations returns the operations of the vector unit, as XLA's HloCostAnalysis counts its flops: one for each element
// of what is elementwise, for a reduce those of its computation for all elements but one of each sum; functions of the
// unit of transcendentals are none, and what moves data is none. (With these, and one rate for all operations, the
// seconds of all 130 fusions with a product that wait for it are the compiler's log's, on v4, v5e and v5p.)
func (c *cost) operations(in *hlo.Instruction) float64 {
	s := c.v.g.info(in.Shape)
	switch {
	case len(s.elems) == 0: // an empty tuple
		return 0
	case in.Opcode == hlo.OpReduce && len(in.Operands) > 0:
		each := 0.0
		if sum := in.CalledBy("to_apply"); sum != nil {
			for _, i := range sum.Instructions {
				if i.Opcode != hlo.OpReduce {
					each += c.operations(i)
				}
			}
		}
		return each * float64(max(0, c.v.g.info(in.Operands[0].Shape).elements()-s.elems[0]))
	case in.Opcode.Elementwise() && !transcendental[in.Opcode]:
		return float64(s.elems[0])
	}
	return 0
}

// transcendental holds the elementwise operations that HloCostAnalysis does not count as flops.
var transcendental = map[hlo.Opcode]bool{
	hlo.OpAtan2: true, hlo.OpCbrt: true, hlo.OpCosine: true, hlo.OpErf: true, hlo.OpExponential: true,
	hlo.OpExponentialMinusOne: true, hlo.OpLog: true, hlo.OpLogPlusOne: true, hlo.OpLogistic: true, hlo.OpPower: true,
	hlo.OpRsqrt: true, hlo.OpSine: true, hlo.OpSqrt: true, hlo.OpTan: true, hlo.OpTanh: true,
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
