package folding

import (
	"slices"

	"hlolayout/hlo"
)

// hoistOutOfLoops computes before a loop what its body computes of what stays the same alone, and reports whether there
// was any (while-loop-invariant-code-motion).
func (w *simplifier) hoistOutOfLoops() (some bool) {
	w.inLoops(func(l *loop) { some = l.hoist() || some })
	return some
}

// movesAlong are operations that are not worth to be computed before a loop by themselves, but for others that are.
var movesAlong = hlo.Ops(hlo.OpConstant, hlo.OpBitcast, hlo.OpBroadcast, hlo.OpIota, hlo.OpReshape, hlo.OpReverse,
	hlo.OpSlice, hlo.OpTranspose, hlo.OpTuple)

// unmoved are operations without effects, see there, that are not hoisted all the same: they are not the same in each
// run, or wait for other devices, or are gates.
var unmoved = hlo.Ops(hlo.OpRng, hlo.OpRngGetAndUpdateState, hlo.OpOptBarrier, hlo.OpAllReduce, hlo.OpAllGather,
	hlo.OpReduceScatter, hlo.OpAllToAll, hlo.OpCollectivePermute, hlo.OpCollectiveBroadcast)

// hoist has the loop carry what its body computes of what stays the same.
func (l *loop) hoist() bool {
	outside := map[*hlo.Instruction]*hlo.Instruction{} // what stays the same, and what that is before the loop, if known
	for i, x := range l.init.Operands {
		if gte := l.body.Root.Operands[i]; gte.Shape.IsArray() && slices.Contains(l.inBody[i], gte) {
			for _, element := range l.inBody[i] {
				outside[element] = l.w.resolve(x)
			}
		}
	}
	if len(outside) == 0 {
		return false
	}
	hoisted := map[*hlo.Instruction]bool{}
	for _, in := range l.body.Instructions {
		if _, known := outside[in]; known || !l.staysSame(in, outside) {
			continue
		}
		outside[in] = nil
		if in.Shape.IsArray() && !movesAlong.Has(in.Opcode) {
			hoisted[in] = true
		}
	}
	if len(hoisted) == 0 {
		return false
	}
	l.w.Applied["invariant"] += len(hoisted)
	l.carryHoisted(hoisted, outside)
	return true
}

// staysSame reports whether an instruction of the body computes the same in each run, and nothing larger than what it
// is computed of (of 25 probes none that is 4/3 as large is hoisted).
func (l *loop) staysSame(in *hlo.Instruction, same map[*hlo.Instruction]*hlo.Instruction) bool {
	if in.Opcode == hlo.OpConstant {
		return true
	}
	if effects[in.Opcode] || unmoved.Has(in.Opcode) || ordered(in) || in == l.body.Root {
		return false
	}
	size := 0
	for _, o := range in.Operands {
		if _, ok := same[o]; !ok {
			return false
		}
		size += bitsOf(o.Shape)
	}
	return bitsOf(in.Shape) <= size
}

// bitsOf returns how many bits the arrays of a shape have, without padding.
func bitsOf(s *hlo.Shape) (bits int) {
	s.Leaves(func(_ hlo.Index, leaf *hlo.Shape) {
		n, _ := leaf.Elements()
		bits += int(n) * leaf.DType.Bits()
	})
	return bits
}

// carryHoisted computes what is hoisted before the loop, and has the body read it as elements.
func (l *loop) carryHoisted(hoisted map[*hlo.Instruction]bool, outside map[*hlo.Instruction]*hlo.Instruction) {
	carried, root := slices.Clone(l.init.Operands), slices.Clone(l.body.Root.Operands)
	var compute func(in *hlo.Instruction) *hlo.Instruction
	compute = func(in *hlo.Instruction) *hlo.Instruction {
		if outside[in] == nil {
			for _, o := range in.Operands {
				compute(o)
			}
			outside[in] = l.w.again(l.in.Computation, in, outside)
			l.before = append(l.before, outside[in])
		}
		return outside[in]
	}
	elements := map[*hlo.Instruction]*hlo.Instruction{}
	var body []*hlo.Instruction
	for _, in := range l.body.Instructions {
		if hoisted[in] {
			l.w.inside[in] = compute(in)
			elements[in] = l.element(in, in.Shape, len(carried))
			carried, root, body = append(carried, outside[in]), append(root, elements[in]), append(body, elements[in])
		}
	}
	for _, in := range l.body.Instructions {
		for k, o := range in.Operands {
			if n := elements[o]; n != nil {
				in.Operands[k] = n
				l.w.retry(in)
			}
		}
	}
	for k, o := range root {
		if n := elements[o]; n != nil {
			root[k] = n
		}
	}
	l.carry(carried, root, body...)
}
