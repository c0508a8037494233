package flat

import (
	"fmt"
	"iter"
	"slices"
	"strconv"
	"strings"
	"sync"

	"hlolayout/hlo"
)

// What is asked of a graph, and of an instruction.

func (g *Graph) Loop(n NodeID) loop {
	in := g.Nodes[n].In
	body := &g.Comps[g.CompOf(in.CalledBy("body"))]
	cond := &g.Comps[g.CompOf(in.CalledBy("condition"))]
	return loop{body.Params[0], body.Root, cond.Params[0]}
}

// Passed returns the parameter as which a loop's body, a branch or a called computation takes an operand, -1 where none
// does. The short forms of asynchronous operations call nothing.
func (g *Graph) Passed(n NodeID, k int) NodeID {
	switch nd := &g.Nodes[n]; {
	case nd.Op == hlo.OpWhile:
		return g.Loop(n).BodyParam
	case nd.Op == hlo.OpConditional && k > 0:
		return g.Comps[g.CompOf(nd.In.Called()[k-1])].Params[0]
	case nd.Op == hlo.OpCall:
		return g.Comps[g.CompOf(nd.In.Called()[0])].Params[k]
	case nd.Op == hlo.OpAsyncStart && nd.In.CalledBy("calls") != nil:
		return g.Comps[g.CompOf(nd.In.CalledBy("calls"))].Params[k]
	}
	return -1
}

// InLoop reports whether a computation is a loop's body or condition.
func (g *Graph) InLoop(ci CompID) bool {
	return slices.ContainsFunc(g.Comps[ci].Computation.Callers(),
		func(c hlo.Caller) bool { return c.Instruction.Opcode == hlo.OpWhile })
}

// Asynchronous reports whether an operation is one half of a pair whose layouts go together.
func Asynchronous(op hlo.Opcode) bool {
	set := asynchronous()
	return set.Has(op)
}

var asynchronous = sync.OnceValue(func() hlo.OpSet {
	list := []hlo.Opcode{hlo.OpSend, hlo.OpRecv}
	for _, op := range hlo.Opcodes() {
		for _, end := range [...]string{"-start", "-update", "-done"} {
			if strings.HasSuffix(op.String(), end) {
				list = append(list, op)
			}
		}
	}
	return hlo.Ops(list...)
})

func (g *Graph) RunsAsync(comp CompID) bool {
	return slices.ContainsFunc(g.Comps[comp].Computation.Callers(),
		func(c hlo.Caller) bool { return Asynchronous(c.Instruction.Opcode) })
}

func (g *Graph) ReadByBitcast(v ValueID) bool {
	if !g.bitcasts { // as in most programs
		return false
	}
	for _, u := range g.Readers(v) {
		if g.Nodes[u.Node].Op == hlo.OpBitcast {
			return true
		}
	}
	return false
}

func (g *Graph) IsEntryParameter(n NodeID) bool {
	nd := &g.Nodes[n]
	return nd.Op == hlo.OpParameter && g.Comps[nd.Comp].Entry
}

// CallersOf returns the nodes of an opcode that call a computation.
func (g *Graph) CallersOf(c *hlo.Computation, op hlo.Opcode) (callers []NodeID) {
	for _, caller := range c.Callers() {
		if in := caller.Instruction; in.Opcode == op && g.CompOf(in.Computation) >= 0 {
			callers = append(callers, g.Node(in))
		}
	}
	return callers
}

// Calls reports whether a node is a loop, a conditional or a call.
func (g *Graph) Calls(n NodeID) bool {
	op := g.Nodes[n].Op
	return op == hlo.OpWhile || op == hlo.OpConditional || op == hlo.OpCall
}

func (g *Graph) Slots(n NodeID) (lo, hi SlotID) { return g.Nodes[n].FirstSlot, g.Nodes[n+1].FirstSlot }

func (g *Graph) Leaves(n NodeID) (lo, hi LeafID) { return g.Nodes[n].FirstLeaf, g.Nodes[n+1].FirstLeaf }

// ShownBy returns the nodes that show a value, each as often as it does.
func (g *Graph) ShownBy(v ValueID) []NodeID { return g.shownBy.Of(v) }

func (g *Graph) Users(n NodeID) []Use { return g.uses[g.Nodes[n].use:g.Nodes[n+1].use] }

// Readers yields the uses of a value as an array, each with the node that shows it there: the value's own, or one that
// takes it out of a tuple.
func (g *Graph) Readers(v ValueID) iter.Seq2[NodeID, Use] {
	return func(yield func(NodeID, Use) bool) {
		for _, n := range g.ShownBy(v) {
			if g.Nodes[n].Tuple {
				continue
			}
			for _, u := range g.Users(n) {
				if !yield(n, u) {
					return
				}
			}
		}
	}
}

// Slot returns the slot of operand k of a node, OperandNumber k for a slot.
func (g *Graph) Slot(n NodeID, k int) SlotID { return g.Nodes[n].FirstSlot + SlotID(k) }

