package folding

import (
	"slices"

	"hlolayout/hlo"
	"hlolayout/tpu"
)

// A product of the softmax of scores with values is one kernel, which reads and writes row-major arrays. Where the
// scores are a product of queries and keys and nothing else, it takes that in. This is the compiler's flash_attention,
// which comes right before images are divided: its dumps show what of 200 variants it makes kernels of.

// attentionTile is what rows and columns of scores are a multiple of.
const attentionTile = 128

const attentionKernel = "tpu_custom_call"

// scoresTiles are, by target, what rows and columns are a multiple of for a kernel that takes scores alone: on v2, v3
// and v4 there is only that for queries and keys (64 probes on v5e, v5p, v6e and v7x with masks, 48 without them).
var scoresTiles = map[string]int64{"v5e": attentionTile, "v5p": attentionTile, "v6e": 256, "v7x": 256}

// takesScores reports whether a target has a kernel for scores alone of such rows and columns.
func takesScores(t *tpu.Target, dims []int64) bool {
	tile, rank := scoresTiles[t.Name], len(dims)
	return tile != 0 && dims[rank-2]%tile == 0 && dims[rank-1]%tile == 0
}

// attendAll makes kernels of attention, and reports whether there is any.
func (w *simplifier) attendAll() (some bool) {
	for _, c := range w.Module.InMemory() {
		if !slices.ContainsFunc(c.Instructions, func(in *hlo.Instruction) bool { return scoresOf(in) != nil }) {
			continue
		}
		count := w.rewrite(c, w.attention)
		w.Applied["attention"] += count
		some = some || count > 0
	}
	return some
}

// attention returns the kernel that takes the place of a product, nil for other products.
func (w *simplifier) attention(in *hlo.Instruction) *hlo.Instruction {
	scores := scoresOf(in)
	if scores == nil {
		return nil
	}
	if q, k := w.queriesAndKeys(scores); q != nil {
		n := w.kernel(in, attentionKernel, hlo.F32, in.Shape.Dims, q, k, in.Operands[1])
		if in.Shape.DType == hlo.F32 {
			return n
		}
		return w.make(hlo.OpConvert, in, in.Shape.Dims, n)
	}
	if !takesScores(w.target, scores.Shape.Dims) {
		return nil
	}
	return w.kernel(in, attentionKernel, in.Shape.DType, in.Shape.Dims, scores, in.Operands[1])
}

// scoresOf returns what a product with values is the softmax of, along the dimension that is summed up: rows of scores
// of the type of the values. It is nil for other instructions.
func scoresOf(in *hlo.Instruction) *hlo.Instruction {
	if in.Opcode != hlo.OpDot || !isBatched(in, in.Shape.Rank()-1, in.Shape.Rank()-2) ||
		in.Shape.DType != hlo.BF16 && in.Shape.DType != hlo.F32 || in.Operands[0].Shape.DType != in.Shape.DType ||
		unconverted(in.Operands[1]).Shape.DType != in.Shape.DType {
		return nil
	}
	dims := in.Operands[0].Shape.Dims
	if rank := len(dims); dims[rank-2]%attentionTile != 0 || dims[rank-1]%attentionTile != 0 {
		return nil
	}
	scores := softmaxed(in.Operands[0])
	if scores == nil || scores.Shape.DType != in.Shape.DType {
		return nil
	}
	return scores
}

// isBatched reports whether a product sums over one dimension of each operand, and the others but the last two are
// batches of both, in their order.
func isBatched(in *hlo.Instruction, lhs, rhs int) bool {
	p, ok := factoredOf(in)
	rank := in.Shape.Rank()
	if !ok || rank < 2 || !slices.Equal(p.contracting[0], []int{lhs}) || !slices.Equal(p.contracting[1], []int{rhs}) {
		return false
	}
	for i := range p.x {
		if p.x[i].Shape.Rank() != rank || !slices.Equal(p.batch[i], ascendingTo(rank-2)) {
			return false
		}
	}
	return true
}

// softmaxed returns what a value is the softmax of, along its last dimension, before it is converted; nil for other
// values.
func softmaxed(x *hlo.Instruction) *hlo.Instruction {
	x = unconverted(x)
	if x.Opcode != hlo.OpDivide || x.Operands[0].Opcode != hlo.OpExponential {
		return nil
	}
	e := x.Operands[0]
	if sum := spreadOf(x.Operands[1], hlo.OpAdd); sum != e && (sum == nil || unconverted(sum) != e) ||
		e.Operands[0].Opcode != hlo.OpSubtract {
		return nil
	}
	from := e.Operands[0]
	scores := unconverted(from.Operands[0])
	if most := spreadOf(from.Operands[1], hlo.OpMaximum); most == nil || unconverted(most) != scores {
		return nil
	}
	return scores
}

// unconverted returns what a value is converted from, itself where it is not.
func unconverted(x *hlo.Instruction) *hlo.Instruction {
	if x.Opcode == hlo.OpConvert {
		return x.Operands[0]
	}
	return x
}

// spreadOf returns what is reduced along its last dimension by an operation, and broadcast along it again; nil for
// other values.
func spreadOf(x *hlo.Instruction, by hlo.Opcode) *hlo.Instruction {
	if x.Opcode != hlo.OpBroadcast || !slices.Equal(x.Ints("dimensions"), ascendingTo(x.Shape.Rank()-1)) {
		return nil
	}
	r := unconverted(x.Operands[0])
	if r.Opcode != hlo.OpReduce || len(r.Operands) != 2 || len(r.Called()) != 1 {
		return nil
	}
	op, ok := combination(r.Called()[0])
	if !ok || op != by || !slices.Equal(r.Ints("dimensions"), []int{x.Shape.Rank() - 1}) {
		return nil
	}
	return r.Operands[0]
}

// queriesAndKeys returns what scores are the product of, the keys by rows; nil where they are not one of a batch.
func (w *simplifier) queriesAndKeys(scores *hlo.Instruction) (q, k *hlo.Instruction) {
	rank := scores.Shape.Rank()
	if scores.Opcode != hlo.OpDot || rank < 3 || rank > 4 {
		return nil, nil
	}
	switch q, k = scores.Operands[0], scores.Operands[1]; {
	case q.Shape.DType != scores.Shape.DType || k.Shape.DType != scores.Shape.DType:
		return nil, nil
	case isBatched(scores, rank-1, rank-1):
		return q, k
	case isBatched(scores, rank-1, rank-2):
		return q, transposed(w, k, lastExchanged(rank))
	}
	return nil, nil
}
