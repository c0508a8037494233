package memory

import (
	"strings"

	"hlolayout/hlo"
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
	c := noCost(v, dev)
	for t := range v.g.nodes {
		c.node(int32(t))
	}
	c.loops()
	return c
}

// noCost returns the cost where nothing moves or takes time.
func noCost(v *values, dev *device) *cost {
	g, n := v.g, len(v.g.nodes)
	return &cost{v: v, dev: dev, read: make([]float32, g.use0[n]), wrote: make([]float32, g.leaf0[n]),
		total: make([]float32, n), compute: make([]float32, n), elapsed: make([]float32, n),
		fused: map[*hlo.Computation]*fusedCost{}}
}

// loops sets what loops write. XLA's cost analysis keeps bytes by the index of a result alone and adds up those of a
// computation's instructions: element k of a loop counts what all fusions in the loop write as their results k. (So the
// compiler's log has it; of 1,784 programs 12 come nearer to its spaces, on v4, v5p and v7x, and none less.)
func (c *cost) loops() {
	g := c.v.g
	byIndex := make([][]float32, len(g.comps))
	for t := range g.nodes {
		nd := &g.nodes[t]
		var bytes []float32
		switch {
		case nd.in.Opcode == hlo.OpWhile:
			for _, callee := range nd.in.Sequential() {
				bytes = addTo(bytes, byIndex[g.compOf[callee]])
			}
			copy(c.wrote[g.leaf0[t]:g.leaf0[t+1]], bytes)
		case nd.in.Opcode == hlo.OpFusion && nd.in.Shape.IsTuple():
			bytes = c.wrote[g.leaf0[t]:g.leaf0[t+1]]
		}
		byIndex[nd.comp] = addTo(byIndex[nd.comp], bytes)
	}
}

// addTo adds more to sums, one by one.
func addTo(sums, more []float32) []float32 {
	for len(sums) < len(more) {
		sums = append(sums, 0)
	}
	for i, b := range more {
		sums[i] += b
	}
	return sums
}

func (c *cost) node(t int32) {
	g, in := c.v.g, c.v.g.nodes[t].in
	if startsOffload(in) {
		c.offload(t)
		return
	}
	if free(in.Opcode) {
		switch in.Opcode {
		case hlo.OpTuple:
			// The table of pointers is written.
			c.total[t] = float32(c.dev.tupleTable(len(in.Shape.Elems)))
			fallthrough
		case hlo.OpGetTupleElement, hlo.OpConstant, hlo.OpBitcast, hlo.OpAfterAll:
			c.compute[t] = float32(1 / c.dev.clock)
			c.elapsed[t] = max(c.compute[t], c.dev.seconds(c.total[t]))
		}
		return
	}
	u := g.use0[t]
	var sum float32
	took := c.timed(in)
	for k, o := range in.Operands {
		s := g.info(o.Shape)
		for j, full := range s.bytes {
			c.read[u] = float32(float64(c.operandBytes(t, k, j, full)) * took.times(k))
			sum += c.read[u]
			u++
		}
	}
	if in.Opcode == hlo.OpFusion {
		if f := c.fusion(in); f != nil && !c.dev.bundles { // not on v6e and v7x (11 of 11 on v6e)
			sum += float32(f.tables)
		}
	}
	s := g.info(in.Shape)
	for j := range s.Leaves {
		l := g.leaf0[t] + int32(j)
		bytes := float32(float64(c.resultBytes(t, j)) * took.written(j))
		// Of results in a tuple the model knows the bytes one by one for fusions only (the compiler logs 0 for those of a
		// sort); on v6e and v7x it leaves them out of the sum, too (58 of 58 all-reduces, sorts and topks).
		if in.Opcode == hlo.OpFusion || !in.Shape.IsTuple() {
			c.wrote[l] = bytes
		} else if c.dev.bundles {
			continue
		}
		sum += bytes
	}
	compute := took.seconds
	if in.Opcode == hlo.OpCustomCall {
		if sum, compute = c.called(in, sum); sum < 0 { // what each operand and result moves is not known either
			clear(c.read[g.use0[t]:g.use0[t+1]])
			clear(c.wrote[g.leaf0[t]:g.leaf0[t+1]])
		}
	}
	c.total[t] = sum
	c.compute[t] = float32(max(1/c.dev.clock, compute))
	c.elapsed[t] = max(c.compute[t], c.dev.seconds(sum))
}

// offload sets what it takes to give a program of another unit its operands: they are read, all of them. (The
// compiler's log of 12 programs for v7x has these seconds of all 30 instructions that do.) On v5p the model counts
// results in tuples, too: what is given, what the program makes, and its state with the table of it (14 of 14).
func (c *cost) offload(t int32) {
	g, in := c.v.g, c.v.g.nodes[t].in
	u := g.use0[t]
	for _, o := range in.Operands {
		for _, full := range g.info(o.Shape).bytes {
			c.read[u] = float32(full)
			c.total[t] += c.read[u]
			u++
		}
	}
	if !c.dev.bundles {
		c.total[t] += float32(g.info(in.Shape).total)
		if s, ok := g.stateSizes(in, c.dev); ok {
			c.total[t] += float32(s.bytes() + c.dev.tupleTable(kept))
		}
	}
	c.elapsed[t] = c.dev.seconds(c.total[t])
}

