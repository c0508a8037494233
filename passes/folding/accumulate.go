package folding

import (
	"slices"

	"hlolayout/hlo"
)

// accumulated has a scatter add to an array what only a sum with the array reads (36 sums in 15 programs; 8 of 8 probes
// where it does not add to zeros), and makes one scatter of two whose results are added.
func accumulated(w *simplifier, in *hlo.Instruction) *hlo.Instruction {
	if in.Attr("sharding") != nil || in.Shape.IsDynamic() {
		return nil
	}
	x, y := in.Operands[0], in.Operands[1]
	switch a, b := w.adds(x), w.adds(y); {
	case a && b:
		return w.oneScatter(in, x, y)
	case a:
		return w.scatterLike(in, x, w.summed(in, x.Operands[0], y), x.Operands[1], x.Operands[2])
	case b:
		return w.scatterLike(in, y, w.summed(in, x, y.Operands[0]), y.Operands[1], y.Operands[2])
	}
	return nil
}

// summed returns the sum of two arrays, of which one may be zeros.
func (w *simplifier) summed(like, x, y *hlo.Instruction) *hlo.Instruction {
	switch {
	case isZero(x):
		return y
	case isZero(y):
		return x
	}
	return w.make(hlo.OpAdd, like, like.Shape.Dims, x, y)
}

// adds reports whether an instruction is a scatter that adds to an array, and whose result one instruction reads.
func (w *simplifier) adds(in *hlo.Instruction) bool {
	if in.Opcode != hlo.OpScatter || len(in.Operands) != 3 || w.note(in).uses > 1 || len(in.Called()) != 1 ||
		in.Attr("sharding") != nil {
		return false
	}
	op, ok := combination(in.Called()[0])
	return ok && op == hlo.OpAdd
}

// scatterLike returns a scatter as another one is, in the place of in.
func (w *simplifier) scatterLike(in, like *hlo.Instruction, operands ...*hlo.Instruction) *hlo.Instruction {
	n := likewise(w, like, like.Shape.Dims, operands...)
	n.Name, in.Name = in.Name, n.Name
	return n
}

// oneScatter joins the indices and the updates of two scatters of one form: along the dimension in which they differ,
// or the first. It is nil where they differ in more than one, and where they update as many elements as the table has,
// or more (23 of 23 probes; in 130 programs 5 are made so, and 30 sums stay).
func (w *simplifier) oneScatter(in, x, y *hlo.Instruction) *hlo.Instruction {
	if isZero(x.Operands[0]) && !isZero(y.Operands[0]) {
		return w.oneScatter(in, y, x)
	}
	g, ok := windowOf(x)
	h, same := windowOf(y)
	if !ok || !same || len(g.batching[0]) > 0 || !sameForm(x, y) {
		return nil
	}
	table, i, k, u, v := x.Operands[0], x.Operands[1], y.Operands[1], x.Operands[2], y.Operands[2]
	n, _ := u.Shape.Elements()
	m, _ := v.Shape.Elements()
	if all, _ := table.Shape.Elements(); n+m >= all {
		return nil
	}
	along, differ := 0, 0
	for at := range g.batch {
		if g.batch[at] != h.batch[at] {
			along, differ = at, differ+1
		}
	}
	if len(g.batch) == 0 || differ > 1 {
		return nil
	}
	listed := hlo.OtherDims(i.Shape.Rank(), []int{g.vector})[along]
	placed := hlo.OtherDims(u.Shape.Rank(), g.offset)[along]
	table = w.summed(in, table, y.Operands[0])
	return w.scatterLike(in, x, table, concatenated(w, i, listed, i, k), concatenated(w, u, placed, u, v))
}

// sameForm reports whether two scatters have the same attributes, but for names.
func sameForm(x, y *hlo.Instruction) bool {
	return x.Operands[1].Shape.Rank() == y.Operands[1].Shape.Rank() &&
		slices.EqualFunc(except(x.Attrs, "metadata"), except(y.Attrs, "metadata"),
			func(a, b hlo.Attr) bool {
				return a.Key.Name == b.Key.Name && (a.Key.Called || a.Value.Text == b.Value.Text)
			})
}
