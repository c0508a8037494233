package printer

import (
	"slices"
)

// devices is an array of device numbers as shardings, meshes and replica groups have it: the numbers one by one, or a
// formula, the numbers 0, 1, ... laid out in `from` and transposed by `perm`, then read as an array of the sizes dims
// (XLA's TileAssignment).
type devices struct {
	dims []int64
	ids  []int64 // row-major; nil where the formula says them
	from []int64
	perm []int
}

// maxDevices bounds the arrays that are written out to be sorted.
const maxDevices = 1 << 20

// formulaOf returns the array of a formula in XLA's shortest form: sizes of one are dropped, neighbours that stay
// neighbours are merged. ok is false where perm is none, or the sizes do not fit.
func formulaOf(dims, from []int64, perm []int) (d devices, ok bool) {
	n, fits := product(from)
	m, fits2 := product(dims)
	if len(perm) != len(from) || !fits || !fits2 || n != m || !isPermutation(perm) {
		return devices{}, false
	}
	from, perm = slices.Clone(from), slices.Clone(perm)
	for merged := true; merged; {
		from, perm = dropOnes(from, perm)
		merged = false
		for i, base := 1, 0; i < len(perm); i++ {
			if perm[base]+(i-base) == perm[i] {
				from[perm[base]] *= from[perm[i]]
				from[perm[i]] = 1
				merged = true
			} else {
				base = i
			}
		}
	}
	if len(from) == 0 {
		from, perm = []int64{1}, []int{0}
	}
	return devices{dims: dims, from: from, perm: perm}, true
}

func dropOnes(from []int64, perm []int) ([]int64, []int) {
	place := make([]int, len(from)) // of each size among those that stay
	var sizes []int64
	for i, n := range from {
		place[i] = len(sizes)
		if n != 1 {
			sizes = append(sizes, n)
		}
	}
	var order []int
	for _, d := range perm {
		if from[d] != 1 {
			order = append(order, place[d])
		}
	}
	return sizes, order
}

func product(ns []int64) (n int64, ok bool) {
	n = 1
	for _, k := range ns {
		if k < 0 || k > 0 && n > (1<<62)/k {
			return 0, false
		}
		n *= k
	}
	return n, true
}

func isPermutation(perm []int) bool {
	seen := make([]bool, len(perm))
	for _, d := range perm {
		if d < 0 || d >= len(perm) || seen[d] {
			return false
		}
		seen[d] = true
	}
	return true
}

func (d *devices) size() int64 {
	n, _ := product(d.dims)
	return n
}

// isFormula reports whether the numbers are given by a formula.
func (d *devices) isFormula() bool { return d.ids == nil }

// list returns the numbers one by one; nil for more than maxDevices.
func (d *devices) list() []int64 {
	if d.ids != nil {
		return d.ids
	}
	if d.size() > maxDevices {
		return nil
	}
	strides := make([]int64, len(d.from))
	stride := int64(1)
	for i := len(d.from) - 1; i >= 0; i-- {
		strides[i] = stride
		stride *= d.from[i]
	}
	out := []int64{0}
	for _, dim := range d.perm {
		next := make([]int64, 0, len(out)*int(d.from[dim]))
		for _, base := range out {
			for k := range d.from[dim] {
				next = append(next, base+k*strides[dim])
			}
		}
		out = next
	}
	return out
}

// reshaped returns the same numbers as an array of other sizes.
func (d devices) reshaped(dims []int64) devices {
	d.dims = dims
	return d
}

// transposed returns the array with its dimensions in another order. The result is a formula where XLA finds one.
func (d *devices) transposed(perm []int) devices {
	dims := make([]int64, len(perm))
	for i, k := range perm {
		dims[i] = d.dims[k]
	}
	if d.isFormula() {
		if t, ok := d.formulaTransposed(dims, perm); ok {
			return t
		}
	}
	ids := d.list()
	strides := make([]int64, len(d.dims))
	stride := int64(1)
	for i := len(d.dims) - 1; i >= 0; i-- {
		strides[i] = stride
		stride *= d.dims[i]
	}
	at := []int64{0}
	for _, k := range perm {
		next := make([]int64, 0, len(at)*int(d.dims[k]))
		for _, base := range at {
			for i := range d.dims[k] {
				next = append(next, base+i*strides[k])
			}
		}
		at = next
	}
	out := make([]int64, len(at))
	for i, k := range at {
		if int(k) < len(ids) {
			out[i] = ids[k]
		}
	}
	return devices{dims: dims, ids: out}
}

