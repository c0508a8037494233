package folding

import (
	"slices"

	"hlolayout/hlo"
	"hlolayout/tpu"
)

// factored is a dot, with its operands and what it says of their dimensions.
type factored struct {
	x                  [2]*hlo.Instruction
	batch, contracting [2][]int
	outer              [2][]int // those of the result
}

// factoredOf reads a dot of arrays; ok is false for those whose dimensions the partitioner may still divide.
func factoredOf(in *hlo.Instruction) (p factored, ok bool) {
	if len(in.Operands) != 2 || in.Shape.IsDynamic() || in.Attr("sharding") != nil {
		return p, false
	}
	for i, s := range sides {
		p.x[i] = in.Operands[i]
		p.batch[i], p.contracting[i] = in.Ints(s.batch), in.Ints(s.contracting)
		p.outer[i] = hlo.OtherDims(p.x[i].Shape.Rank(), p.batch[i], p.contracting[i])
	}
	return p, !p.x[0].Shape.IsDynamic() && !p.x[1].Shape.IsDynamic()
}

// inOrder has an operand's dimensions come as algsimp wants them where it multiplies and adds up: batches, others, and
// last what is summed up. The transpose of a broadcast or a constant is another one, and most others go to what is
// elementwise, and from there to the sum; those that put the dimensions of a vector into another order stay (12 of 13
// probes and a program).
func (p *factored) inOrder(w *simplifier, i int) {
	order := slices.Concat(p.batch[i], p.outer[i], p.contracting[i])
	p.x[i] = transposed(w, p.x[i], order)
	now := ascendingTo(len(order))
	batch, outer := len(p.batch[i]), len(p.batch[i])+len(p.outer[i])
	p.batch[i], p.outer[i], p.contracting[i] = now[:batch], now[batch:outer], now[outer:]
}

// setBatch replaces the batch dimensions of an operand; the compiler's text has no empty list of them.
func setBatch(in *hlo.Instruction, operand int, dims []int) {
	if name := sides[operand].batch; len(dims) > 0 {
		set(in, name, dims)
	} else {
		in.Attrs = except(in.Attrs, name)
	}
}

// unitProduct leaves out the dimensions of one element of a dot's operands.
func unitProduct(w *simplifier, in *hlo.Instruction) *hlo.Instruction {
	if !slices.ContainsFunc(in.Operands, func(o *hlo.Instruction) bool { return slices.Contains(o.Shape.Dims, 1) }) {
		return nil
	}
	p, ok := factoredOf(in)
	if !ok {
		return nil
	}
	_, left := wide(in.Shape)
	n := w.instructionLike(in.Opcode, in, left, make([]*hlo.Instruction, 2))
	n.Attrs = in.Attrs
	for i, s := range sides {
		at, sizes := wide(p.x[i].Shape)
		w.note(n).sums = w.note(n).sums || p.x[i].Opcode == hlo.OpReshape && len(at) < p.x[i].Shape.Rank()
		n.Operands[i] = reshaped(w, p.x[i], sizes)
		if now := among(p.batch[i], at); !slices.Equal(now, p.batch[i]) {
			setBatch(n, i, now)
		}
		if now := among(p.contracting[i], at); !slices.Equal(now, p.contracting[i]) {
			set(n, s.contracting, now)
		}
	}
	if len(left) == in.Shape.Rank() {
		in.Operands, in.Attrs = n.Operands, n.Attrs
		return in
	}
	w.add(n)
	become(w, in, hlo.OpReshape, n)
	n.Name, in.Name = in.Name, nameLike(in.Name, in)
	return in
}

// KeepsVectors reports whether products with vectors stay products on a target. On v7x they do: 2,185 of 18,363 dots
// that enter layout assignment there are such of f32, on the other generations none of 31,150.
func KeepsVectors(t *tpu.Target) bool { return t.Name == "v7x" }

// leastKept is the least size of the dimensions of a matrix for which products with vectors may stay.
const leastKept = 64

// staysProduct reports whether a product of an array, of side m, with one of fewer dimensions is left alone. It is
// where it has batches or sums up several dimensions, the first dimension of the result after batches has leastKept
// elements, and so has one of those that are summed up (of 60 probes 63 elements are multiplied and 64 are not, of
// bf16, f16, f32 and s8; of 170 more the place of the dimensions and the sizes of the others make no difference but for
// 30 that sum up a dimension before that one; v4 and v6e agree with v5e), and where the operands are not computed of a
// reshape, see reshapedWithin. What unitProduct leaves of a reshape counts, as the compiler has it for one more pass.
func (p *factored) staysProduct(w *simplifier, in *hlo.Instruction, m int) bool {
	if len(p.batch[m])+len(p.contracting[m]) < 2 || len(p.outer[m]) == 0 || w.note(in).sums {
		return false
	}
	wide := func(d int) bool { return p.x[m].Shape.Dims[d] >= leastKept }
	return wide(p.outer[m][0]) && slices.ContainsFunc(p.contracting[m], wide) && !reshapedWithin(in, reshapeReach)
}

