package folding

import (
	"slices"

	"hlolayout/hlo"
)

// productBeforeReshapes returns a product of which both operands are reshapes, or computed of reshapes and broadcasts
// alone: each is computed before. Where the reshapes leave alone what is not summed up, and what is has the same
// dimensions before in both, so is the product (16 of 16 probes). It is nil for other products.
func (w *simplifier) productBeforeReshapes(in *hlo.Instruction) *hlo.Instruction {
	if len(in.Operands) != 2 {
		return nil
	}
	var before [2][]int64
	computed := false
	for i, x := range in.Operands {
		if x.Opcode == hlo.OpReshape && rearranges(x) {
			before[i] = x.Operands[0].Shape.Dims
		} else if before[i] = w.beforeReshape(x); before[i] == nil {
			return nil
		} else {
			computed = true
		}
	}
	p, ok := factoredOf(in)
	if !ok || len(p.batch[0]) > 0 {
		return nil
	}
	summed, ok := p.summedBefore(before)
	if !ok && !computed {
		return nil
	}
	for i, x := range p.x {
		reads := x.Opcode == hlo.OpReshape
		switch {
		case reads && ok:
			p.x[i] = x.Operands[0]
		case !reads:
			p.x[i] = w.inDims(x, before[i])
		}
		if !ok {
			p.x[i] = reshaped(w, p.x[i], x.Shape.Dims)
		}
	}
	n := likewise(w, in, in.Shape.Dims, p.x[:]...)
	for i, s := range sides {
		if ok {
			set(n, s.contracting, summed[i])
		}
	}
	return n
}

// summedBefore returns the dimensions that a product sums up of its operands before reshapes from other dimensions; ok
// is false where a reshape changes other dimensions, too, or not both in the same way.
func (p *factored) summedBefore(before [2][]int64) (summed [2][]int, ok bool) {
	for i, x := range p.x {
		left := slices.Clone(p.contracting[i]) // of those that are summed up
		regrouped(before[i], x.Shape.Dims, func(first, end, to, toEnd int) {
			if len(left) >= toEnd-to && slices.Equal(left[:toEnd-to], ascendingTo(toEnd)[to:]) {
				left, summed[i] = left[toEnd-to:], append(summed[i], ascendingTo(end)[first:]...)
			}
		})
		outer := hlo.OtherDims(len(before[i]), nil, summed[i])
		if len(left) > 0 || !slices.Equal(sizes(before[i], outer), sizes(x.Shape.Dims, p.outer[i])) {
			return summed, false
		}
	}
	return summed, slices.Equal(sizes(before[0], summed[0]), sizes(before[1], summed[1]))
}
