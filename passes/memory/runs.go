package memory

import (
	"slices"

	"hlolayout/hlo"
)

// runs says how often a fusion with a product computes a window, and how often it reads or writes one of each array.
// Outputs are the outer loop: the windows of the first operand come again for each of them, those of the second stay
// unless they change with every step. Positions that only the second operand has leave the first as it is, unless what
// is added up comes again for each. (So are the iterations and recomputations of 8,233 of 8,236 products in the log of
// 135 programs for v6e and v7x.)
type runs struct {
	computes float64
	moves    [productArrays]float64
}

func (w *windows) runs() runs {
	batch := count(max(1, w.v.size(w.v.y, w.v.out, 'b')), w.batch) // groups of it are added up
	inputs, outputs := count(w.size('i'), w.inputs), count(w.size('o'), w.outputs)
	space, own, spread, reach := 1., 1., 1., w.held() // own are positions that both operands have, spread only the second
	for i, size := range w.v.sizes {
		_, n := w.v.at(i)
		switch {
		case w.v.batch(i):
			own *= count(n, w.space[i])
		case w.v.spreads(i):
			spread *= count(n, w.space[i])
			reach *= count(min(n, w.space[i]), w.reach[i])
			if w.v.repeats(i) {
				reach *= count(n, w.space[i])
			}
		default:
			space *= count(n, w.space[i])
			reach *= count(size, w.reach[i])
		}
	}
	left, right := batch*inputs*space*own*reach, outputs*inputs*own*spread*reach
	r := runs{computes: left * outputs * spread}
	if left > 1 {
		left *= outputs
	}
	if reach > 1 {
		left *= spread
	}
	if inputs*reach > 1 {
		right *= batch * space
	}
	spread *= own * w.held()
	r.moves = [...]float64{leftOf: left, rightOf: right, resultOf: batch * outputs * space * spread}
	return r
}

// held returns how many pairs of matrices the result of a window has for each that is multiplied at a time: it is
// written after each of them. (So the log has it of a product of 8 pairs, whose inputs come in windows, for v6e.)
func (w *windows) held() float64 {
	pairs := 1.
	for i := range w.v.sizes {
		if _, n := w.v.at(i); w.v.batch(i) {
			pairs *= count(min(n, w.space[i]), w.reach[i])
		}
	}
	return pairs
}

// count returns how many parts of a size make up the whole.
func count(whole, part int64) float64 { return float64((whole + max(1, part) - 1) / max(1, part)) }

// moved returns how much of an array all windows of it are, 1 for the whole once.
func (w *windows) moved(k int, r *runs) float64 {
	of := w.chunks(k, &w.extents)
	all, _ := tiles(w.arrays[k], w.arrays[k].Dims)
	return of * r.moves[k] / max(1, all)
}

// read returns how much of a parameter all windows of it are. In another order it is read as the operand of the
// product is; what is padded, or an inner fusion of an inner fusion reads, is used where it is, all of it once, and so
// is what is sliced at a place that is computed (5 of 5 products, of one program for v6e); of a list tiles are. (Of the
// log so are 2,363 of 2,392 reads by the products that windows was made of, and 5,552 of 5,824 by products in the 13
// programs. Tiles of packed rows are read as others are: 132 products of 62 other programs have it so.)
func (w *windows) read(f *feed, r *runs) float64 {
	switch {
	case f.kind == nowhere, f.sliced:
		return 1
	case f.follows() && sameElements(f.shape, w.arrays[f.array]):
		return w.moved(f.array, r)
	case len(f.shape.Dims) == 1:
		return w.listed(f) * r.moves[f.array]
	}
	return w.fedTiles(f, &w.extents) * r.moves[f.array] / max(1, w.wholeTiles(f))
}

func sameElements(a, b *hlo.Shape) bool {
	m, _ := a.Elements()
	n, _ := b.Elements()
	return m == n
}