func (g *Graph) OperandNumber(s SlotID) int { return int(s - g.Nodes[g.SlotNode[s]].FirstSlot) }

func (g *Graph) Operand(n NodeID, k int) NodeID { return g.Operands[g.Slot(n, k)] }

// OperandsOf returns the operands of a node.
func (g *Graph) OperandsOf(n NodeID) []NodeID {
	return g.Operands[g.Nodes[n].FirstSlot:g.Nodes[n+1].FirstSlot]
}

func (g *Graph) ShapeOf(n NodeID) *hlo.Shape { return g.Nodes[n].In.Shape }

// DimsOf returns the attribute dimensions of a node, as New reads it of some opcodes.
func (g *Graph) DimsOf(n NodeID) []int { return g.dims[g.dimsOf[n]] }

// CompOf returns the number of a computation, -1 for bodies of fusions, and for what is applied to scalars.
func (g *Graph) CompOf(c *hlo.Computation) CompID { return g.compOf[c.Index] }

func (g *Graph) Node(in *hlo.Instruction) NodeID {
	return g.Comps[g.CompOf(in.Computation)].First + NodeID(in.Index)
}

func (g *Graph) ValueAt(n NodeID, leaf int) ValueID {
	return g.LeafValue[g.Nodes[n].FirstLeaf+LeafID(leaf)]
}

// ValuesOf returns the values of a node, by leaf.
func (g *Graph) ValuesOf(n NodeID) []ValueID {
	return g.LeafValue[g.Nodes[n].FirstLeaf:g.Nodes[n+1].FirstLeaf]
}

// PartOf returns the values of element k of a tuple, none where there is no such element. Of what an asynchronous
// operation's start gives, element 0 is the operands and element 1 the result.
func (g *Graph) PartOf(n NodeID, k int) []ValueID {
	starts := g.Shape(g.ShapeOf(n)).Starts
	if k+1 >= len(starts) {
		return nil
	}
	return g.ValuesOf(n)[starts[k]:starts[k+1]]
}

// Defined returns the values that a node defines, none for one that shows its operands'.
func (g *Graph) Defined(n NodeID) []ValueID {
	if g.Nodes[n].Forward {
		return nil
	}
	return g.ValuesOf(n)
}

// Whole returns the value of an array-shaped node.
func (g *Graph) Whole(n NodeID) ValueID { return g.LeafValue[g.Nodes[n].FirstLeaf] }

// ForwardsSlot reports whether the operand's buffer is part of its user's result.
func (g *Graph) ForwardsSlot(user NodeID, slot SlotID) bool {
	n := &g.Nodes[user]
	return n.Forward && (n.Op != hlo.OpAddDependency || slot == n.FirstSlot)
}

// SingleUser returns the only user of a node (which may take it several times), -1 if there are none or more.
func (g *Graph) SingleUser(n NodeID) NodeID {
	us := g.Users(n)
	if len(us) == 0 {
		return -1
	}
	for _, u := range us {
		if u.Node != us[0].Node {
			return -1
		}
	}
	return us[0].Node
}

// OperandsFirst returns, by node, what f makes of each node and of what it made of the nodes before: a long chain is
// followed in one walk. It is kept in made, and f is not asked again.
func OperandsFirst[T any](g *Graph, made *[]T, f func(n NodeID, made []T) T) []T {
	if *made == nil {
		*made = make([]T, len(g.Nodes))
		for n := range NodeID(len(g.Nodes) - 1) {
			(*made)[n] = f(n, *made)
		}
	}
	return *made
}

// UsersFirst is OperandsFirst in the other direction.
func UsersFirst[T any](g *Graph, made *[]T, f func(n NodeID, made []T) T) []T {
	if *made == nil {
		*made = make([]T, len(g.Nodes))
		for n := NodeID(len(g.Nodes) - 2); n >= 0; n-- {
			(*made)[n] = f(n, *made)
		}
	}
	return *made
}

// FromSingleUsers is UsersFirst of what f makes of a node, its one user, and what it made of that; none where there are
// others or none.
func FromSingleUsers[T any](g *Graph, made *[]T, none T, f func(n, user NodeID, of T) T) []T {
	return UsersFirst(g, made, func(n NodeID, made []T) T {
		if u := g.SingleUser(n); u >= 0 {
			return f(n, u, made[u])
		}
		return none
	})
}

// IsReadBy reports whether some user of a node is one of the given operations.
func (g *Graph) IsReadBy(n NodeID, ops ...hlo.Opcode) bool {
	return slices.ContainsFunc(g.Users(n), func(u Use) bool { return slices.Contains(ops, g.Nodes[u.Node].Op) })
}

// IsTaken reports whether a tuple or the like has what a node gives, or an element of it, but for the one that a loop
// asking for it reads.
func (g *Graph) IsTaken(n, user NodeID) bool {
	if user >= 0 && g.Nodes[user].Op == hlo.OpWhile {
		return len(g.ShownBy(g.Whole(n))) > 2
	}
	takes := func(by NodeID) bool { return by != n && g.Nodes[by].Op != hlo.OpGetTupleElement }
	return slices.ContainsFunc(g.ValuesOf(n), func(v ValueID) bool { return slices.ContainsFunc(g.ShownBy(v), takes) })
}

