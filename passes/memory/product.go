package memory

import (
	"math"

	"hlolayout/hlo"
)

// product returns what a convolution takes: a pass of the matrix unit for each register of the result, each position of
// the window and each 128 inputs, two of them a cycle; all but the first are added up by the vector unit. (So it is of
// 1,150 of 1,156 convolutions that run in one window, in the compiler's log of 38 programs for v6e and v7x; most others
// have a batch of fewer rows than a register.)
func (c *cost) product(v *convolution) bundle {
	n, p := c.registers(v.y), v.window()
	b := bundle{either: c.packed(v, &p)}
	if grouped(v.in) {
		b.either += 2 * n * p.positions
		b.loads = n * p.positions
		return b.times(p.inside)
	}
	depth, rounds, share := p.positions*ceil(p.inputs, 128), 0., 1.
	if p.x.minor == 'b' && p.k.minor == 'o' { // inputs are rows of both operands: positions share passes
		together := p.together()
		switch batch := float64(v.size(v.x, v.lhs, 'b')); {
		case p.y.minor == 'b':
			depth = together
		case p.outputs > 128 && batch <= 128: // 44 of 45 in the log
			depth, rounds, share = together, ceil(together, 4), ceil(batch, 16)/8
		}
		b.turns = p.turns()
	}
	if rounds == 0 {
		rounds = depth
	}
	b.passes, b.second = n*depth*share/2, n*(rounds-1)
	b.weights = c.weights(v, &p)
	return b.times(p.inside)
}

// window is what a convolution's numbers follow from.
type window struct {
	positions float64 // that are added up
	all       float64 // with those of dimensions that both operands have, or that the first does not have
	batches   float64 // pairs of matrices that are multiplied each for itself
	spread    float64 // positions of dimensions that the first operand does not have
	inside    float64 // the share that the padding leaves, as the model has it
	x, k, y   matrix
	inputs    float64
	outputs   float64
}

// together returns the passes for a register of the result where positions share them: rows of eight inputs each.
func (p *window) together() float64 { return ceil(p.positions*8*ceil(p.inputs, 8), 128) }

// matrix is how the two dimensions of a value that are not spatial are laid out: the label of the minor one, and the
// registers that they take.
type matrix struct {
	minor       byte
	rows, lanes float64
}

func (v *convolution) window() window {
	w := window{positions: 1, all: 1, batches: 1, spread: 1, x: matrixOf(v.x, v.lhs), k: matrixOf(v.k, v.rhs),
		y: matrixOf(v.y, v.out), inputs: float64(v.size(v.k, v.rhs, 'i')), outputs: float64(v.size(v.k, v.rhs, 'o'))}
	padded := 1.
	for i, size := range v.sizes {
		inputs, _ := v.at(i)
		n := float64(size)
		w.all *= n
		switch {
		case size == 1:
		case v.batch(i):
			w.batches *= n
		case inputs == 1 && v.lows[i] == size-1:
			w.spread *= n
		default:
			w.positions *= n
			padded *= float64(inputs+v.lows[i]+v.highs[i]) / float64(inputs)
		}
	}
	w.inside = max(0, 2-padded)
	return w
}

// batch reports whether a spatial dimension is one that both operands and the result have.
func (v *convolution) batch(i int) bool {
	inputs, _ := v.at(i)
	size := v.sizes[i]
	return v.dilations[i] == size && v.strides[i] == size-1 && inputs == size && v.lows[i]+v.highs[i] == 0
}

func matrixOf(s *hlo.Shape, labels string) matrix {
	m := matrix{rows: 1, lanes: 1}
	if s.Layout == nil {
		return m
	}
	rows := 8.
	if t := s.Layout.Tiles; len(t) > 0 && len(t[0]) == 2 {
		rows = float64(max(1, t[0][0]))
	}
	for at, d := range s.Layout.MinorToMajor {
		switch l := labels[d]; {
		case l < 'a': // spatial
		case at == 0:
			m.minor, m.lanes = l, ceil(float64(s.Dims[d]), 128)
		default:
			m.rows = ceil(float64(s.Dims[d]), rows)
		}
	}
	return m
}