// called returns the bytes that a custom call moves in all, of which sum are those of its operands and results, and
// the seconds that it computes. Of most the model knows nothing: XLA's HloCostAnalysis has -1 bytes then, in all and
// of each operand and result (456 of 456 in the log), which count as none where copies have to pay. Of a Pallas kernel
// it knows what the kernel's cost_estimate says, on v6e and v7x what the kernel moves. (All custom calls of 60
// programs are so in the log, on v4, v5e, v5p and v7x, but for two of eight kernels with an estimate on v7x.)
func (c *cost) called(in *hlo.Instruction, sum float32) (bytes float32, seconds float64) {
	switch target := customTarget(in); {
	case target == "TopK", target == "AllocateBuffer", target == "tpu_custom_call" && c.dev.bundles:
		return sum, 0
	case target == "tpu_custom_call":
		e := in.CostEstimate()
		return float32(e.Bytes), float64(e.Flops) / c.dev.flops
	}
	return -1, 0
}

// saved is the time that node t takes less with a number of its bytes in the fast memory.
func (c *cost) saved(t int32, bytes float32) float32 {
	return c.elapsed[t] - max(c.compute[t], c.dev.fastSeconds(c.total[t], bytes))
}

// benefit says how much an operand or result of node t gains in the fast memory: where the node waits for memory, the
// time saved, weighted by the loops around it; where it does not, how far it is from waiting, a negative number.
func (c *cost) benefit(t int32, bytes float32) float32 {
	mem := c.dev.seconds(c.total[t])
	compute := c.compute[t]
	if mem > compute {
		return (mem - c.dev.fastSeconds(c.total[t], bytes)) * power5(c.v.g.comps[c.v.g.nodes[t].comp].loops)
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

// operandBytes returns how many bytes of leaf j of operand k node t reads.
func (c *cost) operandBytes(t int32, k, j int, full int64) int64 {
	nd := &c.v.g.nodes[t]
	in := nd.in
	switch {
	case nd.beside != nil && !nd.beside.operands.has(k):
		return 0
	case untiled(c.v.g.info(in.Operands[k].Shape).Leaves[j]):
		return max(untiledBytes, full)
	case in.Opcode == hlo.OpFusion:
		if f := c.fusion(in); f != nil && k < len(f.params) && len(c.v.g.info(in.Operands[k].Shape).Leaves) == 1 {
			return f.params[k]
		}
		return full
	}
	return c.taken(in, k, j, full)
}

// taken returns how many bytes of leaf j of operand k an instruction takes that is not a fusion.
func (c *cost) taken(in *hlo.Instruction, k, j int, full int64) int64 {
	switch in.Opcode {
	case hlo.OpSendDone, hlo.OpRecvDone:
		if j == 0 { // what was sent or came is counted where it began, or as the result (44 of 44 in the log)
			return 0
		}
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
		if k == 1 || k == 2 || k > 2 && c.dev.bundles { // all start indices on v6e and v7x (14 of 14)
			return full
		}
		return 0
	}
	return full
}

// resultBytes returns how many bytes of leaf j of its result node t writes: an update in place writes the update.
func (c *cost) resultBytes(t int32, j int) int64 {
	in := c.v.g.nodes[t].in
	full := c.v.g.info(in.Shape).bytes[j]
	switch {
	case c.v.g.carriesOn(t, j):
		return 0
	case untiled(c.v.g.info(in.Shape).Leaves[j]):
		return max(untiledBytes, full)
	}
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

// untiledBytes is what the cost model takes at least for an array without tiles: flags, and numbers that the compiler
// makes after layout assignment. (Of 14 results of products that are larger 8 count whole in the log, the others more
// than this.)
const untiledBytes = 4096

func untiled(s *hlo.Shape) bool { return s.IsArray() && (s.Layout == nil || len(s.Layout.Tiles) == 0) }

func customTarget(in *hlo.Instruction) string {
	if v := in.Attr("custom_call_target"); v != nil {
		return strings.Trim(v.Text, "\"")
	}
	return ""
}

// inPlace returns the operand that leaf j of an instruction's result is written into, -1 where it is written anew.
func (c *cost) inPlace(in *hlo.Instruction, j int) int {
	switch in.Opcode {
	case hlo.OpDynamicUpdateSlice:
		return 0
	case hlo.OpScatter:
		if n := len(c.v.g.info(in.Shape).Leaves); j < n && j < len(in.Operands) {
			return j
		}
	case hlo.OpFusion:
		if f := c.fusion(in); f != nil && j < len(f.inPlace) && f.inPlace[j] < len(in.Operands) {
			return f.inPlace[j]
		}
	}
	return none
}
