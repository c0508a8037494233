package layout

import (
	"fmt"

	"hlolayout/hlo"
)

// graph is the module with dense numbers: one for each instruction outside fusion bodies (a node), for each of
// its operands (a slot), for each non-tuple part of its result (a leaf), and for each value that is defined.
// Computations stand callees before callers, instructions as in the text.
type graph struct {
	m     *hlo.Module
	comps []comp
	entry int32
	nodes []node // one more than there are instructions: the last one only ends the ranges
	// operands by slot; users of a node are uses[node.use : next.use]
	operands []int32
	slotNode []int32
	uses     []use
	// by leaf: its shape and the value that lies there (a forwarding instruction shows its operand's values)
	leafShape []*hlo.Shape
	leafValue []int32
	// by value: where it is defined, and where it shows (leaves aliasLeaf[aliasStart[v]:aliasStart[v+1]])
	values     []value
	aliasStart []int32
	aliasLeaf  []int32
	leafNode   []int32 // by leaf

	// dims are the values of the attribute dimensions, each of them once; the first one is that of instructions without
	dims   [][]int
	dimsAt map[*hlo.Value]int32

	compOf map[*hlo.Computation]int32 // -1 for bodies of fusions
	shapes map[*hlo.Shape]*shapeInfo
}

// comp is one computation outside fusions; its nodes are first ... end-1.
type comp struct {
	c          *hlo.Computation
	first, end int32
	root       int32
	params     []int32 // nodes by parameter number, -1 for a missing one
	entry      bool
}

type node struct {
	in       *hlo.Instruction
	comp     int32
	operand  int32 // first slot
	leaf     int32 // first leaf
	use      int32
	op       hlo.Opcode
	keep     bool // operands and results of equal rank share one layout
	forward  bool // shows its operands' values
	tuple    bool
	flat     bool // no leaf has two dimensions
	fixed    bool // layout-constrained: carries its layouts with it
	elemwise bool
	rank     uint8 // of the shape, here because the propagation asks for it again and again (BenchmarkLayout)
	dims     int32 // the attribute dimensions: its place in graph.dims
}

type use struct{ node, slot int32 }

type value struct {
	node, leaf int32
	shape      *hlo.Shape
}

// shapeInfo is what is asked of a shape again and again.
type shapeInfo struct {
	leaves  []*hlo.Shape
	indices []hlo.Index
	starts  []int32 // for a tuple: first leaf of each element, and the number of leaves
}

func (g *graph) shape(s *hlo.Shape) *shapeInfo {
	if in := g.shapes[s]; in != nil {
		return in
	}
	n := countLeaves(s)
	in := &shapeInfo{leaves: make([]*hlo.Shape, 0, n), indices: make([]hlo.Index, 0, n)}
	s.Leaves(func(index hlo.Index, leaf *hlo.Shape) {
		in.leaves = append(in.leaves, leaf)
		in.indices = append(in.indices, append(hlo.Index(nil), index...))
	})
	if s.IsTuple() {
		in.starts = make([]int32, len(s.Elems)+1)
		for i, e := range s.Elems {
			in.starts[i+1] = in.starts[i] + int32(countLeaves(e))
		}
	}
	g.shapes[s] = in
	return in
}

func countLeaves(s *hlo.Shape) int {
	if !s.IsTuple() {
		return 1
	}
	n := 0
	for _, e := range s.Elems {
		n += countLeaves(e)
	}
	return n
}

// keepTargets are custom calls through which a layout passes unchanged.
var keepTargets = map[string]bool{
	`"X64SplitLow"`: true, `"X64SplitHigh"`: true, `"X64Combine"`: true,
	`"X128SplitLow"`: true, `"X128SplitHigh"`: true, `"X128Combine"`: true,
	`"LayoutConstraint"`: true, `"MoveToHost"`: true, `"MoveToDevice"`: true, `"Sharding"`: true,
}

