package memory

import (
	"slices"

	"hlolayout/hlo"
)

// fusedCost is what is the same for every call of a fusion's body.
type fusedCost struct {
	parameters []*hlo.Instruction // of the body
	params     []int64            // bytes read of each parameter
	results    []int64            // bytes written of each result leaf, -1 for all of them
	once       []bool             // result leaves that windows do not write again
	inPlace    []int              // parameter that each result leaf is written into, -1 for none
	tables     int64              // bytes of constants of more than one element, which are read from memory
	work       work
	readers    map[*hlo.Instruction]reading // memo of reads
	uses       hlo.Uses
	spread     bool // the body has a sum or maximum of whole rows
	renames    bool // the body only copies or renames its parameter
	scatters   bool // the body is a scatter
	gathers    bool // the body has a gather
	product    *convolution
	feeds      []feed    // what the product and what follows it read
	scheduled  bool      // it is not an inner fusion
	own        bundle    // what reading its parameters takes, those of inner fusions left out
	inputs     [2]bundle // what inner fusions take that make the product's operands, and reading for them
	after      bundle    // what all else takes, but for the product itself
	lists      []bundle  // what reading and spreading each parameter takes that is only broadcast
	parts      []part    // those of the product's operands and of what follows it
	swept      bundle    // what inner fusions take that a reduce-window reads, but for one tile of the rows
}

// fusion returns the costs of a fusion's body, nil where it has none.
func (c *cost) fusion(in *hlo.Instruction) *fusedCost {
	body := in.CalledBy("calls")
	if body == nil || body.Root == nil {
		return nil
	}
	if f, ok := c.fused[body]; ok {
		return f
	}
	c.fused[body] = nil // a body that contains itself has no costs
	f := &fusedCost{parameters: body.Parameters(), readers: map[*hlo.Instruction]reading{}, uses: body.Uses()}
	_, f.scheduled = c.v.g.compOf[in.Computation]
	for _, p := range f.parameters {
		n := int64(0)
		if p != nil {
			n = c.sliceBytes(f, p, c.v.g.info(p.Shape).total)
		}
		f.params = append(f.params, n)
	}
	f.renames = true
	f.scatters = through(body.Root).Opcode == hlo.OpScatter
	for k, p := range f.parameters {
		b := c.reading(f, p, k)
		f.own.add(b)
		f.lists = append(f.lists, c.broadcasting(f, p, b))
	}
	f.after = f.own
	for _, i := range body.Instructions {
		c.takes(f, i)
		f.spread = f.spread || sweeps(i)
		f.gathers = f.gathers || i.Opcode == hlo.OpGather
		f.tables += c.tableBytes(i)
		f.renames = f.renames && (i.Opcode == hlo.OpParameter || i.Opcode == hlo.OpBitcast || i.Opcode == hlo.OpCopy)
	}
	c.addResults(f, body)
	if f.product != nil || f.spread {
		f.after.add(c.writing(body))
	}
	if f.product != nil {
		f.addParts(resultOf, f.parameters, f.lists)
		f.feeds = feedsOf(f.product)
		for k, p := range f.parameters {
			if p != nil {
				f.params[k] = c.turned(f, p, f.params[k])
			}
		}
	}
	c.fused[body] = f
	return f
}

// addResults sets what a fusion writes as each of its results. Several sums in one reduce are not in the place of what
// they add up.
func (c *cost) addResults(f *fusedCost, body *hlo.Computation) {
	sums := severalSums(body.Root)
	for _, r := range resultsOf(body) {
		for j := range c.v.g.info(r.Shape).Leaves {
			p, bytes := none, int64(none)
			switch {
			case !sums:
				p, bytes = c.writes(r, j)
			case f.product != nil:
				bytes = c.v.g.info(r.Shape).total
			}
			f.inPlace, f.results, f.once = append(f.inPlace, p), append(f.results, bytes), append(f.once, stored(r) == nil)
		}
	}
}

