package memory

import (
	"math"
	"slices"
	"strings"

	"hlolayout/hlo"
)

// product returns what a convolution takes: a pass of the matrix unit for each register of the result, each position of
// the window and each 128 inputs, two of them a cycle; all but the first are added up by the vector unit. (So it is of
// 1,150 of 1,156 convolutions that run in one window, in the compiler's log of 38 programs for v6e and v7x; most others
// have a batch of fewer rows than a register. Where windows have a part of what is added up positions share passes:
// 54 of 54 products of 62 other programs.)
func (c *cost) product(v, whole *convolution) bundle {
	n, p := c.registers(v.y), v.window(whole)
	b := bundle{either: c.packed(v, &p)}
	if grouped(v.in) {
		b.add(c.inGroups(v, &p))
		return b.times(p.inside)
	}
	held := n * max(1, v.held)
	if p.split {
		b.either += held // added to what other windows have left
	}
	depth, share, halved := p.positions*ceil(p.inputs, 128), 1., false
	if p.x.minor == 'b' && p.k.minor == 'o' {
		depth, share, halved = p.sharing(v)
		b.turns = p.turns()
	}
	switch rows := n / p.y.lanes; {
	case n > 0 && p.crowds(v):
		share = p.crowded(rows)
		b.either += rows * share
	case p.leavesRows(v):
		b.either += rows
	}
	rounds := depth * share
	if halved {
		rounds /= 2
	}
	b.passes, b.second = n*depth*share/2, held*(math.Floor(rounds*n/max(1, held))-1)
	b.weights = c.weights(v, &p)
	return b.times(p.inside)
}

// inGroups returns what a convolution in groups takes of the vector unit, the padding and the packing left out.
//
// Groups of features are multiplied and added up for each register of the result, in the order of the first operand.
// Where its batch is minor the second operand is spread over its rows first. Of groups of a batch the inputs are added
// up, too, where they are minor by a third operation for each row of groups. (Of 104 in the compiler's log of 92
// programs for v6e and v7x that do not wait for memory 103 have its time, 45 when two operations for each register of
// the result were counted in any order.)
func (c *cost) inGroups(v *convolution, p *window) (b bundle) {
	n, operations := c.registers(v.y), 2.
	switch {
	case byBatch(v.in) && p.x.minor != 'b':
		n, operations = n*p.positions*p.x.rows, 3
	case byBatch(v.in):
		n *= p.positions * ceil(p.inputs, oneTile)
	default:
		if p.x.minor != p.y.minor {
			n *= p.x.rows * p.x.lanes / (p.y.rows * p.y.lanes)
		}
		if n > 0 && p.crowds(v) {
			n *= p.crowded(n / p.y.lanes)
		}
		n *= p.positions * ceil(p.inputs, oneTile)
	}
	b.either, b.loads = operations*n, n
	if k := p.positions * p.x.rows; !byBatch(v.in) && p.x.minor == 'b' {
		b.either, b.loads = b.either+k, b.loads+k
	}
	return b
}

// sharing returns the passes for a register of the result where inputs are rows of both operands, so that positions may
// share them; the share of them that is taken, and whether each does the work of two. Inputs that are one row of tiles
// share passes where they fill it (8 of 8 convolutions compiled for v6e, and none of 10 that do not).
func (p *window) sharing(v *convolution) (depth, share float64, halved bool) {
	depth = p.positions * ceil(p.inputs, 128)
	together := p.together()
	switch batch := float64(v.size(v.x, v.lhs, 'b')); {
	case p.y.minor == 'b':
		return together, 1, false
	case v.precise(), p.x.rows == 1 && p.inputs != oneTile:
	case p.outputs > 128 && (batch < 128 || batch == 128 && !p.pairs):
		return together, ceil(batch, 16) / 8, p.x.rows > 1
	case p.outputs > 128 && p.split && !p.pairs:
		return together, 1, true
	}
	return depth, 1, false
}

// window is what a convolution's numbers follow from.
type window struct {
	positions float64 // that are added up
	all       float64 // with those of dimensions that both operands have, or that the first does not have
	batches   float64 // pairs of matrices that are multiplied each for itself
	spread    float64 // positions of dimensions that the first operand does not have
	repeated  float64 // of those the ones for each of which it is moved again
	inside    float64 // the share that the padding leaves, as the model has it
	outside   float64 // the share of the first operand that is padding
	x, k, y   matrix
	inputs    float64
	outputs   float64
	split     bool // windows have a part of what is added up
	pairs     bool // of matrices are multiplied, each for itself
}

