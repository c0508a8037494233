// Package flat gives the instructions, operands and values of a module dense numbers, and refuses modules on which
// layout assignment cannot rely.
package flat

import (
	"fmt"
	"slices"

	"hlolayout/hlo"
)

// The numbers of a Graph. Each kind is an index into the tables of its kind; -1 stands for none.
type (
	CompID  int32 // a computation: Comps
	NodeID  int32 // an instruction: Nodes
	SlotID  int32 // an operand of an instruction: Operands
	LeafID  int32 // an array of an instruction's result: LeafValue
	ValueID int32 // an array that an instruction defines: Values
)

// Graph is the module with dense numbers: one for each instruction outside fusion bodies (a node), for each of
// its operands (a slot), for each non-tuple part of its result (a leaf), and for each value that is defined.
// Computations stand callees before callers, instructions as in the text.
type Graph struct {
	Module *hlo.Module
	Comps  []Comp
	Entry  CompID
	Nodes  []node // one more than there are instructions: the last one only ends the ranges
	// operands by slot; users of a node are uses[node.use : next.use]
	Operands []NodeID
	SlotNode []NodeID
	uses     []Use
	// by leaf: its value (a forwarding instruction shows its operand's values)
	LeafValue []ValueID
	// by value: where it is defined, and the nodes that show it
	Values  []value
	Ranks   []int8 // here because the propagation requests them again and again; -1 for what is not an array
	shownBy Lists[NodeID]
	// what TakeElements did: what is used in place of a node, and the nodes that are gone
	instead map[NodeID]NodeID
	gone    []bool

	// Calling are the nodes that call computations, or must, in the order of the text.
	Calling []NodeID

	// Constrained says that some instruction is a LayoutConstraint.
	Constrained bool

	bitcasts bool // there are some

	// dims are the values of the attribute dimensions, each of them once; the first one is that of instructions without
	dims   [][]int
	dimsOf []int32 // by node
	dimsAt map[*hlo.Value]int32

	check  shapeCheck
	compOf []CompID // by computation of the module
	shapes map[*hlo.Shape]*Shape
}

// Comp is one computation outside fusions; its nodes are first ... end-1.
type Comp struct {
	Computation *hlo.Computation
	First, End  NodeID
	Root        NodeID
	Params      []NodeID // nodes by parameter number, -1 for a missing one
	Entry       bool
	Looped      bool // a loop is its only caller
}

// node is an instruction. Two fit into a cache line: the propagation waits for them (BenchmarkLayout).
type node struct {
	In        *hlo.Instruction
	Comp      CompID
	FirstSlot SlotID // first slot
	FirstLeaf LeafID // first leaf
	use       int32
	Op        hlo.Opcode
	As        hlo.Opcode // what layouts pass through: the opcode, or that of the gather or scatter in a custom fusion
	Keep      bool       // operands and results of equal rank share one layout
	Forward   bool       // shows its operands' values
	Tuple     bool
	Flat      bool  // no leaf has two dimensions
	Fixed     bool  // layout-constrained: carries its layouts with it
	Rank      uint8 // of the shape, here because the propagation requests it again and again (BenchmarkLayout)
}

type Use struct {
	Node NodeID
	Slot SlotID
}

type value struct {
	Node  NodeID
	Leaf  int32
	Shape *hlo.Shape
}

// layoutConstraint is the target of a custom call that gives its operand in another layout.
const layoutConstraint = `"LayoutConstraint"`

// keepTargets are custom calls through which a layout passes unchanged.
var keepTargets = map[string]bool{
	`"X64SplitLow"`: true, `"X64SplitHigh"`: true, `"X64Combine"`: true,
	`"X128SplitLow"`: true, `"X128SplitHigh"`: true, `"X128Combine"`: true,
	layoutConstraint: true, `"MoveToHost"`: true, `"MoveToDevice"`: true, `"Sharding"`: true, `"TopK"`: true,
}

// Scope is which computations of a module get numbers.
type Scope bool

const (
	// Decided leaves out computations that are applied to scalars, such as the sum of a reduce: no rule has anything to
	// decide there, and in large programs they are a third of the instructions.
	Decided    Scope = false
	Everything Scope = true
)

