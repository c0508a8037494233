package memory

import (
	"fmt"
	"slices"

	"hlolayout/hlo"
)

// graph is the part of a module that the schedule runs: the entry and, from there, the computations of loops, branches
// and calls. Bodies of fusions, reductions and async wrappers are not part of it. A node's number is its time in the
// flattened schedule: the called computations of an instruction come before it, the condition of a loop before its
// body. A program of another unit has separate times, too (see idle).
type graph struct {
	m     *hlo.Module
	comps []comp
	nodes []node
	// leaf0 and use0 number the results and the operands: node t defines the leaves leaf0[t]..leaf0[t+1] of its shape, in
	// order, and its operands' leaves are its uses use0[t]..use0[t+1], operand by operand. Of a get-tuple-element those
	// of its element alone are.
	leaf0, use0 []int32
	// useTime, useOperand and useIndex describe the uses: the node, the operand and the leaf of it; useLeaf is the leaf
	// that a use reads.
	useTime, useOperand, useIndex, useLeaf []int32
	compOf                                 map[*hlo.Computation]int32
	times                                  [][]int32 // by computation and instruction, -1 before it has one
	shapes                                 map[*hlo.Shape]*shape
	// offloading says of computations whether they start programs of another unit.
	offloading map[*hlo.Computation]bool
	// carried lists the nodes with computations of their own in the schedule, ascending.
	carried []int32
}

// comp is a computation of the schedule.
type comp struct {
	c      *hlo.Computation
	caller int32 // node that calls it; -1 for the entry
	loops  int32 // loops around it
	depth  int32 // computations around it
	// start and end are the times of the node itself and all called instructions, both inclusive.
	start, end int32
	params     []int32 // nodes by parameter number, -1 where there is none
	root       int32
}

// node is an instruction of the schedule.
type node struct {
	in   *hlo.Instruction
	comp int32
	root bool
	// async is set on the start and update parts of async operations, done on their ends.
	async, done bool
	beside      *collective
	returns     bool // see returnsParameter
	names       renaming
	// program is what starts the program of another unit that the time belongs to, if no instruction of the schedule runs
	// then, and inner is set where the program has it to itself.
	program *hlo.Instruction
	inner   bool
}

// none stands for no node, leaf, use, buffer or offset, and for the time before the program.
const none = -1

// maxCalls bounds the depth of nested computations.
const maxCalls = 1000

func newGraph(m *hlo.Module) (*graph, error) {
	if m.Entry == nil {
		return nil, fmt.Errorf("module %s has no entry computation", m.Name)
	}
	g := &graph{m: m, compOf: map[*hlo.Computation]int32{}, times: make([][]int32, len(m.Computations)),
		shapes: map[*hlo.Shape]*shape{}, offloading: map[*hlo.Computation]bool{}}
	if err := g.flatten(m.Entry, 0, 0); err != nil {
		return nil, err
	}
	var leaf, use int
	g.leaf0, g.use0 = append(g.leaf0, 0), append(g.use0, 0)
	for t := range g.nodes {
		n := &g.nodes[t]
		s, err := g.shape(n.in.Shape)
		if err != nil {
			return nil, fmt.Errorf("instruction %%%s: %w", n.in.Name, err)
		}
		leaf += len(s.Leaves)
		for _, o := range n.in.Operands {
			s, err := g.shape(o.Shape)
			if err != nil {
				return nil, fmt.Errorf("instruction %%%s: %w", o.Name, err)
			}
			from, to := element(n.in, s)
			use += int(to - from)
		}
		n.names = g.renaming(n.in, int32(len(s.Leaves)))
		if max(leaf, use) > 1<<30 {
			return nil, fmt.Errorf("more than %d tuple elements", 1<<30)
		}
		g.leaf0, g.use0 = append(g.leaf0, int32(leaf)), append(g.use0, int32(use))
		n.async, n.done = asyncKind(n.in.Opcode)
		n.beside, n.returns = collectiveOf(n.in), returnsParameter(n.in)
	}
	uses := make([]int32, 4*use)
	g.useTime, g.useOperand, g.useIndex, g.useLeaf = uses[:use], uses[use:2*use], uses[2*use:3*use], uses[3*use:]
	u := 0
	for t := range g.nodes {
		for k, o := range g.nodes[t].in.Operands {
			first := g.leaf0[g.timeOf(o)]
			from, to := element(g.nodes[t].in, g.info(o.Shape))
			for j := from; j < to; j++ {
				g.useTime[u], g.useOperand[u], g.useIndex[u], g.useLeaf[u] = int32(t), int32(k), j, first+j
				u++
			}
		}
	}
	return g, g.check()
}

