package tiled

import "math/bits"

// inline is how many physical dimensions fit on the stack; arrays with more allocate per index.
const inline = 24

// mode is the index map of one logical dimension: its digits from the fastest on, the last one without end.
type mode []digit

type digit struct {
	leaf
	shift uint8 // log2 of the extent, or none
}

const none = 0xff

func newMode(leaves []leaf) mode {
	m := make(mode, len(leaves))
	for i, x := range leaves {
		m[i] = digit{x, none}
		if x.extent&(x.extent-1) == 0 {
			m[i].shift = uint8(bits.TrailingZeros64(uint64(x.extent)))
		}
	}
	return m
}

// at returns the offset of position x of the dimension, 0 <= x.
func (m mode) at(x int64) int64 {
	if len(m) == 0 {
		return 0
	}
	sum := int64(0)
	for i := range m[:len(m)-1] {
		d := &m[i]
		if d.shift != none {
			sum += x & (d.extent - 1) * d.stride
			x >>= d.shift
		} else {
			q := x / d.extent
			sum += (x - q*d.extent) * d.stride
			x = q
		}
	}
	return sum + x*m[len(m)-1].stride
}

// Index returns the offset, in elements, of a logical index. ErrIndex for another number of entries or one out of
// bounds. Index does not allocate. Where the map is a single layout its digits are added, else the tiles are gone
// through; both are the same function.
func (a *Array) Index(index ...int64) (int64, error) {
	if err := a.check(index); err != nil {
		return 0, err
	}
	if a.hasModes() {
		return a.add(index), nil
	}
	return a.staged(index), nil
}

func (a *Array) check(index []int64) error {
	if len(index) != len(a.dims) {
		return fail(ErrIndex, "%d indices for the %d dimensions of %s", len(index), len(a.dims), a)
	}
	for i, n := range a.dims {
		if uint64(index[i]) >= uint64(n) {
			return fail(ErrIndex, "index %d of dimension %d, which has %d positions", index[i], i, n)
		}
	}
	return nil
}

// add is the index map of an array that has modes.
func (a *Array) add(index []int64) int64 {
	sum := int64(0)
	for d, m := range a.modes {
		sum += m.at(index[d])
	}
	return sum
}

// staged is the index map by the definition: tile after tile, then row-major.
func (a *Array) staged(index []int64) int64 {
	var buf [inline]int64
	sum := int64(0)
	for i, x := range a.physical(buf[:0], index) {
		sum += x * a.steps[i]
	}
	return sum
}

// physical appends the physical index of a logical one.
func (a *Array) physical(cur, index []int64) []int64 {
	start := len(cur)
	for i := len(a.order) - 1; i >= 0; i-- {
		cur = append(cur, index[a.order[i]])
	}
	for k := range a.levels {
		lv := &a.levels[k]
		if lv.added > 0 {
			for range lv.added {
				cur = append(cur, 0)
			}
			copy(cur[start+lv.added:], cur[start:])
			clear(cur[start : start+lv.added])
		}
		// The joined coordinates overwrite the dimensions they come from, then split into tile number and place in the
		// tile.
		at, from := start+lv.lead, start+lv.lead
		for i := range lv.groups {
			x := int64(0)
			for _, n := range lv.groups[i].dims {
				x = x*n + cur[from]
				from++
			}
			cur[at+i] = x
		}
		cur = cur[:at+len(lv.groups)]
		for i := range lv.groups {
			x, t := cur[at+i], lv.groups[i].tile
			cur = append(cur, x%t)
			cur[at+i] = x / t
		}
	}
	return cur
}

