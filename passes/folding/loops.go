package folding

import (
	"encoding/binary"
	"slices"

	"hlolayout/hlo"
)

// sinkIntoLoops computes inside of a loop what is computed of broadcasts, iotas and numbers alone before it and stays
// the same: the broadcasts' operands are carried in its place (while-loop-fusible-sinking, the compiler's last step
// before layout assignment but one). What a loop carries and nothing reads is dropped (simplify-while-loops).
//
// A loop that takes something in is copied, last of all: the names of its computations say so, as the compiler's do,
// and layout assignment settles it after the others (of 72 transformers in loops 64 come out, 56 without the names).
func (w *simplifier) sinkIntoLoops() {
	var copied []*hlo.Computation
	w.inLoops(func(l *loop) {
		l.sink()
		l.startInside()
		if l.isChanged() {
			w.Applied["taken-in"]++
			copied = append(copied, l.condition, l.body)
		}
		l.shareElements()
		l.dropUnread()
	})
	if len(copied) == 0 {
		return
	}
	names := make(map[string]bool, len(w.Module.Computations))
	for _, c := range w.Module.Computations {
		names[c.Name] = true
	}
	for _, c := range copied {
		for c.Name += ".clone"; names[c.Name]; c.Name += ".clone" {
		}
		names[c.Name] = true
	}
}

// calls counts the calls of computations, by their indices.
func (w *simplifier) calls(all []*hlo.Computation) []int32 {
	calls := make([]int32, len(w.Module.Computations))
	for _, c := range all {
		for _, in := range c.Instructions {
			for _, k := range in.Called() {
				calls[k.Index]++
			}
		}
	}
	return calls
}

// sinkConstants has loops read numbers that stay the same in them as constants: what is computed of them is simplified
// then (while-loop-constant-sinking).
func (w *simplifier) sinkConstants() {
	w.inLoops(func(l *loop) {
		l.sinkConstants()
		l.shareElements()
	})
}

// shareInLoops has loops carry once what has become alike, and reports whether there is any: what is computed of it in
// loops that follow is alike then, too (21 of 200 training steps).
func (w *simplifier) shareInLoops() (some bool) {
	w.inLoops(func(l *loop) { some = l.shareElements() || some })
	return some
}

// shareElements reads one of several elements that start alike and are computed alike in each run
// (simplify-while-loops), and reports whether there are any.
func (l *loop) shareElements() (some bool) {
	first := map[string]int{}
	for i, x := range l.init.Operands {
		key, ok := l.runKey(i, l.w.resolve(x))
		if !ok {
			continue
		}
		k, known := first[key]
		if !known {
			first[key] = i
			continue
		}
		for _, all := range [][]*hlo.Instruction{l.after[i], l.inBody[i], l.inCondition[i]} {
			for _, element := range all {
				setValue(element, "index", intOf(k))
				l.w.retry(element)
				some = true
			}
		}
		l.after[i], l.after[k] = nil, append(l.after[k], l.after[i]...)
	}
	if some {
		l.elements()
	}
	return some
}

// runKey returns what elements have in common that start as x and are computed alike; ok is false where that is not
// known.
func (l *loop) runKey(i int, x *hlo.Instruction) (key string, ok bool) {
	next := l.w.resolve(l.body.Root.Operands[i])
	start := binary.AppendUvarint(nil, uint64(x.Index))
	if slices.Contains(l.inBody[i], next) {
		return string(start), true // it stays the same
	}
	like := *next
	like.Operands = make([]*hlo.Instruction, len(next.Operands))
	for k, o := range next.Operands {
		if o = l.w.resolve(o); slices.Contains(l.inBody[i], o) {
			o = x
		}
		like.Operands[k] = o
	}
	b, ok := l.w.key(append(start, '>'), &like)
	return string(b), ok
}

func (l *loop) sinkConstants() {
	for i, x := range l.init.Operands {
		gte := l.body.Root.Operands[i]
		if x.Opcode != hlo.OpConstant || !x.Shape.IsScalar() || !slices.Contains(l.inBody[i], gte) {
			continue
		}
		l.read(l.body, l.inBody[i], x)
		l.read(l.condition, l.inCondition[i], x)
	}
}

// read has what a computation of the loop does with an element, but to carry it, read a constant instead.
func (l *loop) read(c *hlo.Computation, elements []*hlo.Instruction, x *hlo.Instruction) {
	var inner *hlo.Instruction
	for _, in := range c.Instructions {
		if in == l.body.Root {
			continue
		}
		for k, o := range in.Operands {
			if !slices.Contains(elements, o) {
				continue
			}
			if inner == nil {
				inner = l.w.again(c, x, nil)
			}
			in.Operands[k] = inner
			l.w.changed(in)
		}
	}
	if inner != nil {
		c.Instructions = slices.Insert(c.Instructions, 0, inner)
	}
}

