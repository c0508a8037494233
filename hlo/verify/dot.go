package verify

import (
	"slices"

	"hlolayout/hlo"
)

var dotRules = []rule{hlo.OpDot: dot, hlo.OpScaledDot: scaledDot, hlo.OpRaggedDot: raggedDot}

// dotDims are the dimension numbers of a dot.
type dotDims struct {
	lhsBatch, lhsContracting, rhsBatch, rhsContracting []int
}

// dotNumbers reads and checks the dimension numbers of a dot of operands 0 and 1.
func dotNumbers(in *hlo.Instruction) (d dotDims, err error) {
	if err := arrays(in, 0, 2); err != nil {
		return d, err
	}
	lhs, rhs := in.Operands[0].Shape, in.Operands[1].Shape
	for _, a := range []struct {
		key string
		to  *[]int
	}{{"lhs_batch_dims", &d.lhsBatch}, {"lhs_contracting_dims", &d.lhsContracting},
		{"rhs_batch_dims", &d.rhsBatch}, {"rhs_contracting_dims", &d.rhsContracting}} {
		if *a.to, err = ints(in, a.key); err != nil {
			return d, err
		}
	}
	if err := unique("lhs_batch_dims with lhs_contracting_dims", slices.Concat(d.lhsBatch, d.lhsContracting),
		lhs.Rank()); err != nil {
		return d, err
	}
	if err := unique("rhs_batch_dims with rhs_contracting_dims", slices.Concat(d.rhsBatch, d.rhsContracting),
		rhs.Rank()); err != nil {
		return d, err
	}
	for _, pair := range []struct {
		what string
		l, r []int
	}{{"contracting", d.lhsContracting, d.rhsContracting}, {"batch", d.lhsBatch, d.rhsBatch}} {
		if len(pair.l) != len(pair.r) {
			return d, fail(VER105, "the left side has %s, the right side %d",
				plural(len(pair.l), pair.what+" dimension"), len(pair.r))
		}
		for i := range pair.l {
			if x, y := lhs.Dims[pair.l[i]], rhs.Dims[pair.r[i]]; !fits(x, y) {
				return d, fail(VER104, "%s dimension %d of %s has size %d, dimension %d of %s has size %d", pair.what,
					pair.l[i], bare(lhs), x, pair.r[i], bare(rhs), y)
			}
		}
	}
	return d, nil
}

// result appends the sizes of a dot after its group dimension: batch, then what is left of each side.
func (d dotDims) result(lhs, rhs *hlo.Shape, group []int, dims []int64, dyn []bool) ([]int64, []bool) {
	for _, i := range d.lhsBatch {
		dims, dyn = append(dims, lhs.Dims[i]), append(dyn, dynamic(lhs, i))
	}
	for i := range lhs.Dims {
		if !slices.Contains(d.lhsBatch, i) && !slices.Contains(d.lhsContracting, i) {
			dims, dyn = append(dims, lhs.Dims[i]), append(dyn, dynamic(lhs, i))
		}
	}
	for i := range rhs.Dims {
		if !slices.Contains(d.rhsBatch, i) && !slices.Contains(d.rhsContracting, i) && !slices.Contains(group, i) {
			dims, dyn = append(dims, rhs.Dims[i]), append(dyn, dynamic(rhs, i))
		}
	}
	return dims, dyn
}

// resultType is the element type of a dot or convolution: any the text declares, else the higher of the operands'.
// XLA takes the declared type as the wish of the front end and compares nothing.
func resultType(in *hlo.Instruction) hlo.DType {
	if in.Shape != nil && in.Shape.IsArray() {
		return in.Shape.DType
	}
	return higher(in.Operands[0].Shape.DType, in.Operands[1].Shape.DType)
}

func dot(in *hlo.Instruction) (*hlo.Shape, error) {
	d, err := dotNumbers(in)
	if err != nil {
		return nil, err
	}
	lhs, rhs := in.Operands[0].Shape, in.Operands[1].Shape
	n := max(0, lhs.Rank()+rhs.Rank())
	dims, dyn := d.result(lhs, rhs, nil, make([]int64, 0, n), make([]bool, 0, n))
	return newArray(resultType(in), dims, dyn), nil
}

