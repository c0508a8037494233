package verify

import (
	"hlolayout/hlo"
)

var reduceRules = []rule{
	hlo.OpReduce: reduce, hlo.OpReduceWindow: reduceWindow, hlo.OpSelectAndScatter: selectAndScatter,
	hlo.OpMap: mapShape, hlo.OpSort: sort, hlo.OpScan: scan,
}

// signature is what a called computation takes and gives.
type signature struct {
	comp   *hlo.Computation
	params []*hlo.Shape
	result *hlo.Shape
	same   agreement // compares what goes in and comes out with what the caller has for it
}

// callee returns the signature of the computation that the attribute names.
func callee(in *hlo.Instruction, key string) (signature, error) {
	comp := in.CalledBy(key)
	if comp == nil {
		return signature{}, fail(VER204, "it has no %s computation", key)
	}
	return signatureOf(comp)
}

func signatureOf(comp *hlo.Computation) (signature, error) {
	s := signature{comp: comp, same: agreementIn(comp)}
	for i, p := range comp.Parameters() {
		if p == nil || p.Shape == nil {
			return s, fail(VER204, "computation %%%s has no parameter %d", comp.Name, i)
		}
		s.params = append(s.params, p.Shape)
	}
	if comp.Root == nil || comp.Root.Shape == nil {
		return s, fail(VER204, "computation %%%s has no root", comp.Name)
	}
	s.result = comp.Root.Shape
	return s, nil
}

// takesParams fails unless the computation has n parameters.
func (s signature) takesParams(n int) error {
	if len(s.params) != n {
		return fail(VER201, "computation %%%s has %s; it must have %d", s.comp.Name, plural(len(s.params), "parameter"),
			n)
	}
	return nil
}

// givesPred fails unless the result is a scalar pred.
func (s signature) givesPred() error {
	if !isScalarOf(s.result, hlo.Pred) {
		return fail(VER203, "computation %%%s returns %s; it must return pred[]", s.comp.Name, bare(s.result))
	}
	return nil
}

// reducer fails unless s can reduce the given element types into accumulators of the init shapes
// (XLA's VerifyReducerShape).
func (s signature) reducer(inits []*hlo.Shape, types []hlo.DType) error {
	n := len(inits)
	if err := s.takesParams(2 * n); err != nil {
		return err
	}
	acc := []*hlo.Shape{s.result}
	if s.result.IsTuple() {
		acc = s.result.Elems
	}
	if len(acc) != n || n != 1 && !s.result.IsTuple() {
		return fail(VER203, "computation %%%s returns %s; it must return %s", s.comp.Name, bare(s.result),
			plural(n, "scalar"))
	}
	for _, a := range acc {
		if !a.IsScalar() {
			return fail(VER203, "computation %%%s returns %s; it must return scalars only", s.comp.Name, bare(s.result))
		}
	}
	for i, a := range acc {
		if !compatible(a, s.params[i]) {
			return fail(VER203, "computation %%%s returns %s, but parameter %d, which it becomes, is %s", s.comp.Name,
				bare(a), i, bare(s.params[i]))
		}
		if !compatibleFloats(a, inits[i]) {
			return fail(VER202, "computation %%%s accumulates %s, but init value %d is %s", s.comp.Name, bare(a), i,
				bare(inits[i]))
		}
		if p := s.params[n+i]; !p.IsScalar() || !sameType(types[i], p.DType) {
			return fail(VER202, "parameter %d of computation %%%s is %s; the elements it is given are %s", n+i,
				s.comp.Name, bare(p), types[i])
		}
		if !compatibleFloats(a, s.params[n+i]) {
			return fail(VER202, "parameter %d of computation %%%s is %s; it must be as the result, %s", n+i,
				s.comp.Name, bare(s.params[n+i]), bare(a))
		}
	}
	return nil
}

// exactTypes fails unless each operand has the element type of the parameter of the same number.
func (s signature) exactTypes(in *hlo.Instruction) error {
	for i, p := range s.params {
		if i < len(in.Operands) && in.Operands[i].Shape.DType != p.DType {
			return fail(VER111, "operand %d is %s, but parameter %d of computation %%%s is %s", i,
				bare(in.Operands[i].Shape), i, s.comp.Name, bare(p))
		}
	}
	return nil
}

func elementTypes(shapes []*hlo.Shape) []hlo.DType {
	types := make([]hlo.DType, len(shapes))
	for i, s := range shapes {
		types[i] = s.DType
	}
	return types
}

// halves splits an even number of array operands into inputs of equal sizes and init values.
func halves(in *hlo.Instruction) (inputs, inits []*hlo.Shape, err error) {
	if len(in.Operands)%2 != 0 {
		return nil, nil, fail(VER101, "it has %s; it takes as many init values as inputs",
			plural(len(in.Operands), "operand"))
	}
	if err := allArrays(in); err != nil {
		return nil, nil, err
	}
	all := operands(in, 0)
	inputs, inits = all[:len(all)/2], all[len(all)/2:]
	return inputs, inits, equalSizes(inputs)
}

