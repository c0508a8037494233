package folding

import (
	"slices"
	"strconv"

	"hlolayout/hlo"
)

// startsNothing reports whether a reduce begins with the value that changes nothing.
func startsNothing(in *hlo.Instruction) bool {
	if len(in.Operands) != 2 || len(in.Called()) != 1 {
		return false
	}
	op, ok := combination(in.Called()[0])
	literal, constant := scalar(in.Operands[1])
	if !ok || !constant {
		return false
	}
	switch literal {
	case "true":
		return op == hlo.OpAnd
	case "false":
		return op == hlo.OpOr
	case "-2147483648":
		return op == hlo.OpMaximum
	case "2147483647":
		return op == hlo.OpMinimum
	}
	x, err := strconv.ParseFloat(literal, 64)
	return err == nil && neutrals[op].left && neutrals[op].is(x)
}

// single makes a reshape of a reduce over dimensions of one element.
func single(w *simplifier, in *hlo.Instruction) *hlo.Instruction {
	x := in.Operands[0]
	if !in.Shape.IsArray() || in.Attr("sharding") != nil || x.Shape.IsDynamic() || !startsNothing(in) {
		return nil
	}
	for _, d := range in.Ints("dimensions") {
		if x.Shape.Dims[d] != 1 {
			return nil
		}
	}
	become(w, in, hlo.OpReshape, x)
	return in
}

// sumLike adds a reduce as another one is, of an array over some of its dimensions.
func sumLike(w *simplifier, like, x *hlo.Instruction, dims []int) *hlo.Instruction {
	n := likewise(w, like, sizes(x.Shape.Dims, hlo.OtherDims(x.Shape.Rank(), dims)), x, like.Operands[1])
	set(n, "dimensions", dims)
	return n
}

// narrowSum reduces the dimensions of one element that a reduce keeps, too (tpu-reduce-rewriter: of 11,884 reduces of
// one array that enter layout assignment none keeps any).
func narrowSum(w *simplifier, in *hlo.Instruction) *hlo.Instruction {
	if !in.Shape.IsArray() || len(in.Operands) != 2 || in.Attr("sharding") != nil || in.Operands[0].Shape.IsDynamic() ||
		!slices.Contains(in.Shape.Dims, 1) {
		return nil
	}
	at, _ := wide(in.Shape)
	rank := in.Operands[0].Shape.Rank()
	kept := hlo.OtherDims(rank, in.Ints("dimensions"))
	for i, d := range at {
		at[i] = kept[d]
	}
	n := sumLike(w, in, in.Operands[0], hlo.OtherDims(rank, at))
	n.Name, in.Name = in.Name, n.Name
	become(w, in, hlo.OpReshape, n)
	return in
}

// negatedSum makes the sum of negated values the negated sum.
func negatedSum(w *simplifier, in *hlo.Instruction) *hlo.Instruction {
	x := in.Operands[0]
	if x.Opcode != hlo.OpNegate || !in.Shape.IsArray() || in.Attr("sharding") != nil || !startsNothing(in) ||
		in.Called()[0].Root.Opcode != hlo.OpAdd {
		return nil
	}
	n := likewise(w, in, in.Shape.Dims, x.Operands[0], in.Operands[1])
	n.Name, in.Name = in.Name, n.Name
	become(w, in, hlo.OpNegate, n)
	return in
}

// transposedSum reduces what a transpose reads, where nothing else reads that (of 400 programs with 40 such reduces 9
// remain) or a vector or a scalar is left, and transposes what is left.
func transposedSum(w *simplifier, in *hlo.Instruction) *hlo.Instruction {
	x := in.Operands[0]
	if x.Opcode != hlo.OpTranspose || !rearranges(x) || !in.Shape.IsArray() || in.Attr("sharding") != nil ||
		len(in.Operands) != 2 || in.Shape.Rank() > 1 && !w.readsAlone(in, x) {
		return nil
	}
	dims, from := in.Ints("dimensions"), x.Ints("dimensions")
	reduced, kept := make([]int, len(dims)), hlo.OtherDims(len(from), dims)
	for i, d := range dims {
		reduced[i] = from[d]
	}
	slices.Sort(reduced)
	left := hlo.OtherDims(len(from), reduced)
	for i, d := range kept {
		kept[i] = slices.Index(left, from[d])
	}
	n := sumLike(w, in, x.Operands[0], reduced)
	n.Name, in.Name = in.Name, n.Name
	return transposed(w, n, kept)
}

