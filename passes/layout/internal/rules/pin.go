package rules

import (
	"errors"
	"fmt"

	"hlolayout/hlo"
	"hlolayout/passes/internal/flat"
	"hlolayout/passes/layout/internal/constraint"
	"hlolayout/passes/layout/internal/ordering"
	"hlolayout/passes/layout/internal/rule"
	"hlolayout/passes/plan"
)

func pinRules(e *Set) rule.Rows {
	return rule.Rows{
		rule.Refit: {Name: "refit", Stage: rule.Repair, Evidence: []string{"pinned_reduce"},
			Doc: "In a module with pins, operands from which an operation cannot make its pinned result are read " +
				"in the order that it requests.",
			Step: rule.HeldStep, Find: e.refit, Required: true},
	}
}

// PinError returns an error at an instruction, or about the module where it is nil.
func PinError(m *hlo.Module, in *hlo.Instruction, code, hint, format string, args ...any) error {
	e := &hlo.Error{File: m.File, Code: code, Msg: fmt.Sprintf(format, args...), Hint: hint}
	if in != nil {
		e.Line, e.Col = m.Position(in.Pos)
	}
	return hlo.ErrorList{e}
}

// fail returns an error about a value that is pinned.
func (e *Set) fail(in *hlo.Instruction, code, hint, format string, args ...any) error {
	return PinError(e.G.Module, in, code, hint, "%%%s: %s", in.Name, fmt.Sprintf(format, args...))
}

// text is an order as errors show it.
func (e *Set) text(o ordering.Order) string { return ordering.OrderText(e.Orders.Get(o)) }

// Hold resolves the pins, and what each of them takes with it, or says which is not possible.
func (e *Set) Hold(pins []plan.Pin, soft plan.SoftPins) error {
	if len(pins)+len(soft.List) == 0 || !e.On(rule.Pin) {
		return nil
	}
	e.Held = constraint.Held{Values: make([]constraint.HeldValue, len(e.G.Values)),
		Slots: make([]ordering.Order, len(e.G.Operands)), Refused: map[flat.ValueID][]constraint.Overridden{}}
	for _, p := range pins {
		mark := len(e.Held.List)
		if err := e.holdPin(p); err != nil {
			if p.Because == nil {
				return err
			}
			e.release(mark) // a soft pin is left out
		}
	}
	orders := make([]ordering.Order, len(soft.Orders))
	for _, p := range soft.List {
		if p.Value.Computation.IsFused() {
			continue
		}
		o := &orders[p.Order]
		if *o == ordering.None {
			*o = e.Orders.Of(soft.Orders[p.Order])
		}
		n, mark := e.G.Node(p.Value), len(e.Held.List)
		if e.holdTied(n, e.G.ValueAt(n, int(p.Leaf)), *o, p.Because) != nil {
			e.release(mark)
		}
	}
	return nil
}

// release gives up the values that are held from number mark on.
func (e *Set) release(mark int) {
	for _, v := range e.Held.List[mark:] {
		e.Held.Values[v] = constraint.HeldValue{}
		lo, hi := e.G.Slots(e.G.Values[v].Node)
		clear(e.Held.Slots[lo:hi])
	}
	e.Held.List = e.Held.List[:mark]
}

// errLeftOut stands for the error about a soft pin, which nobody reads.
var errLeftOut = errors.New("a soft pin is left out")

func (e *Set) holdPin(p plan.Pin) error {
	g := e.G
	in := p.Value
	if in == nil {
		near, hint := "", ""
		if in, near = g.Module.Find(p.Name); near != "" {
			hint = "did you mean %" + near + "?"
		}
		if in == nil {
			return PinError(g.Module, nil, "PIN101", hint, "no value %%%s in module %s", p.Name, g.Module.Name)
		}
	}
	leaf, err := Leaf(g.Module, in, in.Shape, p.Index, p.MinorToMajor)
	if err != nil {
		return err
	}
	if in.Computation.IsFused() {
		return e.fail(in, "PIN104", "", "it is inside a fusion, where the pass chooses no layouts")
	}
	if leaf.Rank() < 2 {
		return nil // there is one order only
	}
	n := g.Node(in)
	return e.holdTied(n, g.ValueAt(n, g.LeafAt(in.Shape, p.Index)), e.Orders.Of(p.MinorToMajor), p.Because)
}

