package tiled

import (
	"slices"

	"hlolayout/hlo"
	"hlolayout/hlo/cute"
)

// Match says how two arrays with the same elements are laid out in memory.
type Match uint8

// The matches. SameAddresses is not yet a bitcast: the buffers have different sizes.
const (
	Different     Match = iota
	SameAddresses       // every element has the same offset, but the allocations differ
	SameBytes           // and the allocations are equal: a bitcast
)

// String returns "different", "same addresses" or "bitcast".
func (m Match) String() string {
	return [...]string{"different", "same addresses", "bitcast"}[m]
}

// MaxEnumerate is the largest number of elements that are compared one by one where the layouts do not tell.
const MaxEnumerate = 1 << 22

// Bitcast compares two arrays of the same logical dimensions: do their elements have the same addresses? Element types
// may differ, stored widths must not; memory spaces are ignored. It does not allocate when both maps are layouts.
// Modes are compared on the logical extents only, since paddings may differ. Errors: ErrShape for other
// dimensions, ErrUndecided.
func Bitcast(a, b *Array) (Match, error) {
	if !slices.Equal(a.dims, b.dims) {
		return Different, fail(ErrShape, "%s and %s have different dimensions", a, b)
	}
	if m, done := quick(a, b); done {
		return m, nil
	}
	if !a.hasModes() || !b.hasModes() {
		if slices.Equal(a.order, b.order) && slices.EqualFunc(a.tiles, b.tiles, func(s, t hlo.Tile) bool {
			return slices.Equal(s, t)
		}) {
			return matched(a, b), nil
		}
		return enumerate(a, b)
	}
	for d, n := range a.dims {
		if !sameMode(a.modes[d], b.modes[d], n) {
			return Different, nil
		}
	}
	return matched(a, b), nil
}

// TransposeBitcast compares b with the transpose of a: dimension i of b is dimension permutation[i] of a (HLO's
// transpose with dimensions={permutation}). Errors: ErrOrder when it is not a permutation, ErrShape, ErrUndecided.
func TransposeBitcast(a *Array, permutation []int, b *Array) (Match, error) {
	if len(permutation) != len(a.dims) || !hlo.IsPermutation(permutation) {
		return Different, fail(ErrOrder, "{%s} is not a permutation of the %d dimensions of %s", join(permutation),
			len(a.dims), a)
	}
	if len(b.dims) != len(a.dims) {
		return Different, fail(ErrShape, "%s is not the transpose of %s by {%s}", b, a, join(permutation))
	}
	for i, p := range permutation {
		if b.dims[i] != a.dims[p] {
			return Different, fail(ErrShape, "%s is not the transpose of %s by {%s}", b, a, join(permutation))
		}
	}
	if m, done := quick(a, b); done {
		return m, nil
	}
	if !a.hasModes() || !b.hasModes() {
		t, err := a.transposed(permutation)
		if err != nil {
			return Different, err
		}
		return Bitcast(t, b)
	}
	for i, p := range permutation {
		if !sameMode(a.modes[p], b.modes[i], b.dims[i]) {
			return Different, nil
		}
	}
	return matched(a, b), nil
}

// transposed is a with its dimensions renumbered; nothing moves.
func (a *Array) transposed(permutation []int) (*Array, error) {
	dims, order, inverse := make([]int64, len(a.dims)), make([]int, len(a.dims)), make([]int, len(a.dims))
	for i, p := range permutation {
		dims[i], inverse[p] = a.dims[p], i
	}
	for k, d := range a.order {
		order[k] = inverse[d]
	}
	return New(hlo.NewArray(a.dtype, dims, &hlo.Layout{MinorToMajor: order, Tiles: a.tiles, TailPadding: a.tail,
		ElementBits: a.bits}))
}

// quick answers what needs no look at the layouts.
func quick(a, b *Array) (m Match, done bool) {
	switch {
	case a.elements == 0:
		return matched(a, b), true
	case a.bits != b.bits:
		return Different, true
	}
	return Different, false
}

func matched(a, b *Array) Match {
	if a.total*a.bits == b.total*b.bits {
		return SameBytes
	}
	return SameAddresses
}

// sameMode compares two coalesced modes as functions on [0, n).
func sameMode(a, b mode, n int64) bool {
	done := int64(1)
	for i := 0; ; i++ {
		left := ceilDiv(n, done)
		if left <= 1 {
			return true
		}
		if i >= len(a) || i >= len(b) { // the modes cover n, so none ends early
			return false
		}
		e := min(a[i].extent, left)
		if a[i].stride != b[i].stride || e != min(b[i].extent, left) {
			return false
		}
		done *= e
	}
}

// enumerate compares element by element in row-major order; dimensions may differ.
func enumerate(a, b *Array) (Match, error) {
	if a.elements > MaxEnumerate {
		return Different, fail(ErrUndecided, "%s and %s are not both layouts and have more than %d elements to compare",
			a, b, MaxEnumerate)
	}
	i, j := make([]int64, len(a.dims)), make([]int64, len(b.dims))
	for range a.elements {
		if a.at(i) != b.at(j) {
			return Different, nil
		}
		next(i, a.dims)
		next(j, b.dims)
	}
	return matched(a, b), nil
}

