package verify

import (
	"hlolayout/hlo"
)

var reshapeRules = []rule{
	hlo.OpBroadcast: broadcast, hlo.OpReshape: reshape, hlo.OpDynamicReshape: dynamicReshape, hlo.OpBitcast: bitcast,
	hlo.OpBitcastConvert: bitcastConvert, hlo.OpTranspose: transpose, hlo.OpReverse: reverse, hlo.OpIota: iotaShape,
	hlo.OpGetDimensionSize: getDimensionSize, hlo.OpSetDimensionSize: setDimensionSize,
}

func broadcast(in *hlo.Instruction) (*hlo.Shape, error) {
	if err := allArrays(in); err != nil {
		return nil, err
	}
	dims, err := ints(in, "dimensions")
	if err != nil {
		return nil, err
	}
	s := in.Operands[0].Shape
	if in.Shape == nil {
		return broadcastSizes(s, dims)
	}
	if !in.Shape.IsArray() {
		return nil, fail(VER110, "it is declared %s; a broadcast gives an array", bare(in.Shape))
	}
	if !sameType(in.Shape.DType, s.DType) {
		return nil, fail(VER103, "it is declared %s, but operand 0 is %s; a broadcast keeps the element type",
			bare(in.Shape), bare(s))
	}
	if len(dims) != s.Rank() {
		return nil, fail(VER105, "dimensions names %s, operand 0, %s, has %d", plural(len(dims), "dimension"), bare(s),
			s.Rank())
	}
	for i, d := range dims {
		if d < 0 || d >= in.Shape.Rank() {
			return nil, outOfRange("dimensions", d, in.Shape.Rank())
		}
		if in.Shape.Dims[d] != s.Dims[i] {
			return nil, fail(VER104, "dimension %d of operand 0, %s, becomes dimension %d of %s; the sizes must be "+
				"the same", i, bare(s), d, bare(in.Shape))
		}
	}
	return withType(in.Shape, s.DType), nil
}

// broadcastSizes is what XLA's parser makes of a broadcast without a result shape: it takes dimensions for the sizes
// to put in front (the other meaning that broadcast has in XLA's builder). Right for the one case in use: a scalar with
// dimensions={}.
func broadcastSizes(s *hlo.Shape, sizes []int) (*hlo.Shape, error) {
	var dims []int64
	var dyn []bool
	for _, n := range sizes {
		if n < 0 {
			return nil, fail(VER105, "dimensions has the size %d", n)
		}
		dims, dyn = append(dims, int64(n)), append(dyn, false)
	}
	for i, d := range s.Dims {
		dims, dyn = append(dims, d), append(dyn, dynamic(s, i))
	}
	return newArray(s.DType, dims, dyn), nil
}

// keepsElements fails unless the declared shape has operand 0's element type and number of elements.
func keepsElements(in *hlo.Instruction) (*hlo.Shape, error) {
	if err := arrays(in, 0, 1); err != nil {
		return nil, err
	}
	s, err := declared(in)
	if err != nil {
		return nil, err
	}
	from := in.Operands[0].Shape
	if !s.IsArray() || !sameType(s.DType, from.DType) {
		return nil, fail(VER103, "it is declared %s, but operand 0 is %s; %s keeps the element type", bare(s),
			bare(from), in.OpName())
	}
	n, ok := s.Elements()
	m, ok2 := from.Elements()
	if ok && ok2 && n != m {
		return nil, fail(VER104, "operand 0, %s, has %d elements, the result %s has %d", bare(from), m, bare(s), n)
	}
	return withType(s, from.DType), nil
}

func reshape(in *hlo.Instruction) (*hlo.Shape, error) { return keepsElements(in) }

func dynamicReshape(in *hlo.Instruction) (*hlo.Shape, error) {
	s, err := keepsElements(in)
	if err != nil {
		return nil, err
	}
	if len(in.Operands) != s.Rank()+1 {
		return nil, fail(VER101, "it has %s; %s needs one size for each dimension",
			plural(len(in.Operands)-1, "size operand"), bare(s))
	}
	for i, o := range in.Operands[1:] {
		if !o.Shape.IsArray() || o.Shape.DType != hlo.S32 {
			return nil, fail(VER103, "operand %d, a size, is %s; it must be s32", i+1, bare(o.Shape))
		}
	}
	return s, nil
}

// bitcast may turn any array into any other: whether the bytes agree depends on the layouts (passes/check).
func bitcast(in *hlo.Instruction) (*hlo.Shape, error) { return declared(in) }

