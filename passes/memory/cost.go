package memory

import (
	"slices"
	"strings"

	"hlolayout/hlo"
	"hlolayout/hlo/tiled"
)

// cost is what each instruction takes: the bytes it moves per operand leaf and result leaf, and its time. Numbers are
// float32 where the compiler's are, so that ties and near ties fall as its do.
type cost struct {
	v   *values
	dev *device
	// read and wrote are the bytes moved, by use and by leaf; total is their sum per node.
	read, wrote []float32
	total       []float32
	// compute and elapsed are seconds per node, each run once.
	compute, elapsed []float32
	fused            map[*hlo.Computation]*fusedCost
}

// trivial instructions only rename values. (The last three have no counterpart in the compiler, which drops them before
// it schedules.)
func trivial(op hlo.Opcode) bool {
	switch op {
	case hlo.OpGetTupleElement, hlo.OpTuple, hlo.OpBitcast, hlo.OpOptBarrier, hlo.OpAddDependency, hlo.OpDomain:
		return true
	}
	return false
}

// free instructions move nothing; their time is a cycle or nothing.
func free(op hlo.Opcode) bool {
	switch op {
	case hlo.OpParameter, hlo.OpConstant, hlo.OpAfterAll, hlo.OpWhile, hlo.OpConditional, hlo.OpCall:
		return true
	}
	s, d := asyncKind(op)
	return s || d || trivial(op)
}

func newCost(v *values, dev *device) *cost {
	g := v.g
	n := len(g.nodes)
	c := &cost{v: v, dev: dev, read: make([]float32, g.use0[n]), wrote: make([]float32, g.leaf0[n]),
		total:   make([]float32, n),
		compute: make([]float32, n), elapsed: make([]float32, n), fused: map[*hlo.Computation]*fusedCost{}}
	for t := range g.nodes {
		c.node(int32(t))
	}
	return c
}

func (c *cost) node(t int32) {
	g, in := c.v.g, c.v.g.nodes[t].in
	if free(in.Opcode) {
		switch in.Opcode {
		case hlo.OpTuple:
			// The table of pointers is written.
			c.total[t] = float32(c.dev.tupleTable(len(in.Shape.Elems)))
			fallthrough
		case hlo.OpGetTupleElement, hlo.OpConstant, hlo.OpBitcast:
			c.compute[t] = float32(1 / c.dev.clock)
			c.elapsed[t] = max(c.compute[t], c.total[t]/c.dev.bandwidth)
		}
		return
	}
	u := g.use0[t]
	var sum float32
	for k, o := range in.Operands {
		s := g.info(o.Shape)
		for j, full := range s.bytes {
			c.read[u] = float32(c.operandBytes(in, k, j, full))
			sum += c.read[u]
			u++
		}
	}
	s := g.info(in.Shape)
	for j := range s.leaves {
		l := g.leaf0[t] + int32(j)
		bytes := float32(c.resultBytes(in, j))
		sum += bytes
		// Of results in a tuple the model knows the bytes one by one for fusions only (the compiler logs 0 for those of a
		// sort).
		if in.Opcode == hlo.OpFusion || !in.Shape.IsTuple() {
			c.wrote[l] = bytes
		}
	}
	c.total[t] = sum
	c.compute[t] = float32(max(1/c.dev.clock, c.seconds(in)))
	c.elapsed[t] = c.compute[t]
	if !splits(in) {
		c.elapsed[t] = max(c.compute[t], sum/c.dev.bandwidth)
	}
}

// splits reports whether an instruction takes a complex or wide value apart. Its halves are taken where the value is,
// and no copy overlaps it (v5p.julia; 15 programs on each of four generations).
func splits(in *hlo.Instruction) bool {
	target := customTarget(in)
	return strings.HasPrefix(target, "X64Split") || strings.HasPrefix(target, "X128Split")
}

// saved is the time that node t takes less with a number of its bytes in the fast memory.
func (c *cost) saved(t int32, bytes float32) float32 {
	mem := (c.total[t]-bytes)/c.dev.bandwidth + bytes/c.dev.fast()
	return c.elapsed[t] - max(c.compute[t], mem)
}

// benefit says how much an operand or result of node t gains in the fast memory: where the node waits for memory, the
// time saved, weighted by the loops around it; where it does not, how far it is from waiting, a negative number.
func (c *cost) benefit(t int32, bytes float32) float32 {
	mem := c.total[t] / c.dev.bandwidth
	compute := c.compute[t]
	if s, d := asyncKind(c.v.g.nodes[t].in.Opcode); s || d {
		mem, compute = 0, 0
	}
	if mem > compute {
		fast := (c.total[t]-bytes)/c.dev.bandwidth + bytes/c.dev.fast()
		return (mem - fast) * power5(c.v.g.comps[c.v.g.nodes[t].comp].loops)
	}
	return mem - compute
}

