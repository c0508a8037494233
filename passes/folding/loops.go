package folding

import (
	"slices"

	"hlolayout/hlo"
)

// sinkIntoLoops computes inside of a loop what is computed of broadcasts, iotas and numbers alone before it and stays
// the same: the broadcasts' operands are carried in its place (while-loop-fusible-sinking, the compiler's last step
// before layout assignment but one). What a loop carries and nothing reads is dropped (simplify-while-loops).
func (w *simplifier) sinkIntoLoops() {
	calls := map[*hlo.Computation]int{}
	var loops []*hlo.Instruction
	for _, c := range w.Module.InMemory() {
		for _, in := range c.Instructions {
			for _, k := range in.Called() {
				calls[k]++
			}
			if in.Opcode == hlo.OpWhile {
				loops = append(loops, in)
			}
		}
	}
	for _, in := range loops {
		l, ok := w.loopOf(in)
		if !ok || calls[l.body] > 1 || calls[l.condition] > 1 {
			continue
		}
		if l.sink() {
			l, _ = w.loopOf(in)
		}
		l.dropUnread()
	}
}

// loop is a while whose state is a tuple, of which only elements are read.
type loop struct {
	w               *simplifier
	in, init        *hlo.Instruction
	body, condition *hlo.Computation
	// The elements that are read, by index: after the loop, in the body, and in the condition.
	after, inBody, inCondition [][]*hlo.Instruction
}

func (w *simplifier) loopOf(in *hlo.Instruction) (l loop, ok bool) {
	if len(in.Called()) != 2 || len(in.Operands) != 1 || in.Operands[0].Opcode != hlo.OpTuple || in.IsRoot() ||
		in.Attr("sharding") != nil {
		return l, false
	}
	l = loop{w: w, in: in, init: in.Operands[0], condition: in.Called()[0], body: in.Called()[1]}
	n := len(l.init.Operands)
	var after, inBody, inCondition bool
	l.after, after = elementsOf(in.Computation, in, n)
	l.inBody, inBody = elementsOf(l.body, parameterOf(l.body), n)
	l.inCondition, inCondition = elementsOf(l.condition, parameterOf(l.condition), n)
	return l, after && inBody && inCondition && l.body.Root.Opcode == hlo.OpTuple && len(l.body.Root.Operands) == n
}

// parameterOf returns the only parameter of a computation, nil where it has others.
func parameterOf(c *hlo.Computation) *hlo.Instruction {
	if ps := c.Parameters(); len(ps) == 1 {
		return ps[0]
	}
	return nil
}

// elementsOf returns the instructions that read the n elements of a tuple; ok is false where others read it.
func elementsOf(c *hlo.Computation, tuple *hlo.Instruction, n int) (out [][]*hlo.Instruction, ok bool) {
	out = make([][]*hlo.Instruction, n)
	for _, in := range c.Instructions {
		if !slices.Contains(in.Operands, tuple) {
			continue
		}
		i, ok := in.Attr("index").Int()
		if in.Opcode != hlo.OpGetTupleElement || !ok || i < 0 || int(i) >= n {
			return nil, false
		}
		out[i] = append(out[i], in)
	}
	return out, tuple != nil
}

// expands reports whether an instruction has more elements than what it is computed of.
func expands(in *hlo.Instruction) bool {
	return in.Opcode == hlo.OpBroadcast || in.Opcode == hlo.OpIota || in.Opcode == hlo.OpConstant && in.Shape.IsScalar()
}

// movable reports whether a value is computed of what expands alone.
func movable(in *hlo.Instruction, seen map[*hlo.Instruction]bool) bool {
	if expands(in) || seen[in] {
		return true
	}
	seen[in] = true
	if !in.Opcode.Elementwise() && in.Opcode != hlo.OpConstant && in.Opcode != hlo.OpReshape &&
		in.Opcode != hlo.OpTranspose {
		return false
	}
	return !slices.ContainsFunc(in.Operands, func(o *hlo.Instruction) bool { return !movable(o, seen) })
}

// sink computes in the body what stays the same and is movable, unless the body takes slices of it, and reports
// whether there is any.
func (l *loop) sink() (some bool) {
	sliced := map[*hlo.Instruction]bool{}
	for _, in := range l.body.Instructions {
		switch in.Opcode {
		case hlo.OpDynamicSlice, hlo.OpGather, hlo.OpSlice:
			for _, o := range in.Operands {
				sliced[o] = true
			}
		}
	}
	c, carried, root := l.in.Computation, slices.Clone(l.init.Operands), slices.Clone(l.body.Root.Operands)
	var body []*hlo.Instruction
	for i, x := range l.init.Operands {
		gte := l.body.Root.Operands[i]
		if !slices.Contains(l.inBody[i], gte) || sliced[gte] || !movable(x, map[*hlo.Instruction]bool{}) {
			continue
		}
		some = true
		inner := map[*hlo.Instruction]*hlo.Instruction{}
		parts, inputs := fusible(x)
		for _, o := range inputs {
			inner[o] = l.element(gte, o.Shape, len(carried))
			carried, root, body = append(carried, o), append(root, inner[o]), append(body, inner[o])
		}
		for _, p := range c.Instructions {
			if parts[p] {
				inner[p] = l.w.again(l.body, p, inner)
				body = append(body, inner[p])
			}
		}
		l.w.notes[gte.Index].forward = inner[x]
		for _, out := range l.after[i] {
			l.w.notes[out.Index].forward = x
		}
	}
	if some {
		at := slices.Index(l.body.Instructions, parameterOf(l.body))
		l.body.Instructions = slices.Insert(l.body.Instructions, at+1, body...)
		l.carry(carried, root)
	}
	return some
}

