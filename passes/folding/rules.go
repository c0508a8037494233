package folding

import (
	"slices"

	"hlolayout/hlo"
)

// rule is one simplification. apply returns nil where it does not fit, in where it changed in, and else what takes in's
// place.
type rule struct {
	name string
	// fits reports whether it is for an opcode.
	fits  func(hlo.Opcode) bool
	apply func(w *simplifier, in *hlo.Instruction) *hlo.Instruction
	doc   string
}

// rules is the table, tried in this order. The names of algsimp, reshape-mover and transpose-folding are those of XLA's
// passes.
var rules []rule

func init() { // the functions refer to the table by way of simplifier
	moves := ops(hlo.OpReshape, hlo.OpBroadcast, hlo.OpTranspose, hlo.OpSlice)
	anything := func(hlo.Opcode) bool { return true }
	rules = []rule{
		{"element", ops(hlo.OpGetTupleElement), element, "an element of a tuple is what the tuple was made of (algsimp)"},
		{"decided", ops(hlo.OpConditional), decided, "the branch that is always taken is in place of its conditional " +
			"(simplify-conditional)"},
		{"identity", ops(hlo.OpReshape, hlo.OpBroadcast, hlo.OpTranspose, hlo.OpCopy, hlo.OpConvert, hlo.OpSlice,
			hlo.OpPad, hlo.OpConcatenate, hlo.OpDynamicSlice, hlo.OpDynamicUpdateSlice), identity,
			"what a reshape, broadcast, transpose, copy, convert, slice or pad that changes nothing reads is in its " +
				"place, and so is what an update writes over all, and what is widened and narrowed again (algsimp)"},
		{"neutral", elementwise, neutral, "x + 0, x * 1 and max(x, -inf) are x, and a select of a constant " +
			"is what that selects (algsimp)"},
		{"absorbing", ops(hlo.OpMultiply, hlo.OpAnd), absorbing, "integers times zero are zero (algsimp)"},
		{"predicate", ops(hlo.OpSelect, hlo.OpNot, hlo.OpAnd, hlo.OpOr, hlo.OpXor, hlo.OpCompare), predicate,
			"select(p, true, false) is p, select(not(p), x, y) is select(p, y, x), not(not(p)) is p (algsimp)"},
		{"splat", moves, splat, "a reshape, transpose, slice or broadcast of a broadcast scalar is one " +
			"broadcast (algsimp)"},
		{"chain", moves, chain, "a reshape of a reshape, a transpose of a transpose and a broadcast of a " +
			"broadcast are one (algsimp)"},
		{"joined-heads", ops(hlo.OpReshape), joinedHeads, "few heads that come before what they are of are slices, joined " +
			"(algsimp: of 31 probes 16 are)"},
		{"unit-broadcast", moves, unitBroadcast, "dimensions of one element are not of what is broadcast, and those " +
			"that a reshape adds to a broadcast or takes from it are the broadcast's own (algsimp)"},
		{"added-units", ops(hlo.OpBroadcast), addedUnits, "a broadcast that only adds dimensions of one element is a " +
			"reshape (algsimp)"},
		{"iota", moves, wideIota, "a broadcast, reshape or transpose of an iota is an iota (algsimp)"},
		{"split-iota", ops(hlo.OpReshape), splitIota, "an iota whose dimension a reshape splits is the sum of iotas along " +
			"the parts, each times the elements after it (algsimp)"},
		{"transposed-broadcast", ops(hlo.OpTranspose), transposedBroadcast, "a transpose of a broadcast is a broadcast " +
			"(algsimp)"},
		{"unit-transpose", ops(hlo.OpTranspose), unitTranspose, "a transpose that moves dimensions of one element alone " +
			"is a reshape (algsimp: of 3,793 transposes none does)"},
		{"parameter-right", ops(hlo.OpDot), parameterRight, "a product whose left operand is like a parameter, and " +
			"whose right one is not, has them exchanged (algsimp)"},
		{"unit-product", ops(hlo.OpDot), unitProduct, "a product leaves out dimensions of one element (algsimp)"},
		{"vector-product", ops(hlo.OpDot), vectorProduct, "a product with a vector is a sum of what is multiplied (algsimp)"},
		{"outer-product", ops(hlo.OpDot), outerProduct, "a product that sums nothing multiplies broadcasts (algsimp)"},
		{"transposed-operand", ops(hlo.OpDot), transposedOperand, "a product reads a transposed matrix as it is " +
			"(transpose-folding: of 1,895 transposes that products read none is one)"},
		{"transposed-product", ops(hlo.OpTranspose), transposedProduct, "a product transposed so that its operands' " +
			"dimensions change places is the product of the others (algsimp)"},
		{"sunk-broadcast", elementwise, sunkBroadcast,
			"what is elementwise of broadcasts along the same dimensions, and of scalars, is computed before them (algsimp)"},
		{"unitless", elementwise, unitless, "what is elementwise has no dimensions of one element that reshapes add " +
			"(degenerate-dimension-rewriter)"},
		{"small-table", ops(hlo.OpGather), smallTable, "many elements of a small table are selected"},
		{"custom-gather", ops(hlo.OpGather), customGather, "a gather is a custom fusion that reads one list of indices"},
		{"one-hot", ops(hlo.OpScatter), oneHot, "a scatter that adds one element to each row of zeros is a select"},
		{"custom-scatter", ops(hlo.OpScatter), customScatter, "a scatter of rows is a custom fusion that reads one list of " +
			"indices"},
		{"expanded-gather", ops(hlo.OpGather), expandedGather, "a gather of one window is a slice (gather-expander)"},
		{"expanded-scatter", ops(hlo.OpScatter), expandedScatter, "a scatter of one window, or of windows in dimensions " +
			"they keep, puts one after the other into the table (scatter-expander)"},
		{"accumulated-number", ops(hlo.OpReduceWindow), accumulatedNumber,
			"one number that is added up along a dimension is multiplied by an iota (algsimp)"},
		{"accumulation", ops(hlo.OpReduceWindow), accumulatedByBlocks,
			"cumsum and the like go by blocks of 128 elements (tpu-reduce-window-rewriter)"},
		{"bitcast", ops(hlo.OpBitcastConvert), bitcastBetweenWidths, "a bitcast-convert between types of other widths " +
			"is arithmetic on bits (bitcast_dtypes_expander)"},
		{"topk", ops(hlo.OpTopk), topk, "the largest elements are the first ones of a sort"},
		{"stable-sort", ops(hlo.OpSort), stableSort, "a sort that keeps the order of equal elements compares their places, " +
			"too, and numbers as integers (stable-sort-expander, comparison_expander)"},
		{"cholesky", ops(hlo.OpCholesky), expandedCholesky, "a Cholesky decomposition is kernels for its blocks " +
			"(tpu_cholesky_expander)"},
		{"triangular-solve", ops(hlo.OpTriangularSolve), expandedSolve, "a triangular solve is products with inverted " +
			"blocks (tpu_triangular_solve_expander)"},
		{"decomposition", ops(hlo.OpCustomCall), expandedDecomposition, "LU and QR decompositions are kernels for their " +
			"blocks of columns (lu_decomposition_expander, tpu_qr_expander)"},
		{"fft", ops(hlo.OpFft), fourier, "a Fourier transform is products with matrices of sines and cosines"},
		{"complex", anything, splitComplex, "the parts of complex arrays are computed apart"},
		{"part", ops(hlo.OpReal, hlo.OpImag, hlo.OpAbs, hlo.OpCompare), complexPart,
			"a part of a complex array is what it was made of"},
		{"ungrouped", ops(hlo.OpConvolution), ungrouped, "groups of a convolution's features are a spatial dimension"},
		{"reversed-kernel", ops(hlo.OpConvolution), reversedKernel,
			"a convolution reads a reversed kernel backwards (algsimp)"},
		{"padded-image", ops(hlo.OpConvolution), paddedImages, "a convolution pads its images by itself (algsimp)"},
		{"exchanged-image", ops(hlo.OpConvolution), exchangedImages,
			"a convolution whose kernel is larger than its images exchanges them (algsimp)"},
		{"slice", ops(hlo.OpSlice), slicedAgain,
			"a slice of a slice, of one part of a concatenate or a pad, or of what an update writes is one slice (algsimp)"},
		{"sliced-parts", ops(hlo.OpSlice), slicedParts,
			"a slice of several parts of a concatenate joins these alone (algsimp)"},
		{"sliced-broadcast", ops(hlo.OpSlice), slicedBroadcast, "a slice of a broadcast comes before it (algsimp)"},
		{"known-slice", ops(hlo.OpDynamicSlice), knownSlice, "a dynamic slice at a known place is a slice (algsimp)"},
		{"earlier-slice", ops(hlo.OpDynamicSlice), earlierSlice, "a dynamic slice of a broadcast, of a transpose and of a " +
			"reshape that adds or removes dimensions of one element comes before it (algsimp)"},
		{"slice-of-slice", ops(hlo.OpDynamicSlice), sliceOfSlice, "a dynamic slice of a dynamic slice is one (algsimp)"},
		{"update-of-update", ops(hlo.OpDynamicUpdateSlice), updateOfUpdate,
			"an update of a slice that is written back to its place is one of the array (algsimp)"},
		{"sliced-convolution", ops(hlo.OpSlice), slicedConvolution,
			"a slice of a convolution is one with less padding, of fewer images or features (algsimp)"},
		{"joined-slices", ops(hlo.OpConcatenate), joinedSlices,
			"slices that follow each other in an array are one slice where they are joined again (algsimp)"},
		{"reshaped-slice", ops(hlo.OpSlice), reshapedSlice,
			"a slice of the first dimension of a reshape comes before it (algsimp)"},
		{"comparison", ops(hlo.OpCompare), comparison, "two numbers are compared (constant-folding)"},
		{"counted", ops(hlo.OpCompare), counted, "an iota and an absolute value are not below zero (algsimp)"},
		{"number", elementwise, computed, "operations on numbers are computed (constant-folding)"},
		{"constant", folds, folded, "what is read of constants alone is computed (constant-folding)"},
		{"called-constant", ops(hlo.OpOptBarrier), calledConstant,
			"a constant that a call is given is one in what it calls (constant-folding)"},
		{"broadcast-number", ops(hlo.OpBroadcast), broadcastNumber, "a broadcast of one number is one of a scalar (algsimp)"},
		{"plain-constant", ops(hlo.OpConstant), plainConstant,
			"a constant of one number is a broadcast, one that counts an iota or a multiple of it (algsimp)"},
		{"transposed-image", ops(hlo.OpConvolution), transposedImages,
			"a convolution reads transposed images as they are, with other labels (transpose-folding)"},
		{"transposed-convolution", ops(hlo.OpTranspose), transposedConvolution,
			"a transposed convolution is one with other labels (algsimp)"},
		{"negative-pad", ops(hlo.OpPad), negativePad, "a pad that takes elements away is a slice (algsimp)"},
		{"padded-window", ops(hlo.OpReduceWindow), paddedWindow,
			"a reduce-window pads by itself, and one element that is padded for it is broadcast (algsimp)"},
		{"pad-back", ops(hlo.OpPad), padBack,
			"a pad that puts elements in the place of the last ones that a slice took away is a select (algsimp)"},
		{"joined-again", ops(hlo.OpConcatenate), joinedAgain, "a concatenate of a concatenate is one (algsimp)"},
		{"joined-copies", ops(hlo.OpConcatenate), joinedCopies,
			"one element that is joined to itself is broadcast (algsimp)"},
		{"joined-number", ops(hlo.OpConcatenate), padInstead,
			"an array that is joined to one number everywhere is padded (algsimp)"},
		{"placed", ops(hlo.OpDynamicUpdateSlice), padPlaced,
			"an array that is written at a known place into one number everywhere is padded (algsimp: of 1,392 updates " +
				"none is such)"},
		{"joined-place", ops(hlo.OpDynamicUpdateSlice), joinPlaced,
			"an array that is written in the place of another one's padding is joined to it (algsimp)"},
		{"summed-batches", ops(hlo.OpReduce), summedBatches,
			"a product sums up over the batches that a reduce adds up (algsimp)"},
		{"reshaped-sum", ops(hlo.OpReduce), reshapedSum,
			"a reduce of a reshape reduces first what the reshape leaves alone (algsimp)"},
		{"sum-of-parts", ops(hlo.OpReduce), sumOfParts,
			"a reduce of arrays that are joined reduces each of them (algsimp)"},
		{"sum-of-broadcast", ops(hlo.OpReduce), sumOfBroadcast,
			"a reduce of a broadcast comes before it (algsimp)"},
		{"unit-sum", ops(hlo.OpReduce), single, "a reduce over dimensions of one element is a reshape (algsimp)"},
		{"narrow-sum", ops(hlo.OpReduce), narrowSum, "a reduce keeps no dimensions of one element (tpu-reduce-rewriter)"},
		{"transposed-sum", ops(hlo.OpReduce), transposedSum, "a reduce of a transpose reads what that reads (algsimp)"},
		{"narrow-maximum", ops(hlo.OpReduce), narrowMaximum,
			"the largest of converted numbers is the largest one, converted (tpu-reduce-rewriter)"},
		{"narrowed-sum", ops(hlo.OpConvert), narrowedSum,
			"numbers that are converted only to be added up are added up as they are (tpu-reduce-rewriter)"},
		{"narrowed-parts", ops(hlo.OpConvert), narrowedParts,
			"what is concatenated, padded or sliced and then converted to fewer bits is converted first (convert_mover)"},
		{"widened-whole", movesParts, widenedWhole,
			"what is converted to more bits and then concatenated, padded or sliced is converted last (convert_mover)"},
		{"joined-sum", ops(hlo.OpReduce), joinedSum, "a reduce of a reduce is one (algsimp)"},
		{"negated-sum", ops(hlo.OpReduce), negatedSum, "a sum of negated values is the negated sum (algsimp)"},
		{"quotient", ops(hlo.OpDivide), quotient, "x/2 is x*0.5, x/sqrt(y) is x*rsqrt(y), (a/b)/c is " +
			"a/(b*c), a/(b/c) is (a*c)/b, a/b^c is a*b^-c (algsimp)"},
		{"shifted", ops(hlo.OpDivide, hlo.OpRemainder), shifted, "integers divided by a power of two are shifted (algsimp)"},
		{"power", ops(hlo.OpPower), power, "x^2 is x*x, x^-1 is 1/x (algsimp)"},
		{"itself", ops(hlo.OpMaximum, hlo.OpMinimum, hlo.OpSubtract, hlo.OpCompare, hlo.OpNegate, hlo.OpAbs,
			hlo.OpReverse), itself,
			"max(x, x) and -(-x) are x, and integers are equal to themselves (algsimp)"},
		{"accumulated", ops(hlo.OpAdd), accumulated, "a sum with what a scatter adds to an array is a scatter (algsimp)"},
		{"difference", ops(hlo.OpSubtract), difference, "x - 2 is x + -2 (algsimp)"},
		{"one-number", ops(hlo.OpAdd, hlo.OpMultiply), oneNumber, "x + 2 + 3 is x + 5, of integers (algsimp)"},
		{"clamp", ops(hlo.OpMinimum, hlo.OpMaximum), clamped,
			"a minimum of a maximum, both with numbers, or the other way round, is a clamp (algsimp)"},
		{"unsigned", ops(hlo.OpMultiply), unsigned,
			"-x * -y and |x| * |x| are products without signs, sqrt(x) * sqrt(x) is x, which is not negative (algsimp)"},
		{"log-of-root", ops(hlo.OpLog), logOfRoot, "log(sqrt(x)) is log(x)*0.5 (algsimp)"},
		{"mask", ops(hlo.OpMultiply), masked, "a product with a predicate is a select (algsimp)"},
		{"rearranged", elementwise, sunk, "elementwise operations are computed before the reshapes or transposes of " +
			"their operands (reshape-mover)"},
	}
}