// equalSizes fails unless all shapes have the sizes of the first.
func equalSizes(shapes []*hlo.Shape) error {
	for i, s := range shapes[1:] {
		if !sizesFit(s.Dims, shapes[0].Dims) {
			return fail(VER104, "operand %d is %s, operand 0 %s; the sizes must be the same", i+1, bare(s),
				bare(shapes[0]))
		}
	}
	return nil
}

func reduce(in *hlo.Instruction) (*hlo.Shape, error) {
	inputs, inits, err := halves(in)
	if err != nil {
		return nil, err
	}
	dims, err := needInts(in, "dimensions")
	if err != nil {
		return nil, err
	}
	arg := inputs[0]
	if err := unique("dimensions", dims, arg.Rank()); err != nil {
		return nil, err
	}
	s, err := callee(in, "to_apply")
	if err != nil {
		return nil, err
	}
	if err := s.reducer(inits, elementTypes(inputs)); err != nil {
		return nil, err
	}
	gone := make([]bool, arg.Rank())
	for _, d := range dims {
		gone[d] = true
	}
	var size []int64
	var dyn []bool
	for i, d := range arg.Dims {
		if !gone[i] {
			size, dyn = append(size, d), append(dyn, dynamic(arg, i))
		}
	}
	return perResult(s, func(d hlo.DType, _ int) *hlo.Shape { return newArray(d, size, dyn) }), nil
}

// perResult makes one array for each scalar that a reducer returns, in a tuple if the reducer returns one.
func perResult(s signature, array func(d hlo.DType, i int) *hlo.Shape) *hlo.Shape {
	if !s.result.IsTuple() {
		return array(s.result.DType, 0)
	}
	elems := make([]*hlo.Shape, len(s.result.Elems))
	for i, e := range s.result.Elems {
		elems[i] = array(e.DType, i)
	}
	return hlo.NewTuple(elems...)
}

// slide returns the sizes that the window leaves of an array.
func slide(in *hlo.Instruction, s *hlo.Shape) (dims []int64, dyn []bool, err error) {
	win, err := window(in)
	if err != nil {
		return nil, nil, err
	}
	if len(win) != s.Rank() {
		return nil, nil, fail(VER106, "the window has %s, the operand %s %d", plural(len(win), "dimension"), bare(s),
			s.Rank())
	}
	dims, dyn = make([]int64, len(win)), make([]bool, len(win))
	for i, w := range win {
		if err := w.valid(i); err != nil {
			return nil, nil, err
		}
		dims[i], dyn[i] = w.windowed(s.Dims[i]), dynamic(s, i)
	}
	return dims, dyn, nil
}

func reduceWindow(in *hlo.Instruction) (*hlo.Shape, error) {
	inputs, inits, err := halves(in)
	if err != nil {
		return nil, err
	}
	s, err := callee(in, "to_apply")
	if err != nil {
		return nil, err
	}
	if err := s.reducer(inits, elementTypes(inputs)); err != nil {
		return nil, err
	}
	dims, dyn, err := slide(in, inputs[0])
	if err != nil {
		return nil, err
	}
	return perResult(s, func(_ hlo.DType, i int) *hlo.Shape { return newArray(inits[i].DType, dims, dyn) }), nil
}

func selectAndScatter(in *hlo.Instruction) (*hlo.Shape, error) {
	if err := allArrays(in); err != nil {
		return nil, err
	}
	operand, source, init := in.Operands[0].Shape, in.Operands[1].Shape, in.Operands[2].Shape
	choose, err := callee(in, "select")
	if err != nil {
		return nil, err
	}
	if err := choose.takesParams(2); err != nil {
		return nil, err
	}
	if err := choose.givesPred(); err != nil {
		return nil, err
	}
	for i, p := range choose.params {
		if !p.IsScalar() || !sameType(p.DType, operand.DType) {
			return nil, fail(VER202, "parameter %d of computation %%%s is %s; the elements of operand 0 are %s", i,
				choose.comp.Name, bare(p), operand.DType)
		}
	}
	add, err := callee(in, "scatter")
	if err != nil {
		return nil, err
	}
	if err := add.reducer([]*hlo.Shape{init}, []hlo.DType{source.DType}); err != nil {
		return nil, err
	}
	dims, dyn, err := slide(in, operand)
	if err != nil {
		return nil, err
	}
	if want := newArray(operand.DType, dims, dyn); !compatibleFloats(want, source) {
		return nil, fail(VER104, "the window over operand 0 gives %s, but operand 1 is %s", bare(want), bare(source))
	}
	return operand, nil
}

