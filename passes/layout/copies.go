package layout

import (
	"hlolayout/hlo"
	"hlolayout/passes/internal/flat"
	"hlolayout/passes/layout/internal/ordering"
	"hlolayout/passes/plan"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// base is a name that new instructions get a number behind.
type base uint8

const (
	copyBase base = iota
	tupleBase
	gteBase
	numBases
)

var baseText = [numBases]string{copyBase: "copy", tupleBase: "tuple", gteBase: "get-tuple-element"}

// numbered returns the name with a number, 0 for none.
func (b base) numbered(k int) string {
	if k == 0 {
		return baseText[b]
	}
	return baseText[b] + "." + strconv.Itoa(k)
}

// number returns the number of a name that numbered makes; ok is false for others.
func (b base) number(name string) (k int, ok bool) {
	rest, ok := strings.CutPrefix(name, baseText[b])
	if !ok || rest == "" {
		return 0, ok
	}
	k, err := strconv.Atoi(rest[1:])
	return k, err == nil && b.numbered(k) == name
}

// namer gives out names: the lowest number that no instruction of the module has, counted on through all runs.
type namer struct {
	taken [numBases]map[int]bool // numbers; shared by all clones
	next  [numBases]int
	// changed are the instructions of the module that got another name, in the order in which they got their first one.
	changed []*hlo.Instruction
	names   map[*hlo.Instruction]string
}

// renamed notes that an instruction goes by another name from now on.
func (n *namer) renamed(in *hlo.Instruction, name string) {
	if _, ok := n.names[in]; !ok {
		n.changed = append(n.changed, in)
	}
	n.names[in] = name
}

// simplified notes that a get-tuple-element of the given number was replaced by what it gets. XLA keeps the name of
// what is replaced where the opcodes are the same, so that an element that is a get-tuple-element itself is renamed
// (eigh).
func (n *namer) simplified(element *hlo.Instruction, number int) {
	if element.Opcode == hlo.OpGetTupleElement {
		n.renamed(element, gteBase.numbered(number))
	}
}

func newNamer(m *hlo.Module) *namer {
	n := &namer{names: map[*hlo.Instruction]string{}}
	for b := range numBases {
		n.taken[b] = map[int]bool{}
	}
	for _, c := range m.Computations {
		for _, in := range c.Instructions {
			for b := range numBases {
				if k, ok := b.number(in.Name); ok {
					n.taken[b][k] = true
				}
			}
		}
	}
	return n
}

// clone returns a namer that goes on from here by itself.
func (n *namer) clone() *namer {
	return &namer{n.taken, n.next, slices.Clone(n.changed), maps.Clone(n.names)}
}

// take gives out a number.
func (n *namer) take(b base) int {
	for {
		k := n.next[b]
		n.next[b]++
		if !n.taken[b][k] {
			return k
		}
	}
}

// name gives out a number and returns the name with it.
func (n *namer) name(b base) string { return b.numbered(n.take(b)) }

// relayout is one place where a copy has to stand: an operand, or a computation's root (slot -1), whose leaves do not
// lie as they are read.
type relayout struct {
	comp, user, slot int32
	source           int32            // what is copied
	want             []ordering.Order // by leaf, none where it may stay
	why              cause
}

// mismatches calls f for every place where a copy has to stand, in the order in which the compiler makes and names
// them: by computation, instruction, operand, and the root last.
func (e *engine) mismatches(f func(r relayout)) {
	g := e.g
	scratch := make([]ordering.Order, 0, 16)
	for ci := range g.Comps {
		c := &g.Comps[ci]
		for n := c.First; n < c.End; n++ {
			for slot, hi := g.Slots(n); slot < hi; slot++ {
				if e.agrees(n, slot) {
					continue
				}
				want, why := e.wanted(n, slot, scratch[:0])
				e.compare(relayout{comp: int32(ci), user: n, slot: slot, source: g.Operands[slot], want: want, why: why}, f)
			}
		}
		want, why := e.wantedRoot(c, scratch[:0])
		e.compare(relayout{comp: int32(ci), user: -1, slot: -1, source: c.Root, want: want, why: why}, f)
	}
}

// agrees tells at a glance that an operand lies as its user wants it, as most do; false says nothing
// (BenchmarkLayout: mismatches is called in every run, and takes half the time with it).
func (e *engine) agrees(n, slot int32) bool {
	c := &e.operandC[slot]
	switch e.g.Nodes[n].Op {
	case hlo.OpWhile, hlo.OpConditional, hlo.OpCall, hlo.OpAsyncStart, hlo.OpSort:
		return false
	}
	return !c.set() || !e.settled && c.tuple == 0 && c.Order == e.orderOf(e.g.Operands[slot])
}

// compare calls f when some leaf of the source does not lie as wanted.
func (e *engine) compare(r relayout, f func(relayout)) {
	differs := false
	for i, o := range r.want {
		if o == ordering.None {
			continue
		}
		have := e.orderAt(r.source, i)
		if have == ordering.None || have == o || r.user >= 0 && e.readsThrough(r.user, r.slot, have, o) {
			r.want[i] = ordering.None
			continue
		}
		differs = true
	}
	if differs {
		f(r)
	}
}

// readsThrough reports whether a user takes its operand without a copy though it does not lie as wanted: a reshape
// does when the orders differ in the place of dimensions of size 1 only and the result does not depend on it, a
// convolution when the two minor dimensions of its input are swapped (conv_1d_nwc; 6 of 6 in the log).
func (e *engine) readsThrough(user, slot int32, have, want ordering.Order) bool {
	nd := &e.g.Nodes[user]
	a, b := e.Orders.Get(have), e.Orders.Get(want)
	switch nd.Op {
	case hlo.OpReshape:
		if e.off[ruleReadOnes] {
			return false
		}
		out := e.orderAt(user, 0)
		return ordering.SameDense(nd.In.Operands[0].Shape.Dims, a, b) && (e.reshapes(user, have, out) || !e.reshapes(user, want, out))
	case hlo.OpConvolution:
		return e.on(ruleReadSwapped) && slot == nd.FirstSlot && len(a) > 2 && a[0] == b[1] && a[1] == b[0] && slices.Equal(a[2:], b[2:])
	}
	return false
}

// wanted returns the orders in which an operand is read, by leaf; nil where any will do.
func (e *engine) wanted(n, slot int32, buf []ordering.Order) ([]ordering.Order, cause) {
	g := e.g
	nd := &g.Nodes[n]
	k := int(slot - nd.FirstSlot)
	at := int32(-1)
	switch nd.Op {
	case hlo.OpWhile:
		at = e.g.Loop(n).BodyParam
	case hlo.OpConditional:
		if k > 0 {
			at = g.Comps[g.CompOf[nd.In.Called[k-1]]].Params[0]
		}
	case hlo.OpCall:
		at = g.Comps[g.CompOf[nd.In.Called[0]]].Params[k]
	case hlo.OpAsyncStart:
		if b := nd.In.CalledBy("calls"); b != nil { // the short forms call nothing
			at = g.Comps[g.CompOf[b]].Params[k]
		}
	}
	if at >= 0 {
		return e.ordersAt(at, buf), cause{ruleBoundary, at}
	}
	c := &e.operandC[slot]
	switch {
	case c.tuple != 0:
		return append(buf, e.leavesOf(c)...), c.cause
	case c.Order != ordering.None:
		return append(buf, e.legal(n, k, c.Order)), c.cause
	case nd.Op == hlo.OpSort:
		return append(buf, e.legal(n, k, e.orderAt(g.Operands[slot], 0))), cause{ruleFromUser, n}
	}
	return nil, cause{}
}

// wantedRoot returns the orders in which a computation must give its result, nil where any will do.
func (e *engine) wantedRoot(c *flat.Comp, buf []ordering.Order) ([]ordering.Order, cause) {
	g := e.g
	if c.Entry {
		for _, l := range e.entryResult {
			buf = append(buf, l.Order)
		}
		return buf, cause{ruleEntryResult, -1}
	}
	if callers := c.Computation.Callers(); len(callers) > 0 {
		caller := callers[0]
		ci := g.CompOf[caller.Instruction.Computation]
		if ci < 0 {
			return nil, cause{}
		}
		n := g.Comps[ci].First + caller.Instruction.Index
		switch op := caller.Instruction.Opcode; {
		case op == hlo.OpWhile && caller.Key.Name == "body":
			return e.ordersAt(c.Params[0], buf), cause{ruleBoundary, c.Params[0]}
		case op == hlo.OpConditional || op == hlo.OpCall:
			return e.ordersAt(n, buf), cause{ruleBoundary, n}
		}
	}
	return nil, cause{}
}

func (e *engine) ordersAt(n int32, buf []ordering.Order) []ordering.Order {
	lo, hi := e.g.Leaves(n)
	for _, v := range e.g.LeafValue[lo:hi] {
		buf = append(buf, e.bufferC[v].Order)
	}
	return buf
}

// takeNames takes the names that the copies of a run that is not the last would have had, and notes those that stay
// when the copies are gone.
func (e *engine) takeNames(names *namer) {
	e.mismatches(func(r relayout) {
		source, inside := e.g.Nodes[r.source].In, e.insideBranch(r)
		if inside >= 0 {
			source = e.g.Nodes[inside].In
		}
		number := e.takeCopy(names, source, e.g.ShapeOf(r.source), r.want)
		if source.Opcode == hlo.OpTuple && e.g.UserCount(r.source) <= 1 {
			names.renamed(source, tupleBase.numbered(number))
		}
	})
}

// takeCopy takes the names of one copy and returns the number of its last instruction.
func (e *engine) takeCopy(names *namer, x *hlo.Instruction, s *hlo.Shape, want []ordering.Order) int {
	if !s.IsTuple() {
		return names.take(copyBase)
	}
	starts := e.g.Shape(s).Starts
	for i, el := range s.Elems {
		number := names.take(gteBase)
		var element *hlo.Instruction
		if x != nil && x.Opcode == hlo.OpTuple {
			element = x.Operands[i]
			names.simplified(element, number)
		}
		if part := want[starts[i]:starts[i+1]]; anyOf(part) {
			e.takeCopy(names, element, el, part)
		}
	}
	return names.take(tupleBase)
}

func anyOf(want []ordering.Order) bool {
	for _, o := range want {
		if o != ordering.None {
			return true
		}
	}
	return false
}

// edits makes the copies of the present run.
func (e *engine) edits(names *namer, layouts *layoutMemo) []plan.Edit {
	var out []plan.Edit
	e.mismatches(func(r relayout) {
		why := e.reason(r.why, 0, false, 0)
		if p := e.insideBranch(r); p >= 0 {
			out = e.branchEdits(out, r, p, names, layouts, why)
			return
		}
		source := e.g.Nodes[r.source].In
		b := &copier{e: e, names: names, layouts: layouts}
		b.copy(source, source, e.currentShape(r.source, layouts), r.want)
		t := plan.Target{}
		if r.user >= 0 {
			t = plan.Target{User: e.g.Nodes[r.user].In, Operand: int(r.slot - e.g.Nodes[r.user].FirstSlot)}
		}
		out = append(out, plan.Edit{Computation: e.g.Comps[r.comp].Computation, New: b.made, Targets: []plan.Target{t}, Reason: why})
	})
	return out
}

// copier builds the instructions of one edit.
type copier struct {
	e       *engine
	names   *namer
	layouts *layoutMemo
	made    []*hlo.Instruction
}

// copy makes x lie as wanted and returns the result. The attributes are those of origin: what x is an element of.
// shape is x's shape as it will be.
func (b *copier) copy(x, origin *hlo.Instruction, shape *hlo.Shape, want []ordering.Order) *hlo.Instruction {
	m := b.e.g.Module
	if !shape.IsTuple() {
		c := &hlo.Instruction{Name: b.names.name(copyBase), Opcode: hlo.OpCopy, Operands: []*hlo.Instruction{x}, Pos: -1,
			Attrs: copiedAttrs(origin), Shape: m.Intern(shape.WithLayout(b.layouts.get(shape, want[0])))}
		b.made = append(b.made, c)
		return c
	}
	starts := b.e.g.Shape(shape).Starts
	parts := make([]*hlo.Instruction, len(shape.Elems))
	elems := make([]*hlo.Shape, len(shape.Elems))
	for i, el := range shape.Elems {
		number := b.names.take(gteBase)
		part := want[starts[i]:starts[i+1]]
		if x.Opcode == hlo.OpTuple {
			parts[i] = x.Operands[i] // an element of a tuple is simplified away
			b.names.simplified(parts[i], number)
		} else {
			parts[i] = &hlo.Instruction{Name: gteBase.numbered(number), Opcode: hlo.OpGetTupleElement, Operands: []*hlo.Instruction{x}, Pos: -1, Shape: m.Intern(el),
				Attrs: append([]hlo.Attr{{Key: hlo.InstructionAttr("index"), Value: &hlo.Value{Kind: hlo.IntValue, Text: strconv.Itoa(i)}}}, copiedAttrs(origin)...)}
			b.made = append(b.made, parts[i])
		}
		elems[i] = el
		if anyOf(part) {
			parts[i] = b.copy(parts[i], origin, el, part)
			elems[i] = parts[i].Shape
		}
	}
	t := &hlo.Instruction{Name: b.names.name(tupleBase), Opcode: hlo.OpTuple, Operands: parts, Pos: -1,
		Attrs: copiedAttrs(origin), Shape: m.Intern(hlo.NewTuple(elems...))}
	b.made = append(b.made, t)
	return t
}

// copiedAttrs are the attributes that a copy takes from what it copies: sharding (but not onto a single device),
// frontend_attributes and metadata, in print order.
func copiedAttrs(in *hlo.Instruction) []hlo.Attr {
	var out []hlo.Attr
	for _, a := range in.Attrs {
		switch a.Key.Name {
		case "sharding":
			if strings.Contains(a.Value.Text, "maximal") {
				continue
			}
		case "frontend_attributes", "metadata":
		default:
			continue
		}
		out = append(out, a)
	}
	return out
}