// together returns the passes for a register of the result where positions share them: rows of a tile of inputs each.
func (p *window) together() float64 { return ceil(p.positions*p.x.tile*ceil(p.inputs, p.x.tile), 128) }

// crowds reports whether rows of all positions of the result share registers: those of a batch that fills none.
func (p *window) crowds(v *convolution) bool { return p.y.tile < oneTile && p.inSpace(v) }

// leavesRows reports whether the batch leaves rows of registers empty: its positions are moved then, too. (37 of 37
// convolutions compiled for v6e with a batch of 5 to 8 and 8 to 256 inputs are so.)
func (p *window) leavesRows(v *convolution) bool {
	return v.size(v.y, v.out, 'b') < oneTile && p.y.tile == oneTile && p.inSpace(v)
}

// inSpace reports whether a convolution has positions, and features that are minor in its operands and its result.
func (p *window) inSpace(v *convolution) bool {
	return v.spatial > 0 && p.x.minor != 'b' && p.k.minor == 'o' && p.y.minor != 'b' && !p.pairs && p.spread == 1 &&
		!v.dilated()
}

// crowded returns the share of so many rows of registers that are taken where they share them: each has the rows of a
// tile, one where there is no other.
func (p *window) crowded(rows float64) float64 {
	if p.y.single {
		return ceil(rows, oneTile) / rows
	}
	return ceil(rows*p.y.tile, oneTile) / rows
}

// matrix is how the two dimensions of a value that are not spatial are laid out: the label of the minor one, the
// registers that they take, the rows of a tile, those of a register at most, and whether there is one row.
type matrix struct {
	minor             byte
	rows, lanes, tile float64
	single            bool
}

func (v *convolution) window(whole *convolution) window {
	w := window{positions: 1, all: 1, batches: 1, spread: 1, repeated: 1, inside: whole.inside(), outside: v.outside(),
		x: matrixOf(v.x, v.lhs), k: matrixOf(v.k, v.rhs), y: matrixOf(v.y, v.out),
		inputs: float64(v.size(v.k, v.rhs, 'i')), outputs: float64(v.size(v.k, v.rhs, 'o'))}
	for i := range whole.sizes {
		w.pairs = w.pairs || whole.batch(i) && whole.sizes[i] > 1
	}
	w.split = v.size(v.k, v.rhs, 'i') < whole.size(whole.k, whole.rhs, 'i')
	for i, size := range v.sizes {
		n := float64(size)
		w.split = w.split || size < whole.sizes[i] && !whole.alone(i)
		w.all *= n
		switch {
		case size == 1:
		case v.batch(i):
			w.batches *= n
		case v.spreads(i):
			w.spread *= n
			if whole.repeats(i) {
				w.repeated *= n
			}
		default:
			w.positions *= n
		}
	}
	return w
}

// inside returns the share of a convolution that its padding leaves, as the model has it.
func (v *convolution) inside() float64 {
	padded := 1.
	for i := range v.sizes {
		inputs, _ := v.at(i)
		if !v.batch(i) && !v.spreads(i) {
			padded *= float64(inputs+v.lows[i]+v.highs[i]) / float64(inputs)
		}
	}
	return min(max(0, 2-padded), 1)
}

// batch reports whether a spatial dimension is one that both operands and the result have.
func (v *convolution) batch(i int) bool {
	inputs, _ := v.at(i)
	size := v.sizes[i]
	return v.dilations[i] == size && v.strides[i] == size-1 && inputs == size && v.lows[i]+v.highs[i] == 0
}

// spreads reports whether a spatial dimension is one that the first operand does not have: the second's is that of the
// result.
func (v *convolution) spreads(i int) bool {
	inputs, _ := v.at(i)
	return v.sizes[i] > 1 && inputs == 1 && v.lows[i] == v.sizes[i]-1
}

// repeats reports whether what is added up comes again for each position of a spatial dimension that the first operand
// does not have: where that is minor to it in the result. (So it is in the log of 135 programs for all 17 products in
// several windows where it is minor, and for none of 6 where it is major.)
func (v *convolution) repeats(i int) bool {
	list := v.minorFirst()
	return v.spreads(i) && slices.ContainsFunc(list[slices.Index(list, i)+1:], func(j int) bool { return !v.alone(j) })
}

// alone reports whether positions of a spatial dimension have nothing in common but, where it has none, the second
// operand.
func (v *convolution) alone(i int) bool { return v.batch(i) || v.spreads(i) || v.sizes[i] == 1 }