// formulaTransposed finds the formula of a transposed formula: the sizes of the array and those of the transposed
// `from` are cut until they are the same, and the pieces put in order. ok is false where they cannot be cut so.
func (d *devices) formulaTransposed(dims []int64, perm []int) (t devices, ok bool) {
	moves := slices.DeleteFunc(slices.Clone(perm), func(k int) bool { return d.dims[k] == 1 })
	if slices.IsSorted(moves) {
		return d.reshaped(dims), true
	}
	pieces := make([][]int64, len(d.from)) // of each size of from, major to minor
	type place struct{ dim, piece int }
	parts := make([][]place, len(d.dims)) // of each size of the array
	left := slices.Clone(d.from)
	k := 0
	for i, size := range d.dims {
		for size > 1 {
			for k < len(d.perm) && left[d.perm[k]] == 1 {
				k++
			}
			if k == len(d.perm) {
				return devices{}, false
			}
			dim := d.perm[k]
			n := gcd(size, left[dim])
			if n == 1 {
				return devices{}, false
			}
			parts[i] = append(parts[i], place{dim, len(pieces[dim])})
			pieces[dim] = append(pieces[dim], n)
			size /= n
			left[dim] /= n
		}
	}
	start := make([]int, len(d.from)) // of each one's pieces in the new from
	var from []int64
	for i, sizes := range pieces {
		start[i] = len(from)
		from = append(from, sizes...)
	}
	var order []int
	for _, i := range perm {
		for _, at := range parts[i] {
			order = append(order, start[at.dim]+at.piece)
		}
	}
	return formulaOf(dims, from, order)
}

func gcd(a, b int64) int64 {
	for b != 0 {
		a, b = b, a%b
	}
	return a
}

// groupsSorted returns the array with the numbers of each group, the last dimension's, in ascending order. A formula
// stays one where XLA finds it: the minor sizes that make up a group are put in order.
func (d *devices) groupsSorted() devices {
	size := d.dims[len(d.dims)-1]
	if d.isFormula() {
		if d.from[d.perm[len(d.perm)-1]] == size {
			return *d
		}
		if from, perm, ok := groupMinor(d.from, d.perm, size); ok {
			if t, ok := formulaOf(d.dims, from, perm); ok {
				return t
			}
		}
	}
	ids := slices.Clone(d.list())
	for i := int64(0); i+size <= int64(len(ids)); i += size {
		slices.Sort(ids[i : i+size])
	}
	return devices{dims: d.dims, ids: ids}
}

// groupMinor puts the minor-most sizes that make up a group of the given size in ascending order, splitting the last of
// them where only a part of it belongs to the group.
func groupMinor(from []int64, perm []int, size int64) (newFrom []int64, newPerm []int, ok bool) {
	grouped, split, outer := 0, -1, int64(0)
	for i := len(perm) - 1; i >= 0; i-- {
		n := from[perm[i]]
		grouped++
		if n > size {
			if n%size != 0 {
				return nil, nil, false
			}
			split, outer = perm[i], n/size
			break
		}
		if size%n != 0 {
			return nil, nil, false
		}
		size /= n
	}
	newFrom = slices.Clone(from)
	for _, k := range perm {
		switch {
		case split >= 0 && k > split:
			newPerm = append(newPerm, k+1)
		case k == split:
			newPerm = append(newPerm, k, k+1)
		default:
			newPerm = append(newPerm, k)
		}
	}
	if split >= 0 {
		newFrom = slices.Insert(newFrom, split+1, from[split]/outer)
		newFrom[split] = outer
	}
	slices.Sort(newPerm[len(newPerm)-grouped:])
	return newFrom, newPerm, true
}