func newGraph(m *hlo.Module) (*graph, error) {
	g := &graph{m: m, dims: [][]int{nil}, dimsAt: map[*hlo.Value]int32{}, compOf: map[*hlo.Computation]int32{}, shapes: map[*hlo.Shape]*shapeInfo{}}
	order, err := calleesFirst(m)
	if err != nil {
		return nil, err
	}
	instructions := 0
	for _, c := range order {
		if c.IsFused() {
			g.compOf[c] = -1
			continue
		}
		g.compOf[c] = int32(len(g.comps))
		if c.IsEntry() {
			g.entry = int32(len(g.comps))
		}
		first := int32(instructions)
		instructions += len(c.Instructions)
		g.comps = append(g.comps, comp{c: c, first: first, end: int32(instructions), root: first + c.Root.Index, entry: c.IsEntry()})
	}
	g.reserve(instructions)
	for i := range g.comps {
		c := &g.comps[i]
		for _, in := range c.c.Instructions {
			if err := g.add(int32(i), c.first, in); err != nil {
				return nil, err
			}
		}
		for _, p := range c.c.Parameters() {
			if p == nil {
				return nil, fmt.Errorf("computation %%%s: parameter %d is missing", c.c.Name, len(c.params))
			}
			c.params = append(c.params, c.first+p.Index)
		}
	}
	g.nodes = append(g.nodes, node{operand: int32(len(g.operands)), leaf: int32(len(g.leafShape)), comp: -1})
	for i := range g.comps {
		if err := g.checkCalls(&g.comps[i]); err != nil {
			return nil, err
		}
	}
	g.linkUses()
	g.linkAliases()
	return g, nil
}

// reserve makes room for all instructions: growing step by step leaves twice as much behind as is needed
// (BenchmarkLayout, B/op).
func (g *graph) reserve(instructions int) {
	operands, leaves := 0, 0
	for i := range g.comps {
		for _, in := range g.comps[i].c.Instructions {
			operands += len(in.Operands)
			if in.Shape == nil || !in.Shape.IsTuple() {
				leaves++
			} else {
				leaves += len(g.shape(in.Shape).leaves)
			}
		}
	}
	g.nodes = make([]node, 0, instructions+1)
	g.operands, g.slotNode = make([]int32, 0, operands), make([]int32, 0, operands)
	g.leafShape, g.leafValue, g.leafNode = make([]*hlo.Shape, 0, leaves), make([]int32, 0, leaves), make([]int32, 0, leaves)
	g.values = make([]value, 0, leaves)
}

// add numbers one instruction, its operands, leaves and values, and checks what the pass relies on.
func (g *graph) add(ci, first int32, in *hlo.Instruction) error {
	fail := func(format string, args ...any) error {
		return fmt.Errorf("computation %%%s, instruction %%%s: %s", in.Computation.Name, in.Name, fmt.Sprintf(format, args...))
	}
	if err := checkInstruction(in, fail); err != nil {
		return err
	}
	id := int32(len(g.nodes))
	n := g.newNode(ci, in)
	for _, o := range in.Operands {
		g.operands = append(g.operands, first+o.Index)
		g.slotNode = append(g.slotNode, id)
	}
	info := g.shape(in.Shape)
	for _, s := range info.leaves {
		if s.Rank() > maxRank {
			return fail("rank %d; at most %d is taken", s.Rank(), maxRank)
		}
		if s.Layout != nil && (len(s.Layout.MinorToMajor) != s.Rank() || !hlo.IsPermutation(s.Layout.MinorToMajor)) {
			return fail("layout %s of %s is not an order of its %d dimensions", s.Layout, s, s.Rank())
		}
		n.flat = n.flat && s.Rank() <= 1
	}
	g.leafShape = append(g.leafShape, info.leaves...)
	source, err := g.forwarded(&n, info)
	if err != nil {
		return fail("%v", err)
	}
	n.forward = source != nil || len(info.leaves) == 0 && (n.op == hlo.OpTuple || n.op == hlo.OpGetTupleElement)
	for i, s := range info.leaves {
		g.leafNode = append(g.leafNode, id)
		if source == nil {
			g.leafValue = append(g.leafValue, int32(len(g.values)))
			g.values = append(g.values, value{node: id, leaf: int32(i), shape: s})
		}
	}
	g.leafValue = append(g.leafValue, source...)
	g.nodes = append(g.nodes, n)
	return nil
}

