package cute

import "strconv"

// Limits on every value, so that hostile input cannot take unbounded memory or stack.
const (
	MaxDepth  = 64   // levels of nesting
	MaxLeaves = 4096 // leaves of a tuple, layout or tiler
)

// IntTuple is an integer or a non-empty list of IntTuples: a shape, stride, coordinate, order or profile. In a
// coordinate that slices, a leaf may be the underscore; every other use refuses it. `(7)` and `7` are different values.
// The zero value is the integer 0.
type IntTuple struct {
	n     int64
	under bool
	list  []IntTuple
}

// Int returns the integer n as a tuple.
func Int(n int64) IntTuple { return IntTuple{n: n} }

// Underscore returns `_`.
func Underscore() IntTuple { return IntTuple{under: true} }

// Tuple returns the list of its arguments.
func Tuple(first IntTuple, more ...IntTuple) IntTuple {
	return IntTuple{list: append([]IntTuple{first}, more...)}
}

// Ints returns the flat list of its arguments.
func Ints(first int64, more ...int64) IntTuple {
	t := IntTuple{list: make([]IntTuple, 1, 1+len(more))}
	t.list[0].n = first
	for _, n := range more {
		t.list = append(t.list, Int(n))
	}
	return t
}

// IsInt reports whether t is an integer.
func (t IntTuple) IsInt() bool { return t.list == nil && !t.under }

// IsUnderscore reports whether t is `_`.
func (t IntTuple) IsUnderscore() bool { return t.under }

// Value returns the integer; 0 for a list and for `_`.
func (t IntTuple) Value() int64 { return t.n }

// Rank returns the number of entries; 1 for an integer and for `_`.
func (t IntTuple) Rank() int { return max(len(t.list), 1) }

// Entry returns entry i of a list, 0 <= i < Rank; an integer is its own entry 0.
func (t IntTuple) Entry(i int) IntTuple {
	if t.list == nil && i == 0 {
		return t
	}
	return t.list[i]
}

// Depth returns 0 for an integer and 1 + the deepest entry for a list.
func (t IntTuple) Depth() int {
	d := 0
	for _, e := range t.list {
		d = max(d, 1+e.Depth())
	}
	return d
}

// Size returns the product of the leaves; ErrOverflow when it does not fit, ErrExtent for a leaf below 1 or `_`.
func (t IntTuple) Size() (int64, error) {
	if t.list == nil {
		return t.n, t.extent()
	}
	size := int64(1)
	for _, e := range t.list {
		n, err := e.Size()
		if err != nil {
			return 0, err
		}
		var ok bool
		if size, ok = Mul(size, n); !ok {
			return 0, fail(ErrOverflow, "the size of %s does not fit int64", t.brief())
		}
	}
	return size, nil
}

// extent refuses a leaf that cannot be an extent.
func (t IntTuple) extent() error {
	if t.under {
		return fail(ErrExtent, "`_` in a shape; an extent is at least 1")
	}
	if t.n < 1 {
		return fail(ErrExtent, "extent %d in a shape; an extent is at least 1", t.n)
	}
	return nil
}

// Equal reports whether two tuples are the same, nesting included.
func (t IntTuple) Equal(o IntTuple) bool {
	if t.n != o.n || t.under != o.under || (t.list == nil) != (o.list == nil) || len(t.list) != len(o.list) {
		return false
	}
	for i := range t.list {
		if !t.list[i].Equal(o.list[i]) {
			return false
		}
	}
	return true
}

// String returns the canonical text, such as "(3,(2,_))".
func (t IntTuple) String() string { return string(t.Append(nil)) }

// Append appends the canonical text to dst.
func (t IntTuple) Append(dst []byte) []byte {
	switch {
	case t.under:
		return append(dst, '_')
	case t.list == nil:
		return strconv.AppendInt(dst, t.n, 10)
	}
	for i, e := range t.list {
		dst = e.Append(append(dst, sep(i)))
	}
	return append(dst, ')')
}

func sep(i int) byte {
	if i == 0 {
		return '('
	}
	return ','
}

// brief is the text for a message, cut when long.
func (t IntTuple) brief() string { return brief(t.String()) }

func brief(s string) string {
	if len(s) > 60 {
		return s[:57] + "..."
	}
	return s
}

// count returns the number of leaves and the depth.
func (t IntTuple) count() (leaves, depth int) {
	if t.list == nil {
		return 1, 0
	}
	for _, e := range t.list {
		l, d := e.count()
		leaves, depth = leaves+l, max(depth, d+1)
	}
	return leaves, depth
}

// limited returns an ErrLimit for more leaves or nesting than is accepted.
func limited(leaves, depth int) error {
	if leaves > MaxLeaves {
		return fail(ErrLimit, "%d leaves; at most %d are accepted", leaves, MaxLeaves)
	}
	if depth > MaxDepth {
		return fail(ErrLimit, "%d levels of nesting; at most %d are accepted", depth, MaxDepth)
	}
	return nil
}
