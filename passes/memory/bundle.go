package memory

import (
	"math"
	"slices"

	"hlolayout/hlo"
)

// bundle is what an instruction takes of the units of a core, in cycles, as the cost model of v6e and v7x counts it in
// fusions with a product (the compiler's log of cost_model has these numbers, RV[...], for every fusion): weights and
// passes of the matrix unit, operations of the first, the second or either vector unit, loads and stores of registers,
// the unit of transcendental functions, and that which moves data across lanes.
type bundle struct{ weights, passes, first, second, either, loads, stores, special, turns float64 }

func (b *bundle) add(o bundle) {
	b.weights, b.passes, b.special = b.weights+o.weights, b.passes+o.passes, b.special+o.special
	b.first, b.second, b.either = b.first+o.first, b.second+o.second, b.either+o.either
	b.loads, b.stores, b.turns = b.loads+o.loads, b.stores+o.stores, b.turns+o.turns
}

func (b bundle) times(n float64) bundle {
	return bundle{b.weights * n, b.passes * n, b.first * n, b.second * n, b.either * n, b.loads * n, b.stores * n,
		b.special * n, b.turns * n}
}

// cycles is the time of the unit that takes longest: the others run at the same time. (With the numbers of its log that
// is the compiler's time of 778 of 780 fusions that do not wait for memory; of all 9 that wait for the moves, too.)
func (b bundle) cycles() float64 {
	return max(b.weights, b.passes, b.first, b.second, (b.first+b.second+b.either)/2, b.loads, b.stores, b.special,
		b.turns)
}

// perRegister is what a register of a result takes where it is not a vector operation of either unit.
var perRegister = map[hlo.Opcode]bundle{
	hlo.OpMultiply: {first: 1},
	hlo.OpAdd:      {second: 1},
	hlo.OpSubtract: {second: 1},
	hlo.OpDivide:   {first: 3, second: 2, either: 9, special: 1},
	hlo.OpErf:      {special: 1},
	hlo.OpIsFinite: {second: 1, either: 2},
	hlo.OpSelect:   {either: 2},
	hlo.OpConvert:  {},
}

