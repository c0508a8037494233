package memory

import (
	"math"
	"slices"
	"strings"

	"hlolayout/hlo"
)

// windows is how a fusion with a product runs: window by window, as its scratch memory has room. The compiler takes the
// first windows that are good enough (its log calls them so): all inputs, and of as many outputs as fit, or of all
// outputs and as much of the batch; or else the whole result, and as many inputs as fit. (Of the log for v7x these are
// the windows of 666 of 667 matrix products and of all 304 products of pairs of matrices that the rules were made of,
// and of 2,908 of 3,191 products in 41 programs, 439 of 678 where windows are not the whole. On v6e they move all bytes
// of 50 matrix products as the log has it.)
type windows struct {
	v      *convolution
	arrays [productArrays]*hlo.Shape
	labels [productArrays]string // b, i and o, and digits of spatial dimensions
	feeds  []feed
	room   float64 // chunks
	extents
}

// extents are how much of each dimension of a product one window takes, in elements; one tile of each array where 0.
// The sizes of the dimensions bound them.
type extents struct {
	batch, inputs, outputs int64
	space                  []int64 // positions of the result, by spatial dimension
	reach                  []int64 // positions of the second operand
}

const everything = math.MaxInt32

const (
	// chunkBytes is what a register of numbers of 32 bits takes; narrower operands count as if they were unpacked.
	chunkBytes = 4096
	// usable is the part of the scratch memory that windows may take (all budgets of the log), roomy the part of that
	// which must be enough for windows before they grow (of the log .892 and less were, .916 and more were not).
	usable, roomy = .8, .9
	// largeBatch and largeOutputs are the elements of windows where none fits (2 products).
	largeBatch, largeOutputs = 1024, 512
	// lanes is by how much a window grows along a dimension that is minor in an array; along others it grows by 16 tiles
	// of oneTile rows.
	lanes, oneTile, rowStep = 128, 8, 16
)

// windowsOf returns the windows of a fusion with a product; one that takes all if the scratch memory is not known.
func (c *cost) windowsOf(in *hlo.Instruction, f *fusedCost) *windows {
	v := f.product
	bytes, _ := c.dev.reserved(in)
	if bytes == 0 {
		bytes = c.dev.scratch
	}
	features := "i"
	if grouped(v.in) { // the features of the first operand go with the outputs, each group with its own
		features = "o"
	}
	w := &windows{v: v, arrays: [...]*hlo.Shape{v.x, v.k, v.y}, feeds: f.feeds,
		labels: [...]string{strings.Replace(v.lhs, "f", features, 1), v.rhs, strings.Replace(v.out, "f", "o", 1)},
		room:   math.Floor(float64(bytes) * usable / chunkBytes)}
	w.extents = w.all()
	if bytes > 0 {
		w.choose()
	}
	return w
}

// all are the extents of a window that takes all.
func (w *windows) all() extents {
	return extents{everything, everything, everything, w.each(everything), w.each(everything)}
}

func (w *windows) each(n int64) []int64 { return slices.Repeat([]int64{n}, w.v.spatial) }

// choose sets the extents.
func (w *windows) choose() {
	some := extents{0, everything, 0, w.each(1), w.each(everything)} // of the outputs
	fits := w.fits(&some)
	if fits {
		all := some
		if all.outputs = everything; w.fits(&all) {
			w.growBatch(&all)
			w.extents = all
			return
		}
		some.outputs = w.grow(&some, 'o', 2)
		some.batch = lanes
	}
	result := extents{everything, 0, everything, w.each(everything), w.each(1)}
	switch {
	case w.fits(&result):
		w.growInputs(&result)
		w.extents = result
	case fits:
		w.extents = some
	default:
		w.extents = extents{largeBatch, everything, largeOutputs, w.each(1), w.each(everything)}
		for n := w.size('i'); w.takes(&w.extents) > w.room && n > lanes; n /= 2 {
			w.inputs = (n/2 + lanes - 1) / lanes * lanes
		}
	}
}

// fits reports whether windows leave room to grow.
func (w *windows) fits(e *extents) bool { return w.takes(e) <= roomy*w.room }

// growBatch grows windows with all inputs and outputs: along the batch, and then in space.
func (w *windows) growBatch(e *extents) {
	e.batch = w.grow(e, 'b', 2)
	if e.batch < w.size('b') {
		return
	}
	for level, i := range w.minorFirst() {
		_, outputs := w.v.at(i)
		if e.space[i] = w.positionsThatFit(e, level, i); e.space[i] < outputs {
			return
		}
	}
}