// reshapeReach is how far from a product the compiler finds a reshape of which it is computed: of 60 probes with a
// reshape before operations of all kinds, loops, sorts and products among them, those with four operations of several
// operands between the reshape and the operand are multiplied and those with five are not. Past 17 operations of one
// operand it does not find one either; which operations may be between is not modelled.
const reshapeReach = 6

// reshapedWithin reports whether an instruction is computed of a reshape so many operands away, of the first ones that
// it is computed of.
func reshapedWithin(in *hlo.Instruction, reach int) bool {
	level, seen := []*hlo.Instruction{in}, map[*hlo.Instruction]bool{}
	for range reach {
		var next []*hlo.Instruction
		for _, x := range level {
			for _, o := range x.Operands {
				if o.Opcode == hlo.OpReshape {
					return true
				}
				if len(seen) < mostReshaped && !seen[o] {
					seen[o] = true
					next = append(next, o)
				}
			}
		}
		level = next
	}
	return false
}

// mostReshaped is how many instructions reshapedWithin looks at: all that are so near, in programs that people write.
const mostReshaped = 64

// multiplied are the element types of which products with vectors are multiplied and added up. Of f16 they are, too,
// but added up as f32, which is not followed.
var multiplied = [256]bool{hlo.F32: true, hlo.BF16: true, hlo.S8: true, hlo.U8: true, hlo.S16: true, hlo.U16: true,
	hlo.S32: true, hlo.U32: true}

// vectorProduct multiplies the elements of a matrix and a vector, or of two vectors, or of batches of them, and adds
// them up, in the type of the result. Of the f32 dots that enter layout assignment none is one of a vector (474 in 315
// programs were).
func vectorProduct(w *simplifier, in *hlo.Instruction) *hlo.Instruction {
	if KeepsVectors(w.target) || !multiplied[in.Shape.DType] {
		return nil
	}
	p, ok := factoredOf(in)
	if !ok || len(p.contracting[0]) == 0 {
		return nil
	}
	m := 0 // the side of the matrix
	switch {
	case len(p.outer[1]) == 0:
	case len(p.outer[0]) == 0:
		m = 1
	default:
		return nil
	}
	if p.staysProduct(w, in, m) {
		return nil
	}
	p.inOrder(w, 0)
	p.inOrder(w, 1)
	for i, x := range p.x {
		if x.Shape.DType != in.Shape.DType {
			p.x[i] = w.make(hlo.OpConvert, in, x.Shape.Dims, x)
		}
	}
	matrix := p.x[m]
	p.x[1-m] = widened(w, p.x[1-m], matrix.Shape.Dims, slices.Concat(p.batch[m], p.contracting[m]))
	all := w.make(hlo.OpMultiply, in, matrix.Shape.Dims, p.x[:]...)
	zero := number(w, in, 0)
	sum := combining(w, in, hlo.OpAdd, zero)
	n := w.instructionLike(hlo.OpReduce, in, in.Shape.Dims, []*hlo.Instruction{all, zero})
	sum.appliedBy(n)
	set(n, "dimensions", p.contracting[m])
	w.add(n)
	n.Name, in.Name = in.Name, nameLike(in.Name, in)
	return n
}

// outerProduct multiplies the elements of arrays that are not summed up, of any type (48 of 48 probes; of complex ones
// the parts): before reshapes and transposes are hoisted where all dimensions of one are the other's, as the decays of
// Mamba 2 are (dumps of a program, 4 of 4), after that where both have their own, and on v7x (4 programs on v5e and
// v7x, one of them on v4 and v6e).
func outerProduct(w *simplifier, in *hlo.Instruction) *hlo.Instruction {
	if len(in.Ints(sides[0].contracting)) > 0 {
		return nil
	}
	p, ok := factoredOf(in)
	if !ok || in.Shape.DType.Class() == hlo.ClassComplex {
		return nil
	}
	late := len(p.outer[0]) > 0 && len(p.outer[1]) > 0 || KeepsVectors(w.target)
	if late && w.waitsFor(sinking, in) {
		return nil
	}
	var factors [2]*hlo.Instruction
	next := len(p.batch[0])
	for i, x := range p.x {
		if x.Shape.DType != in.Shape.DType { // such as the ones of a mask, or one of narrowProducts
			x = w.make(hlo.OpConvert, in, x.Shape.Dims, x)
		}
		to := make([]int, x.Shape.Rank())
		for k, d := range p.batch[i] {
			to[d] = k
		}
		for _, d := range p.outer[i] {
			to[d] = next
			next++
		}
		factors[i] = widened(w, x, in.Shape.Dims, to)
	}
	become(w, in, hlo.OpMultiply, factors[:]...)
	return in
}