// inLoops is inLoopsOf of each computation.
func (w *simplifier) inLoops(f func(*loop)) {
	all := w.Module.InMemory()
	calls := w.calls(all)
	for _, c := range all {
		w.inLoopsOf(c, calls, f)
	}
}

// inLoopsOf calls f for each loop of a computation whose state is not read as a whole. Before the loop comes what f has
// left in loop.before, and a new state.
func (w *simplifier) inLoopsOf(c *hlo.Computation, calls []int32, f func(*loop)) {
	var loops []*loop
	of := map[*hlo.Instruction]*loop{}
	for _, in := range c.Instructions {
		for _, o := range in.Operands {
			if l := of[o]; l != nil && !l.isRead(l.after, in) {
				l.whole = true
			}
		}
		if in.Opcode != hlo.OpWhile {
			continue
		}
		if l, ok := w.loopOf(in, calls); ok {
			loops, of[in] = append(loops, l), l
		}
	}
	changed := false
	for _, l := range loops {
		if !l.whole {
			f(l)
		}
		changed = changed || l.isChanged()
	}
	if !changed {
		return
	}
	w.out = slices.Grow(w.out[:0], len(c.Instructions)+len(loops))
	for _, in := range c.Instructions {
		if l := of[in]; l != nil && l.isChanged() {
			for _, x := range append(l.before, l.init) {
				w.resolveOperands(x)
				w.add(x)
			}
		}
		w.add(in)
	}
	c.Instructions = append(c.Instructions[:0], w.out...)
	w.settle(c)
}

// isChanged reports whether the loop has another state than in the program.
func (l *loop) isChanged() bool { return l.init != l.first }

// settle has the instructions of a computation read what took the place of others, and removes what nothing reads.
func (w *simplifier) settle(c *hlo.Computation) {
	for _, in := range c.Instructions {
		w.resolveOperands(in)
		w.note(in).live = false
	}
	c.Root = w.resolve(c.Root)
	w.removeDead(c)
}

// loop is a while whose state is a tuple, of which only elements are read.
type loop struct {
	w               *simplifier
	in, init        *hlo.Instruction
	first           *hlo.Instruction // init as the program has it
	body, condition *hlo.Computation
	// The elements that are read, by index: after the loop, in the body, and in the condition.
	after, inBody, inCondition [][]*hlo.Instruction
	whole                      bool               // something reads the state as a whole
	before                     []*hlo.Instruction // what is to be computed before the loop
}

// loopOf returns a while as a loop; ok is false where its state is not read so, or others call what it calls.
func (w *simplifier) loopOf(in *hlo.Instruction, calls []int32) (l *loop, ok bool) {
	if len(in.Called()) != 2 || len(in.Operands) != 1 || in.Operands[0].Opcode != hlo.OpTuple || in.IsRoot() ||
		in.Attr("sharding") != nil {
		return nil, false
	}
	l = &loop{w: w, in: in, init: in.Operands[0], first: in.Operands[0], condition: in.Called()[0], body: in.Called()[1]}
	l.after = make([][]*hlo.Instruction, len(l.init.Operands))
	root := l.body.Root
	return l, calls[l.body.Index] == 1 && calls[l.condition.Index] == 1 && root.Opcode == hlo.OpTuple &&
		len(root.Operands) == len(l.after) && l.elements()
}

// elements notes what reads the elements in the body and in the condition, and reports whether nothing reads more.
func (l *loop) elements() bool {
	n := len(l.init.Operands)
	l.inBody, l.inCondition = make([][]*hlo.Instruction, n), make([][]*hlo.Instruction, n)
	for _, k := range []struct {
		c    *hlo.Computation
		list [][]*hlo.Instruction
	}{{l.body, l.inBody}, {l.condition, l.inCondition}} {
		p := parameterOf(k.c)
		if p == nil {
			return false
		}
		for _, in := range k.c.Instructions {
			if slices.Contains(in.Operands, p) && !l.isRead(k.list, in) {
				return false
			}
		}
	}
	return true
}

// isRead adds an instruction that reads the state to a list, and reports whether it reads an element.
func (l *loop) isRead(list [][]*hlo.Instruction, in *hlo.Instruction) bool {
	i, ok := in.Attr("index").Int()
	if in.Opcode != hlo.OpGetTupleElement || !ok || i < 0 || int(i) >= len(list) {
		return false
	}
	list[i] = append(list[i], in)
	return true
}

// parameterOf returns the only parameter of a computation, nil where it has others.
func parameterOf(c *hlo.Computation) *hlo.Instruction {
	if ps := c.Parameters(); len(ps) == 1 {
		return ps[0]
	}
	return nil
}

