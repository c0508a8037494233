package folding

import (
	"slices"

	"hlolayout/hlo"
	"hlolayout/passes/relayout"
)

// startInside takes what a loop starts with in its first run, where that is one number everywhere and it is known how
// often the loop runs: what it carries then begins as memory that nothing has written (while-loop-fusible-sinking: 430
// elements of 470 programs; those that the body writes slices into, 1,900, stay, and so does what a fusion writes or
// another loop).
func (l *loop) startInside() {
	counter := l.counter()
	if counter < 0 {
		return
	}
	carried := slices.Clone(l.init.Operands)
	var body []*hlo.Instruction
	add := func(op hlo.Opcode, like *hlo.Instruction, shape *hlo.Shape, operands ...*hlo.Instruction) *hlo.Instruction {
		n := l.w.number(&hlo.Instruction{Opcode: op, Operands: operands, Shape: shape, Pos: like.Pos, Computation: l.body})
		n.Name = nameLike(like.Name, n)
		body = append(body, n)
		return n
	}
	var isFirst *hlo.Instruction
	for i, x := range carried {
		x = l.w.resolve(x)
		root, elements := l.body.Root.Operands[i], l.inBody[i]
		if _, one := scalar(x); !one || x.Opcode != hlo.OpBroadcast || len(elements) == 0 ||
			written.Has(root.Opcode) || slices.Contains(elements, root) {
			continue
		}
		if isFirst == nil {
			start := l.w.resolve(carried[counter])
			n, zero := l.element(start, start.Shape, counter), l.w.again(l.body, start, nil)
			body = append(body, n, zero)
			isFirst = add(hlo.OpCompare, start, l.w.shape(hlo.Pred, nil), n, zero)
			attribute(isFirst, "direction", hlo.WordOf("EQ"))
		}
		mask := add(hlo.OpBroadcast, x, l.w.shape(hlo.Pred, x.Shape.Dims), isFirst)
		set(mask, "dimensions", nil)
		number := l.w.again(l.body, x.Operands[0], nil)
		start := l.w.again(l.body, x, map[*hlo.Instruction]*hlo.Instruction{x.Operands[0]: number})
		later := l.element(elements[0], x.Shape, i)
		body = append(body, number, start, later)
		value := add(hlo.OpSelect, x, x.Shape, mask, start, later)
		for _, gte := range elements {
			l.w.replace(gte, value)
		}
		buffer := l.w.number(&hlo.Instruction{Opcode: hlo.OpCustomCall, Shape: x.Shape, Pos: x.Pos,
			Computation: l.in.Computation})
		buffer.Name = nameLike(x.Name, buffer)
		callTarget(buffer, "AllocateBuffer")
		carried[i], l.buffers = buffer, append(l.buffers, buffer)
	}
	if len(l.buffers) > 0 {
		at := slices.Index(l.body.Instructions, parameterOf(l.body))
		l.body.Instructions = slices.Insert(l.body.Instructions, at+1, body...)
		l.carry(carried, l.body.Root.Operands)
	}
}

// written are the operations that write into what a loop carries.
var written = hlo.Ops(hlo.OpDynamicUpdateSlice, hlo.OpFusion, hlo.OpScatter, hlo.OpGetTupleElement)

// counter returns which element counts the runs of a loop that runs a known number of times, -1 where none does. One of
// 64 bits is two elements by then, of which nothing is known (1 probe).
func (l *loop) counter() int {
	if _, known := relayout.TripCount(l.in); !known {
		return -1
	}
	isCompared := func(gte *hlo.Instruction) bool { return slices.Contains(l.condition.Root.Operands, gte) }
	for i, list := range l.inCondition {
		start := l.w.resolve(l.init.Operands[i])
		if start.Opcode == hlo.OpConstant && start.Shape.IsScalar() && start.Shape.DType.Bits() <= 32 &&
			slices.ContainsFunc(list, isCompared) {
			return i
		}
	}
	return -1
}