// steps are the simplifications that are not tried on one instruction at a time, by their names in Simplified.Applied.
var steps = []Rule{
	{"call", "a call is what it calls (flatten-call-graph)"},
	{"narrowed-product", "a product reads what is converted to a type that has all its values as it was before " +
		"(convert_operand_folding)"},
	{"halved", "an integer of 64 bits is two of 32 (x64-rewriter)"},
	{"common", "of equal values one is computed (cse)"},
	{"hoisted", "reshapes and transposes are hoisted to where they come to nothing (tpu-broadcast-rewriter)"},
	{"invariant", "what stays the same in a loop is computed before it (while-loop-invariant-code-motion)"},
	{"taken-in", "a loop computes what only expands numbers, or what it starts with (while-loop-fusible-sinking)"},
	{"tuples", "conditionals take and give tuples (conditional-canonicalizer)"},
	{"taken-apart", "custom calls take complex numbers apart and make them of their parts (x64-rewriter)"},
	{"attention", "a product of the softmax of scores with values is a kernel (flash_attention)"},
	{"space-to-batch", "a convolution of few images is one of more and smaller ones (space-to-batch-converter)"},
}

// Rule is what a simplification does: its name in Simplified.Applied, and the compiler's pass in parentheses.
type Rule struct{ Name, Doc string }