// at is Index without its checks.
func (a *Array) at(index []int64) int64 {
	if a.hasModes() {
		return a.add(index)
	}
	return a.staged(index)
}

// next steps a row-major index.
func next(index, dims []int64) {
	for k := len(dims) - 1; k >= 0; k-- {
		if index[k]++; index[k] < dims[k] {
			return
		}
		index[k] = 0
	}
}

// ReshapeBitcast compares two arrays with the same number of elements in row-major order: is the reshape from a to b a
// bitcast? Dimensions of 1 are dropped and both shapes split into the finest groups of equal products; each group is
// compared as a function of its row-major number. It does not allocate when the layouts tell. Errors:
// ErrShape for other numbers of elements, ErrUndecided.
func ReshapeBitcast(a, b *Array) (Match, error) {
	if a.elements != b.elements {
		return Different, fail(ErrShape, "%s and %s have different numbers of elements", a, b)
	}
	if m, done := quick(a, b); done {
		return m, nil
	}
	if !a.hasModes() || !b.hasModes() {
		if slices.Equal(a.dims, b.dims) {
			return Bitcast(a, b)
		}
		return enumerate(a, b)
	}
	i, j := len(a.dims)-1, len(b.dims)-1
	for {
		for i >= 0 && a.dims[i] == 1 {
			i--
		}
		for j >= 0 && b.dims[j] == 1 {
			j--
		}
		if i < 0 || j < 0 {
			return matched(a, b), nil
		}
		ga, gb := rowMajor{a: a, dim: i, done: 1}, rowMajor{a: b, dim: j, done: 1}
		na, nb := a.dims[i], b.dims[j]
		for na != nb {
			if na < nb {
				i--
				na *= a.dims[i]
			} else {
				j--
				nb *= b.dims[j]
			}
		}
		ga.top, gb.top = i, j
		same, err := sameGroup(ga, gb, na)
		if err != nil || !same {
			return Different, err
		}
		i, j = i-1, j-1
	}
}

// sameGroup compares two groups of dimensions as functions of their row-major number below n.
func sameGroup(a, b rowMajor, n int64) (bool, error) {
	ea, eb := a, b
	done := int64(1)
	for {
		left := ceilDiv(n, done)
		if left <= 1 {
			return true, nil
		}
		x, okA := a.next()
		y, okB := b.next()
		if a.refused || b.refused {
			break
		}
		e := min(x.extent, left)
		if !okA || !okB || x.stride != y.stride || e != min(y.extent, left) {
			return false, nil
		}
		done *= e
	}
	// Padding inside a group: its map is not a layout.
	for i := range min(n, MaxEnumerate) {
		if ea.at(i) != eb.at(i) {
			return false, nil
		}
	}
	if n > MaxEnumerate {
		return false, fail(ErrUndecided, "%s and %s have padding inside joined dimensions and more than %d elements "+
			"to compare", a.a, b.a, MaxEnumerate)
	}
	return true, nil
}

// rowMajor runs through the leaves of the row-major function of the dimensions top..dim, fastest first. Every mode but
// the top one is restricted to its extent.
type rowMajor struct {
	a       *Array
	top     int
	dim     int // the dimension being read, from the minor one up
	leaf    int // in its mode
	done    int64
	ahead   leaf // the next leaf, read already
	has     bool
	refused bool // a mode cannot be restricted
}

// next returns the next leaf with everything merged that continues it.
func (r *rowMajor) next() (leaf, bool) {
	x, ok := r.ahead, r.has
	if !ok {
		if x, ok = r.raw(); !ok {
			return leaf{}, false
		}
	}
	for {
		r.ahead, r.has = r.raw()
		if !r.has {
			return x, true
		}
		step, ok := cute.Mul(x.extent, x.stride)
		if !ok || step != r.ahead.stride {
			return x, true
		}
		if n, ok := cute.Mul(x.extent, r.ahead.extent); ok {
			x.extent = n
		} else {
			x.extent = 1<<63 - 1 // the top leaf of a padded mode: nothing looks that far
		}
	}
}

func (r *rowMajor) raw() (leaf, bool) {
	for r.dim >= r.top {
		m, n := r.a.modes[r.dim], r.a.dims[r.dim]
		if r.leaf < len(m) && (r.dim == r.top || r.done < n) {
			x := m[r.leaf].leaf
			r.leaf++
			if r.dim == r.top {
				return x, true
			}
			left := n / r.done
			if x.extent > left {
				x.extent = left
			}
			if left%x.extent != 0 {
				r.refused = true
				return leaf{}, false
			}
			r.done *= x.extent
			return x, true
		}
		r.dim, r.leaf, r.done = r.dim-1, 0, 1
	}
	return leaf{}, false
}

// at returns the offset of row-major number i, for a rowMajor that has not moved.
func (r *rowMajor) at(i int64) int64 {
	sum := int64(0)
	for d := r.dim; d > r.top; d-- {
		n := r.a.dims[d]
		sum += r.a.modes[d].at(i % n)
		i /= n
	}
	return sum + r.a.modes[r.top].at(i)
}
