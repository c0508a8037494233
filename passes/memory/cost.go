package memory

import (
	"strings"

	"hlolayout/hlo"
)

// cost is what each instruction takes: the bytes it moves per operand leaf and result leaf, and its time. Numbers are float32 where the
// compiler's are, so that ties and near ties fall as its do.
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

// trivial instructions only rename values.
func trivial(op hlo.Opcode) bool {
	return op == hlo.OpGetTupleElement || op == hlo.OpTuple || op == hlo.OpBitcast
}

// free instructions move nothing; their time is a cycle or nothing.
func free(op hlo.Opcode) bool {
	switch op {
	case hlo.OpGetTupleElement, hlo.OpTuple, hlo.OpBitcast, hlo.OpParameter, hlo.OpConstant, hlo.OpOptBarrier, hlo.OpAddDependency, hlo.OpDomain,
		hlo.OpAfterAll, hlo.OpWhile, hlo.OpConditional, hlo.OpCall:
		return true
	}
	s, d := asyncKind(op)
	return s || d
}

func newCost(v *values, dev *device) *cost {
	g := v.g
	n := len(g.nodes)
	c := &cost{v: v, dev: dev, read: make([]float32, g.use0[n]), wrote: make([]float32, g.leaf0[n]), total: make([]float32, n),
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
		case hlo.OpGetTupleElement, hlo.OpConstant, hlo.OpTuple, hlo.OpBitcast:
			c.compute[t] = float32(1 / c.dev.clock)
			c.elapsed[t] = c.compute[t]
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
		c.wrote[l] = float32(c.resultBytes(in, j))
		sum += c.wrote[l]
	}
	c.total[t] = sum
	c.compute[t] = float32(max(1/c.dev.clock, c.seconds(in)))
	c.elapsed[t] = max(c.compute[t], sum/c.dev.bandwidth)
}

// saved is the time that node t takes less with a number of its bytes in the fast memory.
func (c *cost) saved(t int32, bytes float32, write bool) float32 {
	mem := (c.total[t]-bytes)/c.dev.bandwidth + bytes/c.dev.fast(write)
	return c.elapsed[t] - max(c.compute[t], mem)
}

// benefit says how much an operand or result of node t gains in the fast memory: where the node waits for memory, the time saved, weighted
// by the loops around it; where it does not, how far it is from waiting, a negative number (memory-spaces.md 2.3).
func (c *cost) benefit(t int32, bytes float32, write bool) float32 {
	mem := c.total[t] / c.dev.bandwidth
	compute := c.compute[t]
	if s, d := asyncKind(c.v.g.nodes[t].in.Opcode); s || d {
		mem, compute = 0, 0
	}
	if mem > compute {
		fast := (c.total[t]-bytes)/c.dev.bandwidth + bytes/c.dev.fast(write)
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
	case hlo.OpDynamicSlice, hlo.OpGather, hlo.OpSlice:
		if k == 0 {
			return min(full, c.v.g.info(in.Shape).total)
		}
	case hlo.OpDynamicUpdateSlice:
		if k == 0 {
			return 0
		}
	case hlo.OpFusion:
		if f := c.fusion(in); f != nil && k < len(f.params) && len(c.v.g.info(in.Operands[k].Shape).leaves) == 1 {
			return min(full, f.params[k])
		}
	}
	return full
}

// resultBytes returns how many bytes of leaf j of its result an instruction writes: an update in place writes the update.
func (c *cost) resultBytes(in *hlo.Instruction, j int) int64 {
	full := c.v.g.info(in.Shape).bytes[j]
	switch in.Opcode {
	case hlo.OpDynamicUpdateSlice:
		if len(in.Operands) > 1 {
			return c.v.g.info(in.Operands[1].Shape).total
		}
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
	params  []int64 // bytes read of each parameter
	results []int64 // bytes written of each result leaf, -1 for all of them
	inPlace []int   // parameter that each result leaf is written into, -1 for none
	work    work
	readers map[*hlo.Instruction]int64 // memo of sliceBytes
	uses    hlo.Uses
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
				if u.Opcode == hlo.OpDynamicUpdateSlice && len(u.Operands) > 1 {
					bytes = c.v.g.info(u.Operands[1].Shape).total
				}
			}
		}
		for range c.v.g.info(r.Shape).leaves {
			f.inPlace, f.results = append(f.inPlace, p), append(f.results, bytes)
		}
	}
	for _, i := range body.Instructions {
		f.work.add(c.work(i))
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

// sliceBytes returns how many bytes of a value inside of a fusion its users read: what slices take of it, otherwise all.
func (c *cost) sliceBytes(f *fusedCost, p *hlo.Instruction, full int64) int64 {
	if n, ok := f.readers[p]; ok {
		return n
	}
	n := int64(0)
	for _, use := range f.uses.Of(p) {
		more := full
		switch u := use.User; u.Opcode {
		case hlo.OpDynamicSlice, hlo.OpSlice, hlo.OpGather:
			if use.Operand == 0 {
				more = c.v.g.info(u.Shape).total
			}
		case hlo.OpDynamicUpdateSlice:
			if use.Operand == 0 {
				more = 0
			}
		case hlo.OpBitcast:
			more = c.sliceBytes(f, u, full)
		case hlo.OpFusion:
			if inner := c.fusion(u); inner != nil && int(use.Operand) < len(inner.params) {
				more = inner.params[use.Operand]
			}
		}
		if n += more; n >= full {
			n = full
			break
		}
	}
	f.readers[p] = n
	return n
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