// Rules returns all simplifications, those of whole computations first.
func Rules() []Rule {
	out := slices.Clone(steps)
	for _, r := range rules {
		out = append(out, Rule{r.name, r.doc})
	}
	return out
}

func ops(list ...hlo.Opcode) func(hlo.Opcode) bool {
	set := hlo.Ops(list...)
	return set.Has
}

// rulesOf returns, by place in rules, the place of the next rule that is for an opcode, len(rules) for none: few are
// for any one of them.
func rulesOf(op hlo.Opcode) []uint8 {
	at := uint8(len(rules))
	next := slices.Repeat([]uint8{at}, len(rules)+1)
	for i := len(rules) - 1; i >= 0; i-- {
		if rules[i].fits(op) {
			at = uint8(i)
		}
		next[i] = at
	}
	return next
}

func element(_ *simplifier, in *hlo.Instruction) *hlo.Instruction {
	k, ok := in.Attr("index").Int()
	if in.IsRoot() && in.Attr("sharding") != nil {
		return nil // the program's result is divided so
	}
	if t := in.Operands[0]; ok && t.Opcode == hlo.OpTuple && k >= 0 && int(k) < len(t.Operands) {
		return t.Operands[k]
	}
	return nil
}

// same reports whether two arrays have one element type and the same dimensions.
func same(a, b *hlo.Shape) bool {
	return a.IsArray() && b.IsArray() && a.DType == b.DType && slices.Equal(a.Dims, b.Dims) &&
		slices.Equal(a.Dynamic, b.Dynamic)
}