func bitcastConvert(in *hlo.Instruction) (*hlo.Shape, error) {
	if err := allArrays(in); err != nil {
		return nil, err
	}
	s, err := declared(in)
	if err != nil {
		return nil, err
	}
	from := in.Operands[0].Shape
	a, b := from.DType, s.DType
	if !s.IsArray() || complexType.has(a) != complexType.has(b) {
		return nil, fail(VER103, "it is declared %s, operand 0 is %s; bits go from real to real or from complex to "+
			"complex", bare(s), bare(from))
	}
	// XLA counts PRED and other byte types with their storage width, sub-byte types with their own.
	x, y := a.Bits(), b.Bits()
	if x == 0 || y == 0 || max(x, y)%min(x, y) != 0 {
		return nil, fail(VER103, "%s has %d bits and %s %d; one must be a multiple of the other", a, x, b, y)
	}
	switch ratio := int64(max(x, y) / min(x, y)); {
	case x > y:
		return newArray(b, append(append([]int64(nil), from.Dims...), ratio), dynOf(from, from.Rank(), false)), nil
	case x < y:
		last := from.Rank() - 1
		if last < 0 || from.Dims[last] != ratio {
			return nil, fail(VER104, "the last dimension of operand 0, %s, must have size %d to make one %s of it",
				bare(from), ratio, b)
		}
		return newArray(b, from.Dims[:last], dynOf(from, last)), nil
	}
	return withType(from, b), nil
}

// dynOf returns the dynamic flags of the first n dimensions of s, followed by more.
func dynOf(s *hlo.Shape, n int, more ...bool) []bool {
	var dyn []bool
	for i := 0; i < n; i++ {
		dyn = append(dyn, dynamic(s, i))
	}
	return append(dyn, more...)
}

func transpose(in *hlo.Instruction) (*hlo.Shape, error) {
	if err := allArrays(in); err != nil {
		return nil, err
	}
	order, err := needInts(in, "dimensions")
	if err != nil {
		return nil, err
	}
	s := in.Operands[0].Shape
	if len(order) != s.Rank() || !hlo.IsPermutation(order) {
		return nil, fail(VER105, "dimensions=%s is not a permutation of the %s of operand 0, %s",
			in.Attr("dimensions").Text, plural(s.Rank(), "dimension"), bare(s))
	}
	dims, dyn := make([]int64, len(order)), make([]bool, len(order))
	for i, d := range order {
		dims[i], dyn[i] = s.Dims[d], dynamic(s, d)
	}
	t := newArray(s.DType, dims, dyn)
	if l := s.Layout; in.Shape == nil {
		if l == nil {
			l = hlo.DescendingLayout(len(order))
		}
		if len(l.MinorToMajor) == len(order) {
			t.Layout = permuted(l, order)
		}
	}
	return t, nil
}

// permuted returns the layout in which the transpose is a bitcast, which is what XLA infers.
func permuted(l *hlo.Layout, order []int) *hlo.Layout {
	inverse := make([]int, len(order))
	for i, d := range order {
		inverse[d] = i
	}
	c := *l
	c.MinorToMajor = make([]int, len(order))
	for i, d := range l.MinorToMajor {
		if d < 0 || d >= len(inverse) {
			return nil
		}
		c.MinorToMajor[i] = inverse[d]
	}
	return &c
}

func reverse(in *hlo.Instruction) (*hlo.Shape, error) {
	if err := allArrays(in); err != nil {
		return nil, err
	}
	dims, err := needInts(in, "dimensions")
	if err != nil {
		return nil, err
	}
	s := in.Operands[0].Shape
	return s, unique("dimensions", dims, s.Rank())
}

func iotaShape(in *hlo.Instruction) (*hlo.Shape, error) {
	s, err := declared(in)
	if err != nil {
		return nil, err
	}
	if !s.IsArray() || s.Rank() == 0 {
		return nil, fail(VER110, "it is declared %s; an iota must be an array of rank 1 or more", bare(s))
	}
	d, err := needNumber(in, "iota_dimension")
	if err != nil {
		return nil, err
	}
	if d < 0 || d >= int64(s.Rank()) {
		return nil, outOfRange("iota_dimension", int(d), s.Rank())
	}
	if set := integer | float | complexType; !set.has(s.DType) {
		return nil, fail(VER103, "it is declared %s; iota gives %s", bare(s), set)
	}
	return s, nil
}

// sizedDim reads the dimension of get-dimension-size and set-dimension-size.
func sizedDim(in *hlo.Instruction) (int, error) {
	if err := allArrays(in); err != nil {
		return 0, err
	}
	d, err := oneInt(in, "dimensions")
	if err != nil {
		return 0, err
	}
	s := in.Operands[0].Shape
	if d < 0 || d >= s.Rank() {
		return 0, outOfRange("dimensions", d, s.Rank())
	}
	if s.Dims[d] > 1<<31-1 {
		return 0, fail(VER104, "dimension %d of %s is larger than an s32 holds", d, bare(s))
	}
	return d, nil
}

func getDimensionSize(in *hlo.Instruction) (*hlo.Shape, error) {
	if _, err := sizedDim(in); err != nil {
		return nil, err
	}
	return newArray(hlo.S32, nil, nil), nil
}

func setDimensionSize(in *hlo.Instruction) (*hlo.Shape, error) {
	d, err := sizedDim(in)
	if err != nil {
		return nil, err
	}
	if size := in.Operands[1].Shape; !isScalarOf(size, hlo.S32) {
		return nil, fail(VER103, "operand 1, the size, is %s; it must be s32[]", bare(size))
	}
	return withDynamic(in.Operands[0].Shape, func(i int) bool { return i == d }), nil
}