// scaledDot is a dot of operands 0 and 1; operands 2 and 3 are their scales (HloVerifier's ScalesShapeVerifier).
func scaledDot(in *hlo.Instruction) (*hlo.Shape, error) {
	if err := allArrays(in); err != nil {
		return nil, err
	}
	d, err := dotNumbers(in)
	if err != nil {
		return nil, err
	}
	for i, contracting := range [][]int{d.lhsContracting, d.rhsContracting} {
		a, s := in.Operands[i].Shape, in.Operands[i+2].Shape
		if noScale(a, s) {
			continue
		}
		if a.Rank() != s.Rank() {
			return nil, fail(VER104, "the scale %s has another rank than operand %d, %s", bare(s), i, bare(a))
		}
		if len(contracting) != 1 {
			return nil, fail(VER105, "operand %d has %s; a scaled dot takes 1", i,
				plural(len(contracting), "contracting dimension"))
		}
		for k := range a.Dims {
			if s.Dims[k] == 0 || a.Dims[k]%s.Dims[k] != 0 {
				return nil, fail(VER104, "dimension %d of operand %d, %s, is not a multiple of its scale's, %s", k, i,
					bare(a), bare(s))
			}
		}
	}
	if in.Operands[2].Shape.IsScalar() && in.Operands[3].Shape.IsScalar() {
		return nil, fail(VER104, "both scales are scalars")
	}
	dims, dyn := d.result(in.Operands[0].Shape, in.Operands[1].Shape, nil, nil, nil)
	return newArray(resultType(in), dims, dyn), nil
}

// noScale reports whether s stands for "a has no scale": a bf16 operand of more than one element and a bf16 of one.
func noScale(a, s *hlo.Shape) bool {
	notOne := func(d int64) bool { return d != 1 }
	return a.DType == hlo.BF16 && s.DType == hlo.BF16 && !slices.ContainsFunc(s.Dims, notOne) &&
		slices.ContainsFunc(a.Dims, notOne)
}

// raggedDot infers the three modes of a ragged dot: the ragged dimension of the left side is a free one
// ([b,m,k],[g,b,k,n] -> [b,m,n]), a contracting one (-> [g,b,m,n]) or a batch one (-> [b,m,n]).
func raggedDot(in *hlo.Instruction) (*hlo.Shape, error) {
	if err := allArrays(in); err != nil {
		return nil, err
	}
	d, err := dotNumbers(in)
	if err != nil {
		return nil, err
	}
	lhs, rhs, sizes := in.Operands[0].Shape, in.Operands[1].Shape, in.Operands[2].Shape
	ragged, err := oneInt(in, "lhs_ragged_dims")
	if err != nil {
		return nil, err
	}
	if err := unique("lhs_ragged_dims", []int{ragged}, lhs.Rank()); err != nil {
		return nil, err
	}
	group, err := ints(in, "rhs_group_dims")
	if err != nil {
		return nil, err
	}
	var free []int
	for i := range lhs.Dims {
		if !slices.Contains(d.lhsBatch, i) && !slices.Contains(d.lhsContracting, i) {
			free = append(free, i)
		}
	}
	batch, contracting := slices.Index(d.lhsBatch, ragged), slices.Index(d.lhsContracting, ragged)
	var prefix []int // the dimensions of the left side that the group sizes have in front
	switch {
	case batch >= 0:
		prefix = d.lhsBatch[:batch]
	case contracting >= 0:
		prefix = slices.Concat(d.lhsBatch, d.lhsContracting[:contracting])
	default:
		prefix = slices.Concat(d.lhsBatch, free[:slices.Index(free, ragged)])
	}
	if sizes.Rank() == 0 || sizes.Rank() != 1 && sizes.Rank() != len(prefix)+1 {
		return nil, fail(VER104, "the group sizes are %s; they must have rank 1 or %d", bare(sizes), len(prefix)+1)
	}
	for i, p := range prefix {
		if sizes.Rank() > 1 && sizes.Dims[i] != lhs.Dims[p] {
			return nil, fail(VER104, "dimension %d of the group sizes %s must be %d, as dimension %d of %s", i,
				bare(sizes), lhs.Dims[p], p, bare(lhs))
		}
	}
	if err := unique("rhs_group_dims with the batch and contracting ones",
		slices.Concat(group, d.rhsBatch, d.rhsContracting), rhs.Rank()); err != nil {
		return nil, err
	}
	groups := sizes.Dims[sizes.Rank()-1]
	var dims []int64
	var dyn []bool
	switch {
	case batch < 0 && contracting < 0:
		if len(group) != 1 {
			return nil, fail(VER105, "rhs_group_dims names %s; a free ragged dimension needs 1",
				plural(len(group), "dimension"))
		}
		if !fits(groups, rhs.Dims[group[0]]) {
			return nil, fail(VER104, "the group dimension of %s must have size %d", bare(rhs), groups)
		}
	case len(group) > 0:
		return nil, fail(VER105, "rhs_group_dims must be empty when the ragged dimension is a batch or contracting one")
	case contracting >= 0:
		dims, dyn = append(dims, groups), append(dyn, dynamic(sizes, sizes.Rank()-1))
	}
	dims, dyn = d.result(lhs, rhs, group, dims, dyn)
	return newArray(resultType(in), dims, dyn), nil
}