// summedBatches has a product sum up over the batches that a reduce of it adds up; the rest is reduced as before (93 of
// 97 probes of f32 and bf16; the other four begin with another number than zero, which the compiler leaves out).
func summedBatches(w *simplifier, in *hlo.Instruction) *hlo.Instruction {
	x := in.Operands[0]
	if x.Opcode != hlo.OpDot || !in.Shape.IsArray() || in.Attr("sharding") != nil || !startsNothing(in) ||
		!w.readsAlone(in, x) {
		return nil
	}
	p, ok := factoredOf(x)
	if op, _ := combination(in.Called()[0]); !ok || op != hlo.OpAdd {
		return nil
	}
	dims, batches := in.Ints("dimensions"), len(p.batch[0])
	added := slices.DeleteFunc(slices.Sorted(slices.Values(dims)), func(d int) bool { return d >= batches })
	if len(added) == 0 {
		return nil
	}
	left := hlo.OtherDims(x.Shape.Rank(), added)
	n := likewise(w, x, sizes(x.Shape.Dims, left), p.x[:]...)
	for i, s := range sides {
		set(n, s.contracting, slices.Concat(p.contracting[i], sizes(p.batch[i], added)))
		setBatch(n, i, sizes(p.batch[i], hlo.OtherDims(batches, added)))
	}
	if len(added) == len(dims) {
		return n
	}
	in.Operands = []*hlo.Instruction{n, in.Operands[1]}
	set(in, "dimensions", among(dims, left))
	return in
}

// widened returns an array in a larger one: its dimensions go to the given ones.
func widened(w *simplifier, x *hlo.Instruction, dims []int64, to []int) *hlo.Instruction {
	if !slices.IsSorted(to) {
		order := ascendingTo(len(to))
		slices.SortFunc(order, func(a, b int) int { return to[a] - to[b] })
		x, to = transposed(w, x, order), slices.Sorted(slices.Values(to))
	}
	if len(to) == len(dims) {
		return x
	}
	return broadcast(w, x, x, dims, to)
}

// transposed returns an array with its dimensions in another order; it is the array where they are in it.
func transposed(b maker, x *hlo.Instruction, order []int) *hlo.Instruction {
	if ascending(order) {
		return x
	}
	n := b.make(hlo.OpTranspose, x, sizes(x.Shape.Dims, order), x)
	set(n, "dimensions", order)
	return n
}

// sizes returns those of some of an array's dimensions.
func sizes[T any](dims []T, of []int) []T {
	out := make([]T, len(of))
	for i, d := range of {
		out[i] = dims[d]
	}
	return out
}

// productInDims returns what a reshape of a product computes from operands in its dimensions, nil where some dimension
// is of both operands. Those that are summed up come last in an operand that changes. Dimensions of one element are
// added to the result (all of 34 programs; of 5,800 reshapes of products that enter layout assignment none is left that
// fits).
func (w *simplifier) productInDims(in *hlo.Instruction) *hlo.Instruction {
	p, before, cut := w.productTakes(in)
	if p == nil {
		return nil
	}
	dot := in.Operands[0]
	_, now := wide(in.Shape)
	for i, dims := range before {
		if dims != nil {
			p.x[i] = reshaped(w, w.inDims(p.x[i], dims), p.x[i].Shape.Dims)
		}
	}
	var summed [2][]int
	for i, outer := range [][]int64{now[:cut], now[cut:]} {
		x := p.x[i]
		if summed[i] = p.contracting[i]; slices.Equal(sizes(x.Shape.Dims, p.outer[i]), outer) {
			continue
		}
		k := sizes(x.Shape.Dims, p.contracting[i])
		x = transposed(w, x, slices.Concat(p.outer[i], p.contracting[i]))
		p.x[i] = reshaped(w, x, slices.Concat(outer, k))
		summed[i] = ascendingTo(len(outer) + len(k))[len(outer):]
	}
	n := likewise(w, dot, now, p.x[:]...)
	for i, s := range sides {
		set(n, s.contracting, summed[i])
	}
	return reshaped(w, n, in.Shape.Dims)
}

// productTakes returns the factors of a product that takes a reshape, with the dimensions in which they are computed
// before, and how many of the reshape's dimensions are of the first one; nil for products that do not.
func (w *simplifier) productTakes(in *hlo.Instruction) (p *factored, before [2][]int64, cut int) {
	_, was := wide(in.Operands[0].Shape)
	_, now := wide(in.Shape)
	f, ok := factoredOf(in.Operands[0])
	if !ok || len(f.batch[0]) > 0 || slices.Equal(was, now) {
		return nil, before, 0
	}
	left := int64(1)
	for _, n := range sizes(f.x[0].Shape.Dims, f.outer[0]) {
		left *= n
	}
	for ; cut < len(now) && left > 1 && left%now[cut] == 0; cut++ {
		left /= now[cut]
	}
	takes := false
	for i, x := range f.x {
		before[i] = w.beforeReshape(x)
		takes = takes || before[i] != nil || reshapesProduct(x.Opcode)
	}
	if left != 1 || !takes {
		return nil, before, 0
	}
	return &f, before, cut
}
