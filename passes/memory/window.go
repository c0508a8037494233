package memory

import (
	"math"
	"slices"
	"strings"

	"hlolayout/hlo"
)

// windows is how a fusion with a product runs: window by window, as its scratch memory has room. The compiler takes the
// first windows that are good enough (its log calls them so): all inputs, and of as many outputs as fit, or of all
// outputs and as much of the batch; or else the whole result, and as many inputs as fit. (In the log of 45 programs for
// v7x 3,691 of 3,738 products have these windows, 895 of 930 where they are not the whole; of 45 others, to which
// nothing was adapted, on v7x 2,309 of 2,334 and 448 of 469, on v6e 2,236 of 2,249 and 229 of 242.)
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
	next                   []int64 // positions of the first operand for the next window
}

const everything = math.MaxInt32

const (
	// chunkBytes is what a register of numbers of 32 bits takes; narrower operands count as if they were unpacked.
	chunkBytes = 4096
	// usable is the part of the scratch memory that windows may take (all budgets of the log), roomy the part of that
	// which must be enough for windows before they grow (of the log .892 and less were, .916 and more were not).
	usable, roomy = .8, .9
	// almost is the part of the rows of a batch that has to fit for windows to take it whole. (Of a batch of 25 to 27
	// tiles, of which 22 fit, they do, of 28 they do not: 5 products compiled for v6e. In the log of 45 programs windows
	// have all of 25 where 21 and 22 fit, and not of 42 where 24 do, nor of 1024 where 805 do.)
	almost = .8
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
	return extents{everything, everything, everything, w.each(everything), w.each(everything), w.each(everything)}
}

func (w *windows) each(n int64) []int64 { return slices.Repeat([]int64{n}, w.v.spatial) }

// choose sets the extents.
func (w *windows) choose() {
	some := extents{0, everything, 0, w.each(1), w.each(everything), w.each(0)} // of the outputs
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
	result := extents{everything, 0, everything, w.each(everything), w.each(1), w.each(0)}
	switch {
	case w.fits(&result):
		w.growInputs(&result)
		w.extents = result
	case fits:
		w.extents = some
	default:
		w.extents = extents{largeBatch, everything, largeOutputs, w.each(1), w.each(everything), w.each(0)}
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
	w.growSpace(e, false)
}

// growSpace grows windows in space, those of the whole result along the second operand. Each dimension may take as much
// of the room as each of those that come after it. Half of that goes to positions of the result, all where they have
// nothing in common, each with what it adds to the first operand; the rest to positions of the second operand. Of what
// is there as a whole already the first operand has as many for the next window. Then the room is without the windows
// as they are, and without the positions of the result. (So are 1,154 of 1,195 windows of 62 products, compiled for
// v7x with scratch memory of many sizes; for the others no first window fits.)
func (w *windows) growSpace(e *extents, result bool) {
	room := w.room
	for level, i := range w.v.minorFirst() {
		room -= w.takes(e)
		share := max(0, room) / float64(w.v.spatial-level)
		part := share / 2
		if w.v.alone(i) {
			part = share
		}
		one := w.onePosition(e, level)
		left, right, position := w.chunks(leftOf, &one), w.chunks(rightOf, &one), w.chunks(resultOf, &one)
		if w.v.batch(i) {
			position += left + right
		} else {
			position += left * float64(w.v.strides[i])
		}
		_, outputs := w.v.at(i)
		n := int64(min(float64(outputs-1), part/max(1, position)))
		taken := float64(n) * position
		more := min(w.v.sizes[i], int64(max(0, share-taken)/max(1, left+right)))
		switch own := w.v.batch(i) || w.v.spreads(i); {
		case own && result:
			e.reach[i] = 1 + n
			continue
		case own:
			e.space[i] = 1 + n
			continue
		case result:
			e.reach[i] = min(1+more, w.v.sizes[i])
			e.next[i] = n + 1 + more - e.reach[i]
		default:
			e.space[i], e.next[i] = 1+n, more
		}
		room -= taken
	}
}

// chunks returns those of array k that a window takes.
func (w *windows) chunks(k int, e *extents) float64 {
	n, _ := tiles(w.arrays[k], w.window(k, e))
	return n
}

// onePosition returns windows with one position along the spatial dimensions from a level on.
func (w *windows) onePosition(e *extents, level int) extents {
	one := *e
	one.space, one.reach, one.next = slices.Clone(e.space), slices.Clone(e.reach), slices.Clone(e.next)
	for _, i := range w.v.minorFirst()[level:] {
		one.space[i], one.reach[i], one.next[i] = 1, 1, 0
	}
	return one
}

// growInputs grows windows of the whole result: along the inputs, and then along the second operand.
func (w *windows) growInputs(e *extents) {
	times := 1.
	if w.v.spatial > 0 {
		times = 2
	}
	e.inputs = w.grow(e, 'i', times)
	w.growSpace(e, true)
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
	for k := range w.arrays {
		if w.dimension(k, label) >= 0 {
			chunks += times * w.chunks(k, &more)
		}
	}
	n := w.fitting(e, chunks)
	enough := count(w.size(label), unit)
	if unit == oneTile {
		enough *= almost
	}
	if label == 'b' && float64(n) >= enough {
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
