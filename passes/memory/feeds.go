package memory

import (
	"slices"

	"hlolayout/hlo"
)

// The arrays of a product.
const (
	leftOf = iota
	rightOf
	resultOf
	productArrays
)

// bound says how much of a dimension a window has: as many elements as it has of some dimensions of an array, one for
// so many of them. Of no dimension it has so many elements, 0 for all.
type bound struct {
	of  []int
	per int64
}

// elements returns how many elements of a dimension of a size go with so many of an array.
func (b *bound) elements(of []int64, size int64) int64 {
	if b.of == nil {
		if b.per > 0 {
			size = min(size, b.per)
		}
		return size
	}
	n := int64(1)
	for _, d := range b.of {
		if d >= len(of) || n > size*b.per {
			return size
		}
		n *= of[d]
	}
	return min(size, (n+b.per-1)/max(1, b.per))
}

// is reports whether a dimension is one of the array.
func (b *bound) is(d int) bool { return len(b.of) == 1 && b.per == 1 && b.of[0] == d }

// feed is a parameter of a fusion with a product, and what of it goes with a window of one of the product's arrays: the
// operand that it feeds, or the result where it is read after the product.
type feed struct {
	parameter int
	shape     *hlo.Shape
	array     int
	dims      []bound // by dimension of the parameter
}

// follows reports whether windows of the array decide how much there is of every dimension.
func (f *feed) follows() bool {
	for d, p := range f.dims {
		if p.of == nil && p.per != 1 && f.shape.Dims[d] > 1 {
			return false
		}
	}
	return true
}

// feedsOf returns what feeds a product, and the computation that it is in.
func feedsOf(v *convolution) (list []feed) {
	add := func(array int) func(*hlo.Instruction, []bound) {
		return func(p *hlo.Instruction, dims []bound) {
			known := slices.ContainsFunc(list, func(f feed) bool {
				return f.parameter == int(p.Parameter) && (f.array == array || array == resultOf)
			})
			if p.Shape.IsArray() && !known {
				list = append(list, feed{int(p.Parameter), p.Shape, array, dims})
			}
		}
	}
	for k, o := range v.in.Operands[:resultOf] {
		trace{visit: add(k)}.from(o, identity(o.Shape))
	}
	roots := []*hlo.Instruction{v.in.Computation.Root}
	if roots[0].Opcode == hlo.OpTuple {
		roots = roots[0].Operands
	}
	after := trace{visit: add(resultOf), product: v.in}
	for _, r := range roots {
		after.from(r, make([]bound, len(r.Shape.Dims)))
	}
	return list
}

func identity(s *hlo.Shape) []bound {
	dims := make([]bound, len(s.Dims))
	for i := range dims {
		dims[i] = bound{[]int{i}, 1}
	}
	return dims
}

// trace follows the dimensions of a value back to the parameters that it is made of.
type trace struct {
	visit   func(p *hlo.Instruction, dims []bound)
	product *hlo.Instruction // not followed; values of its sizes have its dimensions
	seen    map[*hlo.Instruction]bool
}

func (t trace) from(in *hlo.Instruction, dims []bound) {
	t.seen = map[*hlo.Instruction]bool{}
	t.follow(in, dims)
}

func (t trace) follow(in *hlo.Instruction, dims []bound) {
	if in == t.product || t.seen[in] {
		return
	}
	t.seen[in] = true
	if len(dims) != len(in.Shape.Dims) {
		dims = make([]bound, len(in.Shape.Dims))
	}
	if t.product != nil && slices.Equal(in.Shape.Dims, t.product.Shape.Dims) {
		dims = identity(in.Shape)
	}
	switch in.Opcode {
	case hlo.OpParameter:
		t.visit(in, dims)
		return
	case hlo.OpFusion:
		body := in.CalledBy("calls")
		if body == nil || body.Root == nil {
			return
		}
		trace{visit: func(p *hlo.Instruction, dims []bound) {
			if k := int(p.Parameter); k < len(in.Operands) {
				t.follow(in.Operands[k], dims)
			}
		}}.from(body.Root, dims)
		return
	}
	for _, o := range in.Operands {
		if o.Shape.IsArray() {
			t.follow(o, operandBounds(in, o.Shape, dims))
		}
	}
}