// logical undoes physical in place: cur is a physical index within FinalDims. It returns the logical index appended to
// dst; ok is false for padding.
func (a *Array) logical(dst, cur []int64) (_ []int64, ok bool) {
	for k := len(a.levels) - 1; k >= 0; k-- {
		lv := &a.levels[k]
		n := len(lv.groups)
		for i, g := range lv.groups {
			x := cur[lv.lead+i]*g.tile + cur[lv.lead+n+i]
			if x >= g.joined {
				return dst, false
			}
			cur[lv.lead+i] = x
		}
		// Spread the joined coordinates from the right, where the space of the places in the tile is free, except that
		// stars can make more dimensions than there were numbers.
		m := 0
		for _, g := range lv.groups {
			m += len(g.dims)
		}
		for len(cur) < lv.lead+m {
			cur = append(cur, 0)
		}
		cur = cur[:lv.lead+m]
		to := lv.lead + m
		for i := n - 1; i >= 0; i-- {
			x, dims := cur[lv.lead+i], lv.groups[i].dims
			for j := len(dims) - 1; j > 0; j-- {
				to--
				cur[to] = x % dims[j]
				x /= dims[j]
			}
			to--
			cur[to] = x
		}
		cur = cur[lv.added:]
	}
	at := len(dst)
	for range a.order {
		dst = append(dst, 0)
	}
	for i, d := range a.order {
		dst[at+d] = cur[len(cur)-1-i]
	}
	return dst, true
}

// Physical appends the physical index of a logical one to dst, major to minor. ErrIndex as Index.
func (a *Array) Physical(dst []int64, index ...int64) ([]int64, error) {
	if err := a.check(index); err != nil {
		return dst, err
	}
	return a.physical(dst, index), nil
}

// PhysicalAt appends the physical index of an offset to dst, major to minor. ErrIndex for an offset outside [0, Total)
// or in the tail that L(n) adds, which has no physical index.
func (a *Array) PhysicalAt(dst []int64, offset int64) ([]int64, error) {
	if err := a.checkOffset(offset); err != nil {
		return dst, err
	}
	if a.inTail(offset) {
		return dst, fail(ErrIndex, "offset %d is in the padding of %s", offset, a)
	}
	return a.unravel(dst, offset), nil
}

func (a *Array) unravel(dst []int64, offset int64) []int64 {
	for _, step := range a.steps {
		dst = append(dst, offset/step)
		offset %= step
	}
	return dst
}

// Offset returns the offset of a physical index. ErrIndex for another number of entries or one out of bounds.
func (a *Array) Offset(physical ...int64) (int64, error) {
	if len(physical) != len(a.final) {
		return 0, fail(ErrIndex, "%d indices for the %d physical dimensions of %s", len(physical), len(a.final), a)
	}
	sum := int64(0)
	for i, n := range a.final {
		if uint64(physical[i]) >= uint64(n) {
			return 0, fail(ErrIndex, "physical index %d of dimension %d, which has %d positions", physical[i], i, n)
		}
		sum += physical[i] * a.steps[i]
	}
	return sum, nil
}

// Logical appends the logical index of a physical one to dst; ok is false where it is padding and dst comes back as it
// was. ErrIndex as Offset.
func (a *Array) Logical(dst []int64, physical ...int64) (_ []int64, ok bool, err error) {
	if _, err := a.Offset(physical...); err != nil {
		return dst, false, err
	}
	var buf [inline]int64
	dst, ok = a.logical(dst, append(buf[:0], physical...))
	return dst, ok, nil
}

// Element appends the logical index of the element at an offset to dst; ok is false where there is padding and dst
// comes back as it was. ErrIndex for an offset outside [0, Total). With room in dst Element does not allocate.
func (a *Array) Element(dst []int64, offset int64) (_ []int64, ok bool, err error) {
	if err := a.checkOffset(offset); err != nil {
		return dst, false, err
	}
	if a.inTail(offset) {
		return dst, false, nil
	}
	var buf [inline]int64
	dst, ok = a.logical(dst, a.unravel(buf[:0], offset))
	return dst, ok, nil
}

func (a *Array) checkOffset(offset int64) error {
	if uint64(offset) >= uint64(a.total) {
		return fail(ErrIndex, "offset %d of %s, which has %d elements allocated", offset, a, a.total)
	}
	return nil
}

// inTail tells whether L(n) alone accounts for the offset.
func (a *Array) inTail(offset int64) bool {
	return a.tail > 1 && (len(a.final) == 0 && offset > 0 || len(a.final) > 0 && offset >= a.steps[0]*a.final[0])
}
