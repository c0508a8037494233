package layout

import (
	"fmt"
	"hlolayout/hlo"
	"hlolayout/passes/layout/internal/ordering"
	"hlolayout/passes/plan"
	"slices"
)

// Codes says what each code of an error about a pin or an entry layout means. The first line of an example has the
// flags.
var Codes = []hlo.Code{
	{Name: "PIN101", Meaning: "a pin names a value, or an entry layout a parameter, that the module does not have",
		Example: "// --pin '%negative={0,1}'" + codeExample},
	{Name: "PIN102", Meaning: "the order asked for is no permutation of the array's dimensions",
		Example: "// --pin '%negate={0,0}'" + codeExample},
	{Name: "PIN103", Meaning: "there is no array at that place: the shape has no such part, or the part is a tuple or a token",
		Example: "// --pin '%pair={0,1}'" + codeExample},
	{Name: "PIN104", Meaning: "the value's layout is not the pass's to choose: it is an entry parameter (use --entry), lies inside of a fusion, " +
		"carries its layout with it, is a bitcast or read by one, or belongs to an asynchronous operation",
		Example: "// --pin '%p={0,1}'" + codeExample},
	{Name: "PIN105", Meaning: "the operation cannot give its result in that order, whatever copies are made around it",
		Example: "// --pin '%reshape={0,1}'" + codeExample},
	{Name: "PIN106", Meaning: "two pins contradict each other: on one value, or on values that are one array, such as those that a loop carries",
		Example: "// --pin '%negate={0,1}' --pin '%pair{0}={1,0}'" + codeExample},
	{Name: "PIN107", Meaning: "there is nothing to pin: the module has its layouts already",
		Example: "// --pin '%n={0,1}'\nHloModule m\n\nENTRY %main {\n  %p = f32[8,128]{1,0:T(8,128)} parameter(0)\n" +
			"  ROOT %n = f32[8,128]{1,0:T(8,128)} negate(%p)\n}\n"},
	{Name: "PIN108", Meaning: "the pin does not hold, or makes the module illegal, for a reason that no other code has"},
}

const codeExample = `
HloModule m

ENTRY %main {
  %p = f32[6,4] parameter(0)
  %negate = f32[6,4] negate(%p)
  %reshape = f32[4,6] reshape(%p)
  ROOT %pair = (f32[6,4], f32[4,6]) tuple(%negate, %reshape)
}
`

// held is what the caller pins. It is nil maps, which are asked at no cost, where there is nothing.
type held struct {
	list   []int32             // values, in the order in which they were asked for
	values map[int32]heldValue // by value
	// slots are operands that must be read in one order, so that the instruction can give its pinned result
	slots map[int32]ordering.Order
	// refitted are those that a run showed to be needed, in the order in which they were found
	refitted []int32
	refused  map[int32][]beaten // by value: what rules wanted in its place
}

type heldValue struct {
	order   ordering.Order
	pin     int32        // the node that was named
	because *plan.Reason // of a soft pin
}

// pinError returns an error at an instruction, or about the module where it is nil.
func pinError(m *hlo.Module, in *hlo.Instruction, code, hint, format string, args ...any) error {
	e := &hlo.Error{File: m.File, Code: code, Msg: fmt.Sprintf(format, args...), Hint: hint}
	if in != nil && in.Pos >= 0 {
		e.Line, e.Col = m.Position(in.Pos)
	}
	return hlo.ErrorList{e}
}

// hold resolves the pins, and what each of them takes with it, or says which cannot be had.
func (e *engine) hold(pins []plan.Pin) error {
	if len(pins) == 0 || e.off[rulePin] {
		return nil
	}
	e.held = held{values: map[int32]heldValue{}, slots: map[int32]ordering.Order{}, refused: map[int32][]beaten{}}
	for _, p := range pins {
		mark := len(e.held.list)
		if err := e.holdPin(p); err == nil {
			continue
		} else if p.Because == nil {
			return err
		}
		e.release(mark)
	}
	return nil
}

// release lets the values go that are held from number mark on.
func (e *engine) release(mark int) {
	for _, v := range e.held.list[mark:] {
		delete(e.held.values, v)
		for s, hi := e.g.Slots(e.g.Values[v].Node); s < hi; s++ {
			delete(e.held.slots, s)
		}
	}
	e.held.list = e.held.list[:mark]
}