func ascending(ns []int) bool {
	for i, n := range ns {
		if n != i {
			return false
		}
	}
	return true
}

func identity(_ *simplifier, in *hlo.Instruction) *hlo.Instruction {
	x := in.Operands[0]
	if in.Opcode == hlo.OpConvert && x.Opcode == hlo.OpConvert && x.Attr("sharding") == nil &&
		upcast(in.Shape.DType, x.Shape.DType) { // there and back again (8 of 36 probes of types)
		x = x.Operands[0]
	}
	if !same(x.Shape, in.Shape) || in.Attr("sharding") != nil {
		return nil
	}
	switch in.Opcode {
	case hlo.OpReshape, hlo.OpCopy, hlo.OpConvert, hlo.OpSlice, hlo.OpDynamicSlice:
		return x
	case hlo.OpDynamicUpdateSlice:
		if same(in.Operands[1].Shape, in.Shape) {
			return in.Operands[1]
		}
	case hlo.OpBroadcast, hlo.OpTranspose:
		if ascending(in.Ints("dimensions")) {
			return x
		}
	case hlo.OpConcatenate:
		if len(in.Operands) == 1 {
			return x
		}
	case hlo.OpPad:
		all := in.Attr("padding").Paddings()
		if !slices.ContainsFunc(all, func(p hlo.Padding) bool { return p.Low != 0 || p.High != 0 }) {
			return x // between elements there is only what keeps the size
		}
	}
	return nil
}