func mapShape(in *hlo.Instruction) (*hlo.Shape, error) {
	if len(in.Operands) == 0 {
		return nil, fail(VER101, "it has no operands")
	}
	if err := allArrays(in); err != nil {
		return nil, err
	}
	arg := in.Operands[0].Shape
	for i, o := range in.Operands[1:] {
		switch s := o.Shape; {
		case compatibleDims(s, arg) || s.IsScalar() && sameType(s.DType, arg.DType):
		case arg.IsScalar() && sameType(s.DType, arg.DType):
			arg = s
		default:
			return nil, fail(VER104, "operand %d is %s, operand 0 %s; the sizes must be the same", i+1, bare(s),
				bare(arg))
		}
	}
	s, err := callee(in, "to_apply")
	if err != nil {
		return nil, err
	}
	if err := s.takesParams(len(in.Operands)); err != nil {
		return nil, err
	}
	if !s.result.IsScalar() {
		return nil, fail(VER203, "computation %%%s returns %s; it must return a scalar", s.comp.Name, bare(s.result))
	}
	for i, p := range s.params {
		if o := in.Operands[i].Shape; !p.IsScalar() || !sameType(p.DType, o.DType) {
			return nil, fail(VER202, "parameter %d of computation %%%s is %s; the elements of operand %d are %s", i,
				s.comp.Name, bare(p), i, o.DType)
		}
	}
	return newArray(s.result.DType, arg.Dims, arg.Dynamic), nil
}

func sort(in *hlo.Instruction) (*hlo.Shape, error) {
	if err := allArrays(in); err != nil {
		return nil, err
	}
	keys := operands(in, 0)
	if err := equalSizes(keys); err != nil {
		return nil, err
	}
	dim, err := oneInt(in, "dimensions")
	if err != nil {
		return nil, err
	}
	if dim < 0 || dim >= keys[0].Rank() {
		return nil, outOfRange("dimensions", dim, keys[0].Rank())
	}
	s, err := callee(in, "to_apply")
	if err != nil {
		return nil, err
	}
	if err := s.givesPred(); err != nil {
		return nil, err
	}
	if err := s.takesParams(2 * len(keys)); err != nil {
		return nil, err
	}
	for i, p := range s.params {
		if k := keys[i/2]; !p.IsScalar() || !sameType(p.DType, k.DType) {
			return nil, fail(VER202, "parameter %d of computation %%%s is %s; the elements of operand %d are %s", i,
				s.comp.Name, bare(p), i/2, k.DType)
		}
	}
	return tupleOf(keys), nil
}

// scan takes the inputs, then the initial carries; its computation takes one slice of each input, then the carries, and
// returns one slice of each output, then the carries.
func scan(in *hlo.Instruction) (*hlo.Shape, error) {
	if err := allArrays(in); err != nil {
		return nil, err
	}
	dim, err := oneInt(in, "dimensions")
	if err != nil {
		return nil, err
	}
	n, err := needNumber(in, "num_carries")
	if err != nil {
		return nil, err
	}
	carries, inputs := int(n), len(in.Operands)-int(n)
	s, err := callee(in, "to_apply")
	if err != nil {
		return nil, err
	}
	if err := s.takesParams(len(in.Operands)); err != nil {
		return nil, err
	}
	results := []*hlo.Shape{s.result}
	if s.result.IsTuple() {
		results = s.result.Elems
	}
	if n < 0 || inputs < 1 || len(results) < carries {
		return nil, fail(VER112, "num_carries is %d; it has %s and %s", n, plural(len(in.Operands), "operand"),
			plural(len(results), "result"))
	}
	for i, p := range s.params {
		want := in.Operands[i].Shape
		if i < inputs {
			if dim < 0 || dim >= want.Rank() {
				return nil, outOfRange("dimensions", dim, want.Rank())
			}
			want = newArray(want.DType, append(append([]int64(nil), want.Dims[:dim]...), want.Dims[dim+1:]...), nil)
		}
		if !compatible(p, want) {
			return nil, fail(VER202, "parameter %d of computation %%%s is %s; it is given %s", i, s.comp.Name, bare(p),
				bare(want))
		}
	}
	outputs := len(results) - carries
	shapes := make([]*hlo.Shape, 0, len(results))
	for i, r := range results {
		if i >= outputs {
			if p := s.params[inputs+i-outputs]; !compatible(r, p) {
				return nil, fail(VER203, "computation %%%s returns the carry %s, but takes it as %s", s.comp.Name,
					bare(r), bare(p))
			}
			shapes = append(shapes, in.Operands[inputs+i-outputs].Shape)
			continue
		}
		if !r.IsArray() || dim > r.Rank() {
			return nil, fail(VER203, "computation %%%s returns %s, which has no place for dimension %d", s.comp.Name,
				bare(r), dim)
		}
		dims := append(append(append([]int64(nil), r.Dims[:dim]...), in.Operands[0].Shape.Dims[dim]), r.Dims[dim:]...)
		shapes = append(shapes, newArray(r.DType, dims, nil))
	}
	if len(shapes) == 1 && (in.Shape == nil || !in.Shape.IsTuple()) {
		return shapes[0], nil
	}
	return hlo.NewTuple(shapes...), nil
}