// holdTied holds a value of node n in an order, with all that are tied to it, for a reason that a soft pin has.
func (e *Set) holdTied(n flat.NodeID, value flat.ValueID, o ordering.Order, because *plan.Reason) error {
	tied := append(e.tied[:0], value)
	defer func() { e.tied = tied }()
	called := map[calledLeaf]bool{}
	for i := 0; i < len(tied); i++ {
		v, code, why := tied[i], "PIN106", ""
		h := e.Held.Value(v)
		if h.Order == o {
			continue
		}
		if h.Order == ordering.None {
			e.Held.List = append(e.Held.List, v)
			code, why = e.cannotHold(v, o, because != nil)
		}
		switch {
		case code == "":
			e.Held.Values[v] = constraint.HeldValue{Order: o, Pin: n, Because: because}
			tied = append(tied, e.tiedTo(v, called)...)
		case because != nil:
			return errLeftOut
		default:
			return e.refused(n, v, o, code, why)
		}
	}
	return nil
}

// refused returns the error about a pin that requests an order in which v cannot be, with the code and the reason.
func (e *Set) refused(pinned flat.NodeID, v flat.ValueID, o ordering.Order, code, why string) error {
	in, x, hint := e.G.Nodes[pinned].In, e.G.Values[v].Node, ""
	if code == "PIN106" {
		h := e.Held.Value(v)
		return e.fail(in, code, "", "%s contradicts %s, in which %%%s is pinned: the two are one array", e.text(o),
			e.text(h.Order), e.G.Nodes[h.Pin].In.Name)
	}
	if code == "PIN104" && e.G.IsEntryParameter(x) {
		hint = fmt.Sprintf("ask for it with --entry '%%%s=%s'", e.G.Nodes[x].In.Name, e.text(o))
	}
	return e.fail(in, code, hint, "%s is not possible: %s", e.text(o), why)
}

// Leaf returns the array at an index of a shape, which belongs to the instruction, when minorToMajor is an order of
// its dimensions. Errors: PIN102, PIN103.
func Leaf(m *hlo.Module, in *hlo.Instruction, s *hlo.Shape, index hlo.Index, minorToMajor []int) (*hlo.Shape, error) {
	leaf := s.At(index)
	switch {
	case leaf == nil:
		return nil, PinError(m, in, "PIN103", "", "%%%s has no part %s: its shape is %s", in.Name,
			ordering.OrderText(index), s)
	case leaf.IsTuple():
		return nil, PinError(m, in, "PIN103", "name a part, as in %"+in.Name+"{0}", "%%%s is a tuple there: %s", in.Name,
			leaf)
	case !leaf.IsArray():
		return nil, PinError(m, in, "PIN103", "", "%%%s is not an array there: %s", in.Name, leaf)
	case leaf.Rank() == 0 && len(minorToMajor) > 0:
		return nil, PinError(m, in, "PIN102", "", "%%%s: %s has no dimensions to order", in.Name, leaf)
	case len(minorToMajor) != leaf.Rank() || !hlo.IsPermutation(minorToMajor):
		return nil, PinError(m, in, "PIN102",
			fmt.Sprintf("an order names each of 0 to %d once, the minor dimension first", leaf.Rank()-1),
			"%%%s: %s is not an order of the %d dimensions of %s", in.Name, ordering.OrderText(minorToMajor), leaf.Rank(), leaf)
	}
	return leaf, nil
}

// calledLeaf is a leaf of the result of a computation that is called.
type calledLeaf struct {
	c    *hlo.Computation
	leaf int
}