// sweeps reports whether an instruction is a reduce-window of a whole dimension for each of its positions. Those of a
// few, as pooling has them, have no cycles in the log: they wait for memory (12 of 12 on v7x).
func sweeps(in *hlo.Instruction) bool {
	if in.Opcode != hlo.OpReduceWindow || len(in.Operands) == 0 || !in.Operands[0].Shape.IsArray() {
		return false
	}
	dims := in.Operands[0].Shape.Dims
	for d, size := range in.Attr("window").WindowInts("size", len(dims)) {
		if size > dims[d] {
			return true
		}
	}
	return false
}

// severalSums reports whether a reduce has several arrays, as argmax has.
func severalSums(in *hlo.Instruction) bool { return in.Opcode == hlo.OpReduce && in.Shape.IsTuple() }

// resultsOf returns what a fusion's results are made of: of several sums in one reduce the arrays themselves. With a
// product all of these count as written (all 3 such products in the log of 135 programs).
func resultsOf(body *hlo.Computation) []*hlo.Instruction {
	switch r := body.Root; {
	case r.Opcode == hlo.OpTuple:
		return r.Operands
	case severalSums(r):
		return r.Operands[:len(r.Operands)/2]
	default:
		return []*hlo.Instruction{r}
	}
}

// writes returns what a fusion writes as leaf j of its result r: the parameter that it is written into, and the bytes,
// -1 where there is none, or all of them are written. What an inner fusion writes into its operand the outer one does,
// too (XLA: GetInPlaceInputOutputPairs). Into a new buffer, too, an update writes itself alone; a gather writes its own
// shape, with the padding of that. (The compiler's log of 56 programs, on v4 to v7x, has it so of all 7 updates and
// all 24 gathers for which that is another number.)
func (c *cost) writes(r *hlo.Instruction, j int) (p int, bytes int64) {
	p, bytes = none, none
	u := through(r)
	if u.Opcode == hlo.OpFusion && u.Shape.IsArray() {
		if k := c.inPlace(u, 0); k >= 0 {
			if x := through(u.Operands[k]); x.Opcode == hlo.OpParameter {
				p = int(x.Parameter)
			}
		}
		return p, bytes
	}
	if u.Opcode == hlo.OpDynamicUpdateSlice || u.Opcode == hlo.OpScatter {
		k := max(0, c.inPlace(u, j)) // of several tables each goes into its own result
		x := renamedInPlace(u.Operands[k])
		switch {
		case x.Opcode == hlo.OpParameter:
			p = int(x.Parameter)
		case u.Opcode == hlo.OpScatter || customTarget(x) != "AllocateBuffer":
			return p, bytes
		}
		if u.Opcode == hlo.OpScatter {
			bytes = c.scatterBytes(u, 0, c.v.g.info(r.Shape).total)
		} else if len(u.Operands) > 1 {
			bytes = c.v.g.info(u.Operands[1].Shape).total
		}
		return p, bytes
	}
	for len(u.Operands) == 1 && (u.Opcode == hlo.OpReshape || u.Opcode == hlo.OpTranspose || u.Opcode == hlo.OpBitcast) {
		u = u.Operands[0]
	}
	if u.Opcode == hlo.OpGather {
		bytes = c.v.g.info(u.Shape).total
	}
	return p, bytes
}

// tableBytes returns the bytes of a constant that is read from memory; 0 for other instructions.
func (c *cost) tableBytes(in *hlo.Instruction) int64 {
	if s := c.v.g.info(in.Shape); in.Opcode == hlo.OpConstant && s.elements() > 1 {
		return s.total
	}
	return 0
}