// positionsThatFit returns how many positions of a spatial dimension fit, one and as many more as there is room for.
// Each counts once for this dimension and for every one outside of it, and once more where windows of the first operand
// overlap. Further dimensions take up some room again. (All of this is read off the log, where 439 of 678 windows that
// are not the whole are so; why is not known.)
func (w *windows) positionsThatFit(e *extents, level, i int) int64 {
	times := w.v.spatial - level
	if !w.v.alone(i) {
		times++
	}
	room := w.room - w.takes(e)
	if level > 0 {
		room -= w.again(e, i)
	}
	return 1 + int64(min(everything, max(0, room)/max(1, float64(times)*w.perPosition(e, i))))
}

// again returns the chunks that further dimensions take up once more: a position, where positions have nothing in
// common, or else the operands, what the second is made of, and what inner products make.
func (w *windows) again(e *extents, i int) (chunks float64) {
	if w.v.alone(i) {
		return w.perPosition(e, i)
	}
	for k, s := range w.arrays[:resultOf] {
		n, _ := tiles(s, w.window(k, e))
		chunks += n
	}
	for j := range w.feeds {
		if f := &w.feeds[j]; f.array == rightOf || f.inner != nil || f.kind == once {
			chunks += w.fed(f, e)
		}
	}
	return chunks
}

// perPosition returns the chunks of a position of the result: its own, those of the first operand, as many as windows
// move by, and those of the second where it has the dimension for itself as well. Of what is added up one counts.
func (w *windows) perPosition(e *extents, i int) (chunks float64) {
	inputs, _ := w.v.at(i)
	one := *e
	one.reach = slices.Clone(e.reach)
	for j := range one.reach {
		if _, outputs := w.v.at(j); outputs == 1 && !w.v.alone(j) {
			one.reach[j] = 1
		}
	}
	for k, s := range w.arrays {
		n, _ := tiles(s, w.window(k, &one))
		switch {
		case k == rightOf && !w.v.batch(i):
		case k == leftOf && !w.v.alone(i):
			chunks += n / float64(w.reached(i, inputs, e)) * float64(w.v.strides[i])
		default:
			chunks += n
		}
	}
	return chunks
}

// growInputs grows windows of the whole result: along the inputs, and then along the second operand.
func (w *windows) growInputs(e *extents) {
	times := 1.
	if w.v.spatial > 0 {
		times = 2
	}
	e.inputs = w.grow(e, 'i', times)
	if e.inputs < w.size('i') {
		return
	}
	for _, i := range w.minorFirst() {
		inputs, _ := w.v.at(i)
		left, _ := tiles(w.arrays[leftOf], w.window(leftOf, e))
		right, _ := tiles(w.arrays[rightOf], w.window(rightOf, e))
		e.reach[i] = max(1, w.fitting(e, left/float64(w.reached(i, inputs, e))+right))
		if e.reach[i] < w.v.sizes[i] {
			return
		}
	}
}

// grow returns the elements of the batch b, the inputs i or the outputs o, of which windows have one tile, that fit in
// what they leave, each tile counted so often in the arrays that it is in.
func (w *windows) grow(e *extents, label byte, times float64) int64 {
	unit := int64(oneTile)
	for k, s := range w.arrays {
		if minor, _ := minorDims(s); minor >= 0 && minor == w.dimension(k, label) {
			unit = lanes
		}
	}
	more, chunks := *e, 0.
	*more.of(label) = unit
	for k, s := range w.arrays {
		if w.dimension(k, label) >= 0 {
			n, _ := tiles(s, w.window(k, &more))
			chunks += times * n
		}
	}
	n := w.fitting(e, chunks)
	if label == 'b' && n*unit >= w.size(label) {
		return everything
	}
	if unit == oneTile {
		n = max(rowStep, n/rowStep*rowStep)
	}
	return max(1, n) * unit
}

// fitting returns how many times so many chunks fit in what windows leave.
func (w *windows) fitting(e *extents, chunks float64) int64 {
	return int64(min(everything, max(0, w.room-w.takes(e))/max(1, chunks)))
}

func (e *extents) of(label byte) *int64 {
	switch label {
	case 'b':
		return &e.batch
	case 'i':
		return &e.inputs
	}
	return &e.outputs
}