// bundleOf returns what an instruction takes that computes each element for itself: integers are computed by either
// unit.
func bundleOf(in *hlo.Instruction) bundle {
	switch in.Opcode {
	case hlo.OpCopy:
		if o := in.Operands; len(o) == 1 && o[0].Opcode == hlo.OpParameter &&
			slices.Equal(majorFirst(o[0].Shape), majorFirst(in.Shape)) {
			return bundle{} // other tiles, as they are read
		}
		return bundle{either: 1}
	case hlo.OpSlice:
		if _, rows := minorDims(in.Shape); rows >= 0 {
			if first, ok := in.SliceStarts(); ok { // each row that they move in registers takes one more
				return bundle{either: 1 + float64(first[rows]%oneTile)}
			}
		}
		return bundle{either: 1}
	case hlo.OpPad, hlo.OpDynamicSlice, hlo.OpDynamicUpdateSlice, hlo.OpBitcastConvert:
		return bundle{either: 1}
	case hlo.OpConvert:
		if in.Shape.DType == hlo.Pred {
			return bundle{either: 2}
		}
	case hlo.OpAdd, hlo.OpSubtract:
		if in.Shape.DType.Class() != hlo.ClassFloat {
			return bundle{either: 1}
		}
	}
	if !in.Opcode.Elementwise() {
		return bundle{}
	}
	if b, ok := perRegister[in.Opcode]; ok {
		return b
	}
	return bundle{either: 1}
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

// reading returns what reading parameter k of a fusion takes, where no inner fusion reads it, too: loads, what unpacks
// them, and what makes numbers of 8 bits or less wider. Copies read it in their own order; single numbers, and what is
// padded or sliced at a place that is computed, are not loaded. (The loads of 1,128 of 1,156 first operands of
// products in one window are so in the log, 600 without broadcasts and copies.)
func (c *cost) reading(f *fusedCost, p *hlo.Instruction, k int) (b bundle) {
	if !c.dev.bundles || p == nil {
		return b
	}
	full, uses := c.v.g.info(p.Shape).total, f.uses.Of(p)
	if full == 0 || p.Shape.Rank() == 0 || f.readBy(p, hlo.OpFusion) {
		return b
	}
	for _, use := range uses {
		n, bits := c.registers(p.Shape)*float64(f.params[k])/float64(full), p.Shape.DType.Bits()
		u := use.User
		switch u.Opcode {
		case hlo.OpPad, hlo.OpDynamicSlice:
			continue
		case hlo.OpSlice:
			n = c.registers(p.Shape) * float64(c.takenBy(u, p)) / float64(full)
		case hlo.OpCopy:
			n, bits = c.registers(u.Shape), u.Shape.DType.Bits()
		case hlo.OpBroadcast:
			bits = u.Shape.DType.Bits()
			n *= c.spread(u)
		}
		b.loads = max(b.loads, n)
		if bits <= 8 && u.Opcode == hlo.OpBroadcast && !keepsRows(u) {
			continue
		}
		if bits < 32 {
			b.either = b.loads
		}
		if bits <= 8 {
			b.second = b.loads
		}
	}
	return b
}

// turnedRows are the registers that one becomes whose 128 lanes are turned into rows, eight in each.
const turnedRows = 16

// spread returns the registers that a register becomes of what a broadcast spreads: more than one where its lanes
// become rows, and where they become neither lanes nor rows, one of each element.
func (c *cost) spread(in *hlo.Instruction) float64 {
	o := in.Operands[0]
	switch place, ok := movesTo(in, 0); {
	case !ok || place == 0:
		return 1
	case place == 1:
		return turnedRows
	}
	return float64(c.v.g.info(o.Shape).elements()) / max(1, c.registers(o.Shape))
}

// spreading returns what a broadcast takes: one whose lanes become rows is turned; numbers of 16 bits are rounded where
// their rows are not those of the result. (The turns of 1,154 of 1,156 first operands of products are so in the log.)
func (c *cost) spreading(in *hlo.Instruction) (b bundle) {
	if len(in.Operands) == 0 || !in.Operands[0].Shape.IsArray() || len(in.Operands[0].Shape.Dims) == 0 {
		return b
	}
	o := in.Operands[0]
	n := c.registers(o.Shape)
	if place, ok := movesTo(in, 0); ok && place > 0 {
		n *= c.spread(in)
		b.turns = 2 * n
		if place == 1 {
			b.either = n
		}
	}
	half := in.Shape.DType.Class() == hlo.ClassFloat && in.Shape.DType.Bits() < 32
	if o.Opcode == hlo.OpParameter && half && !keepsRows(in) {
		b.either += 2 * n
		b.second = n
	}
	return b
}

// keepsRows reports whether the second-minor dimension of what a broadcast spreads is that of the result.
func keepsRows(in *hlo.Instruction) bool {
	rows, ok := movesTo(in, 1)
	return ok && rows == 1
}

// movesTo returns where the dimension is in the order of a broadcast's result that is at a place in its operand's.
func movesTo(in *hlo.Instruction, at int) (place int, ok bool) {
	from, to := in.Operands[0].Shape.Layout, in.Shape.Layout
	dims := in.Ints("dimensions")
	if from == nil || to == nil || at >= len(from.MinorToMajor) || int(from.MinorToMajor[at]) >= len(dims) {
		return 0, false
	}
	place = slices.Index(to.MinorToMajor, dims[from.MinorToMajor[at]])
	return place, place >= 0
}

// writing returns what writing the results of a fusion takes: stores, and what packs them. Sums are few. (Stores of all
// of 1,156 products in one window are so in the log.)
func (c *cost) writing(body *hlo.Computation) (b bundle) {
	for _, r := range resultsOf(body) {
		if r = stored(r); r == nil {
			continue
		}
		switch n, bits := c.registers(r.Shape), r.Shape.DType.Bits(); {
		case bits <= 8:
			b.add(bundle{stores: n, second: 2 * n, either: 4 * n})
		case bits < 32:
			b.add(bundle{stores: math.Floor(n * float64(bits) / 32), either: math.Floor(n / 2)})
		default:
			b.add(bundle{stores: n})
		}
	}
	return b
}

// stored returns what is stored of a result: the update of what is updated; nil for a sum, and for what has another
// number of dimensions than the product, which are written once, however many windows there are. (So the log has all
// 1,102 results whose windows do not divide them.)
func stored(r *hlo.Instruction) *hlo.Instruction {
	switch {
	case r.Opcode == hlo.OpDynamicUpdateSlice && len(r.Operands) > 1 && r.Operands[1].Shape.IsArray():
		return r.Operands[1]
	case r.Opcode == hlo.OpReduce || reshapes(r) || !r.Shape.IsArray():
		return nil
	}
	return r
}

// reshapes reports whether a bitcast changes the number of dimensions. Writing such a result counts nothing.
func reshapes(in *hlo.Instruction) bool {
	return in.Opcode == hlo.OpBitcast && len(in.Operands) == 1 && len(in.Operands[0].Shape.Dims) != len(in.Shape.Dims)
}

// sweeping returns what a reduce-window over whole dimensions takes, as softmax has them: it loads what it adds up or
// compares, and within a register it takes four steps for rows, or moves lanes twice. (So it is of all 25 in the log
// of 13 programs; that it is so of a third dimension is a guess.)
func (c *cost) sweeping(in *hlo.Instruction) (b bundle) {
	if len(in.Operands) == 0 || !in.Operands[0].Shape.IsArray() {
		return b
	}
	s := in.Operands[0].Shape
	n, steps := c.registers(s), 0.
	minor, second := minorDims(s)
	lanes, rows := tileSizes(s)
	b.loads = n
	for d, size := range in.Attr("window").WindowInts("size", len(s.Dims)) {
		sums := n
		switch {
		case size == 1:
			continue
		case d == minor:
			sums /= count(s.Dims[d], lanes)
			b.turns += 2 * sums
		case d == second:
			sums /= count(s.Dims[d], rows)
			b.either += sums
			steps += 4 * sums
		default:
			sums /= float64(s.Dims[d])
		}
		steps += n - sums
	}
	if f := in.CalledBy("to_apply"); f != nil && f.Root != nil && f.Root.Opcode == hlo.OpAdd {
		b.second += steps
	} else {
		b.either += steps
	}
	return b
}