// listed returns how much of a list a window of it reads, which may begin in the middle of a tile: where its dimension
// is minor in the array, at every 128th lane. (So it is of all 39 products of 62 programs on v6e and v7x for which that
// is another number.)
func (w *windows) listed(f *feed) float64 {
	size := f.shape.Dims[0]
	n := f.dims[0].elements(w.window(f.array, &w.extents), size)
	tile, _ := tileSizes(f.shape)
	if n == 0 || n == size {
		return 1
	}
	step := int64(1)
	if minor, _ := minorDims(w.arrays[f.array]); slices.Equal(f.dims[0].of, []int{minor}) {
		step = lanes
	}
	if n%tile != 0 {
		n += tile - step
	}
	return count(n, tile) / count(size, tile)
}

// convolution returns what one window computes.
func (w *windows) convolution() convolution {
	v, e := *w.v, w.extents
	e.space, v.held = slices.Clone(e.space), w.held()
	for i := range v.sizes {
		if v.batch(i) {
			e.space[i] = min(e.space[i], e.reach[i]) // one pair of matrices at a time
		}
	}
	for k, s := range []**hlo.Shape{&v.x, &v.k, &v.y} {
		part := **s
		part.Dims = w.window(k, &e)
		*s = &part
	}
	for _, list := range []*[]int64{&v.sizes, &v.strides, &v.dilations, &v.lows, &v.highs} {
		*list = slices.Clone(*list)
	}
	for i := range v.sizes {
		_, n := w.v.at(i)
		switch n = min(n, e.space[i]); {
		case w.v.batch(i):
			v.sizes[i], v.dilations[i], v.strides[i] = n, n, max(1, n-1)
		case w.v.spreads(i):
			v.sizes[i], v.lows[i], v.highs[i] = n, n-1, n-1
		default:
			v.sizes[i] = min(v.sizes[i], w.reach[i])
		}
	}
	return v
}

// work returns what a fusion takes that computes its product in windows.
func (w *windows) work(c *cost, f *fusedCost, r *runs) bundle {
	v := w.convolution()
	b := c.product(&v, w.v).times(r.computes)
	b.add(f.inputs[leftOf].times(w.moved(leftOf, r)))
	b.add(f.inputs[rightOf].times(w.moved(rightOf, r)))
	b.add(f.after.times(w.moved(resultOf, r)))
	for i := range f.parts {
		p := &f.parts[i]
		b.add(p.times(w.spread(p, r) - w.moved(p.array, r)))
	}
	return b
}

// spread returns how often all windows take what a parameter is that is broadcast: the tiles that they have of it, but
// for those beyond it. (The seconds of 31 more products are the log's, in 99 modules, when tiles count that a window
// has rows of; of 10 of them not if those beyond do, too.)
func (w *windows) spread(p *part, r *runs) float64 {
	for i := range w.feeds {
		f := &w.feeds[i]
		if f.parameter == p.parameter && f.array == p.array && f.follows() && (p.made == nil || p.made == f.shape) {
			all := w.wholeTiles(f)
			return min(w.fedTiles(f, &w.extents), all) * r.moves[f.array] / max(1, all)
		}
	}
	return w.moved(p.array, r)
}

// timed is what an instruction takes: the seconds that it computes when nothing waits for memory, and how often it
// reads its operands and writes its results.
type timed struct {
	seconds float64
	writes  float64
	once    []bool    // results that are written once
	reads   []float64 // by operand; 0, and nil, for once
}

func (t *timed) written(j int) float64 {
	if j < len(t.once) && t.once[j] {
		return 1
	}
	return t.writes
}

func (t *timed) times(k int) float64 {
	if k < len(t.reads) && t.reads[k] > 0 {
		return t.reads[k]
	}
	return 1
}

func (c *cost) timed(in *hlo.Instruction) timed {
	f := c.fusion(in)
	if in.Opcode != hlo.OpFusion || f == nil || f.product == nil {
		return timed{seconds: c.seconds(in), writes: 1}
	}
	w := c.windowsOf(in, f)
	r := w.runs()
	b := w.work(c, f, &r)
	t := timed{b.cycles() / c.dev.clock, w.moved(resultOf, &r), f.once, make([]float64, len(in.Operands))}
	for i := range f.feeds {
		feed := &f.feeds[i]
		if k := feed.parameter; k != none && k < len(t.reads) {
			t.reads[k] = max(t.reads[k], w.read(feed, &r))
		}
	}
	return t
}