// takes adds what an instruction of a fusion computes.
func (c *cost) takes(f *fusedCost, in *hlo.Instruction) {
	w := c.work(in)
	if in.Opcode == hlo.OpBroadcast && len(in.Operands) > 0 && f.readBy(in.Operands[0], hlo.OpFusion) {
		w.bundle = bundle{} // as an inner fusion has it
	}
	inner := c.fusion(in)
	if inner != nil && in.Attr("output_to_operand_aliasing") == nil { // not what stays where it is
		w.bundle.add(inner.own)
		w.bundle.add(inner.swept.times(-1))
	}
	if in.Opcode == hlo.OpFusion && f.spreads(in) {
		f.swept.add(w.bundle.times(1 - 1/float64(tileRows(in.Shape))))
	}
	f.work.add(w)
	if !c.dev.bundles {
		return
	}
	switch in.Opcode {
	case hlo.OpConvolution:
		if v, ok := convolutionOf(in); ok {
			if f.product != nil {
				f.after.add(c.product(f.product, f.product))
			}
			f.product = &v
			return
		}
	case hlo.OpFusion:
		if f.feedsProduct(in) && f.uses.Of(in)[0].Operand < resultOf {
			array := int(f.uses.Of(in)[0].Operand)
			f.inputs[array].add(w.bundle)
			if inner != nil {
				f.addParts(array, in.Operands, inner.lists)
				c.addInnerParts(f, array, in, inner)
			}
			return
		}
		if !f.readBy(in, hlo.OpConvolution, hlo.OpReduceWindow) {
			return // the log has nothing of others
		}
	}
	f.after.add(w.bundle)
}

// part is what a parameter takes that is broadcast to an array of a product: windows have as many of its registers as
// it has tiles, however much of the array they have. (151 more products of 62 programs on v6e and v7x have the log's
// time by it, one less.) The second operand of an inner product is a part, too: all of it that a window needs is made
// and pushed for each window.
type part struct {
	array, parameter int
	made             *hlo.Shape // of the second operand of an inner product, nil for a parameter
	bundle
}

func (f *fusedCost) addParts(array int, from []*hlo.Instruction, lists []bundle) {
	for k, p := range from[:min(len(from), len(lists))] {
		if p != nil && p.Opcode == hlo.OpParameter && lists[k] != (bundle{}) {
			f.parts = append(f.parts, part{array: array, parameter: int(p.Parameter), bundle: lists[k]})
		}
	}
}

// addInnerParts adds the parts of an inner product that makes an array.
func (c *cost) addInnerParts(f *fusedCost, array int, in *hlo.Instruction, inner *fusedCost) {
	v := inner.product
	if v == nil {
		return
	}
	for _, p := range inner.parts {
		if p.made != nil || p.array == resultOf || p.parameter >= len(in.Operands) { // what follows it is among its lists
			continue
		}
		if x := in.Operands[p.parameter]; x.Opcode == hlo.OpParameter {
			f.parts = append(f.parts, part{array: array, parameter: int(x.Parameter), bundle: p.bundle})
		}
	}
	right := inner.inputs[rightOf]
	if matrixOf(v.y, v.out).minor != 'b' { // else it pushes the first operand
		right.weights += c.product(v, v).weights
	}
	f.parts = append(f.parts, part{array: array, parameter: none, made: v.k, bundle: right})
}

// broadcasting returns what reading a parameter, and spreading it, takes, if all its users are broadcasts.
func (c *cost) broadcasting(f *fusedCost, p *hlo.Instruction, b bundle) bundle {
	if p == nil || !c.dev.bundles || !f.onlyReadBy(p, hlo.OpBroadcast) {
		return bundle{}
	}
	for _, u := range f.uses.Of(p) {
		b.add(c.spreading(u.User))
	}
	return b
}

// through returns what bitcasts rename.
func through(in *hlo.Instruction) *hlo.Instruction {
	for in.Opcode == hlo.OpBitcast && len(in.Operands) == 1 {
		in = in.Operands[0]
	}
	return in
}

// renamedInPlace returns what is renamed by bitcasts, and by fusions that leave their operand where it is: in other
// tiles.
func renamedInPlace(in *hlo.Instruction) *hlo.Instruction {
	in = through(in)
	for in.Opcode == hlo.OpFusion && len(in.Operands) == 1 && in.Attr("output_to_operand_aliasing") != nil {
		in = through(in.Operands[0])
	}
	return in
}

// reading is what the users of a value read: so many bytes, each for itself, and the whole once if it is shared.
type reading struct {
	bytes  int64
	shared bool
}