// expands reports whether an instruction has more elements than what it is computed of.
func expands(in *hlo.Instruction) bool {
	return in.Opcode == hlo.OpBroadcast || in.Opcode == hlo.OpIota || in.Opcode == hlo.OpConstant && in.Shape.IsScalar()
}

// mostMoved is how many instructions a value is computed of at most that is computed again in a loop.
const mostMoved = 100

// movable reports whether a value is computed of what expands alone.
func movable(in *hlo.Instruction, seen map[*hlo.Instruction]bool) bool {
	switch {
	case ordered(in): // it names instructions of its computation
		return false
	case expands(in) || seen[in]:
		return true
	}
	seen[in] = true
	if len(seen) > mostMoved || !in.Opcode.Elementwise() && in.Opcode != hlo.OpConstant && in.Opcode != hlo.OpReshape &&
		in.Opcode != hlo.OpTranspose {
		return false
	}
	return !slices.ContainsFunc(in.Operands, func(o *hlo.Instruction) bool { return !movable(o, seen) })
}

// sink computes in the body what stays the same and is movable, unless the body takes slices of it.
func (l *loop) sink() {
	sliced := map[*hlo.Instruction]bool{}
	for _, in := range l.body.Instructions {
		switch in.Opcode {
		case hlo.OpDynamicSlice, hlo.OpGather, hlo.OpSlice:
			for _, o := range in.Operands {
				sliced[o] = true
			}
		}
	}
	carried, root := slices.Clone(l.init.Operands), slices.Clone(l.body.Root.Operands)
	var body []*hlo.Instruction
	for i, x := range l.init.Operands {
		x = l.w.resolve(x)
		gte := l.body.Root.Operands[i]
		if !slices.Contains(l.inBody[i], gte) || sliced[gte] || !movable(x, map[*hlo.Instruction]bool{}) {
			continue
		}
		inner := map[*hlo.Instruction]*hlo.Instruction{}
		parts, inputs := fusible(x)
		for _, o := range inputs {
			inner[o] = l.element(gte, o.Shape, len(carried))
			carried, root, body = append(carried, o), append(root, inner[o]), append(body, inner[o])
		}
		var again func(p *hlo.Instruction)
		again = func(p *hlo.Instruction) {
			for _, o := range p.Operands {
				if inner[o] == nil && parts[o] {
					again(o)
				}
			}
			inner[p] = l.w.again(l.body, p, inner)
			body = append(body, inner[p])
		}
		again(x)
		l.w.replace(gte, inner[x])
		for _, out := range l.after[i] {
			l.w.replace(out, x)
		}
		l.after[i] = nil
	}
	if len(body) > 0 {
		l.after = append(l.after, make([][]*hlo.Instruction, len(carried)-len(l.after))...)
		l.carry(carried, root, body...)
	}
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
	n := l.w.makeIn(l.body, hlo.OpGetTupleElement, like, shape, parameterOf(l.body))
	attribute(n, "index", intOf(index))
	return n
}

// makeIn makes an instruction of another computation, like one of any.
func (w *simplifier) makeIn(c *hlo.Computation, op hlo.Opcode, like *hlo.Instruction, shape *hlo.Shape,
	operands ...*hlo.Instruction) *hlo.Instruction {
	n := w.number(&hlo.Instruction{Opcode: op, Operands: operands, Shape: shape, Pos: like.Pos, Computation: c})
	n.Name = nameLike(like.Name, n)
	return n
}

// again adds a copy of an instruction to another computation.
func (w *simplifier) again(c *hlo.Computation, in *hlo.Instruction,
	inner map[*hlo.Instruction]*hlo.Instruction) *hlo.Instruction {
	n := w.number(in)
	n.Computation, n.Operands = c, make([]*hlo.Instruction, len(in.Operands))
	for i, o := range in.Operands {
		n.Operands[i] = inner[o]
	}
	n.Name = nameLike(in.Name, n)
	return n
}

// carry gives a loop a new state: its values before the loop and after a step, and what its body begins with to compute
// these.
func (l *loop) carry(before, after []*hlo.Instruction, begin ...*hlo.Instruction) {
	at := slices.Index(l.body.Instructions, parameterOf(l.body))
	l.body.Instructions = slices.Insert(l.body.Instructions, at+1, begin...)
	var shapes []*hlo.Shape
	for _, o := range before {
		shapes = append(shapes, o.Shape)
	}
	all := l.w.Module.Intern(hlo.NewTuple(shapes...))
	init := l.w.number(l.init)
	init.Operands, init.Name = before, nameLike(l.init.Name, init)
	l.init, l.in.Operands = init, []*hlo.Instruction{init}
	l.body.Root.Operands = after
	for _, in := range []*hlo.Instruction{init, l.in, l.body.Root, parameterOf(l.body), parameterOf(l.condition)} {
		in.Shape = all
	}
	l.w.settle(l.body)
	l.w.settle(l.condition)
	l.elements()
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
