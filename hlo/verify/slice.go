package verify

import (
	"slices"

	"hlolayout/hlo"
)

var sliceRules = []rule{
	hlo.OpSlice: slice, hlo.OpDynamicSlice: dynamicSlice, hlo.OpDynamicUpdateSlice: dynamicUpdateSlice,
	hlo.OpPad: pad, hlo.OpConcatenate: concatenate,
}

func slice(in *hlo.Instruction) (*hlo.Shape, error) {
	if err := allArrays(in); err != nil {
		return nil, err
	}
	s, v := in.Operands[0].Shape, in.Attr("slice")
	if v == nil {
		return nil, fail(VER109, "it has no slice")
	}
	if len(v.Elems) != s.Rank() {
		return nil, fail(VER107, "slice=%s has %s, operand 0, %s, %d", v.Text, plural(len(v.Elems), "dimension"),
			bare(s), s.Rank())
	}
	dims, dyn := make([]int64, s.Rank()), make([]bool, s.Rank())
	for i := range v.Elems {
		n := numbers(&v.Elems[i])
		if len(n) == 2 {
			n = append(n, 1)
		}
		if len(n) != 3 {
			return nil, fail(VER109, "slice=%s is not of the form {[0:4], [0:8:2]}", v.Text)
		}
		start, limit, stride := n[0], n[1], n[2]
		switch size := s.Dims[i]; {
		case start < 0:
			return nil, fail(VER107, "slice=%s starts at %d in dimension %d", v.Text, start, i)
		case size != hlo.Unbounded && limit > size:
			return nil, fail(VER107, "slice=%s ends at %d in dimension %d, but operand 0, %s, has size %d there",
				v.Text, limit, i, bare(s), size)
		case start > limit:
			return nil, fail(VER107, "slice=%s starts at %d and ends at %d in dimension %d", v.Text, start, limit, i)
		case stride < 1:
			return nil, fail(VER107, "slice=%s has stride %d in dimension %d", v.Text, stride, i)
		}
		dims[i] = ceilDiv(limit-start, stride)
		dyn[i] = dims[i] != 1 && s.Dims[i] != hlo.Unbounded && dynamic(s, i)
	}
	return newArray(s.DType, dims, dyn), nil
}

// startIndices fails unless the operands from number `from` on are one vector of indices or one scalar a dimension.
func startIndices(in *hlo.Instruction, from int) error {
	if err := arrays(in, from, len(in.Operands)); err != nil {
		return err
	}
	s, index := in.Operands[0].Shape, in.Operands[from:]
	if len(index) >= 1 {
		if first := index[0].Shape; first.Rank() == 1 {
			switch {
			case len(index) != 1:
				return fail(VER101, "it has %s; a vector of start indices must be the only one",
					plural(len(index), "start index operand"))
			case !isInt(first.DType):
				return fail(VER103, "the start indices are %s; they must be integers", bare(first))
			case first.Dims[0] != int64(s.Rank()):
				return fail(VER104, "the start indices are %s; operand 0, %s, needs %d", bare(first), bare(s), s.Rank())
			}
			return nil
		}
	}
	if len(index) != s.Rank() {
		return fail(VER101, "it has %s; operand 0, %s, needs %d", plural(len(index), "start index operand"), bare(s),
			s.Rank())
	}
	for i, o := range index {
		if !o.Shape.IsScalar() || !isInt(o.Shape.DType) || o.Shape.DType != index[0].Shape.DType {
			return fail(VER103, "operand %d, a start index, is %s; all must be scalars of one integer type", from+i,
				bare(o.Shape))
		}
	}
	return nil
}

func dynamicSlice(in *hlo.Instruction) (*hlo.Shape, error) {
	if err := arrays(in, 0, 1); err != nil {
		return nil, err
	}
	if err := startIndices(in, 1); err != nil {
		return nil, err
	}
	sizes, err := needInts(in, "dynamic_slice_sizes")
	if err != nil {
		return nil, err
	}
	s := in.Operands[0].Shape
	if len(sizes) != s.Rank() {
		return nil, fail(VER107, "dynamic_slice_sizes has %s; operand 0, %s, needs %d", plural(len(sizes), "number"),
			bare(s), s.Rank())
	}
	dims, dyn := make([]int64, len(sizes)), make([]bool, len(sizes))
	for i, n := range sizes {
		if n < 0 || s.Dims[i] != hlo.Unbounded && int64(n) > s.Dims[i] {
			return nil, fail(VER107, "dynamic_slice_sizes has %d for dimension %d of operand 0, %s", n, i, bare(s))
		}
		dims[i], dyn[i] = int64(n), dynamic(s, i) && n > 1 && int64(n) == s.Dims[i]
	}
	return newArray(s.DType, dims, dyn), nil
}