// narrowMaximum finds the largest or least of bf16 numbers before they are converted to f32.
func narrowMaximum(w *simplifier, in *hlo.Instruction) *hlo.Instruction {
	op, y := reducedWide(in)
	if op != hlo.OpMaximum && op != hlo.OpMinimum {
		return nil
	}
	become(w, in, hlo.OpConvert, reducedNarrow(w, in, op, y))
	return in
}

// narrowedSum adds up bf16 numbers that are converted to f32 only for that.
func narrowedSum(w *simplifier, in *hlo.Instruction) *hlo.Instruction {
	x := in.Operands[0]
	if in.Shape.DType != hlo.BF16 || in.Attr("sharding") != nil {
		return nil
	}
	op, y := reducedWide(x)
	if op != hlo.OpAdd || !w.readsAlone(in, x) {
		return nil
	}
	return reducedNarrow(w, x, op, y)
}

// reducedWide returns by what operation an instruction reduces bf16 numbers in f32, and which; y is nil for others.
func reducedWide(in *hlo.Instruction) (op hlo.Opcode, y *hlo.Instruction) {
	if in.Opcode != hlo.OpReduce || !in.Shape.IsArray() || in.Attr("sharding") != nil || !startsNothing(in) {
		return op, nil
	}
	x := in.Operands[0]
	if x.Opcode != hlo.OpConvert || x.Shape.DType != hlo.F32 || x.Operands[0].Shape.DType != hlo.BF16 ||
		x.Operands[0].Shape.IsDynamic() {
		return op, nil
	}
	op, _ = combination(in.Called()[0])
	return op, x.Operands[0]
}

// reducedNarrow adds a reduce of bf16 numbers as another one is.
func reducedNarrow(w *simplifier, in *hlo.Instruction, op hlo.Opcode, y *hlo.Instruction) *hlo.Instruction {
	literal, _ := scalar(in.Operands[1])
	first := everywhere(w, y, nil, literal)
	of := combining(w, in, op, first)
	n := w.instructionLike(hlo.OpReduce, y, in.Shape.Dims, []*hlo.Instruction{y, first})
	n.Name, n.Attrs = nameLike(in.Name, n), slices.Clone(in.Attrs)
	of.appliedBy(n)
	w.add(n)
	return n
}

// joinedSum reduces once what is reduced twice in the same way.
func joinedSum(w *simplifier, in *hlo.Instruction) *hlo.Instruction {
	x := in.Operands[0]
	if !in.Shape.IsArray() || in.Attr("sharding") != nil || len(in.Operands) != 2 || x.Shape.IsDynamic() ||
		x.Opcode != hlo.OpReduce || !x.Shape.IsArray() || len(x.Operands) != 2 || !startsNothing(in) || !startsNothing(x) ||
		w.body(in.Called()[0]) != w.body(x.Called()[0]) {
		return nil
	}
	from, all := hlo.OtherDims(x.Operands[0].Shape.Rank(), x.Ints("dimensions")), slices.Clone(x.Ints("dimensions"))
	for _, d := range in.Ints("dimensions") {
		all = append(all, from[d])
	}
	slices.Sort(all)
	in.Operands = []*hlo.Instruction{x.Operands[0], in.Operands[1]}
	set(in, "dimensions", all)
	return in
}

// unchanged returns the dimensions that a reshape leaves as they are: those of its operand by those of its result.
func unchanged(from, to []int64) map[int]int {
	out := map[int]int{}
	regrouped(from, to, func(i, iEnd, k, kEnd int) {
		if iEnd == i+1 && kEnd == k+1 {
			out[k] = i
		}
	})
	return out
}