// checkInstruction refuses an instruction without a shape, with operands that are missing or come later, and with
// attributes that do not fit.
func checkInstruction(in *hlo.Instruction, fail func(string, ...any) error) error {
	if in.Shape == nil {
		return fail("no shape")
	}
	if err := checkShapes(in, fail); err != nil {
		return err
	}
	least, most := in.Opcode.Arity()
	if len(in.Operands) < least || most >= 0 && len(in.Operands) > most {
		return fail("%s has %d operands", in.OpName(), len(in.Operands))
	}
	for _, o := range in.Operands {
		if o == nil || o.Computation != in.Computation {
			return fail("an operand is not in this computation")
		}
		if o.Index >= in.Index || o.Index < 0 {
			return fail("operand %%%s is defined after its use", o.Name)
		}
	}
	return nil
}

// newNode returns what an instruction's opcode and attributes say.
func (g *graph) newNode(ci int32, in *hlo.Instruction) node {
	n := node{in: in, comp: ci, operand: int32(len(g.operands)), leaf: int32(len(g.leafShape)), op: in.Opcode,
		keep:  in.Opcode.Flow() == hlo.FlowKeep || in.Opcode == hlo.OpOptBarrier || in.Opcode == hlo.OpAddDependency,
		tuple: in.Shape.IsTuple(), flat: true, rank: uint8(min(in.Shape.Rank(), maxRank)),
		// The log's clusters hold bitcast-converts, too (bitcast_moves).
		elemwise: in.Opcode.Elementwise() || in.Opcode == hlo.OpBitcastConvert}
	switch in.Opcode {
	case hlo.OpSort:
		n.keep = false // operands and results may differ until they are repaired (fuzz_003)
	case hlo.OpCustomCall:
		n.fixed = in.Attr("operand_layout_constraints") != nil
		if v := in.Attr("custom_call_target"); v != nil {
			n.keep = keepTargets[v.Text]
		}
	}
	n.fixed = n.fixed || in.Attr("constrain_layout").Bool()
	switch in.Opcode {
	case hlo.OpTranspose, hlo.OpBroadcast, hlo.OpReduce, hlo.OpConcatenate, hlo.OpSort, hlo.OpAllToAll:
		n.dims = g.numberDims(in.Attr("dimensions"))
	}
	return n
}

// forwarded returns the values that a forwarding instruction shows, nil for an instruction that defines its own.
func (g *graph) forwarded(n *node, info *shapeInfo) ([]int32, error) {
	at := func(slot int32) (lo, hi int32) {
		o := g.operands[slot]
		lo = g.nodes[o].leaf
		return lo, lo + int32(len(g.shape(g.nodes[o].in.Shape).leaves))
	}
	var out []int32
	switch n.op {
	case hlo.OpTuple:
		out = make([]int32, 0, len(info.leaves))
		for s := n.operand; int(s) < len(g.operands); s++ {
			lo, hi := at(s)
			out = append(out, g.leafValue[lo:hi]...)
		}
	case hlo.OpGetTupleElement:
		o := n.in.Operands[0].Shape
		k, ok := n.in.Attr("index").Int()
		if !ok || !o.IsTuple() || k < 0 || int(k) >= len(o.Elems) {
			return nil, fmt.Errorf("index is no element of %s", o)
		}
		lo, _ := at(n.operand)
		starts := g.shape(o).starts
		out = g.leafValue[lo+starts[k] : lo+starts[k+1]]
	case hlo.OpBitcast:
		lo, hi := at(n.operand)
		if !n.tuple && hi-lo == 1 {
			return nil, nil // another shape: a value of its own
		}
		out = g.leafValue[lo:hi]
	case hlo.OpOptBarrier, hlo.OpAddDependency, hlo.OpDomain:
		lo, hi := at(n.operand)
		out = g.leafValue[lo:hi]
	default:
		return nil, nil
	}
	if len(out) != len(info.leaves) {
		return nil, fmt.Errorf("result %s does not fit the operands", n.in.Shape)
	}
	for i, v := range out {
		if !g.values[v].shape.Compatible(info.leaves[i]) {
			return nil, fmt.Errorf("result %s does not fit the operands", n.in.Shape)
		}
	}
	return out, nil
}