func dynamicUpdateSlice(in *hlo.Instruction) (*hlo.Shape, error) {
	if err := arrays(in, 0, 2); err != nil {
		return nil, err
	}
	if err := startIndices(in, 2); err != nil {
		return nil, err
	}
	s, update := in.Operands[0].Shape, in.Operands[1].Shape
	if update.Rank() != s.Rank() {
		return nil, fail(VER104, "operand 1, the update, is %s; it must have the rank of operand 0, %s", bare(update),
			bare(s))
	}
	if !sameType(s.DType, update.DType) {
		return nil, differentTypes(in)
	}
	for i, n := range update.Dims {
		if s.Dims[i] != hlo.Unbounded && n > s.Dims[i] {
			return nil, fail(VER107, "dimension %d of the update %s is larger than that of operand 0, %s", i,
				bare(update), bare(s))
		}
	}
	return withDynamic(s, func(i int) bool { return dynamic(update, i) && update.Dims[i] == s.Dims[i] }), nil
}

func pad(in *hlo.Instruction) (*hlo.Shape, error) {
	if err := allArrays(in); err != nil {
		return nil, err
	}
	s, value := in.Operands[0].Shape, in.Operands[1].Shape
	if !value.IsScalar() {
		return nil, fail(VER104, "operand 1, the padding value, is %s; it must be a scalar", bare(value))
	}
	if !sameType(s.DType, value.DType) {
		return nil, differentTypes(in)
	}
	v := in.Attr("padding")
	if v == nil {
		return nil, fail(VER109, "it has no padding")
	}
	config, ok := pattern(v, 2)
	if !ok && s.Rank() > 0 {
		return nil, fail(VER109, "padding=%s is not of the form 0_1x2_3", v.Text)
	}
	if ok && len(config) != s.Rank() {
		return nil, fail(VER107, "padding=%s has %s, operand 0, %s, %d", v.Text, plural(len(config), "dimension"),
			bare(s), s.Rank())
	}
	dims := make([]int64, s.Rank())
	for i, p := range config {
		interior := int64(0)
		if len(p) > 2 {
			interior = p[2]
		}
		if interior < 0 {
			return nil, fail(VER107, "padding=%s has negative interior padding in dimension %d", v.Text, i)
		}
		if s.Dims[i] == hlo.Unbounded {
			dims[i] = hlo.Unbounded
			continue
		}
		between, ok := mul(max(s.Dims[i]-1, 0), interior)
		dims[i] = s.Dims[i] + p[0] + p[1] + between
		if !ok || dims[i] < 0 {
			return nil, fail(VER107, "padding=%s leaves dimension %d of operand 0, %s, no size", v.Text, i, bare(s))
		}
	}
	return newArray(higher(s.DType, value.DType), dims, dynOf(s, s.Rank())), nil
}

func concatenate(in *hlo.Instruction) (*hlo.Shape, error) {
	if len(in.Operands) == 0 {
		return nil, fail(VER101, "it has no operands")
	}
	if err := allArrays(in); err != nil {
		return nil, err
	}
	dim, err := oneInt(in, "dimensions")
	if err != nil {
		return nil, err
	}
	first := in.Operands[0].Shape
	if dim < 0 || dim >= first.Rank() {
		return nil, outOfRange("dimensions", dim, first.Rank())
	}
	d := first.DType
	dims, bounded := slices.Clone(first.Dims), make([]bool, first.Rank())
	for i, o := range in.Operands {
		s := o.Shape
		switch {
		case s.Rank() != first.Rank():
			return nil, fail(VER104, "operand %d is %s, operand 0 %s; the ranks must be the same", i, bare(s),
				bare(first))
		case !sameType(s.DType, first.DType):
			return nil, fail(VER103, "operand %d is %s, operand 0 %s; the element types must be the same", i, bare(s),
				bare(first))
		}
		d = higher(s.DType, first.DType)
		for k, n := range s.Dims {
			bounded[k] = bounded[k] || n != hlo.Unbounded && dynamic(s, k)
			switch {
			case i == 0:
			case k == dim && (n == hlo.Unbounded || dims[k] == hlo.Unbounded):
				dims[k] = hlo.Unbounded
			case k == dim:
				dims[k] += n
			case !fits(n, dims[k]):
				return nil, fail(VER104, "operand %d is %s, operand 0 %s; only dimension %d may differ", i, bare(s),
					bare(first), dim)
			case dims[k] == hlo.Unbounded:
				dims[k] = n
			}
		}
	}
	for k, n := range dims {
		bounded[k] = bounded[k] || n == hlo.Unbounded
	}
	return newArray(d, dims, bounded), nil
}
