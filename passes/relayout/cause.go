package relayout

import (
	"fmt"

	"hlolayout/hlo"
)

// explain fills in who makes and who reads what is moved, source.
func (r *Relayout) explain(uses hlo.Uses, source *hlo.Instruction) {
	r.Origin = Origin(source)
	r.Parameter = entryParameter(r.Origin)
	readers := 0
	for at := source; ; at = at.Operands[0] {
		for _, u := range uses.Of(at) {
			if u.User == r.Instruction || at != source && passesOn(u.User) {
				continue
			}
			if readers++; r.Reader == nil {
				r.Reader = u.User
			}
		}
		if at == r.Origin || len(at.Operands) == 0 || !passesOn(at) {
			r.Only = readers == 0 && at == r.Origin && !at.IsRoot()
			break
		}
	}
	r.User, r.UserOperand = consumer(r.Instruction, uses)
}

// Origin returns the instruction that made the array which in passes on: in itself, or what is under bitcasts, tuples,
// barriers and the moves of an array between memories as it is.
func Origin(in *hlo.Instruction) *hlo.Instruction {
	for {
		next := forwarded(in)
		if next == nil {
			return in
		}
		in = next
	}
}

// forwarded returns the operand that an instruction passes on, nil for none.
func forwarded(in *hlo.Instruction) *hlo.Instruction {
	switch in.Opcode {
	case hlo.OpBitcast, hlo.OpCopyDone:
		return in.Operands[0]
	case hlo.OpCopyStart:
		if to := in.Shape.At(hlo.Index{0}); to != nil && to.IsArray() && in.Operands[0].Shape.IsArray() &&
			sameOrder(to, in.Operands[0].Shape) {
			return in.Operands[0]
		}
	case hlo.OpGetTupleElement:
		t := in.Operands[0]
		k, ok := in.Attr("index").Int()
		if ok && t.Opcode == hlo.OpTuple && int(k) < len(t.Operands) {
			return t.Operands[k]
		}
	}
	return nil
}

func sameOrder(a, b *hlo.Shape) bool {
	return (a.Layout == nil) == (b.Layout == nil) &&
		(a.Layout == nil || fmt.Sprint(a.Layout.MinorToMajor, a.Layout.Tiles) == fmt.Sprint(b.Layout.MinorToMajor,
			b.Layout.Tiles))
}

func passesOn(in *hlo.Instruction) bool { return forwarded(in) != nil }

// consumer returns the first instruction that works on the result of in, and the operand there, or the place in what a
// loop carries. It is nil where there is none but the root.
func consumer(in *hlo.Instruction, uses hlo.Uses) (*hlo.Instruction, int) {
	for depth := 0; depth < 64; depth++ {
		list := uses.Of(in)
		if len(list) == 0 {
			return nil, 0
		}
		u := list[0]
		switch u.User.Opcode {
		case hlo.OpBitcast, hlo.OpCopyStart, hlo.OpCopyDone:
			in = u.User
			continue
		case hlo.OpTuple:
			next := uses.Of(u.User)
			if u.User.IsRoot() && len(next) == 0 {
				return nil, 0
			}
			if len(next) > 0 && next[0].User.Opcode == hlo.OpWhile {
				return next[0].User, int(u.Operand)
			}
		}
		return u.User, int(u.Operand)
	}
	return nil, 0
}

// Cause says in words which two sides want different orders, such as "parameter 2 has layout {1,0}, %dot.3 (dot) reads
// {0,1}".
func (r *Relayout) Cause() string {
	return r.made() + ", " + r.wanted()
}

func (r *Relayout) made() string {
	o, from := r.Origin, order(r.From)
	switch {
	case r.Parameter == o:
		return fmt.Sprintf("entry parameter %d has layout %s", o.Parameter, from)
	case r.Parameter != nil:
		return fmt.Sprintf("entry parameter %d, which the %s carries, has layout %s", r.Parameter.Parameter,
			caller(o.Computation), from)
	case o.Opcode == hlo.OpParameter, o.Opcode == hlo.OpGetTupleElement && o.Operands[0].Opcode == hlo.OpParameter:
		return fmt.Sprintf("the %s hands it over as %s", caller(o.Computation), from)
	case r.Reader != nil && r.Reader.IsRoot() && r.Reader.Opcode == hlo.OpTuple:
		return "the result holds it as " + from
	case r.Reader != nil:
		return fmt.Sprintf("%%%s (%s) reads it as %s", r.Reader.Name, r.Reader.OpName(), from)
	}
	return fmt.Sprintf("%%%s (%s) makes it as %s", o.Name, o.OpName(), from)
}

func (r *Relayout) wanted() string {
	to := order(r.To)
	if r.User == nil {
		if r.Instruction.Computation.IsEntry() {
			return "the entry's result has to be " + to
		}
		return fmt.Sprintf("the %s gives it back as %s", caller(r.Instruction.Computation), to)
	}
	if r.User.Opcode == hlo.OpWhile {
		return fmt.Sprintf("loop %%%s carries it as %s", r.User.Name, to)
	}
	text := fmt.Sprintf("%%%s (%s) reads it as %s", r.User.Name, r.User.OpName(), to)
	if r.User.Attr("operand_layout_constraints") != nil {
		text += " by its operand_layout_constraints"
	}
	return text
}

// caller names what runs a computation.
func caller(c *hlo.Computation) string {
	if len(c.Callers()) == 0 {
		return "computation %" + c.Name
	}
	in := c.Callers()[0].Instruction
	switch in.Opcode {
	case hlo.OpWhile:
		return "loop %" + in.Name
	case hlo.OpConditional:
		return "conditional %" + in.Name
	}
	return "caller %" + in.Name
}

// entryParameter returns the parameter of the entry that a value is, also where loops carry it from round to round as
// it is; nil where it is none.
func entryParameter(in *hlo.Instruction) *hlo.Instruction {
	for depth := 0; depth < 64; depth++ {
		in = Origin(in)
		c := in.Computation
		if in.Opcode == hlo.OpParameter && c.IsEntry() {
			return in
		}
		k, ok := carried(in)
		if !ok || len(c.Callers()) != 1 {
			return nil
		}
		while := c.Callers()[0].Instruction
		if while.Opcode != hlo.OpWhile || while.CalledBy("body") != c {
			return nil
		}
		back := element(c.Root, k)
		if back == nil {
			return nil
		}
		if at, ok := carried(Origin(back)); !ok || at != k {
			return nil
		}
		if in = element(while.Operands[0], k); in == nil {
			return nil
		}
	}
	return nil
}

// order is the layout without its memory space, which a relayout is not about.
func order(s *hlo.Shape) string {
	if s.Layout == nil {
		return "no layout"
	}
	l := *s.Layout
	l.MemorySpace = 0
	return l.String()
}
