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
	k, _, known := relayout.Counter(l.in)
	if !known || l.init.Operands[k].Shape.DType.Bits() > counterBits {
		return
	}
	counter := int(k)
	carried := slices.Clone(l.init.Operands)
	var body []*hlo.Instruction
	add := func(op hlo.Opcode, like *hlo.Instruction, shape *hlo.Shape, operands ...*hlo.Instruction) *hlo.Instruction {
		body = append(body, l.w.makeIn(l.body, op, like, shape, operands...))
		return body[len(body)-1]
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
		buffer := l.w.makeIn(l.in.Computation, hlo.OpCustomCall, x, x.Shape)
		callTarget(buffer, "AllocateBuffer")
		carried[i], l.before = buffer, append(l.before, buffer)
	}
	if len(l.before) > 0 {
		l.carry(carried, l.body.Root.Operands, body...)
	}
}

// written are the operations that write into what a loop carries.
var written = hlo.Ops(hlo.OpDynamicUpdateSlice, hlo.OpFusion, hlo.OpScatter, hlo.OpGetTupleElement)

// counterBits is how many bits a counter has at most: one of 64 is two elements by then, of which nothing is known (1
// probe).
const counterBits = 32