func (g *graph) linkUses() {
	count := make([]int32, len(g.nodes)+1)
	for i := range len(g.nodes) - 1 {
		for s := g.nodes[i].operand; s < g.nodes[i+1].operand; s++ {
			count[g.operands[s]+1]++
		}
	}
	for i := range g.nodes {
		g.nodes[i].use = count[i]
		count[i+1] += count[i]
	}
	g.uses = make([]use, len(g.operands))
	for i := range len(g.nodes) - 1 {
		for s := g.nodes[i].operand; s < g.nodes[i+1].operand; s++ {
			o := g.operands[s]
			g.uses[count[o]] = use{int32(i), s}
			count[o]++
		}
	}
}

func (g *graph) linkAliases() {
	g.aliasStart = make([]int32, len(g.values)+1)
	for _, v := range g.leafValue {
		g.aliasStart[v+1]++
	}
	for v := range g.values {
		g.aliasStart[v+1] += g.aliasStart[v]
	}
	g.aliasLeaf = make([]int32, len(g.leafValue))
	next := append([]int32(nil), g.aliasStart...)
	for l, v := range g.leafValue {
		g.aliasLeaf[next[v]] = int32(l)
		next[v]++
	}
}

// numberDims returns the place of a value of the attribute dimensions in g.dims.
func (g *graph) numberDims(v *hlo.Value) int32 {
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

// Short forms.

func (g *graph) slots(n int32) (lo, hi int32)  { return g.nodes[n].operand, g.nodes[n+1].operand }
func (g *graph) leaves(n int32) (lo, hi int32) { return g.nodes[n].leaf, g.nodes[n+1].leaf }
func (g *graph) users(n int32) []use           { return g.uses[g.nodes[n].use:g.nodes[n+1].use] }
func (g *graph) operand(n int32, k int) int32  { return g.operands[g.nodes[n].operand+int32(k)] }
func (g *graph) shapeOf(n int32) *hlo.Shape    { return g.nodes[n].in.Shape }
func (g *graph) dimsOf(nd *node) []int         { return g.dims[nd.dims] }
func (g *graph) node(in *hlo.Instruction) int32 {
	return g.comps[g.compOf[in.Computation]].first + in.Index
}
func (g *graph) valueAt(n int32, leaf int) int32 { return g.leafValue[g.nodes[n].leaf+int32(leaf)] }

// whole returns the value of an array-shaped node.
func (g *graph) whole(n int32) int32 { return g.leafValue[g.nodes[n].leaf] }

// forwardsSlot reports whether the operand's buffer is part of its user's result.
func (g *graph) forwardsSlot(user, slot int32) bool {
	n := &g.nodes[user]
	return n.forward && (n.op != hlo.OpAddDependency || slot == n.operand)
}

// singleUser returns the only user of a node (which may take it several times), -1 if there are none or more.
func (g *graph) singleUser(n int32) int32 {
	us := g.users(n)
	if len(us) == 0 {
		return -1
	}
	for _, u := range us {
		if u.node != us[0].node {
			return -1
		}
	}
	return us[0].node
}

// userCount returns how many instructions use a node.
func (g *graph) userCount(n int32) int {
	count, last := 0, int32(-1)
	for _, u := range g.users(n) {
		if u.node != last {
			count++
			last = u.node
		}
	}
	return count
}
