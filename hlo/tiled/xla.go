package tiled

import "hlolayout/hlo"

// This file has the vocabulary of XLA's page "Shapes and layout" that is older than tiles.

// PaddingValue says what fills the padding of an array with padded dimensions, by the names of XLA's former proto enum.
type PaddingValue uint8

// The padding values.
const (
	InvalidPad PaddingValue = iota
	ZeroPad
	OnePad
	LowestPad  // the smallest value of the type
	HighestPad // the largest value of the type
	UnknownPad
)

// String returns the name in XLA's proto, such as "ZERO_PAD".
func (v PaddingValue) String() string {
	names := [...]string{"INVALID_PAD", "ZERO_PAD", "ONE_PAD", "LOWEST_PAD", "HIGHEST_PAD", "UNKNOWN_PAD"}
	return names[min(int(v), len(names)-1)]
}

// Padded returns the array whose dimensions are padded to paddedDimensions, both in logical order, and laid out in the
// given order: the layout that XLA wrote minor_to_major + padded_dimensions before it had tiles. It is one tile as
// large as the padded array. Errors: ErrShape for a padded dimension that is smaller than the dimension, else as New.
func Padded(dtype hlo.DType, dims []int64, minorToMajor []int, paddedDimensions []int64) (*Array, error) {
	if len(paddedDimensions) != len(dims) {
		return nil, fail(ErrShape, "%d padded dimensions for %d dimensions", len(paddedDimensions), len(dims))
	}
	if len(minorToMajor) != len(dims) || !hlo.IsPermutation(minorToMajor) {
		return nil, fail(ErrOrder, "minor_to_major {%s} is not a permutation of %d dimensions", join(minorToMajor),
			len(dims))
	}
	tile := make(hlo.Tile, len(dims))
	for i, d := range minorToMajor {
		if paddedDimensions[d] < dims[d] {
			return nil, fail(ErrShape, "dimension %d of %d is padded to %d", d, dims[d], paddedDimensions[d])
		}
		tile[len(tile)-1-i] = paddedDimensions[d]
	}
	layout := &hlo.Layout{MinorToMajor: minorToMajor}
	if len(tile) > 0 {
		layout.Tiles = []hlo.Tile{tile}
	}
	return New(hlo.NewArray(dtype, dims, layout))
}

// MaxFill is the largest Total of which Fill makes a picture.
const MaxFill = 1 << 26

// Fill returns the memory of an array, Total elements in order of offset, from its elements in row-major order; padding
// gets the value pad. Errors: ErrShape for another number of elements, ErrLimit beyond MaxFill.
func Fill[T any](a *Array, elements []T, pad T) ([]T, error) {
	if int64(len(elements)) != a.elements {
		return nil, fail(ErrShape, "%d values for the %d elements of %s", len(elements), a.elements, a)
	}
	if a.total > MaxFill {
		return nil, fail(ErrLimit, "%s has %d elements allocated; at most %d are laid out", a, a.total, MaxFill)
	}
	out := make([]T, a.total)
	for i := range out {
		out[i] = pad
	}
	index := make([]int64, len(a.dims))
	for _, x := range elements {
		out[a.at(index)] = x
		next(index, a.dims)
	}
	return out, nil
}

// Dimension returns the dimension number 0..rank-1 that n means: negative numbers count from the end, -1 is the last.
// ErrIndex outside [-rank, rank).
func Dimension(rank, n int) (int, error) {
	if n < -rank || n >= rank {
		return 0, fail(ErrIndex, "dimension number %d of an array of rank %d", n, rank)
	}
	if n < 0 {
		n += rank
	}
	return n, nil
}

// TrueRank returns the number of dimensions greater than 1.
func TrueRank(dims []int64) int {
	n := 0
	for _, d := range dims {
		if d > 1 {
			n++
		}
	}
	return n
}

// AxisNames returns the letters XLA gives the dimensions of an array by its rank, in the order of the dimensions: x;
// y,x; z,y,x; p,z,y,x. ok is false for other ranks.
func AxisNames(rank int) (names []string, ok bool) {
	all := []string{"p", "z", "y", "x"}
	if rank < 1 || rank > len(all) {
		return nil, false
	}
	return all[len(all)-rank:], true
}

// IsDescending reports whether an order is XLA's default, rank-1, ..., 1, 0: dimension 0 is the major one (row-major).
func IsDescending(minorToMajor []int) bool {
	for i, d := range minorToMajor {
		if d != len(minorToMajor)-1-i {
			return false
		}
	}
	return true
}

// IsAscending reports whether an order is 0, 1, ..., rank-1: dimension 0 is the minor one (column-major).
func IsAscending(minorToMajor []int) bool {
	for i, d := range minorToMajor {
		if d != i {
			return false
		}
	}
	return true
}

// LinearIndex returns the row-major number of a logical index. Errors: ErrIndex, ErrOverflow when the product of dims
// does not fit int64.
func LinearIndex(dims, index []int64) (int64, error) {
	if len(index) != len(dims) {
		return 0, fail(ErrIndex, "%d indices for %d dimensions", len(index), len(dims))
	}
	if _, ok := product(dims...); !ok {
		return 0, fail(ErrOverflow, "the product of %d dimensions does not fit int64", len(dims))
	}
	n := int64(0)
	for i, d := range dims {
		if index[i] < 0 || index[i] >= d {
			return 0, fail(ErrIndex, "index %d of dimension %d, which has %d positions", index[i], i, d)
		}
		n = n*d + index[i]
	}
	return n, nil
}

// MultiIndex appends the logical index with row-major number n to dst. Errors: ErrIndex for n outside the array,
// ErrOverflow.
func MultiIndex(dst, dims []int64, n int64) ([]int64, error) {
	size, ok := product(dims...)
	if !ok {
		return dst, fail(ErrOverflow, "the product of %d dimensions does not fit int64", len(dims))
	}
	if n < 0 || n >= size {
		return dst, fail(ErrIndex, "row-major number %d of an array of %d elements", n, size)
	}
	at := len(dst)
	for range dims {
		dst = append(dst, 0)
	}
	for i := len(dims) - 1; i >= 0; i-- {
		dst[at+i] = n % dims[i]
		n /= dims[i]
	}
	return dst, nil
}