// scalar returns the constant that a value is everywhere; ok is false for other values.
func scalar(in *hlo.Instruction) (literal string, ok bool) {
	if in.Opcode == hlo.OpBroadcast && len(in.Operands) == 1 {
		in = in.Operands[0]
	}
	return in.Literal(), in.Opcode == hlo.OpConstant && in.Shape.IsScalar()
}

// neutrals are, by opcode, the values that change nothing, and whether they may be on the left, too.
var neutrals = [256]struct {
	is   func(x float64) bool
	left bool
}{
	hlo.OpAdd:      {func(x float64) bool { return x == 0 }, true},
	hlo.OpOr:       {func(x float64) bool { return x == 0 }, true},
	hlo.OpSubtract: {func(x float64) bool { return x == 0 }, false},
	hlo.OpMultiply: {func(x float64) bool { return x == 1 }, true},
	hlo.OpDivide:   {func(x float64) bool { return x == 1 }, false},
	hlo.OpMaximum:  {func(x float64) bool { return x < 0 && x*2 == x }, true},
	hlo.OpMinimum:  {func(x float64) bool { return x > 0 && x*2 == x }, true},
}

func neutral(_ *simplifier, in *hlo.Instruction) *hlo.Instruction {
	if in.Opcode == hlo.OpSelect {
		switch literal, _ := scalar(in.Operands[0]); literal {
		case "true":
			return in.Operands[1]
		case "false":
			return in.Operands[2]
		}
		return nil
	}
	n := &neutrals[in.Opcode]
	if n.is == nil || len(in.Operands) != 2 {
		return nil
	}
	for i, o := range in.Operands {
		if i == 0 && !n.left || !same(in.Operands[1-i].Shape, in.Shape) {
			continue
		}
		if x, ok := constantOf(o); ok && n.is(x) {
			return in.Operands[1-i]
		}
	}
	return nil
}