// sliceBytes returns how many bytes of a value inside of a fusion its users read. Slices read what they take, each for
// itself; inner fusions, broadcasts and reshapes read for themselves; all others share one read of the whole (XLA's
// FusionParameterReadBytes), through bitcasts too.
func (c *cost) sliceBytes(f *fusedCost, p *hlo.Instruction, full int64) int64 {
	r := c.reads(f, p, full)
	if r.shared {
		r.bytes += full
	}
	return r.bytes
}

func (c *cost) reads(f *fusedCost, p *hlo.Instruction, full int64) reading {
	if r, ok := f.readers[p]; ok {
		return r
	}
	n, inner, shared := int64(0), innerReads{}, p.IsRoot()
	for _, use := range f.uses.Of(p) {
		u, k := use.User, int(use.Operand)
		if g, at := f.indexOf(u, k, 0); g != nil {
			n += c.indexBytes(g, at)
			continue
		}
		switch u.Opcode {
		case hlo.OpGather:
			n += c.gatherBytes(u, k, full)
		case hlo.OpScatter:
			n += c.scatterBytes(u, k, full)
		case hlo.OpSlice:
			if f.scheduled {
				n += c.v.g.info(u.Shape).total
			} else {
				n += c.takenBy(u, p)
			}
		case hlo.OpDynamicSlice:
			if k == 0 {
				n += c.v.g.info(u.Shape).total
			} else {
				shared = true
			}
		case hlo.OpDynamicUpdateSlice:
			shared = shared || k > 0
		case hlo.OpBitcast:
			r := c.reads(f, u, full)
			n, shared = n+r.bytes, shared || r.shared
		case hlo.OpFusion:
			// An inner gather reads nothing where it is the root, and shares a read otherwise (32 of 32 in scatters in the
			// log of 56 programs, on v5e and v6e).
			if g := c.fusion(u); g != nil && g.gathers {
				shared = shared || !u.IsRoot()
				continue
			}
			inner.add(c, f, u, k, full)
		case hlo.OpBroadcast, hlo.OpReshape:
			n += full
		default:
			shared = true
		}
	}
	if !shared {
		n = max(n, inner.rows, inner.operands)
	} else {
		n += max(0, inner.operands-full)
	}
	n += inner.apart
	f.readers[p] = reading{n, shared}
	return f.readers[p]
}

// innerReads is what inner fusions read of a value: for sweeps, for the operands of a product, and for others. With
// the first two the other users share a read. What is padded or sliced at a place that is computed is among the others,
// and so is that place. (67 more fusions of 48 programs take the log's seconds by that on v6e, 14 of 27 on v7x.)
type innerReads struct{ rows, operands, apart int64 }

func (r *innerReads) add(c *cost, f *fusedCost, in *hlo.Instruction, k int, full int64) {
	switch more := c.innerBytes(f, in, k, full); {
	case c.dev.bundles && f.spreads(in):
		r.rows += more
	case c.dev.bundles && f.feedsProduct(in) && !c.onlyReads(in, k, hlo.OpPad, hlo.OpDynamicSlice):
		r.operands += more
	default:
		r.apart += more
	}
}

// inside returns the costs of a fusion's body and the parameter that operand k is there, nil where there is none.
func (c *cost) inside(in *hlo.Instruction, k int) (*fusedCost, *hlo.Instruction) {
	inner := c.fusion(in)
	if inner == nil || k >= len(inner.parameters) {
		return nil, nil
	}
	return inner, inner.parameters[k]
}

// onlyReads reports whether a fusion, and those in it, read operand k for nothing else than operations of some kinds.
func (c *cost) onlyReads(in *hlo.Instruction, k int, ops ...hlo.Opcode) bool {
	inner, p := c.inside(in, k)
	return inner != nil && !slices.ContainsFunc(inner.uses.Of(p), func(u hlo.Use) bool {
		return !slices.Contains(ops, u.User.Opcode) &&
			(u.User.Opcode != hlo.OpFusion || !c.onlyReads(u.User, int(u.Operand), ops...))
	})
}

