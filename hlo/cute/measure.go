package cute

import (
	"math"
	"slices"
)

// Size returns the number of coordinates: the product of the extents. ErrOverflow when it does not fit int64.
func (l Layout) Size() (int64, error) {
	size, ok := int64(1), true
	l.Leaves(func(s, _ int64) {
		if ok {
			size, ok = Mul(size, s)
		}
	})
	if !ok {
		return 0, fail(ErrOverflow, "the size of %s does not fit int64", l.brief())
	}
	return size, nil
}

// Range returns the smallest and the largest index of l. ErrOverflow when the sums do not fit int64.
func (l Layout) Range() (lo, hi int64, err error) {
	ok := true
	l.Leaves(func(s, d int64) {
		to := &hi
		if d < 0 {
			to = &lo
		}
		if n, fits := addMul(*to, s-1, d); fits {
			*to = n
		} else {
			ok = false
		}
	})
	if !ok {
		return 0, 0, fail(ErrOverflow, "the indices of %s do not fit int64", l.brief())
	}
	return lo, hi, nil
}

// Cosize returns 1 + the sum of (extent-1)*|stride|: the length of the interval of the indices.
func (l Layout) Cosize() (int64, error) {
	lo, hi, err := l.Range()
	if err != nil {
		return 0, err
	}
	if below, ok := abs(lo); ok {
		if n, ok := Add(hi, below); ok && n != math.MaxInt64 {
			return n + 1, nil
		}
	}
	return 0, fail(ErrOverflow, "the cosize of %s does not fit int64", l.brief())
}

// Answer is yes, no or unknown.
type Answer uint8

// The answers.
const (
	Unknown Answer = iota
	No
	Yes
)

// String returns "unknown", "no" or "yes".
func (a Answer) String() string { return [...]string{"unknown", "no", "yes"}[a] }

// maxEnumerate bounds what Injective looks through coordinate by coordinate.
const maxEnumerate = 1 << 16

// Injective tells whether different coordinates have different indices. The test by sorted strides is sufficient; where
// it fails layouts of up to 65536 coordinates are enumerated and larger ones are Unknown.
func Injective(l Layout) Answer {
	if a := injectiveByStrides(l); a != Unknown {
		return a
	}
	size, err := l.Size()
	if err != nil || size > maxEnumerate {
		return Unknown
	}
	all := make([]int64, size)
	for i := range all {
		if all[i], err = l.At(int64(i)); err != nil {
			return Unknown
		}
	}
	slices.Sort(all)
	for i := 1; i < len(all); i++ {
		if all[i] == all[i-1] {
			return No
		}
	}
	return Yes
}

// injectiveByStrides is the sufficient test: each stride is beyond the reach of the smaller ones.
func injectiveByStrides(l Layout) Answer {
	leaves := slices.DeleteFunc(l.flat(nil), func(x leaf) bool { return x.s == 1 })
	perm, err := byStride(leaves)
	if err != nil {
		return Unknown
	}
	reach, answer := int64(1), Yes // reach is 1 + the largest index of the leaves so far
	for _, i := range perm {
		d, _ := abs(leaves[i].d)
		if d == 0 {
			return No
		}
		var ok bool
		if d < reach || answer == Unknown {
			answer = Unknown
		} else if reach, ok = addMul(reach, leaves[i].s-1, d); !ok {
			answer = Unknown
		}
	}
	return answer
}

// Bijective tells whether l is a bijection onto [0, size): injective, without negative strides, cosize equal to size.
func Bijective(l Layout) Answer {
	size, err := l.Size()
	if err != nil {
		return Unknown
	}
	lo, hi, err := l.Range()
	if err != nil {
		return Unknown
	}
	if lo < 0 || hi != size-1 {
		return No
	}
	return Injective(l)
}
