package cute

import "slices"

// Get returns the part of l at path: mode numbers from the outside in. ErrRank where there is none.
func Get(l Layout, path ...int) (Layout, error) {
	for _, i := range path {
		if i < 0 || i >= l.Rank() {
			return Layout{}, fail(ErrRank, "no mode %d in %s, which has rank %d", i, l.brief(), l.Rank())
		}
		l = l.Mode(i)
	}
	return l, nil
}

// Take returns the modes begin <= i < end as a layout of their own. Errors: ErrRank, ErrEmpty.
func Take(l Layout, begin, end int) (Layout, error) {
	if err := modeRange(l, begin, end); err != nil {
		return Layout{}, err
	}
	return listLayout(l.list()[begin:end]), nil
}

// Select returns the modes with the given numbers, in that order. Errors: ErrRank, ErrEmpty, ErrLimit.
func Select(l Layout, numbers ...int) (Layout, error) {
	modes := make([]Layout, len(numbers))
	for k, i := range numbers {
		var err error
		if modes[k], err = Get(l, i); err != nil {
			return Layout{}, err
		}
	}
	return Concat(modes...)
}

// Group makes the modes begin <= i < end one mode. Errors: ErrRank, ErrEmpty, ErrLimit.
func Group(l Layout, begin, end int) (Layout, error) {
	if err := modeRange(l, begin, end); err != nil {
		return Layout{}, err
	}
	modes := l.list()
	return Concat(slices.Concat(modes[:begin], []Layout{listLayout(modes[begin:end])}, modes[end:])...)
}

func modeRange(l Layout, begin, end int) error {
	switch {
	case begin < 0 || end > l.Rank():
		return fail(ErrRank, "modes %d to %d of %s, which has rank %d", begin, end, l.brief(), l.Rank())
	case begin >= end:
		return fail(ErrEmpty, "modes %d to %d are none", begin, end)
	}
	return nil
}

// Flatten returns the leaves of l as one flat list; a leaf stays a leaf.
func Flatten(l Layout) Layout {
	if l.IsLeaf() {
		return l
	}
	var modes []Layout
	l.Leaves(func(s, d int64) { modes = append(modes, leafLayout(s, d)) })
	return listLayout(modes)
}

// Append pads l on the right with modes 1:0 to the given rank; nothing when it has that rank already. ErrLimit beyond
// MaxLeaves.
func Append(l Layout, rank int) (Layout, error) { return pad(l, rank, slices.Concat[[]Layout]) }

// Prepend pads l on the left with modes 1:0 to the given rank.
func Prepend(l Layout, rank int) (Layout, error) {
	return pad(l, rank, func(parts ...[]Layout) []Layout { return slices.Concat(parts[1], parts[0]) })
}

func pad(l Layout, rank int, join func(...[]Layout) []Layout) (Layout, error) {
	if rank <= l.Rank() {
		return l, nil
	}
	if err := limited(rank, 0); err != nil {
		return Layout{}, err
	}
	fill := make([]Layout, rank-l.Rank())
	for i := range fill {
		fill[i] = unit
	}
	return Concat(join(l.list(), fill)...)
}

// Replace returns l with mode i replaced. Errors: ErrRank, ErrLimit.
func Replace(l Layout, i int, mode Layout) (Layout, error) {
	if _, err := Get(l, i); err != nil {
		return Layout{}, err
	}
	if l.IsLeaf() {
		return mode, nil
	}
	modes := slices.Clone(l.modes)
	modes[i] = mode
	return Concat(modes...)
}

// Reverse returns the modes in reverse order; what is inside them stays.
func Reverse(l Layout) Layout {
	if l.IsLeaf() {
		return l
	}
	modes := slices.Clone(l.modes)
	slices.Reverse(modes)
	return listLayout(modes)
}