// IsPadded reports whether some operand of a node is a pad (5 of 5 refuse).
func (g *Graph) IsPadded(n NodeID) bool {
	return slices.ContainsFunc(g.OperandsOf(n), func(o NodeID) bool { return g.Nodes[o].Op == hlo.OpPad })
}

// DistinctUsers counts a node's users, each once, but the given one.
func (g *Graph) DistinctUsers(n, but NodeID) int64 {
	count, last := int64(0), but
	for _, u := range g.Users(n) {
		if u.Node != last && u.Node != but {
			count, last = count+1, u.Node
		}
	}
	return count
}

// IsConstraint reports whether a node is a LayoutConstraint: a custom call that gives its operand in another layout.
func (g *Graph) IsConstraint(n NodeID) bool {
	nd := &g.Nodes[n]
	if !nd.Fixed || len(nd.In.Operands) != 1 || !nd.In.Shape.Compatible(g.ShapeOf(g.Operand(n, 0))) {
		return false
	}
	t := nd.In.Attr("custom_call_target")
	return t != nil && t.Text == layoutConstraint
}

// Asked returns the shape, with its layouts, in which a custom call requests an operand; nil where it requests none. A
// LayoutConstraint requests its own.
func (g *Graph) Asked(n NodeID, k int) *hlo.Shape {
	nd := &g.Nodes[n]
	operand := g.ShapeOf(g.Operand(n, k))
	if g.IsConstraint(n) {
		return nd.In.Shape
	}
	if v := nd.In.Attr("operand_layout_constraints"); v != nil && k < len(v.Elems) && v.Elems[k].Shape != nil &&
		v.Elems[k].Shape.Compatible(operand) {
		return v.Elems[k].Shape
	}
	return nil
}

// Window returns one list of an instruction's window, such as its sizes, by dimension of the first operand; nil where
// it has none or it does not fit the rank.
func (g *Graph) Window(n NodeID, key string) []int64 {
	in := g.Nodes[n].In
	v := in.Attr("window").Get(key)
	if v == nil {
		return nil
	}
	var out []int64
	for _, p := range strings.Split(v.Text, "x") {
		k, err := strconv.ParseInt(p, 10, 64)
		if err != nil {
			return nil
		}
		out = append(out, k)
	}
	if len(out) != in.Operands[0].Shape.Rank() {
		return nil
	}
	return out
}

// Assigned reports whether every array outside of fusion bodies has a tile, or an order where it has no elements.
func (g *Graph) Assigned() bool {
	for n := range g.Nodes[:len(g.Nodes)-1] {
		for _, s := range g.Shape(g.Nodes[n].In.Shape).Leaves {
			if s.IsArray() && (s.Layout == nil || len(s.Layout.Tiles) == 0 && !slices.Contains(s.Dims, 0)) {
				return false
			}
		}
	}
	return true
}

// loop is a while's inside.
type loop struct{ BodyParam, BodyRoot, CondParam NodeID }

// checkConvLabels checks dim_labels against the shapes.
func checkConvLabels(in *hlo.Instruction) error {
	v := in.Attr("dim_labels")
	if v == nil {
		return fmt.Errorf("convolution without dim_labels")
	}
	l, _ := in.DimLabels()
	for i, p := range []struct {
		labels, letters string
		shape           *hlo.Shape
	}{{l.Input, "bf", in.Operands[0].Shape}, {l.Kernel, "io", in.Operands[1].Shape}, {l.Output, "bf", in.Shape}} {
		if len(p.labels) != p.shape.Rank() || len(p.labels) != len(l.Input) || len(l.Input) > 12 {
			return fmt.Errorf("dim_labels=%s does not fit the shapes", v.Text)
		}
		for k := range len(p.labels) - 2 {
			p.letters += fmt.Sprint(k)
		}
		for _, c := range p.letters {
			if strings.Count(p.labels, string(c)) != 1 {
				return fmt.Errorf("dim_labels=%s: part %d has not each of %s once", v.Text, i, p.letters)
			}
		}
	}
	return nil
}

// UpdatesAt is the operand number of a scatter's first updates: tables come first, then the indices, then as many
// updates.
func UpdatesAt(scatter *hlo.Instruction) int { return (len(scatter.Operands)-1)/2 + 1 }

// GatherScatterIn returns the first gather or scatter of a custom fusion's body.
func GatherScatterIn(fusion *hlo.Instruction) *hlo.Instruction {
	if v := fusion.Attr("kind"); v == nil || v.Text != "kCustom" || len(fusion.Called()) == 0 {
		return nil
	}
	for _, in := range fusion.Called()[0].Instructions {
		if in.Opcode == hlo.OpGather || in.Opcode == hlo.OpScatter {
			if len(in.Operands) < 2 || CheckShapes(in, fmt.Errorf) != nil {
				return nil
			}
			return in
		}
	}
	return nil
}