// New numbers a module in which hlo.Check finds nothing, or says which attributes or computations of an instruction do
// not fit its shapes.
func New(m *hlo.Module, scope Scope) (*Graph, error) {
	g := &Graph{Module: m, dims: [][]int{nil}, dimsAt: map[*hlo.Value]int32{}, compOf: make([]CompID, len(m.Computations)),
		shapes: map[*hlo.Shape]*Shape{}, Comps: make([]Comp, 0, len(m.Computations))}
	instructions := 0
	for _, c := range m.Computations {
		if c.IsFused() || scope == Decided && appliedToScalars(c) {
			g.compOf[c.Index] = -1
			continue
		}
		g.compOf[c.Index] = CompID(len(g.Comps))
		if c.IsEntry() {
			g.Entry = CompID(len(g.Comps))
		}
		first := NodeID(instructions)
		instructions += len(c.Instructions)
		callers := c.Callers()
		g.Comps = append(g.Comps, Comp{Computation: c, First: first, End: NodeID(instructions),
			Root: first + NodeID(c.Root.Index), Entry: c.IsEntry(),
			Looped: len(callers) == 1 && callers[0].Instruction.Opcode == hlo.OpWhile})
	}
	g.reserve(instructions)
	for i := range g.Comps {
		c := &g.Comps[i]
		for _, in := range c.Computation.Instructions {
			if err := g.add(CompID(i), c.First, in); err != nil {
				return nil, err
			}
		}
		for _, p := range c.Computation.Parameters() {
			if p == nil {
				return nil, fmt.Errorf("computation %%%s: parameter %d is missing", c.Computation.Name, len(c.Params))
			}
			c.Params = append(c.Params, c.First+NodeID(p.Index))
		}
	}
	g.Nodes = append(g.Nodes, node{FirstSlot: SlotID(len(g.Operands)), FirstLeaf: LeafID(len(g.LeafValue)), Comp: -1})
	if err := g.checkCalls(); err != nil {
		return nil, err
	}
	g.linkUses()
	g.linkShown()
	return g, nil
}

// appliedToScalars reports whether instructions apply a computation to elements, and it works on nothing but scalars.
func appliedToScalars(c *hlo.Computation) bool {
	return !c.IsEntry() && len(c.Callers()) > 0 &&
		!slices.ContainsFunc(c.Callers(), func(by hlo.Caller) bool {
			return by.Key.Name != "to_apply" || by.Instruction.Opcode == hlo.OpCall
		}) &&
		!slices.ContainsFunc(c.Instructions, func(in *hlo.Instruction) bool {
			return !in.Shape.IsScalar() || len(in.Called()) > 0
		})
}

// reserve makes room for all instructions: growing step by step leaves twice as much garbage as is needed
// (BenchmarkLayout, B/op).
func (g *Graph) reserve(instructions int) {
	operands, leaves, values := 0, 0, 0
	for i := range g.Comps {
		for _, in := range g.Comps[i].Computation.Instructions {
			operands += len(in.Operands)
			n := CountLeaves(in.Shape)
			leaves += n
			if in.Opcode != hlo.OpTuple && in.Opcode != hlo.OpGetTupleElement { // which define none
				values += n
			}
		}
	}
	g.Nodes, g.dimsOf = make([]node, 0, instructions+1), make([]int32, 0, instructions)
	g.Operands, g.SlotNode = make([]NodeID, 0, operands), make([]NodeID, 0, operands)
	g.LeafValue = make([]ValueID, 0, leaves)
	g.Values, g.Ranks = make([]value, 0, values), make([]int8, 0, values)
}

