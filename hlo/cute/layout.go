package cute

// Layout is a function from the coordinates of a shape to integers, written (shape):(stride). It is a leaf,
// extent:stride, or a list of layouts, its modes. The zero value is not a layout; see IsZero.
type Layout struct {
	s, d  int64 // of a leaf
	modes []Layout
}

// leaf is one extent:stride pair of a flattened layout.
type leaf struct{ s, d int64 }

func leafLayout(s, d int64) Layout { return Layout{s: s, d: d} }

// unit is 1:0, the layout of a single point.
var unit = leafLayout(1, 0)

// listLayout makes each layout a mode; the list must not be empty.
func listLayout(modes []Layout) Layout { return Layout{modes: modes} }

// New returns the layout shape:stride. Errors: ErrCongruent when they nest differently, ErrExtent for an extent below
// 1, ErrLimit.
func New(shape, stride IntTuple) (Layout, error) {
	if !Congruent(shape, stride) {
		return Layout{}, fail(ErrCongruent, "shape %s and stride %s nest differently", shape.brief(), stride.brief())
	}
	l, err := zip(shape, stride)
	if err != nil {
		return Layout{}, err
	}
	return l.limited()
}

func zip(shape, stride IntTuple) (Layout, error) {
	if shape.list == nil {
		if stride.under {
			return Layout{}, fail(ErrCongruent, "`_` in a stride")
		}
		return leafLayout(shape.n, stride.n), shape.extent()
	}
	modes := make([]Layout, len(shape.list))
	for i := range modes {
		var err error
		if modes[i], err = zip(shape.list[i], stride.list[i]); err != nil {
			return Layout{}, err
		}
	}
	return listLayout(modes), nil
}

// IsZero reports whether l is the zero value, which is not a layout.
func (l Layout) IsZero() bool { return l.s == 0 && l.modes == nil }

// IsLeaf reports whether l is a single extent:stride that is not in a list.
func (l Layout) IsLeaf() bool { return l.modes == nil }

// Rank returns the number of modes; 1 for a leaf.
func (l Layout) Rank() int { return max(len(l.modes), 1) }

// Depth returns 0 for a leaf and 1 + the deepest mode for a list.
func (l Layout) Depth() int {
	_, depth := l.count()
	return depth
}

// Mode returns mode i, 0 <= i < Rank; a leaf is its own mode 0.
func (l Layout) Mode(i int) Layout { return l.list()[i] }

// list returns the modes, a leaf as the only one. The result must not be modified.
func (l Layout) list() []Layout {
	if l.modes == nil {
		return []Layout{l}
	}
	return l.modes
}

// Leaf returns the extent and the stride of a leaf; 0 and 0 for a list.
func (l Layout) Leaf() (extent, stride int64) { return l.s, l.d }

// Leaves calls f for every leaf from left to right: the fastest counting one first.
func (l Layout) Leaves(f func(extent, stride int64)) {
	if l.modes == nil {
		f(l.s, l.d)
	}
	for i := range l.modes {
		l.modes[i].Leaves(f)
	}
}

// Shape returns the shape.
func (l Layout) Shape() IntTuple { return l.tuple(func(x Layout) int64 { return x.s }) }

// Stride returns the strides.
func (l Layout) Stride() IntTuple { return l.tuple(func(x Layout) int64 { return x.d }) }

func (l Layout) tuple(of func(Layout) int64) IntTuple {
	if l.modes == nil {
		return Int(of(l))
	}
	t := IntTuple{list: make([]IntTuple, len(l.modes))}
	for i, m := range l.modes {
		t.list[i] = m.tuple(of)
	}
	return t
}

// Equal reports whether two layouts are the same, nesting and the strides of extents 1 included.
func (l Layout) Equal(o Layout) bool {
	if l.s != o.s || l.d != o.d || (l.modes == nil) != (o.modes == nil) || len(l.modes) != len(o.modes) {
		return false
	}
	for i := range l.modes {
		if !l.modes[i].Equal(o.modes[i]) {
			return false
		}
	}
	return true
}

// String returns the canonical text, such as "((2,2),3):((1,8),2)"; "" for the zero value.
func (l Layout) String() string { return string(l.Append(nil)) }

// Append appends the canonical text to dst.
func (l Layout) Append(dst []byte) []byte {
	if l.IsZero() {
		return dst
	}
	return l.Stride().Append(append(l.Shape().Append(dst), ':'))
}

func (l Layout) brief() string { return brief(l.String()) }

// Normal returns l with stride 0 on every leaf of extent 1: the form all results of the algebra have.
func (l Layout) Normal() Layout {
	if l.modes == nil {
		if l.s == 1 {
			return unit
		}
		return l
	}
	modes := make([]Layout, len(l.modes))
	for i, m := range l.modes {
		modes[i] = m.Normal()
	}
	return listLayout(modes)
}

// result is how every operation of the algebra ends: the normal form, within the limits.
func (l Layout) result() (Layout, error) { return l.Normal().limited() }

func (l Layout) limited() (Layout, error) {
	leaves, depth := l.count()
	if err := limited(leaves, depth); err != nil {
		return Layout{}, err
	}
	return l, nil
}

func (l Layout) count() (leaves, depth int) {
	if l.modes == nil {
		return 1, 0
	}
	for _, m := range l.modes {
		n, d := m.count()
		leaves, depth = leaves+n, max(depth, d+1)
	}
	return leaves, depth
}

// flat appends the leaves of l from left to right.
func (l Layout) flat(dst []leaf) []leaf {
	l.Leaves(func(s, d int64) { dst = append(dst, leaf{s, d}) })
	return dst
}

// fromLeaves is the flat layout of the leaves: 1:0 for none, depth 0 for one.
func fromLeaves(leaves []leaf) Layout {
	switch len(leaves) {
	case 0:
		return unit
	case 1:
		return leafLayout(leaves[0].s, leaves[0].d)
	}
	modes := make([]Layout, len(leaves))
	for i, x := range leaves {
		modes[i] = leafLayout(x.s, x.d)
	}
	return listLayout(modes)
}