// absorbing returns the zero that integers are multiplied with, or of which they have the bits.
func absorbing(_ *simplifier, in *hlo.Instruction) *hlo.Instruction {
	switch in.Shape.DType.Class() {
	case hlo.ClassSigned, hlo.ClassUnsigned:
	default:
		return nil
	}
	for _, o := range in.Operands {
		if literal, ok := scalar(o); ok && literal == "0" && same(o.Shape, in.Shape) {
			return o
		}
	}
	return nil
}

func splat(w *simplifier, in *hlo.Instruction) *hlo.Instruction {
	switch in.Opcode {
	case hlo.OpReshape, hlo.OpTranspose, hlo.OpSlice, hlo.OpBroadcast:
	default:
		return nil
	}
	x := in.Operands[0]
	if x.Opcode != hlo.OpBroadcast || !x.Operands[0].Shape.IsScalar() || in.Shape.IsDynamic() {
		return nil
	}
	become(w, in, hlo.OpBroadcast, x.Operands[0])
	set(in, "dimensions", nil)
	return in
}

// become gives an instruction another opcode and operand, and no attributes but metadata.
func become(w *simplifier, in *hlo.Instruction, op hlo.Opcode, operands ...*hlo.Instruction) {
	in.Opcode, in.Operands = op, operands
	in.SetOpText("")
	in.SetCalled(nil)
	in.Shape = w.shape(in.Shape.DType, in.Shape.Dims)
	in.Attrs = slices.DeleteFunc(slices.Clone(in.Attrs), func(a hlo.Attr) bool { return a.Key.Name != "metadata" })
}

func unitTranspose(w *simplifier, in *hlo.Instruction) *hlo.Instruction {
	x := in.Operands[0]
	order := slices.DeleteFunc(slices.Clone(in.Ints("dimensions")), func(d int) bool { return x.Shape.Dims[d] == 1 })
	if !rearranges(in) || !slices.IsSorted(order) {
		return nil
	}
	become(w, in, hlo.OpReshape, x)
	return in
}

func chain(w *simplifier, in *hlo.Instruction) *hlo.Instruction {
	if len(in.Operands) != 1 || in.Operands[0].Opcode != in.Opcode || in.Shape.IsDynamic() {
		return nil
	}
	x := in.Operands[0]
	first, second := x.Ints("dimensions"), in.Ints("dimensions")
	if in.Opcode != hlo.OpReshape && len(second) != x.Shape.Rank() {
		return nil // the module is not valid
	}
	switch in.Opcode {
	case hlo.OpReshape:
		if x.Shape.IsDynamic() {
			return nil
		}
	case hlo.OpTranspose:
		out := make([]int, len(second))
		for i, d := range second {
			out[i] = first[d]
		}
		set(in, "dimensions", out)
	case hlo.OpBroadcast:
		out := make([]int, len(first))
		for i, d := range first {
			out[i] = second[d]
		}
		set(in, "dimensions", out)
	default:
		return nil
	}
	if w.note(x).uses > 1 {
		w.note(x.Operands[0]).uses++ // which others read by way of x
	}
	in.Operands = []*hlo.Instruction{x.Operands[0]}
	return in
}

// wide returns the dimensions of a shape that have more than one element.
func wide(s *hlo.Shape) (at []int, sizes []int64) {
	at, sizes = make([]int, 0, len(s.Dims)), make([]int64, 0, len(s.Dims))
	for i, d := range s.Dims {
		if d != 1 {
			at, sizes = append(at, i), append(sizes, d)
		}
	}
	return at, sizes
}