// regrouped calls group with the dimensions of a reshape's operand and of its result that have the same elements, from
// the first to before the last: as few as can be, without those of one element.
func regrouped(from, to []int64, group func(i, iEnd, k, kEnd int)) {
	for i, k := 0, 0; i < len(from) && k < len(to); {
		switch {
		case from[i] != to[k] && from[i] == 1:
			i++
			continue
		case from[i] != to[k] && to[k] == 1:
			k++
			continue
		}
		i0, k0, a, b := i, k, from[i], to[k]
		for i, k = i+1, k+1; a != b; {
			if a < b && i < len(from) {
				a *= from[i]
				i++
			} else if k < len(to) {
				b *= to[k]
				k++
			} else {
				return
			}
		}
		group(i0, i, k0, k)
	}
}

// reshapedSum reduces before a reshape: all where the reshape leaves the dimensions alone that are kept, and else those
// that it leaves alone, and the last one of those that become a reduced one (parts of images that are joined). Reshapes
// are hoisted before: the compiler's tpu-broadcast-rewriter comes before its tpu-reduce-rewriter, so that the sum of a
// gradient over the tokens reads the gradient as the projection's does (6 of 6 losses over flattened logits).
func reshapedSum(w *simplifier, in *hlo.Instruction) *hlo.Instruction {
	x := in.Operands[0]
	if x.Opcode != hlo.OpReshape || !in.Shape.IsArray() || len(in.Operands) != 2 || in.Attr("sharding") != nil ||
		x.Shape.IsDynamic() || x.Operands[0].Shape.IsDynamic() || x.Attr("sharding") != nil {
		return nil
	}
	y, p := x.Operands[0], partsOf(x, in.Ints("dimensions"))
	switch {
	case w.waitsForHoists(in):
		return nil
	case p.all:
		in.Operands = []*hlo.Instruction{y, in.Operands[1]}
		set(in, "dimensions", hlo.OtherDims(y.Shape.Rank(), p.kept))
		return in
	case len(p.before) == 0 || !startsNothing(in):
		return nil
	}
	first := sumLike(w, in, y, p.before)
	if len(p.after) == 0 {
		first.Name, in.Name = in.Name, first.Name
		become(w, in, hlo.OpReshape, first)
		return in
	}
	in.Operands = []*hlo.Instruction{w.make(hlo.OpReshape, in, p.left, first), in.Operands[1]}
	set(in, "dimensions", p.after)
	return in
}

// parts are the dimensions of a reshape whose result is reduced.
type parts struct {
	before, kept []int   // of its operand, unchanged: those that are reduced, and the others
	left         []int64 // of its result, without before
	after        []int   // of left, reduced
	all          bool    // those that are not reduced are unchanged
}

func partsOf(in *hlo.Instruction, dims []int) parts {
	p, same, within := parts{all: true}, map[int]int{}, map[int]int{}
	from, to := in.Operands[0].Shape.Dims, in.Shape.Dims
	regrouped(from, to, func(i, iEnd, k, kEnd int) {
		switch last := kEnd - 1; {
		case iEnd == i+1 && kEnd == k+1:
			same[k] = i
		case slices.Contains(dims, last) && from[iEnd-1] > 1 && to[last]%from[iEnd-1] == 0:
			within[last] = iEnd - 1
		}
	})
	for d, n := range to {
		at, is := same[d]
		switch reduced := slices.Contains(dims, d); {
		case reduced && is:
			p.before = append(p.before, at)
			continue
		case reduced:
			p.after = append(p.after, len(p.left))
			if part, ok := within[d]; ok && len(from) == len(to) { // the rest of it is reduced after
				p.before, n = append(p.before, part), n/from[part]
			}
		case is:
			p.kept = append(p.kept, at)
		default:
			p.all = false
		}
		p.left = append(p.left, n)
	}
	return p
}
