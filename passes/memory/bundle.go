package memory

import "hlolayout/hlo"

// bundle is what an instruction takes of the units of a core, in cycles, as the cost model of v6e and v7x counts it in
// fusions with a product (the compiler's log of cost_model has these numbers, RV[...], for every fusion): weights and
// passes of the matrix unit, operations of the first, the second or either vector unit, loads and stores of registers,
// and the unit of transcendental functions.
type bundle struct{ weights, passes, first, second, either, loads, stores, special float64 }

func (b *bundle) add(o bundle) {
	b.weights, b.passes, b.special = b.weights+o.weights, b.passes+o.passes, b.special+o.special
	b.first, b.second, b.either = b.first+o.first, b.second+o.second, b.either+o.either
	b.loads, b.stores = b.loads+o.loads, b.stores+o.stores
}

func (b bundle) times(n float64) bundle {
	return bundle{b.weights * n, b.passes * n, b.first * n, b.second * n, b.either * n, b.loads * n, b.stores * n,
		b.special * n}
}

// cycles is the time of the unit that takes longest: the others run at the same time. (With the numbers of its log that
// is the compiler's time of 778 of 780 fusions that do not wait for memory.)
func (b bundle) cycles() float64 {
	return max(b.weights, b.passes, b.first, b.second, (b.first+b.second+b.either)/2, b.loads, b.stores, b.special)
}

// perRegister is what a register of a result takes where it is not a vector operation of either unit.
var perRegister = map[hlo.Opcode]bundle{
	hlo.OpMultiply: {first: 1},
	hlo.OpAdd:      {second: 1},
	hlo.OpSubtract: {second: 1},
	hlo.OpDivide:   {first: 3, second: 2, either: 9, special: 1},
	hlo.OpErf:      {special: 1},
	hlo.OpSelect:   {either: 2},
	hlo.OpConvert:  {},
}

// bundleOf returns what an instruction takes that computes each element for itself: integers are computed by either
// unit.
func bundleOf(in *hlo.Instruction) bundle {
	switch in.Opcode {
	case hlo.OpCopy, hlo.OpPad, hlo.OpSlice, hlo.OpDynamicSlice:
		return bundle{either: 1}
	}
	if !in.Opcode.Elementwise() {
		return bundle{}
	}
	b, ok := perRegister[in.Opcode]
	if !ok || b.first+b.second > 0 && in.Shape.DType.Class() != hlo.ClassFloat {
		return bundle{either: 1}
	}
	return b
}

// registers returns the vector registers that an array takes: elements of fewer than 32 bits are unpacked.
func (c *cost) registers(s *hlo.Shape) float64 {
	if !s.IsArray() || s.Layout == nil {
		return 0
	}
	const most = 1024
	tile := int64(most)
	if len(s.Layout.Tiles) > 0 {
		tile = 1
		for _, d := range s.Layout.Tiles[0] {
			tile = min(tile*d, most)
		}
	}
	return float64(c.v.g.info(s).total) * 8 / float64(int64(max(s.DType.Bits(), 8))*max(tile, 1))
}

// reading returns what reading parameter k of a fusion takes, where not only inner fusions read it: loads, and what
// unpacks them.
func (c *cost) reading(f *fusedCost, p *hlo.Instruction, k int) (b bundle) {
	if !c.dev.bundles || p == nil {
		return b
	}
	full := c.v.g.info(p.Shape).total
	if full == 0 || p.Shape.DType == hlo.Pred {
		return b
	}
	for _, use := range f.uses.Of(p) {
		if use.User.Opcode != hlo.OpFusion {
			b.loads = c.registers(p.Shape) * float64(f.params[k]) / float64(full)
		}
	}
	if p.Shape.DType.Bits() < 32 {
		b.either = b.loads
	}
	return b
}

// writing returns what writing the results of a fusion takes: stores, and what packs them. Sums are few.
func (c *cost) writing(body *hlo.Computation) (b bundle) {
	roots := []*hlo.Instruction{body.Root}
	if body.Root.Opcode == hlo.OpTuple {
		roots = body.Root.Operands
	}
	for _, r := range roots {
		if r.Opcode != hlo.OpReduce && r.Shape.IsArray() {
			n, bits := c.registers(r.Shape), min(r.Shape.DType.Bits(), 32)
			b.stores += n * float64(bits) / 32
			if bits < 32 {
				b.either += n / 2
			}
		}
	}
	return b
}
