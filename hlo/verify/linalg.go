package verify

import (
	"slices"

	"hlolayout/hlo"
)

var linalgRules = []rule{
	hlo.OpFft: fft, hlo.OpCholesky: cholesky, hlo.OpTriangularSolve: triangularSolve, hlo.OpTopk: topK,
	hlo.OpBatchNormTraining: batchNorm, hlo.OpBatchNormInference: batchNorm, hlo.OpBatchNormGrad: batchNorm,
	hlo.OpRng: rng, hlo.OpRngBitGenerator: rngBitGenerator, hlo.OpRngGetAndUpdateState: rngState,
}

func fft(in *hlo.Instruction) (*hlo.Shape, error) {
	if err := allArrays(in); err != nil {
		return nil, err
	}
	s := in.Operands[0].Shape
	length, err := needInts(in, "fft_length")
	if err != nil {
		return nil, err
	}
	n := len(length)
	if n < 1 || n > 3 || n > s.Rank() {
		return nil, fail(VER112, "fft_length has %s; it must have 1 to 3, and no more than operand 0, %s",
			plural(n, "dimension"), bare(s))
	}
	kind := word(in, "fft_type")
	inner := s.Dims[s.Rank()-n:] // the transformed dimensions
	last := int64(length[n-1])
	half := last/2 + 1
	switch kind {
	case "FFT", "IFFT":
		return s, takes(in, 0, complexType)
	case "RFFT":
		if s.DType != hlo.F32 && s.DType != hlo.F64 {
			return nil, fail(VER103, "operand 0 is %s; RFFT takes f32 or f64", bare(s))
		}
		for i, size := range inner {
			if !fits(size, int64(length[i])) {
				return nil, fail(VER104, "fft_length has %d where operand 0, %s, has size %d", length[i], bare(s), size)
			}
		}
		d := hlo.C64
		if s.DType == hlo.F64 {
			d = hlo.C128
		}
		if last == 0 {
			return withType(s, d), nil
		}
		return withLast(withType(s, d), half), nil
	case "IRFFT":
		if err := takes(in, 0, complexType); err != nil {
			return nil, err
		}
		for i, size := range inner[:n-1] {
			if size != int64(length[i]) {
				return nil, fail(VER104, "fft_length has %d where operand 0, %s, has size %d", length[i], bare(s), size)
			}
		}
		if size := inner[n-1]; (size != 0 || last != 0) && !fits(size, half) {
			return nil, fail(VER104, "the last dimension of operand 0, %s, must have size %d for fft_length %d",
				bare(s), half, last)
		}
		return withLast(withType(s, componentOf(s.DType)), last), nil
	}
	return nil, fail(VER109, "fft_type=%s is none of FFT, IFFT, RFFT, IRFFT", kind)
}

// withLast returns s with another size of the last dimension; an unbounded one becomes static.
func withLast(s *hlo.Shape, size int64) *hlo.Shape {
	c := s.WithLayout(s.Layout)
	i := s.Rank() - 1
	c.Dims = slices.Clone(s.Dims)
	if s.Dims[i] == hlo.Unbounded && i < len(s.Dynamic) {
		c.Dynamic = slices.Clone(s.Dynamic)
		c.Dynamic[i] = false
	}
	c.Dims[i] = size
	return c
}

// square fails unless operand 0 is a batch of square matrices of floats or complex numbers.
func square(in *hlo.Instruction) error {
	if err := allArrays(in); err != nil {
		return err
	}
	if err := takes(in, 0, float|complexType); err != nil {
		return err
	}
	s := in.Operands[0].Shape
	if r := s.Rank(); r < 2 || !fits(s.Dims[r-2], s.Dims[r-1]) {
		return fail(VER104, "operand 0 is %s; its last two dimensions must make a square matrix", bare(s))
	}
	return nil
}

func cholesky(in *hlo.Instruction) (*hlo.Shape, error) { return in.Operands[0].Shape, square(in) }

func triangularSolve(in *hlo.Instruction) (*hlo.Shape, error) {
	if err := square(in); err != nil {
		return nil, err
	}
	a, b := in.Operands[0].Shape, in.Operands[1].Shape
	if a.DType != b.DType {
		return nil, differentTypes(in)
	}
	r := a.Rank()
	if b.Rank() != r || !slices.Equal(a.Dims[:r-2], b.Dims[:r-2]) {
		return nil, fail(VER104, "operand 0 is %s, operand 1 %s; the batch dimensions must be the same", bare(a),
			bare(b))
	}
	shared := r - 1
	if in.Attr("left_side").Bool() {
		shared = r - 2
	}
	if !fits(a.Dims[r-1], b.Dims[shared]) {
		return nil, fail(VER104, "dimension %d of operand 1, %s, must be the size of the matrices of operand 0, %s",
			shared, bare(b), bare(a))
	}
	return b, nil
}