func (e *engine) holdPin(p plan.Pin) error {
	g := e.g
	in := p.Value
	if in == nil {
		var err error
		if in, err = FindValue(g.Module, p.Name); err != nil {
			return err
		}
	}
	fail := func(code, hint, format string, args ...any) error {
		return pinError(g.Module, in, code, hint, "%%%s: %s", in.Name, fmt.Sprintf(format, args...))
	}
	leaf, err := Leaf(g.Module, in, in.Shape, p.Index, p.MinorToMajor)
	if err != nil {
		return err
	}
	if ci, ok := g.CompOf[in.Computation]; !ok || ci < 0 {
		return fail("PIN104", "", "it lies inside of a fusion, where the pass chooses no layouts")
	}
	if leaf.Rank() < 2 {
		return nil // there is one order only
	}
	n := g.Node(in)
	l := slices.IndexFunc(g.Shape(in.Shape).Indices, func(x hlo.Index) bool { return slices.Equal(x, p.Index) })
	o := e.Orders.Of(p.MinorToMajor)
	tied := []int32{g.ValueAt(n, l)}
	for i := 0; i < len(tied); i++ {
		v := tied[i]
		if h, ok := e.held.values[v]; ok {
			if h.order != o {
				return fail("PIN106", "", "%s contradicts %s, in which %%%s is pinned: the two are one array", ordering.OrderText(p.MinorToMajor),
					ordering.OrderText(e.Orders.Get(h.order)), g.Nodes[h.pin].In.Name)
			}
			continue
		}
		e.held.list = append(e.held.list, v)
		if code, why := e.cannotHold(v, p.MinorToMajor); code != "" {
			hint := ""
			if code == "PIN104" && e.g.IsEntryParameter(g.Values[v].Node) {
				hint = fmt.Sprintf("ask for it with --entry '%%%s=%s'", g.Nodes[g.Values[v].Node].In.Name, ordering.OrderText(p.MinorToMajor))
			}
			return fail(code, hint, "%s cannot be had: %s", ordering.OrderText(p.MinorToMajor), why)
		}
		e.held.values[v] = heldValue{o, n, p.Because}
		tied = append(tied, e.tiedTo(v)...)
	}
	return nil
}

// FindValue returns the instruction of that name. The error, PIN101, has the nearest name.
func FindValue(m *hlo.Module, name string) (*hlo.Instruction, error) {
	in, near := m.Find(name)
	if in != nil {
		return in, nil
	}
	hint := ""
	if near != "" {
		hint = "did you mean %" + near + "?"
	}
	return nil, pinError(m, nil, "PIN101", hint, "no value %%%s in module %s", name, m.Name)
}

// Leaf returns the array at an index of a shape, which belongs to the instruction, when minorToMajor is an order of
// its dimensions. Errors: PIN102, PIN103.
func Leaf(m *hlo.Module, in *hlo.Instruction, s *hlo.Shape, index hlo.Index, minorToMajor []int) (*hlo.Shape, error) {
	leaf := s.At(index)
	switch {
	case leaf == nil:
		return nil, pinError(m, in, "PIN103", "", "%%%s has no part %s: its shape is %s", in.Name, ordering.OrderText(index), s)
	case leaf.IsTuple():
		return nil, pinError(m, in, "PIN103", "name a part, as in %"+in.Name+"{0}", "%%%s is a tuple there: %s", in.Name, leaf)
	case !leaf.IsArray():
		return nil, pinError(m, in, "PIN103", "", "%%%s is no array there: %s", in.Name, leaf)
	case len(minorToMajor) != leaf.Rank() || !hlo.IsPermutation(minorToMajor):
		return nil, pinError(m, in, "PIN102", fmt.Sprintf("an order names each of 0 to %d once, the minor dimension first", leaf.Rank()-1),
			"%%%s: %s is no order of the %d dimensions of %s", in.Name, ordering.OrderText(minorToMajor), leaf.Rank(), leaf)
	}
	return leaf, nil
}

