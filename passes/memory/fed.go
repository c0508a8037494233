package memory

import (
	"math"
	"slices"

	"hlolayout/hlo"
)

// takes returns the chunks that windows take: of the parameters, of what the fusion makes of them for the product, and
// three of the result, two if it is the whole.
func (w *windows) takes(e *extents) (chunks float64) {
	for i := range w.feeds {
		chunks += w.fed(&w.feeds[i], e)
	}
	for k, s := range w.arrays {
		n, whole := tiles(s, w.window(k, e))
		switch {
		case k == resultOf && whole:
			n *= 2
		case k == resultOf:
			n *= 3
		case w.v.in.Operands[k].Opcode == hlo.OpParameter:
			n = 0
		}
		chunks += n
	}
	return math.Ceil(chunks)
}

// fed returns the chunks that the windows of a feed take: two of them, one if it is the whole. In another order than
// the array it is read as it is in memory, narrow numbers packed.
func (w *windows) fed(f *feed, e *extents) float64 {
	if f.kind == nowhere {
		return 0
	}
	n := w.fedTiles(f, e)
	if f.kind == twice && n < w.wholeTiles(f) {
		n *= 2
	}
	if f.kind == once || w.inOrder(f) {
		return n
	}
	minor, second := tileSizes(f.shape)
	return n * float64(minor*second*int64(f.shape.DType.Bits())/8) / chunkBytes
}

// fedTiles returns the tiles of one window of a feed. Where it is not known how the dimensions go together it has as
// much of it as of the array. Rows that are not rows of the array, and are not whole tiles, may begin in the middle of
// one, and the last of them go beyond the array. (So are 77 more products of 17 training steps on v6e and v7x, and 19
// of 45 other programs on v7x.)
func (w *windows) fedTiles(f *feed, e *extents) float64 {
	a, of := w.arrays[f.array], w.window(f.array, e)
	if !f.follows() {
		n, _ := tiles(a, of)
		whole, _ := tiles(a, a.Dims)
		all, _ := tiles(f.shape, f.shape.Dims)
		return math.Ceil(all * n / max(1, whole))
	}
	dims := f.elements(of)
	_, row := minorDims(f.shape)
	if _, to := minorDims(a); row >= 0 && f.kind == twice && len(f.dims[row].of) == 1 &&
		f.dims[row].of[0] != to && dims[row] < f.shape.Dims[row] {
		if _, rows := tileSizes(f.shape); dims[row]%rows != 0 {
			dims[row] += rows - 1
		}
	}
	n, _ := tiles(f.shape, dims)
	return n
}

// elements returns those of each dimension that go with elements of its array.
func (f *feed) elements(of []int64) []int64 {
	dims := make([]int64, len(f.dims))
	for d := range dims {
		dims[d] = f.dims[d].elements(of, f.shape.Dims[d])
	}
	return dims
}

// wholeTiles returns the tiles of a feed that go with the whole of its array.
func (w *windows) wholeTiles(f *feed) float64 {
	whole := w.all()
	return w.fedTiles(f, &whole)
}

// inOrder reports whether the dimensions of a feed are in the order of the array, in tiles of as many rows, or both of
// one row; those of what feeds an inner product, in the order of its operand, as far as sizes tell where it is renamed.
func (w *windows) inOrder(f *feed) bool {
	if f.inner != nil {
		if len(f.inner.Dims) == len(f.shape.Dims) && slices.Equal(majorFirst(f.inner), majorFirst(f.shape)) {
			return true
		}
		order := slices.DeleteFunc(longMajorFirst(f.shape), func(d int) bool { return f.dims[d].single() })
		return slices.Equal(pick(f.inner.Dims, longMajorFirst(f.inner)), pick(f.shape.Dims, order))
	}
	a := w.arrays[f.array]
	_, second := minorDims(f.shape)
	_, rows := tileSizes(f.shape)
	if _, to := tileSizes(a); second < 0 || rows != to && !(oneRow(f.shape) && oneRow(a)) {
		return false
	}
	var order []int // of the array
	for _, d := range majorFirst(f.shape) {
		if f.shape.Dims[d] > 1 {
			order = append(order, f.dims[d].of...)
		}
	}
	return slices.Equal(slices.Compact(order), longMajorFirst(a))
}