// operandBounds returns the bounds of an operand, given those of the result.
func operandBounds(in *hlo.Instruction, s *hlo.Shape, dims []bound) []bound {
	of := make([]bound, len(s.Dims))
	switch in.Opcode {
	case hlo.OpBroadcast:
		for i, d := range in.Ints("dimensions") {
			if i < len(of) && d >= 0 && d < len(dims) {
				of[i] = dims[d]
			}
		}
	case hlo.OpTranspose:
		for i, d := range in.Ints("dimensions") {
			if i < len(dims) && d >= 0 && d < len(of) {
				of[d] = dims[i]
			}
		}
	case hlo.OpReshape:
		reshaped(in.Shape.Dims, s.Dims, dims, of)
	case hlo.OpBitcast: // what is the same are places in memory
		from, to := majorFirst(in.Shape), majorFirst(s)
		if len(from) != len(dims) || len(to) != len(of) {
			break
		}
		bounds := make([]bound, len(of))
		reshaped(pick(in.Shape.Dims, from), pick(s.Dims, to), pick(dims, from), bounds)
		for i, d := range to {
			of[d] = bounds[i]
		}
	default:
		if len(dims) == len(of) && in.Shape.IsArray() {
			sliced(in.Shape.Dims, s.Dims, dims, of)
		}
	}
	return of
}

// sliced sets the bounds of sizes to, given those of sizes from, dimension by dimension: a slice takes no more than it
// makes.
func sliced(from, to []int64, dims, of []bound) {
	for i, p := range dims {
		if p.of == nil && p.per == 0 && from[i] < to[i] {
			p.per = from[i]
		}
		of[i] = p
	}
}

// majorFirst returns an array's dimensions from the major to the minor.
func majorFirst(s *hlo.Shape) (dims []int) {
	if !s.IsArray() || s.Layout == nil {
		return nil
	}
	dims = slices.Clone(s.Layout.MinorToMajor)
	slices.Reverse(dims)
	return dims
}

func pick[T any](list []T, at []int) []T {
	out := make([]T, len(at))
	for i, k := range at {
		out[i] = list[k]
	}
	return out
}

// reshaped sets the bounds of sizes to, given those of sizes from, which have as many elements: where one dimension
// becomes several or several become one. What is only mixed is needed whole.
func reshaped(from, to []int64, dims, of []bound) {
	if len(dims) != len(from) {
		return
	}
	for i, j := 0, 0; i < len(from) && j < len(to); {
		i0, j0, m, n := i, j, from[i], to[j]
		for i, j = i+1, j+1; m != n; {
			switch {
			case m < n && i < len(from):
				m, i = m*from[i], i+1
			case m > n && j < len(to):
				n, j = n*to[j], j+1
			default:
				return
			}
		}
		for i < len(from) && from[i] == 1 {
			i++
		}
		for j < len(to) && to[j] == 1 {
			j++
		}
		switch froms, tos := wide(from, i0, i), wide(to, j0, j); {
		case len(tos) == 1:
			p := bound{nil, 1}
			for _, d := range froms {
				if dims[d].of == nil {
					p = bound{}
					break
				}
				p.of, p.per = append(p.of, dims[d].of...), p.per*dims[d].per
			}
			of[tos[0]] = p
		case len(froms) == 1:
			p := dims[froms[0]]
			for _, d := range slices.Backward(tos) {
				of[d] = p
				p.per *= to[d]
			}
		}
	}
}

// wide returns the dimensions from i up to j of more than one element.
func wide(sizes []int64, i, j int) (list []int) {
	for ; i < j; i++ {
		if sizes[i] > 1 {
			list = append(list, i)
		}
	}
	return list
}