// tiedTo returns the values that have to lie as v does: what a loop carries under all its names, the results of all
// calls of one computation, and of an operation with several results that keeps layouts those of the same rank.
func (e *engine) tiedTo(v int32) (out []int32) {
	g := e.g
	n, leaf := g.Values[v].Node, int(g.Values[v].Leaf)
	nd := &g.Nodes[n]
	loop := func(while int32) {
		w := e.g.Loop(while)
		for _, x := range [...]int32{while, w.BodyParam, w.CondParam} {
			out = append(out, g.ValueAt(x, leaf))
		}
	}
	switch {
	case nd.Op == hlo.OpWhile:
		loop(n)
	case nd.Op == hlo.OpParameter:
		for _, caller := range g.Comps[nd.Comp].Computation.Callers() {
			if in := caller.Instruction; in.Opcode == hlo.OpWhile && g.CompOf[in.Computation] >= 0 {
				loop(g.Node(in))
			}
		}
	case nd.Op == hlo.OpCall:
		for _, caller := range nd.In.Called[0].Callers() {
			if in := caller.Instruction; in.Opcode == hlo.OpCall && g.CompOf[in.Computation] >= 0 {
				out = append(out, g.ValueAt(g.Node(in), leaf))
			}
		}
	case nd.Tuple && (nd.Keep || nd.Op == hlo.OpReduce || nd.Op == hlo.OpSort):
		for l, hi := g.Leaves(n); l < hi; l++ {
			if g.LeafShape[l].Rank() == g.Values[v].Shape.Rank() {
				out = append(out, g.LeafValue[l])
			}
		}
	}
	return out
}

// setHeld begins a round with what is held. It is mandatory and explored as soon as any other mandatory layout.
func (e *engine) setHeld() {
	clear(e.held.refused)
	for _, v := range e.held.list {
		h := e.held.values[v]
		e.setBuffer(v, h.order.Untiled(), must, cause{rulePin, h.pin})
		n := e.g.Values[v].Node
		for s, hi := e.g.Slots(n); s < hi; s++ {
			if o, ok := e.held.slots[s]; ok {
				e.setOperand(n, s, o.Untiled(), must, cause{rulePin, h.pin})
			}
		}
	}
	for _, s := range e.held.refitted {
		n := e.g.SlotNode[s]
		e.setOperand(n, s, e.held.slots[s].Untiled(), must, cause{ruleFromUser, n})
	}
}

// refuses reports whether a value is held in another order than the one that a rule wants, and notes the rule.
func (e *engine) refuses(v int32, o ordering.Order, why cause) bool {
	h, ok := e.held.values[v]
	if !ok || h.order == o {
		return false
	}
	if h.because != nil {
		return true
	}
	lost := beaten{order: o, cause: why}
	if list := e.held.refused[v]; !slices.Contains(list, lost) {
		e.held.refused[v] = append(list, lost)
	}
	return true
}

// holdsSoftly reports whether some part of a node has a soft pin.
func (e *engine) holdsSoftly(n int32) bool {
	for l, hi := e.g.Leaves(n); l < hi; l++ {
		if e.held.values[e.g.LeafValue[l]].because != nil {
			return true
		}
	}
	return false
}

// holdsAny reports whether some part of a node is held.
func (e *engine) holdsAny(n int32) bool {
	for l, hi := e.g.Leaves(n); l < hi && len(e.held.list) > 0; l++ {
		if _, ok := e.held.values[e.g.LeafValue[l]]; ok {
			return true
		}
	}
	return false
}

// checkHeld says which pin does not hold after the last run.
func (e *engine) checkHeld() error {
	for _, v := range e.held.list {
		h, val := e.held.values[v], &e.g.Values[v]
		if h.because != nil {
			continue
		}
		in := e.g.Nodes[h.pin].In
		if o := e.lies(val.Node, int(val.Leaf)); o != h.order {
			return pinError(e.g.Module, in, "PIN108", "", "%%%s: %s does not hold: it lies as %s (%s)", in.Name, ordering.OrderText(e.Orders.Get(h.order)),
				ordering.OrderText(e.Orders.Get(o)), e.table[e.bufferC[v].cause.rule].Text)
		}
		if w := e.windowAt[val.Node]; w >= 0 && !e.windows[w].valid(e) {
			return pinError(e.g.Module, in, "PIN105", "", "%%%s: %s cannot be had: %s", in.Name, ordering.OrderText(e.Orders.Get(h.order)),
				"a gather or scatter needs the dimensions of its window minor")
		}
	}
	if first := e.held.list; e.refit() && e.held.values[first[0]].because == nil { // those of the caller come first
		in := e.g.Nodes[e.held.values[e.held.list[0]].pin].In
		return pinError(e.g.Module, in, "PIN108", "", "%%%s: the pass did not come to an end with it", in.Name)
	}
	return nil
}