// units reports whether a reshape does nothing but add and remove dimensions of one element.
func units(in *hlo.Instruction) bool {
	if in.Opcode != hlo.OpReshape || in.Shape.IsDynamic() || in.Operands[0].Shape.IsDynamic() {
		return false
	}
	return sameWide(in.Operands[0].Shape.Dims, in.Shape.Dims)
}

// sameWide reports whether dimensions are the same without those of one element.
func sameWide(a, b []int64) bool {
	for {
		for len(a) > 0 && a[0] == 1 {
			a = a[1:]
		}
		for len(b) > 0 && b[0] == 1 {
			b = b[1:]
		}
		switch {
		case len(a) == 0 || len(b) == 0:
			return len(a) == len(b)
		case a[0] != b[0]:
			return false
		}
		a, b = a[1:], b[1:]
	}
}

// unitBroadcast joins a broadcast with reshapes before and after it that only change dimensions of one element, and
// leaves such dimensions out of what is broadcast (11 of 11 probes).
func unitBroadcast(w *simplifier, in *hlo.Instruction) *hlo.Instruction {
	if len(in.Operands) == 0 {
		return nil
	}
	x := in.Operands[0]
	switch {
	case in.Opcode == hlo.OpBroadcast && units(x): // broadcast(reshape(y)): y's dimensions go where the reshape's went
		dims, y := in.Ints("dimensions"), x.Operands[0]
		from, _ := wide(x.Shape)
		target := make([]int, 0, len(from))
		for _, d := range from {
			target = append(target, dims[d])
		}
		flat := y
		if at, sizes := wide(y.Shape); len(at) != y.Shape.Rank() {
			if x.Shape.Rank() == len(at) {
				return nil // the reshape has done it
			}
			flat = w.make(hlo.OpReshape, x, sizes, y)
		}
		in.Operands = []*hlo.Instruction{flat}
		set(in, "dimensions", target)
		return in
	case in.Opcode == hlo.OpBroadcast && slices.Contains(x.Shape.Dims, 1) && !in.Shape.IsDynamic():
		at, left := wide(x.Shape)
		in.Operands = []*hlo.Instruction{w.make(hlo.OpReshape, x, left, x)}
		set(in, "dimensions", sizes(in.Ints("dimensions"), at))
		return in
	case units(in) && x.Opcode == hlo.OpBroadcast: // reshape(broadcast(y)): y goes to the same dimensions of the result
		y, dims := x.Operands[0], x.Ints("dimensions")
		from, _ := wide(x.Shape)
		to, _ := wide(in.Shape)
		for i, d := range dims {
			if y.Shape.Dims[i] == 1 && x.Shape.Dims[d] == 1 {
				return nil
			}
		}
		target := make([]int, len(dims))
		for i, d := range dims {
			k := slices.Index(from, d)
			if k < 0 {
				return nil
			}
			target[i] = to[k]
		}
		become(w, in, hlo.OpBroadcast, y)
		set(in, "dimensions", target)
		return in
	}
	return nil
}

// addedUnits makes a broadcast of an array that adds no elements and leaves the order of its dimensions a reshape.
func addedUnits(w *simplifier, in *hlo.Instruction) *hlo.Instruction {
	if len(in.Operands) != 1 || in.Shape.IsDynamic() || in.Attr("sharding") != nil {
		return nil
	}
	x := in.Operands[0]
	if x.Opcode == hlo.OpConstant || x.Shape.IsDynamic() || !slices.IsSorted(in.Ints("dimensions")) ||
		!sameWide(x.Shape.Dims, in.Shape.Dims) {
		return nil
	}
	become(w, in, hlo.OpReshape, x)
	return in
}

func wideIota(w *simplifier, in *hlo.Instruction) *hlo.Instruction {
	if len(in.Operands) != 1 || in.Operands[0].Opcode != hlo.OpIota || in.Shape.IsDynamic() {
		return nil
	}
	x := in.Operands[0]
	n, ok := x.Attr("iota_dimension").Int()
	if !ok || int(n) >= x.Shape.Rank() {
		return nil
	}
	at := -1
	switch {
	case in.Opcode == hlo.OpBroadcast:
		if dims := in.Ints("dimensions"); int(n) < len(dims) {
			at = dims[n]
		}
	case in.Opcode == hlo.OpTranspose:
		at = slices.Index(in.Ints("dimensions"), int(n))
	case in.Opcode == hlo.OpReshape:
		for to, from := range unchanged(x.Shape.Dims, in.Shape.Dims) {
			if from == int(n) {
				at = to
			}
		}
	}
	if at < 0 {
		return nil
	}
	become(w, in, hlo.OpIota)
	attribute(in, "iota_dimension", intOf(at))
	return in
}