// takenBy returns the bytes that a slice in an inner fusion takes of a value. Where it makes narrower numbers, on v6e
// and v7x those of the value count (in the log of 75 programs more than 100 reads are so, and of 9 fusions that are no
// inner ones none is), but not on v5e (two programs come out by it).
func (c *cost) takenBy(slice, p *hlo.Instruction) int64 {
	if c.dev.bundles {
		return c.asNumbersOf(slice.Shape, p.Shape)
	}
	return c.v.g.info(slice.Shape).total
}

// asNumbersOf returns the bytes that an array would take if its numbers were as wide as those of another one.
func (c *cost) asNumbersOf(s, other *hlo.Shape) int64 {
	return c.v.g.info(s).total / int64(max(s.DType.Bits(), 8)) * int64(max(other.DType.Bits(), 8))
}

// innerBytes returns how many bytes of operand k an inner fusion reads.
func (c *cost) innerBytes(f *fusedCost, in *hlo.Instruction, k int, full int64) int64 {
	inner, _ := c.inside(in, k)
	switch {
	case inner == nil:
		return full
	case inner.scatters:
		return 0 // measured: what an inner scatter takes counts nothing
	case inner.renames:
		return c.sliceBytes(f, in, full)
	}
	return inner.params[k]
}

// spreads reports whether a reduce-window reads what an inner fusion makes: a sum or maximum of whole rows, as softmax
// has it. Where others read the whole, too, or spread it, they share one read with it on v6e and v7x (11 of 14 in the
// compiler's log of 38 programs; of 48 others, on v6e, 10 more, and 2 less of which there are several windows), but
// not on v4, v5e and v5p (28 of 28).
func (f *fusedCost) spreads(in *hlo.Instruction) bool { return f.readBy(in, hlo.OpReduceWindow) }

// readBy reports whether an operation of one of some kinds reads a value, onlyReadBy whether no other does.
func (f *fusedCost) readBy(in *hlo.Instruction, ops ...hlo.Opcode) bool {
	return slices.ContainsFunc(f.uses.Of(in), func(u hlo.Use) bool { return slices.Contains(ops, u.User.Opcode) })
}

func (f *fusedCost) onlyReadBy(in *hlo.Instruction, ops ...hlo.Opcode) bool {
	return !slices.ContainsFunc(f.uses.Of(in), func(u hlo.Use) bool { return !slices.Contains(ops, u.User.Opcode) })
}

// indexOf returns the gather or scatter that takes a value, as operand k of in or passed on by operations that keep its
// elements, for its indices or updates, and the operand that it becomes; nil where there is none.
func (f *fusedCost) indexOf(in *hlo.Instruction, k, depth int) (*hlo.Instruction, int) {
	switch in.Opcode {
	case hlo.OpGather, hlo.OpScatter:
		if k >= 1 && k < 3 {
			return in, k
		}
		return nil, 0
	case hlo.OpReshape, hlo.OpTranspose, hlo.OpBitcast, hlo.OpConcatenate, hlo.OpSlice:
	case hlo.OpCustomCall:
		if len(in.Operands) != 1 {
			return nil, 0
		}
	default:
		if !in.Opcode.Elementwise() {
			return nil, 0
		}
	}
	for _, use := range f.uses.Of(in) {
		if depth < 24 {
			if g, at := f.indexOf(use.User, int(use.Operand), depth+1); g != nil {
				return g, at
			}
		}
	}
	return nil, 0
}

// indexBytes returns what a gather or scatter reads of its indices or updates: all of them, with the padding that they
// have in front of it. A scatter into a fresh array counts none of them.
func (c *cost) indexBytes(in *hlo.Instruction, k int) int64 {
	if in.Opcode == hlo.OpScatter && through(in.Operands[0]).Opcode != hlo.OpParameter {
		return 0
	}
	if k >= len(in.Operands) {
		return 0
	}
	return c.v.g.info(in.Operands[k].Shape).total
}