// tiedTo returns the values that must have the layout of v: what a loop carries under all its names, the results of all
// calls of one computation, and of an operation with several results that keeps layouts those of the same rank. called
// holds the computations whose calls were returned before, which are not returned again.
func (e *Set) tiedTo(v flat.ValueID, called map[calledLeaf]bool) (out []flat.ValueID) {
	g := e.G
	n, leaf := g.Values[v].Node, int(g.Values[v].Leaf)
	nd := &g.Nodes[n]
	loop := func(while flat.NodeID) {
		w := e.G.Loop(while)
		for _, x := range [...]flat.NodeID{while, w.BodyParam, w.CondParam} {
			out = append(out, g.ValueAt(x, leaf))
		}
	}
	switch {
	case nd.Op == hlo.OpWhile:
		loop(n)
	case nd.Op == hlo.OpParameter:
		for _, while := range g.CallersOf(g.Comps[nd.Comp].Computation, hlo.OpWhile) {
			loop(while)
		}
	case nd.Op == hlo.OpCall && !called[calledLeaf{nd.In.Called()[0], leaf}]:
		called[calledLeaf{nd.In.Called()[0], leaf}] = true
		for _, call := range g.CallersOf(nd.In.Called()[0], hlo.OpCall) {
			out = append(out, g.ValueAt(call, leaf))
		}
	case nd.Tuple && (nd.Keep || nd.Op == hlo.OpReduce || nd.Op == hlo.OpSort):
		for _, x := range g.ValuesOf(n) {
			if g.Values[x].Shape.Rank() == g.Values[v].Shape.Rank() {
				out = append(out, x)
			}
		}
	}
	return out
}

// CheckHeld says which pin does not hold after the last run.
func (e *Set) CheckHeld() error {
	for _, v := range e.Held.List {
		h, val := e.Held.Value(v), &e.G.Values[v]
		if h.Because != nil {
			continue
		}
		in := e.G.Nodes[h.Pin].In
		if o := e.OrderAt(val.Node, int(val.Leaf)); o != h.Order {
			return e.fail(in, "PIN108", "", "%s is not honoured: the layout is %s (%s)", e.text(h.Order), e.text(o),
				e.Row(e.ConstraintOn(v).Cause.Rule).Text)
		}
		if w := e.windowAt[val.Node]; w != nil && !w.valid() {
			return e.fail(in, "PIN105", "", "%s is not possible: a gather or scatter needs the dimensions of its window minor",
				e.text(h.Order))
		}
	}
	if len(e.Held.List) == 0 {
		return nil
	}
	if first := e.Held.Value(e.Held.List[0]); first.Because == nil && e.refit() { // those of the caller come first
		return e.fail(e.G.Nodes[first.Pin].In, "PIN108", "", "the pass did not come to an end with it")
	}
	return nil
}

// Codes says what each code of an error about a pin or an entry layout means. The first line of an example has the
// flags.
var Codes = []hlo.Code{
	{Name: "PIN101", Meaning: "a pin names a value, or an entry layout a parameter, that the module does not have",
		Example: "// --pin '%negative={0,1}'" + codeExample},
	{Name: "PIN102", Meaning: "the order asked for is not a permutation of the array's dimensions",
		Example: "// --pin '%negate={0,0}'" + codeExample},
	{Name: "PIN103", Meaning: "there is no array at that place: the shape has no such part, or the part is a tuple or " +
		"a token",
		Example: "// --pin '%pair={0,1}'" + codeExample},
	{Name: "PIN104", Meaning: "the value's layout is not the pass's to choose: it is an entry parameter (use --entry), " +
		"is inside a fusion, " +
		"carries its layout with it, is a bitcast or read by one, or belongs to an asynchronous operation",
		Example: "// --pin '%p={0,1}'" + codeExample},
	{Name: "PIN105", Meaning: "the operation cannot give its result in that order, whatever copies are made around it",
		Example: "// --pin '%reshape={0,1}'" + codeExample},
	{Name: "PIN106", Meaning: "two pins contradict each other: on one value, or on values that are one array, such as " +
		"those that a loop carries",
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
