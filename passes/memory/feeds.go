package memory

import "hlolayout/hlo"

// The arrays of a product.
const (
	leftOf = iota
	rightOf
	resultOf
	productArrays
)

// feed is one use of a parameter by a fusion with a product, or a value that the fusion makes on the way, and what of
// it goes with a window of one of the product's arrays: the operand that it feeds, or the result where it is used
// after the product.
type feed struct {
	parameter int // none for a value that the fusion makes
	shape     *hlo.Shape
	array     int
	dims      []bound // by dimension
	usage
}

// usage is how a value is used.
type usage struct {
	kind   feedKind
	inner  *hlo.Shape // the operand of an inner product that it feeds
	sliced bool       // a dynamic slice takes it
}

// feedKind says how often a window of a feed takes room.
type feedKind uint8

const (
	twice   feedKind = iota // while one window is used the next is on its way
	once                    // it is made when it is used
	nowhere                 // it is padded, or an inner fusion of an inner fusion reads it: where it is
)

// follows reports whether windows of the array decide how much there is of every dimension.
func (f *feed) follows() bool {
	for d, p := range f.dims {
		if p.of == nil && p.per != 1 && p.per != everything && f.shape.Dims[d] > 1 {
			return false
		}
	}
	return true
}

// mostFeeds bounds the uses that are followed: those of inner fusions multiply. (The most of a product in 41 programs
// are 24.)
const mostFeeds = 1 << 12

// feedsOf returns what feeds a product, and the computation that it is in: each parameter as often as it is used.
func feedsOf(v *convolution) (list []feed) {
	left := mostFeeds
	add := func(array int) func(feed) {
		return func(f feed) {
			f.array = array
			list = append(list, f)
		}
	}
	for k, o := range v.in.Operands[:resultOf] {
		newTrace(add(k), &left).operand(o, identity(o.Shape))
	}
	after := newTrace(add(resultOf), &left)
	after.product = v.in
	roots := []*hlo.Instruction{v.in.Computation.Root}
	if roots[0].Opcode == hlo.OpTuple {
		roots = roots[0].Operands
	}
	for _, r := range roots {
		after.follow(r, make([]bound, len(r.Shape.Dims)), usage{})
	}
	return list
}