// loopRuns is how often the compiler takes a loop to run.
const loopRuns = 5

func power5(n int32) float32 {
	x := float32(1)
	for range min(n, 40) {
		x *= loopRuns
	}
	return x
}

// operandBytes returns how many bytes of leaf j of operand k an instruction reads.
func (c *cost) operandBytes(in *hlo.Instruction, k, j int, full int64) int64 {
	switch in.Opcode {
	case hlo.OpGather:
		return c.gatherBytes(in, k, full)
	case hlo.OpScatter:
		return c.scatterBytes(in, k, full)
	case hlo.OpSlice:
		return c.v.g.info(in.Shape).total
	case hlo.OpDynamicSlice:
		switch k {
		case 0:
			return c.v.g.info(in.Shape).total
		case 1:
			return full
		}
		return 0 // of the start indices one is counted
	case hlo.OpDynamicUpdateSlice:
		if k == 1 || k == 2 {
			return full
		}
		return 0
	case hlo.OpFusion:
		if f := c.fusion(in); f != nil && k < len(f.params) && len(c.v.g.info(in.Operands[k].Shape).leaves) == 1 {
			return f.params[k]
		}
	}
	return full
}

// resultBytes returns how many bytes of leaf j of its result an instruction writes: an update in place writes the
// update.
func (c *cost) resultBytes(in *hlo.Instruction, j int) int64 {
	full := c.v.g.info(in.Shape).bytes[j]
	switch in.Opcode {
	case hlo.OpDynamicUpdateSlice:
		if len(in.Operands) > 1 {
			return c.v.g.info(in.Operands[1].Shape).total
		}
	case hlo.OpScatter:
		return c.scatterBytes(in, 0, full)
	case hlo.OpCustomCall:
		if customTarget(in) == "AllocateBuffer" {
			return 0
		}
	case hlo.OpFusion:
		if f := c.fusion(in); f != nil && j < len(f.results) && f.results[j] >= 0 {
			return f.results[j]
		}
	}
	return full
}

func customTarget(in *hlo.Instruction) string {
	if v := in.Attr("custom_call_target"); v != nil {
		return strings.Trim(v.Text, "\"")
	}
	return ""
}

// fusedCost is what is the same for every call of a fusion's body.
type fusedCost struct {
	params   []int64 // bytes read of each parameter
	results  []int64 // bytes written of each result leaf, -1 for all of them
	inPlace  []int   // parameter that each result leaf is written into, -1 for none
	work     work
	readers  map[*hlo.Instruction]int64 // memo of sliceBytes
	uses     hlo.Uses
	renames  bool // the body only copies or renames its parameter
	scatters bool // the body is a scatter
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
	f := &fusedCost{readers: map[*hlo.Instruction]int64{}, uses: body.Uses()}
	for _, p := range body.Parameters() {
		n := int64(0)
		if p != nil {
			n = c.sliceBytes(f, p, c.v.g.info(p.Shape).total)
		}
		f.params = append(f.params, n)
	}
	roots := []*hlo.Instruction{body.Root}
	if body.Root.Opcode == hlo.OpTuple {
		roots = body.Root.Operands
	}
	for _, r := range roots {
		p, bytes := -1, int64(-1)
		if u := through(r); u.Opcode == hlo.OpDynamicUpdateSlice || u.Opcode == hlo.OpScatter {
			if x := through(u.Operands[0]); x.Opcode == hlo.OpParameter {
				p = int(x.Parameter)
				if u.Opcode == hlo.OpScatter {
					bytes = c.scatterBytes(u, 0, c.v.g.info(r.Shape).total)
				} else if len(u.Operands) > 1 {
					bytes = c.v.g.info(u.Operands[1].Shape).total
				}
			}
		}
		for range c.v.g.info(r.Shape).leaves {
			f.inPlace, f.results = append(f.inPlace, p), append(f.results, bytes)
		}
	}
	f.renames = true
	f.scatters = through(body.Root).Opcode == hlo.OpScatter
	for _, i := range body.Instructions {
		f.work.add(c.work(i))
		f.renames = f.renames && (i.Opcode == hlo.OpParameter || i.Opcode == hlo.OpBitcast || i.Opcode == hlo.OpCopy)
	}
	c.fused[body] = f
	return f
}

// through returns what bitcasts rename.
func through(in *hlo.Instruction) *hlo.Instruction {
	for in.Opcode == hlo.OpBitcast && len(in.Operands) == 1 {
		in = in.Operands[0]
	}
	return in
}