// add numbers one instruction, its operands, leaves and values, and checks what the pass relies on.
func (g *Graph) add(ci CompID, first NodeID, in *hlo.Instruction) error {
	fail := func(format string, args ...any) error {
		return fmt.Errorf("computation %%%s, instruction %%%s: %s", in.Computation.Name, in.Name,
			fmt.Sprintf(format, args...))
	}
	if err := g.check.of(in, fail); err != nil {
		return err
	}
	id := NodeID(len(g.Nodes))
	n := g.newNode(ci, in)
	if len(in.Called()) > 0 || mustCall[n.Op] {
		g.Calling = append(g.Calling, id)
	}
	for _, o := range in.Operands {
		g.Operands = append(g.Operands, first+NodeID(o.Index))
		g.SlotNode = append(g.SlotNode, id)
	}
	info := g.Shape(in.Shape)
	for _, s := range info.Leaves {
		if s.Rank() > maxRank {
			return fail("rank %d; at most %d is taken", s.Rank(), maxRank)
		}
		n.Flat = n.Flat && s.Rank() <= 1
	}
	source, err := g.forwarded(&n, info)
	if err != nil {
		return fail("%v", err)
	}
	n.Forward = source != nil || len(info.Leaves) == 0 && (n.Op == hlo.OpTuple || n.Op == hlo.OpGetTupleElement)
	for i, s := range info.Leaves {
		if source == nil {
			g.LeafValue = append(g.LeafValue, ValueID(len(g.Values)))
			g.Values = append(g.Values, value{Node: id, Leaf: int32(i), Shape: s})
			rank := int8(-1)
			if s.DType.IsArray() {
				rank = int8(s.Rank())
			}
			g.Ranks = append(g.Ranks, rank)
		}
	}
	g.LeafValue = append(g.LeafValue, source...)
	g.Nodes = append(g.Nodes, n)
	return nil
}

// newNode returns what an instruction's opcode and attributes say.
func (g *Graph) newNode(ci CompID, in *hlo.Instruction) node {
	n := node{In: in, Comp: ci, FirstSlot: SlotID(len(g.Operands)), FirstLeaf: LeafID(len(g.LeafValue)), Op: in.Opcode,
		As:    in.Opcode,
		Keep:  in.Opcode.Flow() == hlo.FlowKeep || in.Opcode == hlo.OpOptBarrier || in.Opcode == hlo.OpAddDependency,
		Tuple: in.Shape.IsTuple(), Flat: true, Rank: uint8(min(in.Shape.Rank(), maxRank))}
	switch in.Opcode {
	case hlo.OpSort:
		n.Keep = false // operands and results may differ until they are repaired (fuzz_003)
	case hlo.OpFusion:
		if op := GatherScatterIn(in); op != nil {
			n.As = op.Opcode
		}
	case hlo.OpCustomCall:
		n.Fixed = in.Attr("operand_layout_constraints") != nil
		if v := in.Attr("custom_call_target"); v != nil {
			n.Keep = keepTargets[v.Text]
			g.Constrained = g.Constrained || v.Text == layoutConstraint
		}
	}
	n.Fixed = n.Fixed || in.Attr("constrain_layout").Bool()
	g.bitcasts = g.bitcasts || in.Opcode == hlo.OpBitcast
	dims := int32(0)
	switch in.Opcode {
	case hlo.OpTranspose, hlo.OpBroadcast, hlo.OpReduce, hlo.OpConcatenate, hlo.OpSort, hlo.OpAllToAll:
		dims = g.numberDims(in.Attr("dimensions"))
	}
	g.dimsOf = append(g.dimsOf, dims)
	return n
}

// Elemwise reports whether a node is an elementwise operation. The log's clusters hold bitcast-converts, too
// (bitcast_moves).
func (n *node) Elemwise() bool { return n.Op.Elementwise() || n.Op == hlo.OpBitcastConvert }