// fusible returns what is computed in the body with a value, and what the body carries for it, in the compiler's order:
// the last operand that is not of what expands is taken first, and what expands in the end.
func fusible(x *hlo.Instruction) (parts map[*hlo.Instruction]bool, inputs []*hlo.Instruction) {
	parts = map[*hlo.Instruction]bool{}
	take := func(in *hlo.Instruction) {
		parts[in] = true
		for _, o := range in.Operands {
			if !parts[o] && !slices.Contains(inputs, o) {
				inputs = append(inputs, o)
			}
		}
	}
	take(x)
	for _, last := range []bool{false, true} {
		if expands(x) && !last {
			continue
		}
		for at := len(inputs) - 1; at >= 0; at-- {
			if in := inputs[at]; expands(in) == last {
				inputs = slices.Delete(inputs, at, at+1)
				take(in)
				at = len(inputs)
			}
		}
	}
	return parts, inputs
}

// element adds an element of what the body carries, with an index that is new.
func (l *loop) element(like *hlo.Instruction, shape *hlo.Shape, index int) *hlo.Instruction {
	n := l.w.number(hlo.Instruction{Opcode: hlo.OpGetTupleElement, Operands: []*hlo.Instruction{parameterOf(l.body)},
		Shape: shape, Pos: like.Pos, Computation: l.body})
	n.Name = nameLike(like.Name, n)
	attribute(n, "index", intOf(index))
	return n
}

// again adds a copy of an instruction to another computation.
func (w *simplifier) again(c *hlo.Computation, in *hlo.Instruction,
	inner map[*hlo.Instruction]*hlo.Instruction) *hlo.Instruction {
	n := w.number(*in)
	n.Computation, n.Operands = c, make([]*hlo.Instruction, len(in.Operands))
	for i, o := range in.Operands {
		n.Operands[i] = inner[o]
	}
	n.Name = nameLike(in.Name, n)
	return n
}

// carry gives a loop a new state: its values before the loop and after a step. The while has a tuple of its own.
func (l *loop) carry(before, after []*hlo.Instruction) {
	var shapes []*hlo.Shape
	for _, o := range before {
		shapes = append(shapes, o.Shape)
	}
	all := l.w.Module.Intern(hlo.NewTuple(shapes...))
	c := l.in.Computation
	init := l.w.number(*l.init)
	init.Operands, init.Name = before, nameLike(l.init.Name, init)
	l.in.Operands = []*hlo.Instruction{init}
	c.Instructions = slices.Insert(c.Instructions, slices.Index(c.Instructions, l.in), init)
	l.body.Root.Operands = after
	for _, in := range []*hlo.Instruction{init, l.in, l.body.Root, parameterOf(l.body), parameterOf(l.condition)} {
		in.Shape = all
	}
	for _, k := range []*hlo.Computation{c, l.body, l.condition} {
		for _, in := range k.Instructions {
			l.w.resolveOperands(in)
			l.w.notes[in.Index].live = false
		}
		k.Root = l.w.resolve(k.Root)
		l.w.removeDead(k)
	}
}

// dropUnread leaves out what a loop carries and nothing reads but what computes itself.
func (l *loop) dropUnread() {
	root := l.body.Root.Operands
	var work []*hlo.Instruction
	read := make([]bool, len(root))
	mark := func(i int) {
		if !read[i] {
			read[i] = true
			work = append(work, root[i])
		}
	}
	of := map[*hlo.Instruction]int{}
	for i := range root {
		for _, gte := range l.inBody[i] {
			of[gte] = i
		}
		if len(l.after[i])+len(l.inCondition[i]) > 0 {
			mark(i)
		}
	}
	for _, in := range l.body.Instructions {
		if effects[in.Opcode] && in.Opcode != hlo.OpParameter {
			work = append(work, in)
		}
	}
	seen := map[*hlo.Instruction]bool{}
	for len(work) > 0 {
		in := work[len(work)-1]
		work = work[:len(work)-1]
		if i, ok := of[in]; ok {
			mark(i)
		} else if !seen[in] {
			seen[in] = true
			work = append(work, in.Operands...)
		}
	}
	l.keep(read)
}

// keep leaves out the elements that are not read.
func (l *loop) keep(read []bool) {
	if !slices.Contains(read, false) {
		return
	}
	var before, after []*hlo.Instruction
	for i, keep := range read {
		if !keep {
			continue
		}
		for _, all := range [][]*hlo.Instruction{l.after[i], l.inBody[i], l.inCondition[i]} {
			for _, gte := range all {
				setValue(gte, "index", intOf(len(before)))
			}
		}
		before, after = append(before, l.init.Operands[i]), append(after, l.body.Root.Operands[i])
	}
	l.carry(before, after)
}
