package memory

import (
	"fmt"

	"hlolayout/hlo"
	"hlolayout/hlo/tiled"
)

// graph is the part of a module that the schedule runs: the entry and, from there, the computations of loops, branches
// and calls. Bodies of fusions, reductions and async wrappers are not part of it. A node's number is its time in the
// flattened schedule: the called computations of an instruction come before it, the condition of a loop before its
// body.
type graph struct {
	m     *hlo.Module
	comps []comp
	nodes []node
	// leaf0 and use0 number the results and the operands: node t defines the leaves leaf0[t]..leaf0[t+1] of its shape, in
	// order, and its operands' leaves are its uses use0[t]..use0[t+1], operand by operand.
	leaf0, use0 []int32
	// useTime, useOperand and useIndex describe the uses: the node, the operand and the leaf of it.
	useTime, useOperand, useIndex []int32
	compOf                        map[*hlo.Computation]int32
	timeOf                        map[*hlo.Instruction]int32
	shapes                        map[*hlo.Shape]*shapeInfo
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
}

// shapeInfo is a shape taken apart.
type shapeInfo struct {
	leaves []*hlo.Shape
	// elem0 is the first leaf of each tuple element, with the total after the last.
	elem0 []int32
	bytes []int64 // padded bytes of each leaf; 0 for what is not an array
	elems []int64
	total int64
}

// maxCalls bounds the depth of nested computations.
const maxCalls = 1000

func newGraph(m *hlo.Module) (*graph, error) {
	if m.Entry == nil {
		return nil, fmt.Errorf("module %s has no entry computation", m.Name)
	}
	g := &graph{m: m, compOf: map[*hlo.Computation]int32{}, timeOf: map[*hlo.Instruction]int32{},
		shapes: map[*hlo.Shape]*shapeInfo{}}
	if err := g.flatten(m.Entry, 0, 0); err != nil {
		return nil, err
	}
	g.leaf0, g.use0 = make([]int32, len(g.nodes)+1), make([]int32, len(g.nodes)+1)
	var leaf, use int
	for t := range g.nodes {
		n := &g.nodes[t]
		s, err := g.shape(n.in.Shape)
		if err != nil {
			return nil, fmt.Errorf("instruction %%%s: %w", n.in.Name, err)
		}
		leaf += len(s.leaves)
		for _, o := range n.in.Operands {
			s, err := g.shape(o.Shape)
			if err != nil {
				return nil, fmt.Errorf("instruction %%%s: %w", o.Name, err)
			}
			use += len(s.leaves)
		}
		if max(leaf, use) > 1<<30 {
			return nil, fmt.Errorf("more than %d tuple elements", 1<<30)
		}
		g.leaf0[t+1], g.use0[t+1] = int32(leaf), int32(use)
		n.async, n.done = asyncKind(n.in.Opcode)
	}
	g.useTime, g.useOperand, g.useIndex = make([]int32, 0, use), make([]int32, 0, use), make([]int32, 0, use)
	for t := range g.nodes {
		for k, o := range g.nodes[t].in.Operands {
			for j := range int32(len(g.info(o.Shape).leaves)) {
				g.useTime, g.useOperand, g.useIndex = append(g.useTime, int32(t)), append(g.useOperand,
					int32(k)), append(g.useIndex, j)
			}
		}
	}
	return g, g.check()
}