func topK(in *hlo.Instruction) (*hlo.Shape, error) {
	if err := allArrays(in); err != nil {
		return nil, err
	}
	k, err := needNumber(in, "k")
	if err != nil {
		return nil, err
	}
	s := in.Operands[0].Shape
	if s.Rank() == 0 {
		return nil, fail(VER104, "operand 0 is a scalar")
	}
	last := s.Rank() - 1
	if k < 0 || s.Dims[last] < k {
		return nil, fail(VER107, "k is %d, but the last dimension of operand 0, %s, has size %d", k, bare(s),
			s.Dims[last])
	}
	dims := append(slices.Clone(s.Dims[:last]), k)
	dyn := dynOf(s, last, false)
	return hlo.NewTuple(newArray(s.DType, dims, dyn), newArray(hlo.S32, dims, dyn)), nil
}

// batchNorm infers the three batch normalisations. Their vector operands have one number for each feature: scale and
// offset (training); scale, offset, mean and variance (inference); scale, mean and variance (gradient, whose operand 4
// has the shape of operand 0).
func batchNorm(in *hlo.Instruction) (*hlo.Shape, error) {
	if err := allArrays(in); err != nil {
		return nil, err
	}
	if err := takes(in, 0, float); err != nil {
		return nil, err
	}
	s := in.Operands[0].Shape
	f, err := needNumber(in, "feature_index")
	if err != nil {
		return nil, err
	}
	if f < 0 || f >= int64(s.Rank()) {
		return nil, outOfRange("feature_index", int(f), s.Rank())
	}
	vectors := in.Operands[1:]
	if in.Opcode == hlo.OpBatchNormGrad {
		vectors = in.Operands[1:4]
		if g := in.Operands[4].Shape; !compatibleFloats(g, s) {
			return nil, fail(VER104, "operand 4 is %s; it must be as operand 0, %s", bare(g), bare(s))
		}
	}
	for i, o := range vectors {
		v := o.Shape
		if v.Rank() != 1 || !fits(v.Dims[0], s.Dims[f]) {
			return nil, fail(VER104, "operand %d is %s; it must have one number for each of the %d features", i+1,
				bare(v), s.Dims[f])
		}
		if !sameType(v.DType, s.DType) {
			return nil, fail(VER103, "operand %d is %s, operand 0 %s; the element types must be the same", i+1, bare(v),
				bare(s))
		}
	}
	if in.Opcode == hlo.OpBatchNormInference {
		return s, nil
	}
	v := newArray(s.DType, []int64{s.Dims[f]}, []bool{dynamic(s, int(f))})
	return hlo.NewTuple(s, v, v), nil
}

func rng(in *hlo.Instruction) (*hlo.Shape, error) {
	s, err := declared(in)
	if err != nil {
		return nil, err
	}
	if len(in.Operands) != 2 {
		return nil, fail(VER101, "it has %s; it takes 2", plural(len(in.Operands), "operand"))
	}
	a, b := in.Operands[0].Shape, in.Operands[1].Shape
	if !a.IsScalar() || !b.IsScalar() {
		return nil, fail(VER104, "its operands are %s and %s; both must be scalars", bare(a), bare(b))
	}
	if !s.IsArray() || a.DType != b.DType || a.DType != s.DType {
		return nil, fail(VER103, "its operands are %s and %s, the result %s; the element types must be the same",
			bare(a), bare(b), bare(s))
	}
	set := float
	if word(in, "distribution") == "rng_uniform" {
		set = predType | integer | float
	}
	return s, takes(in, 0, set)
}

func rngBitGenerator(in *hlo.Instruction) (*hlo.Shape, error) {
	s, err := declared(in)
	if err != nil || !s.IsTuple() {
		return s, err
	}
	if len(s.Elems) != 2 {
		return nil, fail(VER110, "it is declared %s; a tuple of two is needed: the state and the bits", bare(s))
	}
	if state := in.Operands[0].Shape; !compatible(state, s.Elems[0]) {
		return nil, fail(VER104, "operand 0, the state, is %s, but the result has %s for it", bare(state),
			bare(s.Elems[0]))
	}
	return s, nil
}

func rngState(in *hlo.Instruction) (*hlo.Shape, error) {
	return newArray(hlo.U64, []int64{2}, nil), nil
}