// splitIota counts along each part of a dimension of an iota that a reshape splits, the last one first. It comes once
// iotas are no longer broadcast from their dimension: the products are of all elements (14 of 14 probes, and 3 of
// dimensions that a reshape joins stay).
func splitIota(w *simplifier, in *hlo.Instruction) *hlo.Instruction {
	x := in.Operands[0]
	along, ok := x.Attr("iota_dimension").Int()
	if x.Opcode != hlo.OpIota || !ok || in.Shape.IsDynamic() || in.Attr("sharding") != nil {
		return nil
	}
	dims := in.Shape.Dims
	first, end := 0, 0 // the parts
	regrouped(x.Shape.Dims, dims, func(i, iEnd, k, kEnd int) {
		if i == int(along) && iEnd == i+1 && kEnd > k+1 {
			first, end = k, kEnd
		}
	})
	bits := in.Shape.DType.Bits()
	if first == end || bits < 32 && x.Shape.Dims[along] > 1<<(bits-1) || w.waitsFor(sinking, in) {
		return nil
	}
	var sum *hlo.Instruction
	after := int64(1)
	for d := end - 1; d >= first; d-- {
		switch digit := counting(w, in, dims, d); {
		case sum == nil:
			sum = digit
		case dims[d] > 1:
			digit = w.make(hlo.OpMultiply, in, dims, digit, filled(w, in, dims, after))
			sum = w.make(hlo.OpAdd, in, dims, sum, digit)
		}
		after *= dims[d]
	}
	sum.Name, in.Name = in.Name, sum.Name
	return sum
}

func transposedBroadcast(w *simplifier, in *hlo.Instruction) *hlo.Instruction {
	x := in.Operands[0]
	if x.Opcode != hlo.OpBroadcast {
		return nil
	}
	permutation, dims := in.Ints("dimensions"), x.Ints("dimensions")
	out := make([]int, len(dims))
	for i, d := range dims {
		out[i] = slices.Index(permutation, d)
	}
	if !slices.IsSorted(out) {
		return nil // a broadcast and a transpose in one: the transpose then stays, before the broadcast
	}
	become(w, in, hlo.OpBroadcast, x.Operands[0])
	set(in, "dimensions", out)
	return in
}

// sides are the attributes of a dot's two operands.
var sides = [2]struct{ batch, contracting string }{
	{"lhs_batch_dims", "lhs_contracting_dims"}, {"rhs_batch_dims", "rhs_contracting_dims"},
}

// swaps reports whether a permutation exchanges the two last dimensions and nothing else.
func swaps(permutation []int) bool {
	n := len(permutation)
	return n >= 2 && ascending(permutation[:n-2]) && permutation[n-2] == n-1 && permutation[n-1] == n-2
}

// transposedOperand reads a matrix, or a batch of them, before a transpose.
func transposedOperand(_ *simplifier, in *hlo.Instruction) *hlo.Instruction {
	changed := false
	for i, o := range in.Operands {
		if !readsTurned(in, i) {
			continue
		}
		in.Operands[i] = o.Operands[0]
		last := 2*o.Shape.Rank() - 3 // the sum of the two last dimensions
		set(in, sides[i].contracting, []int{last - in.Ints(sides[i].contracting)[0]})
		changed = true
	}
	if !changed {
		return nil
	}
	return in
}

// readsTurned reports whether an operand is a transpose before which a product may read it.
func readsTurned(in *hlo.Instruction, i int) bool {
	if in.Opcode != hlo.OpDot || len(in.Operands) != 2 {
		return false
	}
	o, batch := in.Operands[i], in.Ints(sides[i].batch)
	return o.Opcode == hlo.OpTranspose && swaps(o.Ints("dimensions")) &&
		len(in.Ints(sides[i].contracting)) == 1 && ascending(batch) && o.Shape.Rank() == len(batch)+2
}