// flatten numbers a computation's instructions after those of the computations they call.
func (g *graph) flatten(c *hlo.Computation, loops, depth int32) error {
	if depth > maxCalls {
		return fmt.Errorf("computation %%%s: calls nest deeper than %d", c.Name, maxCalls)
	}
	if _, seen := g.compOf[c]; seen {
		return fmt.Errorf("computation %%%s is called from two places; the compiler gives each caller a copy before it "+
			"schedules", c.Name)
	}
	if len(c.Instructions) == 0 || c.Root == nil || c.Root.Computation != c {
		return fmt.Errorf("computation %%%s has no root instruction", c.Name)
	}
	at := int32(len(g.comps))
	g.compOf[c] = at
	g.comps = append(g.comps, comp{c: c, caller: -1, loops: loops, depth: depth, start: int32(len(g.nodes)), root: -1})
	for _, in := range c.Instructions {
		for k, callee := range in.Sequential() {
			inner := loops
			if in.Opcode == hlo.OpWhile {
				inner++
			}
			if callee == nil {
				return fmt.Errorf("instruction %%%s: computation %d is missing", in.Name, k)
			}
			if err := g.flatten(callee, inner, depth+1); err != nil {
				return err
			}
		}
		t := int32(len(g.nodes))
		for _, callee := range in.Sequential() {
			g.comps[g.compOf[callee]].caller = t
		}
		if len(in.Sequential()) > 0 {
			g.carried = append(g.carried, t)
		}
		for _, o := range in.Operands {
			if ot, ok := g.timeOf[o]; !ok || o.Computation != c || ot >= t {
				return fmt.Errorf("instruction %%%s: an operand does not stand before it", in.Name)
			}
		}
		g.timeOf[in] = t
		if in.Opcode == hlo.OpParameter && in.Parameter >= 0 && int(in.Parameter) < len(c.Instructions) {
			p := &g.comps[at].params
			for len(*p) <= int(in.Parameter) {
				*p = append(*p, -1)
			}
			(*p)[in.Parameter] = t
		}
		if in == c.Root {
			g.comps[at].root = t
		}
		g.nodes = append(g.nodes, node{in: in, comp: at, root: in == c.Root})
	}
	g.comps[at].end = int32(len(g.nodes)) - 1
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

// shape takes a shape apart; bytes include the padding of tiles.
func (g *graph) shape(s *hlo.Shape) (*shapeInfo, error) {
	if i := g.shapes[s]; i != nil {
		return i, nil
	}
	i := &shapeInfo{}
	var err error
	if s.IsTuple() {
		for _, e := range s.Elems {
			i.elem0 = append(i.elem0, int32(len(i.leaves)))
			var sub *shapeInfo
			if sub, err = g.shape(e); err != nil {
				return nil, err
			}
			i.leaves, i.bytes, i.elems = append(i.leaves, sub.leaves...), append(i.bytes, sub.bytes...), append(i.elems,
				sub.elems...)
		}
		i.elem0 = append(i.elem0, int32(len(i.leaves)))
	} else {
		var bytes, elems int64
		if s.IsArray() {
			a, err := tiled.New(s)
			if err != nil {
				return nil, err
			}
			bytes, elems = a.Bytes(), a.Elements()
		}
		i.leaves, i.bytes, i.elems = []*hlo.Shape{s}, []int64{bytes}, []int64{elems}
	}
	for _, b := range i.bytes {
		if i.total += b; i.total < 0 {
			return nil, fmt.Errorf("%s has more than 2^63 bytes", s)
		}
	}
	g.shapes[s] = i
	return i, nil
}

// info is shape for a shape that newGraph has seen.
func (g *graph) info(s *hlo.Shape) *shapeInfo {
	i, err := g.shape(s)
	if err != nil {
		return &shapeInfo{}
	}
	return i
}

// check refuses calls whose operands do not fit what they call, on which the analyses rely.
func (g *graph) check() error {
	same := func(t int32, what string, a, b *hlo.Shape) error {
		if a == nil || b == nil || len(g.info(a).leaves) != len(g.info(b).leaves) {
			return fmt.Errorf("instruction %%%s: %s", g.nodes[t].in.Name, what)
		}
		return nil
	}
	param := func(c int32, k int) *hlo.Shape {
		if p := g.comps[c].params; k < len(p) && p[k] >= 0 {
			return g.nodes[p[k]].in.Shape
		}
		return nil
	}
	for t := range g.nodes {
		in := g.nodes[t].in
		need := 0
		switch in.Opcode {
		case hlo.OpGetTupleElement:
			k, ok := in.Attr("index").Int()
			if len(in.Operands) != 1 || !in.Operands[0].Shape.IsTuple() || !ok || k < 0 ||
				int(k) >= len(in.Operands[0].Shape.Elems) ||
				len(g.info(in.Operands[0].Shape.Elems[k]).leaves) != len(g.info(in.Shape).leaves) {
				return fmt.Errorf("instruction %%%s takes no element of a tuple", in.Name)
			}
		case hlo.OpTuple:
			if int(g.use0[t+1]-g.use0[t]) != int(g.leaf0[t+1]-g.leaf0[t]) {
				return fmt.Errorf("instruction %%%s: the shape of the tuple is not that of its operands", in.Name)
			}
		case hlo.OpBitcast, hlo.OpOptBarrier, hlo.OpDomain, hlo.OpAddDependency:
			if len(in.Operands) < 1 {
				return fmt.Errorf("instruction %%%s has no operand", in.Name)
			}
			if err := same(int32(t), "the shape is not that of the operand", in.Shape, in.Operands[0].Shape); err != nil {
				return err
			}
		case hlo.OpCopyDone, hlo.OpAsyncDone, hlo.OpAsyncUpdate, hlo.OpCopyStart, hlo.OpAllGatherDone, hlo.OpAllReduceDone,
			hlo.OpCollectivePermuteDone,
			hlo.OpRecvDone, hlo.OpSendDone, hlo.OpWhile:
			need = 1
		case hlo.OpConditional:
			need = 1 + len(in.Called)
		}
		if len(in.Operands) < need {
			return fmt.Errorf("instruction %%%s has %d operands; expected %d", in.Name, len(in.Operands), need)
		}
		for k, callee := range in.Sequential() {
			c := g.compOf[callee]
			root := g.nodes[g.comps[c].root].in.Shape
			var err error
			switch in.Opcode {
			case hlo.OpWhile:
				if err = same(int32(t), "the loop's parameter does not fit its operand", param(c, 0),
					in.Operands[0].Shape); err == nil && k == 1 {
					err = same(int32(t), "the loop's result does not fit its body", root, in.Shape)
				}
				if err == nil {
					err = same(int32(t), "the loop's result does not fit its operand", in.Shape, in.Operands[0].Shape)
				}
			case hlo.OpConditional:
				if err = same(int32(t), "a branch's parameter does not fit its operand", param(c, 0),
					in.Operands[k+1].Shape); err == nil {
					err = same(int32(t), "a branch's result does not fit", root, in.Shape)
				}
			case hlo.OpCall:
				for j, o := range in.Operands {
					if err == nil {
						err = same(int32(t), "a parameter of the called computation does not fit its operand", param(c, j), o.Shape)
					}
				}
				if err == nil {
					err = same(int32(t), "the result of the called computation does not fit", root, in.Shape)
				}
			}
			if err != nil {
				return err
			}
		}
	}
	return nil
}

// operandUse returns the number of the use of leaf j of operand k of node t.
func (g *graph) operandUse(t int32, k int, j int32) int32 {
	u := g.use0[t]
	for _, o := range g.nodes[t].in.Operands[:k] {
		u += int32(len(g.info(o.Shape).leaves))
	}
	return u + j
}

// useLeaf returns the leaf that a use reads.
func (g *graph) useLeaf(u int32) int32 {
	in := g.nodes[g.useTime[u]].in
	return g.leaf0[g.timeOf[in.Operands[g.useOperand[u]]]] + g.useIndex[u]
}

// forward returns the operand leaf that leaf j of node t is the same value as: the operand's leaf number, or -1 where
// the node defines the leaf itself. Loops, branches, calls and parameters are not looked through.
func (g *graph) forward(t, j int32) int32 {
	if u := g.forwardUse(t, j); u >= 0 {
		return g.useLeaf(u)
	}
	return -1
}

// forwardUse returns the use that leaf j of node t is the same value as, or -1 where the node defines the leaf itself.
func (g *graph) forwardUse(t, j int32) int32 {
	in := g.nodes[t].in
	first := g.use0[t]
	among := func(j, n int32) int32 { // the leaf is number j of the first n
		if j < 0 || j >= n {
			return -1
		}
		return first + j
	}
	operand := func(j int32) int32 {
		if len(in.Operands) == 0 {
			return -1
		}
		return among(j, int32(len(g.info(in.Operands[0].Shape).leaves)))
	}
	switch in.Opcode {
	case hlo.OpBitcast, hlo.OpOptBarrier, hlo.OpAddDependency, hlo.OpDomain:
		return operand(j)
	case hlo.OpGetTupleElement:
		k, _ := in.Attr("index").Int()
		return operand(g.info(in.Operands[0].Shape).elem0[k] + j)
	case hlo.OpTuple:
		return among(j, g.use0[t+1]-first)
	case hlo.OpCopyDone, hlo.OpRecvDone:
		return operand(j)
	case hlo.OpAsyncDone, hlo.OpCollectivePermuteDone, hlo.OpAllGatherDone:
		// The start's result is ((operands), result, contexts...), or of the result's shape alone.
		if s := in.Operands[0].Shape; s.IsTuple() && len(s.Elems) > 1 {
			return operand(g.info(s).elem0[1] + j)
		}
		return operand(j)
	case hlo.OpAllReduceDone, hlo.OpAsyncUpdate:
		return operand(j)
	case hlo.OpCopyStart:
		if j == 1 {
			return operand(0)
		}
	case hlo.OpSend:
		if j == 0 {
			return operand(0)
		}
	case hlo.OpAsyncStart, hlo.OpCollectivePermuteStart, hlo.OpAllGatherStart:
		s := g.info(in.Shape)
		if in.Shape.IsTuple() && len(s.elem0) > 2 && j < s.elem0[1] {
			return among(j, g.use0[t+1]-first)
		}
	}
	return -1
}
