package tiled

import (
	"hlolayout/hlo"
	"hlolayout/hlo/cute"
)

// leaf is one extent:stride pair.
type leaf struct{ extent, stride int64 }

// hasModes derives the modes if that has not been done, and tells whether there are any.
func (a *Array) hasModes() bool {
	if !a.derived.Load() { // once.Do alone would allocate for the method value
		a.once.Do(a.bridge)
	}
	return a.refusal == nil
}

// bridge derives the map of each logical dimension: the tiles forward for the values that real elements
// reach, then backward from the final dimensions, joining what each tile split.
func (a *Array) bridge() {
	defer a.derived.Store(true)
	if a.elements == 0 {
		a.refusal = fail(ErrNoLayout, "%s has no elements, and a layout has extents of at least 1", a)
		return
	}
	used := a.usedExtents()
	cur := make([][]leaf, len(a.final)) // the mode of each dimension, fastest leaf first
	for i, n := range a.final {
		cur[i] = []leaf{{n, a.steps[i]}}
	}
	for k := len(a.levels) - 1; k >= 0; k-- {
		lv := &a.levels[k]
		n := len(lv.groups)
		next := append(make([][]leaf, 0, len(cur)), cur[:lv.lead]...)
		at := lv.lead
		for j := range lv.groups {
			g := &lv.groups[j]
			u := used[k][at : at+len(g.dims)]
			at += len(g.dims)
			modes, err := joinMode(g, u, cur[lv.lead+n+j], cur[lv.lead+j])
			if err != nil {
				a.refusal = fail(ErrNoLayout, "%s is not a single layout: tile %d: %s", a, k, err.(*Error).Msg)
				return
			}
			next = append(next, modes...)
		}
		cur = next[lv.added:]
	}
	a.modes = make([]mode, len(a.dims))
	for i, d := range a.order {
		a.modes[d] = newMode(coalesce(cur[len(cur)-1-i], false))
	}
}

// usedExtents returns, for each tile, how many values of each coordinate it meets real elements can take.
func (a *Array) usedExtents() [][]int64 {
	cur := a.PhysicalDims()
	out := make([][]int64, len(a.levels))
	for k := range a.levels {
		lv := &a.levels[k]
		in := make([]int64, lv.added, lv.added+len(cur))
		for i := range in {
			in[i] = 1
		}
		in = append(in, cur...)
		out[k] = in
		next := append([]int64(nil), in[:lv.lead]...)
		var places []int64
		at := lv.lead
		for _, g := range lv.groups {
			span := g.span(in[at:])
			at += len(g.dims)
			next = append(next, (span-1)/g.tile+1)
			places = append(places, min(span, g.tile))
		}
		cur = append(next, places...)
	}
	return out
}

// span is 1 + the largest joined coordinate when each dimension takes used[i] values.
func (g *group) span(used []int64) int64 {
	span := int64(0)
	for i, n := range g.dims {
		span = span*n + used[i] - 1
	}
	return span + 1
}

// joinMode returns the modes of the dimensions that make up one entry of a tile, from the mode lo of the place in the
// tile and hi of the tile's number.
func joinMode(g *group, used []int64, lo, hi []leaf) ([][]leaf, error) {
	m := lo
	if span := g.span(used); (span-1)/g.tile > 0 {
		low, _, ok := follow(coalesce(lo, true), 1, g.tile, false)
		if !ok {
			return nil, fail(ErrNoLayout, "its %d positions do not end with a digit of the inner tiles", g.tile)
		}
		m = append(low, hi...)
	} // else nothing is above the places in the tile, and they may stay padded
	if len(g.dims) == 1 {
		return [][]leaf{m}, nil
	}
	m = coalesce(m, true)
	sum := make([]int64, len(m))
	out := make([][]leaf, len(g.dims))
	p := int64(1) // how far a step of the dimension moves the joined coordinate
	for i := len(g.dims) - 1; i >= 0; i-- {
		ok := true
		if used[i] > 1 { // of a dimension that is always 0 no leaf is needed
			if out[i], _, ok = follow(m, p, g.dims[i], true); !ok {
				out[i], _, ok = follow(m, p, used[i], true)
			}
		}
		if !ok {
			return nil, fail(ErrNoLayout, "joined dimension of extent %d steps by %d across the digits of the tile",
				g.dims[i], p)
		}
		_, load, _ := follow(m, p, used[i], true)
		for k := range load {
			sum[k] += load[k]
		}
		p *= g.dims[i]
	}
	for k, x := range m[:len(m)-1] {
		if sum[k] >= x.extent {
			return nil, fail(ErrNoLayout, "the joined dimensions carry from one digit of the tile into the next")
		}
	}
	return out, nil
}

