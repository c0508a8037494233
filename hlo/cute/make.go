package cute

import (
	"cmp"
	"slices"
)

// Left returns the shape with column-major strides: the running product of all leaves from left to right, whatever the
// nesting. Errors: ErrExtent, ErrOverflow, ErrLimit.
func Left(shape IntTuple) (Layout, error) { return compact(shape, func(_, i int) int { return i }) }

// Right returns the shape with row-major strides: the running product from right to left.
func Right(shape IntTuple) (Layout, error) {
	return compact(shape, func(n, i int) int { return n - 1 - i })
}

// compact gives the leaves their strides in the order at(count, 0), at(count, 1)...
func compact(shape IntTuple, at func(n, i int) int) (Layout, error) {
	l, err := New(shape, shape)
	if err != nil {
		return Layout{}, err
	}
	leaves := l.leafPointers(nil)
	step, ok := int64(1), true
	for i := range leaves {
		x := leaves[at(len(leaves), i)]
		if !ok {
			return Layout{}, fail(ErrOverflow, "the strides of %s do not fit int64", shape.brief())
		}
		x.d = step
		step, ok = Mul(step, x.s)
	}
	return l, nil
}

// leafPointers appends pointers to the leaves of a layout that nobody else holds yet.
func (l *Layout) leafPointers(dst []*Layout) []*Layout {
	if l.modes == nil {
		return append(dst, l)
	}
	for i := range l.modes {
		dst = l.modes[i].leafPointers(dst)
	}
	return dst
}

// Ordered returns the shape with compact strides, the leaf with the smallest order first. order has distinct integers
// and the nesting of shape, or one integer for a whole mode, whose leaves then count from left to right. XLA's
// minor_to_major is such an order: order[d] is the position of dimension d in it. Errors as Left, and ErrCongruent,
// ErrOrder.
func Ordered(shape, order IntTuple) (Layout, error) {
	if !WeaklyCongruent(order, shape) {
		return Layout{}, fail(ErrCongruent, "order %s does not fit shape %s", order.brief(), shape.brief())
	}
	var ranks []int64 // of each leaf of shape
	var spread func(order, shape IntTuple) error
	seen := map[int64]bool{}
	spread = func(order, shape IntTuple) error {
		for i, e := range order.list {
			if err := spread(e, shape.list[i]); err != nil {
				return err
			}
		}
		if order.list != nil {
			return nil
		}
		if order.under || seen[order.n] {
			return fail(ErrOrder, "order %s repeats %s", order.brief(), order)
		}
		seen[order.n] = true
		leaves, _ := shape.count()
		for range leaves {
			ranks = append(ranks, order.n)
		}
		return nil
	}
	if err := spread(order, shape); err != nil {
		return Layout{}, err
	}
	perm := sorted(len(ranks), func(a, b int) int { return cmp.Compare(ranks[a], ranks[b]) })
	return compact(shape, func(_, i int) int { return perm[i] })
}

// sorted returns 0..n-1 in stable order of less.
func sorted(n int, less func(a, b int) int) []int {
	perm := make([]int, n)
	for i := range perm {
		perm[i] = i
	}
	slices.SortStableFunc(perm, less)
	return perm
}

// Compact returns the layout of l's shape with compact strides in the order of l's strides (CuTe's make_layout_like):
// gaps go, stride 0 stays. Strides are taken without their sign. Errors: ErrOverflow.
func Compact(l Layout) (Layout, error) {
	leaves := l.flat(nil)
	perm, err := byStride(leaves)
	if err != nil {
		return Layout{}, err
	}
	out := l.Normal()
	to := out.leafPointers(nil)
	step, ok := int64(1), true
	for _, i := range perm {
		if x := to[i]; x.s > 1 && x.d != 0 {
			if !ok {
				return Layout{}, fail(ErrOverflow, "the strides of %s do not fit int64", l.brief())
			}
			x.d = step
			step, ok = Mul(step, x.s)
		}
	}
	return out, nil
}

// Sort returns the flattened leaves of l in ascending order of |stride|, then of extent: the same set of indices, in
// another order of coordinates.
func Sort(l Layout) (Layout, error) {
	leaves := l.flat(nil)
	perm, err := byStride(leaves)
	if err != nil {
		return Layout{}, err
	}
	out := make([]leaf, len(leaves))
	for i, k := range perm {
		out[i] = leaves[k]
	}
	return fromLeaves(out).result()
}

// byStride orders leaves by |d|, then by extent, then by place.
func byStride(leaves []leaf) ([]int, error) {
	steps := make([]int64, len(leaves))
	for i, x := range leaves {
		var ok bool
		if steps[i], ok = abs(x.d); !ok {
			return nil, fail(ErrOverflow, "stride %d has no absolute value", x.d)
		}
	}
	return sorted(len(leaves), func(a, b int) int {
		return cmp.Or(cmp.Compare(steps[a], steps[b]), cmp.Compare(leaves[a].s, leaves[b].s))
	}), nil
}

// Concat returns the layout whose modes are its arguments; one argument is wrapped: 3:1 becomes (3):(1).
func Concat(modes ...Layout) (Layout, error) {
	if len(modes) == 0 {
		return Layout{}, fail(ErrEmpty, "a layout of no modes")
	}
	for i, m := range modes {
		if m.IsZero() {
			return Layout{}, fail(ErrEmpty, "mode %d is not a layout", i)
		}
	}
	return listLayout(slices.Clone(modes)).limited()
}
