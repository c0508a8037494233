package memory

import "hlolayout/hlo"

// product returns what a convolution takes: a pass of the matrix unit for each register of the result, each position of
// the window and each 128 inputs, two of them a cycle; all but the first are added up by the vector unit. Where the
// batch is minor, the positions share passes. (All of 1,054 convolutions in the compiler's log; what its packing of
// operands takes is not known.)
func (c *cost) product(v *convolution) bundle {
	positions, padded, plain := 1., 1., true
	for i, size := range v.sizes {
		inputs, _ := v.at(i)
		pad := v.lows[i] + v.highs[i]
		batch := v.dilations[i] == size && v.strides[i] == size-1 && inputs == size && pad == 0
		if size == 1 || batch || inputs == 1 && v.lows[i] == size-1 {
			continue
		}
		plain = false
		positions *= float64(size)
		padded *= float64(inputs+pad) / float64(inputs)
	}
	n, inside := c.registers(v.y), max(0, 2-padded) // the share that the padding leaves, as the model has it
	if grouped(v.in) {
		return bundle{either: 2 * n * positions, loads: n * positions}.times(inside)
	}
	up := func(x, to float64) float64 { return float64(int64((x + to - 1) / to)) }
	inputs := float64(v.size(v.k, v.rhs, 'i'))
	passes := positions * up(inputs, 128)
	if m := v.y.Layout; m != nil && len(m.MinorToMajor) > 0 && v.out[m.MinorToMajor[0]] == 'b' {
		passes = up(positions*8*up(inputs, 8), 128)
	}
	b := bundle{passes: n * passes / 2, second: n * (passes - 1), weights: c.registers(v.k) / 2}
	if plain {
		b.either = c.registers(v.x) / 2
	}
	return b.times(inside)
}

// grouped reports whether a convolution takes features or batches in groups: the vector unit computes it.
func grouped(in *hlo.Instruction) bool {
	f, _ := in.Attr("feature_group_count").Int()
	b, _ := in.Attr("batch_group_count").Int()
	return max(f, b) > 1
}

// share returns how much of its first operand a convolution keeps for one window of its result.
func (v *convolution) share() float64 {
	share := 1.
	for i, size := range v.sizes {
		inputs, outputs := v.at(i)
		share *= min(1, float64(outputs+2*size-1)/float64(inputs))
	}
	return share
}

// windows returns how often a fusion with a product runs, and how much larger than the result the windows are that it
// computes; wide is set where the whole of the operands is read each time. Four fifths of its scratch memory hold two
// windows of each operand and result, and one more of what is unpacked. (The compiler's log has runs, windows and the
// fifths for each fusion. Which dimension is cut is a guess that fits most: the first of the space, or else the batch.
// So is how much more the operands of gradients of filters need, and that what needs a little more than there is is not
// cut.)
func (c *cost) windows(in *hlo.Instruction, f *fusedCost) (runs, share float64, wide bool) {
	v := f.product
	budget := 0.
	list, _ := in.Reservations()
	for _, r := range list {
		if r.Space == c.dev.space {
			budget += float64(r.Size) * .8
		}
	}
	if v == nil || budget == 0 {
		return 1, 1, false
	}
	n := v.size(v.y, v.out, '0')
	wide = n > 1 && v.sizes[0] > n
	if n <= 1 {
		n = (v.size(v.y, v.out, 'b') + 7) / 8
		if m := v.y.Layout; m != nil && len(m.MinorToMajor) > 0 && v.out[m.MinorToMajor[0]] == 'b' {
			n = (n + 15) / 16
		}
	}
	held := func(s *hlo.Shape) float64 {
		bytes := float64(c.v.g.info(s).total)
		if unpacked := c.registers(s) * 4096; unpacked > 1.5*bytes {
			return 2*bytes + unpacked
		}
		return 2 * bytes
	}
	operands := 0.
	for i, o := range in.Operands {
		s := c.v.g.info(o.Shape)
		if s.total == 0 || i >= len(f.params) {
			continue
		}
		bytes := held(o.Shape) * float64(f.params[i]) / float64(s.total)
		if s.elements() == c.v.g.info(v.x).elements() {
			bytes *= v.share()
		}
		operands += bytes
	}
	fixed, cut, slack := 1.5*operands, held(in.Shape), 1. // all of the operands, which are turned, too
	if !wide {
		fixed, slack = min(operands, held(v.k)), 1.3
		cut += operands - fixed
	}
	w := n
	if fixed+cut > slack*budget {
		w = min(n, max(1, int64(float64(n)*(budget-fixed)/cut)))
	}
	runs = float64((n + max(w, 1) - 1) / max(w, 1))
	return runs, runs * float64(w) / float64(max(n, 1)), wide
}