// weights returns the pushes of weights into the matrix unit, two a cycle. They are registers of the operand that has
// the result's minor dimension, once for each row of blocks of the other that has to be turned. (All but one of 1,134
// in the log.)
func (c *cost) weights(v *convolution, p *window) float64 {
	n := p.x.rows * p.x.lanes
	switch {
	case p.y.minor == 'b' && p.x.minor == 'b':
		n *= p.all * ceil(p.outputs, 128)
	case p.y.minor == 'b':
		n *= p.all / p.spread
		if p.k.minor == 'o' {
			n *= p.k.lanes
		}
	default:
		n = c.registers(v.k)
		if p.x.minor == 'b' && p.k.minor == 'o' && p.outputs > 128 {
			n *= p.x.lanes
		}
	}
	return n / 2
}

// turns returns what it takes to turn an operand in the unit that moves data across lanes, where the inputs are rows of
// both operands and the batch is minor in the result: 32 cycles for 256 of them. (All of 1,134 in the log, where most
// turn nothing.)
func (p *window) turns() float64 {
	if p.y.minor != 'b' {
		return 0
	}
	return 32 * ceil(p.together(), 2)
}

// packed returns what packing the operands takes, by either vector unit, and the padding. (1,119 of 1,156 in the log;
// of the others most have strides, or add up dimensions that the first operand does not have.)
func (c *cost) packed(v *convolution, p *window) float64 {
	n := c.registers(v.x) * v.outside()
	switch {
	case !grouped(v.in):
		n += c.halved(v, p) + c.moved(v, p)
	case p.x.rows == 1:
		n += c.registers(v.y)
	}
	return n
}

// halved returns half of the registers of an operand that is packed: the first, or the second of pairs of matrices; 0
// where it is used as it is.
func (c *cost) halved(v *convolution, p *window) float64 {
	operand, rows := v.x, p.x.rows
	if p.batches > 1 {
		switch {
		case p.x.minor == 'b':
			return 0
		case p.y.minor == 'b':
			operand, rows = v.k, p.k.rows
		}
	}
	switch {
	case rows == 1, v.dilated(), p.x.minor != 'b' && p.y.minor == 'b' && p.k.minor == 'o':
		return 0
	case p.x.minor != 'b' && p.y.minor != 'b' && p.k.minor == 'i' && ceil(p.inputs, 128)*128 != p.inputs:
		return 0 // what is beyond the inputs
	}
	return c.registers(operand) / 2
}

// moved returns the registers of the first operand that are moved: those of all pairs of matrices but the first, those
// of inputs that are rows of both operands, and those of positions that are added up for each of the others.
func (c *cost) moved(v *convolution, p *window) (n float64) {
	x := c.registers(v.x)
	if p.batches > 1 {
		n = x * (p.batches - 1) / p.batches
	}
	switch both := p.x.minor == 'b' && p.k.minor == 'o'; {
	case both && p.y.minor == 'b':
		n += 16 * math.Floor(p.together()/2)
	case both && p.batches == 1 && p.outputs > 128 && p.x.lanes > 1 && p.x.rows > 1:
		rows := p.positions * p.x.rows
		n += x / rows * ceil(rows, 16) * 16
	case p.x.minor == 'b' && p.y.minor == 'b' && p.spread > 1:
		n += x * p.spread * (p.positions - 1) / p.positions
	}
	return n
}

// dilated reports whether the first operand is spread out, in dimensions that are not a batch.
func (v *convolution) dilated() bool {
	for i, d := range v.dilations {
		if d > 1 && !v.batch(i) {
			return true
		}
	}
	return false
}

// outside returns the share of the first operand that is padding, as the model has it.
func (v *convolution) outside() float64 {
	inside := 1.
	for i := range v.sizes {
		if inputs, _ := v.at(i); inputs > 1 {
			inside *= max(0, 1-float64(max(0, v.lows[i])+max(0, v.highs[i]))/float64(inputs))
		}
	}
	return 1 - inside
}

// ceil returns the parts of a size that make up x, the last of them begun.
func ceil(x, size float64) float64 { return math.Ceil(x / size) }

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