// flatten numbers a computation's instructions after those of the computations they call.
func (g *graph) flatten(c *hlo.Computation, loops, depth int32) error {
	switch _, seen := g.compOf[c]; {
	case depth > maxCalls:
		return fmt.Errorf("computation %%%s: calls nest deeper than %d", c.Name, maxCalls)
	case seen:
		return fmt.Errorf("computation %%%s is called from two places; the compiler gives each caller a copy before it "+
			"schedules", c.Name)
	case len(c.Instructions) == 0 || c.Root == nil || c.Root.Computation != c:
		return fmt.Errorf("computation %%%s has no root instruction", c.Name)
	}
	at := int32(len(g.comps))
	g.compOf[c] = at
	g.times[c.Index] = slices.Repeat([]int32{none}, len(c.Instructions))
	g.comps = append(g.comps, comp{c: c, caller: none, loops: loops, depth: depth, start: int32(len(g.nodes))})
	offloads := g.offloadsOf(c)
	for _, in := range c.Instructions {
		inner := loops
		if in.Opcode == hlo.OpWhile {
			inner++
		}
		if startsOffload(in) {
			g.idle(at, in, len(in.Operands)+1, true)
		}
		for k, callee := range in.Sequential() {
			if callee == nil {
				return fmt.Errorf("instruction %%%s: computation %d is missing", in.Name, k)
			}
			if err := g.flatten(callee, inner, depth+1); err != nil {
				return err
			}
		}
		if err := g.number(in, at); err != nil {
			return err
		}
		if len(offloads) > 0 && in == offloads[0].after {
			g.idle(at, offloads[0].start, 1, false)
			offloads = offloads[1:]
		}
	}
	g.comps[at].end = int32(len(g.nodes)) - 1
	return nil
}

// number gives an instruction of a computation the next time.
func (g *graph) number(in *hlo.Instruction, at int32) error {
	c, t := &g.comps[at], int32(len(g.nodes))
	for _, o := range in.Operands {
		if o.Computation != c.c || g.timeOf(o) < 0 {
			return fmt.Errorf("instruction %%%s: an operand does not stand before it", in.Name)
		}
	}
	called := in.Sequential()
	for _, callee := range called {
		g.comps[g.compOf[callee]].caller = t
	}
	if len(called) > 0 {
		g.carried = append(g.carried, t)
	}
	if p := int(in.Parameter); in.Opcode == hlo.OpParameter && p >= 0 && p < len(c.c.Instructions) {
		for len(c.params) <= p {
			c.params = append(c.params, none)
		}
		c.params[p] = t
	}
	root := in == c.c.Root
	if root {
		c.root = t
	}
	g.times[c.c.Index][in.Index] = t
	g.nodes = append(g.nodes, node{in: in, comp: at, root: root})
	return nil
}

func asyncKind(op hlo.Opcode) (start, done bool) {
	switch op {
	case hlo.OpAsyncStart, hlo.OpAsyncUpdate, hlo.OpCopyStart, hlo.OpCollectivePermuteStart, hlo.OpAllGatherStart,
		hlo.OpAllReduceStart:
		return true, false
	case hlo.OpAsyncDone, hlo.OpCopyDone, hlo.OpCollectivePermuteDone, hlo.OpAllGatherDone, hlo.OpAllReduceDone:
		return false, true
	}
	return false, false
}

// timeOf returns the node of an instruction.
func (g *graph) timeOf(in *hlo.Instruction) int32 { return g.times[in.Computation.Index][in.Index] }

// operandUse returns the number of the use of leaf j of operand k of node t, no get-tuple-element.
func (g *graph) operandUse(t int32, k int, j int32) int32 {
	u := g.use0[t]
	for _, o := range g.nodes[t].in.Operands[:k] {
		u += int32(len(g.info(o.Shape).Leaves))
	}
	return u + j
}

// element returns the leaves of an operand that an instruction uses: all, of a tuple's element those that it names.
func element(in *hlo.Instruction, operand *shape) (from, to int32) {
	if k, ok := in.Attr("index").Int(); ok && in.Opcode == hlo.OpGetTupleElement && k >= 0 &&
		int(k)+1 < len(operand.Starts) {
		return operand.Starts[k], operand.Starts[k+1]
	}
	return 0, int32(len(operand.Leaves))
}