// sliceBytes returns how many bytes of a value inside of a fusion its users read. Slices read what they take, each for
// itself; inner fusions, broadcasts and reshapes read for themselves; all others share one read of the whole (XLA's
// FusionParameterReadBytes).
func (c *cost) sliceBytes(f *fusedCost, p *hlo.Instruction, full int64) int64 {
	if n, ok := f.readers[p]; ok {
		return n
	}
	n, shared := int64(0), p.IsRoot()
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
			n += c.v.g.info(u.Shape).total
		case hlo.OpDynamicSlice:
			if k == 0 {
				n += c.v.g.info(u.Shape).total
			} else {
				shared = true
			}
		case hlo.OpDynamicUpdateSlice:
			shared = shared || k > 0
		case hlo.OpBitcast:
			n += c.sliceBytes(f, u, full)
		case hlo.OpFusion:
			more := full
			if inner := c.fusion(u); inner != nil && k < len(inner.params) {
				switch more = inner.params[k]; {
				case inner.renames:
					more = c.sliceBytes(f, u, full)
				case inner.scatters:
					more = 0 // measured: what an inner scatter takes counts nothing
				}
			}
			n += more
		case hlo.OpBroadcast, hlo.OpReshape:
			n += full
		default:
			shared = true
		}
	}
	if shared {
		n += full
	}
	f.readers[p] = n
	return n
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

// scatterBytes returns how many bytes of operand k a scatter reads (of operand 0, also writes): for every update that
// its padded array has, the window with the padding of its tile.
func (c *cost) scatterBytes(in *hlo.Instruction, k int, full int64) int64 {
	if len(in.Operands) != 3 || k > 0 {
		return full
	}
	windows := in.Ints("update_window_dims")
	updates, err := tiled.New(in.Operands[2].Shape)
	if err != nil {
		return full
	}
	padded, ok := updates.PaddedDims()
	if !ok {
		return full
	}
	count := float64(1)
	var window []int64
	for d, n := range padded {
		if slices.Contains(windows, d) {
			window = append(window, updates.Dims()[d])
		} else {
			count *= float64(n)
		}
	}
	// The window has the operand's rank again, with one row for what was inserted.
	shape := make([]int64, in.Operands[0].Shape.Rank())
	inserted := in.Ints("inserted_window_dims")
	for d := range shape {
		shape[d] = 1
		if !slices.Contains(inserted, d) && len(window) > 0 {
			shape[d], window = window[0], window[1:]
		}
	}
	a, err := tiled.New(hlo.NewArray(in.Operands[0].Shape.DType, shape, in.Operands[0].Shape.Layout))
	if err != nil {
		return full
	}
	return int64(min(count*float64(max(a.Bytes(), leastSlice(shape))), 1<<60))
}

// gatherBytes returns how many bytes of operand k a gather reads: of the table, for every index that the padded result
// has, a slice with the padding of its tile (at least leastSlice); of the indices all of them as the gather takes them.
// Measured: the compiler's log has exactly these numbers for 18 gathers of different shapes in fusions of kind kCustom.
func (c *cost) gatherBytes(in *hlo.Instruction, k int, full int64) int64 {
	sizes := in.Ints("slice_sizes")
	if len(in.Operands) < 2 || !in.Shape.IsArray() || len(sizes) != in.Operands[0].Shape.Rank() {
		return full
	}
	if k == 1 {
		return c.v.g.info(in.Operands[1].Shape).total
	}
	slice := make([]int64, len(sizes))
	for i, n := range sizes {
		slice[i] = int64(max(n, 1))
	}
	out, err := tiled.New(in.Shape)
	if err != nil {
		return full
	}
	padded, ok := out.PaddedDims()
	a, err := tiled.New(hlo.NewArray(in.Shape.DType, slice, in.Operands[0].Shape.Layout))
	if !ok || err != nil {
		return full
	}
	count := float64(1)
	offsets := in.Ints("offset_dims")
	for d, n := range padded {
		if !slices.Contains(offsets, d) {
			count *= float64(n)
		}
	}
	return int64(min(count*float64(max(a.Bytes(), leastSlice(slice))), 1<<60))
}

// leastSlice is the size of a full tile for a slice of one dimension.
func leastSlice(dims []int64) int64 {
	if len(dims) == 1 {
		return 4096
	}
	return 1
}

// inPlace returns the operand that leaf j of an instruction's result is written into, -1 where it is written anew.
func (c *cost) inPlace(in *hlo.Instruction, j int) int {
	switch in.Opcode {
	case hlo.OpDynamicUpdateSlice:
		return 0
	case hlo.OpScatter:
		if n := len(c.v.g.info(in.Shape).leaves); j < n && j < len(in.Operands) {
			return j
		}
	case hlo.OpFusion:
		if f := c.fusion(in); f != nil && j < len(f.inPlace) && f.inPlace[j] < len(in.Operands) {
			return f.inPlace[j]
		}
	}
	return -1
}