func matrixOf(s *hlo.Shape, labels string) matrix {
	m := matrix{rows: 1, lanes: 1, tile: oneTile}
	if s.Layout == nil {
		return m
	}
	rows := 8.
	if t := s.Layout.Tiles; len(t) > 0 && len(t[0]) == 2 {
		rows = float64(max(1, t[0][0]))
		m.tile = min(rows, oneTile)
	}
	for at, d := range s.Layout.MinorToMajor {
		switch l := labels[d]; {
		case l < 'a': // spatial
		case at == 0:
			m.minor, m.lanes = l, ceil(float64(s.Dims[d]), 128)
		default:
			m.rows, m.single = ceil(float64(s.Dims[d]), rows), s.Dims[d] == 1
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

// packed returns what packing the operands takes, by either vector unit, and the padding; in groups of a batch, or with
// a batch of fewer rows than a register, it is moved to registers of the result. (6,575 of 6,834 products in
// one window take the log's time in 135 programs.)
func (c *cost) packed(v *convolution, p *window) float64 {
	held := max(1, v.held)
	n := c.registers(v.x) * held * max(p.outside, 1-1/held) // all but one of the pairs that are held are padding
	switch {
	case !grouped(v.in):
		n += c.halved(v, p) + c.moved(v, p)
	case byBatch(v.in), p.x.minor != 'b' && v.size(v.x, v.lhs, 'b') < oneTile:
		n += c.registers(v.y)
	}
	return n
}

// halved returns half of the registers of an operand that is packed: the first, or the second of pairs of matrices; 0
// where it is used as it is. (Tall windows have it from 64 inputs on, so 61 convolutions compiled for v7x have it.)
func (c *cost) halved(v *convolution, p *window) float64 {
	operand, rows, held := v.x, p.x.rows, max(1, v.held)
	if p.pairs {
		switch {
		case p.x.minor == 'b':
			return 0
		case p.y.minor == 'b':
			operand, rows, held = v.k, p.k.rows, 1
		}
	}
	switch {
	case rows == 1, v.precise(), v.dilated(), p.x.minor != 'b' && p.y.minor == 'b' && p.k.minor == 'o':
		return 0
	case p.x.minor == 'b' || p.y.minor == 'b':
	case p.k.minor == 'i' && ceil(p.inputs, 128)*128 != p.inputs:
		return 0 // what is beyond the inputs
	case p.inputs < 64 && !p.pairs && v.tall():
		return 0
	}
	return math.Floor(c.registers(operand) * held / 2)
}

// tall reports whether a window has more than one position along spatial dimensions that are not the minor one.
func (v *convolution) tall() bool {
	list := v.minorFirst()
	return len(list) > 1 && slices.ContainsFunc(list[1:], func(i int) bool { return !v.alone(i) })
}

// moved returns the registers of the first operand that are moved: those of all pairs of matrices but the first and the
// padding, those of inputs that are rows of both operands, more where these are fewer than a tile's, and those of
// positions that are added up, one for each of the others and two for each time that they come again. (All 18 in the
// log; see repeats.)
func (c *cost) moved(v *convolution, p *window) (n float64) {
	x := c.registers(v.x)
	if p.batches > 1 {
		n = x * (1 - p.outside) * (p.batches - 1) / p.batches
	}
	switch both := p.x.minor == 'b' && p.k.minor == 'o'; {
	case both && p.y.minor == 'b':
		n += 16 * math.Floor(p.together()/2)
		if p.inputs < oneTile {
			n += 32 * p.together()
		}
	case both && !p.pairs && p.outputs > 128 && p.x.lanes > 1 && p.x.rows > 1 && !p.split:
		rows := p.positions * p.x.rows
		n += x / rows * ceil(rows, 16) * 16
	}
	if p.repeated > 1 {
		n += x / p.positions * (p.positions - 1 + 2*(p.repeated-1))
	}
	return n
}

// precise reports whether operands are integers, or numbers that are multiplied with more than 16 bits: they are not
// packed. (None of 690 in the log is.)
func (v *convolution) precise() bool {
	p := v.in.Attr("operand_precision")
	return v.x.DType.Class() != hlo.ClassFloat || p != nil && strings.Contains(p.Text, "highest")
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
	return f > 1 || byBatch(in)
}

// byBatch reports whether a convolution takes batches in groups, as gradients of kernels with groups of features do.
func byBatch(in *hlo.Instruction) bool {
	n, _ := in.Attr("batch_group_count").Int()
	return n > 1
}