// follow returns x -> m(p*x) for 0 <= x < n as leaves, and the largest digit it takes of each leaf of m; the last leaf
// of m has no end. With roundUp the top piece may reach beyond n, else pieces must divide it. ok is false where it is
// no layout.
func follow(m []leaf, p, n int64, roundUp bool) (out []leaf, load []int64, ok bool) {
	load = make([]int64, len(m))
	if n == 1 {
		return nil, load, true
	}
	for k, x := range m {
		last := k == len(m)-1
		if !last && p%x.extent == 0 {
			p /= x.extent
			continue
		}
		top, fits := cute.Mul(n-1, p)
		if last || fits && top < x.extent {
			step, ok := cute.Mul(p, x.stride)
			load[k] = top
			return append(out, leaf{n, step}), load, ok && fits
		}
		if x.extent%p != 0 {
			return nil, nil, false
		}
		piece := x.extent / p
		if n%piece != 0 && !roundUp {
			return nil, nil, false
		}
		out = append(out, leaf{piece, p * x.stride})
		load[k] = (piece - 1) * p
		if n = ceilDiv(n, piece); n == 1 {
			return out, load, true
		}
		p = 1
	}
	return out, load, true
}

// coalesce merges leaves as cute.Coalesce does; with endless the last one counts as unbounded and stays even with
// extent 1, and there always is one.
func coalesce(in []leaf, endless bool) []leaf {
	var out []leaf
	if endless && len(in) == 0 {
		in = []leaf{{1, 0}}
	}
	for i, x := range in {
		if x.extent == 1 && !(endless && i == len(in)-1) {
			continue
		}
		if k := len(out) - 1; k >= 0 {
			if next, ok := cute.Mul(out[k].extent, out[k].stride); ok && next == x.stride {
				if n, ok := cute.Mul(out[k].extent, x.extent); ok {
					out[k].extent = n
					continue
				}
			}
		}
		out = append(out, x)
	}
	return out
}

// Layout returns the index map as a CuTe layout: mode d belongs to logical dimension d, its index is the offset in
// elements; its size is the padded extent and may be larger than the dimension. ErrNoLayout where the map is not a
// single layout; then Joined or the tiles themselves tell it.
func (a *Array) Layout() (cute.Layout, error) {
	if !a.hasModes() {
		return cute.Layout{}, a.refusal
	}
	if len(a.modes) == 0 {
		return mode(nil).layout()
	}
	modes := make([]cute.Layout, len(a.modes))
	for d, m := range a.modes {
		var err error
		if modes[d], err = m.layout(); err != nil {
			return cute.Layout{}, err
		}
	}
	return cute.Concat(modes...)
}

// layout is a mode as a layout: 1:0 without digits.
func (m mode) layout() (cute.Layout, error) {
	switch len(m) {
	case 0:
		return cute.New(cute.Int(1), cute.Int(0))
	case 1:
		return cute.New(cute.Int(m[0].extent), cute.Int(m[0].stride))
	}
	shape, stride := make([]int64, len(m)), make([]int64, len(m))
	for i, d := range m {
		shape[i], stride[i] = d.extent, d.stride
	}
	return cute.New(cute.Ints(shape[0], shape[1:]...), cute.Ints(stride[0], stride[1:]...))
}

// Joined is the index map of an array whose first tile has stars: the dimensions are joined first, row-major within
// each group, and Layout takes one coordinate per group.
type Joined struct {
	Dims   []int64     // extents of the joined dimensions, major to minor
	Groups [][]int     // the logical dimensions of each, major to minor; none where a tile adds a dimension
	Layout cute.Layout // mode i belongs to Groups[i]
	array  *Array      // the same over the joined dimensions
	of     *Array
}

// Joined returns the map over joined dimensions. ErrNoLayout where the first tile has no stars, or even that is not a
// layout.
func (a *Array) Joined() (*Joined, error) {
	if a.elements == 0 || len(a.levels) == 0 || len(a.levels[0].groups) == len(a.tiles[0]) {
		return nil, fail(ErrNoLayout, "%s has no elements or its first tile joins no dimensions", a)
	}
	lv := a.levels[0]
	j := &Joined{of: a, Dims: a.PhysicalDims()[:lv.lead]}
	dim := len(a.order) - 1 // of order, counted from the major end
	take := func(n int) (group []int) {
		for range n {
			group = append(group, a.order[dim])
			dim--
		}
		return group
	}
	for range lv.lead {
		j.Groups = append(j.Groups, take(1))
	}
	tile := hlo.Tile{}
	added := lv.added
	for _, g := range lv.groups {
		skip := min(added, len(g.dims))
		added -= skip
		j.Groups = append(j.Groups, take(len(g.dims)-skip))
		j.Dims = append(j.Dims, g.joined)
		tile = append(tile, g.tile)
	}
	layout := hlo.DescendingLayout(len(j.Dims))
	layout.Tiles = append([]hlo.Tile{tile}, a.tiles[1:]...)
	var err error
	if j.array, err = New(hlo.NewArray(a.dtype, j.Dims, layout)); err != nil {
		return nil, err
	}
	j.Layout, err = j.array.Layout()
	return j, err
}

// Index returns the offset of a logical index through the joined dimensions. ErrIndex as Array.Index.
func (j *Joined) Index(index ...int64) (int64, error) {
	if err := j.of.check(index); err != nil {
		return 0, err
	}
	coord := make([]int64, len(j.Dims))
	for i, group := range j.Groups {
		for _, d := range group {
			coord[i] = coord[i]*j.of.dims[d] + index[d]
		}
	}
	return j.Layout.Index(coord...)
}
