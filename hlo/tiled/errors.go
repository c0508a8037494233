package tiled

import "fmt"

// Kind is a class of errors. Kinds are errors themselves, so errors.Is(err, ErrIndex) tests for one.
type Kind string

// Error returns the kind's name.
func (k Kind) Error() string { return string(k) }

// The kinds of errors of this package.
const (
	ErrShape     Kind = "shape"          // not an array of known extents, or two arrays that do not belong together
	ErrOrder     Kind = "minor_to_major" // an order that is not a permutation of the dimensions
	ErrTile      Kind = "tile_extent"    // a tile extent below 1 that is not `*`
	ErrEmptyTile Kind = "empty_tile"     // a tile without entries
	ErrStar      Kind = "trailing_star"  // `*` in the last place, where no dimension is left to join
	ErrIndex     Kind = "index"          // a logical index, physical index, offset or dimension number out of bounds
	ErrOverflow  Kind = "overflow"       // a size that does not fit int64
	ErrLimit     Kind = "limit"          // more dimensions, elements or memory than is accepted
	ErrNoLayout  Kind = "no_layout"      // the map is not a single CuTe layout, or a CuTe layout is not an XLA one
	ErrUndecided Kind = "undecided"      // only enumeration could tell, and there are too many elements
)

// Error is a refused array, index or question.
type Error struct {
	Kind Kind
	Msg  string
}

// Error returns "message [kind]".
func (e *Error) Error() string { return fmt.Sprintf("%s [%s]", e.Msg, e.Kind) }

// Unwrap returns the kind.
func (e *Error) Unwrap() error { return e.Kind }

func fail(k Kind, format string, args ...any) error {
	return &Error{k, fmt.Sprintf(format, args...)}
}