// forwarded returns the values that a forwarding instruction shows, nil for an instruction that defines its own.
func (g *Graph) forwarded(n *node, info *Shape) ([]ValueID, error) {
	at := func(slot SlotID) (lo, hi LeafID) {
		o := g.Operands[slot]
		lo = g.Nodes[o].FirstLeaf
		return lo, lo + LeafID(len(g.Shape(g.Nodes[o].In.Shape).Leaves))
	}
	var out []ValueID
	switch n.Op {
	case hlo.OpTuple:
		out = make([]ValueID, 0, len(info.Leaves))
		for s := n.FirstSlot; int(s) < len(g.Operands); s++ {
			lo, hi := at(s)
			out = append(out, g.LeafValue[lo:hi]...)
		}
	case hlo.OpGetTupleElement:
		o := n.In.Operands[0].Shape
		k, ok := n.In.Attr("index").Int()
		if !ok || !o.IsTuple() || k < 0 || int(k) >= len(o.Elems) {
			return nil, fmt.Errorf("index is not an element of %s", o)
		}
		lo, _ := at(n.FirstSlot)
		starts := g.Shape(o).Starts
		out = g.LeafValue[lo+LeafID(starts[k]) : lo+LeafID(starts[k+1])]
	case hlo.OpBitcast:
		lo, hi := at(n.FirstSlot)
		if !n.Tuple && hi-lo == 1 {
			return nil, nil // another shape: a new value
		}
		out = g.LeafValue[lo:hi]
	case hlo.OpOptBarrier, hlo.OpAddDependency, hlo.OpDomain:
		lo, hi := at(n.FirstSlot)
		out = g.LeafValue[lo:hi]
	default:
		return nil, nil
	}
	if len(out) != len(info.Leaves) {
		return nil, fmt.Errorf("result %s does not fit the operands", n.In.Shape)
	}
	for i, v := range out {
		if !g.Values[v].Shape.Compatible(info.Leaves[i]) {
			return nil, fmt.Errorf("result %s does not fit the operands", n.In.Shape)
		}
	}
	return out, nil
}

func (g *Graph) linkUses() {
	for _, o := range g.Operands {
		g.Nodes[o].use++
	}
	end := int32(0)
	for i := range g.Nodes {
		end += g.Nodes[i].use
		g.Nodes[i].use = end
	}
	g.uses = make([]Use, end)
	for s, o := range slices.Backward(g.Operands) { // each node's place goes from its end to its beginning
		g.Nodes[o].use--
		g.uses[g.Nodes[o].use] = Use{g.SlotNode[s], SlotID(s)}
	}
}

// linkShown lists the nodes that show each value.
func (g *Graph) linkShown() {
	g.shownBy = NewLists(len(g.Values), func(add func(ValueID, NodeID)) {
		for n := range NodeID(len(g.Nodes) - 1) {
			if g.gone == nil || !g.gone[n] {
				for _, v := range g.LeafValue[g.Nodes[n].FirstLeaf:g.Nodes[n+1].FirstLeaf] {
					add(v, n)
				}
			}
		}
	})
}

// Lists are lists by the number of a value, without memory of their own.
type Lists[T any] struct {
	start []int32
	all   []T // that of v is all[start[v]:start[v+1]]
}

// NewLists makes the lists of as many values. each calls add for all that is in them, in order, and is called twice.
func NewLists[T any](values int, each func(add func(ValueID, T))) Lists[T] {
	l := Lists[T]{start: make([]int32, values+2)}
	each(func(v ValueID, _ T) { l.start[v+2]++ })
	for v := range values {
		l.start[v+2] += l.start[v+1]
	}
	l.all = make([]T, l.start[values+1])
	each(func(v ValueID, x T) { // the start of the next list grows until it is that
		l.all[l.start[v+1]] = x
		l.start[v+1]++
	})
	return l
}

// Of returns the list of a value.
func (l *Lists[T]) Of(v ValueID) []T { return l.all[l.start[v]:l.start[v+1]] }

// numberDims returns the place of a value of the attribute dimensions in g.dims.
func (g *Graph) numberDims(v *hlo.Value) int32 {
	at, ok := g.dimsAt[v]
	if !ok {
		if ns, list := v.Ints(); list {
			at = int32(len(g.dims))
			g.dims = append(g.dims, ns)
		}
		g.dimsAt[v] = at
	}
	return at
}

// Release drops what only the propagation needs.
func (g *Graph) Release() {
	g.SlotNode, g.uses, g.Values, g.shownBy = nil, nil, nil, Lists[NodeID]{}
}

// maxRank bounds the rank that the pass takes: an order's key is one byte per dimension.
const maxRank = 127
